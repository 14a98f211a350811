-- Since when a write to the provider has not been answered: the state may be much older than the question.
ALTER TABLE payments ADD COLUMN unknown_at timestamptz;
UPDATE payments SET unknown_at = updated_at WHERE unknown;
ALTER TABLE payments ADD CONSTRAINT unknown_has_its_instant CHECK (unknown = (unknown_at IS NOT NULL));
