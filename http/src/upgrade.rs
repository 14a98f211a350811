//! `bipe upgrade check`: may this binary take over an installation, what would its migrations do, and how far back may
//! one go? Asked before it is installed, with the settings of `bipe serve`. Called by `cli.rs`.
//!
//! Invariant: it changes nothing. It migrates nothing, makes no role and begins no history in the database.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::migrate;
use bipe_core::db::upgrade::{DatabaseFacts, Migration, Obstacle, Plan, Size, Waits, migrations};
use serde::Serialize;
use tokio::time::timeout;

use crate::boot::DatabaseServer;
use crate::doctor::report::Check;
use crate::doctor::{DATABASE_TIMEOUT, Report, bus, database, guide};
use crate::settings;

/// The oldest PostgreSQL that is tested, as `server_version_num` counts.
const OLDEST_POSTGRES: i32 = 150_000;

/// The checks, what would run, and the tables that it meets.
#[derive(Debug, Serialize)]
pub struct Answer {
    #[serde(flatten)]
    pub report: Report,
    pub upgrade: Plan,
    /// By name.
    pub tables: BTreeMap<String, Size>,
}

/// # Errors
/// One sentence, where the database could not be looked at.
pub async fn check(config: &Config) -> Result<Answer, String> {
    let server = DatabaseServer::join(config).await.map_err(|error| error.to_string())?;
    let all = migrations()?;
    let reading =
        DatabaseFacts::read(&server.logins, |found| Plan::of(all, &found.applied, found.oldest));
    let read = timeout(DATABASE_TIMEOUT, reading).await;
    let read = match read {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(_late) => {
            Err(format!("the database has not answered within {} s", DATABASE_TIMEOUT.as_secs()))
        }
    };
    let rights = match &read {
        // Before the first migration nobody can serve.
        Ok((_, plan, _)) if plan.from.is_some() => {
            Some(database::login_rights(config, &server.logins.app).await.0)
        }
        _ => None,
    };
    server.close().await;
    let (found, plan, tables) = read?;
    let mut checks = vec![settings_check(config), postgres(&found, &plan), schema(&found, &plan)];
    checks.push(owner(&found, &plan));
    checks.extend(rights);
    checks.push(way_back(&plan));
    // Whether nodes are heard is no question here: they may be stopped already.
    let [reached, _nodes, clocks, refused] = bus::examine(config, &Clock::system()).await;
    checks.extend([reached, clocks, refused]);
    Ok(Answer { report: Report::of(checks), upgrade: plan, tables })
}

fn settings_check(config: &Config) -> Check {
    let check = "upgrade.settings";
    match settings::problems(config).as_slice() {
        problems @ [_, ..] => Check::finding(
            check,
            problems.join("; "),
            "change these settings: this binary does not start with them",
            guide::SETTINGS,
        ),
        [] => {
            let warnings = config.warnings();
            let says = match warnings.as_slice() {
                [] => "this binary starts with these settings".to_owned(),
                _ => format!("this binary starts, and warns: {}", warnings.join("; ")),
            };
            Check::ok(check, says)
        }
    }
}

fn postgres(found: &DatabaseFacts, plan: &Plan) -> Check {
    let check = "upgrade.postgres";
    let version = &found.server_version;
    if found.version_number < OLDEST_POSTGRES {
        let says = format!("PostgreSQL {version}: Bipe needs 15 or later");
        return Check::finding(check, says, "upgrade PostgreSQL first", guide::DATABASE);
    }
    let wanted = plan.migrations.iter().filter_map(|migration| migration.extension.as_ref());
    let missing: Vec<&str> =
        wanted.filter(|name| !found.extensions.contains(name)).map(String::as_str).collect();
    if !missing.is_empty() {
        let says = format!("the server does not offer the extension {}", missing.join(", "));
        let advice = "install PostgreSQL's contrib package on the server";
        return Check::finding(check, says, advice, guide::DATABASE);
    }
    Check::ok(check, format!("PostgreSQL {version}"))
}

fn schema(found: &DatabaseFacts, plan: &Plan) -> Check {
    let (check, build) = ("upgrade.schema", plan.build);
    if !plan.obstacles.is_empty() {
        let says = plan.obstacles.iter().map(describe).collect::<Vec<_>>().join("; ");
        let advice = match plan.obstacles.as_slice() {
            [Obstacle::TooOld { .. }] => "install a newer release than this one",
            _ => "take the release that this database came from, or restore a backup of it",
        };
        return Check::finding(check, says, advice, guide::UPGRADES);
    }
    let says = match plan.from {
        None if found.applied.is_empty() => {
            format!("no schema yet: the first start makes schema {build}")
        }
        Some(from) if from < build => {
            let count = plan.migrations.len();
            format!("schema {from} becomes {build} in one step: {count} migrations")
        }
        Some(from) if from > build => {
            format!("schema {from} is newer than this binary's {build}, which may serve")
        }
        _ => format!("schema {build}, as this binary has it"),
    };
    Check::ok(check, says)
}

fn describe(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Differs(version) => {
            format!("migration {version} of the database is not the one of this binary")
        }
        Obstacle::LeftOut(version) => {
            format!("migration {version} is missing below newer ones, and would never run")
        }
        Obstacle::TooOld { oldest } => {
            let build = migrate::newest();
            format!("the database serves binaries from schema {oldest} on; this one has {build}")
        }
    }
}

fn owner(found: &DatabaseFacts, plan: &Plan) -> Check {
    let check = "upgrade.owner";
    if plan.migrations.is_empty() {
        return Check::skipped(check, "no migration would run");
    }
    let problem = if found.pools_transactions {
        Some("a pooler in transaction mode stands before the database: no migration runs there")
    } else if !found.may_migrate {
        Some("the login may not change the schema")
    } else {
        None
    };
    match problem {
        Some(says) => Check::finding(
            check,
            says,
            "run `bipe migrate` as the owner, or set DATABASE_MIGRATION_URL",
            guide::DATABASE,
        ),
        None => Check::ok(check, "the login that migrates may change the schema"),
    }
}

fn way_back(plan: &Plan) -> Check {
    let check = "upgrade.way_back";
    let oldest = match (plan.from, plan.oldest_beside) {
        (None, _) => return Check::skipped(check, "an installation leads from nothing"),
        (Some(_), _) if plan.migrations.is_empty() => {
            return Check::skipped(check, "no migration would run");
        }
        (Some(_), None) => plan.build,
        (Some(_), Some(oldest)) => oldest,
    };
    if plan.is_rolling() {
        let says = format!(
            "the nodes of now serve meanwhile; you may go back to binaries with schema {oldest} or later"
        );
        return Check::ok(check, says);
    }
    let says = format!("binaries before schema {oldest} neither serve meanwhile nor afterwards");
    let advice =
        "run `bipe backup` and stop all nodes before the upgrade: only the backup leads back";
    Check::finding(check, says, advice, guide::UPGRADES)
}

impl Answer {
    /// For a person: the checks, then what would run.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for migration in &self.upgrade.migrations {
            let Migration { version, name, tables, .. } = migration;
            writeln!(text, "migration {version} {name}").ok();
            for (table, on) in tables {
                let size = if on.grows { self.size(table) } else { String::new() };
                let waits = match on.waits {
                    Waits::Nothing => "is read as a whole",
                    Waits::ChangedRows => "writes to its changed rows wait",
                    Waits::Writes => "writes wait",
                    Waits::Everything => "reads and writes wait",
                };
                writeln!(text, "    {table}: {waits}{size}").ok();
            }
        }
        if !text.is_empty() {
            text += "Others wait until that migration ends; each gives up after 5 s without its tables.\n\n";
        }
        text + &self.report.text()
    }

    fn size(&self, table: &str) -> String {
        let Some(Size { rows, bytes }) = self.tables.get(table) else {
            return "; takes longer with more rows".to_owned();
        };
        let rows =
            rows.map_or_else(|| "rows not counted yet".to_owned(), |n| format!("about {n} rows"));
        format!("; takes longer with more rows: {rows}, {} KiB", bytes / 1024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::Outcome::{Finding, Ok as Good, Skipped};

    fn found(version_number: i32) -> DatabaseFacts {
        DatabaseFacts {
            server_version: "x".to_owned(),
            version_number,
            applied: Vec::new(),
            oldest: None,
            may_migrate: true,
            pools_transactions: false,
            extensions: vec!["pg_trgm".to_owned()],
        }
    }

    #[test]
    fn an_old_server_and_one_without_the_extension_are_found() {
        let plan = Plan::of(migrations().unwrap(), &[], None);
        let outcome = |found: &DatabaseFacts| postgres(found, &plan).outcome;
        assert_eq!((outcome(&found(150_000)), outcome(&found(149_999))), (Good, Finding));
        let without = DatabaseFacts { extensions: Vec::new(), ..found(150_000) };
        assert_eq!(outcome(&without), Finding);
    }

    #[test]
    fn who_may_not_migrate_is_told_where_a_migration_would_run() {
        let plan = Plan::of(migrations().unwrap(), &[], None);
        let outcome = |found: DatabaseFacts| owner(&found, &plan).outcome;
        assert_eq!(outcome(found(150_000)), Good);
        assert_eq!(outcome(DatabaseFacts { may_migrate: false, ..found(150_000) }), Finding);
        assert_eq!(outcome(DatabaseFacts { pools_transactions: true, ..found(150_000) }), Finding);
        let done = Plan { migrations: Vec::new(), ..plan };
        let outcome = owner(&DatabaseFacts { may_migrate: false, ..found(150_000) }, &done).outcome;
        assert_eq!(outcome, Skipped);
    }
}
