-- What a person is told of their companies: one row a person and happening, written with the happening itself.
CREATE TABLE notifications (
    user_id      uuid NOT NULL,
    -- Of the happening, the same for everybody who is told of it. A UUIDv7: it is also the order.
    id           uuid NOT NULL,
    company_id   uuid NOT NULL REFERENCES companies (id),
    -- As they were called then: whoever is told that it is over can no longer look it up.
    company_name text NOT NULL,
    plan_name    text,
    topic        text NOT NULL CHECK (char_length(topic) <= 40),
    -- The happening in words, so that it is told once, however often its transaction is tried.
    source       text NOT NULL CHECK (char_length(source) <= 200),
    amount_cents bigint,
    deadline     timestamptz,
    role         text CHECK (role IN ('admin', 'operator', 'finance')),
    payment_id   uuid,
    at           timestamptz NOT NULL,
    read_at      timestamptz,
    PRIMARY KEY (user_id, id),
    CONSTRAINT notifications_source_key UNIQUE (user_id, source)
);
CREATE INDEX notifications_unread ON notifications (user_id, id) WHERE read_at IS NULL;
CREATE INDEX notifications_company ON notifications (company_id);
CREATE INDEX notifications_at ON notifications (at);
COMMENT ON COLUMN notifications.company_name IS 'pii:contact basis:contract keep:90 days';
CALL isolate_by_company('notifications');
-- A person sees the own ones of every company, and changes no more of them than that they are read.
CREATE POLICY person ON notifications FOR SELECT TO bipe_app USING (user_id = (SELECT current_person()));
CREATE POLICY person_reads ON notifications FOR UPDATE TO bipe_app
    USING (user_id = (SELECT current_person()))
    WITH CHECK (user_id = (SELECT current_person()) AND (SELECT current_company()) IS NULL);
REVOKE UPDATE ON notifications FROM bipe_app;
REVOKE UPDATE ON notifications FROM bipe_platform;
GRANT UPDATE (read_at) ON notifications TO bipe_app;

-- What a person wants to hear of, and where. Without a row everything.
CREATE TABLE notification_preferences (
    user_id    uuid NOT NULL,
    kind       text NOT NULL CHECK (char_length(kind) <= 40),
    screen     boolean NOT NULL,
    email      boolean NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, kind)
);
