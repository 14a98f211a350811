-- The link that a reset code is mailed with: as good as the code, too long to be guessed, used up with it.
ALTER TABLE codes ADD COLUMN link_sha256 bytea;
CREATE UNIQUE INDEX codes_link ON codes (link_sha256) WHERE link_sha256 IS NOT NULL;
