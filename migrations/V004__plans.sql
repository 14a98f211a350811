CREATE TABLE plans (
    id              uuid PRIMARY KEY,
    name            text NOT NULL,
    display_name    text NOT NULL,
    description     text NOT NULL,
    features        text[] NOT NULL,
    is_free         boolean NOT NULL,
    is_popular      boolean NOT NULL DEFAULT false,
    monthly_cents   bigint NOT NULL CHECK (monthly_cents BETWEEN 0 AND 99999999),
    quarterly_cents bigint NOT NULL CHECK (quarterly_cents BETWEEN 0 AND 99999999),
    yearly_cents    bigint NOT NULL CHECK (yearly_cents BETWEEN 0 AND 99999999),
    max_users       integer NOT NULL CHECK (max_users >= -1),
    max_beeping     integer NOT NULL CHECK (max_beeping >= -1),
    hierarchy       integer NOT NULL DEFAULT 1,
    status          text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    CONSTRAINT plans_name_key UNIQUE (name)
);
