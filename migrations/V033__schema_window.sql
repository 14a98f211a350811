-- The oldest schema whose builds may still run: a build serves while `oldest` is at most its own newest migration. A
-- migration that takes away what older builds use raises it, one release after the code stopped using it.
CREATE TABLE schema_window (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    oldest   integer NOT NULL
);
INSERT INTO schema_window (oldest) VALUES (31);
