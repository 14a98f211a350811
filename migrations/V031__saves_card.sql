-- Whether the payer asked to keep the card for later payments. Older rows, and rows that a node of the version before
-- still writes, count as asking: the company's cards are then read once more at the provider, which is harmless.
ALTER TABLE payments ADD COLUMN saves_card boolean NOT NULL DEFAULT true;
