//! What counts as a failure of a job, and when the job is tried again; a panic of the runner itself. Used by the job
//! runner alone.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use bipe_core::job::{Job, JobKind};
use bipe_core::{Error, Result, mailer};
use futures_util::future::FutureExt;
use jiff::{SignedDuration, Timestamp};

/// Seconds before a failed job is tried again, doubled after each failure.
const FIRST_WAIT: i64 = 5;
/// Seconds before it is tried again, at most.
const LONGEST_WAIT: i64 = 3600;
/// Jobs that come again for ever and are never added anew: their count of tries tells nothing of failures.
const RECURRING: [JobKind; 5] = [
    JobKind::Purge,
    JobKind::PaymentCheck,
    JobKind::MissingInvoices,
    JobKind::MetricsCheck,
    JobKind::EventSweep,
];
/// How long a recurring job that failed waits: it fails often enough for the alert BipeJobsFailing.
const RECURRING_WAIT: SignedDuration = SignedDuration::from_secs(150);
/// A webhook that failed this often is kept as dead. A payment's timer never gives up.
const WEBHOOK_TRIES: i32 = 12;

/// The work, whose panic is a failure like any other: the runner and the jobs beside it go on.
pub(super) async fn failed_by_panic<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let ended = AssertUnwindSafe(work).catch_unwind().await;
    ended.unwrap_or_else(|_panic| Err(Error::internal("the handler panicked")))
}

/// Begins the runner's work anew after each panic of its own, until it ends. What it held keeps its leases.
pub(super) async fn anew_after_panics<F: Future<Output = ()>>(
    pause: Duration,
    begin: impl Fn() -> F,
) {
    while failed_by_panic(begin().map(Ok)).await.is_err() {
        tracing::error!("the job runner has panicked and begins anew");
        tokio::time::sleep(pause).await;
    }
}

/// When a failed job is tried again; none when it is given up and kept as dead.
pub(super) fn again_at(job: &Job, error: &Error, now: Timestamp) -> Option<Timestamp> {
    if matches!(job.kind, JobKind::Mail | JobKind::CodeMail) {
        return mailer::again_at(job, error, now);
    }
    if job.kind == JobKind::Webhook && job.attempts + 1 >= WEBHOOK_TRIES {
        return None;
    }
    if RECURRING.contains(&job.kind) {
        return now.checked_add(RECURRING_WAIT).ok();
    }
    let doubled = u32::try_from(job.attempts).ok().and_then(|n| 2_i64.checked_pow(n.min(20)));
    let wait = doubled.map_or(LONGEST_WAIT, |n| (n * FIRST_WAIT).min(LONGEST_WAIT));
    now.checked_add(SignedDuration::from_secs(wait)).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_panic_of_a_handler_is_a_failure_of_its_job() {
        let handler = async |subject: Option<u8>| Ok(subject.expect("a subject"));
        assert!(matches!(failed_by_panic(handler(Some(7))).await, Ok(7)));
        assert!(matches!(failed_by_panic(handler(None)).await, Err(Error::Internal(_))));
    }

    #[tokio::test]
    async fn a_runner_that_panics_begins_anew_and_one_that_ends_does_not() {
        let begun = AtomicU32::new(0);
        let runner = || async {
            assert_eq!(begun.fetch_add(1, Ordering::Relaxed), 2, "a row that nobody can read");
        };
        anew_after_panics(Duration::ZERO, runner).await;
        assert_eq!(begun.into_inner(), 3);
    }
}
