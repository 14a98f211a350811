//! Brings a database to the schema of `migrations/`, on a connection of its own as the owner.
//!
//! refinery takes no lock, so two nodes that start together are put in line by an advisory lock.

use tokio_postgres::Config;

use super::access;
use crate::error::{Error, Result};

mod embedded {
    refinery::embed_migrations!("../migrations");
}

/// Any number, the same on every node.
const MIGRATION_LOCK: i64 = 0x6269_7065;

/// Applies what is missing; returns how many migrations that were.
///
/// # Errors
/// `Unavailable` without a connection, `Internal` when a migration fails (it leaves no trace: each runs in
/// a transaction of its own).
pub async fn migrate(owner: &Config) -> Result<usize> {
    let (mut client, connection) = access::connect(owner).await?;
    let driver = tokio::spawn(connection);
    client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await?;
    let report =
        embedded::migrations::runner().run_async(&mut client).await.map_err(Error::internal)?;
    client.execute("SELECT pg_advisory_unlock($1)", &[&MIGRATION_LOCK]).await?;
    drop(client);
    driver.await.map_err(Error::internal)??;
    Ok(report.applied_migrations().len())
}

/// Tells the planner what the tables hold, after rows were written in bulk.
///
/// # Errors
/// `Unavailable` without a connection.
pub async fn analyze(owner: &Config) -> Result<()> {
    let (client, connection) = access::connect(owner).await?;
    let driver = tokio::spawn(connection);
    client.batch_execute("VACUUM ANALYZE").await?;
    drop(client);
    Ok(driver.await.map_err(Error::internal)??)
}

/// Names and contents of all migrations, for the name of the tests' template database.
pub fn migrations() -> Vec<(String, String)> {
    embedded::migrations::runner()
        .get_migrations()
        .iter()
        .map(|m| (m.to_string(), m.sql().unwrap_or_default().to_owned()))
        .collect()
}
