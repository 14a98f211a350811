-- Whom a company's receipts and boletos are made out to. A change is a new version and no version ever changes, so that
-- a document goes on showing what was true when it was issued.
CREATE TABLE billing_profiles (
    company_id  uuid NOT NULL REFERENCES companies (id),
    version     integer NOT NULL CHECK (version > 0),
    tax_id      text NOT NULL CHECK (tax_id ~ '^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$'),
    legal_name  text NOT NULL CHECK (char_length(legal_name) BETWEEN 2 AND 100),
    trade_name  text CHECK (char_length(trade_name) BETWEEN 2 AND 100),
    postal_code text NOT NULL CHECK (postal_code ~ '^[0-9]{8}$'),
    street      text NOT NULL CHECK (char_length(street) BETWEEN 1 AND 100),
    number      text NOT NULL CHECK (char_length(number) BETWEEN 1 AND 20),
    complement  text CHECK (char_length(complement) BETWEEN 1 AND 60),
    district    text NOT NULL CHECK (char_length(district) BETWEEN 1 AND 60),
    city        text NOT NULL CHECK (char_length(city) BETWEEN 1 AND 60),
    state       text NOT NULL CHECK (state IN ('AC', 'AL', 'AM', 'AP', 'BA', 'CE', 'DF', 'ES', 'GO', 'MA', 'MG', 'MS',
        'MT', 'PA', 'PB', 'PE', 'PI', 'PR', 'RJ', 'RN', 'RO', 'RR', 'RS', 'SC', 'SE', 'SP', 'TO')),
    emails      text[] NOT NULL CHECK (cardinality(emails) <= 5),
    changed_by  uuid,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, version)
);
CREATE INDEX billing_profiles_changed_by ON billing_profiles (changed_by);
COMMENT ON COLUMN billing_profiles.tax_id IS 'pii:identity basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.legal_name IS 'pii:identity basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.trade_name IS 'pii:identity basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.postal_code IS 'pii:contact basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.street IS 'pii:contact basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.number IS 'pii:contact basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.complement IS 'pii:contact basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.district IS 'pii:contact basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.city IS 'pii:contact basis:legal keep:5 years';
COMMENT ON COLUMN billing_profiles.emails IS 'pii:contact basis:legal keep:5 years';
CALL isolate_by_company('billing_profiles');
-- The platform deletes those of a company that ended and never paid: the law asks for nothing of it.
REVOKE UPDATE, DELETE ON billing_profiles FROM bipe_app;
REVOKE UPDATE ON billing_profiles FROM bipe_platform;
