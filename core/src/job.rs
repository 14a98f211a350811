//! Jobs: every timer of the product is a row (invariant I1). A job is added in the business transaction.
//! `actors/src/jobs.rs` runs it at least once, and on one node at a time while its lease lasts, so every handler is
//! safe to repeat.

mod payload;

use std::slice;

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio_postgres::types::ToSql;

use crate::db::{Db, JobRow, Params, Query, Tx};
use crate::error::{Error, Result};
use crate::id::{CompanyId, JobId};
use crate::row::from_row;
use crate::trace::Traceparent;
use crate::words::words;
use payload::trace_of;

pub(crate) use payload::payload_text;

/// A claimed job that is not finished within this time is run again.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// As [`LEASE`], for the kinds of `READS_TABLES`.
const LONG_LEASE: SignedDuration = SignedDuration::from_mins(30);
/// Kinds whose statements have the long limit of `Db::survey_tx`.
const READS_TABLES: &[JobKind] = &[JobKind::PaymentCheck, JobKind::MissingInvoices];
/// The kinds that this build can run. A newer build may have added others.
pub(crate) const KNOWN_KINDS: &[JobKind] = &JobKind::ALL;

words! {
    pub enum JobKind {
        /// Writes one mail out of its message, and sends it.
        Mail = "mail",
        /// Looks an address up and mails it a code; the request that asked knows nothing of the outcome.
        CodeMail = "code_mail",
        /// Reads a payment again at the provider.
        Reconcile = "reconcile",
        /// Goes on with a refund until the payment shows it.
        Refund = "refund",
        /// Handles one stored webhook.
        Webhook = "webhook",
        /// Lets a person who has just proven their address into the companies that invited it.
        JoinInvited = "join_invited",
        /// Looks at a company's subscription: reminders, renewal, dunning, its end.
        Renewal = "renewal",
        /// Follows a card that is saved without a payment, until its holder's bank has answered.
        CardSetup = "card_setup",
        /// Learns from the provider which cards a company has saved. Those of a company that has ended go.
        SavedCards = "wallet",
        /// Deletes what has outlived its time.
        Purge = "purge",
        /// Checks the payment invariants.
        PaymentCheck = "payment_check",
        /// Issues the documents of payments that have none.
        MissingInvoices = "missing_documents",
        /// Compares the live figures with a recount.
        MetricsCheck = "metrics_check",
        /// Follows the provider's list of events, in case a webhook was lost.
        EventSweep = "event_sweep",
    }
}

/// The payload of a job whose subject is a company.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompanyJob {
    pub company_id: CompanyId,
}

/// Adds a job about the company, to be done as soon as the transaction has committed.
pub fn add_for_company(tx: &mut Tx, kind: JobKind, company_id: CompanyId) -> Result<()> {
    add(tx, kind, &company_id.to_string(), tx.now(), &CompanyJob { company_id })
}

/// Adds a job with the commit; with the same kind and key the earlier of both times stands and the payload is the newer
/// one.
pub fn add(
    tx: &mut Tx,
    kind: JobKind,
    key: &str,
    run_at: Timestamp,
    payload: &impl Serialize,
) -> Result<()> {
    let row = row(tx, kind, key, run_at, payload)?;
    tx.put_job(JobRow { keeps_earlier_time: true, ..row });
    Ok(())
}

/// Moves a job to another time with the commit, or adds it; without a time takes it back.
pub fn reschedule(
    tx: &mut Tx,
    kind: JobKind,
    key: &str,
    run_at: Option<Timestamp>,
    payload: &impl Serialize,
) -> Result<()> {
    let Some(run_at) = run_at else {
        remove(tx, kind, key);
        return Ok(());
    };
    let row = row(tx, kind, key, run_at, payload)?;
    tx.put_job(row);
    Ok(())
}

/// How long the runner of a node sleeps at most.
pub const LONGEST_SLEEP: SignedDuration = SignedDuration::from_secs(1);

/// The runner has to be woken for it. A later one is seen when the runner looks by itself.
pub(crate) fn is_urgent(run_at: Timestamp, now: Timestamp) -> bool {
    run_at.duration_since(now) < LONGEST_SLEEP
}

/// A job that runs at this time, also if it was there with another one.
fn row(
    tx: &Tx,
    kind: JobKind,
    key: &str,
    run_at: Timestamp,
    payload: &impl Serialize,
) -> Result<JobRow> {
    let (id, payload) = (JobId::new(tx.clock()), payload_text(kind, payload)?);
    Ok(JobRow {
        id,
        kind: kind.as_str(),
        key: key.to_owned(),
        payload,
        run_at,
        keeps_earlier_time: false,
    })
}

/// Takes a job back with the commit, when what it waited for has happened.
pub fn remove(tx: &mut Tx, kind: JobKind, key: &str) {
    tx.remove_job(kind.as_str(), key);
}

/// Removes a job in this transaction. Answers whether it was there: of two runs at once, one does the work.
pub async fn take(tx: &Tx, kind: JobKind, key: &str) -> Result<bool> {
    Ok(tx.execute(TAKE, &[&kind, &key]).await? == 1)
}

const TAKE: &str = "DELETE FROM jobs WHERE kind = $1 AND key = $2";

/// Makes a job due, if there is one: what it waits for has happened. Answers whether there is.
pub async fn make_due(db: &Db, kind: JobKind, key: &str) -> Result<bool> {
    let due = db.job_statement(MAKE_DUE, &[&kind, &key, &db.clock().now()]).await?;
    db.announce_jobs();
    Ok(!due.is_empty())
}

/// Begins to count tries anew, like `add`: a run that is under way may have asked too early.
const MAKE_DUE: &str = "UPDATE jobs SET run_at = least(run_at, $3), attempts = 0, dead_at = NULL \
     WHERE kind = $1 AND key = $2 RETURNING id";

/// A job that this node holds.
#[derive(Clone, Debug)]
pub struct Job {
    pub id: JobId,
    pub kind: JobKind,
    pub key: String,
    pub run_at: Timestamp,
    /// Tries before this one. `add` and `reschedule` begin to count anew, and so win over `finish` and
    /// `put_off` of a run that is under way.
    pub attempts: i32,
    payload: String,
}

impl Job {
    /// # Errors
    /// `Internal` when the row does not hold what its kind promises.
    pub fn payload<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.payload)
            .map_err(|error| Error::internal(format!("jobs.payload of {}: {error}", self.id)))
    }

    /// The work that has added it, if that was traced.
    pub fn trace(&self) -> Option<Traceparent> {
        trace_of(&self.payload)
    }

    /// This try, for the transaction that ends the job.
    pub fn run(&self) -> JobRun {
        JobRun { id: self.id, attempts: self.attempts + 1 }
    }
}

from_row! { Job { id, kind, key, run_at, attempts, payload } }

/// What a job waits behind: the jobs of its own queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// A person waits for them.
    Mails,
    /// Payments and everything that has no queue of its own.
    General,
    /// They fall due by the thousand.
    Renewals,
}

impl JobKind {
    /// The work that adds it goes on with it. A job of the other kinds comes again and again, and begins a trace of its
    /// own each time.
    fn continues_a_trace(self) -> bool {
        match self {
            Self::Mail
            | Self::CodeMail
            | Self::Reconcile
            | Self::Refund
            | Self::Webhook
            | Self::JoinInvited
            | Self::CardSetup
            | Self::SavedCards => true,
            Self::Renewal
            | Self::Purge
            | Self::PaymentCheck
            | Self::MissingInvoices
            | Self::MetricsCheck
            | Self::EventSweep => false,
        }
    }

    pub fn queue(self) -> Queue {
        match self {
            Self::Mail | Self::CodeMail => Queue::Mails,
            Self::Renewal => Queue::Renewals,
            _ => Queue::General,
        }
    }
}

/// How many jobs a node can begin now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobCapacity {
    /// In all.
    pub all: usize,
    pub mails: usize,
    /// Of the general queue and renewals together.
    pub others: usize,
    pub renewals: usize,
}

impl JobCapacity {
    /// For so many jobs of any queue.
    pub fn any(count: usize) -> Self {
        Self { all: count, mails: count, others: count, renewals: count }
    }

    /// More jobs of a queue may be due than it had room for.
    pub fn is_used_up_by(self, claimed: &[Job]) -> bool {
        let of = |queue| claimed.iter().filter(|job| job.kind.queue() == queue).count();
        let (mails, renewals) = (of(Queue::Mails), of(Queue::Renewals));
        let others = of(Queue::General) + renewals;
        mails >= self.mails
            || others >= self.others
            || renewals >= self.renewals
            || claimed.len() >= self.all
    }
}

/// Until when a job that is claimed now is this node's alone.
pub(crate) fn lease_end(now: Timestamp) -> Result<Timestamp> {
    now.checked_add(LEASE).map_err(Error::internal)
}

/// Claims due jobs for this node alone, as many as it has room for: payments first, because their payers look at the
/// screen, then mails, renewals last, and the longest due of each queue. A kind that this build does not know is left to
/// the nodes of a newer one.
pub async fn claim(db: &Db, capacity: JobCapacity) -> Result<Vec<Job>> {
    let limit = |count: usize| i64::try_from(count).map_err(Error::internal);
    let (all, mails) = (limit(capacity.all)?, limit(capacity.mails)?);
    let (others, renewals) = (limit(capacity.others)?, limit(capacity.renewals)?);
    let now = db.clock().now();
    let until = lease_end(now)?;
    let long = now.checked_add(LONG_LEASE).map_err(Error::internal)?;
    let params: Params<'_> =
        &[&now, &until, &long, &KNOWN_KINDS, &READS_TABLES, &all, &mails, &others, &renewals];
    let claimed = db.job_statement(CLAIM, params).await?;
    let mut jobs: Vec<Job> = claimed.iter().map(Job::try_from).collect::<Result<_>>()?;
    jobs.sort_by_key(|job| job.run_at);
    Ok(jobs)
}

/// $1: now, $2: until when they are leased, $3: the same for the kinds of $5, $4: the kinds that this build knows. The
/// most jobs: $6 in all, $7 mails, $8 others, $9 of these renewals. Each queue has an index, so that none reads another's.
pub const CLAIM: &str = "UPDATE jobs SET attempts = attempts + 1, \
     leased_until = CASE WHEN kind = ANY ($5) THEN $3::timestamptz ELSE $2::timestamptz END WHERE id IN (\
     WITH general AS (SELECT id FROM jobs WHERE kind NOT IN ('mail', 'code_mail', 'renewal') AND kind = ANY ($4) \
       AND run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) \
       ORDER BY run_at LIMIT $8 FOR UPDATE SKIP LOCKED), \
     mails AS (SELECT id FROM jobs WHERE kind IN ('mail', 'code_mail') \
       AND run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) \
       ORDER BY run_at LIMIT $7 FOR UPDATE SKIP LOCKED), \
     renewals AS (SELECT id FROM jobs WHERE kind = 'renewal' \
       AND run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) \
       ORDER BY run_at LIMIT least($9, $8 - (SELECT count(*) FROM general)) FOR UPDATE SKIP LOCKED) \
     SELECT id FROM general UNION ALL SELECT id FROM mails UNION ALL SELECT id FROM renewals LIMIT $6) \
     RETURNING id, kind, key, payload, run_at, attempts - 1 AS attempts";

/// A job that the transaction of its work ends, so that no further statement has to.
#[derive(Clone, Copy, Debug)]
pub struct JobRun {
    id: JobId,
    attempts: i32,
}

impl JobRun {
    /// The parameters of a statement that finds its job.
    fn params(&self) -> [&(dyn ToSql + Sync); 2] {
        [&self.id, &self.attempts]
    }

    /// Removes the job with the commit, except one that was added anew while it ran. An event that it handles is filed.
    pub fn finish(self, tx: &mut Tx) {
        tx.finish_job(self.id, self.attempts);
    }
}

/// Removes the jobs that are done, except those that were rescheduled while they ran. Answers whether there was one: it
/// may be claimed now.
pub async fn finish(db: &Db, jobs: &[Job]) -> Result<bool> {
    // In the order in which commits lock them, so that two seldom wait in a circle.
    let mut done: Vec<&Job> = jobs.iter().collect();
    done.sort_by(|one, other| {
        (one.kind.as_str(), &one.key).cmp(&(other.kind.as_str(), &other.key))
    });
    let runs: Vec<JobRun> = done.into_iter().map(Job::run).collect();
    match finish_runs(db, &runs).await {
        // A commit that takes a job back and puts another one has an order of its own. One job waits in no circle.
        Err(_) if runs.len() > 1 => {
            let mut stays = false;
            for run in &runs {
                stays |= finish_runs(db, slice::from_ref(run)).await?;
            }
            Ok(stays)
        }
        finished => finished,
    }
}

async fn finish_runs(db: &Db, runs: &[JobRun]) -> Result<bool> {
    let params: Vec<_> = runs.iter().map(JobRun::params).collect();
    let queries: Vec<Query<'_>> = params.iter().map(|params| (FINISH, params.as_slice())).collect();
    Ok(db.job_statements(&queries).await?.iter().any(|stays| !stays.is_empty()))
}

/// A job that counts no try was added anew while it ran, and may be claimed again; also one that is added anew while
/// this statement waits for its row, which it has seen as it was before. One whose lease has ended may run again
/// already: that run's count is higher, and its lease stays. One by one: a statement for several jobs is planned anew
/// each time, which takes longer than it.
const FINISH: &str = "WITH done AS (DELETE FROM jobs WHERE id = $1 AND attempts = $2 RETURNING id) \
     UPDATE jobs SET leased_until = NULL WHERE id = $1 AND attempts IN (0, $2) AND NOT EXISTS (SELECT FROM done) \
     RETURNING id";

/// Lets a failed job run again at `again_at`. Without `again_at` the job is dead: its row stays, and only dead mails
/// are deleted later (`purge`). A job that was added anew while it ran keeps its new time and may be claimed. A job
/// that was claimed again meanwhile, because its lease had ended, is not changed.
pub async fn put_off(db: &Db, job: &Job, error: &str, again_at: Option<Timestamp>) -> Result<()> {
    let dead_at = again_at.is_none().then(|| db.clock().now());
    let run_at = again_at.unwrap_or(job.run_at);
    let JobRun { id, attempts } = job.run();
    db.job_statement(PUT_OFF, &[&id, &run_at, &error, &dead_at, &attempts]).await.map(drop)
}

const PUT_OFF: &str = "UPDATE jobs SET leased_until = NULL, \
     run_at = CASE WHEN attempts = $5 THEN $2 ELSE run_at END, \
     last_error = CASE WHEN attempts = $5 THEN $3 ELSE last_error END, \
     dead_at = CASE WHEN attempts = $5 THEN $4 ELSE dead_at END WHERE id = $1 AND attempts IN (0, $5)";

/// When the next job falls due, so that the runner can sleep until then.
pub async fn next_due(db: &Db) -> Result<Option<Timestamp>> {
    let found = db.job_statement(NEXT_DUE, &[&KNOWN_KINDS]).await?;
    Ok(found.first().map(|row| row.try_get("run_at")).transpose()?.flatten())
}

/// By the index of each queue: a claim has just passed over what is dead in them.
const NEXT_DUE: &str = "SELECT min(run_at) AS run_at FROM (\
     (SELECT run_at FROM jobs WHERE kind IN ('mail', 'code_mail') AND dead_at IS NULL ORDER BY run_at LIMIT 1) \
     UNION ALL (SELECT run_at FROM jobs WHERE kind NOT IN ('mail', 'code_mail', 'renewal') AND kind = ANY ($1) \
       AND dead_at IS NULL ORDER BY run_at LIMIT 1) \
     UNION ALL (SELECT run_at FROM jobs WHERE kind = 'renewal' AND dead_at IS NULL ORDER BY run_at LIMIT 1)) AS next";
