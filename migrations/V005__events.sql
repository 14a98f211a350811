-- One head row a channel, incremented by the last statement of the business transaction: gapless and in commit order.
CREATE TABLE channel_heads (
    channel text PRIMARY KEY,
    epoch   text NOT NULL,
    seq     bigint NOT NULL
);

CREATE TABLE events (
    channel      text NOT NULL,
    seq          bigint NOT NULL,
    company_id   uuid,
    name         text NOT NULL,
    key          text NOT NULL,
    data         text NOT NULL,
    finance_only boolean NOT NULL DEFAULT false,
    cause        text,
    at           timestamptz NOT NULL,
    PRIMARY KEY (channel, seq)
);
CREATE INDEX events_at ON events (at);
COMMENT ON COLUMN events.data IS 'pii:identity basis:contract keep:24 hours';
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
-- company_id is null on the channels that belong to no company (a person's own, plans, platform admin).
CREATE POLICY company ON events TO bipe_app
    USING (company_id IS NULL OR company_id = (SELECT current_company()))
    WITH CHECK (company_id IS NULL OR company_id = (SELECT current_company()));
CREATE POLICY platform ON events TO bipe_platform USING (true) WITH CHECK (true);
REVOKE UPDATE ON events FROM bipe_app, bipe_platform;

-- Due rows: every timer of the product. A job of one company carries its id for the audit, not for isolation:
-- jobs are written by company transactions and read by the runner alone.
CREATE TABLE jobs (
    id           uuid PRIMARY KEY,
    kind         text NOT NULL,
    key          text NOT NULL,
    payload      text NOT NULL,
    run_at       timestamptz NOT NULL,
    attempts     integer NOT NULL DEFAULT 0,
    leased_until timestamptz,
    last_error   text,
    dead_at      timestamptz,
    created_at   timestamptz NOT NULL,
    CONSTRAINT jobs_kind_key UNIQUE (kind, key)
);
CREATE INDEX jobs_due ON jobs (run_at) WHERE dead_at IS NULL;
COMMENT ON COLUMN jobs.payload IS 'pii:contact basis:contract keep:until done';

CREATE TABLE audit_entries (
    id         uuid PRIMARY KEY,
    at         timestamptz NOT NULL,
    actor_id   uuid,
    session_id uuid,
    company_id uuid,
    network    text,
    action     text NOT NULL,
    target     text,
    outcome    text NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
    request_id text,
    fields     text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_entries_company ON audit_entries (company_id, at);
CREATE INDEX audit_entries_actor ON audit_entries (actor_id, at);
COMMENT ON COLUMN audit_entries.network IS 'pii:network basis:legal keep:5 years';
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY append ON audit_entries FOR INSERT TO bipe_app
    WITH CHECK (company_id IS NULL OR current_company() IS NULL OR company_id = (SELECT current_company()));
CREATE POLICY company ON audit_entries FOR SELECT TO bipe_app USING (company_id = (SELECT current_company()));
CREATE POLICY platform ON audit_entries TO bipe_platform USING (true) WITH CHECK (true);
REVOKE UPDATE, DELETE ON audit_entries FROM bipe_app, bipe_platform;
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What the local mailbox shows; written only when no mail server is configured.
CREATE TABLE mailbox (
    id        uuid PRIMARY KEY,
    recipient text NOT NULL,
    subject   text NOT NULL,
    body_text text NOT NULL,
    body_html text NOT NULL,
    sent_at   timestamptz NOT NULL
);
CREATE INDEX mailbox_recipient ON mailbox (recipient, sent_at);
COMMENT ON COLUMN mailbox.recipient IS 'pii:contact basis:contract keep:development only';
COMMENT ON COLUMN mailbox.body_text IS 'pii:contact basis:contract keep:development only';
COMMENT ON COLUMN mailbox.body_html IS 'pii:contact basis:contract keep:development only';

-- How far the development clock was moved ahead; one row, so that a restart does not travel back in time.
CREATE TABLE development_clock (
    only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    offset_seconds bigint NOT NULL
);
