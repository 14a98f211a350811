//! How a transaction begins: on a clean connection, with the settings of its session, on a server that
//! may be written to. Called by the methods of `Db` that open transactions.

use std::time::Duration;

use futures_util::future::{FutureExt, join, try_join};
use tokio::time::{Instant, timeout};
use tokio_postgres::Row;
use tokio_postgres::error::{DbError, Severity, SqlState};

use super::connection::{Object, Pool, Residue, Starting};
use super::statement_log::TxNumber;
use super::tx::{each_answer, prepare_all, send_all};
use super::{CompanyTx, Db, Params, Query, RECYCLE_TIME, Tx, as_company};
use crate::error::{Error, Result, ends_session, log_text};
use crate::scope::CompanyScope;
use crate::trace::Span;

/// How long to wait for one statement: the server itself gives up earlier (`statement_timeout`), so an answer that is
/// later than this will not come.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(8);
/// A transaction that meets one more server each time it begins is given up.
const SERVERS_AT_ONCE: usize = 3;
/// The code of `expect_server`.
const OTHER_SERVER: &str = "BP001";
/// For reads that belong together: all of them see one moment, and nothing can be written.
pub(super) const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

impl Db {
    pub(super) async fn begin(&self, pool: &Pool, statements: &str) -> Result<Tx> {
        self.begin_as(pool, "BEGIN", statements, ANSWER_TIME).await
    }

    pub(super) async fn begin_as(
        &self,
        pool: &Pool,
        begin: &str,
        statements: &str,
        answer_time: Duration,
    ) -> Result<Tx> {
        let bounds = BatchBounds { begin: Some((begin, statements)), end: None };
        let (tx, []) = self.begin_batch(pool, &bounds, [], answer_time).await?;
        Ok(tx)
    }

    /// As `begin`, with the rows of its first queries: beginning and queries are one round trip.
    pub(super) async fn begin_with<const N: usize>(
        &self,
        pool: &Pool,
        statements: &str,
        queries: [Query<'_>; N],
    ) -> Result<(Tx, [Vec<Row>; N])> {
        let bounds = BatchBounds { begin: Some(("BEGIN", statements)), end: None };
        self.begin_batch(pool, &bounds, queries, ANSWER_TIME).await
    }

    async fn begin_batch<const N: usize>(
        &self,
        pool: &Pool,
        bounds: &BatchBounds<'_>,
        queries: [Query<'_>; N],
        answer_time: Duration,
    ) -> Result<(Tx, [Vec<Row>; N])> {
        let span = Span::child("transaction");
        let (client, number, rows) = self.start(pool, bounds, &queries).await?;
        let tx = Tx::new(client, self.clone(), number, answer_time).within(span);
        Ok((tx, each_answer(rows)?))
    }

    fn beginning(&self, bounds: &BatchBounds<'_>) -> String {
        let Some((begin, statements)) = bounds.begin else { return String::new() };
        self.0.prelude.text(begin, || self.0.newest.expectation(), statements)
    }

    /// Asks the server that answers behind a pooler in place of the one before whether it may be written to.
    ///
    /// # Errors
    /// `Unavailable` for a server that must not be written to, and after one server too many.
    async fn meet_server(&self, client: Object, servers: &mut usize) -> Result<()> {
        *servers += 1;
        let asking = self.0.newest.ask_behind(&client, &self.0.prelude, &self.0.clock);
        let asked = match timeout(ANSWER_TIME, asking).await {
            Ok(asked) if *servers <= SERVERS_AT_ONCE => asked,
            Ok(_) | Err(_) => Err(Error::database_away()),
        };
        if asked.is_err() {
            // A transaction may be open.
            drop(Object::take(client));
        }
        asked
    }

    /// As [`Db::company_tx`], for reads that belong together.
    pub async fn company_snapshot(&self, scope: &CompanyScope) -> Result<CompanyTx> {
        let (pool, company) = (self.pool_of(scope), as_company(scope));
        let tx = self.begin_as(pool, SNAPSHOT, &company, ANSWER_TIME).await?;
        Ok(CompanyTx::new(tx, *scope))
    }

    /// Reads that belong together, each with its rows. Beginning, queries and end travel together, so that a cancelled
    /// request leaves no transaction open.
    pub(super) async fn ask_once<const N: usize>(
        &self,
        pool: &Pool,
        statements: &str,
        queries: [Query<'_>; N],
    ) -> Result<[Vec<Row>; N]> {
        let bounds = BatchBounds { begin: Some((SNAPSHOT, statements)), end: Some("ROLLBACK") };
        each_answer(self.start(pool, &bounds, &queries).await?.2)
    }

    /// Statements of the jobs that are a transaction, in a round trip of its own. They see no company's data, and must
    /// be safe to repeat: a connection that breaks may have carried them out. A single one needs no beginning and no end,
    /// except behind a pooler, where the settings of the session stand in front.
    pub(crate) async fn job_statements(&self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>> {
        let is_bounded = queries.len() > 1 || self.is_pooled();
        let warnings = self.warnings();
        let (begin, end) = (is_bounded.then_some(("BEGIN", "")), is_bounded.then_some("COMMIT"));
        let bounds = BatchBounds { begin, end };
        let (_, _, rows) = self.start(&self.0.jobs, &bounds, queries).await?;
        self.prove_confirmed(warnings)?;
        Ok(rows)
    }

    /// The rows of a single one.
    pub(crate) async fn job_statement(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        let [rows] = each_answer(self.job_statements(&[(sql, params)]).await?)?;
        Ok(rows)
    }

    /// A wait for a synchronous standby that was given up is answered as a success with a warning. The warning may
    /// belong to another commit of this instant; its caller asks again, too.
    pub(super) fn prove_confirmed(&self, warnings_before: u64) -> Result<()> {
        if self.warnings() == warnings_before {
            return Ok(());
        }
        metrics::counter!("bipe_commits_unconfirmed_total").increment(1);
        Err(Error::database_away())
    }

    /// Cleans a connection, where it needs that, and runs the queries within their bounds. A connection that turns out
    /// to be dead is replaced.
    async fn start(
        &self,
        pool: &Pool,
        bounds: &BatchBounds<'_>,
        queries: &[Query<'_>],
    ) -> Result<(Object, TxNumber, Vec<Vec<Row>>)> {
        let number = self.statement_log().begin();
        let mut servers = 0;
        loop {
            let leaves_transaction = bounds.residue() == Residue::Transaction;
            let mut starting = Starting::of(pool.get().await?, leaves_transaction);
            // Anew each time: it names the server that was met last.
            let beginning = self.beginning(bounds);
            let opening = self.0.prelude.opening(starting.client()?.begin_use(), &beginning);
            self.note(number, (&opening, bounds.end), queries);
            let asked = Instant::now();
            let travelled = travel(starting.client()?, (&opening, bounds.end), queries).await;
            let mut client = starting.answered()?;
            let error = match travelled {
                Ok(rows) => {
                    client.end_use(bounds.residue());
                    return Ok((client, number, rows));
                }
                Err(Failure::OtherServer) => {
                    self.meet_server(client, &mut servers).await?;
                    continue;
                }
                Err(Failure::DirtyConnection) => {
                    self.retire(client, asked)?;
                    continue;
                }
                Err(Failure::Query(error)) => {
                    let is_alone = bounds.begin.is_none();
                    let writes = is_alone || leaves_transaction || bounds.end == Some("COMMIT");
                    if writes && error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION) {
                        // The server takes no writes any more.
                        self.forget_idle(asked);
                    } else if !leaves_transaction {
                        return Err(error.into());
                    }
                    error.into()
                }
                Err(Failure::Opening(error)) => error.into(),
                Err(Failure::Late) => {
                    if leaves_transaction {
                        self.forget_idle(asked);
                    }
                    Error::database_away()
                }
            };
            // A transaction may be open.
            drop(Object::take(client));
            return Err(error);
        }
    }

    fn note(&self, number: TxNumber, (opening, end): (&str, Option<&str>), queries: &[Query<'_>]) {
        let statement_log = self.statement_log();
        statement_log.control(number, opening);
        for (sql, _) in queries {
            statement_log.statement(number, sql);
        }
        if let Some(end) = end {
            statement_log.control(number, end);
        }
    }

    /// Takes a connection out of its pool, so that the next try gets another one, at last a new one.
    ///
    /// # Errors
    /// `Unavailable` when it was a new one already.
    fn retire(&self, client: Object, asked: Instant) -> Result<()> {
        let is_new = Object::metrics(&client).recycle_count == 0;
        drop(Object::take(client));
        self.forget_idle(asked);
        if is_new { Err(Error::database_away()) } else { Ok(()) }
    }

    /// Drops the idle connections that were made before. A server that one of them has lost answers none of them:
    /// nobody waits for each in turn, or uses one when the server is back and another one has replaced it.
    pub(super) fn forget_idle(&self, made_before: Instant) {
        for pool in [&self.0.requests, &self.0.jobs] {
            pool.retain(|_, metrics| metrics.created >= made_before.into_std());
        }
    }
}

/// What stands around queries that travel together.
struct BatchBounds<'a> {
    /// How it begins, and the statements that follow at once. None: the one query is a transaction by itself.
    begin: Option<(&'a str, &'a str)>,
    /// None: the transaction goes on.
    end: Option<&'static str>,
}

impl BatchBounds<'_> {
    /// What it leaves on its connection once it is answered.
    fn residue(&self) -> Residue {
        match (self.begin, self.end) {
            (Some(_), None) => Residue::Transaction,
            // Reads, which are rolled back, or statements of the jobs.
            _ => Residue::Nothing,
        }
    }
}

/// Why the queries of a batch have no answer.
enum Failure {
    /// It must not be used again.
    DirtyConnection,
    /// Behind a pooler another server answers than the expected one.
    OtherServer,
    Opening(tokio_postgres::Error),
    Query(tokio_postgres::Error),
    Late,
}

impl Failure {
    /// A failure of what goes ahead of the queries. A server that lives answers it with an ordinary error at worst.
    fn of_opening(error: tokio_postgres::Error) -> Self {
        let code = error.code().map(SqlState::code);
        match error.as_db_error().and_then(DbError::parsed_severity) {
            Some(Severity::Error) if code == Some(OTHER_SERVER) => Self::OtherServer,
            Some(Severity::Error) => Self::Opening(error),
            _ => Self::of_end(&error),
        }
    }

    /// A statement that is prepared for the first time goes ahead of the cleaning.
    fn of_preparing(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(said) if ends_session(said) => Self::of_end(&error),
            None => Self::DirtyConnection,
            Some(said) if *said.code() == SqlState::IN_FAILED_SQL_TRANSACTION => {
                Self::DirtyConnection
            }
            Some(_) => Self::Query(error),
        }
    }

    /// The reason is told nowhere else: another connection follows, or a 503.
    fn of_end(error: &tokio_postgres::Error) -> Self {
        if let Some(said) = error.as_db_error() {
            tracing::warn!(error = log_text(said), "a database connection ended");
        }
        Self::DirtyConnection
    }
}

async fn travel(
    client: &Object,
    (opening, end): (&str, Option<&str>),
    queries: &[Query<'_>],
) -> std::result::Result<Vec<Vec<Row>>, Failure> {
    // Prepared before they are sent, or the end would overtake a query.
    let prepared = timeout(ANSWER_TIME, prepare_all(client, queries)).await;
    let prepared =
        prepared.map_err(|_late| Failure::DirtyConnection)?.map_err(Failure::of_preparing)?;
    let opened = timeout(RECYCLE_TIME, client.batch_execute(opening));
    let opened = opened.map(|opened| match opened {
        Ok(opened) => opened.map_err(Failure::of_opening),
        Err(_late) => Err(Failure::DirtyConnection),
    });
    let ended = async {
        match end {
            Some(end) => client.batch_execute(end).await,
            None => Ok(()),
        }
    };
    // Each is sent when it is first polled, in this order.
    let answered = timeout(ANSWER_TIME, join(send_all(client, &prepared), ended)).map(Ok);
    let ((), answered) = try_join(opened, answered).await?;
    let (rows, ended) = answered.map_err(|_late| Failure::Late)?;
    ended.and(rows).map_err(Failure::Query)
}

#[cfg(test)]
mod tests {
    use futures_util::future::join;
    use tokio_postgres::Row;

    use super::Failure;
    use crate::db::Query;
    use crate::testing::{TestDb, refused_statement};

    const IS_WAITED_FOR: &str = "SELECT EXISTS (SELECT FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event_type = 'Lock')";

    #[tokio::test]
    async fn reads_that_travel_together_see_one_moment() {
        let test = TestDb::new().await;
        let (holder, writer) = (test.owner().await, test.owner().await);
        let lock = "SELECT pg_advisory_xact_lock(7)";
        holder.batch_execute(&format!("BEGIN; {lock}")).await.unwrap();
        let count = "SELECT count(*) FROM channel_heads";
        let queries: [Query<'_>; 3] = [(count, &[]), (lock, &[]), (count, &[])];
        let reading = test.db.ask_once(&test.db.0.requests, "", queries);
        let writing = async {
            while !writer.query_one(IS_WAITED_FOR, &[]).await.unwrap().get::<_, bool>(0) {}
            let head = "INSERT INTO channel_heads (channel, epoch, seq) VALUES ('plans', 'e', 1)";
            writer.execute(head, &[]).await.unwrap();
            holder.batch_execute("COMMIT").await.unwrap();
        };
        let (rows, ()) = join(reading, writing).await;
        let [before, _, after] = rows.unwrap();
        let counted = |rows: &[Row]| rows[0].get::<_, i64>(0);
        assert_eq!((counted(&before), counted(&after)), (0, 0));
    }

    #[tokio::test]
    async fn a_connection_that_ends_before_its_next_use_is_replaced() {
        // As after idle_session_timeout, and at the restart of a pooler.
        for code in ["57P05", "08P01"] {
            let failure = Failure::of_preparing(refused_statement("FATAL", code).await);
            assert!(matches!(failure, Failure::DirtyConnection), "{code}");
        }
        let failure = Failure::of_preparing(refused_statement("ERROR", "42P01").await);
        assert!(matches!(failure, Failure::Query(_)));
    }
}
