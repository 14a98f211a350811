-- What a platform admin keeps of the administration's lists: a name for a search, filters and an order.
CREATE TABLE saved_views (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    list       text NOT NULL CHECK (list IN ('users', 'companies', 'payments')),
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 40),
    -- One JSON object: the names of the list's query with their values.
    filters    text NOT NULL CHECK (char_length(filters) <= 2000),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX saved_views_name_key ON saved_views (user_id, list, lower(name));
COMMENT ON COLUMN saved_views.name IS 'pii:contact basis:contract keep:until erasure';
COMMENT ON COLUMN saved_views.filters IS 'pii:contact basis:contract keep:until erasure';

-- Everybody's own.
ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;
CREATE POLICY person ON saved_views TO bipe_app
    USING (user_id = (SELECT current_person())) WITH CHECK (user_id = (SELECT current_person()));
CREATE POLICY platform ON saved_views TO bipe_platform USING (true) WITH CHECK (true);
