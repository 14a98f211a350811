//! One server for all tests of this machine's user: any number of test processes start it, use it and die at will.
//!
//! A file lock puts the starters in line. The server belongs to none of them, so a `kill -9` of a test run leaves it
//! in order; half an hour after the last test it stops itself. Its data may be thrown away at any time.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::fs::{StatVfsMountFlags, statvfs};
use tokio_postgres::{Config, NoTls};

use crate::embedded_postgres::EmbeddedError;
use crate::embedded_postgres::binaries::Binaries;
use crate::embedded_postgres::lock;
use crate::embedded_postgres::paths::{self, OsUser, ServerPaths};
use crate::embedded_postgres::server::{APP, OWNER, Profile, Server, config};

/// Ends with the server, or ends it when no test has touched the file `$2` for `$3` minutes.
const KEEPER: &str = "while sleep 60; do \
     [ \"$(head -n 1 \"$1/postmaster.pid\")\" = \"$4\" ] || exit; \
     [ -n \"$(find \"$2\" -mmin \"+$3\")\" ] && kill -INT \"$4\" && exit; done";
const IDLE_MINUTES: &str = "30";
/// A file system in memory. A test makes and drops a database, which is hundreds of files: it ends sooner here.
const MEMORY: &str = "/dev/shm";
/// Bytes that must be free in memory. The server needs about a tenth of them.
const ROOM: u64 = 4 << 30;

pub(crate) struct Shared {
    pub owner: Config,
    pub app: Config,
}

/// Starts the server unless it runs. `packages` is needed only where no earlier start left a copy.
pub(crate) async fn shared(packages: &Path) -> Result<Shared, EmbeddedError> {
    let packages = packages.to_path_buf();
    let (paths, _turn) = turn().await?;
    let used = paths.home.join("used");
    fs::write(&used, "").map_err(|e| EmbeddedError::io("touch", &used, &e))?;
    let owner = config(&paths, OWNER, "postgres");
    match owner.connect(NoTls).await {
        Ok(_answer) => {}
        // It answered, so it runs; the caller's own attempt shows what is wrong.
        Err(error) if error.as_db_error().is_some() => {}
        Err(_) => start(&paths, &packages).await?,
    }
    Ok(Shared { app: config(&paths, APP, "postgres"), owner })
}

/// Where the server lives, and the right to change it there: until the file is dropped, at the latest with the process.
pub(super) async fn turn() -> Result<(ServerPaths, File), EmbeddedError> {
    on_blocking(wait_for_turn).await
}

fn wait_for_turn() -> Result<(ServerPaths, File), EmbeddedError> {
    let me = OsUser::me()?;
    let dir = scratch().join(format!("bipe-tests-{}", me.name));
    paths::make_dir(&dir, 0o755)?;
    let path = dir.join("turn.lock");
    let fail = |e: std::io::Error| EmbeddedError::io("wait for a turn", &path, &e);
    let turn =
        File::options().create(true).truncate(false).write(true).open(&path).map_err(fail)?;
    turn.lock().map_err(fail)?;
    Ok((ServerPaths::choose(&dir)?, turn))
}

/// Where the server lives: in memory, unless `TMPDIR` names another place, there is no room, or no program may run from
/// there. Its own programs are copied beside its data.
fn scratch() -> PathBuf {
    let fits = statvfs(MEMORY).is_ok_and(|found| {
        found.f_bavail.saturating_mul(found.f_frsize) >= ROOM
            && !found.f_flag.contains(StatVfsMountFlags::NOEXEC)
    });
    let named = std::env::temp_dir();
    if fits && named == Path::new("/tmp") { PathBuf::from(MEMORY) } else { named }
}

async fn start(paths: &ServerPaths, packages: &Path) -> Result<(), EmbeddedError> {
    let (at, packages) = (paths.clone(), packages.to_path_buf());
    let binaries = on_blocking(move || Binaries::find(&at, None, &packages)).await?;
    let server = Server { paths: paths.clone(), binaries, profile: Profile::Shared };
    if launch(&server).await.is_err() {
        // Written without fsync, or by another version: worth nothing, so made afresh.
        lock::clear(&server.paths, &server.binaries).await?;
        let data = server.paths.data();
        fs::remove_dir_all(&data).map_err(|e| EmbeddedError::io("start afresh", &data, &e))?;
        launch(&server).await?;
    }
    Ok(())
}

async fn launch(server: &Server) -> Result<(), EmbeddedError> {
    let first = server.clone();
    on_blocking(move || first.initialise()).await?;
    lock::clear(&server.paths, &server.binaries).await?;
    let child = server.start().await?;
    let pid = child.id().unwrap_or_default().to_string();
    let mut keeper = server.paths.command(Path::new("/bin/sh"));
    keeper.args(["-c", KEEPER, "sh"]).arg(server.paths.data()).arg(server.paths.home.join("used"));
    keeper.args([IDLE_MINUTES, &pid]).process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    let shell = Path::new("/bin/sh");
    keeper.spawn().map_err(|e| EmbeddedError::io("watch over the server", shell, &e))?;
    Ok(())
}

async fn on_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EmbeddedError> + Send + 'static,
) -> Result<T, EmbeddedError> {
    tokio::task::spawn_blocking(work).await.map_err(|e| EmbeddedError::join(&e))?
}
