-- The provider's events about one payment, as support reads them, without a walk through those of all payments.
CREATE INDEX webhook_inbox_object ON webhook_inbox (object_id, received_at);
