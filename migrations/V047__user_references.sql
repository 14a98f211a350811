-- An account that is deleted takes its rows with it, or is kept by them. Each of these tables was read whole for that.
CREATE INDEX sessions_person ON sessions (user_id);
CREATE INDEX invites_invited_by ON invites (invited_by);
CREATE INDEX live_tickets_user ON live_tickets (user_id);
-- Whether a quote was bought from, before it is deleted.
CREATE INDEX payments_quote ON payments (company_id, quote_id);
-- Payments whose outcome the provider has not told, as an operator asks for them.
CREATE INDEX payments_unknown ON payments (unknown_at) WHERE unknown;
-- The first of these serves its statements, too. Last, because nobody reads sessions until the migration ends.
DROP INDEX sessions_user;
