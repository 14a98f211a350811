-- Money that platform admins give back. The intention is stored before the provider is asked, so that a crash between
-- the two loses nothing and gives nothing back twice. What the provider gave back stands at the payment.
CREATE TABLE refunds (
    id               uuid PRIMARY KEY,
    company_id       uuid NOT NULL REFERENCES companies (id),
    payment_id       uuid NOT NULL,
    -- pending: the provider has not answered for certain.
    state            text NOT NULL CHECK (state IN ('pending', 'accepted', 'refused')),
    amount_cents     bigint NOT NULL CHECK (amount_cents > 0),
    reason           text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
    requested_by     uuid NOT NULL,
    idempotency_key  text CHECK (char_length(idempotency_key) <= 255),
    provider_key     text NOT NULL,
    provider_request text NOT NULL,
    provider_refund  text,
    -- Why it was refused, by the provider's code.
    refusal          text,
    -- How often the request was given to the network, each counted before it was.
    tries            integer NOT NULL CHECK (tries > 0),
    -- The payment was read after the provider had accepted it, so its own column holds the amount too.
    shown            boolean NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL,
    settled_at       timestamptz,
    CONSTRAINT refunds_provider_key_key UNIQUE (provider_key),
    CHECK ((state = 'pending') = (settled_at IS NULL)),
    CHECK (state <> 'accepted' OR provider_refund IS NOT NULL),
    FOREIGN KEY (company_id, payment_id) REFERENCES payments (company_id, id)
);
CREATE INDEX refunds_payment ON refunds (company_id, payment_id, created_at);
CREATE INDEX refunds_requested_by ON refunds (requested_by);
CALL isolate_by_company('refunds');
REVOKE DELETE ON refunds FROM bipe_app;
REVOKE DELETE ON refunds FROM bipe_platform;
