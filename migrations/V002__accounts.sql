CREATE TABLE users (
    id                uuid PRIMARY KEY,
    name              text NOT NULL CHECK (char_length(name) BETWEEN 2 AND 200),
    email             text NOT NULL,
    document          text NOT NULL,
    phone             text NOT NULL,
    birth_date        date NOT NULL,
    password_hash     text NOT NULL,
    role              text NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'admin')),
    status            text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'inactive')),
    email_verified_at timestamptz,
    last_login_at     timestamptz,
    anonymised_at     timestamptz,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    CONSTRAINT users_email_key UNIQUE (email),
    CONSTRAINT users_document_key UNIQUE (document)
);
COMMENT ON COLUMN users.name IS 'pii:identity basis:contract keep:until erasure';
COMMENT ON COLUMN users.email IS 'pii:contact basis:contract keep:until erasure';
COMMENT ON COLUMN users.document IS 'pii:document basis:legal keep:until erasure';
COMMENT ON COLUMN users.phone IS 'pii:contact basis:contract keep:until erasure';
COMMENT ON COLUMN users.birth_date IS 'pii:identity basis:legal keep:until erasure';
COMMENT ON COLUMN users.password_hash IS 'pii:secret basis:contract keep:until erasure';

CREATE TABLE sessions (
    id             uuid PRIMARY KEY,
    user_id        uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    counter        bigint NOT NULL DEFAULT 0 CHECK (counter >= 0),
    rotated_at     timestamptz NOT NULL,
    successor_used boolean NOT NULL DEFAULT true,
    device         text NOT NULL,
    ip             text NOT NULL,
    created_at     timestamptz NOT NULL,
    last_used_at   timestamptz NOT NULL,
    revoked_at     timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id) WHERE revoked_at IS NULL;
CREATE INDEX sessions_revoked ON sessions (revoked_at) WHERE revoked_at IS NOT NULL;
COMMENT ON COLUMN sessions.device IS 'pii:device basis:security keep:30 days past the end';
COMMENT ON COLUMN sessions.ip IS 'pii:network basis:legal keep:30 days past the end';

CREATE TABLE codes (
    user_id     uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose     text NOT NULL CHECK (purpose IN ('verification', 'reset')),
    code_mac    bytea NOT NULL,
    issued_at   timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    attempts    smallint NOT NULL DEFAULT 0,
    consumed_at timestamptz,
    PRIMARY KEY (user_id, purpose)
);

CREATE TABLE consents (
    id          uuid PRIMARY KEY,
    user_id     uuid NOT NULL REFERENCES users (id),
    kind        text NOT NULL CHECK (kind IN ('legal', 'privacy', 'lgpd')),
    version     text NOT NULL,
    text_sha256 bytea NOT NULL,
    accepted_at timestamptz NOT NULL,
    ip          text NOT NULL
);
CREATE INDEX consents_user ON consents (user_id);
COMMENT ON COLUMN consents.ip IS 'pii:network basis:legal keep:5 years';
REVOKE UPDATE, DELETE ON consents FROM bipe_app, bipe_platform;

CREATE TABLE live_tickets (
    ticket_sha256 bytea PRIMARY KEY,
    session_id    uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_id       uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at    timestamptz NOT NULL
);
CREATE INDEX live_tickets_session ON live_tickets (session_id);

-- Networks from which a person signed in, registered or reset before; HMACs, never addresses.
CREATE TABLE known_networks (
    user_id     uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network_mac bytea NOT NULL,
    seen_at     timestamptz NOT NULL,
    PRIMARY KEY (user_id, network_mac)
);

-- Token buckets that survive kill -9 and are shared by all nodes. `key` holds no address and no e-mail in clear.
CREATE TABLE rate_buckets (
    action    text NOT NULL,
    key       text NOT NULL,
    tokens    double precision NOT NULL,
    filled_at timestamptz NOT NULL,
    PRIMARY KEY (action, key)
);
