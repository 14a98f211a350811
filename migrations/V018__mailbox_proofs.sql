-- Since when the password of an account is known to have been chosen by whoever reads its mailbox. Only such an account
-- joins companies by its address alone. Of the accounts that are there already nobody knows it: they join by their links.
ALTER TABLE users ADD COLUMN mailbox_proven_at timestamptz;
