-- Why a platform admin accepted or refused what the provider holds, and the lists that admins read.
ALTER TABLE payments ADD COLUMN review_reason text CHECK (char_length(review_reason) <= 500);
CREATE INDEX payments_created ON payments (created_at DESC, id DESC);
CREATE INDEX payments_under_review ON payments (created_at DESC, id DESC) WHERE state = 'conflicted';
