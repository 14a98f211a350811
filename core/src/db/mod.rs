//! The pools, and the only place where a transaction begins (invariant I4).
//!
//! `Db` opens five kinds of transactions: `CompanyTx` (a proven company), `PersonTx` (one's own rows), `InviteTx`
//! (what a token shows), `PlatformTx` (jobs and platform admins) and `Tx` (accounts, plans: nothing of a company
//! is visible).
//! Connections live on one tokio runtime, so that a busy web worker never delays their answers.

pub mod access;
mod asked;
pub mod migrate;
mod pool;
mod primary;
pub mod roles;
mod tx;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::{Object, Pool};
use futures_util::future::{FutureExt, join3, try_join};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_postgres::Row;

use access::{Login, Warnings};
pub use asked::Asked;
use pool::ConnectionSource;
pub(crate) use tx::Params;
use tx::{AllCompanies, OneInvite, OnePerson};
pub use tx::{CompanyTx, InviteTx, PersonTx, PlatformTx, Tx};

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::UserId;
use crate::scope::{AdminScope, CompanyScope, JobScope};

/// The role that does all work (`migrations/V001__roles.sql`).
pub const APP_ROLE: &str = "bipe_app";
/// Batches of committed events waiting for the relay; what does not fit is found by the head check.
pub const EVENT_QUEUE: usize = 4096;

const REQUEST_CONNECTIONS: usize = 12;
/// For jobs, and beside them the relay, live readers and webhooks that come in.
const JOB_CONNECTIONS: usize = 10;
/// Jobs that a node runs at once: each holds one of those connections at a time, so that none waits for another
/// one's, and two are left for the rest.
pub const JOBS_AT_ONCE: usize = JOB_CONNECTIONS - 2;
/// Undoes everything that the last user of a connection left. Sent ahead of every transaction, in the same round trip.
const RECYCLE: &str = "ROLLBACK; RESET ALL; SELECT pg_advisory_unlock_all()";
const RECYCLE_TIME: Duration = Duration::from_secs(2);
/// For one statement: the server itself gives up earlier (`statement_timeout`), so an answer that is later than this
/// will not come.
const ANSWER_TIME: Duration = Duration::from_secs(8);
/// The same for the figures, whose statements may take 15 seconds.
const FIGURES_TIME: Duration = Duration::from_secs(18);
/// In the start-up options, so that `RESET ALL` restores them. Milliseconds.
const OPTIONS: &str = "-c statement_timeout=5000 -c lock_timeout=2000 \
     -c idle_in_transaction_session_timeout=10000 -c TimeZone=UTC -c synchronous_commit=";

/// What opening the database gives.
pub struct Opened {
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
    warnings: Warnings,
    runtime: Handle,
    clock: Clock,
    committed: mpsc::Sender<Vec<Event>>,
    jobs_added: Notify,
    access_changes: AtomicU64,
    unannounced: AtomicU64,
    #[cfg(feature = "testing")]
    statements: parking_lot::Mutex<Vec<String>>,
}

impl Db {
    /// Makes the pools; the first connection is made by the first query. `runtime` is the multi-threaded
    /// runtime that drives the connections.
    ///
    /// # Errors
    /// `Internal` when a pool cannot be built.
    pub fn open(login: Login, runtime: Handle, clock: Clock) -> Result<Opened> {
        Self::open_with(login, &format!("{OPTIONS}on"), runtime, clock)
    }

    /// The same without waiting for the disk: a power cut may take what was committed last. Only for rows that can
    /// be made anew.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_unsynced(login: Login, runtime: Handle, clock: Clock) -> Result<Opened> {
        Self::open_with(login, &format!("{OPTIONS}off"), runtime, clock)
    }

    fn open_with(mut login: Login, options: &str, runtime: Handle, clock: Clock) -> Result<Opened> {
        login.config.options(options);
        login.config.application_name("bipe");
        let source = ConnectionSource::new(login, runtime.clone(), clock.clone());
        let (announced, committed) = mpsc::channel(EVENT_QUEUE);
        let inner = Inner {
            requests: source.pool(REQUEST_CONNECTIONS)?,
            jobs: source.pool(JOB_CONNECTIONS)?,
            warnings: source.warnings(),
            runtime,
            clock,
            committed: announced,
            jobs_added: Notify::new(),
            access_changes: AtomicU64::new(0),
            unannounced: AtomicU64::new(0),
            #[cfg(feature = "testing")]
            statements: parking_lot::Mutex::default(),
        };
        let proof = JobScope::of_opened_database();
        Ok(Opened { db: Self(Arc::new(inner)), proof, committed })
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
        self.begin(&self.0.requests, "BEGIN").await
    }

    /// The same on the pool of jobs and relay, which requests cannot exhaust.
    pub async fn job_tx(&self) -> Result<Tx> {
        self.begin(&self.0.jobs, "BEGIN").await
    }

    /// A transaction that sees the memberships and companies of one person.
    pub async fn person_tx(&self, user: UserId) -> Result<PersonTx> {
        let begin = format!("BEGIN; {}", as_person(user));
        Ok(PersonTx::new(self.begin(&self.0.requests, &begin).await?, OnePerson))
    }

    /// One row that no company or person owns, in a round trip of its own.
    pub async fn ask(&self, sql: &str, params: Params<'_>) -> Result<Option<Row>> {
        self.ask_once("BEGIN READ ONLY", sql, params).await
    }

    /// The same as that person sees it.
    pub async fn ask_as(&self, user: UserId, sql: &str, params: Params<'_>) -> Result<Option<Row>> {
        let begin = format!("BEGIN READ ONLY; {}", as_person(user));
        self.ask_once(&begin, sql, params).await
    }

    /// A transaction that sees one invitation and its company. The hash of its token is the proof.
    pub async fn invite_tx(&self, token_sha256: &[u8; 32]) -> Result<InviteTx> {
        let hex: String = token_sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        let begin = format!("BEGIN; SELECT set_config('bipe.invite_sha256', '\\x{hex}', true)");
        Ok(InviteTx::new(self.begin(&self.0.requests, &begin).await?, OneInvite))
    }

    /// A transaction for one company; everybody else's rows are invisible to it.
    pub async fn company_tx(&self, scope: &CompanyScope) -> Result<CompanyTx> {
        let company = scope.company_id();
        let begin = format!("BEGIN; SELECT set_config('bipe.company_id', '{company}', true)");
        let pool = if scope.user_id().is_some() { &self.0.requests } else { &self.0.jobs };
        Ok(CompanyTx::new(self.begin(pool, &begin).await?, *scope))
    }

    /// A transaction across companies.
    pub async fn platform_tx(&self, _proof: &JobScope) -> Result<PlatformTx> {
        let begin = "BEGIN; SET LOCAL ROLE bipe_platform";
        Ok(PlatformTx::new(self.begin(&self.0.jobs, begin).await?, AllCompanies))
    }

    /// The same for a platform admin's request.
    pub async fn admin_tx(&self, _proof: &AdminScope) -> Result<PlatformTx> {
        let begin = "BEGIN; SET LOCAL ROLE bipe_platform";
        Ok(PlatformTx::new(self.begin(&self.0.requests, begin).await?, AllCompanies))
    }

    /// A snapshot across companies, for figures that are put together from several reads.
    pub async fn analytics_tx(&self, _proof: &AdminScope) -> Result<PlatformTx> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE bipe_platform; \
             SET LOCAL statement_timeout = 15000";
        let tx = self.begin_within(&self.0.requests, begin, FIGURES_TIME).await?;
        Ok(PlatformTx::new(tx, AllCompanies))
    }

    /// The same for the platform itself, which may tell what it read.
    pub async fn figures_tx(&self, _proof: &JobScope) -> Result<PlatformTx> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL ROLE bipe_platform; \
             SET LOCAL statement_timeout = 15000";
        let tx = self.begin_within(&self.0.jobs, begin, FIGURES_TIME).await?;
        Ok(PlatformTx::new(tx, AllCompanies))
    }

    /// Resolves when a transaction that added a job has committed on this node.
    pub async fn job_added(&self) {
        self.0.jobs_added.notified().await;
    }

    /// Waits for nothing: the pools refuse new work and let the running one end.
    pub fn close(&self) {
        self.0.requests.close();
        self.0.jobs.close();
    }

    async fn begin(&self, pool: &Pool, statements: &str) -> Result<Tx> {
        self.begin_within(pool, statements, ANSWER_TIME).await
    }

    async fn begin_within(
        &self,
        pool: &Pool,
        statements: &str,
        answer_time: Duration,
    ) -> Result<Tx> {
        loop {
            let client = pool.get().await?;
            let begun = async { Ok(client.batch_execute(statements).await) };
            match try_join(recycle(&client), begun).await {
                Ok(((), begun)) => {
                    begun?;
                    return Ok(Tx::new(client, self.clone(), answer_time));
                }
                Err(Unclean) => retire(client)?,
            }
        }
    }

    /// Beginning, statement and end travel together, so that a cancelled request leaves no transaction open.
    async fn ask_once(&self, begin: &str, sql: &str, params: Params<'_>) -> Result<Option<Row>> {
        self.note_statement(sql);
        loop {
            let client = self.0.requests.get().await?;
            let answer = timeout(ANSWER_TIME, ask(&client, begin, sql, params));
            match try_join(recycle(&client), answer.map(Ok)).await {
                Ok(((), Ok(row))) => return Ok(row?),
                Ok(((), Err(_late))) => {
                    drop(Object::take(client));
                    return Err(Error::unavailable(2));
                }
                Err(Unclean) => retire(client)?,
            }
        }
    }

    /// How many commits of this node have changed what somebody may see.
    pub fn access_changes(&self) -> u64 {
        self.0.access_changes.load(Ordering::Acquire)
    }

    fn announce(&self, events: Vec<Event>) {
        if events.iter().any(|event| event.name.changes_access()) {
            self.0.access_changes.fetch_add(1, Ordering::Release);
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

    /// What was run since the last call, for tests that compare the work of two answers.
    #[cfg(feature = "testing")]
    pub fn take_statements(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.statements.lock())
    }

    #[cfg(feature = "testing")]
    fn note_statement(&self, sql: &str) {
        self.0.statements.lock().push(sql.to_owned());
    }

    #[cfg(not(feature = "testing"))]
    fn note_statement(&self, _sql: &str) {}

    fn warnings(&self) -> u64 {
        self.0.warnings.count()
    }

    fn announce_jobs(&self) {
        self.0.jobs_added.notify_one();
    }
}

/// A connection that must not be used again.
struct Unclean;

/// Takes it out of its pool, so that the next one is asked, at the end a new one.
///
/// # Errors
/// `Unavailable` when it was a new one already.
fn retire(client: Object) -> Result<()> {
    let is_new = Object::metrics(&client).recycle_count == 0;
    drop(Object::take(client));
    if is_new { Err(Error::unavailable(2)) } else { Ok(()) }
}

/// What goes ahead of every first statement.
async fn recycle(client: &Object) -> std::result::Result<(), Unclean> {
    let recycled = timeout(RECYCLE_TIME, client.batch_execute(RECYCLE));
    if matches!(recycled.await, Ok(Ok(()))) { Ok(()) } else { Err(Unclean) }
}

async fn ask(
    client: &Object,
    begin: &str,
    sql: &str,
    params: Params<'_>,
) -> std::result::Result<Option<Row>, tokio_postgres::Error> {
    // Prepared before it, or the end would overtake the statement.
    let statement = client.prepare_cached(sql).await?;
    let (begun, row, ended) = join3(
        client.batch_execute(begin),
        client.query_opt(&statement, params),
        client.batch_execute("ROLLBACK"),
    )
    .await;
    begun.and(ended).and(row)
}

fn as_person(user: UserId) -> String {
    format!("SELECT set_config('bipe.user_id', '{user}', true)")
}

/// Whether the database answers and this build can work with its schema.
pub async fn is_ready(db: &Db) -> bool {
    let ask = async { db.tx().await?.value(FITS, &[&migrate::newest()]).await };
    ask.await.unwrap_or(false)
}

/// The schema has every migration of the build, and none that the build is too old for.
const FITS: &str = "SELECT oldest <= $1 AND $1 <= (SELECT max(version) FROM refinery_schema_history) AS fits \
     FROM schema_window";
