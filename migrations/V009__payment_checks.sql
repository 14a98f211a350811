-- What a person of the platform has to look at; one open entry a kind and subject.
CREATE TABLE alerts (
    id         uuid PRIMARY KEY,
    at         timestamptz NOT NULL,
    kind       text NOT NULL,
    company_id uuid,
    subject    text NOT NULL,
    detail     text NOT NULL,
    closed_at  timestamptz
);
CREATE UNIQUE INDEX alerts_one_open ON alerts (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX alerts_at ON alerts (at);
ALTER TABLE alerts ENABLE ROW LEVEL SECURITY;
ALTER TABLE alerts FORCE ROW LEVEL SECURITY;
CREATE POLICY append ON alerts FOR INSERT TO bipe_app
    WITH CHECK (company_id IS NULL OR current_company() IS NULL OR company_id = (SELECT current_company()));
CREATE POLICY platform ON alerts TO bipe_platform USING (true) WITH CHECK (true);
REVOKE UPDATE, DELETE ON alerts FROM bipe_app;

-- Results of the scheduled check of the payment invariants; `findings` is a JSON array, empty when all hold.
CREATE TABLE payment_checks (
    id             uuid PRIMARY KEY,
    at             timestamptz NOT NULL,
    provider_asked boolean NOT NULL,
    findings       text NOT NULL
);
CREATE INDEX payment_checks_at ON payment_checks (at);
REVOKE ALL ON payment_checks FROM bipe_app;

-- Beside the state: what the provider gave back or disputes, and why the payer cancelled.
ALTER TABLE payments
    ADD COLUMN refunded_cents bigint NOT NULL DEFAULT 0 CHECK (refunded_cents BETWEEN 0 AND amount_cents),
    ADD COLUMN disputed boolean NOT NULL DEFAULT false,
    ADD COLUMN cancel_reason text CHECK (char_length(cancel_reason) <= 500);
