-- Behind a pooler a connection may reach another server than before: one that was promoted, one that was restored, or
-- an old primary that came back. Each transaction there begins with this question. It reads memory and one cached row.
--
-- `started` is the start of the server's process in microseconds, which tells clusters with the same timeline apart.
CREATE FUNCTION server_started() RETURNS bigint LANGUAGE sql STABLE
    RETURN (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint;

-- Fails with BP001 unless the server, its database and its timeline are the expected ones, and in recovery.
CREATE FUNCTION expect_server(started bigint, database oid, timeline bigint) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
    -- A server in recovery knows no current timeline.
    IF (CASE WHEN pg_is_in_recovery() THEN true ELSE
        started IS DISTINCT FROM server_started()
        OR timeline IS DISTINCT FROM current_timeline()
        OR database IS DISTINCT FROM (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    END) THEN
        RAISE EXCEPTION 'another server answers' USING ERRCODE = 'BP001';
    END IF;
END
$$;
