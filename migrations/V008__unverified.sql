-- An account that was never verified is deleted after 7 days, and its consents go with it: nobody gave them.
-- An erased person is anonymised, not deleted, so everybody else's consents stay.
ALTER TABLE consents DROP CONSTRAINT consents_user_id_fkey;
ALTER TABLE consents ADD CONSTRAINT consents_user_id_fkey
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
