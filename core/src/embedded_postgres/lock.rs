//! The remains of an earlier run: our own lock, PostgreSQL's lock files, a server that outlived its parent.
//!
//! Our lock is one of the kernel (`flock`), so it dies with its holder, even by `kill -9`. The holder of the lock may
//! conclude that a PostgreSQL on the data is an orphan, and that a lock file which names another process is stale.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::binaries::Binaries;
use super::error::EmbeddedError;
use super::paths::{PORT, ServerPaths};

const LOCK: &str = "postgres.lock";
/// A fast stop takes 50 ms when idle; it waits for a checkpoint under load.
const FAST_STOP_TIMEOUT: Duration = Duration::from_secs(15);
const IMMEDIATE_STOP_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_EVERY: Duration = Duration::from_millis(20);

/// Held for as long as this process runs a server on the data directory.
#[derive(Debug)]
pub(crate) struct DirLock(File);

/// Said, not left to the closing of the file: a child that is just being started holds a copy of it until its exec,
/// and would keep the directory locked for that moment.
impl Drop for DirLock {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "the data directory stays locked until the process ends");
        }
    }
}

impl DirLock {
    /// `None` while another process holds it.
    pub(crate) fn try_take(data_dir: &Path) -> Result<Option<Self>, EmbeddedError> {
        let path = data_dir.join(LOCK);
        let fail = |e: io::Error| EmbeddedError::io("lock the data directory", &path, &e);
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(fail(e)),
        }
    }
}

/// Stops an orphan, or removes lock files that name a process which is not ours. The caller holds the [`DirLock`].
pub(crate) async fn clear(paths: &ServerPaths, binaries: &Binaries) -> Result<(), EmbeddedError> {
    let pid_file = paths.data().join("postmaster.pid");
    let socket_lock = paths.socket.join(format!(".s.PGSQL.{PORT}.lock"));
    for file in [pid_file, socket_lock] {
        let Some(pid) = recorded_pid(&file).await else { continue };
        if is_our_server(paths, pid).await {
            tracing::warn!(pid, "a PostgreSQL outlived its server; stopping it");
            stop_orphan(paths, binaries, pid).await?;
        } else {
            // PostgreSQL itself only clears the lock of a dead process, and this number may live again as another's.
            remove(&file).await?;
        }
    }
    Ok(())
}

async fn stop_orphan(
    paths: &ServerPaths,
    binaries: &Binaries,
    pid: u32,
) -> Result<(), EmbeddedError> {
    for (signal, timeout) in [("INT", FAST_STOP_TIMEOUT), ("QUIT", IMMEDIATE_STOP_TIMEOUT)] {
        send(paths, binaries, signal, pid).await?;
        let deadline = Instant::now() + timeout;
        while Instant::now() < deadline {
            if !is_our_server(paths, pid).await {
                return Ok(());
            }
            sleep(POLL_EVERY).await;
        }
    }
    Err(EmbeddedError::WillNotStop { pid, dir: paths.data() })
}

/// `pg_ctl kill` sends a signal as the server's user: no foreign process can be hit, and no libc call is ours.
pub(crate) async fn send(
    paths: &ServerPaths,
    binaries: &Binaries,
    signal: &str,
    pid: u32,
) -> Result<(), EmbeddedError> {
    let program = binaries.program("pg_ctl");
    let mut command = tokio::process::Command::from(paths.command(&program));
    let output = command.args(["kill", signal, &pid.to_string()]).output().await;
    let output = output.map_err(|e| EmbeddedError::io("run pg_ctl", &program, &e))?;
    // A failure means that the process is gone already; the caller looks by itself.
    tracing::debug!(signal, pid, ok = output.status.success(), "signal sent to PostgreSQL");
    Ok(())
}

async fn recorded_pid(file: &Path) -> Option<u32> {
    let text = tokio::fs::read_to_string(file).await.ok()?;
    text.lines().next()?.trim().parse().ok()
}

async fn remove(file: &PathBuf) -> Result<(), EmbeddedError> {
    match tokio::fs::remove_file(file).await {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(EmbeddedError::io("remove a stale lock", file, &e)),
    }
}

/// A program named `postgres` whose arguments name our data directory.
async fn is_our_server(paths: &ServerPaths, pid: u32) -> bool {
    let data = paths.data();
    let (program, arguments) = if cfg!(target_os = "linux") {
        let exe = tokio::fs::read_link(format!("/proc/{pid}/exe")).await;
        let line = tokio::fs::read(format!("/proc/{pid}/cmdline")).await;
        (exe.unwrap_or_default().to_string_lossy().into_owned(), line.unwrap_or_default())
    } else {
        let asked = tokio::process::Command::new("ps")
            .args(["-ww", "-o", "command=", "-p", &pid.to_string()])
            .output();
        let line = asked.await.map(|output| output.stdout).unwrap_or_default();
        let words = String::from_utf8_lossy(&line).replace(' ', "\0");
        (words.split('\0').next().unwrap_or_default().to_owned(), words.into_bytes())
    };
    // A binary replaced while it runs reads `…/postgres (deleted)`.
    let program = program.trim_end_matches(" (deleted)");
    let named = Path::new(program).file_name().is_some_and(|name| name == "postgres");
    let data = data.as_os_str().as_encoded_bytes();
    named && arguments.split(|byte| *byte == 0).any(|argument| argument == data)
}
