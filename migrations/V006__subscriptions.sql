CREATE TABLE subscriptions (
    id                 uuid PRIMARY KEY,
    company_id         uuid NOT NULL REFERENCES companies (id),
    plan_id            uuid NOT NULL REFERENCES plans (id),
    billing_cycle      text NOT NULL CHECK (billing_cycle IN ('monthly', 'quarterly', 'yearly')),
    price_cents        bigint NOT NULL CHECK (price_cents BETWEEN 0 AND 99999999),
    -- active covers free, paid and due: which of them is decided by the clock (core/src/subscription)
    status             text NOT NULL CHECK (status IN ('pending', 'active', 'canceled', 'suspended', 'expired')),
    -- the immutable anchor: wall time in America/Sao_Paulo; null for a free plan and while pending
    anchor_local       timestamp,
    month              integer CHECK (month >= 0),
    paid_until_month   integer CHECK (paid_until_month >= month),
    end_at             timestamptz,
    canceled_at        timestamptz,
    cancel_reason      text CHECK (char_length(cancel_reason) <= 500),
    pending_plan_id    uuid REFERENCES plans (id),
    pending_cycle      text CHECK (pending_cycle IN ('monthly', 'quarterly', 'yearly')),
    pending_price_cents bigint CHECK (pending_price_cents BETWEEN 0 AND 99999999),
    started_at         timestamptz NOT NULL,
    version            bigint NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    CONSTRAINT subscriptions_company_id_key UNIQUE (company_id, id)
);
CREATE UNIQUE INDEX subscriptions_one_running ON subscriptions (company_id) WHERE status <> 'expired';
CREATE INDEX subscriptions_company ON subscriptions (company_id, created_at DESC);

CREATE TABLE debit_segments (
    id              uuid PRIMARY KEY,
    company_id      uuid NOT NULL,
    subscription_id uuid NOT NULL,
    from_at         timestamptz NOT NULL,
    to_at           timestamptz NOT NULL,
    paid_cents      bigint NOT NULL CHECK (paid_cents >= 0),
    credited_cents  bigint NOT NULL DEFAULT 0 CHECK (credited_cents BETWEEN 0 AND paid_cents),
    payment_id      uuid,
    created_at      timestamptz NOT NULL,
    CHECK (to_at >= from_at),
    FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions (company_id, id)
);
CREATE INDEX debit_segments_subscription ON debit_segments (subscription_id);

CREATE TABLE credit_entries (
    id           uuid PRIMARY KEY,
    company_id   uuid NOT NULL REFERENCES companies (id),
    kind         text NOT NULL CHECK (kind IN ('proration', 'overpayment', 'unapplied_payment', 'early_end', 'used', 'carried', 'forgiven')),
    source       text NOT NULL,
    amount_cents bigint NOT NULL,
    at           timestamptz NOT NULL,
    CONSTRAINT credit_entries_source_key UNIQUE (company_id, source, kind)
);
REVOKE UPDATE, DELETE ON credit_entries FROM bipe_app, bipe_platform;

CREATE TABLE subscription_history (
    id              uuid PRIMARY KEY,
    company_id      uuid NOT NULL REFERENCES companies (id),
    subscription_id uuid,
    type            text NOT NULL CHECK (type IN ('created', 'activated', 'upgraded', 'downgrade_scheduled', 'downgraded', 'changed', 'pending_change_withdrawn', 'canceled', 'reactivated', 'renewed', 'renewal_failed', 'suspended', 'expired', 'credited')),
    at              timestamptz NOT NULL,
    by_user_id      uuid,
    plan_name       text NOT NULL,
    billing_cycle   text NOT NULL CHECK (billing_cycle IN ('monthly', 'quarterly', 'yearly')),
    amount_cents    bigint,
    detail          text NOT NULL DEFAULT ''
);
CREATE INDEX subscription_history_company ON subscription_history (company_id, at DESC, id DESC);

-- Revenue movements: yearly centavos, append-only, one row a company and instant.
CREATE TABLE movements (
    id          uuid PRIMARY KEY,
    company_id  uuid NOT NULL REFERENCES companies (id),
    kind        text NOT NULL CHECK (kind IN ('new', 'reactivation', 'expansion', 'contraction', 'churn')),
    arr_cents   bigint NOT NULL CHECK (arr_cents > 0),
    plan_id     uuid NOT NULL REFERENCES plans (id),
    at          timestamptz NOT NULL,
    CONSTRAINT movements_company_at_key UNIQUE (company_id, at)
);
CREATE INDEX movements_at ON movements (at);
REVOKE UPDATE, DELETE ON movements FROM bipe_app, bipe_platform;

-- A preview: binding until expires_at while its basis holds (billing rules, section 5).
CREATE TABLE quotes (
    id            uuid PRIMARY KEY,
    company_id    uuid NOT NULL REFERENCES companies (id),
    basis         text NOT NULL,
    change_type   text NOT NULL CHECK (change_type IN ('upgrade', 'downgrade', 'creation', 'renewal', 'other')),
    -- list prices of both plans as they stood, so that a plan edit cannot turn the direction
    list_monthly_cents    bigint NOT NULL,
    current_monthly_cents bigint NOT NULL,
    plan_id       uuid NOT NULL REFERENCES plans (id),
    billing_cycle text NOT NULL CHECK (billing_cycle IN ('monthly', 'quarterly', 'yearly')),
    price_cents   bigint NOT NULL,
    amount_due_cents bigint NOT NULL,
    frozen_at     timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL
);
CREATE INDEX quotes_expires ON quotes (expires_at);

CALL isolate_by_company('subscriptions');
CALL isolate_by_company('debit_segments');
CALL isolate_by_company('credit_entries');
CALL isolate_by_company('subscription_history');
CALL isolate_by_company('movements');
CALL isolate_by_company('quotes');
