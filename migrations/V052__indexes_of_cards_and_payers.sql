-- The cards of a company, and the documents of a payer, without a walk through those of all.
CREATE INDEX payment_methods_company ON payment_methods (company_id);
CREATE INDEX invoices_paid_by ON invoices (paid_by) WHERE paid_by IS NOT NULL;
