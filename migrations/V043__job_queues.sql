-- A claim reads the jobs that it takes, of each queue: neither renewals nor webhooks that wait by the thousand stand
-- before a mail. Renewals have jobs_claim.
CREATE INDEX jobs_mails ON jobs (run_at) WHERE dead_at IS NULL AND kind IN ('mail', 'code_mail');
CREATE INDEX jobs_general ON jobs (run_at)
    WHERE dead_at IS NULL AND kind NOT IN ('mail', 'code_mail', 'renewal');
