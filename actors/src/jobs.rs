//! The job runner: claims due jobs, calls the module that handles each kind, and schedules a failed job again. Any
//! number of nodes may run it. A job runs at least once, so every handler is safe to repeat.
//!
//! Woken by the commit that adds a job and by the clock. `run_all_due` is `POST /dev/jobs/run`.

mod card_setup;
mod drive;
mod failure;
mod permits;
mod webhooks;

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bipe_core::auth::recovery::code_mail;
use bipe_core::company::joining;
use bipe_core::db::Db;
use bipe_core::invoice::backfill;
use bipe_core::job::{self, CompanyJob, Job, JobKind};
use bipe_core::mailer::{self, Mailer};
use bipe_core::payment::check;
use bipe_core::scope::CompanyScope;
use bipe_core::trace::Span;
use bipe_core::{Error, Result, metrics as figures, purge, subscription, webhook_inbox};
use futures_util::future::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::drive::drive_while;
use self::failure::{again_at, anew_after_panics, failed_by_panic};
use self::permits::{JobPermit, JobPermits};
use crate::billing_workflow::{PaymentOutcome, PaymentTimer};
use crate::directory::Directory;
use crate::{payment_check, refunds, saved_cards};

/// How long to sleep at most without a due job: the development clock may be moved, and other nodes add jobs.
const LONGEST_SLEEP: Duration = job::LONGEST_SLEEP.unsigned_abs();

/// Cheap to clone.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    db: Db,
    directory: Directory,
    mailer: Mailer,
    /// Held during a round, so that `run_all_due` waits for jobs that already run on this node.
    round: Mutex<()>,
    permits: Arc<JobPermits>,
    /// Jobs that this node holds and has not begun, each with its permit.
    handed_over: parking_lot::Mutex<Vec<(JobPermit, Job)>>,
    /// Wakes the runner: jobs were handed over, a permit came back unused, or it is to stop.
    to_begin: Notify,
    /// The runner was started: what is handed over will begin.
    is_spawned: AtomicBool,
    /// The runner begins no further job.
    is_stopping: AtomicBool,
}

/// What becomes of a job that was handled without a failure.
enum JobOutcome {
    Finished,
    /// The last transaction of its work has removed it.
    Removed,
    /// Run it again at this time.
    Later(Timestamp),
}

fn finished<T>(_: T) -> JobOutcome {
    JobOutcome::Finished
}

impl Jobs {
    pub fn new(db: Db, directory: Directory, mailer: Mailer) -> Self {
        Self(Arc::new(Inner {
            round: Mutex::new(()),
            permits: JobPermits::new(db.jobs_at_once()),
            handed_over: parking_lot::Mutex::default(),
            to_begin: Notify::new(),
            is_spawned: AtomicBool::new(false),
            is_stopping: AtomicBool::new(false),
            db,
            directory,
            mailer,
        }))
    }

    /// How many jobs run on this node now.
    pub fn running(&self) -> usize {
        self.0.permits.taken()
    }

    /// Runs until [`Jobs::stop`] ends the returned task, also through a panic.
    pub fn spawn(&self) -> JoinHandle<()> {
        let jobs = self.clone();
        self.0.is_spawned.store(true, Ordering::Relaxed);
        self.0.db.runtime().spawn(async move {
            // A person's mail does not wait until every subscription was looked at.
            let scheduling = async {
                while !jobs.is_stopping()
                    && let Err(error) = failed_by_panic(jobs.schedule()).await
                {
                    tracing::warn!(%error, "the recurring jobs are not scheduled yet");
                    tokio::time::sleep(LONGEST_SLEEP).await;
                }
            };
            tokio::join!(scheduling, anew_after_panics(LONGEST_SLEEP, || jobs.run_rounds()));
        })
    }

    /// Begins no further job, and waits for the jobs that run, this long at most. A job that is cut short then keeps its
    /// lease: no node runs it before the lease has ended.
    pub async fn stop(&self, mut runner: JoinHandle<()>, timeout: Duration) {
        self.0.is_stopping.store(true, Ordering::Relaxed);
        self.0.to_begin.notify_one();
        if tokio::time::timeout(timeout, &mut runner).await.is_err() {
            runner.abort();
        }
    }

    async fn run_rounds(&self) {
        let mut claim_at = Instant::now();
        while !self.is_stopping() {
            let may_be_due = claim_at <= Instant::now();
            match self.run_round(may_be_due).await {
                Ok(0) if may_be_due => claim_at = Instant::now() + self.pause().await,
                Ok(_) => {}
                Err(_) => tokio::time::sleep(LONGEST_SLEEP).await,
            }
            tokio::select! {
                () = self.added_within(claim_at.saturating_duration_since(Instant::now())) => {
                    claim_at = Instant::now();
                }
                () = self.0.to_begin.notified() => {}
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.0.is_stopping.load(Ordering::Relaxed)
    }

    /// The runner begins with jobs that are handed over.
    fn takes_over(&self) -> bool {
        self.0.is_spawned.load(Ordering::Relaxed) && !self.is_stopping()
    }

    /// Lets the round that runs, or the next one, begin with the job.
    fn hand_over(&self, permit: JobPermit, job: Job) {
        self.0.handed_over.lock().push((permit, job));
        self.0.to_begin.notify_one();
    }

    /// A job that is due may have found no permit but this one.
    fn give_back(&self, permit: Option<JobPermit>) {
        if permit.is_some() {
            drop(permit);
            self.0.to_begin.notify_one();
        }
    }

    /// Adds the recurring jobs. A job that is there keeps its time, unless the new one is earlier.
    ///
    /// # Errors
    /// `Unavailable` without a database.
    pub async fn schedule(&self) -> Result<()> {
        let recurring = [
            (JobKind::Purge, "purge", SignedDuration::ZERO),
            (JobKind::PaymentCheck, "payments", check::INTERVAL),
            (JobKind::MetricsCheck, "metrics", figures::check::INTERVAL),
            (JobKind::MissingInvoices, "documents", SignedDuration::ZERO),
        ];
        let mut tx = self.0.db.job_tx().await?;
        for (kind, key, wait) in recurring {
            let first = tx.now().checked_add(wait).map_err(Error::internal)?;
            job::add(&mut tx, kind, key, first, &())?;
        }
        tx.commit().await?;
        webhook_inbox::schedule_sweep(&self.0.db).await?;
        self.add_missing_timers().await
    }

    /// Runs the due jobs until none is due; returns how many that were.
    ///
    /// # Errors
    /// `Unavailable` without a database.
    pub async fn run_all_due(&self) -> Result<u32> {
        let mut ran = 0;
        loop {
            match self.run_round(true).await? {
                0 => return Ok(ran),
                count => ran += count,
            }
        }
    }

    /// Gives a timer to every subscription that has none. Each should have one already.
    async fn add_missing_timers(&self) -> Result<()> {
        let tx = self.0.db.platform_tx(self.0.directory.proof()).await?;
        let added = subscription::steps::add_missing_timers(&tx).await?;
        tx.commit().await?;
        if added > 0 {
            tracing::info!(added, "subscriptions got a timer");
        }
        Ok(())
    }

    async fn pause(&self) -> Duration {
        let db = &self.0.db;
        let Ok(Some(due)) = job::next_due(db).await else { return LONGEST_SLEEP };
        let wait = due.duration_since(db.clock().now());
        // A due job that was not claimed runs on another node, or its lease has not ended.
        Duration::try_from(wait)
            .unwrap_or(LONGEST_SLEEP)
            .clamp(Duration::from_millis(20), LONGEST_SLEEP)
    }

    /// Runs the jobs that were handed over and those that it claims, until none is due and none runs; returns how many that
    /// were. Claims no more than can begin now, and only when a job may be due: at once with `may_be_due`.
    async fn run_round(&self, mut may_be_due: bool) -> Result<u32> {
        let _one = self.0.round.lock().await;
        let permits = &self.0.permits;
        let (mut running, mut ended) = (FuturesUnordered::new(), Vec::new());
        let (mut ran, mut outcome) = (0, Ok(()));
        let mut claim_at = Instant::now() + LONGEST_SLEEP;
        loop {
            let handed_over = std::mem::take(&mut *self.0.handed_over.lock());
            running.extend(handed_over.into_iter().map(|(permit, job)| self.run(permit, job)));
            let capacity = permits.capacity();
            may_be_due |= claim_at <= Instant::now();
            let may_claim = !self.is_stopping();
            if may_claim && capacity.all > 0 && may_be_due {
                claim_at = Instant::now() + LONGEST_SLEEP;
                let claiming = job::claim(&self.0.db, capacity);
                match drive_while(&mut running, &mut ended, claiming).await {
                    // In the order of the claim: a charge begins before the suspension that is due at the same instant.
                    Ok(claimed) => {
                        may_be_due = capacity.is_used_up_by(&claimed);
                        running.extend(
                            claimed.into_iter().map(|job| self.run(permits.take(job.kind), job)),
                        );
                    }
                    // Jobs that run may take long; others are not to wait for them.
                    Err(error) => (may_be_due, outcome) = (false, failed(error)),
                }
            }
            if ended.is_empty() {
                let pause = claim_at.saturating_duration_since(Instant::now());
                tokio::select! {
                    // Not before the last has ended: dropping them would stop the jobs that still run.
                    first = running.next() => match first {
                        Some(first) => ended.push(first),
                        None => return outcome.map(|()| ran),
                    },
                    () = self.added_within(pause), if may_claim && permits.capacity().all > 0 => {
                        may_be_due = true;
                        continue;
                    }
                    () = self.0.to_begin.notified() => continue,
                }
            }
            ended.extend(iter::from_fn(|| running.next().now_or_never().flatten()));
            let mut finished = Vec::new();
            for one in ended.drain(..) {
                ran += 1;
                match one {
                    Ok(job) => finished.extend(job),
                    Err(error) => outcome = failed(error),
                }
            }
            if !finished.is_empty() {
                let finishing = job::finish(&self.0.db, &finished);
                match drive_while(&mut running, &mut ended, finishing).await {
                    Ok(stays) => may_be_due |= stays,
                    Err(error) => outcome = failed(error),
                }
            }
        }
    }

    /// Resolves when this node has added a job, or after the pause: other nodes add jobs too.
    async fn added_within(&self, pause: Duration) {
        tokio::time::timeout(pause, self.0.db.job_added()).await.ok();
    }

    /// Resolves to the job when it is finished; another one has its next time already.
    async fn run(&self, _permit: JobPermit, job: Job) -> Result<Option<Job>> {
        let db = &self.0.db;
        let span = Span::of_work(job.kind.as_str(), job.trace());
        span.note_with("bipe.job", || job.id.to_string());
        match span.clone().around_fallible(failed_by_panic(self.handle(&job))).await {
            Ok(JobOutcome::Finished) => return Ok(Some(job)),
            Ok(JobOutcome::Removed) => Ok(()),
            Ok(JobOutcome::Later(at)) => job::put_off(db, &job, "", Some(at)).await,
            Err(error) => {
                span.enter(
                    || tracing::warn!(job = job.kind.as_str(), id = %job.id, %error, "a job failed"),
                );
                metrics::counter!("bipe_jobs_failed_total", "kind" => job.kind.as_str())
                    .increment(1);
                let again_at = again_at(&job, &error, db.clock().now());
                if again_at.is_none() {
                    metrics::counter!("bipe_jobs_given_up_total", "kind" => job.kind.as_str())
                        .increment(1);
                }
                job::put_off(db, &job, &error.to_string(), again_at).await
            }
        }?;
        Ok(None)
    }

    async fn handle(&self, job: &Job) -> Result<JobOutcome> {
        match job.kind {
            JobKind::Reconcile => {
                let timer: PaymentTimer = job.payload()?;
                let woken = self.0.directory.wake(timer.company_id, timer.payment_id);
                check_outcome(woken.await?).map(finished)
            }
            JobKind::Renewal => {
                let CompanyJob { company_id } = job.payload()?;
                self.0.directory.renew(company_id).await.map(finished)
            }
            JobKind::CardSetup => self.follow_card(job).await,
            JobKind::SavedCards => {
                let CompanyJob { company_id } = job.payload()?;
                let scope = CompanyScope::of_job(self.0.directory.proof(), company_id);
                saved_cards::refresh(self.0.directory.steps(), &scope).await.map(finished)
            }
            JobKind::Refund => {
                refunds::resume(&self.0.directory, &job.payload()?).await.map(finished)
            }
            JobKind::Webhook => self.handle_webhook(job).await,
            JobKind::Mail => {
                let proof = self.0.directory.proof();
                mailer::run_job(&self.0.mailer, &self.0.db, proof, job).await.map(finished)
            }
            JobKind::CodeMail => {
                code_mail::run_job(&self.0.mailer, &self.0.db, job).await.map(finished)
            }
            JobKind::JoinInvited => joining::run_job(&self.0.db, job).await.map(finished),
            JobKind::Purge => {
                let is_done = purge::run(&self.0.db, self.0.directory.proof()).await?;
                self.later(if is_done { purge::INTERVAL } else { purge::CONTINUE_AFTER })
            }
            JobKind::MetricsCheck => {
                let compared = figures::check::run(&self.0.db, self.0.directory.proof()).await?;
                self.later(
                    compared.map_or(figures::check::RETRY_AFTER, |_| figures::check::INTERVAL),
                )
            }
            JobKind::EventSweep => self.sweep_events(job).await,
            JobKind::PaymentCheck => {
                payment_check::run(&self.0.directory).await?;
                self.later(check::INTERVAL)
            }
            JobKind::MissingInvoices => {
                let issued = backfill::run(&self.0.db, self.0.directory.proof()).await?;
                let is_done = issued < backfill::MAX_PAYMENTS_PER_RUN;
                self.later(if is_done { backfill::INTERVAL } else { backfill::CONTINUE_AFTER })
            }
        }
    }

    fn later(&self, wait: SignedDuration) -> Result<JobOutcome> {
        let at = self.0.db.clock().now().checked_add(wait).map_err(Error::internal)?;
        Ok(JobOutcome::Later(at))
    }
}

/// Says at once that a statement of the runner failed. The caller of the round learns of it when the last job has ended.
fn failed(error: Error) -> Result<()> {
    tracing::warn!(%error, "jobs cannot be claimed or ended");
    Err(error)
}

/// A payment that could not be read is an error, so that its job runs again. A foreign object is left to a person.
fn check_outcome(outcome: PaymentOutcome) -> Result<()> {
    match outcome {
        PaymentOutcome::Unread(Some(refusal)) => Err(refusal.error()),
        PaymentOutcome::Unread(None) => Err(Error::provider_unavailable()),
        PaymentOutcome::Refused { error, .. } => Err(error),
        PaymentOutcome::Payment { .. }
        | PaymentOutcome::Replay { .. }
        | PaymentOutcome::Foreign(_) => Ok(()),
    }
}
