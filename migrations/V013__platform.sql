-- What the platform admins' area reads: searchable text, head counts over time, who was active when, spend.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Text as it is searched: without accents and case. Marks go first, so that `lower` is right in every locale.
CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f]', '', 'g'));

ALTER TABLE users ADD COLUMN search_text text GENERATED ALWAYS AS (searchable(name || ' ' || email)) STORED;
COMMENT ON COLUMN users.search_text IS 'pii:identity basis:contract keep:until erasure';
CREATE INDEX users_search ON users USING gin (search_text gin_trgm_ops);

ALTER TABLE companies
    ADD COLUMN search_name text GENERATED ALWAYS AS (searchable(name)) STORED,
    ADD COLUMN search_text text GENERATED ALWAYS AS (searchable(name || ' ' || coalesce(description, ''))) STORED,
    -- why a platform admin changed the status last
    ADD COLUMN status_reason text CHECK (char_length(status_reason) <= 500);
CREATE INDEX companies_search_name ON companies USING gin (search_name gin_trgm_ops);
CREATE INDEX companies_search ON companies USING gin (search_text gin_trgm_ops);
CREATE INDEX companies_creator ON companies (created_by);

-- How many people, companies and subscriptions were active at any instant: the sum of the steps before it.
CREATE TABLE head_counts (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    noun text NOT NULL CHECK (noun IN ('users', 'companies', 'subscriptions')),
    at   timestamptz NOT NULL,
    step integer NOT NULL CHECK (step IN (-1, 1))
);
CREATE INDEX head_counts_noun ON head_counts (noun, at) INCLUDE (step);
REVOKE UPDATE, DELETE ON head_counts FROM bipe_app, bipe_platform;

-- Every writer of a status sets updated_at from its Clock; a trigger, so that no writer can forget the count.
CREATE FUNCTION count_active() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before boolean := TG_OP <> 'INSERT' AND OLD.status = 'active';
    after boolean := TG_OP <> 'DELETE' AND NEW.status = 'active';
BEGIN
    IF before IS DISTINCT FROM after THEN
        INSERT INTO head_counts (noun, at, step)
        VALUES (TG_TABLE_NAME, CASE TG_OP WHEN 'DELETE' THEN OLD.updated_at ELSE NEW.updated_at END,
                CASE WHEN after THEN 1 ELSE -1 END);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER count_active AFTER INSERT OR UPDATE OF status OR DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION count_active();
CREATE TRIGGER count_active AFTER INSERT OR UPDATE OF status OR DELETE ON companies
    FOR EACH ROW EXECUTE FUNCTION count_active();
CREATE TRIGGER count_active AFTER INSERT OR UPDATE OF status OR DELETE ON subscriptions
    FOR EACH ROW EXECUTE FUNCTION count_active();

-- When a person was active, in spells whose pauses are at most 30 days: a person counts as monthly active at t
-- when from_at < t <= to_at + 30 days.
CREATE TABLE activity_spells (
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    from_at timestamptz NOT NULL,
    to_at   timestamptz NOT NULL CHECK (to_at >= from_at),
    PRIMARY KEY (user_id, from_at)
);
CREATE INDEX activity_spells_to ON activity_spells (to_at, from_at);

-- Spend on winning customers, a row a month, named by its first day.
CREATE TABLE acquisition_costs (
    month        date PRIMARY KEY CHECK (extract(day FROM month) = 1),
    amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 0 AND 99999999),
    updated_at   timestamptz NOT NULL
);

-- What exists already, as the role that sees every company: the owner of a foreign database may be no superuser.
SET LOCAL ROLE bipe_platform;
INSERT INTO head_counts (noun, at, step)
SELECT 'users', coalesce(email_verified_at, created_at), 1 FROM users WHERE status = 'active' UNION ALL
SELECT 'companies', created_at, 1 FROM companies WHERE status = 'active' UNION ALL
SELECT 'subscriptions', started_at, 1 FROM subscriptions WHERE status = 'active';
INSERT INTO activity_spells (user_id, from_at, to_at)
SELECT id, last_login_at, last_login_at FROM users WHERE last_login_at IS NOT NULL AND role = 'user';
RESET ROLE;

DROP INDEX movements_at;
CREATE INDEX movements_at ON movements (at) INCLUDE (company_id, kind, arr_cents);
CREATE INDEX subscriptions_plan ON subscriptions (plan_id) WHERE status = 'active';
CREATE INDEX users_admins ON users (id) WHERE role = 'admin';
CREATE INDEX users_created ON users (created_at);
CREATE INDEX users_verified ON users (email_verified_at);
CREATE INDEX subscription_history_at ON subscription_history (at);
CREATE INDEX payments_updated ON payments (updated_at);
CREATE INDEX audit_entries_at ON audit_entries (at DESC, id DESC);
