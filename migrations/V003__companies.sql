CREATE TABLE companies (
    id          uuid PRIMARY KEY,
    name        text NOT NULL CHECK (char_length(name) BETWEEN 2 AND 100),
    description text CHECK (char_length(description) <= 500),
    created_by  uuid NOT NULL REFERENCES users (id),
    status      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'suspended')),
    max_users   integer NOT NULL CHECK (max_users >= -1),
    max_beeping integer NOT NULL CHECK (max_beeping >= -1),
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);
COMMENT ON COLUMN companies.max_users IS 'entitlement, switched in the transaction that changes the subscription';

CREATE TABLE members (
    id         uuid PRIMARY KEY,
    company_id uuid NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users (id),
    role       text NOT NULL CHECK (role IN ('admin', 'operator', 'finance')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT members_company_user_key UNIQUE (company_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE invites (
    id           uuid PRIMARY KEY,
    company_id   uuid NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
    email        text NOT NULL,
    role         text NOT NULL CHECK (role IN ('admin', 'operator', 'finance')),
    token_sha256 bytea NOT NULL,
    invited_by   uuid NOT NULL REFERENCES users (id),
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    closed_at    timestamptz,
    CONSTRAINT invites_token_key UNIQUE (token_sha256)
);
CREATE UNIQUE INDEX invites_open_key ON invites (company_id, email) WHERE closed_at IS NULL;
CREATE INDEX invites_email ON invites (email) WHERE closed_at IS NULL;
COMMENT ON COLUMN invites.email IS 'pii:contact basis:contract keep:until erasure';

CALL isolate_by_company('members');
CALL isolate_by_company('invites');
-- A person sees the own memberships and, through them, the own companies.
CREATE POLICY person ON members FOR SELECT TO bipe_app USING (user_id = (SELECT current_person()));

ALTER TABLE companies ENABLE ROW LEVEL SECURITY;
ALTER TABLE companies FORCE ROW LEVEL SECURITY;
CREATE POLICY company ON companies TO bipe_app
    USING (id = (SELECT current_company())) WITH CHECK (id = (SELECT current_company()));
CREATE POLICY person ON companies FOR SELECT TO bipe_app
    USING (id IN (SELECT company_id FROM members WHERE user_id = (SELECT current_person())));
CREATE POLICY platform ON companies TO bipe_platform USING (true) WITH CHECK (true);
