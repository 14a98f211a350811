//! What an upgrade of the database to this build's schema means: from where it is possible, how far back builds may
//! go afterwards, which migrations run, whom they keep waiting. Called by `bipe upgrade`; `inspect.rs` reads the
//! database, `page.rs` writes the part of docs/operations.md.
//!
//! Invariant: everything here is read from the migrations themselves, and from the database in transactions that are
//! read-only.

mod inspect;
mod page;
mod statement;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use inspect::{DatabaseFacts, Size};
pub use page::page;
pub use statement::Waits;

use super::migrate::{self, Embedded};

/// A migration of this build.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Migration {
    pub version: i32,
    pub name: String,
    #[serde(skip)]
    checksum: String,
    /// By name, each table that was there before and that others wait for, or that is read as a whole. A lock lasts
    /// until the migration ends.
    pub tables: BTreeMap<String, OnTable>,
    #[serde(skip)]
    creates: BTreeSet<String>,
    /// It makes this extension, which the server has to offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// It moves the oldest schema whose builds may serve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OnTable {
    pub waits: Waits,
    /// How long the migration takes grows with the rows of this table.
    pub grows: bool,
}

/// The migrations of this build, oldest first.
///
/// # Errors
/// A migration that cannot be read; the name of one, and the statement whose kind is unknown, or after which older
/// builds fail although the migration does not raise `schema_window`.
pub fn migrations() -> Result<Vec<Migration>, String> {
    let files = migrate::embedded().map_err(|error| error.to_string())?;
    let indexes: BTreeMap<String, String> =
        files.iter().flat_map(|file| indexes_of(&file.sql)).collect();
    let mut all: Vec<Migration> = Vec::new();
    for file in files {
        let window = all.iter().filter_map(|migration| migration.oldest).next_back();
        all.push(Migration::read(file, &indexes, window)?);
    }
    Ok(all)
}

fn indexes_of(sql: &str) -> Vec<(String, String)> {
    let named = |statement: &String| {
        let (before, after) = statement.split_once(" ON ")?;
        let (_, name) = before.split_once("INDEX ")?;
        let table = after.split([' ', '(']).find(|word| !word.is_empty())?;
        Some((name.trim().to_owned(), table.to_owned()))
    };
    statement::split(sql).iter().filter_map(named).collect()
}

impl Migration {
    /// `window` is the oldest schema whose builds may serve before it.
    fn read(
        file: Embedded,
        indexes: &BTreeMap<String, String>,
        window: Option<i32>,
    ) -> Result<Self, String> {
        let Embedded { version, name, checksum, sql } = file;
        let (tables, creates) = (BTreeMap::new(), BTreeSet::new());
        let mut migration =
            Self { version, name, checksum, tables, creates, extension: None, oldest: None };
        let mut breaks = None;
        for statement in statement::split(&sql) {
            let meaning = statement::meaning(&statement, |index| indexes.get(index).cloned());
            let meaning = meaning.map_err(|of| format!("V{version:03}: {of}"))?;
            migration.creates.extend(meaning.creates_table);
            migration.oldest = meaning.oldest.or(migration.oldest);
            migration.extension = meaning.needs_extension.or(migration.extension);
            if meaning.breaks {
                breaks = Some(statement);
            }
            for effect in meaning.effects {
                let nothing = OnTable { waits: Waits::Nothing, grows: false };
                let on = migration.tables.entry(effect.table).or_insert(nothing);
                on.waits = on.waits.max(effect.waits);
                on.grows |= effect.grows;
            }
        }
        if let Some(statement) = breaks.filter(|_| migration.oldest <= window) {
            let what = statement.trim();
            return Err(format!("V{version:03}: raise schema_window, older builds fail: {what}"));
        }
        forget(&mut migration.tables, &migration.creates);
        Ok(migration)
    }
}

/// Nobody waits for tables that were just made, and they have no rows.
fn forget(tables: &mut BTreeMap<String, OnTable>, new: &BTreeSet<String>) {
    tables.retain(|table, _| !new.contains(table));
}

/// The oldest schema whose builds serve beside `schema`; None where each build serves its own schema alone.
fn oldest_beside(migrations: &[Migration], schema: i32) -> Option<i32> {
    let until = migrations.iter().filter(|migration| migration.version <= schema);
    let first = until.clone().find(|migration| migration.creates.contains("schema_window"))?;
    // Builds before that table want exactly their own schema.
    let oldest = until.filter_map(|migration| migration.oldest).next_back();
    oldest.map(|oldest| oldest.max(first.version))
}

/// A row of `refinery_schema_history`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub version: i32,
    pub name: String,
    pub checksum: String,
}

/// What keeps the migrations from running, or this build from serving afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The database has another content under this version: another product, or an edited file.
    Differs(i32),
    /// It was left out, and later ones were applied: it would never run.
    LeftOut(i32),
    /// The database serves builds from this schema on alone.
    TooOld { oldest: i32 },
}

/// From the schema that was found to the one of this build.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The newest migration of the database; None before the first.
    pub from: Option<i32>,
    /// The newest migration of this build.
    pub build: i32,
    /// The oldest schema whose builds serve beside the database when the migrations have run. Older builds have to be
    /// stopped before, and there is no way back to them.
    pub oldest_beside: Option<i32>,
    /// What runs, in this order.
    pub migrations: Vec<Migration>,
    #[serde(skip)]
    pub obstacles: Vec<Obstacle>,
}

impl Plan {
    /// `oldest` is what the database asks for now.
    pub fn of(all: Vec<Migration>, applied: &[Applied], oldest: Option<i32>) -> Self {
        let from = applied.iter().map(|applied| applied.version).max();
        let build = all.iter().map(|migration| migration.version).max().unwrap_or_default();
        let beside = oldest_beside(&all, build);
        let moved = all.iter().filter(|m| Some(m.version) > from).any(|m| m.oldest.is_some());
        let oldest_beside = if moved { beside } else { beside.max(oldest) };
        let mut obstacles = Vec::new();
        for migration in &all {
            let there = applied.iter().find(|applied| applied.version == migration.version);
            match there {
                Some(there)
                    if (&there.name, &there.checksum) != (&migration.name, &migration.checksum) =>
                {
                    obstacles.push(Obstacle::Differs(migration.version));
                }
                None if Some(migration.version) < from => {
                    obstacles.push(Obstacle::LeftOut(migration.version));
                }
                _ => {}
            }
        }
        obstacles.extend(
            oldest.filter(|oldest| *oldest > build).map(|oldest| Obstacle::TooOld { oldest }),
        );
        let mut new = BTreeSet::new();
        let mut pending: Vec<Migration> =
            all.into_iter().filter(|m| Some(m.version) > from).collect();
        for migration in &mut pending {
            forget(&mut migration.tables, &new);
            new.extend(migration.creates.iter().cloned());
        }
        Self { from, build, oldest_beside, migrations: pending, obstacles }
    }

    /// Whether the builds that serve now go on serving meanwhile, and may come back afterwards.
    pub fn is_rolling(&self) -> bool {
        self.from.is_some_and(|from| self.oldest_beside.is_some_and(|oldest| oldest <= from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied_until(all: &[Migration], schema: i32) -> Vec<Applied> {
        let until = all.iter().filter(|migration| migration.version <= schema);
        let row = |m: &Migration| Applied {
            version: m.version,
            name: m.name.clone(),
            checksum: m.checksum.clone(),
        };
        until.map(row).collect()
    }

    #[test]
    fn every_statement_of_every_migration_is_understood() {
        let all = migrations().unwrap();
        assert_eq!(all.last().map(|migration| migration.version), Some(migrate::newest()));
        let table = |version, table: &str| {
            let migration = all.iter().find(|migration| migration.version == version);
            migration.and_then(|migration| migration.tables.get(table).copied())
        };
        let everything = |grows| Some(OnTable { waits: Waits::Everything, grows });
        assert_eq!(table(16, "payments"), everything(true), "a new check reads all rows");
        assert_eq!(table(31, "payments"), everything(false), "a constant default reads none");
        assert_eq!(table(29, "subscription_history"), everything(true), "a dropped index");
        let jobs = OnTable { waits: Waits::Writes, grows: true };
        assert_eq!(table(43, "jobs"), Some(jobs), "two indexes");
        assert_eq!(table(40, "notifications"), None, "made by the migration itself");
    }

    #[test]
    fn a_migration_after_which_older_builds_fail_raises_the_window() {
        let read = |sql: &str| {
            let (name, checksum, sql) = ("test".to_owned(), String::new(), sql.to_owned());
            let file = Embedded { version: 99, name, checksum, sql };
            Migration::read(file, &BTreeMap::new(), Some(97))
        };
        for breaks in [
            "ALTER TABLE companies RENAME COLUMN description TO about",
            "ALTER TABLE companies RENAME TO firms",
            "ALTER TABLE companies DROP COLUMN description",
            "ALTER TABLE companies DROP description",
            "ALTER TABLE companies ALTER COLUMN description SET NOT NULL",
            "ALTER TABLE companies ALTER COLUMN description DROP DEFAULT",
            "DROP TABLE companies",
            "DROP FUNCTION searchable(text)",
        ] {
            let refused = read(breaks).unwrap_err();
            assert!(refused.starts_with("V099: ") && refused.ends_with(breaks), "{refused}");
            let raised = read(&format!("{breaks};\nUPDATE schema_window SET oldest = 98;"));
            assert_eq!(raised.unwrap().oldest, Some(98));
            let kept = read(&format!("{breaks};\nUPDATE schema_window SET oldest = 97;"));
            assert!(kept.unwrap_err().starts_with("V099: raise schema_window"), "{breaks}");
        }
        for harmless in ["DROP CONSTRAINT c", "ALTER COLUMN description DROP NOT NULL"] {
            assert!(read(&format!("ALTER TABLE companies {harmless}")).is_ok(), "{harmless}");
        }
    }

    #[test]
    fn builds_before_the_window_want_their_own_schema() {
        let all = migrations().unwrap();
        assert_eq!(oldest_beside(&all, 32), None);
        assert_eq!(
            oldest_beside(&all, 33),
            Some(33),
            "the row says 31, whose builds never read it"
        );
        let rolling = |from| Plan::of(all.clone(), &applied_until(&all, from), None).is_rolling();
        assert_eq!((rolling(32), rolling(33)), (false, true));
        assert!(!Plan::of(all.clone(), &[], None).is_rolling());
    }

    #[test]
    fn a_window_that_moved_in_the_database_counts() {
        let all = migrations().unwrap();
        let applied = applied_until(&all, 42);
        let plan = Plan::of(all.clone(), &applied, Some(43));
        assert_eq!((plan.oldest_beside, plan.is_rolling()), (Some(43), false));
        assert_eq!(plan.obstacles, []);
        let newer = migrate::newest() + 1;
        let plan = Plan::of(all, &applied, Some(newer));
        assert_eq!(plan.obstacles, [Obstacle::TooOld { oldest: newer }]);
    }

    #[test]
    fn tables_that_the_upgrade_makes_keep_nobody_waiting() {
        let all = migrations().unwrap();
        let plan = Plan::of(all.clone(), &[], None);
        assert!(plan.migrations.iter().all(|migration| migration.tables.is_empty()));
        let plan = Plan::of(all.clone(), &applied_until(&all, 4), None);
        let payments = plan.migrations.iter().filter(|m| m.tables.contains_key("payments"));
        assert_eq!(payments.count(), 0, "made by 7");
        assert!(plan.migrations.iter().any(|m| m.tables.contains_key("users")));
    }

    #[test]
    fn a_migration_that_differs_or_was_left_out_is_an_obstacle() {
        let all = migrations().unwrap();
        let mut applied = applied_until(&all, 40);
        applied.retain(|applied| applied.version != 32);
        applied.first_mut().unwrap().checksum = "1".to_owned();
        let plan = Plan::of(all, &applied, Some(31));
        assert_eq!(plan.obstacles, [Obstacle::Differs(1), Obstacle::LeftOut(32)]);
        assert_eq!(plan.migrations.first().map(|migration| migration.version), Some(41));
    }
}
