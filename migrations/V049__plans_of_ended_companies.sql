-- A company that ended left its free plan active, which counted as a subscription.
SET LOCAL ROLE bipe_platform;
UPDATE subscriptions s SET status = 'expired', end_at = c.deleted_at, version = s.version + 1, updated_at = now()
FROM companies c
WHERE c.id = s.company_id AND c.deleted_at IS NOT NULL AND s.status = 'active' AND s.anchor_local IS NULL;
RESET ROLE;
