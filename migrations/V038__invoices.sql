-- Documents of payments, of changes without a payment and of refunds: receipts and statements of charges.

-- Who issues them, by tax id; '' until the operator has set one. Each issuer counts its own documents. The settings of
-- the node that started last are current.
CREATE TABLE invoice_issuers (
    tax_id     text PRIMARY KEY CHECK (char_length(tax_id) <= 14),
    name       text NOT NULL CHECK (char_length(name) <= 200),
    address    text NOT NULL CHECK (char_length(address) <= 200),
    email      text NOT NULL CHECK (char_length(email) <= 254),
    -- The number of its newest document. The row is locked from the number to the commit, so that no number is lost.
    last       bigint NOT NULL DEFAULT 0 CHECK (last >= 0),
    is_current boolean NOT NULL
);
CREATE UNIQUE INDEX invoice_issuers_one_current ON invoice_issuers (is_current) WHERE is_current;
INSERT INTO invoice_issuers (tax_id, name, address, email, is_current) VALUES ('', '', '', '', true);
REVOKE ALL ON invoice_issuers FROM bipe_app;
GRANT SELECT, UPDATE (last) ON invoice_issuers TO bipe_app;
REVOKE DELETE ON invoice_issuers FROM bipe_platform;

-- Everything that a document shows, as it stood when it was issued. A row never changes and outlives the company.
CREATE TABLE invoices (
    -- The payment's own id for its document; any other one for a change and for a refund.
    id                 uuid PRIMARY KEY,
    company_id         uuid NOT NULL REFERENCES companies (id),
    kind               text NOT NULL CHECK (kind IN ('payment', 'change', 'refund')),
    number             bigint NOT NULL CHECK (number > 0),
    issuer_tax_id      text NOT NULL REFERENCES invoice_issuers (tax_id),
    issuer_name        text NOT NULL,
    issuer_address     text NOT NULL,
    issuer_email       text NOT NULL,
    -- When the money moved or the change took effect; the document itself may be younger.
    at                 timestamptz NOT NULL,
    issued_at          timestamptz NOT NULL,
    payer_name         text NOT NULL,
    payer_tax_id       text,
    payer_address      text,
    -- The person who paid or chose; none for a job.
    paid_by            uuid,
    paid_by_name       text,
    plan_name          text NOT NULL,
    billing_cycle      text NOT NULL CHECK (billing_cycle IN ('monthly', 'quarterly', 'yearly')),
    period_start       timestamptz,
    period_end         timestamptz,
    -- A JSON array of kinds and centavos, whose sum is the total.
    lines              text NOT NULL,
    total_cents        bigint NOT NULL,
    taxes_cents        bigint NOT NULL DEFAULT 0 CHECK (taxes_cents >= 0),
    became_credit      boolean NOT NULL DEFAULT false,
    payment_id         uuid,
    method             text CHECK (method IN ('CREDIT_CARD', 'PIX', 'BANK_SLIP')),
    card_brand         text,
    card_last4         text,
    provider           text,
    provider_reference text,
    search_text        text NOT NULL,
    CONSTRAINT invoices_issuer_number_key UNIQUE (issuer_tax_id, number),
    CHECK ((period_start IS NULL) = (period_end IS NULL)),
    CHECK ((kind = 'change') = (payment_id IS NULL)),
    CHECK (kind <> 'payment' OR id = payment_id),
    FOREIGN KEY (company_id, payment_id) REFERENCES payments (company_id, id)
);
CREATE INDEX invoices_company ON invoices (company_id, at DESC, number DESC);
CREATE INDEX invoices_refunds ON invoices (payment_id) WHERE kind = 'refund';
COMMENT ON COLUMN invoices.payer_name IS 'pii:identity basis:legal keep:5 years';
COMMENT ON COLUMN invoices.payer_tax_id IS 'pii:identity basis:legal keep:5 years';
COMMENT ON COLUMN invoices.payer_address IS 'pii:contact basis:legal keep:5 years';
COMMENT ON COLUMN invoices.paid_by_name IS 'pii:identity basis:legal keep:5 years';
CALL isolate_by_company('invoices');
REVOKE UPDATE, DELETE ON invoices FROM bipe_app;
REVOKE UPDATE, DELETE ON invoices FROM bipe_platform;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION refuse_change();
