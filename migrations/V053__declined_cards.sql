-- A renewal by the card was declined for good. No other one charges it, until it has paid, has changed at the provider or
-- was made the default anew.
ALTER TABLE payment_methods ADD COLUMN is_declined boolean NOT NULL DEFAULT false;
