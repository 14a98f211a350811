//! Brings a database to the schema of `migrations/`, on a connection of its own, as the owner.
//!
//! refinery takes no lock, so an advisory lock puts two nodes that start together in line. A login that may not change
//! the schema can serve a database that has the schema of this build already. A newer schema is left as it is: during a
//! rolling deploy an older build may start again beside the newer one.

use std::error::Error as _;

use refinery_core::{Migration, Runner, Target};
use tokio::task::JoinHandle;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::access::Login;
use super::{APP_ROLE, Db, roles};
use crate::error::{Error, Result, log_text};

/// The version, the name and the text of each file of `migrations/`, as the build script lists them.
const FILES: &[(i32, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// Any number, the same on every node.
const MIGRATION_LOCK: i64 = 0x6269_7065;
/// Neither the wait for another node nor an index over many rows ends by a limit that an operator gave the login.
const NO_TIME_LIMIT: &str = "SELECT set_config(name, '0', false) FROM pg_settings \
     WHERE name IN ('statement_timeout', 'transaction_timeout', 'lock_timeout')";
/// A migration that waits for its table makes every request behind it wait, too.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '5s'";
/// Where the tables are made. A schema that has the name of the login would come first, and nobody else finds it. What
/// the migrations use of an extension may be in any schema of the login's path.
const IN_PUBLIC: &str = "SELECT set_config('search_path', \
     concat_ws(', ', 'public', nullif(current_setting('search_path'), '')), false)";
const ENCODING: &str = "SELECT current_setting('server_encoding') AS encoding";
const MAY_CHANGE: &str = "SELECT has_schema_privilege('public', 'CREATE') AS may";

/// Applies what is missing; returns how many migrations that were.
///
/// # Errors
/// `Internal` without a connection, when a migration fails (it leaves no trace: each runs in a transaction of its own),
/// and for a database or a schema that this build cannot work with.
pub async fn migrate(owner: &Login) -> Result<usize> {
    let (mut client, driver) = begin(owner).await?;
    let may_change = client.query_one(MAY_CHANGE, &[]).await?.try_get("may")?;
    let applied = if may_change {
        roles::prepare(&client).await?;
        let runner = Runner::new(&files()?).set_abort_missing(false);
        let report = runner.run_async(&mut client).await;
        report.map_err(failed)?.applied_migrations().len()
    } else {
        0
    };
    match fits(&client).await {
        Ok(true) => {}
        Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) && !may_change => {
            return Err(roles::powerless());
        }
        _ => return Err(Error::internal(if may_change { TOO_NEW } else { NOT_MIGRATED })),
    }
    client.execute("SELECT pg_advisory_unlock($1)", &[&MIGRATION_LOCK]).await?;
    drop(client);
    driver.await.map_err(Error::internal)??;
    Ok(applied)
}

/// Brings a database to an older schema than this build's, for a backup of that time.
///
/// # Errors
/// As [`migrate`].
pub(super) async fn migrate_to(owner: &Login, version: i32) -> Result<()> {
    let (mut client, driver) = begin(owner).await?;
    roles::prepare(&client).await?;
    let runner = Runner::new(&files()?).set_target(Target::Version(version));
    runner.run_async(&mut client).await.map_err(failed)?;
    drop(client);
    Ok(driver.await.map_err(Error::internal)??)
}

/// A connection that migrates alone, until it ends.
async fn begin(
    owner: &Login,
) -> Result<(Client, JoinHandle<std::result::Result<(), tokio_postgres::Error>>)> {
    let (client, driver) = owner.open().await?;
    let encoding: String = client.query_one(ENCODING, &[]).await?.try_get("encoding")?;
    if encoding != "UTF8" {
        return Err(Error::internal(format!(
            "the database's encoding is {encoding}, and Bipe needs UTF8: make it anew (CREATE DATABASE ... ENCODING \
             'UTF8' TEMPLATE template0)"
        )));
    }
    client.batch_execute(NO_TIME_LIMIT).await?;
    client.batch_execute(IN_PUBLIC).await?;
    client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await?;
    client.batch_execute(LOCK_TIMEOUT).await?;
    Ok((client, driver))
}

/// The runner names the migration, and of the server's reason nothing.
fn failed(error: refinery_core::Error) -> Error {
    let driver = error.source().and_then(<dyn std::error::Error>::downcast_ref);
    match driver.and_then(tokio_postgres::Error::as_db_error) {
        Some(db) => Error::internal(format!("{error}: {}", log_text(db))),
        None => Error::internal(error),
    }
}

/// Whether a login that only serves can work with the schema now.
async fn fits(client: &Client) -> std::result::Result<bool, tokio_postgres::Error> {
    client.batch_execute(&format!("SET ROLE {APP_ROLE}")).await?;
    let fits = client.query_one(FITS, &[&newest()]).await?.try_get("fits")?;
    client.batch_execute("RESET ROLE").await?;
    Ok(fits)
}

const NOT_MIGRATED: &str = "the schema is not the one of this build and the login may not change it: run \
     `bipe migrate` as the database's owner first";
/// A migration of a newer build has raised the oldest schema that may serve.
pub const TOO_NEW: &str =
    "the schema no longer serves this build (table schema_window): start a newer one";

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
    FILES.iter().map(|(version, ..)| *version).max().unwrap_or_default()
}

/// # Errors
/// `Internal` for a name that refinery cannot read; the build script refuses it first.
fn files() -> Result<Vec<Migration>> {
    let read = FILES.iter().map(|(_, name, sql)| Migration::unapplied(name, sql));
    read.collect::<std::result::Result<_, _>>().map_err(failed)
}

/// A migration as it stands in this build.
pub(crate) struct Embedded {
    pub version: i32,
    pub name: String,
    /// As `refinery_schema_history` keeps it.
    pub checksum: String,
    pub sql: String,
}

/// All migrations, oldest first.
///
/// # Errors
/// `Internal` for one that refinery cannot read.
pub(crate) fn embedded() -> Result<Vec<Embedded>> {
    let read = |migration: &Migration| Embedded {
        version: migration.version(),
        name: migration.name().to_owned(),
        checksum: migration.checksum().to_string(),
        sql: migration.sql().unwrap_or_default().to_owned(),
    };
    let mut all: Vec<Embedded> = files()?.iter().map(read).collect();
    all.sort_by_key(|migration| migration.version);
    Ok(all)
}

/// Whether the database answers and this build can work with its schema.
pub async fn is_ready(db: &Db) -> bool {
    let ask = async { db.tx().await?.value(FITS, &[&newest()]).await };
    ask.await.unwrap_or(false)
}

/// The schema has every migration of the build, and none that the build is too old for.
pub(super) const FITS: &str = "SELECT oldest <= $1 AND $1 <= (SELECT max(version) FROM refinery_schema_history) AS fits \
     FROM schema_window";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::join;
    use tokio::time::sleep;

    use super::*;
    use crate::clock::Clock;
    use crate::testing::TestDb;

    #[tokio::test]
    async fn a_migration_that_meets_a_lock_says_so() {
        let test = TestDb::new().await;
        let (mut owner, other) = (test.owner().await, test.owner().await);
        other.batch_execute("BEGIN; LOCK TABLE plans").await.unwrap();
        owner.batch_execute("SET lock_timeout = '50ms'").await.unwrap();
        let sql = "ALTER TABLE plans ADD COLUMN size int";
        let migration = Migration::unapplied("V9999__sizes", sql).unwrap();
        let runner = Runner::new(&[migration]).set_abort_missing(false);
        let error = failed(runner.run_async(&mut owner).await.unwrap_err()).to_string();
        assert!(error.contains("V9999__sizes"), "{error}");
        assert!(error.ends_with("55P03 canceling statement due to lock timeout"), "{error}");
    }

    #[tokio::test]
    async fn limits_of_the_login_do_not_end_the_wait_for_another_node() {
        let test = TestDb::new().await;
        let other = test.owner().await;
        other.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION_LOCK]).await.unwrap();
        let mut config = test.owner_config();
        config.options("-c statement_timeout=500 -c lock_timeout=500");
        let owner = Login::local(config);
        let ending = async move {
            sleep(Duration::from_secs(1)).await;
            drop(other);
        };
        assert_eq!(join(migrate(&owner), ending).await.0.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_database_that_does_not_keep_unicode_is_refused() {
        let test = TestDb::new().await;
        let (admin, name) =
            (test.owner().await, format!("bipe_test_{}", Clock::system().uuid().simple()));
        let make = format!(
            "CREATE DATABASE {name} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C' \
             TEMPLATE template0"
        );
        admin.batch_execute(&make).await.unwrap();
        let owner = Login::local(test.owner_config().dbname(&name).clone());
        let refused = migrate(&owner).await.unwrap_err().to_string();
        assert!(refused.contains("SQL_ASCII") && refused.contains("template0"), "{refused}");
        admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    }

    #[tokio::test]
    async fn a_schema_with_the_name_of_the_login_gets_no_tables() {
        let test = TestDb::new().await;
        let (admin, name) =
            (test.owner().await, format!("bipe_test_{}", Clock::system().uuid().simple()));
        admin.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let owner = Login::local(test.owner_config().dbname(&name).clone());
        let (client, _driver) = owner.open().await.unwrap();
        // The extension goes there, too.
        let make = "CREATE SCHEMA AUTHORIZATION CURRENT_USER; CREATE EXTENSION pg_trgm";
        client.batch_execute(make).await.unwrap();
        assert!(migrate(&owner).await.unwrap() > 0);
        let place = "SELECT relnamespace::regnamespace::text FROM pg_class WHERE relname = 'users'";
        let place: String = client.query_one(place, &[]).await.unwrap().get(0);
        assert_eq!(place, "public");
        admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    }
}
