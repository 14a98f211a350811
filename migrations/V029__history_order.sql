-- The lines that one command writes share their instant: the number keeps the order in which they were written.
ALTER TABLE subscription_history ADD COLUMN line_number bigint GENERATED ALWAYS AS IDENTITY;
DROP INDEX subscription_history_company;
CREATE INDEX subscription_history_company ON subscription_history (company_id, at DESC, line_number DESC);
