//! What `bipe doctor` measures in the database beside `database_status`: how far the clocks differ, whether texts are
//! ordered as before, and the work that is late. It only reads; what the figures mean is decided in `http/src/doctor/`.
//!
//! Invariant: every count ends at `MAX_COUNTED`, however much is late.

use jiff::{SignedDuration, Timestamp};

use crate::clock::Clock;
use crate::db::{Db, Params, PlatformTx};
use crate::error::Result;
use crate::job::KNOWN_KINDS;
use crate::row::from_row;
use crate::scope::JobScope;

/// Counts end here.
const MAX_COUNTED: i64 = 10_000;
/// A mail that has waited for longer was tried, or should have been.
const MAIL_IS_LATE: SignedDuration = SignedDuration::from_mins(5);
/// A job that was given up before that is history.
const GIVEN_UP_LATELY: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The quickest of these shows the clock best.
const CLOCK_QUESTIONS: usize = 3;

/// The database's clock as this machine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockDifference {
    /// Positive where the database's clock is ahead.
    pub ahead: SignedDuration,
    /// The question and its answer took so long: the difference is known to half of it.
    pub took: SignedDuration,
}

impl ClockDifference {
    /// `there` was read between `asked` and `answered`.
    pub fn of(asked: Timestamp, there: Timestamp, answered: Timestamp) -> Self {
        let took = answered.duration_since(asked);
        let middle = asked.checked_add(took / 2).unwrap_or(asked);
        Self { ahead: there.duration_since(middle), took }
    }

    /// By how much the clocks differ at least.
    pub fn at_least(self) -> SignedDuration {
        let half = self.took.abs() / 2;
        self.ahead.abs().saturating_sub(half).max(SignedDuration::ZERO)
    }
}

/// # Errors
/// `Unavailable` or `Internal` when the database does not answer.
pub async fn clock_difference(db: &Db, clock: &Clock) -> Result<Option<ClockDifference>> {
    let mut best: Option<ClockDifference> = None;
    for _ in 0..CLOCK_QUESTIONS {
        let asked = clock.now();
        let Some(row) = db.ask(CLOCK, &[]).await? else { continue };
        let difference = ClockDifference::of(asked, row.try_get("now")?, clock.now());
        best = best.filter(|best| best.took <= difference.took).or(Some(difference));
    }
    Ok(best)
}

const CLOCK: &str = "SELECT clock_timestamp() AS now";

/// The system orders texts by other rules than when the indexes over them were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollationChange {
    /// The version of the rules that the database was made with.
    pub recorded: String,
    /// That of the system now; none where it tells none any more.
    pub found: Option<String>,
}

from_row! { CollationChange { recorded, found } }

/// # Errors
/// `Unavailable` or `Internal` when the database does not answer.
pub async fn collation_change(db: &Db) -> Result<Option<CollationChange>> {
    db.ask(COLLATION, &[]).await?.as_ref().map(CollationChange::try_from).transpose()
}

/// A collation without rules that change, such as C, has no version.
const COLLATION: &str = "SELECT datcollversion AS recorded, pg_database_collation_actual_version(oid) AS found \
     FROM pg_database WHERE datname = current_database() AND datcollversion IS NOT NULL \
     AND datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid)";

/// How many rows wait, and since when the first one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub count: i64,
    pub since: Option<Timestamp>,
}

from_row! { Waiting { count, since } }

/// The work of all nodes that is late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LateWork {
    /// Jobs that are due and that nobody runs.
    pub due: Waiting,
    /// Jobs that were given up within a week: nobody tries them again.
    pub given_up: Waiting,
    /// Mails that were written more than five minutes ago and have not left.
    pub mails: Waiting,
    /// Payments whose outcome the provider has not told.
    pub unknown_payments: Waiting,
    /// Alerts that nobody has closed.
    pub alerts: Waiting,
    /// The instant of these figures.
    pub as_of: Timestamp,
}

impl LateWork {
    /// # Errors
    /// `Unavailable` or `Internal` when the database does not answer.
    pub async fn read(db: &Db, proof: &JobScope) -> Result<Self> {
        let tx = db.survey_tx(proof).await?;
        let as_of = tx.now();
        let before = |past: SignedDuration| as_of.checked_sub(past).unwrap_or(as_of);
        let (late, lately) = (before(MAIL_IS_LATE), before(GIVEN_UP_LATELY));
        let work = Self {
            due: waiting(&tx, DUE, &[&as_of, &MAX_COUNTED, &KNOWN_KINDS]).await?,
            given_up: waiting(&tx, GIVEN_UP, &[&lately, &MAX_COUNTED]).await?,
            mails: waiting(&tx, MAILS, &[&late, &MAX_COUNTED]).await?,
            unknown_payments: waiting(&tx, UNKNOWN_PAYMENTS, &[&MAX_COUNTED]).await?,
            alerts: waiting(&tx, ALERTS, &[&MAX_COUNTED]).await?,
            as_of,
        };
        tx.rollback().await?;
        Ok(work)
    }
}

async fn waiting(tx: &PlatformTx, sql: &str, params: Params<'_>) -> Result<Waiting> {
    Ok(tx.find(sql, params).await?.unwrap_or_default())
}

/// Those of a newer build wait for it, and are nothing that this one is late with.
const DUE: &str = "SELECT count(*) AS count, min(run_at) AS since FROM (SELECT run_at FROM jobs \
     WHERE run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) AND kind = ANY ($3) \
     ORDER BY run_at LIMIT $2) AS due";
const GIVEN_UP: &str = "SELECT count(*) AS count, min(dead_at) AS since FROM (SELECT dead_at FROM jobs \
     WHERE dead_at > $1 LIMIT $2) AS given_up";
const MAILS: &str = "SELECT count(*) AS count, min(created_at) AS since FROM (SELECT created_at FROM jobs \
     WHERE kind IN ('mail', 'code_mail') AND dead_at IS NULL AND created_at < $1 \
     ORDER BY created_at LIMIT $2) AS late";
const UNKNOWN_PAYMENTS: &str = "SELECT count(*) AS count, min(since) AS since FROM (\
     SELECT coalesce(unknown_at, updated_at) AS since FROM payments \
     WHERE unknown LIMIT $1) AS unknown";
const ALERTS: &str = "SELECT count(*) AS count, min(at) AS since FROM (SELECT at FROM alerts \
     WHERE closed_at IS NULL ORDER BY at LIMIT $1) AS open";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDb;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(millis).unwrap()
    }

    #[test]
    fn a_difference_is_known_to_half_of_the_way_there_and_back() {
        let difference = ClockDifference::of(at(10_000), at(13_500), at(11_000));
        assert_eq!(difference.ahead, SignedDuration::from_secs(3));
        assert_eq!(difference.at_least(), SignedDuration::from_millis(2_500));
        let behind = ClockDifference::of(at(10_000), at(7_500), at(11_000));
        assert_eq!(behind.ahead, SignedDuration::from_secs(-3));
        assert_eq!(behind.at_least(), SignedDuration::from_millis(2_500));
        let slow = ClockDifference::of(at(10_000), at(11_000), at(20_000));
        assert_eq!(slow.at_least(), SignedDuration::ZERO);
    }

    #[tokio::test]
    async fn one_machine_has_one_clock() {
        let test = TestDb::new().await;
        let difference = clock_difference(&test.db, &Clock::system()).await.unwrap().unwrap();
        assert!(difference.at_least() < SignedDuration::from_secs(1), "{difference:?}");
    }

    #[tokio::test]
    async fn a_collation_that_changed_is_told_with_what_was_recorded() {
        let test = TestDb::new().await;
        assert_eq!(collation_change(&test.db).await.unwrap(), None);
        let record = "UPDATE pg_database SET datcollversion = '0.of-another-system' \
             WHERE datname = current_database()";
        assert_eq!(test.owner().await.execute(record, &[]).await.unwrap(), 1);
        let change = collation_change(&test.db).await.unwrap().unwrap();
        assert_eq!(change.recorded, "0.of-another-system");
        assert_ne!(change.found.as_ref(), Some(&change.recorded));
    }

    #[tokio::test]
    async fn an_installation_without_work_has_none_that_is_late() {
        let test = TestDb::new().await;
        let late = LateWork::read(&test.db, &test.proof).await.unwrap();
        assert_eq!(late, LateWork { as_of: late.as_of, ..LateWork::default() });
    }

    #[tokio::test]
    async fn late_jobs_mails_and_alerts_are_counted_with_the_first_of_each() {
        let test = TestDb::new().await;
        let rows = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at, dead_at) \
             SELECT gen_random_uuid(), kind, kind || age || given_up, '{}', t, t, CASE WHEN given_up THEN t END \
             FROM (SELECT kind, age, given_up, $1::timestamptz - make_interval(mins => age) AS t \
             FROM (VALUES ('mail', 7, false), ('mail', 3, false), ('renewal', 20, false), ('renewal', -5, false), \
             ('of_tomorrow', 30, false), ('mail', 60, true), ('mail', 11000, true)) AS v(kind, age, given_up)) AS rows";
        let now = test.db.clock().now();
        let owner = test.owner().await;
        owner.execute(rows, &[&now]).await.unwrap();
        let alert = "INSERT INTO alerts (id, at, kind, subject, detail) \
             VALUES (gen_random_uuid(), $1, 'metrics.drift', 'x', 'x')";
        owner.execute(alert, &[&now]).await.unwrap();
        let late = LateWork::read(&test.db, &test.proof).await.unwrap();
        let ago = |minutes| Some(now.checked_sub(SignedDuration::from_mins(minutes)).unwrap());
        assert_eq!(late.due, Waiting { count: 3, since: ago(20) });
        assert_eq!(late.given_up, Waiting { count: 1, since: ago(60) });
        assert_eq!(late.mails, Waiting { count: 1, since: ago(7) });
        assert_eq!(late.alerts, Waiting { count: 1, since: Some(now) });
        assert_eq!(late.unknown_payments, Waiting::default());
    }
}
