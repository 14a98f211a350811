-- What operators see of an event instead of `data`; null where they see the same, or nothing (`finance_only`).
ALTER TABLE events ADD COLUMN operator_data text;
COMMENT ON COLUMN events.operator_data IS 'pii:identity basis:contract keep:24 hours';
-- Events that are kept from before show operators a subscription without its open payment. Policies bind the owner, too,
-- so they are lifted for this statement.
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
UPDATE events SET operator_data = (data::jsonb - 'payment')::text
    WHERE name = 'subscription.updated' AND jsonb_exists(data::jsonb, 'payment');
ALTER TABLE events FORCE ROW LEVEL SECURITY;
