-- What a person shows beside the password: codes of an authenticator app, passkeys, recovery codes.
CREATE TABLE totp_factors (
    user_id      uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret       bytea NOT NULL CHECK (octet_length(secret) = 20),
    -- The step of the newest code that was taken: each is good once.
    last_step    bigint NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    -- Without it the secret was only offered.
    confirmed_at timestamptz
);
COMMENT ON COLUMN totp_factors.secret IS 'pii:secret basis:contract keep:until erasure';

CREATE TABLE passkeys (
    id            uuid PRIMARY KEY,
    user_id       uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    credential_id bytea NOT NULL CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    public_key    bytea NOT NULL,
    algorithm     integer NOT NULL,
    counter       bigint NOT NULL CHECK (counter >= 0),
    transports    text[] NOT NULL,
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz,
    CONSTRAINT passkeys_credential_key UNIQUE (credential_id)
);
CREATE INDEX passkeys_user ON passkeys (user_id);
COMMENT ON COLUMN passkeys.name IS 'pii:device basis:contract keep:until erasure';

CREATE TABLE recovery_codes (
    user_id     uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_sha256 bytea NOT NULL,
    used_at     timestamptz,
    PRIMARY KEY (user_id, code_sha256)
);

-- What a client was asked to prove. Bound to what had been proven then; good once and for a few minutes.
CREATE TABLE factor_challenges (
    challenge_sha256 bytea PRIMARY KEY,
    purpose          text NOT NULL CHECK (purpose IN ('sign_in', 'passkey_sign_in', 'step_up', 'enroll')),
    user_id          uuid REFERENCES users (id) ON DELETE CASCADE,
    session_id       uuid REFERENCES sessions (id) ON DELETE CASCADE,
    password_sha256  bytea,
    attempts         smallint NOT NULL DEFAULT 0,
    expires_at       timestamptz NOT NULL
);
CREATE INDEX factor_challenges_user ON factor_challenges (user_id);
CREATE INDEX factor_challenges_session ON factor_challenges (session_id);

-- Kept by every command that adds or removes a factor, so that no request asks the tables above.
ALTER TABLE users ADD COLUMN has_second_factor boolean NOT NULL DEFAULT false;
-- When the session last showed a second factor.
ALTER TABLE sessions ADD COLUMN stepped_up_at timestamptz;
