//! Finds out at the start whether a pooler such as PgBouncer stands between this node and the database, and whether
//! Bipe can work through it. Called by `start`.
//!
//! A pooler in transaction mode gives a connection another process of the server for each transaction. It must carry
//! prepared statements from one to the next; PgBouncer does since 1.21, where `max_prepared_statements` is above 0.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, SimpleQueryMessage, Statement};

use super::access::{Login, Warnings, cannot_connect};
use super::session::{Durability, Pooling, Sessions, options, settings};
use crate::error::{Error, Result};

/// For all questions together. A pooler that gives fewer than two connections never answers one of them.
const PROBE_TIME: Duration = Duration::from_secs(15);
/// Other nodes may take the connection in between that would have shown the pooler.
const ROUNDS: usize = 3;
const PROCESS: &str = "SELECT pg_backend_pid() AS process";

type PgResult<T> = std::result::Result<T, tokio_postgres::Error>;

/// A connection outside of the pools; its driver ends with it.
struct Probe {
    client: Client,
    driver: JoinHandle<PgResult<()>>,
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// How the sessions of this login reach the server; `setting` names its URL.
///
/// # Errors
/// `Internal` with one sentence that says what to change: no connection, a pooler that Bipe cannot work through.
pub(super) async fn sessions(login: &Login, setting: &str) -> Result<Sessions> {
    let sentence = |problem: &str| Error::internal(format!("the database of {setting} {problem}"));
    match timeout(PROBE_TIME, probe(login)).await {
        Ok(Ok(sessions)) => Ok(sessions),
        Ok(Err(error)) => Err(problem(&error).map_or_else(|| cannot_connect(&error), sentence)),
        Err(_late) => Err(sentence(TOO_FEW)),
    }
}

async fn probe(login: &Login) -> PgResult<Sessions> {
    let mut with_options = login.clone();
    with_options.config.options(options(Durability::Synced));
    let (first, keeps_options) = match Probe::open(&with_options).await {
        Ok(probe) => {
            let keeps = probe.keeps_options().await?;
            (probe, keeps)
        }
        Err(error) if is_refused_parameter(&error) => (Probe::open(login).await?, false),
        Err(error) => return Err(error),
    };
    let second = if keeps_options { &with_options } else { login };
    let second = Probe::open(second).await?;
    Ok(match (shares_processes(&first.client, &second.client).await?, keeps_options) {
        (true, _) => Sessions::Pooled(Pooling::Transaction),
        (false, false) => Sessions::Pooled(Pooling::Session),
        (false, true) => Sessions::Own,
    })
}

/// The start's options hold for this session alone. PgBouncer names the one that it does not take.
fn is_refused_parameter(error: &tokio_postgres::Error) -> bool {
    let refused = [SqlState::PROTOCOL_VIOLATION, SqlState::FEATURE_NOT_SUPPORTED];
    error
        .as_db_error()
        .is_some_and(|db| refused.contains(db.code()) || db.message().contains("startup parameter"))
}

/// Whether two connections take turns with the processes of the server.
async fn shares_processes(first: &Client, second: &Client) -> PgResult<bool> {
    let statement = first.prepare(PROCESS).await?;
    for _ in 0..ROUNDS {
        let before = process(first, &statement).await?;
        // Holds a process, the one that the first connection had where it gave that back.
        second.batch_execute("BEGIN").await?;
        let held = second.query_one(PROCESS, &[]).await?.try_get("process");
        let after = process(first, &statement).await;
        second.batch_execute("ROLLBACK").await?;
        let (held, after): (i32, i32) = (held?, after?);
        if held == before || after != before {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn process(client: &Client, statement: &Statement) -> PgResult<i32> {
    client.query_one(statement, &[]).await?.try_get("process")
}

/// What a pooler's refusal means for the operator.
fn problem(error: &tokio_postgres::Error) -> Option<&'static str> {
    let said = error.as_db_error()?;
    let forgets = [SqlState::INVALID_SQL_STATEMENT_NAME, SqlState::DUPLICATE_PSTATEMENT];
    if forgets.contains(said.code()) {
        return Some(FORGETS_STATEMENTS);
    }
    said.message().contains("statement pooling").then_some(STATEMENT_MODE)
}

const FORGETS_STATEMENTS: &str = "is behind a pooler in transaction mode that forgets prepared statements: take \
     PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session";
const STATEMENT_MODE: &str = "is behind a pooler in statement mode, which knows no transactions: take pool_mode = \
     transaction or session";
const TOO_FEW: &str = "did not answer on two connections at once within 15 seconds: behind a pooler, raise \
     default_pool_size to BIPE_DB_POOL or more in session mode, to 2 or more in transaction mode";

impl Probe {
    async fn open(login: &Login) -> PgResult<Self> {
        let (client, driver) = login.connect(Warnings::default()).await?;
        Ok(Self { client, driver: tokio::spawn(driver) })
    }

    /// False where a pooler took the options and lost them.
    async fn keeps_options(&self) -> PgResult<bool> {
        for (name, value) in settings(Durability::Synced) {
            // Without a prepared statement: nobody knows yet whether the pooler carries one.
            let sql = format!("SELECT setting FROM pg_settings WHERE name = '{name}'");
            let shown = self.client.simple_query(&sql).await?;
            let holds = |message: &SimpleQueryMessage| match message {
                SimpleQueryMessage::Row(row) => row.get(0) == Some(value),
                _ => false,
            };
            if !shown.iter().any(holds) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
