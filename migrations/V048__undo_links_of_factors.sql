-- The mail about a new second factor has a link "não fui eu" too. The rows held the narrower rule until now, so none is
-- compared. Older nodes go on keeping it.
-- squawk-ignore ban-drop-constraint
ALTER TABLE undo_links DROP CONSTRAINT undo_links_cause_check;
ALTER TABLE undo_links ADD CONSTRAINT undo_links_cause_check
    CHECK (cause IN ('password', 'email', 'sign_in', 'second_factor')) NOT VALID;
