-- A platform admin accepts a payment of which more came in than its amount. All of that can be given back. The rows
-- held the narrower rule until now, so none is compared. Older nodes go on keeping it.
-- squawk-ignore ban-drop-constraint
ALTER TABLE payments DROP CONSTRAINT payments_check;
ALTER TABLE payments ADD CONSTRAINT payments_refunded_cents_check
    CHECK (refunded_cents BETWEEN 0 AND greatest(amount_cents, received_cents)) NOT VALID;
