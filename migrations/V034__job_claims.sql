-- A claim reads the jobs that it takes, and not every job that is due: renewals fall due by the hundred thousand.
CREATE INDEX jobs_claim ON jobs ((kind = 'renewal'), run_at) WHERE dead_at IS NULL;
-- Each claim changes its rows, whose new versions find room on the same page; what they leave is vacuumed soon.
ALTER TABLE jobs SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
