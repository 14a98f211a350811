//! Transactions. A statement is prepared once for each connection. Jobs, audit, events and documents are staged, and
//! written by the last statements before the commit (`commit`). So the sequence numbers of events and the numbers of
//! documents have no gaps and follow the order of the commits.

mod commit;
mod rows;
mod staged;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use derive_more::{Deref, DerefMut};
use futures_util::future::try_join_all;
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSqlOwned, ToSql};
use tokio_postgres::{Row, Statement};

use self::rows::Rows;
use self::staged::Statements;
use super::connection::{Object, Residue};
use super::statement_log::TxNumber;
use super::{Db, RECYCLE_TIME};
use crate::caller::Caller;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::event::{EventName, NewEvent};
use crate::id::{CompanyId, JobId};
use crate::job;
use crate::scope::CompanyScope;
use crate::trace::{Span, Traceparent};

pub(crate) use rows::{AuditRow, JobRow};
pub use staged::AppendStatement;

pub(crate) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];
/// A statement that answers rows, and its parameters.
pub(crate) type Query<'a> = (&'a str, Params<'a>);

/// Run once the commit has succeeded; counts what happened, for `/metrics`.
type AfterCommit = Box<dyn FnOnce() + Send>;

/// An open transaction. Dropped without `commit` it is rolled back at once, also when its future is cancelled: a read
/// needs no other end.
pub struct Tx {
    /// `None` only after the end.
    client: Option<Object>,
    db: Db,
    number: TxNumber,
    at: Timestamp,
    begun: Instant,
    cause: Option<String>,
    staged: Vec<NewEvent>,
    statements: Statements,
    rows: Mutex<Rows>,
    after_commit: Mutex<Vec<AfterCommit>>,
    jobs_added: bool,
    /// A statement failed: PostgreSQL would answer COMMIT with a silent rollback.
    failed: AtomicBool,
    /// The server no longer answers, or takes no writes any more: the connection leaves its pool.
    lost: AtomicBool,
    /// COMMIT was sent, or is about to be. Where its answer never comes, events may be there that nobody announced.
    commits_events: bool,
    /// For each statement. Longer than the server's own limit, so that only a server that is gone exceeds it.
    answer_time: Duration,
    /// Not on the primary, about whose connections a loss then says nothing.
    on_replica: bool,
    /// Ends with the transaction.
    span: Span,
}

impl Tx {
    pub(super) fn new(client: Object, db: Db, number: TxNumber, answer_time: Duration) -> Self {
        let at = db.clock().now();
        Self {
            client: Some(client),
            db,
            number,
            at,
            begun: Instant::now(),
            cause: None,
            staged: Vec::new(),
            statements: Statements::default(),
            rows: Mutex::default(),
            after_commit: Mutex::default(),
            jobs_added: false,
            failed: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            commits_events: false,
            answer_time,
            on_replica: false,
            span: Span::default(),
        }
    }

    /// The span that began before the connection was asked for.
    pub(super) fn within(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// Where its events come from.
    pub(crate) fn traceparent(&self) -> Option<Traceparent> {
        self.span.traceparent()
    }

    /// A transaction on the replica of `DATABASE_READ_URL`.
    pub(super) fn on_replica(client: Object, db: Db, answer_time: Duration) -> Self {
        let number = db.statement_log().begin();
        let mut tx = Self::new(client, db, number, answer_time);
        tx.on_replica = true;
        tx
    }

    /// The instant at which the transaction began by `Clock`; rows written together carry the same.
    pub fn now(&self) -> Timestamp {
        self.at
    }

    /// The clock behind `now`, for ids of new rows.
    pub fn clock(&self) -> &Clock {
        self.db.clock()
    }

    /// The request is the cause of the events of this transaction.
    pub fn caused_by(mut self, caller: &Caller) -> Self {
        self.set_cause(Some(&caller.request_id));
        self
    }

    /// The request id that the events of this transaction name as their cause.
    pub fn set_cause(&mut self, request_id: Option<&str>) {
        self.cause = request_id.map(str::to_owned);
    }

    /// The request id of `set_cause`.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Stages an event; it is written at the commit and pushed after it.
    pub fn emit(&mut self, event: NewEvent) {
        self.staged.push(event);
    }

    /// Stages a statement that appends to people, ordered by their ids; written and pushed like the events.
    pub(crate) fn append_to_users(&mut self, statement: Box<dyn AppendStatement>) {
        self.statements.people.push(statement);
    }

    /// Stages one for the company's channel alone. It runs last, with the commit: it takes a lock that companies share.
    pub(crate) fn append_last(&mut self, statement: Box<dyn AppendStatement>) {
        self.statements.last.push(statement);
    }

    /// For a channel that has none yet.
    pub(crate) fn new_epoch(&self) -> String {
        format!("{:08x}", u32::from_be_bytes(self.clock().bytes()))
    }

    /// The staged events of a name, for a noun that adds to them.
    pub(crate) fn staged(&mut self, name: EventName) -> impl Iterator<Item = &mut NewEvent> {
        self.staged.iter_mut().filter(move |event| event.name == name)
    }

    /// Run once the commit has succeeded: what was rolled back is not counted.
    pub(crate) fn after_commit(&self, work: impl FnOnce() + Send + 'static) {
        self.after_commit.lock().push(Box::new(work));
    }

    /// Written by the commit.
    pub(crate) fn add_audit(&self, row: AuditRow) {
        self.rows.lock().audit(row);
    }

    /// Written by the commit, which wakes the runner where it must.
    pub(crate) fn put_job(&mut self, row: JobRow) {
        self.jobs_added |= job::is_urgent(row.run_at, self.now());
        self.rows.get_mut().put_job(row);
    }

    /// Taken back by the commit.
    pub(crate) fn remove_job(&mut self, kind: &'static str, key: &str) {
        self.rows.get_mut().remove_job(kind, key);
    }

    /// The commit removes the job that this transaction ends, unless it was added anew meanwhile.
    pub(crate) fn finish_job(&mut self, id: JobId, attempts: i32) {
        self.rows.get_mut().finish_job(id, attempts);
    }

    pub async fn query(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let client = self.client()?;
        self.db.statement_log().statement(self.number, sql);
        self.answer(async { client.query(&client.prepare_cached(sql).await?, params).await }).await
    }

    pub async fn query_opt(&self, sql: &str, params: Params<'_>) -> Result<Option<Row>> {
        let client = self.client()?;
        self.db.statement_log().statement(self.number, sql);
        self.answer(async { client.query_opt(&client.prepare_cached(sql).await?, params).await })
            .await
    }

    pub async fn query_one(&self, sql: &str, params: Params<'_>) -> Result<Row> {
        let client = self.client()?;
        self.db.statement_log().statement(self.number, sql);
        self.answer(async { client.query_one(&client.prepare_cached(sql).await?, params).await })
            .await
    }

    /// The rows of each query. All are sent at once; each is carried out after the one before it and sees what that one
    /// has written.
    pub(crate) async fn query_all<const N: usize>(
        &self,
        queries: [Query<'_>; N],
    ) -> Result<[Vec<Row>; N]> {
        let client = self.client()?;
        for (sql, _) in &queries {
            self.db.statement_log().statement(self.number, sql);
        }
        let asking = async { send_all(client, &prepare_all(client, &queries).await?).await };
        self.answer(asking).await.and_then(each_answer)
    }

    /// Every row as a `T`.
    pub async fn all<T>(&self, sql: &str, params: Params<'_>) -> Result<Vec<T>>
    where
        T: for<'row> TryFrom<&'row Row, Error = Error>,
    {
        self.query(sql, params).await?.iter().map(T::try_from).collect()
    }

    /// The row as a `T`, if there is one.
    pub async fn find<T>(&self, sql: &str, params: Params<'_>) -> Result<Option<T>>
    where
        T: for<'row> TryFrom<&'row Row, Error = Error>,
    {
        self.query_opt(sql, params).await?.as_ref().map(T::try_from).transpose()
    }

    /// The only column of the only row.
    pub async fn value<T: FromSqlOwned>(&self, sql: &str, params: Params<'_>) -> Result<T> {
        Ok(self.query_one(sql, params).await?.try_get(0)?)
    }

    /// The only column of the row, if there is one.
    pub async fn find_value<T: FromSqlOwned>(
        &self,
        sql: &str,
        params: Params<'_>,
    ) -> Result<Option<T>> {
        let row = self.query_opt(sql, params).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// Prepares a statement, so that it keeps its place among those that are sent at once with it.
    pub(crate) async fn prepare(&self, sql: &str) -> Result<()> {
        let client = self.client()?;
        self.answer(client.prepare_cached(sql)).await.map(drop)
    }

    /// The number of rows that were touched.
    pub async fn execute(&self, sql: &str, params: Params<'_>) -> Result<u64> {
        let client = self.client()?;
        self.db.statement_log().statement(self.number, sql);
        self.answer(async { client.execute(&client.prepare_cached(sql).await?, params).await })
            .await
    }

    fn client(&self) -> Result<&Object> {
        self.client.as_ref().ok_or_else(|| Error::internal("the transaction has ended"))
    }

    /// Waits for the server's answer, with `answer_time`.
    async fn answer<T>(
        &self,
        work: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let answer = timeout(self.answer_time, work).await;
        let is_lost = match &answer {
            Ok(Ok(_)) => false,
            Ok(Err(error)) => error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION),
            Err(_late) => true,
        };
        self.lost.fetch_or(is_lost, Ordering::Relaxed);
        let answer = answer.map_err(|_late| Error::database_away()).and_then(|done| Ok(done?));
        self.failed.fetch_or(answer.is_err(), Ordering::Relaxed);
        answer
    }
}

/// Statements that can be sent together: none has to be prepared first, so none overtakes another one.
pub(super) async fn prepare_all<'a>(
    client: &Object,
    queries: &[Query<'a>],
) -> std::result::Result<Vec<(Statement, Params<'a>)>, tokio_postgres::Error> {
    let mut prepared = Vec::with_capacity(queries.len());
    for (sql, params) in queries {
        prepared.push((client.prepare_cached(sql).await?, *params));
    }
    Ok(prepared)
}

/// Sends them when it is first polled, in their order.
pub(super) fn send_all(
    client: &Object,
    prepared: &[(Statement, Params<'_>)],
) -> impl Future<Output = std::result::Result<Vec<Vec<Row>>, tokio_postgres::Error>> {
    try_join_all(prepared.iter().map(|(statement, params)| client.query(statement, params)))
}

/// The rows of each of so many queries.
pub(super) fn each_answer<const N: usize>(rows: Vec<Vec<Row>>) -> Result<[Vec<Row>; N]> {
    rows.try_into().map_err(|_| Error::internal("a query without an answer"))
}

impl Drop for Tx {
    fn drop(&mut self) {
        let Some(mut client) = self.client.take() else { return };
        if self.commits_events {
            self.db.leave_to_head_check();
        }
        if self.lost.load(Ordering::Relaxed) {
            drop(Object::take(client));
            if !self.on_replica {
                self.db.forget_idle(self.begun);
            }
            return;
        }
        self.db.statement_log().control(self.number, "ROLLBACK");
        // A pooled connection would keep its locks until its next use: end the transaction now.
        self.db.runtime().spawn(async move {
            let ended = timeout(RECYCLE_TIME, client.batch_execute("ROLLBACK")).await;
            if matches!(ended, Ok(Ok(()))) {
                client.end_use(Residue::Session);
            } else {
                tracing::debug!("rollback of a dropped transaction failed");
                drop(Object::take(client));
            }
        });
    }
}

/// A transaction that sees more than a plain one; `S` says whose rows.
#[derive(Deref, DerefMut)]
pub struct Scoped<S> {
    #[deref]
    #[deref_mut]
    tx: Tx,
    scope: S,
}

impl<S> Scoped<S> {
    pub(super) fn new(tx: Tx, scope: S) -> Self {
        Self { tx, scope }
    }

    /// See [`Tx::caused_by`].
    pub fn caused_by(self, caller: &Caller) -> Self {
        Self { tx: self.tx.caused_by(caller), ..self }
    }

    /// See [`Tx::commit`].
    pub async fn commit(self) -> Result<()> {
        self.tx.commit().await
    }

    /// See [`Tx::rollback`].
    pub async fn rollback(self) -> Result<()> {
        self.tx.rollback().await
    }
}

pub struct SingleUser;
pub struct OneInvite;
pub struct AllCompanies;

/// Sees the memberships and companies of one person, and the invitations to their proven address.
pub type UserTx = Scoped<SingleUser>;
/// Sees the invitation of one token, and its company.
pub type InviteTx = Scoped<OneInvite>;
/// Sees every company: jobs, relay, platform admins.
pub type PlatformTx = Scoped<AllCompanies>;
/// Sees one company. Only a proven `CompanyScope` opens it, and every statement names the company as well.
pub type CompanyTx = Scoped<CompanyScope>;

impl CompanyTx {
    pub fn scope(&self) -> &CompanyScope {
        &self.scope
    }

    pub fn company_id(&self) -> CompanyId {
        self.scope.company_id()
    }
}
