//! Follows a card that is saved without a payment until its holder's bank has answered: for a holder who closed the
//! page, and so that a secret whose card was refused takes no other one. Looks for a card about which the provider's
//! answer was lost. Part of the job runner.

use bipe_core::company;
use bipe_core::gateway::{ProviderAnswer, SetupStatus};
use bipe_core::job::{self, Job, JobKind};
use bipe_core::rate_limit::Bucket;
use bipe_core::scope::CompanyScope;
use bipe_core::{Error, Result};

use super::{JobOutcome, Jobs, finished};
use crate::saved_cards::{self, WaitingCard};

impl Jobs {
    /// Reads the set-up at the provider. Whoever takes the job out of its table notes the card, or counts the decline.
    pub(super) async fn follow_card(&self, job: &Job) -> Result<JobOutcome> {
        let waiting: WaitingCard = job.payload()?;
        let (db, steps) = (&self.0.db, self.0.directory.steps());
        let scope = CompanyScope::of_job(self.0.directory.proof(), waiting.company_id);
        if waiting.is_unanswered {
            return self.note_card(job, &waiting, &job.key).await;
        }
        let setup = match steps.gateway().card_setup(&job.key).await {
            ProviderAnswer::Refused(refusal) if refusal.missing => return Ok(JobOutcome::Finished),
            answer => answer.done()?,
        };
        match (setup.status, setup.card) {
            (SetupStatus::Saved, Some(card)) => return self.note_card(job, &waiting, &card).await,
            (SetupStatus::Waiting, _) => {
                if let Some(wait) = waiting.next_check(db.clock().now()) {
                    return self.later(wait);
                }
                return steps.gateway().cancel_card_setup(&setup.id).await.done().map(finished);
            }
            (SetupStatus::Failed, _) => {
                steps.gateway().cancel_card_setup(&setup.id).await.done()?;
            }
            (SetupStatus::Saved | SetupStatus::Canceled, _) => {}
        }
        let tx = db.company_tx(&scope).await?;
        let is_taken = job::take(&tx, JobKind::CardSetup, &job.key).await?;
        tx.commit().await?;
        if is_taken {
            let network = waiting.network.as_deref().map(Bucket::stored);
            steps.card_limits().count_decline(&scope, network.as_ref()).await?;
        }
        Ok(JobOutcome::Removed)
    }

    /// Notes a card that the company's customer has.
    async fn note_card(&self, job: &Job, waiting: &WaitingCard, card: &str) -> Result<JobOutcome> {
        let scope = CompanyScope::of_job(self.0.directory.proof(), waiting.company_id);
        match saved_cards::list_with(self.0.directory.steps(), &scope, card).await {
            Err(Error::Conflict(..)) => return Ok(JobOutcome::Finished),
            listed => listed?,
        };
        let mut tx = self.0.db.company_tx(&scope).await?;
        if job::take(&tx, JobKind::CardSetup, &job.key).await? {
            saved_cards::note(&tx, waiting.user_id, waiting.consent.as_ref(), card).await?;
        }
        if company::store::has_ended(&tx).await? {
            job::add_for_company(&mut tx, JobKind::SavedCards, waiting.company_id)?;
        }
        tx.commit().await?;
        Ok(JobOutcome::Removed)
    }
}
