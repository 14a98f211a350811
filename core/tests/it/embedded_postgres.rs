//! The embedded server against what machines do to it: kills, stale locks, deep or closed directories.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bipe_core::embedded_postgres::{
    self, EmbeddedError, EmbeddedPostgres, EmbeddedSettings, IfRunning,
};
use bipe_core::testing::{lay_cluster, packages};
use tokio_postgres::{Client, Config, NoTls};

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A directory of one test, gone with it.
struct Scratch {
    dir: PathBuf,
    /// The folder of programs that are not the server's own.
    bin: Option<PathBuf>,
}

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("bipe-{}-{name}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        Self { dir, bin: None }
    }

    /// With a cluster, as if a server had run there.
    async fn with_cluster(name: &str) -> Self {
        let mut scratch = Self::new(name);
        scratch.bin = Some(lay_cluster(&scratch.dir).await);
        scratch
    }

    fn settings(&self) -> EmbeddedSettings {
        EmbeddedSettings { binaries: self.bin.clone(), ..settings(self.dir.clone()) }
    }

    fn home(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    fn pid_file(&self) -> PathBuf {
        self.home().join("data/postmaster.pid")
    }

    fn recorded_pid(&self) -> u32 {
        let text = fs::read_to_string(self.pid_file()).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }

    /// As the user that owns the data, which as root is not ours.
    fn as_server_user(&self, program: &Path) -> Command {
        let owner = fs::metadata(self.home().join("data")).unwrap();
        let mut command = Command::new(program);
        command.current_dir("/").stderr(Stdio::null());
        if root() {
            command.uid(owner.uid()).gid(owner.gid());
        }
        command
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.dir).unwrap();
    }
}

/// Ends with the test, also when an assertion fails before.
struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn settings(data_dir: PathBuf) -> EmbeddedSettings {
    EmbeddedSettings { data_dir, binaries: None, package_dir: packages() }
}

fn root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

async fn connect(config: &Config) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn remember(postgres: &EmbeddedPostgres, value: &str) {
    let client = connect(&postgres.owner_config()).await.unwrap();
    client.batch_execute("CREATE TABLE IF NOT EXISTS kept (value text)").await.unwrap();
    client.execute("INSERT INTO kept VALUES ($1)", &[&value]).await.unwrap();
}

async fn remembered(config: &Config) -> Option<String> {
    let client = connect(config).await.ok()?;
    Some(client.query_one("SELECT value FROM kept", &[]).await.ok()?.get(0))
}

/// Waits for the supervisor, which owns the timing; the caller's bound is the test's failure.
async fn until_remembered(config: &Config) -> String {
    let ask = async {
        loop {
            if let Some(value) = remembered(config).await {
                return value;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, ask).await.expect("back after its death")
}

fn signal(flag: &str, pid: u32) {
    assert!(Command::new("kill").args([flag, &pid.to_string()]).status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_survives_a_killed_server_which_comes_back_by_itself() {
    let scratch = Scratch::with_cluster("killed").await;
    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    remember(&postgres, "committed").await;
    let first = scratch.recorded_pid();
    signal("-KILL", first);
    assert_eq!(until_remembered(&postgres.owner_config()).await, "committed");
    assert_ne!(scratch.recorded_pid(), first);
    postgres.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_listens_on_nothing_but_its_socket_and_knows_only_two_roles() {
    let scratch = Scratch::with_cluster("closed").await;
    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    let client = connect(&postgres.owner_config()).await.unwrap();
    for (setting, expected) in
        [("listen_addresses", ""), ("fsync", "on"), ("synchronous_commit", "on")]
    {
        let shown: String = client.query_one(&format!("SHOW {setting}"), &[]).await.unwrap().get(0);
        assert_eq!(shown, expected, "{setting}");
    }
    client.batch_execute("CREATE ROLE intruder LOGIN SUPERUSER").await.unwrap();
    let mut config = postgres.owner_config();
    assert!(connect(config.user("intruder")).await.is_err());
    postgres.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_leaves_neither_process_nor_lock() {
    let scratch = Scratch::with_cluster("stop").await;
    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    let config = postgres.owner_config();
    let pid = scratch.recorded_pid();
    postgres.stop().await;
    assert!(!scratch.pid_file().exists());
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
    assert!(connect(&config).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_is_refused_but_may_join() {
    let scratch = Scratch::with_cluster("second").await;
    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    remember(&postgres, "shared").await;
    let refused = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await;
    assert!(matches!(refused, Err(EmbeddedError::InUse { .. })), "{refused:?}");
    let joined = EmbeddedPostgres::start(scratch.settings(), IfRunning::Join).await.unwrap();
    assert_eq!(remembered(&joined.owner_config()).await.as_deref(), Some("shared"));
    joined.stop().await;
    assert_eq!(remembered(&postgres.owner_config()).await.as_deref(), Some("shared"));
    postgres.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_outlived_its_parent_is_replaced_without_loss() {
    let scratch = Scratch::with_cluster("orphan").await;
    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    remember(&postgres, "committed").await;
    postgres.stop().await;

    let mut command = scratch.as_server_user(&scratch.bin.as_ref().unwrap().join("postgres"));
    command.arg("-D").arg(scratch.home().join("data")).arg("-k").arg(scratch.home().join("socket"));
    command.args(["-c", "listen_addresses="]);
    let mut orphan = Reaped(command.spawn().unwrap());
    let recorded = async {
        while !scratch.pid_file().exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, recorded).await.expect("an orphan that runs");

    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    assert!(orphan.0.try_wait().unwrap().is_some(), "the orphan has ended");
    assert_eq!(remembered(&postgres.owner_config()).await.as_deref(), Some("committed"));
    postgres.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_names_somebody_elses_process_is_stale() {
    let scratch = Scratch::with_cluster("stale").await;
    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    remember(&postgres, "committed").await;
    let lock = fs::read_to_string(scratch.pid_file()).unwrap();
    let first = scratch.recorded_pid().to_string();
    postgres.stop().await;

    // The number of the dead server now belongs to a living process of the same user.
    let stranger = Reaped(scratch.as_server_user(Path::new("sleep")).arg("60").spawn().unwrap());
    fs::write(scratch.pid_file(), lock.replacen(&first, &stranger.0.id().to_string(), 1)).unwrap();
    fs::set_permissions(scratch.pid_file(), fs::Permissions::from_mode(0o644)).unwrap();

    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    assert_eq!(remembered(&postgres.owner_config()).await.as_deref(), Some("committed"));
    let stranger_lives = Path::new(&format!("/proc/{}", stranger.0.id())).exists();
    assert!(stranger_lives, "nobody else's process is touched");
    postgres.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_initialisation_that_was_killed_starts_afresh() {
    let scratch = Scratch::new("half");
    fs::create_dir_all(scratch.home().join("data.new/base")).unwrap();
    fs::write(scratch.home().join("data.new/PG_VERSION"), "18").unwrap();
    let postgres = EmbeddedPostgres::start(scratch.settings(), IfRunning::Fail).await.unwrap();
    remember(&postgres, "whole").await;
    postgres.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkout_too_deep_for_a_socket_gets_a_short_directory() {
    let scratch = Scratch::new("deep");
    let deep = scratch.dir.join("d".repeat(60)).join("e".repeat(60));
    let postgres = EmbeddedPostgres::start(settings(deep), IfRunning::Fail).await.unwrap();
    remember(&postgres, "reached").await;
    let config = postgres.owner_config();
    postgres.stop().await;
    let Some(tokio_postgres::config::Host::Unix(socket)) = config.get_hosts().first() else {
        panic!("a unix socket");
    };
    assert!(socket.starts_with("/tmp/"), "{}", socket.display());
    fs::remove_dir_all(socket).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_directory_that_is_made_is_closed_to_everybody_else() {
    let scratch = Scratch::new("made");
    let data_dir = scratch.dir.join("data");
    let postgres =
        EmbeddedPostgres::start(settings(data_dir.clone()), IfRunning::Fail).await.unwrap();
    remember(&postgres, "private").await;
    postgres.stop().await;
    assert!(!data_dir.join("postgres.path").exists(), "the data stay where they were asked for");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    // As root the server is another user, whose group enters.
    assert_eq!(mode(&data_dir), if root() { 0o710 } else { 0o700 });
    assert_eq!(mode(&data_dir.join("postgres/postgres.log")), 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_binaries_are_named_with_the_way_out() {
    let scratch = Scratch::new("missing");
    let mut settings = scratch.settings();
    settings.package_dir = scratch.dir.join("nothing");
    let message = EmbeddedPostgres::start(settings, IfRunning::Fail).await.unwrap_err().to_string();
    assert!(message.contains("npm ci") && message.contains("BIPE_PG_BIN"), "{message}");
    assert!(!message.contains('\n'));
}

/// Only root hands the server to another user, so only root can meet a directory that user cannot enter.
#[tokio::test(flavor = "multi_thread")]
async fn a_directory_closed_to_the_servers_user_moves_the_data_and_keeps_them_there() {
    if !root() {
        return;
    }
    let scratch = Scratch::new("private");
    let closed = scratch.dir.join("closed");
    fs::DirBuilder::new().mode(0o700).create(&closed).unwrap();
    let data_dir = closed.join("data");
    let postgres =
        EmbeddedPostgres::start(settings(data_dir.clone()), IfRunning::Fail).await.unwrap();
    remember(&postgres, "elsewhere").await;
    postgres.stop().await;
    let record = fs::read_to_string(data_dir.join("postgres.path")).unwrap();
    let moved = PathBuf::from(record.trim());
    assert!(moved.starts_with("/var/lib/bipe"), "{record}");

    // Opened meanwhile: the data stay where they are instead of seeming lost.
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    let postgres =
        EmbeddedPostgres::start(settings(data_dir.clone()), IfRunning::Fail).await.unwrap();
    assert_eq!(remembered(&postgres.owner_config()).await.as_deref(), Some("elsewhere"));
    postgres.stop().await;
    embedded_postgres::remove(&data_dir).await.unwrap();
    assert!(!moved.exists() && !data_dir.exists(), "{record}");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_its_user_can_no_longer_reach_are_reported_not_replaced() {
    if !root() {
        return;
    }
    let scratch = Scratch::new("unreachable");
    let parent = scratch.dir.join("parent");
    let postgres =
        EmbeddedPostgres::start(settings(parent.join("data")), IfRunning::Fail).await.unwrap();
    postgres.stop().await;
    fs::set_permissions(&parent, fs::Permissions::from_mode(0o700)).unwrap();
    let refused = EmbeddedPostgres::start(settings(parent.join("data")), IfRunning::Fail).await;
    assert!(matches!(refused, Err(EmbeddedError::Unreachable { .. })), "{refused:?}");
}
