-- The link "não fui eu" of a mail about a password, an address or a sign-in. Only the SHA-256 of its token stands here.
-- `email` is where the mail went: whoever uses the link gets the account back at that address.
CREATE TABLE undo_links (
    id           uuid PRIMARY KEY,
    -- The order in which a person's links were made.
    number       bigint GENERATED ALWAYS AS IDENTITY,
    user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    cause        text NOT NULL CHECK (cause IN ('password', 'email', 'sign_in')),
    email        text NOT NULL,
    token_sha256 bytea NOT NULL,
    issued_at    timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz,
    CONSTRAINT undo_links_token_key UNIQUE (token_sha256)
);
CREATE INDEX undo_links_user ON undo_links (user_id);
CREATE INDEX undo_links_email ON undo_links (email) WHERE used_at IS NULL;
COMMENT ON COLUMN undo_links.email IS 'pii:contact basis:security keep:1 day past the link';

-- An address that a live link gives back belongs to nobody else meanwhile, as if its account still had it. Looked at
-- after the row is written: a change of address that was under way has been waited for by then.
CREATE FUNCTION refuse_address_to_give_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM undo_links l WHERE l.email = NEW.email AND l.user_id <> NEW.id
               AND l.used_at IS NULL AND l.expires_at > NEW.updated_at) THEN
        RAISE unique_violation USING CONSTRAINT = 'users_email_key', TABLE = 'users',
            MESSAGE = 'the address may go back to its account';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER users_address_to_give_back AFTER INSERT OR UPDATE OF email ON users
    FOR EACH ROW EXECUTE FUNCTION refuse_address_to_give_back();
