//! Where the embedded PostgreSQL lives, and as which user it runs.
//!
//! Called once for each start, off the async threads. PostgreSQL refuses to run as root. Under root it gets an
//! unprivileged user, and that user must be able to enter the directory. A chosen place is kept in a file, because
//! data that moved by itself would look lost.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::EmbeddedError;
use crate::secret::{hex, sha256};

/// Longest socket path of the platform, without the closing zero byte (`sun_path`).
const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };
/// Only names the socket file: nothing listens on a network port.
pub(crate) const PORT: u16 = 5432;
const FALLBACK: &str = "/var/lib/bipe";
/// In the data directory: where the server lives, if that is elsewhere.
pub(crate) const RECORD: &str = "postgres.path";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OsUser {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
}

impl OsUser {
    pub(crate) fn me() -> Result<Self, EmbeddedError> {
        Self::ask(&[]).map_err(|detail| EmbeddedError::Nameless { detail })
    }

    fn named(user: &str) -> Option<Self> {
        Self::ask(&[user]).ok()
    }

    /// `id` knows every source of users (files, LDAP, macOS), the password file does not.
    fn ask(user: &[&str]) -> Result<Self, String> {
        let id = |flag: &str| {
            let output =
                Command::new("id").arg(flag).args(user).output().map_err(|e| format!("id: {e}"))?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            if output.status.success() {
                Ok(text(&output.stdout))
            } else {
                Err(text(&output.stderr))
            }
        };
        let number = |flag: &str| id(flag)?.parse::<u32>().map_err(|e| format!("id {flag}: {e}"));
        Ok(Self { name: id("-un")?, uid: number("-u")?, gid: number("-g")? })
    }
}

/// The folders of the server, and the two users of the system at work there.
#[derive(Clone, Debug)]
pub(crate) struct ServerPaths {
    /// Holds `bin/`, `data/`, `socket/`, the log and the two access files.
    pub home: PathBuf,
    pub socket: PathBuf,
    /// Who connects; maps to the database roles.
    pub me: OsUser,
    /// Whom initdb and the server run as; differs from `me` only for root.
    pub run_as: OsUser,
}

impl ServerPaths {
    /// Whether a server was ever made for this folder.
    pub(crate) fn is_chosen(data_dir: &Path) -> bool {
        data_dir.join(RECORD).exists() || data_dir.join("postgres").exists()
    }

    pub(crate) fn choose(data_dir: &Path) -> Result<Self, EmbeddedError> {
        let me = OsUser::me()?;
        let record = data_dir.join(RECORD);
        let recorded = fs::read_to_string(&record).ok().map(|path| PathBuf::from(path.trim()));
        let mut home = recorded.unwrap_or_else(|| data_dir.join("postgres"));
        make_dir(&home, 0o755)?;
        let run_as = runner(&me, &home.join("data"))?;
        if !can_enter(&run_as, &home) {
            if me.uid != 0 || home.join("data").exists() || home.starts_with(FALLBACK) {
                return Err(EmbeddedError::Unreachable { dir: home, user: run_as.name });
            }
            home = Path::new(FALLBACK).join(short_hash(data_dir));
            make_dir(&home, 0o755)?;
            if !can_enter(&run_as, &home) {
                return Err(EmbeddedError::Unreachable {
                    dir: data_dir.to_path_buf(),
                    user: run_as.name,
                });
            }
            let text = format!("{}\n", home.display());
            fs::write(&record, text)
                .map_err(|e| EmbeddedError::io("record the place", &record, &e))?;
            tracing::warn!(
                user = run_as.name,
                data = %home.display(),
                "PostgreSQL's user cannot enter the data directory; its data lives elsewhere"
            );
        }
        let socket = socket_dir(&home, &run_as)?;
        Ok(Self { home, socket, me, run_as })
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.home.join("postgres.log")
    }

    /// Runs as the server's user, in `/`, with nothing of our environment (PGDATA and friends would mislead it).
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir("/")
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.stdin(Stdio::null());
        if self.me != self.run_as {
            command.uid(self.run_as.uid).gid(self.run_as.gid);
        }
        command
    }

    /// A directory that only the server's user enters (and root).
    pub(crate) fn private_dir(&self, dir: &Path) -> Result<(), EmbeddedError> {
        private_dir(dir, &self.run_as)
    }
}

/// Root hands over to whoever owns the data already, else to `postgres`, else to `nobody`.
fn runner(me: &OsUser, data: &Path) -> Result<OsUser, EmbeddedError> {
    let owner = fs::metadata(data).ok().map(|data| data.uid());
    if me.uid != 0 {
        return match owner {
            Some(uid) if uid != me.uid => {
                Err(EmbeddedError::NotOurs { dir: data.to_path_buf(), uid })
            }
            _ => Ok(me.clone()),
        };
    }
    let owner = owner.filter(|uid| *uid != 0).and_then(|uid| OsUser::named(&uid.to_string()));
    owner
        .or_else(|| OsUser::named("postgres"))
        .or_else(|| OsUser::named("nobody"))
        .ok_or(EmbeddedError::NoUser)
}

/// Lets the server's user through a private folder that we made, where that user is another: the group enters, and
/// still neither lists nor reads.
pub(crate) fn admit_server(data_dir: &Path) -> Result<(), EmbeddedError> {
    let me = OsUser::me()?;
    let run_as = runner(&me, &data_dir.join("postgres/data"))?;
    if run_as == me {
        return Ok(());
    }
    let fail = |e: io::Error| EmbeddedError::io("open a directory", data_dir, &e);
    chown(data_dir, None, Some(run_as.gid)).map_err(fail)?;
    fs::set_permissions(data_dir, fs::Permissions::from_mode(0o710)).map_err(fail)
}

/// Asked of the kernel (parents, ACLs, mounts), not guessed from mode bits: the child changes user, then directory.
fn can_enter(user: &OsUser, dir: &Path) -> bool {
    let mut probe = Command::new("true");
    probe.current_dir(dir).stdin(Stdio::null());
    if fs::metadata("/proc/self").map_or(true, |own| own.uid() == 0) {
        probe.uid(user.uid).gid(user.gid);
    }
    probe.status().is_ok_and(|status| status.success())
}

/// A deep checkout gets a short directory for its socket; the data stay where they are.
fn socket_dir(home: &Path, run_as: &OsUser) -> Result<PathBuf, EmbeddedError> {
    let mut dir = home.join("socket");
    let file = format!("/.s.PGSQL.{PORT}");
    if dir.as_os_str().len() + file.len() > MAX_SOCKET_PATH {
        dir = PathBuf::from(format!("/tmp/bipe-{}", short_hash(home)));
    }
    private_dir(&dir, run_as)?;
    Ok(dir)
}

/// In `/tmp` anybody may have made it before us, so an existing one must be a real directory of the right owner.
fn private_dir(dir: &Path, owner: &OsUser) -> Result<(), EmbeddedError> {
    let fail = |e: io::Error| EmbeddedError::io("make a directory", dir, &e);
    match fs::DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) if fs::metadata(dir).map_err(fail)?.uid() != owner.uid => {
            chown(dir, Some(owner.uid), Some(owner.gid)).map_err(fail)
        }
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(dir).map_err(fail)?;
            if !found.is_dir() || found.uid() != owner.uid {
                return Err(EmbeddedError::NotOurs { dir: dir.to_path_buf(), uid: found.uid() });
            }
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).map_err(fail)
        }
        Err(e) => Err(fail(e)),
    }
}

pub(crate) fn make_dir(dir: &Path, mode: u32) -> Result<(), EmbeddedError> {
    let fail = |e: io::Error| EmbeddedError::io("make a directory", dir, &e);
    fs::DirBuilder::new().mode(mode).recursive(true).create(dir).map_err(fail)
}

/// Twelve hex digits that stand for a path.
fn short_hash(path: &Path) -> String {
    format!("{:.12}", hex(&sha256(path.as_os_str().as_encoded_bytes())))
}
