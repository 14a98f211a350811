-- Who let a saved card pay the renewals: the sentence as it was shown, when, and for which card. A row never changes and
-- outlives the card and the account: it is the proof of what was charged.
CREATE TABLE renewal_consents (
    id          uuid PRIMARY KEY,
    company_id  uuid NOT NULL REFERENCES companies (id),
    user_id     uuid NOT NULL,
    -- The card at the provider, and the payment that saved it; none for a card that was saved by itself.
    card        text NOT NULL,
    payment_id  uuid,
    version     text NOT NULL,
    sentence    text NOT NULL,
    at          timestamptz NOT NULL,
    FOREIGN KEY (company_id, payment_id) REFERENCES payments (company_id, id)
);
CREATE INDEX renewal_consents_company ON renewal_consents (company_id);
CREATE INDEX renewal_consents_user ON renewal_consents (user_id);
COMMENT ON COLUMN renewal_consents.sentence IS 'pii:consent basis:legal keep:5 years';
CALL isolate_by_company('renewal_consents');
REVOKE UPDATE, DELETE ON renewal_consents FROM bipe_app;
REVOKE UPDATE, DELETE ON renewal_consents FROM bipe_platform;
