-- Who came in when and from which address (Lei 12.965/2014, art. 15): what the law keeps for six months of sessions that
-- are forgotten sooner.
CREATE TABLE access_records (
    session_id uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at         timestamptz NOT NULL,
    ip         text NOT NULL
);
CREATE INDEX access_records_user ON access_records (user_id);
CREATE INDEX access_records_at ON access_records (at);
COMMENT ON COLUMN access_records.ip IS 'pii:network basis:legal keep:6 months';
REVOKE UPDATE, DELETE ON access_records FROM bipe_app;
REVOKE UPDATE ON access_records FROM bipe_platform;
