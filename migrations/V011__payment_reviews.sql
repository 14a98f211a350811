-- What the provider received when that is not what was asked: a platform admin accepts or refuses it.
ALTER TABLE payments ADD COLUMN received_cents bigint CHECK (received_cents > 0);
-- The bucket that counts declines of the payer's network: a keyed hash, never an address.
ALTER TABLE payments ADD COLUMN payer_bucket text;
