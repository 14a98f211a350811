//! Proves a restored backup: its tables once more against the manifest, the payment invariants, and the figures against a
//! recount. Called by `bipe backup verify`, on a database that is thrown away afterwards.

use tokio::runtime::Handle;

use super::BackupError;
use super::manifest::{Columns, Manifest, TableSum};
use super::take::sum_of_table;
use crate::clock::Clock;
use crate::db::access::DatabaseLogins;
use crate::db::copy::Snapshot;
use crate::db::{Db, migrate, start};
use crate::development;
use crate::error::Error;
use crate::metrics;
use crate::payment::check::{self, Finding, ProviderFindings};
use crate::scope::JobScope;

/// Seconds by which the clock is moved past the instant of the backup, so that the rows written last are in the past.
/// Repeated up to `TRIES` times.
const CLOCK_STEP: u32 = 10;
const TRIES: usize = 6;
/// Draws ids for rows that nobody keeps.
const SEED: u64 = 1;

/// What was found.
#[derive(Clone, Debug)]
pub struct VerificationResult {
    /// Tables, or `sequences`, that are not what the manifest says.
    pub differing: Vec<String>,
    /// Of the payment invariants, without what only the provider knows.
    pub payments: Vec<Finding>,
    /// Cards of the dashboard that a recount contradicts.
    pub figures: Vec<&'static str>,
}

/// Asks a database that was filled from the backup, at the instant at which it was taken.
///
/// # Errors
/// `Database` when it does not answer.
pub async fn verify(
    logins: DatabaseLogins,
    manifest: &Manifest,
) -> Result<VerificationResult, BackupError> {
    let differing = compare(&logins, manifest).await?;
    let owner = logins.owner().clone();
    let login = start::prepare(logins, false).await?;
    migrate::analyze(&owner).await?;
    let clock = Clock::fixed(manifest.origin.at, SEED);
    let opened = Db::open(login, Handle::current(), clock)?;
    let (db, scope) = (opened.db, opened.proof);
    let asked = async {
        development::restore_clock(&db).await?;
        let figures = recount(&db, &scope).await?;
        let report = check::run(&db, &scope, ProviderFindings::default()).await?;
        Ok::<_, Error>((figures, report.findings))
    };
    let asked = asked.await;
    db.close();
    let (figures, payments) = asked?;
    Ok(VerificationResult { differing, payments, figures })
}

async fn recount(db: &Db, scope: &JobScope) -> Result<Vec<&'static str>, Error> {
    for _ in 0..TRIES {
        db.clock().advance(CLOCK_STEP);
        if let Some(wrong) = metrics::check::run(db, scope).await? {
            return Ok(wrong);
        }
    }
    Err(Error::internal(
        "rows carry instants after the backup: a clock is wrong by more than a minute",
    ))
}

/// What differs, by name.
async fn compare(logins: &DatabaseLogins, manifest: &Manifest) -> Result<Vec<String>, BackupError> {
    let snapshot = Snapshot::open(&logins.app).await?;
    let mut differing = Vec::new();
    if snapshot.sequences != manifest.origin.sequences {
        differing.push("sequences".to_owned());
    }
    if Columns::of(&snapshot.tables) != manifest.origin.tables {
        differing.push("columns".to_owned());
    }
    for table in &snapshot.tables {
        let sum = sum_of_table(&snapshot, table).await?;
        let found = TableSum { name: table.name.clone(), sum };
        if !manifest.tables.contains(&found) {
            differing.push(found.name);
        }
    }
    snapshot.close().await;
    Ok(differing)
}
