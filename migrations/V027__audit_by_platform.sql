-- Who acts for the platform is no member: the company's admins read such a row without a name.
ALTER TABLE audit_entries ADD COLUMN by_platform boolean NOT NULL DEFAULT false;
