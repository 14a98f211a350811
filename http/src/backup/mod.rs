//! `bipe backup`, `bipe backup verify` and `bipe restore`: the file or the pipe, the database, the throw-away server of a
//! verification. Called by `cli.rs`. What a backup is stands in `core/src/backup/`.
//!
//! Invariant: a file appears under its name only when it is whole and on disk; an existing one is never touched. A signal
//! ends a backup and a verification as an error does: nothing that was half is left.

mod file_or_pipe;
mod restore;
mod verification;

use std::path::{Path, PathBuf};

use bipe_core::auth::personal_data::erasures_log::ErasuresLog;
use bipe_core::backup::load::{Opened, Signer};
use bipe_core::backup::take::{Source, take};
use bipe_core::backup::{BackupError, PURPOSE, verify};
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::access::DatabaseLogins;
use bipe_core::embedded_postgres::{
    self, EmbeddedError, EmbeddedPostgres, EmbeddedSettings, IfRunning,
};
use bipe_core::secret::KeyRing;
use clap::{Args, Subcommand};
use tokio::runtime::Handle;

use crate::boot::{self, BootError, DatabaseServer};
use crate::stop_signals::StopSignals;
pub use file_or_pipe::read_result;
pub use restore::{RestoreSettings, restore};
pub use verification::{VerificationReport, check_signature};

/// The flags of `bipe backup`.
#[derive(Args, Clone, Debug)]
#[command(subcommand_negates_reqs = true)]
pub struct Settings {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// A file that does not exist yet, or - for standard output
    #[arg(long, value_name = "FILE", required = true)]
    pub to: Option<PathBuf>,
    #[command(flatten)]
    pub config: Config,
}

#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Restores a backup into a server of its own, examines it, and prints a signed result; exit status 1 for findings
    Verify(Box<VerifySettings>),
    /// Says whether a result that `verify --json` printed was signed by this installation
    Signature(Box<SignatureSettings>),
}

#[derive(Args, Clone, Debug)]
pub struct VerifySettings {
    /// The backup, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    /// Takes a backup whose secret is lost: its signature proves nothing then
    #[arg(long)]
    pub any_secret: bool,
    /// Where the server of its own has its data until the end; without it, the system's folder for such
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    /// Prints the result as JSON, with its signature
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub config: Config,
}

#[derive(Args, Clone, Debug)]
pub struct SignatureSettings {
    /// The result, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    #[command(flatten)]
    pub config: Config,
}

/// Shown to the person at the terminal; the first word is for programs.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{code}: {0}", code = .0.code())]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Boot(#[from] BootError),
}

impl From<bipe_core::Error> for Failure {
    fn from(error: bipe_core::Error) -> Self {
        Self::Backup(error.into())
    }
}

impl From<EmbeddedError> for Failure {
    fn from(error: EmbeddedError) -> Self {
        match error {
            EmbeddedError::DiskFull { .. } => Self::Backup(BackupError::DiskFull("the database")),
            // The error's own advice names DATABASE_URL as well, which a verification does not use.
            EmbeddedError::NoBinaries { .. } => {
                let says = "a verification needs PostgreSQL's programs: name their folder, as /usr/lib/postgresql/17/bin";
                let error = std::io::Error::other(says);
                Self::Backup(BackupError::File("BIPE_PG_BIN".to_owned(), error))
            }
            error => Self::Boot(error.into()),
        }
    }
}

/// Takes a backup, and says what it holds.
///
/// # Errors
/// One line for the terminal; no file is left.
pub async fn run(to: &Path, config: &Config) -> Result<String, Failure> {
    if config.database_url.is_none() && !config.data_dir.is_dir() {
        let dir = config.data_dir.clone();
        return Err(BootError::from(EmbeddedError::NotRunning { dir }).into());
    }
    let clock = Clock::system();
    let keys = keys(config, &clock)?;
    let erased = ErasuresLog::below(&config.data_dir).read(&Handle::current()).await?;
    let mut signals = listen()?;
    let database = DatabaseServer::open(config, IfRunning::Join).await?;
    let source =
        Source { login: &database.logins.app, erased: &erased, keys: &keys, clock: &clock };
    let taking = async {
        Ok(file_or_pipe::Output::open(to, &clock)?.fill(|file| take(&source, file)).await?)
    };
    let taken = or_stop(&mut signals, taking).await;
    database.close().await;
    let manifest = taken?;
    let (rows, origin) = (manifest.rows(), &manifest.origin);
    let (tables, schema, key) = (manifest.tables.len(), origin.schema, &origin.key);
    let (at, erased) = (origin.at, erased.len());
    Ok(format!(
        "{rows} rows of {tables} tables and {erased} erased people at {at}, schema {schema}, signed with the key {key}"
    ))
}

/// Restores a backup into a server of its own and examines it. The server and its data are gone at the end.
///
/// # Errors
/// One line for the terminal, for a backup that cannot be restored.
pub async fn verify(settings: &VerifySettings) -> Result<VerificationReport, Failure> {
    let clock = Clock::system();
    let keys = keys(&settings.config, &clock)?;
    let signer = signer(settings.any_secret, &keys);
    let mut signals = listen()?;
    let input = file_or_pipe::input(&settings.from)?;
    let opened = or_stop(&mut signals, async { Ok(Opened::read(input, signer).await?) }).await?;
    let parent = settings.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = parent.join(format!("bipe-verify-{}", clock.uuid()));
    let server = EmbeddedSettings {
        data_dir: scratch.clone(),
        binaries: settings.config.pg_bin.clone(),
        package_dir: boot::package_dir(),
    };
    let verified = async {
        let server = EmbeddedPostgres::start(server, IfRunning::Fail).await?;
        let logins = DatabaseLogins::embedded(&server);
        let examining = async {
            let loaded = opened.fill(logins.owner()).await?.commit().await?;
            let result = verify::verify(logins, &loaded.manifest).await?;
            Ok(VerificationReport::of(&loaded, &result, !settings.any_secret, clock.now()))
        };
        let examined = or_stop(&mut signals, examining).await;
        server.stop().await;
        examined
    };
    let verified = verified.await;
    // Its files hold people's data.
    let removed = embedded_postgres::remove(&scratch).await;
    let verified = verified?;
    let failed = |error| BackupError::File(scratch.display().to_string(), error);
    removed.map_err(failed)?;
    Ok(verified)
}

/// The work's outcome, unless a signal ends it.
async fn or_stop<T>(
    signals: &mut StopSignals,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    signals.or_end(work).await.unwrap_or_else(|| Err(BackupError::Stopped.into()))
}

fn listen() -> Result<StopSignals, Failure> {
    Ok(StopSignals::listen().map_err(|error| BackupError::File("signals".to_owned(), error))?)
}

fn signer(any: bool, keys: &KeyRing) -> Signer<'_> {
    if any { Signer::Anybody } else { Signer::Ours(keys) }
}

/// Those that sign backups and results.
///
/// # Errors
/// When the secret of development cannot be read or made.
pub fn keys(config: &Config, clock: &Clock) -> Result<KeyRing, BootError> {
    Ok(KeyRing::derive(&boot::root_secret(config, clock)?, PURPOSE))
}
