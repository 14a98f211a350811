-- Which history the database tells. After a failover that lost the last commits, or from a restored backup, the sequence
-- numbers of lost events are given to other events. A reader notices by the epoch, which contains the history.
--
-- `id` is drawn anew whenever the rows are found at another place: on another server, in another database of it, or on
-- another timeline, which each promotion begins.
CREATE TABLE database_history (
    only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id                uuid NOT NULL,
    system_identifier bigint NOT NULL,
    database          oid NOT NULL,
    timeline          bigint NOT NULL
);

-- Each promotion begins a new one. A server in recovery has no position to write at and fails: nothing is pushed from it.
CREATE FUNCTION current_timeline() RETURNS bigint LANGUAGE sql STABLE
    RETURN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;

INSERT INTO database_history (id, system_identifier, database, timeline)
    SELECT gen_random_uuid(), control.system_identifier, d.oid, current_timeline()
    FROM pg_control_system() AS control, pg_database d WHERE d.datname = current_database();

-- The timeline stands in it beside the id, because a connection through a pooler outlives a promotion.
CREATE FUNCTION current_history() RETURNS text LANGUAGE sql STABLE
    RETURN (SELECT id || '/' || current_timeline() FROM database_history);

-- The epoch that readers see, from the one that a channel's head keeps.
CREATE FUNCTION epoch_in_history(epoch text, history text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(substr(sha256(convert_to(epoch || '/' || history, 'UTF8')), 1, 4), 'hex');
