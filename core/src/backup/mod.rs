//! A backup is one tar file: what it was taken from, the rows of every table, the ids of erased people, and at the end a
//! signed manifest with the number and the SHA-256 of each table's rows. Called by `http/src/backup/`.
//!
//! `archive` writes and reads the tar, `manifest` is its first and its last entry, `take` fills it from a database,
//! `load` fills a new database from it, `verify` compares a database with it.
//!
//! Invariants: nothing larger than `MAX_ENTRY_BYTES` bytes is ever held in memory. A restore changes no
//! database unless the file ends with a valid signed manifest.

pub mod archive;
pub mod load;
pub mod manifest;
pub mod take;
pub mod verify;

use std::io;

use tokio_postgres::error::SqlState;

use crate::error::{Error, for_terminal, with_causes};

/// Bytes of one entry, at most: a piece of a table, the ids of erased people, the manifest.
pub const MAX_ENTRY_BYTES: usize = 64 << 20;
/// A table is cut into pieces of about this size.
const PIECE: usize = 1 << 20;
/// What the key that signs backups and results of their verification is derived for.
pub const PURPOSE: &str = "backup-v1";

/// Names of the entries.
const FIRST: &str = "backup.json";
const ERASURES: &str = "erasures.log";
const LAST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.sig";

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("this is no backup of Bipe ({0}); decrypt and decompress it first")]
    NotABackup(&'static str),
    #[error("the backup ends before its end: take it again, or another copy of it")]
    Truncated,
    #[error("the backup is not as it was written: {0}")]
    Altered(String),
    /// Of the backup, or of the database that one is taken from.
    #[error("{found}, and this release knows up to {known}: use that release, or a newer one")]
    Newer { found: String, known: String },
    #[error(
        "the backup was signed with the key {made_with}, and BIPE_SECRET has {ours}: name the secret of that time behind \
         the new one, BIPE_SECRET=new,old, or where it is lost, --any-secret"
    )]
    OtherSecret { made_with: String, ours: String },
    #[error("no space is left for {0}; nothing that was there before has changed")]
    DiskFull(&'static str),
    #[error("{0} exists already and is left as it is: choose another name")]
    Exists(String),
    #[error(
        "the database holds data or tables of its own, and a backup goes into a new one alone: make a new database, or \
         another BIPE_DATA_DIR"
    )]
    NotEmpty,
    #[error(
        "the database has schema {found}, and the backup {needed}: restore into a database without a schema"
    )]
    OtherSchema { found: i32, needed: i32 },
    #[error(
        "{file}: line {line} is no id of an account: give an erasures.log, neither encrypted nor compressed"
    )]
    NotAList { file: String, line: usize },
    #[error("a signal ended it before its end")]
    Stopped,
    #[error(
        "the rows are in the database, and who has left since may be among them: let nobody in before a node with this \
         BIPE_DATA_DIR has started, which does the rest ({0})"
    )]
    Unfinished(String),
    #[error("{0}: {1}")]
    File(String, io::Error),
    #[error("the database: {}", with_causes(.0))]
    Database(#[from] Error),
}

impl BackupError {
    /// The error's name for programs, which stays the same from release to release.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotABackup(_) | Self::NotAList { .. } => "BACKUP_UNREADABLE",
            Self::Truncated => "BACKUP_TRUNCATED",
            Self::Altered(_) => "BACKUP_ALTERED",
            Self::Newer { .. } => "BACKUP_NEWER",
            Self::OtherSecret { .. } => "BACKUP_OTHER_SECRET",
            Self::DiskFull(_) => "BACKUP_DISK_FULL",
            Self::Exists(_) => "BACKUP_EXISTS",
            Self::NotEmpty => "BACKUP_TARGET_NOT_EMPTY",
            Self::OtherSchema { .. } => "BACKUP_TARGET_OTHER_SCHEMA",
            Self::Stopped => "BACKUP_STOPPED",
            Self::Unfinished(_) => "BACKUP_UNFINISHED",
            Self::File(..) => "BACKUP_FILE",
            Self::Database(_) => "BACKUP_DATABASE",
        }
    }

    /// An error of the file that is written or read.
    pub fn file(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull("the backup")
            }
            io::ErrorKind::UnexpectedEof => Self::Truncated,
            _ => Self::File("the backup".to_owned(), error),
        }
    }

    /// The database refuses rows: they are none of its own, or it has no room.
    fn rows(table: &str, error: tokio_postgres::Error) -> Self {
        match error.code() {
            Some(state) if *state == SqlState::DISK_FULL => Self::DiskFull("the database"),
            // Data exceptions and violated constraints.
            Some(state) if state.code().starts_with("22") || state.code().starts_with("23") => {
                Self::Altered(format!("the database refuses rows of {table}"))
            }
            _ => Self::Database(for_terminal(&error)),
        }
    }
}
