-- The company's customer object at the payment provider.
CREATE TABLE provider_customers (
    company_id  uuid PRIMARY KEY REFERENCES companies (id),
    customer_id text NOT NULL,
    created_at  timestamptz NOT NULL
);

CREATE TABLE payment_methods (
    id          text PRIMARY KEY,
    company_id  uuid NOT NULL REFERENCES companies (id),
    brand       text NOT NULL,
    last4       text NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
    exp_month   integer NOT NULL CHECK (exp_month BETWEEN 1 AND 12),
    exp_year    integer NOT NULL CHECK (exp_year BETWEEN 2000 AND 2200),
    is_default  boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL
);
CREATE UNIQUE INDEX payment_methods_one_default ON payment_methods (company_id) WHERE is_default;

CREATE TABLE payments (
    id                uuid PRIMARY KEY,
    company_id        uuid NOT NULL REFERENCES companies (id),
    subscription_id   uuid,
    created_by        uuid,
    state             text NOT NULL CHECK (state IN ('submitting', 'created', 'requires_action', 'processing', 'declined', 'succeeded', 'failed', 'expired', 'canceled', 'conflicted')),
    action            text CHECK (action IN ('3ds', 'pix', 'boleto')),
    unknown           boolean NOT NULL DEFAULT false,
    method            text NOT NULL CHECK (method IN ('CREDIT_CARD', 'PIX', 'BANK_SLIP')),
    amount_cents      bigint NOT NULL CHECK (amount_cents BETWEEN 50 AND 99999999),
    currency          text NOT NULL CHECK (currency = 'brl'),
    change_type       text NOT NULL CHECK (change_type IN ('upgrade', 'downgrade', 'creation', 'renewal', 'other')),
    plan_id           uuid NOT NULL REFERENCES plans (id),
    billing_cycle     text NOT NULL CHECK (billing_cycle IN ('monthly', 'quarterly', 'yearly')),
    quote_id          uuid,
    basis             text NOT NULL,
    frozen_at         timestamptz NOT NULL,
    provider          text NOT NULL,
    provider_intent   text,
    provider_key      text NOT NULL,
    provider_request  text NOT NULL,
    read_started_at   timestamptz,
    closing           text CHECK (closing IN ('cancel', 'expire', 'fail', 'replace')),
    superseded        boolean NOT NULL DEFAULT false,
    expires_at        timestamptz,
    pix_code          text,
    hosted_url        text,
    bank_slip_line    text,
    bank_slip_pdf     text,
    failure_code      text,
    failure_detail    text,
    effects_at        timestamptz,
    succeeded_at      timestamptz,
    idempotency_key   text,
    metadata          text NOT NULL DEFAULT '{}',
    version           bigint NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    CONSTRAINT payments_company_id_key UNIQUE (company_id, id),
    CONSTRAINT payments_provider_intent_key UNIQUE (provider_intent),
    CONSTRAINT payments_provider_key_key UNIQUE (provider_key)
);
CREATE UNIQUE INDEX payments_one_open ON payments (company_id)
    WHERE state IN ('submitting', 'created', 'requires_action', 'processing', 'declined', 'conflicted') AND NOT superseded;
CREATE INDEX payments_company ON payments (company_id, created_at DESC, id DESC);
COMMENT ON COLUMN payments.provider_request IS 'pii:contact basis:contract keep:5 years';

-- SUCCESS never changes and versions only grow: the last guard behind payment::decide.
CREATE FUNCTION guard_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'succeeded' AND NEW.state <> 'succeeded' THEN
        RAISE EXCEPTION 'payment % has succeeded and cannot become %', OLD.id, NEW.state;
    END IF;
    IF NEW.version <= OLD.version THEN
        RAISE EXCEPTION 'payment % must grow its version', OLD.id;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER guard_payment BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION guard_payment();

CREATE TABLE idempotency_keys (
    company_id  uuid NOT NULL REFERENCES companies (id),
    key         text NOT NULL CHECK (char_length(key) <= 255),
    user_id     uuid NOT NULL,
    operation   text NOT NULL,
    body_sha256 bytea NOT NULL,
    subject     uuid,
    status      smallint,
    reply       text,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
COMMENT ON COLUMN idempotency_keys.reply IS 'pii:contact basis:contract keep:7 days';

-- The provider's events, stored before they are answered. Not company data yet: the company comes from our own payment row.
CREATE TABLE webhook_inbox (
    event_id    text PRIMARY KEY,
    type        text NOT NULL,
    object_id   text,
    body        text NOT NULL,
    received_at timestamptz NOT NULL,
    handled_at  timestamptz,
    outcome     text
);
CREATE INDEX webhook_inbox_received ON webhook_inbox (received_at);
COMMENT ON COLUMN webhook_inbox.body IS 'pii:contact basis:legal keep:90 days';

CALL isolate_by_company('provider_customers');
CALL isolate_by_company('payment_methods');
CALL isolate_by_company('payments');
CALL isolate_by_company('idempotency_keys');
