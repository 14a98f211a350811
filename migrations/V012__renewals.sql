-- What the renewal of a period has done: charges of the saved card, reminders, notices, the payment itself.
-- Each happens once a period, whichever node is first. A charge names its payment and the card.
CREATE TABLE renewal_steps (
    company_id      uuid NOT NULL REFERENCES companies (id),
    subscription_id uuid NOT NULL,
    period_start    timestamptz NOT NULL,
    kind            text NOT NULL,
    card            text,
    payment_id      uuid,
    at              timestamptz NOT NULL,
    PRIMARY KEY (subscription_id, period_start, kind),
    FOREIGN KEY (company_id, subscription_id) REFERENCES subscriptions (company_id, id) ON DELETE CASCADE,
    CHECK ((card IS NULL) = (payment_id IS NULL))
);
CREATE INDEX renewal_steps_company ON renewal_steps (company_id, at);
CREATE UNIQUE INDEX renewal_steps_payment ON renewal_steps (payment_id) WHERE payment_id IS NOT NULL;
CALL isolate_by_company('renewal_steps');
