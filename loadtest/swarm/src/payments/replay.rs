//! The same SQL alone, in place of pgbench, which the embedded PostgreSQL does not bring: prepared once a
//! connection, sent statement by statement, as many connections as payments at once.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::BytesMut;
use futures_util::future::try_join_all;
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

/// One after the other. What the server stages for the end of a transaction travels together with the commit, as it
/// does there.
pub async fn each<'a>(
    client: &Client,
    prepared: &mut HashMap<&'a str, Prepared>,
    statements: &'a [Statement],
) -> Outcome<()> {
    let mut rest = statements;
    while !rest.is_empty() {
        let (next, later) = rest.split_at(travelling_together(rest));
        together(client, prepared, next).await?;
        rest = later;
    }
    Ok(())
}

/// How many of them travel before anybody waits: a commit with all that is staged for it, else one.
pub fn travelling_together(statements: &[Statement]) -> usize {
    let staged = statements.iter().take_while(|statement| statement.is_staged()).count();
    let ends = |statement: &Statement| statement.sql == "COMMIT";
    if statements.get(staged).is_some_and(ends) { staged + 1 } else { 1 }
}

/// All in one round trip, in their order. A statement with values is prepared at its first time.
pub async fn together<'a>(
    client: &Client,
    prepared: &mut HashMap<&'a str, Prepared>,
    statements: &'a [Statement],
) -> Outcome<()> {
    for statement in statements.iter().filter(|statement| statement.values.is_some()) {
        if !prepared.contains_key(statement.sql.as_str()) {
            prepared.insert(&statement.sql, client.prepare(&statement.sql).await?);
        }
    }
    // Each is sent when it is first polled.
    try_join_all(statements.iter().map(|statement| one(client, prepared, statement))).await?;
    Ok(())
}

async fn one(
    client: &Client,
    prepared: &HashMap<&str, Prepared>,
    statement: &Statement,
) -> Outcome<()> {
    let Some(values) = &statement.values else {
        return Ok(client.batch_execute(&statement.sql).await?);
    };
    let ready = prepared.get(statement.sql.as_str()).ok_or("a statement that was not prepared")?;
    let values: Vec<Text<'_>> = values.iter().map(|value| Text(value.as_deref())).collect();
    let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(any).collect();
    let answered = client.query(ready, &values).await;
    answered.map_err(|error| format!("{}: {error:?}", statement.sql))?;
    Ok(())
}
