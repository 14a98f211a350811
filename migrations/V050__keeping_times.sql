-- The purge deletes both; their comments named an end that never came for people without an account.
COMMENT ON COLUMN invites.email IS 'pii:contact basis:contract keep:90 days past its end, or erasure';
COMMENT ON COLUMN jobs.payload IS 'pii:contact basis:contract keep:until done, mails 7 days past their last try';
