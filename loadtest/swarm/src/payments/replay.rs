//! The same SQL alone, in place of pgbench, which the embedded PostgreSQL does not bring: prepared once a
//! connection, sent statement by statement, as many connections as payments at once.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::BytesMut;
use futures_util::future::join;
use tokio::time::Instant;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};
use tokio_postgres::{Client, Statement as Prepared};

use super::database::Database;
use super::rate;
use super::script::{Script, Statement};
use crate::Outcome;
use crate::server::Server;

/// A value in PostgreSQL's own spelling, whatever its type.
#[derive(Debug)]
struct Text<'a>(Option<&'a str>);

impl ToSql for Text<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(text) = self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    fn to_sql_checked(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(kind, out)
    }
}

/// No two replayed payments share an id.
static MARK: AtomicUsize = AtomicUsize::new(1);

/// Payments a second, for companies that have not paid yet. The server stands still meanwhile: it would run the jobs
/// that are written here.
pub async fn run(
    script: &Script,
    database: &Database,
    server: &Server,
    companies: &[String],
    at_once: usize,
) -> Outcome<f64> {
    // The texts are made before the clock runs: pgbench would not count that either.
    let payments: Arc<Vec<Vec<Statement>>> = Arc::new(of_each(script, companies));
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = Vec::new();
    for _ in 0..at_once {
        workers.push((database.worker().await?, payments.clone(), next.clone()));
    }
    let frozen = server.freeze()?;
    let begun = Instant::now();
    let running = workers.into_iter().map(|(client, payments, next)| {
        tokio::spawn(async move { work(&client, &payments, &next).await })
    });
    for done in futures_util::future::join_all(running).await {
        done??;
    }
    let taken = begun.elapsed();
    database.remove_due_jobs().await?;
    drop(frozen);
    rate(companies.len(), taken)
}

/// The statements of a payment of each company.
pub fn of_each(script: &Script, companies: &[String]) -> Vec<Vec<Statement>> {
    let make = |company: &String| script.for_company(company, MARK.fetch_add(1, Ordering::Relaxed));
    companies.iter().map(make).collect()
}

fn any<'a>(value: &'a Text<'_>) -> &'a (dyn ToSql + Sync) {
    value
}

async fn work(client: &Client, payments: &[Vec<Statement>], next: &AtomicUsize) -> Outcome<()> {
    let mut prepared = HashMap::new();
    while let Some(payment) = payments.get(next.fetch_add(1, Ordering::Relaxed)) {
        each(client, &mut prepared, payment).await?;
    }
    Ok(())
}

/// One after the other; what has values is prepared at its first time. A commit follows the statement before it
/// without waiting for the answer, as the server sends them.
pub async fn each<'a>(
    client: &Client,
    prepared: &mut HashMap<&'a str, Prepared>,
    statements: &'a [Statement],
) -> Outcome<()> {
    let mut statements = statements.iter().peekable();
    while let Some(statement) = statements.next() {
        let Some(values) = &statement.values else {
            client.batch_execute(&statement.sql).await?;
            continue;
        };
        if !prepared.contains_key(statement.sql.as_str()) {
            prepared.insert(&statement.sql, client.prepare(&statement.sql).await?);
        }
        let Some(ready) = prepared.get(statement.sql.as_str()) else { continue };
        let values: Vec<Text<'_>> = values.iter().map(|value| Text(value.as_deref())).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(any).collect();
        let answered = client.query(ready, &values);
        let ends = |next: &&Statement| next.sql == "COMMIT";
        let answered = match statements.next_if(ends) {
            Some(commit) => {
                let (answered, done) = join(answered, client.batch_execute(&commit.sql)).await;
                answered.and_then(|rows| done.map(|()| rows))
            }
            None => answered.await,
        };
        answered.map_err(|error| format!("{}: {error:?}", statement.sql))?;
    }
    Ok(())
}
