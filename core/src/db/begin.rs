//! How a transaction begins: on a connection that is cleaned first, with the settings of its session, on a server that
//! may be written to. Called by the methods of `Db` that open transactions.

use std::time::Duration;

use deadpool_postgres::{Object, Pool};
use futures_util::future::{FutureExt, join3, try_join};
use tokio::time::{Instant, timeout};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use super::tx::{each_answer, prepare_all, send_all};
use super::{Db, Params, Query, RECYCLE_TIME, Tx};
use crate::error::{Error, Result};
use crate::trace::Span;

/// For one statement: the server itself gives up earlier (`statement_timeout`), so an answer that is later than this
/// will not come.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(8);
/// A transaction that meets one more server each time it begins is given up.
const SERVERS_AT_ONCE: usize = 3;
/// The code of `expect_server`.
const OTHER_SERVER: &str = "BP001";

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
        let (mut servers, number) = (0, self.journal().begin());
        let span = Span::child("transaction");
        loop {
            let client = pool.get().await?;
            let asked = Instant::now();
            let prelude = self.prelude(begin, statements);
            self.journal().frame(number, self.0.prelude.recycle);
            self.journal().frame(number, &prelude);
            let begun = async { Ok(client.batch_execute(&prelude).await) };
            match try_join(self.recycle(&client), begun).await {
                Ok(((), Ok(()))) => {
                    return Ok(Tx::new(client, self.clone(), number, answer_time).within(span));
                }
                Ok(((), Err(error))) if is_other_server(&error) => {
                    self.meet_server(client, &mut servers).await?;
                }
                Ok(((), Err(error))) => {
                    drop(Object::take(client));
                    return Err(error.into());
                }
                Err(DirtyConnection) => self.retire(client, asked)?,
            }
        }
    }

    fn prelude(&self, begin: &str, statements: &str) -> String {
        self.0.prelude.text(begin, || self.0.newest.expectation(), statements)
    }

    /// What goes ahead of every first statement.
    async fn recycle(&self, client: &Object) -> std::result::Result<(), DirtyConnection> {
        let recycled = timeout(RECYCLE_TIME, client.batch_execute(self.0.prelude.recycle));
        if matches!(recycled.await, Ok(Ok(()))) { Ok(()) } else { Err(DirtyConnection) }
    }

    /// Behind a pooler another server answers than before. It may be a good one.
    ///
    /// # Errors
    /// `Unavailable` for a server that must not be written to, and after one server too many.
    async fn meet_server(&self, client: Object, servers: &mut usize) -> Result<()> {
        *servers += 1;
        let asking = self.0.newest.ask_behind(&client, &self.0.prelude, &self.0.clock);
        let asked = match timeout(ANSWER_TIME, asking).await {
            Ok(asked) if *servers <= SERVERS_AT_ONCE => asked,
            Ok(_) | Err(_) => Err(Error::unavailable(2)),
        };
        if asked.is_err() {
            // A transaction may be open.
            drop(Object::take(client));
        }
        asked
    }

    /// The reads of one request, each with its rows. Beginning, queries and end travel together, so that a cancelled
    /// request leaves no transaction open.
    pub(super) async fn ask_once<const N: usize>(
        &self,
        statements: &str,
        queries: [Query<'_>; N],
    ) -> Result<[Vec<Row>; N]> {
        let begin = self.prelude("BEGIN READ ONLY", statements);
        let frame = Frame { begin: Some(begin), end: "ROLLBACK" };
        each_answer(self.run_alone(&self.0.requests, &frame, &queries).await?)
    }

    /// Statements of the jobs that are a transaction, in a round trip of its own. They see no company's data, and must
    /// be safe to repeat: a connection that breaks may have carried them out. A single one needs no beginning and no end,
    /// except behind a pooler, where the settings of the session stand in front.
    pub(crate) async fn job_statements(&self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>> {
        let is_framed = queries.len() > 1 || self.is_pooled();
        let begin = is_framed.then(|| self.prelude("BEGIN", ""));
        let warnings = self.warnings();
        let frame = Frame { begin, end: "COMMIT" };
        let rows = self.run_alone(&self.0.jobs, &frame, queries).await?;
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
        Err(Error::unavailable(2))
    }

    async fn run_alone(
        &self,
        pool: &Pool,
        frame: &Frame,
        queries: &[Query<'_>],
    ) -> Result<Vec<Vec<Row>>> {
        self.note_alone(frame, queries);
        let mut servers = 0;
        loop {
            let client = pool.get().await?;
            let asked = Instant::now();
            let answer = timeout(ANSWER_TIME, travel(&client, frame, queries));
            match try_join(self.recycle(&client), answer.map(Ok)).await {
                Ok(((), Ok(Ok(rows)))) => return Ok(rows),
                Ok(((), Ok(Err(error)))) if is_other_server(&error) => {
                    self.meet_server(client, &mut servers).await?;
                }
                Ok(((), Ok(Err(error)))) => {
                    if frame.end == "COMMIT"
                        && error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
                    {
                        // The server takes no writes any more.
                        drop(Object::take(client));
                        self.forget_idle(asked);
                    }
                    return Err(error.into());
                }
                Ok(((), Err(_late))) => {
                    drop(Object::take(client));
                    return Err(Error::unavailable(2));
                }
                Err(DirtyConnection) => self.retire(client, asked)?,
            }
        }
    }

    fn note_alone(&self, Frame { begin, end }: &Frame, queries: &[Query<'_>]) {
        let (journal, number) = (self.journal(), self.journal().begin());
        journal.frame(number, self.0.prelude.recycle);
        if let Some(begin) = begin {
            journal.frame(number, begin);
        }
        for (sql, _) in queries {
            journal.statement(number, sql);
        }
        if begin.is_some() {
            journal.frame(number, end);
        }
    }

    /// Takes it out of its pool, so that the next one is asked, at the end a new one.
    ///
    /// # Errors
    /// `Unavailable` when it was a new one already.
    fn retire(&self, client: Object, asked: Instant) -> Result<()> {
        let is_new = Object::metrics(&client).recycle_count == 0;
        drop(Object::take(client));
        self.forget_idle(asked);
        if is_new { Err(Error::unavailable(2)) } else { Ok(()) }
    }

    /// A server that one connection has lost answers the unused ones of that time no more: nobody shall wait for each
    /// of them in turn, or use one when the server is back and another one has replaced it.
    pub(super) fn forget_idle(&self, made_before: Instant) {
        for pool in [&self.0.requests, &self.0.jobs] {
            pool.retain(|_, metrics| metrics.created >= made_before.into_std());
        }
    }
}

/// A connection that must not be used again.
struct DirtyConnection;

/// What stands around queries that travel together.
struct Frame {
    /// None: the one query is a transaction by itself.
    begin: Option<String>,
    end: &'static str,
}

async fn travel(
    client: &Object,
    Frame { begin, end }: &Frame,
    queries: &[Query<'_>],
) -> std::result::Result<Vec<Vec<Row>>, tokio_postgres::Error> {
    // Prepared before them, or the end would overtake a query.
    let prepared = prepare_all(client, queries).await?;
    let asked = send_all(client, &prepared);
    let Some(begin) = begin else { return asked.await };
    let (begun, rows, ended) =
        join3(client.batch_execute(begin), asked, client.batch_execute(end)).await;
    begun.and(ended).and(rows)
}

fn is_other_server(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|state| state.code() == OTHER_SERVER)
}
