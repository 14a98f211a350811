-- Support finds payments and companies by what stands on a customer's receipt.
CREATE INDEX billing_profiles_legal_name ON billing_profiles USING gin (searchable(legal_name) gin_trgm_ops);
CREATE INDEX billing_profiles_emails ON billing_profiles USING gin (emails);
CREATE INDEX payments_created_by ON payments (created_by);
CREATE INDEX payments_provider_intent ON payments (lower(provider_intent));
CREATE INDEX refunds_provider_refund ON refunds (lower(provider_refund));
CREATE INDEX provider_customers_customer ON provider_customers (lower(customer_id));
-- What was done to a person or an object. That an admin looked is no part of it.
CREATE INDEX audit_entries_target ON audit_entries (target, at)
    WHERE target IS NOT NULL AND right(action, 5) <> '.read';
