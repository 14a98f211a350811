-- The server works as bipe_app: no superuser, no BYPASSRLS, owner of nothing.
-- bipe_platform is taken per transaction (SET LOCAL ROLE) by platform admins and jobs; NOINHERIT keeps
-- its policies from applying to bipe_app itself. Roles belong to the whole server, hence the conditions.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bipe_platform') THEN
        CREATE ROLE bipe_platform NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bipe_app') THEN
        CREATE ROLE bipe_app LOGIN NOINHERIT NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        GRANT bipe_platform TO bipe_app;
    END IF;
    IF NOT pg_has_role(current_user, 'bipe_app', 'MEMBER') THEN
        EXECUTE format('GRANT bipe_app TO %I', current_user);
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL; -- another database of the same server was migrated at the same moment
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO bipe_app, bipe_platform;
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO bipe_app, bipe_platform;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO bipe_app, bipe_platform;

-- The company that the running transaction works for, or null. Set by CompanyTx alone.
CREATE FUNCTION current_company() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('bipe.company_id', true), '')::uuid;
-- The signed-in person, who may see the own rows of members and companies.
CREATE FUNCTION current_person() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('bipe.user_id', true), '')::uuid;

-- Called at the end of each migration that adds a table with company_id.
CREATE PROCEDURE isolate_by_company(target regclass) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format('CREATE POLICY company ON %s TO bipe_app USING (company_id = (SELECT current_company())) WITH CHECK (company_id = (SELECT current_company()))', target);
    EXECUTE format('CREATE POLICY platform ON %s TO bipe_platform USING (true) WITH CHECK (true)', target);
END
$$;

-- Readiness compares the schema with the build; refinery made the table before the default privileges above.
GRANT SELECT ON refinery_schema_history TO bipe_app;
