//! One PostgreSQL process: its first initialisation, its command line, the wait until it answers.
//!
//! Settings stand on the command line, so that a data directory holds data and no decisions. `peer` over the socket
//! is the whole of authentication: the kernel says who connects, and only our own user maps to the two roles.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Config, NoTls};

use super::binaries::Binaries;
use super::error::EmbeddedError;
use super::paths::{PORT, ServerPaths};

/// Superuser of the cluster, owner of schema and data; migrations connect as this.
pub(crate) const OWNER: &str = "bipe_owner";
/// What the server works as; the migrations create it.
pub(crate) const APP: &str = "bipe_app";
pub(crate) const DATABASE: &str = "bipe";

/// Crash recovery after a long checkpoint interval may take this long on a slow disk.
const READY_TIMEOUT: Duration = Duration::from_secs(120);
const POLL_EVERY: Duration = Duration::from_millis(15);
/// Bytes; a longer log is put aside at the next start.
const MAX_LOG_BYTES: u64 = 4 * 1024 * 1024;

/// Both profiles share these. Statements and values stay out of the log: they are personal data.
const SETTINGS: [&str; 12] = [
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "timezone=UTC",
    "log_timezone=UTC",
    "log_min_messages=log",
    "log_min_error_statement=panic",
    "log_error_verbosity=terse",
    "log_checkpoints=off",
    "log_autovacuum_min_duration=-1",
    "jit=off",
    "cluster_name=bipe",
    "password_encryption=scram-sha-256",
];
const DURABLE: [&str; 4] =
    ["fsync=on", "full_page_writes=on", "synchronous_commit=on", "max_connections=100"];
/// For throw-away data: nothing survives a power cut.
#[cfg(feature = "testing")]
const FAST: [&str; 9] = [
    "autovacuum=off",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_connections=500",
    "shared_buffers=64MB",
    "max_wal_size=256MB",
];

/// For the throw-away data of a primary and its standby.
#[cfg(feature = "testing")]
const REPLICATED: [&str; 7] = [
    "fsync=off",
    "wal_level=replica",
    "hot_standby=on",
    "max_connections=100",
    "shared_buffers=64MB",
    "wal_receiver_status_interval=1",
    "wal_retrieve_retry_interval=100",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Real data; the process dies with the handle of its child.
    Durable,
    /// Tests; the process outlives the one that started it.
    #[cfg(feature = "testing")]
    Shared,
    /// Tests of two servers; each process dies with the handle of its child.
    #[cfg(feature = "testing")]
    Replicated,
}

impl Profile {
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Durable => &DURABLE,
            #[cfg(feature = "testing")]
            Self::Shared => &FAST,
            #[cfg(feature = "testing")]
            Self::Replicated => &REPLICATED,
        }
    }

    /// Whether a standby's server may connect, which runs as the user of this one.
    fn is_copied(self) -> bool {
        match self {
            Self::Durable => false,
            #[cfg(feature = "testing")]
            Self::Shared => false,
            #[cfg(feature = "testing")]
            Self::Replicated => true,
        }
    }

    /// Whether the process goes on when the one that started it has ended.
    fn outlives_its_parent(self) -> bool {
        match self {
            Self::Durable => false,
            #[cfg(feature = "testing")]
            Self::Shared => true,
            #[cfg(feature = "testing")]
            Self::Replicated => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub paths: ServerPaths,
    pub binaries: Binaries,
    pub profile: Profile,
}

impl Server {
    pub(crate) fn config(&self, user: &str, database: &str) -> Config {
        config(&self.paths, user, database)
    }

    /// Makes the cluster if there is none. Blocking, about a second the first time.
    pub(crate) fn initialise(&self) -> Result<(), EmbeddedError> {
        let data = self.paths.data();
        if !data.join("PG_VERSION").exists() {
            // Under another name until it is whole: an initdb that was killed never looks like data.
            let half = self.paths.home.join("data.new");
            if half.exists() {
                fs::remove_dir_all(&half).map_err(|e| EmbeddedError::io("initdb", &half, &e))?;
            }
            self.paths.private_dir(&half)?;
            self.initdb(&half)?;
            fs::rename(&half, &data).map_err(|e| EmbeddedError::io("initdb", &data, &e))?;
        }
        self.write_access()
    }

    fn initdb(&self, dir: &Path) -> Result<(), EmbeddedError> {
        let program = self.binaries.program("initdb");
        let mut command = self.paths.command(&program);
        command.arg("-D").arg(dir).args([
            "-U",
            OWNER,
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--auth=peer",
            "-k",
        ]);
        command.arg("--no-instructions");
        if self.binaries.major >= 17 {
            command.args(["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]);
        }
        if self.profile != Profile::Durable {
            command.arg("--no-sync");
        }
        let output = command.output().map_err(|e| EmbeddedError::io("run initdb", &program, &e))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(EmbeddedError::output("initdb", dir, &text))
    }

    /// Who may connect, rewritten at every start: the directory may have changed hands.
    fn write_access(&self) -> Result<(), EmbeddedError> {
        let user = |name: &str| name.replace('"', "\"\"");
        let me = user(&self.paths.me.name);
        let (mut rules, mut ident) = (
            "local all all peer map=bipe\n".to_owned(),
            format!("bipe \"{me}\" {OWNER}\nbipe \"{me}\" {APP}\n"),
        );
        if self.profile.is_copied() {
            rules += "local replication all peer map=bipe\n";
            ident += &format!("bipe \"{}\" {OWNER}\n", user(&self.paths.run_as.name));
        }
        for (name, text) in [("pg_hba.conf", rules), ("pg_ident.conf", ident)] {
            let file = self.paths.home.join(name);
            let fail = |e: std::io::Error| EmbeddedError::io("write the access rules", &file, &e);
            fs::write(&file, &text).map_err(fail)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).map_err(fail)?;
        }
        Ok(())
    }

    /// Starts the process and waits until it answers and has its database.
    pub(crate) async fn start(&self) -> Result<Child, EmbeddedError> {
        let mut opening = OpenOptions::new();
        let opening = opening.create(true).append(true).read(true).mode(0o600);
        let path = self.paths.log();
        let fail = |e: std::io::Error| EmbeddedError::io("open the log", &path, &e);
        if fs::metadata(&path).is_ok_and(|log| log.len() > MAX_LOG_BYTES) {
            fs::rename(&path, path.with_extension("log.old")).map_err(fail)?;
        }
        let mut log = opening.open(&path).map_err(fail)?;
        let from = log.seek(SeekFrom::End(0)).map_err(fail)?;
        if self.paths.me != self.paths.run_as {
            chown(&path, Some(self.paths.run_as.uid), Some(self.paths.run_as.gid)).map_err(fail)?;
        }
        let program = self.binaries.program("postgres");
        let mut command = self.command(&program, log.try_clone().map_err(fail)?);
        let mut child =
            command.spawn().map_err(|e| EmbeddedError::io("run postgres", &program, &e))?;
        match self.until_ready(&mut child).await {
            Ok(()) => Ok(child),
            Err(Some(error)) => Err(error),
            Err(None) => {
                let mut said = String::new();
                log.seek(SeekFrom::Start(from)).map_err(fail)?;
                log.read_to_string(&mut said).map_err(fail)?;
                Err(EmbeddedError::output("start", &self.paths.data(), &said))
            }
        }
    }

    fn command(&self, program: &Path, log: fs::File) -> Command {
        let mut command = Command::from(self.paths.command(program));
        let data = self.paths.data();
        let home = &self.paths.home;
        let path = |key: &str, value: &PathBuf| {
            let mut setting = std::ffi::OsString::from(key);
            setting.push(value);
            setting
        };
        command
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&self.paths.socket)
            .arg("-p")
            .arg(PORT.to_string());
        command.arg("-c").arg(path("hba_file=", &home.join("pg_hba.conf")));
        command.arg("-c").arg(path("ident_file=", &home.join("pg_ident.conf")));
        for setting in SETTINGS.iter().chain(self.profile.settings()) {
            command.arg("-c").arg(setting);
        }
        // Ctrl-C at the terminal reaches our process group: the database must outlive the draining of requests.
        command.process_group(0).stdout(Stdio::null()).stderr(log);
        command.kill_on_drop(!self.profile.outlives_its_parent());
        command
    }

    /// `Err(None)`: the process ended by itself and its log tells why.
    async fn until_ready(&self, child: &mut Child) -> Result<(), Option<EmbeddedError>> {
        let deadline = Instant::now() + READY_TIMEOUT;
        loop {
            match self.ensure_database().await {
                Ok(()) => return Ok(()),
                Err(error) if refused(&error) => {
                    return Err(Some(EmbeddedError::database("start", &error)));
                }
                Err(_) if matches!(child.try_wait(), Ok(Some(_))) => return Err(None),
                Err(_) if Instant::now() > deadline => {
                    let (seconds, log) = (READY_TIMEOUT.as_secs(), self.paths.log());
                    return Err(Some(EmbeddedError::TooSlow { seconds, log }));
                }
                Err(_) => sleep(POLL_EVERY).await,
            }
        }
    }

    async fn ensure_database(&self) -> Result<(), tokio_postgres::Error> {
        let (client, connection) = self.config(OWNER, "postgres").connect(NoTls).await?;
        let connection = tokio::spawn(connection);
        let known =
            client.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&DATABASE]).await?;
        if known.is_none() {
            client.batch_execute(&format!("CREATE DATABASE {DATABASE}")).await?;
        }
        drop(client);
        // It ends with its client; an error here would have been the query's.
        drop(connection.await);
        Ok(())
    }
}

pub(crate) fn config(paths: &ServerPaths, user: &str, database: &str) -> Config {
    let mut config = Config::new();
    config.host_path(&paths.socket).port(PORT).user(user).dbname(database);
    config.connect_timeout(Duration::from_secs(3));
    config
}

/// The server answered and said no; anything but "starting up" or "shutting down" will not heal by waiting.
fn refused(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|code| {
        ![SqlState::CANNOT_CONNECT_NOW, SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN]
            .contains(code)
    })
}
