-- A platform admin finds a company's payments by the CPF or CNPJ of its billing profile.
CREATE INDEX billing_profiles_tax_id ON billing_profiles (tax_id);
