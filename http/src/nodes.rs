//! What this node tells of itself, and what it sees of the other nodes, the bus and the database. Started by `boot.rs`;
//! read by the admin's page and by probes. Invariants: the database is asked for its state at most once in two seconds,
//! whatever the number of viewers, and whether it is ready by one question at a time.

use std::sync::Arc;
use std::time::Duration;

use bipe_actors::bus::Nodes;
use bipe_actors::bus::node_state::{NodeDatabase, NodeQueues, NodeState, bounded};
use bipe_actors::jobs::Jobs;
use bipe_core::database_status::{DatabaseStatus, Standby};
use bipe_core::db::{Db, PoolUse, migrate};
use bipe_core::scope::JobScope;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::Shutdown;
use crate::live::SocketCounts;

/// Clocks of healthy machines differ by less.
pub const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(2);
/// From one question to the database to the next.
const ASK_EVERY: Duration = Duration::from_secs(2);
/// Slightly longer, so that no tick comes too early.
const TICK: Duration = Duration::from_millis(2_100);
/// A status that is older than this is not shown as the present one.
const MAX_STATUS_AGE: Duration = Duration::from_secs(10);

/// One for all workers; cheap to clone.
#[derive(Clone)]
pub struct NodeWatch(Arc<Inner>);

struct Inner {
    db: Db,
    proof: JobScope,
    since: Timestamp,
    last: Mutex<LastStatus>,
    /// Held during a question.
    asking: tokio::sync::Mutex<()>,
    /// When the database was last asked whether it is ready, and its answer. Held during the question.
    ready: tokio::sync::Mutex<Option<(Instant, bool)>>,
}

#[derive(Clone, Default)]
struct LastStatus {
    asked: Option<Instant>,
    /// The last answer, and when it came.
    answer: Option<(Instant, Arc<DatabaseStatus>)>,
}

/// What a node counts of its own work.
pub struct NodeWork {
    pub sockets: SocketCounts,
    pub jobs: Jobs,
    pub shutdown: watch::Receiver<Shutdown>,
}

impl NodeWatch {
    /// Lets the node tell its state on the bus from now on.
    pub fn start(nodes: &Nodes, db: Db, proof: JobScope, own: NodeWork) -> Self {
        let (since, last) = (db.clock().now(), Mutex::default());
        let (asking, ready) = (tokio::sync::Mutex::default(), tokio::sync::Mutex::default());
        let watch = Self(Arc::new(Inner { db, proof, since, last, asking, ready }));
        let weak = Arc::downgrade(&watch.0);
        nodes.set_own_state(Box::new(move || Some(weak.upgrade()?.state(&own))));
        watch
    }

    /// The database's last answer; none while it does not answer.
    pub async fn database(&self) -> Option<Arc<DatabaseStatus>> {
        self.0.ask().await;
        self.0.last()
    }

    /// Whether the database answers now, with a schema that this build can work with. Anybody may ask, without a limit:
    /// all who come while a question is out share the next one, and leave the connections to the calls.
    pub async fn is_ready(&self) -> bool {
        let came = Instant::now();
        let mut last = self.0.ready.lock().await;
        if let Some((asked, is_ready)) = *last
            && asked >= came
        {
            return is_ready;
        }
        let asked = Instant::now();
        let is_ready = migrate::is_ready(&self.0.db).await;
        *last = Some((asked, is_ready));
        is_ready
    }

    /// Asks the database for the metrics and the other nodes, until the task is aborted.
    pub fn spawn(&self) -> JoinHandle<()> {
        let watch = self.clone();
        self.0.db.runtime().spawn(async move {
            let mut tick = interval(TICK);
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tick.tick().await;
                watch.0.ask().await;
            }
        })
    }
}

impl Inner {
    fn state(&self, own: &NodeWork) -> NodeState {
        let database = self.last();
        let due = database.as_ref().map_or(0, |database| database.jobs_due);
        NodeState {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema: migrate::newest(),
            since: self.since,
            draining: *own.shutdown.borrow() != Shutdown::NotBegun,
            sockets: bounded(own.sockets.open_sockets()),
            channels: 0,
            queues: NodeQueues {
                jobs_due: u32::try_from(due).unwrap_or(u32::MAX),
                jobs_running: bounded(own.jobs.running()),
                database_waiting: bounded(self.db.pools().iter().map(|pool| pool.waiting).sum()),
                ..NodeQueues::default()
            },
            database: database.map(|database| NodeDatabase {
                history: database.history.clone(),
                timeline: database.timeline,
                schema: database.schema,
                oldest_schema: database.oldest_schema,
            }),
        }
    }

    fn last(&self) -> Option<Arc<DatabaseStatus>> {
        let (at, status) = self.last.lock().answer.clone()?;
        (at.elapsed() < MAX_STATUS_AGE).then_some(status)
    }

    async fn ask(&self) {
        let _asking = self.asking.lock().await;
        let is_fresh = |asked: Instant| asked.elapsed() < ASK_EVERY;
        if self.last.lock().asked.is_some_and(is_fresh) {
            return;
        }
        self.last.lock().asked = Some(Instant::now());
        measure_pools(&self.db);
        let read = DatabaseStatus::read(&self.db, &self.proof).await;
        if let Err(error) = &read {
            tracing::warn!(%error, "the database does not tell its state");
        }
        let now = read.ok().map(Arc::new);
        let before = self.last.lock().answer.clone();
        let oldest = |status: &DatabaseStatus| status.oldest_schema;
        let change =
            (before.as_ref().map(|(_, status)| oldest(status)), now.as_deref().map(oldest));
        if has_just_become_too_old(change, migrate::newest()) {
            tracing::error!("{}", migrate::TOO_NEW);
        }
        measure(before.as_ref().map(|(_, status)| &**status), now.as_deref());
        if let Some(now) = now {
            self.last.lock().answer = Some((Instant::now(), now));
        }
    }
}

/// Whether a build with this schema served by the answer before, and may not by that of now.
fn has_just_become_too_old((before, now): (Option<i32>, Option<i32>), own: i32) -> bool {
    let is_too_old = |oldest: Option<i32>| oldest.is_some_and(|oldest| own < oldest);
    is_too_old(now) && !is_too_old(before)
}

/// Also while the database does not answer.
fn measure_pools(db: &Db) {
    for PoolUse { name, used, idle, waiting } in db.pools() {
        for (state, count) in [("used", used), ("idle", idle), ("waiting", waiting)] {
            metrics::gauge!("bipe_database_connections", "pool" => name, "state" => state)
                .set(f64::from(bounded(count)));
        }
    }
}

/// The figures of `/metrics`; not numbers while the database does not answer. A standby that is gone has no lag any
/// more; of two with the same name the later counts.
fn measure(before: Option<&DatabaseStatus>, now: Option<&DatabaseStatus>) {
    metrics::gauge!("bipe_database_answers").set(f64::from(u8::from(now.is_some())));
    let standbys = || now.iter().flat_map(|status| &status.standbys);
    for Standby { name, .. } in before.iter().flat_map(|status| &status.standbys).chain(standbys())
    {
        let same = || standbys().filter(|standby| standby.name == *name);
        let kib = same().filter_map(|standby| u32::try_from(standby.lag_bytes? / 1024).ok()).max();
        metrics::gauge!("bipe_database_replication_lag_bytes", "standby" => name.clone())
            .set(kib.map_or(f64::NAN, |kib| f64::from(kib) * 1024.0));
        let seconds = same().filter_map(Standby::seconds_behind).reduce(f64::max);
        metrics::gauge!("bipe_database_replication_lag_seconds", "standby" => name.clone())
            .set(seconds.unwrap_or(f64::NAN));
    }
    let due = now.map(|status| u32::try_from(status.jobs_due).unwrap_or(u32::MAX));
    metrics::gauge!("bipe_jobs_due").set(due.map_or(f64::NAN, f64::from));
    metrics::gauge!("bipe_jobs_oldest_due_seconds")
        .set(now.map_or(f64::NAN, |status| status.oldest_due_job_seconds));
    for kind in before.into_iter().chain(now).flat_map(|status| status.alerts_open.keys()) {
        let count = now.map(|status| status.alerts_open.get(kind).copied().unwrap_or(0));
        metrics::gauge!("bipe_alerts_open", "kind" => kind.clone())
            .set(count.map_or(f64::NAN, f64::from));
    }
    // To a login that may not read them a base backup looks like a standby.
    let readable = now.filter(|status| status.can_read_standbys);
    let count = |count: fn(&DatabaseStatus) -> usize| {
        readable.map_or(f64::NAN, |status| f64::from(bounded(count(status))))
    };
    metrics::gauge!("bipe_database_standbys").set(count(|status| status.standbys.len()));
    metrics::gauge!("bipe_database_synchronous_standbys")
        .set(count(DatabaseStatus::synchronous_standbys));
    let oldest = now.and_then(|status| status.oldest_transaction_seconds);
    metrics::gauge!("bipe_database_oldest_transaction_seconds").set(oldest.unwrap_or(f64::NAN));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_that_may_not_serve_any_more_says_so_once() {
        let says = |before, now| has_just_become_too_old((before, now), 53);
        assert!(says(Some(31), Some(54)) && says(None, Some(54)));
        assert!(!says(Some(54), Some(54)) && !says(Some(54), None));
        assert!(!says(Some(31), Some(53)) && !says(None, None));
    }
}
