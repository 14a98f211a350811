-- What is kept for five years goes afterwards. The audit stays append-only: a row goes only in a transaction of the
-- platform that has named an instant after it, which the purge alone does.
GRANT DELETE ON audit_entries, consents TO bipe_platform;
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < nullif(current_setting('bipe.purge_before', true), '')::timestamptz THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;

-- A company whose creator erased the account belongs to the admin who is in it the longest.
SET LOCAL ROLE bipe_platform;
UPDATE companies c SET created_by = (
    SELECT m.user_id FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.company_id = c.id AND m.role = 'admin' AND u.status = 'active' ORDER BY m.created_at, m.id LIMIT 1)
WHERE c.deleted_at IS NULL
  AND EXISTS (SELECT FROM users o WHERE o.id = c.created_by AND o.anonymised_at IS NOT NULL)
  AND EXISTS (SELECT FROM members m JOIN users u ON u.id = m.user_id
              WHERE m.company_id = c.id AND m.role = 'admin' AND u.status = 'active');
RESET ROLE;
