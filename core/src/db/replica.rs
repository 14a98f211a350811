//! Reads of platform admins that a replica may answer: figures, their files and searches (`DATABASE_READ_URL`).
//! Called by `Db::figures` and `Db::search`. Nothing here decides about access or money, and nothing is written.
//!
//! Invariant: a replica that is gone, late or foreign fails no request and delays it by a second at most, once; one
//! that freezes under a read, by three. The primary answers in its place, also where a read takes ten seconds, and
//! `bipe_database_read_fallback_total` counts why. One task looks at the replica every two seconds; one that may not
//! answer is left alone for ten.

mod judge;
mod refusal;

use std::sync::{Arc, Weak};
use std::time::Duration;

use deadpool_postgres::Timeouts;
use jiff::SignedDuration;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::access::ReplicaLogin;
use super::begin::SNAPSHOT;
use super::connection::{Object, Pool, Residue};
use super::pool::ConnectionSource;
use super::primary::NewestPrimary;
use super::session::{Durability, Pooling, Sessions, TxPrelude};
use super::{
    AS_PLATFORM, AllCompanies, Db, FIGURES, FIGURES_TIME, Inner, PlatformTx, Query, RECYCLE_TIME,
    Tx, begin,
};
use crate::audit::action::AuditAction;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::id::UserId;
use crate::scope::AdminScope;
use judge::{PRIMARY, PrimaryState, REPLICA, Reason, ReplicaState};
use refusal::Refusal;

/// Connections of one node to the replica: for reads, and one that watches it.
const READ_CONNECTIONS: usize = 4;
const PROBE_CONNECTIONS: usize = 1;
/// From the search for a connection to the replica's word on itself.
const OPEN_TIME: Duration = Duration::from_secs(1);
/// How long a read waits for another one's connection.
const WAIT_TIME: Duration = Duration::from_millis(400);
/// For a whole read. Beyond it the primary is asked.
const READ_TIME: Duration = Duration::from_secs(10);
/// From one probe to the next.
const PROBE_EVERY: Duration = Duration::from_secs(2);
const AVOIDED_FOR: Duration = Duration::from_secs(10);
/// Longer than any replica that may answer is behind, and than clocks of nodes differ.
const RECENT: SignedDuration = SignedDuration::from_mins(5);
/// What a person who only looks around leaves in the audit.
const ACTS_THAT_ONLY_READ: [AuditAction; 8] = [
    AuditAction::AuditRead,
    AuditAction::CompanyRead,
    AuditAction::CompanySearch,
    AuditAction::MetricsExport,
    AuditAction::PaymentRead,
    AuditAction::PaymentSearch,
    AuditAction::UserRead,
    AuditAction::UserSearch,
];

/// A value and the age of the data that it was read from; none when the primary answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithAge<T> {
    pub value: T,
    pub age: Option<Duration>,
}

/// How long the statements of a read may run, and how long their answers are waited for.
#[derive(Clone, Copy)]
struct ReadLimits {
    statements: &'static str,
    answer_time: Duration,
}

const FIGURE: ReadLimits = ReadLimits { statements: FIGURES, answer_time: FIGURES_TIME };
const SEARCH: ReadLimits = ReadLimits { statements: AS_PLATFORM, answer_time: begin::ANSWER_TIME };

/// Whether the replica is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Availability {
    Usable,
    Avoided { reason: Reason, until: Instant },
}

/// A moment at which a server, by its start, had everything.
#[derive(Clone, Copy)]
struct CaughtUp {
    started: i64,
    at: Instant,
}

/// The replica as one node sees it.
pub(super) struct Replica {
    reads: Pool,
    probes: Pool,
    prelude: TxPrelude,
    refuses_unbound: bool,
    availability: watch::Sender<Availability>,
    /// A read has failed: probe now.
    doubted: Notify,
    /// Which server had everything last, and when.
    caught_up: Mutex<Option<CaughtUp>>,
}

impl Db {
    /// Figures of the platform from one snapshot, in 15 seconds a statement at most. `read` may run a second time.
    ///
    /// # Errors
    /// Those of `read` on the primary, and `Unavailable` when that one does not answer.
    pub async fn figures<T>(
        &self,
        admin: &AdminScope,
        read: impl AsyncFn(&PlatformTx) -> Result<T>,
    ) -> Result<WithAge<T>> {
        self.read(FIGURE, admin, read).await
    }

    /// As [`Db::figures`], for a search, in 5 seconds a statement at most.
    ///
    /// # Errors
    /// As `figures`.
    pub async fn search<T>(
        &self,
        admin: &AdminScope,
        read: impl AsyncFn(&PlatformTx) -> Result<T>,
    ) -> Result<WithAge<T>> {
        self.read(SEARCH, admin, read).await
    }

    async fn read<T>(
        &self,
        limits: ReadLimits,
        admin: &AdminScope,
        read: impl AsyncFn(&PlatformTx) -> Result<T>,
    ) -> Result<WithAge<T>> {
        if let Some(replica) = &self.0.replica {
            match self.read_replica(replica, limits, admin.user_id(), &read).await? {
                Ok(aged) => return Ok(aged),
                Err(reason) => {
                    let reason = reason.as_str();
                    metrics::counter!("bipe_database_read_fallback_total", "reason" => reason)
                        .increment(1);
                }
            }
        }
        let ReadLimits { statements, answer_time } = limits;
        let tx = self.begin_as(&self.0.requests, SNAPSHOT, statements, answer_time).await?;
        Ok(WithAge { value: read(&PlatformTx::new(tx, AllCompanies)).await?, age: None })
    }

    /// Why the replica is not asked now; none while it is.
    #[cfg(feature = "testing")]
    pub fn replica_avoided(&self) -> Option<&'static str> {
        let availability = *self.0.replica.as_ref()?.availability.borrow();
        match availability {
            Availability::Usable => None,
            Availability::Avoided { reason, .. } => Some(reason.as_str()),
        }
    }

    /// # Errors
    /// `Unavailable` when the primary is silent: then it cannot answer in the replica's place either.
    async fn read_replica<T>(
        &self,
        replica: &Replica,
        limits: ReadLimits,
        person: UserId,
        read: impl AsyncFn(&PlatformTx) -> Result<T>,
    ) -> Result<Result<WithAge<T>, Reason>> {
        let availability = *replica.availability.borrow();
        if let Availability::Avoided { reason, .. } = availability {
            return Ok(Err(reason));
        }
        let asked = Instant::now();
        let primary = self.ask_primary(Some(person)).await?;
        Ok(replica.read(self, limits, (asked, &primary), read).await)
    }

    /// What the primary says of itself, and of a person's newest act.
    async fn ask_primary(&self, person: Option<UserId>) -> Result<PrimaryState> {
        let since = self.clock().now().checked_sub(RECENT).map_err(Error::internal)?;
        let acts = ACTS_THAT_ONLY_READ.as_slice();
        let query: Query<'_> = (PRIMARY, &[&person, &since, &acts]);
        let [rows] = self.ask_once(&self.0.requests, AS_PLATFORM, [query]).await?;
        PrimaryState::try_from(
            rows.first().ok_or_else(|| Error::internal("the database has no history"))?,
        )
    }
}

impl Replica {
    /// # Errors
    /// `Internal` when a pool cannot be built.
    pub fn open(login: ReplicaLogin, runtime: Handle, clock: Clock) -> Result<Self> {
        let ReplicaLogin { mut login, refuses_unbound } = login;
        // Settings and role travel with each transaction, so that a pooler may stand between. Which server answers is
        // asked in each transaction, too.
        login.sessions = Sessions::Pooled(Pooling::Transaction);
        login.config.application_name("bipe");
        let prelude = TxPrelude::new(login.sessions, Durability::Synced);
        let source = ConnectionSource::new(login, runtime, clock, NewestPrimary::default());
        let unasked = Availability::Avoided { reason: Reason::Unasked, until: Instant::now() };
        Ok(Self {
            reads: source.pool(READ_CONNECTIONS)?,
            probes: source.pool(PROBE_CONNECTIONS)?,
            prelude,
            refuses_unbound,
            availability: watch::Sender::new(unasked),
            doubted: Notify::new(),
            caught_up: Mutex::default(),
        })
    }

    pub fn close(&self) {
        self.reads.close();
        self.probes.close();
    }

    /// Probes the replica until the database is closed.
    pub async fn watch(self: Arc<Self>, db: Weak<Inner>) {
        while let Some(db) = db.upgrade().map(Db).filter(|db| !db.0.requests.is_closed()) {
            self.probe(&db).await;
            drop(db);
            tokio::select! {
                () = sleep(PROBE_EVERY) => {}
                () = self.doubted.notified() => {}
            }
        }
    }

    async fn probe(&self, db: &Db) {
        let before = *self.availability.borrow();
        let asked = Instant::now();
        if matches!(before, Availability::Avoided { until, .. } if asked < until) {
            return;
        }
        // Nothing can be said of a copy while the original is silent.
        let Ok(primary) = db.ask_primary(None).await else { return };
        let age = match self.begin(&self.probes, AS_PLATFORM, &primary).await {
            Ok((client, state)) => {
                end(client).await;
                self.judge(&primary, &state, asked)
            }
            Err(refusal) => Err(refusal),
        };
        match age {
            Ok(age) => {
                metrics::gauge!("bipe_database_read_age_seconds").set(age.as_secs_f64());
                if before != Availability::Usable {
                    tracing::info!(?age, "the replica of DATABASE_READ_URL answers reads");
                    self.availability.send_replace(Availability::Usable);
                }
            }
            Err(refusal) => drop(self.avoid(refusal)),
        }
    }

    async fn read<T>(
        &self,
        db: &Db,
        limits: ReadLimits,
        (asked, primary): (Instant, &PrimaryState),
        read: impl AsyncFn(&PlatformTx) -> Result<T>,
    ) -> Result<WithAge<T>, Reason> {
        let begun = self.begin(&self.reads, limits.statements, primary).await;
        let (client, state) = begun.map_err(|refusal| self.avoid(refusal))?;
        let tx =
            PlatformTx::new(Tx::on_replica(client, db.clone(), limits.answer_time), AllCompanies);
        let age = self.judge(primary, &state, asked).map_err(|refusal| self.avoid(refusal))?;
        if !state.has_act {
            return Err(Reason::OwnAct);
        }
        tokio::select! {
            answer = timeout(READ_TIME, read(&tx)) => match answer {
                Ok(Ok(value)) => return Ok(WithAge { value, age: Some(age) }),
                Ok(Err(error)) => tracing::warn!(%error, "a read of the replica failed"),
                Err(_late) => tracing::warn!("a read of the replica took too long"),
            },
            () = self.lost() => return Err(Reason::Unreachable),
        }
        self.doubted.notify_one();
        Err(Reason::Failed)
    }

    /// Begins a transaction and asks the replica what it is.
    async fn begin(
        &self,
        pool: &Pool,
        statements: &str,
        primary: &PrimaryState,
    ) -> Result<(Object, ReplicaState), Refusal> {
        let begin = format!("{}; {statements}", self.prelude.plain(SNAPSHOT));
        let asking = self.ask(pool, &begin, primary.newest_act);
        timeout(OPEN_TIME, asking).await.unwrap_or_else(|_late| {
            Err(Refusal { reason: Reason::Unreachable, why: "no answer in time".to_owned() })
        })
    }

    async fn ask(
        &self,
        pool: &Pool,
        begin: &str,
        act: Option<Uuid>,
    ) -> Result<(Object, ReplicaState), Refusal> {
        loop {
            let mut client =
                pool.timeout_get(&Timeouts { wait: Some(WAIT_TIME), ..pool.timeouts() }).await?;
            let is_new = Object::metrics(&client).recycle_count == 0;
            let opening = self.prelude.opening(client.begin_use(), begin);
            let asked = async {
                client.batch_execute(&opening).await?;
                client.query_one(&client.prepare_cached(REPLICA).await?, &[&act]).await
            };
            match asked.await {
                Ok(row) => return Ok((client, ReplicaState::try_from(&row)?)),
                Err(error) => {
                    drop(Object::take(client));
                    // The replica has restarted since this connection was used last.
                    if is_new || error.as_db_error().is_some() {
                        return Err(error.into());
                    }
                }
            }
        }
    }

    fn judge(
        &self,
        primary: &PrimaryState,
        state: &ReplicaState,
        asked: Instant,
    ) -> Result<Duration, Refusal> {
        if self.refuses_unbound && state.is_unbound {
            let why = "its login may bypass row-level security".to_owned();
            return Err(Refusal { reason: Reason::Login, why });
        }
        let mut caught_up = self.caught_up.lock();
        let same_server = caught_up.filter(|caught_up| caught_up.started == state.started);
        let since_caught_up = same_server.map(|caught_up| caught_up.at.elapsed());
        let age = judge::age(primary, state, asked.elapsed(), since_caught_up);
        if age.is_ok() && state.has_caught_up_with(primary) {
            *caught_up = Some(CaughtUp { started: state.started, at: asked });
        }
        age.map_err(|reason| Refusal {
            reason,
            why: format!("it says {state:?}, and the primary {primary:?}"),
        })
    }

    /// Leaves the replica alone for a while. Another one's work on it is no reason.
    fn avoid(&self, Refusal { reason, why }: Refusal) -> Reason {
        if reason == Reason::Busy {
            return reason;
        }
        metrics::gauge!("bipe_database_read_age_seconds").set(f64::NAN);
        let until = Instant::now() + AVOIDED_FOR;
        let before = self.availability.send_replace(Availability::Avoided { reason, until });
        for pool in [&self.reads, &self.probes] {
            pool.retain(|_, _| false);
        }
        if !matches!(before, Availability::Avoided { reason: known, .. } if known == reason) {
            let reason = reason.as_str();
            tracing::error!(reason, why, "the replica of DATABASE_READ_URL is not used");
        }
        if reason == Reason::OtherDatabase {
            let reason = reason.as_str();
            metrics::counter!("bipe_database_refused_total", "reason" => reason).increment(1);
        }
        reason
    }

    /// Resolves when the replica does not answer any more.
    async fn lost(&self) {
        let is_lost = |availability: &Availability| {
            matches!(availability, Availability::Avoided { reason: Reason::Unreachable, .. })
        };
        // The sender lives as long as this.
        drop(self.availability.subscribe().wait_for(is_lost).await);
    }
}

/// Ends a transaction that has only asked. Where that fails the next question notices.
async fn end(mut client: Object) {
    let ended = timeout(RECYCLE_TIME, client.batch_execute("ROLLBACK")).await;
    if matches!(ended, Ok(Ok(()))) {
        client.end_use(Residue::Nothing);
    } else {
        drop(Object::take(client));
    }
}
