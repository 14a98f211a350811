//! Reads what an upgrade has to know of the database. Called by `bipe upgrade check`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Applied, Plan};
use crate::db::access::DatabaseLogins;
use crate::db::pooler;
use crate::db::session::{Pooling, Sessions};
use crate::error::{Error, Result};

/// The database before the upgrade, as the login sees it that will migrate.
#[derive(Clone, Debug)]
pub struct DatabaseFacts {
    pub server_version: String,
    /// 150018 is 15.18.
    pub version_number: i32,
    pub applied: Vec<Applied>,
    /// What `schema_window` says; None before that table.
    pub oldest: Option<i32>,
    /// The login may change the schema.
    pub may_migrate: bool,
    /// Migrations cannot run through a pooler in transaction mode.
    pub pools_transactions: bool,
    /// The extensions that the server offers.
    pub extensions: Vec<String>,
}

/// The size of a table with its indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// As the last VACUUM or ANALYZE counted them; None before the first.
    pub rows: Option<i64>,
    pub bytes: i64,
}

impl DatabaseFacts {
    /// Reads, in one read-only transaction; the second value has the tables that the plan names.
    ///
    /// # Errors
    /// `Internal` with one sentence for a person: no connection, no right to read.
    pub async fn read(
        logins: &DatabaseLogins,
        plan: impl FnOnce(&Self) -> Plan,
    ) -> Result<(Self, Plan, BTreeMap<String, Size>)> {
        let owner = logins.owner();
        let setting =
            if logins.migration.is_some() { "DATABASE_MIGRATION_URL" } else { "DATABASE_URL" };
        let sessions = pooler::sessions(owner, setting).await?;
        let (client, driver) = owner.open().await?;
        client.batch_execute(BEGIN).await?;
        let row = client.query_one(SERVER, &[]).await?;
        let mut found = Self {
            server_version: row.try_get("server_version")?,
            version_number: row.try_get("version_number")?,
            applied: Vec::new(),
            oldest: None,
            may_migrate: row.try_get("may_migrate")?,
            pools_transactions: sessions == Sessions::Pooled(Pooling::Transaction),
            extensions: row.try_get("extensions")?,
        };
        if row.try_get("has_history")? {
            for row in client.query(APPLIED, &[]).await? {
                let (version, name) = (row.try_get("version")?, row.try_get("name")?);
                found.applied.push(Applied { version, name, checksum: row.try_get("checksum")? });
            }
        }
        if row.try_get("has_window")? {
            found.oldest = client.query_one(OLDEST, &[]).await?.try_get("oldest")?;
        }
        let plan = plan(&found);
        let names: Vec<&str> =
            plan.migrations.iter().flat_map(|m| m.tables.keys()).map(String::as_str).collect();
        let mut sizes = BTreeMap::new();
        for row in client.query(SIZES, &[&names]).await? {
            let size = Size { rows: row.try_get("rows")?, bytes: row.try_get("bytes")? };
            sizes.insert(row.try_get("name")?, size);
        }
        client.batch_execute("ROLLBACK").await?;
        drop(client);
        driver.await.map_err(Error::internal)??;
        Ok((found, plan, sizes))
    }
}

/// No question waits for a migration that runs, and none for a server that hangs.
const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; \
     SET LOCAL statement_timeout = '5s'; SET LOCAL lock_timeout = '2s'";
const SERVER: &str = "SELECT current_setting('server_version') AS server_version, \
     current_setting('server_version_num')::integer AS version_number, \
     to_regclass('refinery_schema_history') IS NOT NULL AS has_history, \
     to_regclass('schema_window') IS NOT NULL AS has_window, \
     has_schema_privilege('public', 'CREATE') AS may_migrate, \
     ARRAY(SELECT name::text FROM pg_available_extensions) AS extensions";
const APPLIED: &str =
    "SELECT version, name, checksum FROM refinery_schema_history ORDER BY version";
const OLDEST: &str = "SELECT oldest FROM schema_window";
const SIZES: &str = "SELECT relname::text AS name, \
     CASE WHEN reltuples >= 0 THEN reltuples::bigint END AS rows, pg_total_relation_size(oid) AS bytes \
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname = ANY($1)";
