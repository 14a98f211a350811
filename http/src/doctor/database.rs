//! What `bipe doctor` asks of the database: the login, the schema, the limits of a session, the collation, the
//! standbys, the room for connections and the clock. Called by `mod.rs` and by `http/src/upgrade.rs`. Each judgement is
//! a pure function of what was measured.

use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::database_status::DatabaseStatus;
use bipe_core::db::access::Login;
use bipe_core::db::start::{self, ConnectionUsage, LostSetting};
use bipe_core::db::{Db, OpenedDb, PoolSize, migrate, roles};
use bipe_core::diagnosis::{self, ClockDifference, CollationChange};
use bipe_core::scope::JobScope;
use tokio::runtime::Handle;

use super::guide;
use super::report::Check;
use crate::boot::DatabaseServer;
use crate::nodes::CLOCK_TOLERANCE;

/// Connections beside the nodes': migrations, backups, a person (docs/operations.md, "Pools and connections").
const BESIDE_NODES: i64 = 10;
/// The doctor's own pools.
const OWN_POOL: usize = 8;

/// The database that was reached.
pub struct Reached {
    pub db: Db,
    pub proof: JobScope,
    /// None where the database does not tell.
    pub status: Option<DatabaseStatus>,
    server: DatabaseServer,
}

impl Reached {
    pub async fn close(self) {
        self.db.close();
        self.server.close().await;
    }
}

/// Everything that is asked of the database, in the order in which one answer needs the other.
pub async fn examine(config: &Config, checks: &mut Vec<Check>) -> Option<Reached> {
    let (db, proof, server) = match open(config).await {
        Ok((opened, server)) => (opened.db, opened.proof, server),
        Err(says) => {
            let advice =
                "start or reach the database: look at its log, its address and its password";
            checks.push(Check::finding("database.reached", says, advice, guide::DATABASE));
            return None;
        }
    };
    checks.push(Check::ok("database.reached", "the login of the settings gets in"));
    let login = server.logins.app.clone();
    let (rights, is_useful) = login_rights(config, &login).await;
    checks.push(rights);
    if !is_useful {
        checks.push(Check::skipped("database.schema", "the login cannot serve"));
        return Some(Reached { db, proof, status: None, server });
    }
    let status = DatabaseStatus::read(&db, &proof).await.map_err(|error| error.to_string());
    let versions = status.as_ref().map(|status| (status.schema, status.oldest_schema));
    checks.push(schema(migrate::newest(), versions.map_err(Clone::clone)));
    checks.push(limits(db.lost_setting().await.map_err(|error| error.to_string())));
    let change = diagnosis::collation_change(&db).await;
    checks.push(collation(change.map_err(|error| error.to_string())));
    if let Ok(status) = &status {
        checks.extend(copies(status));
    }
    let pool = config.pool_size().connections();
    checks.push(connection_usage(
        db.connection_usage().await.map_err(|error| error.to_string()),
        pool,
    ));
    let difference = diagnosis::clock_difference(&db, &Clock::system()).await;
    checks.push(clock(difference.map_err(|error| error.to_string())));
    Some(Reached { db, proof, status: status.ok(), server })
}

/// Joins the database that runs, with small pools; starts and migrates nothing.
///
/// # Errors
/// One sentence that says what to do.
pub async fn open(config: &Config) -> Result<(OpenedDb, DatabaseServer), String> {
    let mut server = DatabaseServer::join(config).await.map_err(|error| error.to_string())?;
    let login = start::examine(&server.logins).await.map_err(|error| error.to_string())?;
    server.logins.app = login.clone();
    let login = login.with_pool(PoolSize::of(OWN_POOL));
    let opened = Db::open(login, Handle::current(), Clock::system());
    Ok((opened.map_err(|error| error.to_string())?, server))
}

/// Whether the login can serve and, in production, whether it may do no more; then the first of both alone.
pub async fn login_rights(config: &Config, login: &Login) -> (Check, bool) {
    let may_serve = roles::refuse_powerless(login).await.map_err(|error| error.to_string());
    let unbound = match config.is_production() {
        true => Some(roles::refuse_unbound(login).await.map_err(|error| error.to_string())),
        false => None,
    };
    let is_useful = may_serve.is_ok();
    (rights(may_serve, unbound), is_useful)
}

/// `unbound` is asked in production alone.
fn rights(may_serve: Result<(), String>, unbound: Option<Result<(), String>>) -> Check {
    let check = "database.rights";
    match (may_serve, unbound) {
        (Err(says), _) => {
            let advice = "run `bipe migrate` as the database's owner, if nothing was migrated yet";
            Check::finding(check, says, advice, guide::DATABASE)
        }
        (Ok(()), Some(Err(says))) => {
            let advice = "give the server a login that owns nothing and was granted bipe_app";
            Check::finding(check, says, advice, guide::DATABASE)
        }
        (Ok(()), Some(Ok(()))) => {
            Check::ok(check, "the login may serve, and row-level security holds for it")
        }
        (Ok(()), None) => Check::ok(check, "the login may serve; production asks for more"),
    }
}

/// `build` is the newest migration of this binary; then the newest of the database, and the oldest build that may serve.
fn schema(build: i32, versions: Result<(i32, i32), String>) -> Check {
    let check = "database.schema";
    match versions {
        Err(says) => {
            let advice = "run `bipe migrate` as the database's owner, if nothing was migrated yet";
            Check::finding(check, says, advice, guide::DATABASE)
        }
        Ok((schema, _)) if schema < build => Check::finding(
            check,
            format!("the database has schema {schema}, and this binary needs {build}"),
            "run `bipe migrate` as the database's owner, or start the binary of the nodes",
            guide::ROLLING_DEPLOYS,
        ),
        Ok((_, oldest)) if oldest > build => Check::finding(
            check,
            format!("the database asks for schema {oldest}, and this binary has {build}"),
            "install the newer release: this one may not serve any more",
            guide::ROLLING_DEPLOYS,
        ),
        Ok((schema, _)) if schema > build => Check::ok(
            check,
            format!("schema {schema} is newer than this binary's {build}, which may serve"),
        ),
        Ok((schema, _)) => Check::ok(check, format!("schema {schema}, as this binary has it")),
    }
}

fn limits(lost: Result<Option<LostSetting>, String>) -> Check {
    let check = "database.limits";
    match lost {
        Ok(None) => Check::ok(check, "time limits, time zone and role reach the sessions"),
        Ok(Some(LostSetting { name, wanted, found, role })) => Check::finding(
            check,
            format!("a session has {name} {found} instead of {wanted}, as the role {role}"),
            "let the pooler pass startup parameters on, or refuse them",
            guide::POOLER,
        ),
        Err(says) => {
            let advice = "read `database.rights` and `database.schema` first";
            Check::finding(check, says, advice, guide::DATABASE)
        }
    }
}

fn collation(change: Result<Option<CollationChange>, String>) -> Check {
    let check = "database.collation";
    match change {
        Ok(None) => Check::ok(check, "texts are ordered as when their indexes were made"),
        Ok(Some(CollationChange { recorded, found })) => {
            let found = found.map_or("none".to_owned(), |version| format!("version {version}"));
            Check::finding(
                check,
                format!(
                    "the database was made with version {recorded} of its collation, and the system has {found}"
                ),
                "stop all nodes and make the indexes anew: they may miss rows, and take an address twice",
                guide::DATABASE,
            )
        }
        Err(says) => {
            let advice = "read `database.rights` first";
            Check::finding(check, says, advice, guide::DATABASE)
        }
    }
}

/// Whether commits last, and how the standbys follow.
fn copies(status: &DatabaseStatus) -> Vec<Check> {
    let mut checks = Vec::new();
    if status.commits_are_durable {
        checks.push(Check::ok("database.commits", "a commit is answered when it is on disk"));
    } else {
        checks.push(Check::finding(
            "database.commits",
            "synchronous_commit is off: a crash loses what was answered last",
            "set synchronous_commit to on, for the server and for the login",
            guide::DATABASE,
        ));
    }
    checks.push(standbys(status));
    checks
}

fn standbys(status: &DatabaseStatus) -> Check {
    let check = "database.standbys";
    let behind: Vec<&str> = status
        .standbys
        .iter()
        .filter(|standby| standby.is_behind())
        .map(|standby| standby.name.as_str())
        .collect();
    if status.lacks_standby() {
        let says = "synchronous_standby_names is set, and no standby is there: commits wait";
        let advice = "bring the standby back, or take it out of synchronous_standby_names";
        return Check::finding(check, says, advice, guide::STANDBY_LOST);
    }
    if !behind.is_empty() {
        let says = format!("behind, or not streaming: {}", behind.join(", "));
        let advice = "look at the standby's disk, network and long queries";
        return Check::finding(check, says, advice, guide::STANDBY_LATE);
    }
    match (status.standbys.len(), status.grant) {
        (0, _) => Check::skipped(check, "no standby is connected, and no commit waits for one"),
        (count, Some(grant)) => Check::finding(
            check,
            format!("standbys: {count}; their state and lag cannot be read"),
            format!("run `{grant}` as an administrator of the database"),
            guide::SEVERAL_NODES,
        ),
        (count, None) => Check::ok(check, format!("standbys that follow: {count}")),
    }
}

/// None behind a pooler. `pool` is BIPE_DB_POOL of one node.
fn connection_usage(usage: Result<Option<ConnectionUsage>, String>, pool: usize) -> Check {
    let check = "database.connections";
    let ConnectionUsage { connections, used } = match usage {
        Ok(Some(usage)) => usage,
        Ok(None) => {
            return Check::skipped(check, "a pooler stands between, and has limits of its own");
        }
        Err(says) => {
            let advice = "read `database.rights` first";
            return Check::finding(check, says, advice, guide::CONNECTIONS);
        }
    };
    let pool = i64::try_from(pool).unwrap_or(i64::MAX).max(1);
    let nodes = connections.saturating_sub(BESIDE_NODES).max(0) / pool;
    let says = format!(
        "{used} of {connections} connections are used; pools of {pool} fit for {nodes} nodes"
    );
    if nodes == 0 || used.saturating_mul(10) >= connections.saturating_mul(9) {
        let advice =
            "raise max_connections, lower BIPE_DB_POOL, or end what else holds connections";
        return Check::finding(check, says, advice, guide::CONNECTIONS);
    }
    Check::ok(check, says)
}

fn clock(difference: Result<Option<ClockDifference>, String>) -> Check {
    let check = "clock.database";
    let difference = match difference {
        Ok(Some(difference)) => difference,
        Ok(None) => return Check::skipped(check, "the database told no time"),
        Err(says) => {
            let advice = "read `database.rights` first";
            return Check::finding(check, says, advice, guide::DATABASE);
        }
    };
    let says = format!("the database's clock is {} ms ahead", difference.ahead.as_millis());
    if difference.at_least() > CLOCK_TOLERANCE {
        let advice =
            "run `timedatectl` on this machine and on the database's: one is not synchronised";
        return Check::finding(check, says, advice, guide::SEVERAL_NODES);
    }
    Check::ok(check, says)
}

#[cfg(test)]
mod tests;
