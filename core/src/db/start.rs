//! From the settings to a database that may be served: migrations, the checks of the login, the way of its sessions.
//! Called at the start of every process that works with the database, before `Db::open`.

use std::time::Duration;

use super::access::{DatabaseLogins, Login};
use super::copy::FORGET_PLACE;
use super::session::{Durability, Pooling, Sessions, settings};
use super::{APP_ROLE, Db, migrate as schema, pooler, roles};
use crate::error::{Error, Result};

/// Migrates the database as its owner, and gives the login that may serve it.
///
/// # Errors
/// `Internal` with one sentence that says what to change: for a failed migration, a login that production refuses, a
/// pooler that Bipe cannot work through.
pub async fn prepare(logins: DatabaseLogins, is_production: bool) -> Result<Login> {
    let migration = logins.migration.clone();
    // It may make the role that the other one logs in as.
    if migration.is_some() {
        self::migrate(&logins).await?;
    }
    let app = logins.app.probed().await?;
    if is_production {
        roles::refuse_unbound(&app).await?;
    }
    if migration.is_none() && app.sessions != Sessions::Pooled(Pooling::Transaction) {
        schema::migrate(&app).await?;
    }
    roles::refuse_powerless(&app).await?;
    Ok(app)
}

/// Brings the database to the schema of this build, as its owner. Returns how many migrations were applied.
///
/// # Errors
/// `Internal` with one sentence that says what to change.
pub async fn migrate(logins: &DatabaseLogins) -> Result<usize> {
    let owner = logins.owner();
    let setting =
        if logins.migration.is_some() { "DATABASE_MIGRATION_URL" } else { "DATABASE_URL" };
    // Such a pooler would leave the lock of the migrations with a process that other nodes use.
    if pooler::sessions(owner, setting).await? == Sessions::Pooled(Pooling::Transaction) {
        return Err(Error::internal(format!(
            "{setting} leads through a pooler in transaction mode: migrations need a DATABASE_MIGRATION_URL that leads \
             to the database directly"
        )));
    }
    schema::migrate(owner).await
}

/// What `prepare` asks of the login that serves, while somebody else holds the tables. The roles exist already.
///
/// # Errors
/// As `prepare`, which migrates as well.
pub async fn admit(logins: &DatabaseLogins, is_production: bool) -> Result<()> {
    let app = examine(logins).await?;
    if is_production {
        roles::refuse_unbound(&app).await?;
    }
    roles::refuse_powerless(&app).await
}

/// The login that serves, as it stands: nothing is made, changed or migrated.
///
/// # Errors
/// `Internal` with one sentence that says what to change: without a connection, for a pooler that Bipe cannot work
/// through.
pub async fn examine(logins: &DatabaseLogins) -> Result<Login> {
    logins.app.clone().probed().await
}

/// Lets the next connection begin a new history, whatever server it meets. A database that was recovered to an instant,
/// or whose files were copied back, may stand where the lost one stood and look like it.
///
/// # Errors
/// `Internal` with one sentence that says what to change: no connection, a server that is still in recovery, nodes that
/// work with it.
pub async fn forget_history(logins: &DatabaseLogins) -> Result<()> {
    let (client, driver) = logins.owner().open().await?;
    let mut state = client.query_one(RECOVERY, &[]).await?;
    if state.try_get("recovers")? {
        return Err(Error::internal(STILL_RECOVERING));
    }
    // The server takes a moment to notice that a connection was closed.
    for _ in 0..CLOSING_CHECKS {
        if state.try_get::<_, i64>("of_nodes")? == 0 {
            break;
        }
        tokio::time::sleep(CLOSING_PAUSE).await;
        state = client.query_one(RECOVERY, &[]).await?;
    }
    let of_nodes: i64 = state.try_get("of_nodes")?;
    if of_nodes > 0 {
        return Err(Error::internal(format!(
            "stop all nodes first, and other commands of bipe: {of_nodes} connections of theirs are open, perhaps kept \
             by a pooler"
        )));
    }
    // A schema before that table gets its first history from the migration.
    if state.try_get("has_history")? {
        client.execute(FORGET_PLACE, &[]).await?;
    }
    drop(client);
    Ok(driver.await.map_err(Error::internal)??)
}

/// How often, and at what distance, the connections of nodes are counted until the last is gone.
const CLOSING_CHECKS: u32 = 6;
const CLOSING_PAUSE: Duration = Duration::from_millis(500);
/// The connections of nodes have the name that `Db` gives them, which every login may see.
const RECOVERY: &str = "SELECT pg_is_in_recovery() AS recovers, \
     to_regclass('database_history') IS NOT NULL AS has_history, \
     (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
     AND application_name = 'bipe' AND pid <> pg_backend_pid()) AS of_nodes";
const STILL_RECOVERING: &str = "the database is still in recovery: wait for its end, or end it with \
     SELECT pg_wal_replay_resume() where it has paused at the target";

impl Login {
    /// Finds out whether a pooler stands between.
    async fn probed(mut self) -> Result<Self> {
        self.sessions = pooler::sessions(&self, "DATABASE_URL").await?;
        if let Sessions::Pooled(pooling) = self.sessions {
            tracing::info!(?pooling, "a pooler stands before the database");
        }
        Ok(self)
    }
}

const SETTINGS: &str =
    "SELECT name, setting, current_user::text AS role FROM pg_settings WHERE name = ANY($1)";
/// The connections that the server has for logins that are no superusers, and how many all programs use.
const CONNECTION_USAGE: &str = "SELECT sum(CASE name WHEN 'max_connections' THEN 1 ELSE -1 END \
     * setting::bigint)::bigint AS room, \
     (SELECT sum(numbackends)::bigint FROM pg_stat_database) AS used \
     FROM pg_settings WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')";

/// A setting that does not hold for the sessions of the pools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostSetting {
    pub name: &'static str,
    pub wanted: &'static str,
    pub found: String,
    /// As whom the session works.
    pub role: String,
}

/// The connections of the database's server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionUsage {
    /// For logins that are no superusers.
    pub connections: i64,
    /// Those that all programs use now.
    pub used: i64,
}

impl Db {
    /// Looks through the path that will serve whether the limits of a session, the role and the schema are there.
    ///
    /// # Errors
    /// `Internal` with one sentence that says what to change.
    pub async fn prove(&self) -> Result<()> {
        if let Some(LostSetting { name, wanted, found, role }) = self.lost_setting().await? {
            return Err(Error::internal(format!(
                "the limits of a session do not reach the database: {name} is {found} instead of {wanted}, the \
                 role is {role}; a pooler between has to pass startup parameters on, or to refuse them"
            )));
        }
        let tx = self.tx().await?;
        if !tx.value::<bool>(schema::FITS, &[&schema::newest()]).await.unwrap_or(false) {
            return Err(Error::internal(NOT_MIGRATED));
        }
        tx.rollback().await?;
        self.compare_pool().await
    }

    /// The first setting, or the role, that does not reach the server through the pools.
    ///
    /// # Errors
    /// `Unavailable` or `Internal` without an answer.
    pub async fn lost_setting(&self) -> Result<Option<LostSetting>> {
        let tx = self.tx().await?;
        let expected = settings(Durability::Synced);
        let rows = tx.query(SETTINGS, &[&expected.map(|(name, _)| name).as_slice()]).await?;
        for (name, wanted) in expected {
            let row = rows.iter().find(|row| row.get::<_, &str>("name") == name);
            let row = row.ok_or_else(|| Error::internal(format!("no {name} in pg_settings")))?;
            let (found, role): (String, String) = (row.try_get("setting")?, row.try_get("role")?);
            if found != wanted || role != APP_ROLE {
                return Ok(Some(LostSetting { name, wanted, found, role }));
            }
        }
        tx.rollback().await?;
        Ok(None)
    }

    /// None behind a pooler, which has limits of its own.
    ///
    /// # Errors
    /// `Unavailable` or `Internal` without an answer.
    pub async fn connection_usage(&self) -> Result<Option<ConnectionUsage>> {
        if self.is_pooled() {
            return Ok(None);
        }
        let Some(row) = self.ask(CONNECTION_USAGE, &[]).await? else { return Ok(None) };
        Ok(Some(ConnectionUsage { connections: row.try_get("room")?, used: row.try_get("used")? }))
    }

    async fn compare_pool(&self) -> Result<()> {
        let Some(ConnectionUsage { connections: room, .. }) = self.connection_usage().await? else {
            return Ok(());
        };
        let pool = self.connections();
        if i64::try_from(pool).is_ok_and(|pool| pool > room) {
            tracing::warn!(
                pool,
                room,
                "BIPE_DB_POOL is larger than what max_connections leaves to all nodes together"
            );
        }
        Ok(())
    }
}

const NOT_MIGRATED: &str = "the database of DATABASE_URL has not the schema of this build: run `bipe migrate`, as its \
     owner, with a DATABASE_MIGRATION_URL that leads to the same database directly; if that has nothing to do, public is \
     missing in the search_path of the login of DATABASE_URL";
