//! How a transaction begins: on a connection that is cleaned first, with the settings of its session, on a server that
//! may be written to. Called by the methods of `Db` that open transactions.

use std::time::Duration;

use deadpool_postgres::{Object, Pool};
use futures_util::future::{FutureExt, join3, try_join};
use tokio::time::{Instant, timeout};
use tokio_postgres::Row;

use super::{Db, Params, RECYCLE_TIME, Tx};
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
        let mut servers = 0;
        let span = Span::child("transaction");
        loop {
            let client = pool.get().await?;
            let asked = Instant::now();
            let prelude = self.prelude(begin, statements);
            let begun = async { Ok(client.batch_execute(&prelude).await) };
            match try_join(self.recycle(&client), begun).await {
                Ok(((), Ok(()))) => {
                    return Ok(Tx::new(client, self.clone(), answer_time).within(span));
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

    /// Beginning, statement and end travel together, so that a cancelled request leaves no transaction open.
    pub(super) async fn ask_once(
        &self,
        statements: &str,
        sql: &str,
        params: Params<'_>,
    ) -> Result<Option<Row>> {
        self.note_statement(sql);
        let mut servers = 0;
        loop {
            let client = self.0.requests.get().await?;
            let asked = Instant::now();
            let begin = self.prelude("BEGIN READ ONLY", statements);
            let answer = timeout(ANSWER_TIME, ask(&client, &begin, sql, params));
            match try_join(self.recycle(&client), answer.map(Ok)).await {
                Ok(((), Ok(Ok(row)))) => return Ok(row),
                Ok(((), Ok(Err(error)))) if is_other_server(&error) => {
                    self.meet_server(client, &mut servers).await?;
                }
                Ok(((), Ok(Err(error)))) => return Err(error.into()),
                Ok(((), Err(_late))) => {
                    drop(Object::take(client));
                    return Err(Error::unavailable(2));
                }
                Err(DirtyConnection) => self.retire(client, asked)?,
            }
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

fn is_other_server(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|state| state.code() == OTHER_SERVER)
}
