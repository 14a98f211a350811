//! What the database server says of itself and of its standbys. Asked by `http/src/nodes.rs` every two seconds, for the
//! admin's page and the metrics, and by `bipe doctor`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::db::Db;
use crate::error::Result;
use crate::job::KNOWN_KINDS;
use crate::row::from_row;
use crate::scope::JobScope;

/// Replay that is later than this is a sign of a standby in trouble.
const LATE_BYTES: i64 = 64 * 1024 * 1024;
const LATE_SECONDS: f64 = 30.0;
/// What lets the platform's role read `pg_stat_replication`; an administrator of the server runs it.
const GRANT: &str = "GRANT pg_read_all_stats TO bipe_platform";

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseStatus {
    pub server_version: String,
    /// Each promotion begins a new one.
    pub timeline: i64,
    /// Names the history that the database tells.
    pub history: String,
    /// The newest migration of the database.
    pub schema: i32,
    /// The oldest build that may serve, by its newest migration.
    pub oldest_schema: i32,
    /// A commit is answered only when it is on disk. False after `synchronous_commit = off`: a crash may take the last
    /// commits then.
    pub commits_are_durable: bool,
    /// `synchronous_standby_names` is set: commits wait for a standby.
    pub waits_for_standby: bool,
    /// The standbys' state and lag can be read. Where not, their number is known all the same.
    pub can_read_standbys: bool,
    /// The statement that makes them readable; null where they are.
    pub grant: Option<&'static str>,
    /// Up to 32, by name.
    pub standbys: Vec<Standby>,
    #[serde(skip)]
    pub jobs_due: i64,
    /// How long the first of them has been due; 0 without one.
    #[serde(skip)]
    pub oldest_due_job_seconds: f64,
    /// How many alerts nobody has closed, by kind.
    #[serde(skip)]
    pub alerts_open: BTreeMap<String, i32>,
    /// How long the oldest open transaction of others has been running, of those that can be seen; 0 without one. None
    /// where not even this node's own can be seen.
    #[serde(skip)]
    pub oldest_transaction_seconds: Option<f64>,
    pub as_of: Timestamp,
}

/// A server that copies the database.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Standby {
    /// Its `application_name`, or its process.
    pub name: String,
    /// `streaming` in normal operation.
    pub state: Option<String>,
    /// `sync` and `quorum` are waited for; `async` and `potential` are not.
    pub sync_state: Option<String>,
    /// Bytes that it has not replayed yet.
    pub lag_bytes: Option<i64>,
    /// How late its replay is; null also while nothing is written.
    pub lag_seconds: Option<f64>,
}

from_row! { Standby { name, state, sync_state, lag_bytes, lag_seconds } }

impl Standby {
    /// A commit may wait for it.
    fn is_synchronous(&self) -> bool {
        matches!(self.sync_state.as_deref(), Some("sync" | "quorum"))
    }

    /// How late its replay is; 0 for one that has replayed everything. None where it is not known.
    pub fn seconds_behind(&self) -> Option<f64> {
        self.lag_seconds.or_else(|| (self.lag_bytes == Some(0)).then_some(0.0))
    }

    /// It is known to be far behind, or not to be streaming.
    pub fn is_behind(&self) -> bool {
        self.state.as_deref().is_some_and(|state| state != "streaming")
            || self.lag_bytes.is_some_and(|bytes| bytes > LATE_BYTES)
            || self.lag_seconds.is_some_and(|seconds| seconds > LATE_SECONDS)
    }
}

impl DatabaseStatus {
    /// # Errors
    /// `Unavailable` or `Internal` when the database does not answer.
    pub async fn read(db: &Db, proof: &JobScope) -> Result<Self> {
        let tx = db.job_tx().await?;
        let as_of = tx.now();
        let server = tx.query_one(SERVER, &[&as_of, &KNOWN_KINDS]).await?;
        let own: Option<f64> = tx.value(OLDEST_TRANSACTION, &[]).await?;
        drop(tx);
        // As the platform, because an administrator can give its role the right: `bipe_app` inherits none.
        let tx = db.platform_tx(proof).await?;
        let can_read_standbys = tx.value(CAN_READ_STANDBYS, &[]).await?;
        let all: Option<f64> = tx.value(OLDEST_TRANSACTION, &[]).await?;
        let due_since: Option<Timestamp> = server.try_get("due_since")?;
        let alerts = tx.query(ALERTS_OPEN, &[]).await?;
        let alerts = alerts.iter().map(|row| Ok((row.try_get("kind")?, row.try_get("count")?)));
        Ok(Self {
            server_version: server.try_get("server_version")?,
            timeline: server.try_get("timeline")?,
            history: server.try_get("history")?,
            schema: server.try_get("schema")?,
            oldest_schema: server.try_get("oldest_schema")?,
            commits_are_durable: server.try_get("commits_are_durable")?,
            waits_for_standby: server.try_get("waits_for_standby")?,
            can_read_standbys,
            grant: (!can_read_standbys).then_some(GRANT),
            standbys: tx.all(STANDBYS, &[]).await?,
            jobs_due: server.try_get("jobs_due")?,
            oldest_due_job_seconds: due_since
                .map_or(0.0, |since| as_of.duration_since(since).as_secs_f64()),
            alerts_open: alerts.collect::<Result<_>>()?,
            oldest_transaction_seconds: all.or(own),
            as_of,
        })
    }

    /// How many standbys a commit may wait for.
    pub fn synchronous_standbys(&self) -> usize {
        self.standbys.iter().filter(|standby| standby.is_synchronous()).count()
    }

    /// Commits wait for a standby, and none is there.
    pub fn lacks_standby(&self) -> bool {
        let is_known = self.can_read_standbys || self.standbys.is_empty();
        self.waits_for_standby && is_known && self.synchronous_standbys() == 0
    }
}

const SERVER: &str = "SELECT current_setting('server_version') AS server_version, \
     current_timeline() AS timeline, current_history() AS history, \
     (SELECT max(version) FROM refinery_schema_history) AS schema, \
     (SELECT oldest FROM schema_window) AS oldest_schema, \
     current_setting('synchronous_commit') <> 'off' AS commits_are_durable, \
     current_setting('synchronous_standby_names') <> '' AS waits_for_standby, jobs_due, due_since \
     FROM (SELECT count(*) AS jobs_due, min(run_at) AS due_since FROM (SELECT run_at FROM jobs \
       WHERE run_at <= $1 AND dead_at IS NULL AND (leased_until IS NULL OR leased_until < $1) AND kind = ANY ($2) \
       ORDER BY run_at LIMIT 10000) AS those) AS due";
const ALERTS_OPEN: &str =
    "SELECT kind, count(*)::int AS count FROM alerts WHERE closed_at IS NULL GROUP BY kind";
const CAN_READ_STANDBYS: &str =
    "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS can_read";
/// A role sees its own sessions, and those of all with `pg_read_all_stats`. Null where it does not see this one either.
const OLDEST_TRANSACTION: &str = "SELECT CASE WHEN bool_or(pid = pg_backend_pid() AND xact_start IS NOT NULL) \
     THEN coalesce(max(greatest(0, extract(epoch FROM clock_timestamp() - xact_start))) \
         FILTER (WHERE pid <> pg_backend_pid()), 0) END::float8 AS seconds \
     FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'";
const STANDBYS: &str = "SELECT left(coalesce(nullif(application_name, ''), 'pid ' || pid), 80) AS name, \
     state, sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint AS lag_bytes, \
     extract(epoch FROM replay_lag)::float8 AS lag_seconds \
     FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup' ORDER BY name, pid LIMIT 32";

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;
    use crate::testing::TestDb;

    fn standby(state: Option<&str>, sync_state: Option<&str>) -> Standby {
        let text = |text: Option<&str>| text.map(str::to_owned);
        Standby {
            name: "b".into(),
            state: text(state),
            sync_state: text(sync_state),
            lag_bytes: Some(LATE_BYTES),
            lag_seconds: None,
        }
    }

    #[tokio::test]
    async fn a_single_server_tells_its_place_and_that_nobody_copies_it() {
        let test = TestDb::new().await;
        let status = DatabaseStatus::read(&test.db, &test.proof).await.unwrap();
        assert_eq!(status.timeline, 1);
        assert_eq!(status.schema, crate::db::migrate::newest());
        assert!(status.oldest_schema <= status.schema && status.history.ends_with("/1"));
        assert!(!status.waits_for_standby && !status.lacks_standby());
        assert_eq!((status.standbys, status.can_read_standbys), (Vec::new(), false));
        assert_eq!(status.grant, Some(GRANT));
    }

    #[tokio::test]
    async fn the_jobs_that_are_due_are_counted_and_the_first_of_them_has_an_age() {
        let test = TestDb::new().await;
        let of_due = async || {
            let status = DatabaseStatus::read(&test.db, &test.proof).await.unwrap();
            (status.jobs_due, status.oldest_due_job_seconds)
        };
        assert_eq!(of_due().await, (0, 0.0));
        let rows = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
             SELECT gen_random_uuid(), kind, kind, '{}', t, t FROM (SELECT kind, \
             $1::timestamptz - make_interval(mins => age) AS t FROM (VALUES ('mail', 3), ('renewal', 20), \
             ('purge', -5), ('of_tomorrow', 30)) AS v(kind, age)) AS rows";
        let now = test.db.clock().now();
        test.owner().await.execute(rows, &[&now]).await.unwrap();
        let (count, seconds) = of_due().await;
        assert!(count == 2 && (1200.0..1260.0).contains(&seconds), "{count} {seconds}");
    }

    #[tokio::test]
    async fn the_oldest_transaction_of_the_own_login_is_known() {
        let test = TestDb::new().await;
        let oldest = async || {
            let status = DatabaseStatus::read(&test.db, &test.proof).await.unwrap();
            status.oldest_transaction_seconds.unwrap()
        };
        // A look may see the transaction that it has just ended, which a busy machine makes old.
        let is_idle = async || {
            let begun = Instant::now();
            oldest().await < 0.2 + begun.elapsed().as_secs_f64()
        };
        assert!(is_idle().await);
        let open = test.db.tx().await.unwrap();
        open.query("SELECT pg_sleep(0.3)", &[]).await.unwrap();
        let seconds = oldest().await;
        assert!((0.3..60.0).contains(&seconds), "{seconds}");
        open.rollback().await.unwrap();
        assert!(is_idle().await);
        let mut owner = test.owner().await;
        let unseen = owner.transaction().await.unwrap();
        unseen.query_one("SELECT pg_sleep(0.3)", &[]).await.unwrap();
        assert!(is_idle().await, "an administrator grants what shows it");
    }

    #[test]
    fn a_standby_is_behind_by_its_state_its_bytes_or_its_time() {
        let fine = standby(Some("streaming"), Some("sync"));
        assert!(!fine.is_behind() && fine.is_synchronous());
        assert!(standby(Some("catchup"), None).is_behind());
        assert!(!standby(None, None).is_behind(), "nothing is known of it");
        assert!(Standby { lag_bytes: Some(LATE_BYTES + 1), ..fine.clone() }.is_behind());
        assert!(Standby { lag_seconds: Some(31.0), ..fine.clone() }.is_behind());
        let idle = Standby { lag_bytes: Some(0), ..fine.clone() };
        assert_eq!((fine.seconds_behind(), idle.seconds_behind()), (None, Some(0.0)));
        assert!(standby(Some("streaming"), Some("quorum")).is_synchronous());
        assert!(!standby(Some("streaming"), Some("potential")).is_synchronous());
    }

    #[tokio::test]
    async fn commits_that_wait_for_nobody_are_noticed() {
        let test = TestDb::new().await;
        let status = DatabaseStatus::read(&test.db, &test.proof).await.unwrap();
        let waits = DatabaseStatus { waits_for_standby: true, ..status };
        assert!(waits.lacks_standby());
        let served = standby(Some("streaming"), Some("sync"));
        let served = DatabaseStatus { standbys: vec![served], can_read_standbys: true, ..waits };
        assert!(!served.lacks_standby());
        let unknown = DatabaseStatus { standbys: vec![standby(None, None)], ..served.clone() };
        let unreadable = DatabaseStatus { can_read_standbys: false, ..unknown.clone() };
        assert!(unknown.lacks_standby() && !unreadable.lacks_standby());
    }
}
