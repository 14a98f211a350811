//! Brings a database to the schema of `migrations/`, on a connection of its own, as the owner.
//!
//! refinery takes no lock, so an advisory lock puts two nodes that start together in line. A login that may not change
//! the schema can serve a database that has the schema of this build already.

use tokio_postgres::Client;

use super::access::Login;
use super::{APP_ROLE, SCHEMA_VERSION, roles};
use crate::error::{Error, Result};

mod embedded {
    refinery::embed_migrations!("../migrations");
}

/// Any number, the same on every node.
const MIGRATION_LOCK: i64 = 0x6269_7065;
const MAY_CHANGE: &str = "SELECT has_schema_privilege('public', 'CREATE') AS may";

/// Applies what is missing; returns how many migrations that were.
///
/// # Errors
/// `Internal` without a connection or when a migration fails (it leaves no trace: each runs in a transaction of its
/// own).
pub async fn migrate(owner: &Login) -> Result<usize> {
    let (mut client, driver) = owner.open().await?;
    client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await?;
    let applied = if client.query_one(MAY_CHANGE, &[]).await?.try_get("may")? {
        roles::prepare(&client).await?;
        let report = embedded::migrations::runner().run_async(&mut client).await;
        report.map_err(Error::internal)?.applied_migrations().len()
    } else {
        is_current(&client).await?;
        0
    };
    client.execute("SELECT pg_advisory_unlock($1)", &[&MIGRATION_LOCK]).await?;
    drop(client);
    driver.await.map_err(Error::internal)??;
    Ok(applied)
}

/// Nothing is left to do for the login, which only serves.
async fn is_current(client: &Client) -> Result<()> {
    let ask = async {
        client.batch_execute(&format!("SET ROLE {APP_ROLE}")).await?;
        let version = client.query_one(SCHEMA_VERSION, &[]).await?.try_get::<_, i32>("version")?;
        client.batch_execute("RESET ROLE").await?;
        Ok::<i32, tokio_postgres::Error>(version)
    };
    match ask.await {
        Ok(version) if version == newest() => Ok(()),
        _ => Err(Error::internal(
            "the schema is not the one of this build and the login may not change it: run `bipe migrate` as the \
             database's owner first",
        )),
    }
}

/// Tells the planner what the tables hold, after rows were written in bulk.
///
/// # Errors
/// `Internal` without a connection.
pub async fn analyze(owner: &Login) -> Result<()> {
    let (client, driver) = owner.open().await?;
    client.batch_execute("VACUUM ANALYZE").await?;
    drop(client);
    Ok(driver.await.map_err(Error::internal)??)
}

/// The version of this build's schema.
pub fn newest() -> i32 {
    let versions = embedded::migrations::runner();
    versions.get_migrations().iter().map(|m| m.version()).max().unwrap_or_default()
}

/// Names and contents of all migrations, for the name of the tests' template database.
pub fn migrations() -> Vec<(String, String)> {
    embedded::migrations::runner()
        .get_migrations()
        .iter()
        .map(|m| (m.to_string(), m.sql().unwrap_or_default().to_owned()))
        .collect()
}
