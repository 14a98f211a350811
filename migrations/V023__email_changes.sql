-- The address that a signed-in person wants, until its code proves it. It ends with the session that asked for it.
CREATE TABLE email_changes (
    user_id      uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    session_id   uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    email        text NOT NULL,
    requested_at timestamptz NOT NULL
);
CREATE INDEX email_changes_session ON email_changes (session_id);
COMMENT ON COLUMN email_changes.email IS 'pii:contact basis:contract keep:1 day';

ALTER TABLE codes DROP CONSTRAINT codes_purpose_check;
ALTER TABLE codes ADD CONSTRAINT codes_purpose_check CHECK (purpose IN ('verification', 'reset', 'email'));
