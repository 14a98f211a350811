//! Jobs: every timer of the product is a row (invariant I1). A job is added in the business transaction.
//! `actors/src/jobs.rs` runs it at least once, on one node at a time, so every handler is safe to repeat.

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::db::{Db, Params, Tx};
use crate::error::{Error, Result};
use crate::id::JobId;
use crate::row::from_row;
use crate::trace::{self, Traceparent};
use crate::words::words;

/// A claimed job that is not finished within this time is run again.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// The same for the kinds of `READS_TABLES`.
const LONG_LEASE: SignedDuration = SignedDuration::from_mins(30);
/// Their statements have the long limit of `Db::survey_tx`.
const READS_TABLES: &[JobKind] = &[JobKind::PaymentCheck, JobKind::MissingDocuments];
/// A newer build may have added others.
const KNOWN: &[JobKind] = &JobKind::ALL;

words! {
    pub enum JobKind {
        /// Sends one rendered mail.
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
        /// Learns from the provider which cards a company has saved.
        Wallet = "wallet",
        /// Deletes what has outlived its time.
        Purge = "purge",
        /// Checks the payment invariants.
        PaymentCheck = "payment_check",
        /// Issues the documents of payments that have none.
        MissingDocuments = "missing_documents",
        /// Compares the live figures with a recount.
        MetricsCheck = "metrics_check",
        /// Follows the provider's list of events, in case a webhook was lost.
        EventSweep = "event_sweep",
    }
}

/// Adds a job; with the same kind and key the earlier of both times stands and the payload is the newer one.
pub async fn add(
    tx: &mut Tx,
    kind: JobKind,
    key: &str,
    run_at: Timestamp,
    payload: &impl Serialize,
) -> Result<()> {
    write(tx, ADD, (kind, key), run_at, payload).await
}

const ADD: &str = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, key) DO UPDATE SET \
     payload = excluded.payload, run_at = least(jobs.run_at, excluded.run_at), attempts = 0, \
     dead_at = NULL";

/// Moves a job to another time, or adds it.
pub async fn reschedule(
    tx: &mut Tx,
    kind: JobKind,
    key: &str,
    run_at: Timestamp,
    payload: &impl Serialize,
) -> Result<()> {
    write(tx, RESCHEDULE, (kind, key), run_at, payload).await
}

const RESCHEDULE: &str = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, key) DO UPDATE SET \
     payload = excluded.payload, run_at = excluded.run_at, attempts = 0, dead_at = NULL";

async fn write(
    tx: &mut Tx,
    sql: &str,
    (kind, key): (JobKind, &str),
    run_at: Timestamp,
    payload: &impl Serialize,
) -> Result<()> {
    let id = JobId::new(tx.clock());
    let trace = trace::current().filter(|_| kind.continues_a_trace());
    let payload = text_of(payload, trace).map_err(Error::internal)?;
    tx.execute(sql, &[&id, &kind, &key, &payload, &run_at, &tx.now()]).await?;
    tx.note_job();
    Ok(())
}

/// Takes a job back, when what it waited for has happened.
pub async fn remove(tx: &mut Tx, kind: JobKind, key: &str) -> Result<()> {
    tx.execute(REMOVE, &[&kind, &key]).await.map(drop)
}

const REMOVE: &str = "DELETE FROM jobs WHERE kind = $1 AND key = $2";

/// The payload as a row keeps it, with the place of the work that adds the job.
fn text_of(payload: &impl Serialize, trace: Option<Traceparent>) -> serde_json::Result<String> {
    match trace.map(|place| place.to_string()) {
        Some(traceparent) => serde_json::to_string(&Traced { payload, traceparent }),
        None => serde_json::to_string(payload),
    }
}

#[derive(Serialize)]
struct Traced<'a, T> {
    #[serde(flatten)]
    payload: &'a T,
    traceparent: String,
}

/// Builds before traces and handlers of jobs read past it.
#[derive(Deserialize)]
struct Traceable {
    traceparent: Option<String>,
}

fn trace_of(payload: &str) -> Option<Traceparent> {
    let known: Traceable = serde_json::from_str(payload).ok()?;
    Traceparent::parse(&known.traceparent?)
}

/// The work that has added a job, if that was traced.
pub async fn trace(db: &Db, kind: JobKind, key: &str) -> Result<Option<Traceparent>> {
    let Some(row) = db.ask(PAYLOAD, &[&kind, &key]).await? else { return Ok(None) };
    Ok(trace_of(row.try_get("payload")?))
}

const PAYLOAD: &str = "SELECT payload FROM jobs WHERE kind = $1 AND key = $2";

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
            | Self::Wallet => true,
            Self::Renewal
            | Self::Purge
            | Self::PaymentCheck
            | Self::MissingDocuments
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
pub struct Room {
    /// In all.
    pub all: usize,
    pub mails: usize,
    /// Of the general queue and renewals together.
    pub others: usize,
    pub renewals: usize,
}

impl Room {
    /// For so many jobs of any queue.
    pub fn any(count: usize) -> Self {
        Self { all: count, mails: count, others: count, renewals: count }
    }
}

/// Claims due jobs for this node alone, as many as it has room for: mails first, renewals last, and the longest due of
/// each queue. A kind that this build does not know is left to the nodes of a newer one.
pub async fn claim(db: &Db, room: Room) -> Result<Vec<Job>> {
    let limit = |count: usize| i64::try_from(count).map_err(Error::internal);
    let (all, mails) = (limit(room.all)?, limit(room.mails)?);
    let (others, renewals) = (limit(room.others)?, limit(room.renewals)?);
    let tx = db.job_tx().await?;
    let now = tx.now();
    let until = |lease: SignedDuration| now.checked_add(lease).map_err(Error::internal);
    let (until, long) = (until(LEASE)?, until(LONG_LEASE)?);
    let params: Params<'_> =
        &[&now, &until, &long, &KNOWN, &READS_TABLES, &all, &mails, &others, &renewals];
    let mut jobs: Vec<Job> = tx.all(CLAIM, params).await?;
    tx.commit().await?;
    jobs.sort_by_key(|job| job.run_at);
    Ok(jobs)
}

/// $1: now, $2: until when they are leased, $3: the same for the kinds of $5, $4: the kinds that this build knows. The
/// most jobs: $6 in all, $7 mails, $8 others, $9 of these renewals. Each queue has an index, so that none reads another's.
pub const CLAIM: &str = "UPDATE jobs SET attempts = attempts + 1, \
     leased_until = CASE WHEN kind = ANY ($5) THEN $3::timestamptz ELSE $2::timestamptz END WHERE id IN (\
     SELECT id FROM (SELECT id FROM jobs WHERE kind IN ('mail', 'code_mail') \
       AND run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) \
       ORDER BY run_at LIMIT $7 FOR UPDATE SKIP LOCKED) mails \
     UNION ALL SELECT id FROM (\
       SELECT id FROM (SELECT id FROM jobs WHERE kind NOT IN ('mail', 'code_mail', 'renewal') AND kind = ANY ($4) \
         AND run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) \
         ORDER BY run_at LIMIT $8 FOR UPDATE SKIP LOCKED) general \
       UNION ALL SELECT id FROM (SELECT id FROM jobs WHERE kind = 'renewal' \
         AND run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) \
         ORDER BY run_at LIMIT $9 FOR UPDATE SKIP LOCKED) renewals LIMIT $8) others LIMIT $6) \
     RETURNING id, kind, key, payload, run_at, attempts - 1 AS attempts";

/// Removes the jobs that are done, except those that were rescheduled while they ran.
pub async fn finish(db: &Db, jobs: &[Job]) -> Result<()> {
    let (ids, attempts): (Vec<JobId>, Vec<i32>) =
        jobs.iter().map(|job| (job.id, job.attempts + 1)).unzip();
    let tx = db.job_tx().await?;
    tx.execute(FINISH, &[&ids, &attempts]).await?;
    tx.execute(RELEASE, &[&ids]).await?;
    tx.commit().await
}

const FINISH: &str = "DELETE FROM jobs j USING unnest($1::uuid[], $2::integer[]) AS done(id, attempts) \
     WHERE j.id = done.id AND j.attempts = done.attempts";
const RELEASE: &str = "UPDATE jobs SET leased_until = NULL WHERE id = ANY ($1)";

/// Puts a failed job off, or keeps it as dead when `again_at` is none: visible, never deleted.
pub async fn put_off(db: &Db, job: &Job, error: &str, again_at: Option<Timestamp>) -> Result<()> {
    let tx = db.job_tx().await?;
    let dead_at = again_at.is_none().then(|| tx.now());
    let run_at = again_at.unwrap_or(job.run_at);
    let attempts = job.attempts + 1;
    tx.execute(PUT_OFF, &[&job.id, &run_at, &error, &dead_at, &attempts]).await?;
    tx.execute(RELEASE, &[&vec![job.id]]).await?;
    tx.commit().await
}

const PUT_OFF: &str = "UPDATE jobs SET run_at = $2, leased_until = NULL, last_error = $3, dead_at = $4 \
     WHERE id = $1 AND attempts = $5";

/// When the next job falls due, so that the runner can sleep until then.
pub async fn next_due(db: &Db) -> Result<Option<Timestamp>> {
    db.job_tx().await?.value(NEXT_DUE, &[&KNOWN]).await
}

const NEXT_DUE: &str =
    "SELECT min(run_at) AS run_at FROM jobs WHERE dead_at IS NULL AND kind = ANY ($1)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook_inbox::Handle;

    #[test]
    fn a_payload_keeps_the_trace_and_reads_as_it_did_without() {
        let handle = Handle { event_id: "evt_1".into() };
        let place = Traceparent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        let (plain, traced) = (text_of(&handle, None).unwrap(), text_of(&handle, place).unwrap());
        assert_eq!((plain.as_str(), trace_of(&plain)), (r#"{"event_id":"evt_1"}"#, None));
        assert!(place.is_some() && trace_of(&traced) == place, "{traced}");
        let read: Handle = serde_json::from_str(&traced).unwrap();
        assert_eq!(read.event_id, "evt_1");
        assert_eq!(trace_of(r#"{"traceparent":"ana@example.com"}"#), None);
        assert_eq!(
            (trace_of("null"), trace_of("[]"), trace_of(r#"{"traceparent":7}"#)),
            (None, None, None)
        );
    }
}
