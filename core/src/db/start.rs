//! From the settings to a database that may be served: migrations, the checks of the login, the way of its sessions.
//! Called at the start of every process that works with the database, before `Db::open`.

use super::access::{Access, Login};
use super::session::{Durability, Pooling, Sessions, settings};
use super::{APP_ROLE, Db, FITS, migrate as schema, pooler, roles};
use crate::error::{Error, Result};

/// Migrates the database as its owner, and gives the login that may serve it.
///
/// # Errors
/// `Internal` with one sentence that says what to change: for a failed migration, a login that production refuses, a
/// pooler that Bipe cannot work through.
pub async fn prepare(access: Access, is_production: bool) -> Result<Login> {
    let migration = access.migration.clone();
    // It may make the role that the other one logs in as.
    if migration.is_some() {
        self::migrate(&access).await?;
    }
    let app = access.app.probed().await?;
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
pub async fn migrate(access: &Access) -> Result<usize> {
    let owner = access.owner();
    let setting =
        if access.migration.is_some() { "DATABASE_MIGRATION_URL" } else { "DATABASE_URL" };
    // Such a pooler would leave the lock of the migrations with a process that other nodes use.
    if pooler::sessions(owner, setting).await? == Sessions::Pooled(Pooling::Transaction) {
        return Err(Error::internal(format!(
            "{setting} leads through a pooler in transaction mode: migrations need a DATABASE_MIGRATION_URL that leads \
             to the database directly"
        )));
    }
    schema::migrate(owner).await
}

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
/// What remains for logins that are no superusers.
const ROOM: &str = "SELECT sum(CASE name WHEN 'max_connections' THEN 1 ELSE -1 END * setting::bigint)::bigint \
     FROM pg_settings WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')";

impl Db {
    /// Looks through the path that will serve whether the limits of a session, the role and the schema are there.
    ///
    /// # Errors
    /// `Internal` with one sentence that says what to change.
    pub async fn prove(&self) -> Result<()> {
        let tx = self.tx().await?;
        let expected = settings(Durability::Synced);
        let rows = tx.query(SETTINGS, &[&expected.map(|(name, _)| name).as_slice()]).await?;
        for (name, value) in expected {
            let row = rows.iter().find(|row| row.get::<_, &str>("name") == name);
            let row = row.ok_or_else(|| Error::internal(format!("no {name} in pg_settings")))?;
            let (setting, role): (&str, &str) = (row.try_get("setting")?, row.try_get("role")?);
            if setting != value || role != APP_ROLE {
                return Err(Error::internal(format!(
                    "the limits of a session do not reach the database: {name} is {setting} instead of {value}, the \
                     role is {role}; a pooler between has to pass startup parameters on, or to refuse them"
                )));
            }
        }
        if !tx.value::<bool>(FITS, &[&schema::newest()]).await.unwrap_or(false) {
            return Err(Error::internal(NOT_MIGRATED));
        }
        tx.rollback().await?;
        self.compare_room().await
    }

    /// A pooler has limits of its own.
    async fn compare_room(&self) -> Result<()> {
        if self.is_pooled() {
            return Ok(());
        }
        let Some(row) = self.ask(ROOM, &[]).await? else { return Ok(()) };
        let (room, pool): (i64, _) = (row.try_get(0)?, self.connections());
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
     owner, with a DATABASE_MIGRATION_URL that leads to the same database directly";
