//! The job runner: claims due rows, hands them to their noun, puts off what failed. Any number of nodes may
//! run it; a job runs at least once, so every handler is safe to repeat.
//!
//! Woken by the commit that adds a job and by the clock. `run_all_due` is `POST /dev/jobs/run`.

use std::sync::Arc;
use std::time::Duration;

use bipe_core::auth::recovery::code_mail;
use bipe_core::company::joining;
use bipe_core::db::{Db, JOBS_AT_ONCE};
use bipe_core::error::Code;
use bipe_core::gateway::webhook;
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::job::{self, Job, JobKind};
use bipe_core::mailer::{self, Mailer};
use bipe_core::payment::{Method, check, store};
use bipe_core::scope::CompanyScope;
use bipe_core::subscription::timer::CompanyJob;
use bipe_core::webhook_inbox::{self, Cursor, Handle};
use bipe_core::{Error, Result, metrics as figures, purge, subscription};
use futures_util::future::FutureExt;
use futures_util::stream::{self, StreamExt};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::billing_workflow::{Case, Outcome};
use crate::directory::Directory;

/// Jobs that one node claims at once; no more of them run at a time than have a connection.
const BATCH: usize = 16;
/// The longest sleep: the development clock may have been moved meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);
/// A failed job waits 5 s, doubled with each try up to an hour.
const FIRST_WAIT: i64 = 5;
const LONGEST_WAIT: i64 = 3600;
/// A webhook that failed so often is kept as dead. A payment's timer never gives up.
const WEBHOOK_TRIES: i32 = 12;

/// The payload of a payment's timer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wake {
    pub company_id: CompanyId,
    pub payment_id: PaymentId,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    db: Db,
    directory: Directory,
    mailer: Mailer,
    /// One round at a time on this node, so that `run_all_due` misses nothing that is under way.
    round: Mutex<()>,
}

/// What to do with a job that was handled.
enum Verdict {
    Finished,
    /// Not yet, and that is no failure.
    Later(Timestamp),
}

impl Jobs {
    pub fn new(db: Db, directory: Directory, mailer: Mailer) -> Self {
        Self(Arc::new(Inner { db, directory, mailer, round: Mutex::new(()) }))
    }

    /// Runs until the returned task is aborted.
    pub fn spawn(&self) -> JoinHandle<()> {
        let jobs = self.clone();
        self.0.db.runtime().spawn(async move {
            if let Err(error) = jobs.schedule().await {
                tracing::warn!(%error, "jobs that are always there are not scheduled");
            }
            loop {
                let pause = match jobs.run_round().await {
                    Ok(0) => jobs.pause().await,
                    Ok(_) => continue,
                    Err(error) => {
                        tracing::warn!(%error, "jobs cannot be claimed");
                        LONGEST_SLEEP
                    }
                };
                tokio::select! {
                    () = jobs.0.db.job_added() => {}
                    () = tokio::time::sleep(pause) => {}
                }
            }
        })
    }

    /// Adds the jobs that are always there.
    ///
    /// # Errors
    /// `Unavailable` without a database.
    pub async fn schedule(&self) -> Result<()> {
        purge::schedule(&self.0.db).await?;
        check::schedule(&self.0.db).await?;
        figures::check::schedule(&self.0.db).await?;
        self.adopt().await?;
        webhook_inbox::schedule_sweep(&self.0.db).await
    }

    /// Runs the due jobs until none is due; returns how many that were.
    ///
    /// # Errors
    /// `Unavailable` without a database.
    pub async fn run_all_due(&self) -> Result<u32> {
        let mut ran = 0;
        loop {
            match self.run_round().await? {
                0 => return Ok(ran),
                count => ran += count,
            }
        }
    }

    /// Subscriptions that have no timer get one; none should be without.
    async fn adopt(&self) -> Result<()> {
        let tx = self.0.db.platform_tx(self.0.directory.proof()).await?;
        let adopted = subscription::steps::adopt(&tx).await?;
        tx.commit().await?;
        if adopted > 0 {
            tracing::info!(adopted, "subscriptions got a timer");
        }
        Ok(())
    }

    async fn pause(&self) -> Duration {
        let db = &self.0.db;
        let Ok(Some(due)) = job::next_due(db).await else { return LONGEST_SLEEP };
        let wait = due.duration_since(db.clock().now());
        // A job that is due and was not claimed is held by another node, or waits for its lease.
        Duration::try_from(wait)
            .unwrap_or(LONGEST_SLEEP)
            .clamp(Duration::from_millis(20), LONGEST_SLEEP)
    }

    async fn run_round(&self) -> Result<u32> {
        let _one = self.0.round.lock().await;
        let claimed = job::claim(&self.0.db, BATCH).await?;
        // In the order of the batch: a charge begins before the suspension that is due at the same instant.
        let runs: Vec<_> = claimed.iter().map(|job| self.run(job).boxed()).collect();
        let results: Vec<Result<()>> = stream::iter(runs).buffered(JOBS_AT_ONCE).collect().await;
        let mut ran = 0;
        for result in results {
            result?;
            ran += 1;
        }
        Ok(ran)
    }

    async fn run(&self, job: &Job) -> Result<()> {
        let db = &self.0.db;
        match self.handle(job).await {
            Ok(Verdict::Finished) => job::finish(db, job).await,
            Ok(Verdict::Later(at)) => job::put_off(db, job, "", Some(at)).await,
            Err(error) => {
                tracing::warn!(job = job.kind.as_str(), id = %job.id, %error, "a job failed");
                metrics::counter!("bipe_jobs_failed_total", "kind" => job.kind.as_str())
                    .increment(1);
                let again_at = again_at(job, db.clock().now());
                job::put_off(db, job, &error.to_string(), again_at).await
            }
        }
    }

    async fn handle(&self, job: &Job) -> Result<Verdict> {
        match job.kind {
            JobKind::Reconcile => {
                let wake: Wake = job.payload()?;
                settled(self.0.directory.wake(wake.company_id, wake.payment_id).await?)?;
                Ok(Verdict::Finished)
            }
            JobKind::Renewal => {
                let look: CompanyJob = job.payload()?;
                self.0.directory.renew(look.company_id).await?;
                Ok(Verdict::Finished)
            }
            JobKind::Wallet => {
                let look: CompanyJob = job.payload()?;
                self.0.directory.learn_cards(look.company_id).await?;
                Ok(Verdict::Finished)
            }
            JobKind::Webhook => self.handle_webhook(job).await,
            JobKind::Mail => {
                mailer::run_job(&self.0.mailer, &self.0.db, job).await?;
                Ok(Verdict::Finished)
            }
            JobKind::CodeMail => {
                code_mail::run_job(&self.0.mailer, &self.0.db, job).await?;
                Ok(Verdict::Finished)
            }
            JobKind::JoinInvited => {
                joining::run_job(&self.0.db, job).await?;
                Ok(Verdict::Finished)
            }
            JobKind::Purge => {
                purge::run(&self.0.db, self.0.directory.proof()).await?;
                self.later(purge::EVERY)
            }
            JobKind::MetricsCheck => {
                let compared = figures::check::run(&self.0.db, self.0.directory.proof()).await?;
                self.later(compared.map_or(figures::check::AGAIN, |_| figures::check::EVERY))
            }
            JobKind::EventSweep => self.sweep_events(job).await,
            JobKind::PaymentCheck => {
                self.0.directory.check_payments().await?;
                self.later(check::EVERY)
            }
        }
    }

    /// What the provider lists and no webhook brought is handled like one.
    async fn sweep_events(&self, job: &Job) -> Result<Verdict> {
        let (db, began_at) = (&self.0.db, self.0.db.clock().now());
        let cursor: Cursor = job.payload()?;
        let gateway = self.0.directory.steps().gateway();
        let events = gateway.events_since(cursor.since()).await.done()?;
        // The list is newest first; the oldest is stored first.
        for (event, text) in events.iter().rev() {
            if webhook_inbox::receive(db, event, text).await? {
                metrics::counter!("bipe_webhooks_swept_total").increment(1);
            }
        }
        webhook_inbox::swept(db, began_at).await?;
        Ok(Verdict::Finished)
    }

    fn later(&self, wait: SignedDuration) -> Result<Verdict> {
        let at = self.0.db.clock().now().checked_add(wait).map_err(Error::internal)?;
        Ok(Verdict::Later(at))
    }

    /// A webhook is a hint: the payment behind it is read again.
    async fn handle_webhook(&self, job: &Job) -> Result<Verdict> {
        let (db, directory) = (&self.0.db, &self.0.directory);
        let Handle { event_id } = job.payload()?;
        let Some(event) = webhook_inbox::unhandled(db, &event_id).await? else {
            return Ok(Verdict::Finished);
        };
        let intent = event.object.as_deref().filter(|_| webhook::concerns_payment(&event.kind));
        let Some(intent) = intent else {
            webhook_inbox::file(db, &event_id, "ignored").await?;
            return Ok(Verdict::Finished);
        };
        let named = webhook::named_payment(event.body.as_bytes());
        let tx = db.platform_tx(directory.proof()).await?;
        let found = store::of_intent(&tx, intent, named).await?;
        tx.rollback().await?;
        if let Some((company, payment)) = found {
            let outcome = directory.hint(company, payment).await?;
            if webhook::tells_decline(&event.kind) && is_card(&outcome) {
                let scope = CompanyScope::of_job(directory.proof(), company);
                directory.steps().count_decline(&Case::of(scope, payment)).await?;
            }
            settled(outcome)?;
            webhook_inbox::file(db, &event_id, "handled").await?;
            return Ok(Verdict::Finished);
        }
        match webhook_inbox::parked_for(job.attempts) {
            Some(wait) => self.later(wait),
            None => {
                metrics::counter!("bipe_webhooks_foreign_total").increment(1);
                webhook_inbox::file(db, &event_id, "foreign").await?;
                Ok(Verdict::Finished)
            }
        }
    }
}

fn is_card(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Payment { view, .. } if view.payment_method == Method::CreditCard)
}

/// A provider that could not be asked is asked again.
fn settled(outcome: Outcome) -> Result<()> {
    match outcome {
        Outcome::Unread(Some(refusal)) => Err(refusal.error()),
        Outcome::Unread(None) => {
            Err(Error::Unavailable { code: Code::ProviderUnavailable, retry_after: 5 })
        }
        Outcome::Refused { error, .. } => Err(error),
        Outcome::Payment { .. } | Outcome::Replay { .. } => Ok(()),
    }
}

/// When a failed job is tried again; none when it is given up and kept as dead.
fn again_at(job: &Job, now: Timestamp) -> Option<Timestamp> {
    if matches!(job.kind, JobKind::Mail | JobKind::CodeMail) {
        return mailer::again_at(job, now);
    }
    if job.kind == JobKind::Webhook && job.attempts + 1 >= WEBHOOK_TRIES {
        return None;
    }
    let doubled = u32::try_from(job.attempts).ok().and_then(|n| 2_i64.checked_pow(n.min(20)));
    let wait = doubled.map_or(LONGEST_WAIT, |n| (n * FIRST_WAIT).min(LONGEST_WAIT));
    now.checked_add(SignedDuration::from_secs(wait)).ok()
}
