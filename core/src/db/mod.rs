//! The pools, and the only place where a transaction begins (invariant I4).
//!
//! `Db` opens five kinds of transactions: `CompanyTx` (a proven company), `UserTx` (one's own rows), `InviteTx`
//! (what a token shows), `PlatformTx` (jobs and platform admins) and `Tx` (accounts, plans: nothing of a company
//! is visible). A request that only reads asks without one: `ask`, `ask_user` and `ask_company` send a transaction
//! that cannot write as a whole, and whose queries see one moment.
//! Connections live on one tokio runtime, so that a busy web worker never delays their answers.
//!
//! What reaches the database may fail with `Unavailable` (no answer, a time limit, a deadlock), with `Internal`, and
//! with the `Conflict` of a violated constraint (`error::of_constraint`). `# Errors` names what a function adds.

pub mod access;
mod begin;
mod cache_stamp;
mod connection;
pub mod copy;
mod hosts;
pub mod migrate;
mod pool;
mod pool_size;
mod pool_use;
mod pooler;
mod primary;
mod replica;
pub mod roles;
mod session;
pub mod start;
mod statement_log;
mod tx;
pub mod upgrade;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio_postgres::Row;

use access::{Login, ReplicaLogin, Warnings};
pub use cache_stamp::CacheStamp;
use connection::Pool;
pub use migrate::is_ready;
use pool::ConnectionSource;
pub use pool_size::PoolSize;
pub use pool_use::PoolUse;
use primary::NewestPrimary;
use replica::Replica;
pub use replica::WithAge;
use session::{Durability, Sessions, TxPrelude};
#[cfg(feature = "testing")]
pub use statement_log::SentStatement;
use statement_log::StatementLog;
use tx::{AllCompanies, OneInvite, SingleUser};
pub use tx::{AppendStatement, CompanyTx, InviteTx, PlatformTx, Tx, UserTx};
pub(crate) use tx::{AuditRow, JobRow, Params, Query};

use crate::clock::Clock;
use crate::error::Result;
use crate::event::Event;
use crate::id::UserId;
use crate::scope::{AdminScope, CompanyScope, JobScope};
use crate::secret::hex;

/// The role that does all work (`migrations/V001__roles.sql`).
pub const APP_ROLE: &str = "bipe_app";
/// Batches of committed events waiting for the relay; what does not fit is found by the head check.
const EVENT_QUEUE: usize = 4096;

/// How long the cleaning of a connection may take before its next use.
const RECYCLE_TIME: Duration = Duration::from_secs(2);
/// How long to wait for one statement of the figures, which the server itself ends after 15 seconds.
const FIGURES_TIME: Duration = Duration::from_secs(18);
/// How long to wait for one statement of a survey, which the server itself ends after 60 seconds.
const SURVEY_TIME: Duration = Duration::from_secs(65);

/// What opening the database gives.
pub struct OpenedDb {
    pub db: Db,
    /// The proof of the platform's own work.
    pub proof: JobScope,
    /// The events of this process's commits, for the relay.
    pub committed: mpsc::Receiver<Vec<Event>>,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    requests: Pool,
    jobs: Pool,
    /// The replica of `DATABASE_READ_URL`; `None` without that setting.
    replica: Option<Arc<Replica>>,
    size: PoolSize,
    prelude: TxPrelude,
    newest: NewestPrimary,
    warnings: Warnings,
    runtime: Handle,
    clock: Clock,
    committed: mpsc::Sender<Vec<Event>>,
    jobs_added: Notify,
    access_changes: AtomicU64,
    unannounced: AtomicU64,
    statement_log: StatementLog,
}

impl Db {
    /// Makes the pools; the first connection is made by the first query. `runtime` is the multi-threaded
    /// runtime that drives the connections.
    ///
    /// # Errors
    /// `Internal` when a pool cannot be built.
    pub fn open(login: Login, runtime: Handle, clock: Clock) -> Result<OpenedDb> {
        Self::open_reading(login, None, runtime, clock)
    }

    /// As [`Db::open`], with a replica that answers reads of platform admins.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_reading(
        login: Login,
        replica: Option<ReplicaLogin>,
        runtime: Handle,
        clock: Clock,
    ) -> Result<OpenedDb> {
        let replica = replica.map(|replica| Replica::open(replica, runtime.clone(), clock.clone()));
        let replica = replica.transpose()?.map(Arc::new);
        Self::open_with(login, replica, Durability::Synced, runtime, clock)
    }

    /// As [`Db::open`], without waiting for the disk: a power cut may take what was committed last. Only for rows that
    /// can be made anew.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_unsynced(login: Login, runtime: Handle, clock: Clock) -> Result<OpenedDb> {
        Self::open_with(login, None, Durability::Unsynced, runtime, clock)
    }

    fn open_with(
        mut login: Login,
        replica: Option<Arc<Replica>>,
        durability: Durability,
        runtime: Handle,
        clock: Clock,
    ) -> Result<OpenedDb> {
        if login.sessions == Sessions::Own {
            login.config.options(session::options(durability));
        }
        login.config.application_name("bipe");
        let (size, prelude) = (login.pool, TxPrelude::new(login.sessions, durability));
        let newest = NewestPrimary::default();
        let source = ConnectionSource::new(login, runtime.clone(), clock.clone(), newest.clone());
        let (announced, committed) = mpsc::channel(EVENT_QUEUE);
        let inner = Inner {
            requests: source.pool(size.requests)?,
            jobs: source.pool(size.jobs)?,
            replica,
            size,
            prelude,
            newest,
            warnings: source.warnings(),
            runtime,
            clock,
            committed: announced,
            jobs_added: Notify::new(),
            access_changes: AtomicU64::new(0),
            unannounced: AtomicU64::new(0),
            statement_log: StatementLog::default(),
        };
        let (proof, db) = (JobScope::of_opened_database(), Self(Arc::new(inner)));
        if let Some(replica) = db.0.replica.clone() {
            db.runtime().spawn(replica.watch(Arc::downgrade(&db.0)));
        }
        Ok(OpenedDb { db, proof, committed })
    }

    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// The runtime for database and provider work; `spawn` here what must outlive a request.
    pub fn runtime(&self) -> &Handle {
        &self.0.runtime
    }

    /// A transaction that sees accounts and plans, and no company's data.
    pub async fn tx(&self) -> Result<Tx> {
        self.begin(&self.0.requests, "").await
    }

    /// As [`Db::tx`], on the pool of jobs and relay, which requests cannot exhaust.
    pub async fn job_tx(&self) -> Result<Tx> {
        self.begin(&self.0.jobs, "").await
    }

    /// A transaction that sees the memberships and companies of one person.
    pub async fn user_tx(&self, user: UserId) -> Result<UserTx> {
        let tx = self.begin(&self.0.requests, &as_user(user)).await?;
        Ok(UserTx::new(tx, SingleUser))
    }

    /// One row that no company or person owns, in a round trip of its own.
    pub async fn ask(&self, sql: &str, params: Params<'_>) -> Result<Option<Row>> {
        let [mut rows] = self.ask_once(&self.0.requests, "", [(sql, params)]).await?;
        Ok(rows.pop())
    }

    /// At most one row, as that person sees it, in a round trip of its own.
    pub async fn ask_as(&self, user: UserId, sql: &str, params: Params<'_>) -> Result<Option<Row>> {
        let [mut rows] = self.ask_user(user, [(sql, params)]).await?;
        Ok(rows.pop())
    }

    /// The rows of each query, as that person sees them, all in one round trip.
    pub(crate) async fn ask_user<const N: usize>(
        &self,
        user: UserId,
        queries: [Query<'_>; N],
    ) -> Result<[Vec<Row>; N]> {
        self.ask_once(&self.0.requests, &as_user(user), queries).await
    }

    /// The rows of each query, as the company sees them, all in one round trip; for a request or a job.
    pub(crate) async fn ask_company<const N: usize>(
        &self,
        scope: &CompanyScope,
        queries: [Query<'_>; N],
    ) -> Result<[Vec<Row>; N]> {
        self.ask_once(self.pool_of(scope), &as_company(scope), queries).await
    }

    /// A transaction that sees one invitation and its company. The hash of its token is the proof.
    pub async fn invite_tx(&self, token_sha256: &[u8; 32]) -> Result<InviteTx> {
        let token = format!("SET LOCAL bipe.invite_sha256 = '\\x{}'", hex(token_sha256));
        Ok(InviteTx::new(self.begin(&self.0.requests, &token).await?, OneInvite))
    }

    /// A transaction for one company; everybody else's rows are invisible to it.
    pub async fn company_tx(&self, scope: &CompanyScope) -> Result<CompanyTx> {
        let tx = self.begin(self.pool_of(scope), &as_company(scope)).await?;
        Ok(CompanyTx::new(tx, *scope))
    }

    /// As [`Db::company_tx`], with the rows of its first queries, which travel with its beginning.
    pub(crate) async fn company_tx_with<const N: usize>(
        &self,
        scope: &CompanyScope,
        queries: [Query<'_>; N],
    ) -> Result<(CompanyTx, [Vec<Row>; N])> {
        let (tx, rows) = self.begin_with(self.pool_of(scope), &as_company(scope), queries).await?;
        Ok((CompanyTx::new(tx, *scope), rows))
    }

    /// Jobs and live readers take no connection from requests.
    fn pool_of(&self, scope: &CompanyScope) -> &Pool {
        if scope.user_id().is_some() { &self.0.requests } else { &self.0.jobs }
    }

    /// A transaction across companies.
    pub async fn platform_tx(&self, _proof: &JobScope) -> Result<PlatformTx> {
        Ok(PlatformTx::new(self.begin(&self.0.jobs, AS_PLATFORM).await?, AllCompanies))
    }

    /// A transaction across companies for a platform admin's request.
    pub async fn admin_tx(&self, _proof: &AdminScope) -> Result<PlatformTx> {
        Ok(PlatformTx::new(self.begin(&self.0.requests, AS_PLATFORM).await?, AllCompanies))
    }

    /// A snapshot across companies, for what is put together from several reads: figures, and all data of a person. The
    /// platform itself may tell what it read.
    pub async fn figures_tx(&self, _proof: &JobScope) -> Result<PlatformTx> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ";
        let tx = self.begin_as(&self.0.jobs, begin, FIGURES, FIGURES_TIME).await?;
        Ok(PlatformTx::new(tx, AllCompanies))
    }

    /// A transaction across companies whose statements may read whole tables: no request waits for them.
    pub async fn survey_tx(&self, _proof: &JobScope) -> Result<PlatformTx> {
        let tx = self.begin_as(&self.0.jobs, "BEGIN", SURVEY, SURVEY_TIME).await?;
        Ok(PlatformTx::new(tx, AllCompanies))
    }

    /// Resolves when the database has become another one: after a failover, a restore, a restart. For one caller.
    pub async fn server_changed(&self) {
        self.0.newest.changed().await;
    }

    /// Resolves when a transaction that added a job has committed on this node.
    pub async fn job_added(&self) {
        self.0.jobs_added.notified().await;
    }

    /// The pools refuse new work from now on; work that runs goes on to its end.
    pub fn close(&self) {
        self.0.requests.close();
        self.0.jobs.close();
        if let Some(replica) = &self.0.replica {
            replica.close();
        }
    }

    /// Jobs that this node runs at once.
    pub fn jobs_at_once(&self) -> usize {
        self.0.size.jobs_at_once()
    }

    /// Connections that the pools hold at most.
    fn connections(&self) -> usize {
        self.0.size.connections()
    }

    fn is_pooled(&self) -> bool {
        self.0.prelude.is_pooled()
    }

    /// How many commits that this node knows of have changed what somebody may see.
    pub fn access_changes(&self) -> u64 {
        self.0.access_changes.load(Ordering::Acquire)
    }

    /// What somebody may see has changed, by a commit of this node or of another one.
    pub fn note_access_change(&self) {
        self.0.access_changes.fetch_add(1, Ordering::Release);
    }

    /// How both pools are used now.
    pub fn pools(&self) -> [PoolUse; 2] {
        [PoolUse::of("requests", &self.0.requests), PoolUse::of("jobs", &self.0.jobs)]
    }

    fn announce(&self, events: Vec<Event>) {
        if events.iter().any(|event| event.name.changes_access()) {
            self.note_access_change();
        }
        if self.0.committed.try_send(events).is_err() {
            // The queue is full or the relay is gone.
            self.leave_to_head_check();
        }
    }

    /// The relay is not told of a commit, or of one that may have happened.
    fn leave_to_head_check(&self) {
        metrics::counter!("bipe_events_left_to_head_check_total").increment(1);
        self.0.unannounced.fetch_add(1, Ordering::Release);
    }

    /// How many commits of this node the relay was not told of: it has to compare heads.
    pub fn unannounced(&self) -> u64 {
        self.0.unannounced.load(Ordering::Acquire)
    }

    /// From now on statements are kept, for the two calls below.
    #[cfg(feature = "testing")]
    pub(crate) fn keep_statements(&self) {
        self.0.statement_log.keep();
    }

    /// What was run since the last call, for tests that compare the work of two answers.
    #[cfg(feature = "testing")]
    pub fn take_statements(&self) -> Vec<String> {
        let ran = self.take_statement_log().into_iter().filter(|sent| !sent.is_transaction_control);
        ran.map(|sent| sent.sql).collect()
    }

    /// As [`Db::take_statements`], with the beginnings and the ends of transactions, for tests that count.
    #[cfg(feature = "testing")]
    pub fn take_statement_log(&self) -> Vec<SentStatement> {
        self.0.statement_log.take()
    }

    fn statement_log(&self) -> &StatementLog {
        &self.0.statement_log
    }

    fn warnings(&self) -> u64 {
        self.0.warnings.count()
    }

    /// The runner of this node looks for due jobs.
    pub(crate) fn announce_jobs(&self) {
        self.0.jobs_added.notify_one();
    }
}

const AS_PLATFORM: &str = "SET LOCAL ROLE bipe_platform";
const FIGURES: &str = "SET LOCAL ROLE bipe_platform; SET LOCAL statement_timeout = 15000";
const SURVEY: &str = "SET LOCAL ROLE bipe_platform; SET LOCAL statement_timeout = 60000";

fn as_company(scope: &CompanyScope) -> String {
    format!("SET LOCAL bipe.company_id = '{}'", scope.company_id())
}

fn as_user(user: UserId) -> String {
    format!("SET LOCAL bipe.user_id = '{user}'")
}
