//! `bipe restore`: fills a new database, brings it to the schema of this release, and erases again who was erased. With
//! `--recovered` it does the latter for a database that PostgreSQL's own tools put back. Called by `cli.rs`.
//!
//! Invariant: nothing is committed before the backup is known to be whole, the list of erased people is on disk, and the
//! login may serve. Every step after that is repeated by the next start of a node, so a restore that is cut short there
//! is finished by it.

use std::path::{Path, PathBuf};

use bipe_core::auth::Auth;
use bipe_core::auth::personal_data::erasures_log::{self, ErasuresLog};
use bipe_core::backup::BackupError;
use bipe_core::backup::load::{Loaded, Opened};
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::start;
use bipe_core::embedded_postgres::IfRunning;
use bipe_core::id::UserId;
use clap::Args;
use tokio::runtime::Handle;

use super::{Failure, file_or_pipe, keys, signer};
use crate::boot::DatabaseServer;

/// The flags of `bipe restore`.
#[derive(Args, Clone, Debug)]
pub struct RestoreSettings {
    /// The backup, or - for standard input
    #[arg(long, value_name = "FILE", required_unless_present = "recovered")]
    pub from: Option<PathBuf>,
    /// Instead of a backup: the database was put back by PostgreSQL's own tools, to an instant or from a copy
    #[arg(long, conflicts_with_all = ["from", "any_secret"])]
    pub recovered: bool,
    /// Takes a backup whose secret is lost: its signature proves nothing then
    #[arg(long)]
    pub any_secret: bool,
    /// An erasures.log that is newer than the backup; once for each node
    #[arg(long, value_name = "FILE")]
    pub erasures: Vec<PathBuf>,
    #[command(flatten)]
    pub config: Config,
}

/// Fills the database of the settings, and says what it holds now.
///
/// # Errors
/// One line for the terminal.
pub async fn restore(settings: &RestoreSettings) -> Result<String, Failure> {
    let (config, clock) = (&settings.config, Clock::system());
    let keys = keys(config, &clock)?;
    let mut erased = Vec::new();
    for path in &settings.erasures {
        erased.extend(ids(path)?);
    }
    let Some(from) = &settings.from else {
        return recovered(config, &clock, &erased).await;
    };
    let signer = signer(settings.any_secret, &keys);
    let opened = Opened::read(file_or_pipe::input(from)?, signer).await?;
    let database = DatabaseServer::open(config, IfRunning::Fail).await?;
    let restored = async {
        let list = own_list(config)?;
        let filled = opened.fill(database.logins.owner()).await?;
        erased.extend(&filled.loaded.erased);
        start::admit(&database.logins, config.is_production()).await?;
        list.add_missing(&Handle::current(), &erased).await?;
        let loaded = filled.commit().await?;
        Ok::<_, Failure>((loaded, settle(config, &database, &clock).await?))
    };
    let restored = restored.await;
    database.close().await;
    let (Loaded { manifest, .. }, again) = restored?;
    let (rows, at) = (manifest.rows(), manifest.origin.at);
    Ok(format!("{rows} rows as they stood at {at}; {}", summary(again)))
}

/// As [`restore`], for a database that has its rows already. Whether it looks like the one before, as a copy of its
/// files does, makes no difference: a new history begins.
async fn recovered(config: &Config, clock: &Clock, erased: &[UserId]) -> Result<String, Failure> {
    let database = DatabaseServer::open(config, IfRunning::Fail).await?;
    let settled = async {
        let list = own_list(config)?;
        start::admit(&database.logins, config.is_production()).await?;
        list.add_missing(&Handle::current(), erased).await?;
        start::forget_history(&database.logins).await?;
        Ok::<_, Failure>(settle(config, &database, clock).await?)
    };
    let settled = settled.await;
    database.close().await;
    Ok(format!("a new history has begun; {}", summary(settled?)))
}

fn summary(again: u32) -> String {
    format!(
        "{again} erased people were erased again; everybody has to sign in again; \
         the provider is asked when a node starts"
    )
}

/// Where the node of these settings will look for the people to erase again.
fn own_list(config: &Config) -> Result<ErasuresLog, BackupError> {
    let list = ErasuresLog::below(&config.data_dir);
    list.make().map_err(|error| BackupError::File(list.path().display().to_string(), error))?;
    Ok(list)
}

/// What the database needs before anybody is served. Its first connection begins a new history.
///
/// # Errors
/// `Unfinished`: the rows stay.
async fn settle(
    config: &Config,
    database: &DatabaseServer,
    clock: &Clock,
) -> Result<u32, BackupError> {
    let settled = database.with_auth(config, clock, async |auth: Auth| {
        auth.end_all_sessions().await?;
        Ok(auth.erase_again().await?)
    });
    settled.await.map_err(|error| BackupError::Unfinished(error.to_string()))
}

/// Those of a list that was named by hand.
fn ids(path: &Path) -> Result<Vec<UserId>, BackupError> {
    let file = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => erasures_log::ids(&String::from_utf8_lossy(&bytes))
            .map_err(|line| BackupError::NotAList { file, line }),
        Err(error) => Err(BackupError::File(file, error)),
    }
}
