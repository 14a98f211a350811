//! Why the embedded PostgreSQL did not start: one line each, written for the person at the terminal.
//!
//! Owns the wording and the sorting of foreign messages (the operating system's, initdb's, the server's) into it.
//! Nothing here is ever shown to a user of the web app.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    #[error(
        "no PostgreSQL binaries in {}; run `npm ci --ignore-scripts` in web/ (`make run` does), or set BIPE_PG_BIN or \
         DATABASE_URL",
        .looked.display()
    )]
    NoBinaries { looked: PathBuf },
    #[error("another bipe is using {}; stop it, or give this one its own BIPE_DATA_DIR", .dir.display())]
    InUse { dir: PathBuf },
    #[error("no server runs on {}; start `bipe serve` first, or set DATABASE_URL", .dir.display())]
    NotRunning { dir: PathBuf },
    #[error(
        "PostgreSQL refuses to run as root and this machine has neither a user `postgres` nor `nobody`; create one or \
         set DATABASE_URL"
    )]
    NoUser,
    #[error("this user has no name in the password file, which PostgreSQL needs: {detail}")]
    Nameless { detail: String },
    #[error(
        "{} belongs to another user (uid {uid}); run as that user or as root, or set another BIPE_DATA_DIR",
        .dir.display()
    )]
    NotOurs { dir: PathBuf, uid: u32 },
    #[error(
        "the user `{user}`, under which PostgreSQL runs, cannot enter {}; make its parents traversable (chmod o+x), \
         or set BIPE_DATA_DIR",
        .dir.display()
    )]
    Unreachable { dir: PathBuf, user: String },
    #[error("the disk that holds {} is full; free some space and start again, nothing was lost", .path.display())]
    DiskFull { path: PathBuf },
    #[error("no permission for {}; check who owns it, or set BIPE_DATA_DIR", .path.display())]
    Denied { path: PathBuf },
    #[error(
        "the data in {} was written by another major version of PostgreSQL; use that version's binaries (BIPE_PG_BIN) \
         or move the directory away",
        .dir.display()
    )]
    OtherVersion { dir: PathBuf },
    #[error(
        "an earlier PostgreSQL (process {pid}) still runs on {} and does not stop; stop it by hand",
        .dir.display()
    )]
    WillNotStop { pid: u32, dir: PathBuf },
    #[error("processes of an earlier PostgreSQL still run on {} and do not end; stop them by hand", .dir.display())]
    Leftovers { dir: PathBuf },
    #[error("PostgreSQL was not ready after {seconds} s; its log: {}", .log.display())]
    TooSlow { seconds: u64, log: PathBuf },
    #[error("PostgreSQL: {step}: {detail}")]
    Failed { step: &'static str, detail: String },
}

impl EmbeddedError {
    /// Sorts an error of the operating system; `path` is what was touched.
    pub(crate) fn io(step: &'static str, path: &Path, error: &io::Error) -> Self {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::PermissionDenied => Self::Denied { path },
            _ => Self::Failed { step, detail: format!("{}: {error}", path.display()) },
        }
    }

    /// Sorts what initdb or the server wrote before it gave up; `dir` is its data directory.
    pub(crate) fn output(step: &'static str, dir: &Path, output: &str) -> Self {
        let dir = dir.to_path_buf();
        if output.contains("No space left on device") || output.contains("Disk quota exceeded") {
            return Self::DiskFull { path: dir };
        }
        if output.contains("incompatible with server") {
            return Self::OtherVersion { dir };
        }
        if output.contains("pre-existing shared memory block") {
            return Self::Leftovers { dir };
        }
        if output.contains("Permission denied") {
            return Self::Denied { path: dir };
        }
        Self::Failed { step, detail: telling_line(output) }
    }

    pub(crate) fn database(step: &'static str, error: &tokio_postgres::Error) -> Self {
        let detail = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
        Self::Failed { step, detail }
    }

    /// A blocking task that panicked or was cancelled with its runtime.
    pub(crate) fn join(error: &tokio::task::JoinError) -> Self {
        Self::Failed { step: "prepare", detail: error.to_string() }
    }
}

/// The last line that names a cause, without its time stamp; else the last line at all.
fn telling_line(output: &str) -> String {
    const CAUSES: [&str; 4] = ["FATAL:", "PANIC:", "error:", "could not"];
    let cause = output.lines().rev().find_map(|line| {
        CAUSES.iter().find_map(|cause| line.find(cause).and_then(|at| line.get(at..)))
    });
    let last = || output.lines().rev().find(|line| !line.trim().is_empty());
    cause.or_else(last).unwrap_or("it ended without a word").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(output: &str) -> String {
        EmbeddedError::output("start", Path::new("/data"), output).to_string()
    }

    #[test]
    fn a_full_disk_is_named_whoever_noticed_it() {
        let by_server =
            sorted("FATAL:  could not write to file \"pg_wal/x\": No space left on device\n");
        let by_us =
            EmbeddedError::io("copy", Path::new("/data"), &io::ErrorKind::StorageFull.into());
        assert_eq!(by_server, by_us.to_string());
        assert!(by_us.to_string().contains("the disk that holds /data is full"));
    }

    #[test]
    fn data_of_another_major_version_is_named() {
        let message = sorted("FATAL:  database files are incompatible with server\n");
        assert!(message.contains("another major version"), "{message}");
    }

    #[test]
    fn an_unknown_failure_shows_its_cause_on_one_line() {
        let message = sorted(
            "2026-11-21 08:00:00 UTC [7] FATAL:  could not map anonymous shared memory: Cannot allocate memory\n\
             2026-11-21 08:00:00 UTC [7] LOG:  database system is shut down\n",
        );
        assert_eq!(
            message,
            "PostgreSQL: start: FATAL:  could not map anonymous shared memory: Cannot allocate memory"
        );
    }
}
