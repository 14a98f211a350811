//! The provider's events as jobs: received, swept and handled. Part of the job runner.

use bipe_core::gateway::webhook::{self, Event};
use bipe_core::gateway::{EventPart, ProviderAnswer};
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::job::{self, Job, JobKind};
use bipe_core::payment::{saved_cards, store};
use bipe_core::scope::CompanyScope;
use bipe_core::webhook_inbox::{
    self, Cursor, EventOutcome, ReceiveOutcome, StoredEvent, WebhookJob,
};
use bipe_core::{Error, Result};
use jiff::{SignedDuration, Timestamp};

use super::{JobOutcome, Jobs, check_outcome, finished};
use crate::billing_workflow::PaymentOutcome;

/// The webhook of a younger event may be on its way; most take seconds.
const ON_ITS_WAY: SignedDuration = SignedDuration::from_mins(5);

impl Jobs {
    /// Stores an event of the provider. Where this node has room, it begins with the event's job at once, so that the
    /// payer does not wait for a claim. Goes on when its caller goes away.
    ///
    /// # Errors
    /// `Unavailable` without a database.
    pub async fn receive(&self, event: Event, body: String) -> Result<()> {
        let jobs = self.clone();
        let receiving = self.0.db.runtime().spawn(async move {
            let permit = if jobs.takes_over() { jobs.0.permits.reserve() } else { None };
            let db = &jobs.0.db;
            let received = webhook_inbox::receive(db, &event, &body, permit.is_some()).await;
            match (received, permit) {
                (Ok(ReceiveOutcome::Claimed(job)), Some(permit)) => {
                    jobs.hand_over(permit, job);
                    Ok(())
                }
                (received, permit) => {
                    jobs.give_back(permit);
                    received.map(drop)
                }
            }
        });
        receiving.await.map_err(Error::internal)?
    }

    /// Stores the provider's events of one span, or of a part of it, that no webhook brought, so that they are handled
    /// like webhooks.
    pub(super) async fn sweep_events(&self, job: &Job) -> Result<JobOutcome> {
        let (db, began_at) = (&self.0.db, self.0.db.clock().now());
        let cursor = job.payload::<Cursor>()?;
        let (since, until) = cursor.span(began_at);
        let gateway = self.0.directory.steps().gateway();
        let EventPart { events, rest_until } = gateway.events_between(since, until).await.done()?;
        // The list is newest first; the oldest event is stored first.
        for (event, text) in events.iter().rev() {
            let received = webhook_inbox::receive(db, event, text, false).await?;
            if !matches!(received, ReceiveOutcome::Known) && has_waited(event, began_at) {
                metrics::counter!("bipe_webhooks_swept_total").increment(1);
            }
        }
        let (cursor, next) = cursor.after_run(began_at, rest_until);
        webhook_inbox::save_sweep(db, cursor, next).await.map(finished)
    }

    /// Reads the payment behind a webhook again, or has a card looked at. The webhook's own content is not trusted.
    pub(super) async fn handle_webhook(&self, job: &Job) -> Result<JobOutcome> {
        let (db, directory) = (&self.0.db, &self.0.directory);
        let WebhookJob { event_id, hint } = job.payload()?;
        if let Some(hint) = hint {
            match directory.follow_event(hint, job.run()).await {
                Ok(PaymentOutcome::Payment { .. }) => return Ok(JobOutcome::Removed),
                // Our row or the provider contradicts the hint: the payment is looked for by its intent.
                Err(Error::NotFound(_)) | Ok(PaymentOutcome::Unread(Some(_))) => {}
                Ok(PaymentOutcome::Foreign(_)) => return self.file_foreign(&event_id).await,
                Ok(outcome) => return check_outcome(outcome).map(finished),
                Err(error) => return Err(error),
            }
        }
        let Some(event) = webhook_inbox::unhandled(db, &event_id).await? else {
            return Ok(JobOutcome::Finished);
        };
        if let Some(outcome) = self.handle_card_event(&event).await? {
            return webhook_inbox::file(db, &event_id, outcome).await.map(finished);
        }
        let intent = event.object.as_deref().filter(|_| webhook::is_payment_event(&event.kind));
        let Some(intent) = intent else {
            return webhook_inbox::file(db, &event_id, EventOutcome::Ignored).await.map(finished);
        };
        let named = Event::parse(event.body.as_bytes()).and_then(|event| event.payment);
        let tx = db.platform_tx(directory.proof()).await?;
        let mut found = store::of_intent(&tx, intent, named).await?;
        tx.rollback().await?;
        if found.is_none() && named.is_some() {
            found = self.find_lost(intent).await?;
        }
        if let Some((company, payment)) = found {
            let outcome = directory.read(company, payment).await?;
            if matches!(outcome, PaymentOutcome::Foreign(_)) {
                return self.file_foreign(&event_id).await;
            }
            if webhook::is_decline_event(&event.kind) && is_card(&outcome) {
                let scope = CompanyScope::of_job(directory.proof(), company);
                let limits = directory.steps().card_limits();
                if limits.count_decline_of(&scope, payment).await? {
                    check_outcome(directory.stop_cards(company, payment).await?)?;
                }
            }
            check_outcome(outcome)?;
            return webhook_inbox::file(db, &event_id, EventOutcome::Handled).await.map(finished);
        }
        match webhook_inbox::parked_for(job.attempts) {
            Some(wait) => self.later(wait),
            None => self.file_foreign(&event_id).await,
        }
    }

    /// Has the card that the event is about looked at, if it is one of ours. None where the event is about no card.
    async fn handle_card_event(&self, event: &StoredEvent) -> Result<Option<EventOutcome>> {
        let (db, Some(id)) = (&self.0.db, &event.object) else { return Ok(None) };
        let outcome =
            |is_ours| Some(if is_ours { EventOutcome::Handled } else { EventOutcome::Ignored });
        if webhook::is_card_setup_event(&event.kind) {
            return job::make_due(db, JobKind::CardSetup, id).await.map(outcome);
        }
        if !webhook::is_saved_card_event(&event.kind) {
            return Ok(None);
        }
        let mut tx = db.platform_tx(self.0.directory.proof()).await?;
        let company = saved_cards::company_of(&tx, id).await?;
        if let Some(company) = company {
            job::add_for_company(&mut tx, JobKind::SavedCards, company)?;
        }
        tx.commit().await?;
        Ok(outcome(company.is_some()))
    }

    /// The event is about no payment of ours.
    async fn file_foreign(&self, event_id: &str) -> Result<JobOutcome> {
        metrics::counter!("bipe_webhooks_foreign_total").increment(1);
        webhook_inbox::file(&self.0.db, event_id, EventOutcome::Foreign).await.map(finished)
    }

    /// The payment behind an event that names one of ours, where the database has lost it.
    async fn find_lost(&self, intent: &str) -> Result<Option<(CompanyId, PaymentId)>> {
        let directory = &self.0.directory;
        match directory.steps().gateway().read(intent).await {
            ProviderAnswer::Refused(_) => Ok(None),
            answer => directory.steps().restore_lost(directory.proof(), &answer.done()?).await,
        }
    }
}

/// Whether the event is old enough for its webhook to have come.
fn has_waited(event: &Event, now: Timestamp) -> bool {
    event.created.is_some_and(|at| now.duration_since(at) >= ON_ITS_WAY)
}

fn is_card(outcome: &PaymentOutcome) -> bool {
    matches!(outcome, PaymentOutcome::Payment { view, .. } if view.payment_method.rules().takes_a_card)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_the_last_minutes_is_not_missing() {
        let now = Timestamp::from_second(1_000).unwrap();
        let missing = |created: &str| {
            let body = format!(r#"{{"id":"evt_1","type":"k","created":{created}}}"#);
            has_waited(&Event::parse(body.as_bytes()).unwrap(), now)
        };
        assert_eq!(
            ["1001", "999", "701", "700", "1", "null"].map(missing),
            [false, false, false, true, true, false]
        );
    }
}
