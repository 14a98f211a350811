//! A migrated primary and a standby that follows it, for tests of one's own servers: each may be stopped, frozen or
//! promoted. They end with the pair, and their data with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokio::process::Child;
use tokio::time::sleep;
use tokio_postgres::{Client, Config};

use super::clusters::{Clusters, choose, clusters, copy};
use super::{connect, must, open_reading};
use crate::clock::Clock;
use crate::db::OpenedDb;
use crate::db::access::{Login, ReplicaLogin};
use crate::embedded_postgres::binaries::Binaries;
use crate::embedded_postgres::paths;
use crate::embedded_postgres::server::{APP, DATABASE, OWNER, Profile, Server};

/// What the standby calls itself.
pub const STANDBY: &str = "standby";
/// Makes the data `$1` a standby's of the server that can be reached by `$2`.
const FOLLOW: &str = "touch \"$1/standby.signal\" && \
     printf \"primary_conninfo = '%s'\\n\" \"$2\" >> \"$1/postgresql.auto.conf\"";
const POLL_EVERY: Duration = Duration::from_millis(10);

pub struct Pair {
    pub primary: TestPostgres,
    pub standby: TestPostgres,
    _folder: Folder,
}

impl Pair {
    /// Both run, and the standby has everything.
    pub async fn new() -> Self {
        let folder = Folder::new();
        let Clusters { binaries, migrated, .. } = clusters().await;
        let primary = TestPostgres::on_copy(migrated, binaries, &folder.0.join("primary"));
        let standby = primary.standby(&folder.0.join(STANDBY));
        let mut pair = Self { primary, standby, _folder: folder };
        pair.primary.start().await;
        pair.standby.start().await;
        pair.until_caught_up().await;
        pair
    }

    /// A node that reads from the standby, once it does. Its clock is the system's.
    pub async fn opened(&self) -> OpenedDb {
        let replica = ReplicaLogin { login: self.standby.login(), refuses_unbound: true };
        let opened = open_reading(self.primary.login(), Some(replica), Clock::system());
        while opened.db.replica_avoided().is_some() {
            sleep(POLL_EVERY).await;
        }
        opened
    }

    /// Waits until the standby has replayed what the primary has written until now.
    pub async fn until_caught_up(&self) {
        let (primary, standby) = (self.primary.owner().await, self.standby.owner().await);
        let written = "SELECT pg_current_wal_flush_lsn()::text AS written";
        let written: String = must("a position", primary.query_one(written, &[]).await).get(0);
        let replayed = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn AS replayed";
        while !must("a position", standby.query_one(replayed, &[&written]).await).get::<_, bool>(0)
        {
            sleep(POLL_EVERY).await;
        }
    }
}

/// One server with the database of Bipe.
pub struct TestPostgres {
    server: Server,
    child: Option<Child>,
}

impl TestPostgres {
    /// On a copy of that cluster; it does not run yet.
    fn on_copy(cluster: &Path, binaries: &Binaries, home: &Path) -> Self {
        let paths = choose(home);
        copy(&paths, cluster, &paths.data());
        let binaries = binaries.clone();
        let server = Server { paths, binaries, profile: Profile::Replicated };
        must("the access rules", server.initialise());
        Self { server, child: None }
    }

    /// A standby of this server, which does not run yet.
    fn standby(&self, home: &Path) -> Self {
        let Server { paths: primary, binaries, .. } = &self.server;
        let standby = Self::on_copy(&primary.data(), binaries, home);
        let source =
            format!("host={} user={OWNER} application_name={STANDBY}", primary.socket.display());
        let mut follow = standby.server.paths.command(Path::new("/bin/sh"));
        follow.args(["-c", FOLLOW, "sh"]).arg(standby.server.paths.data()).arg(source);
        assert!(must("a standby", follow.status()).success(), "the standby cannot be told");
        standby
    }

    /// As the migrations connect: sees and may do everything.
    pub fn owner_config(&self) -> Config {
        self.server.config(OWNER, DATABASE)
    }

    /// A connection of the owner.
    pub async fn owner(&self) -> Client {
        connect(&self.owner_config()).await
    }

    /// As `bipe serve` connects.
    pub fn login(&self) -> Login {
        Login::local(self.server.config(APP, DATABASE))
    }

    /// The same as a setting has it.
    pub fn url(&self) -> String {
        format!("host={} user={APP} dbname={DATABASE}", self.server.paths.socket.display())
    }

    pub async fn start(&mut self) {
        self.child = Some(must("a server", self.server.start().await));
    }

    /// Ends it as an administrator would.
    pub async fn stop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        signal("-INT", &[child.id().unwrap_or_default()]);
        must("the server's end", child.wait().await);
    }

    /// No process of it does anything any more: sockets stay, and nobody answers.
    pub fn freeze(&self) {
        signal("-STOP", &self.processes());
    }

    pub fn thaw(&self) {
        signal("-CONT", &self.processes());
    }

    /// The postmaster first: it starts nobody any more while the others get a signal.
    fn processes(&self) -> Vec<u32> {
        let Some(postmaster) = self.child.as_ref().and_then(Child::id) else { return Vec::new() };
        let output = must("ps", Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let pairs = text.lines().filter_map(|line| {
            let mut numbers = line.split_whitespace().map(str::parse::<u32>);
            Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
        });
        let children = pairs.filter(|(_, parent)| *parent == postmaster).map(|(pid, _)| pid);
        [postmaster].into_iter().chain(children).collect()
    }
}

impl Drop for TestPostgres {
    /// Its child is killed when it is dropped, and what is frozen would not notice.
    fn drop(&mut self) {
        let processes = self.processes();
        signal("-QUIT", &processes);
        signal("-CONT", &processes);
    }
}

/// Some of them may have ended.
fn signal(name: &str, processes: &[u32]) {
    let numbers = processes.iter().map(u32::to_string);
    must("kill", Command::new("kill").arg(name).args(numbers).output());
}

/// Dropped after the servers.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("bipe-pair-{}", Clock::system().uuid().simple());
        let folder = std::env::temp_dir().join(name);
        must("a folder", paths::make_dir(&folder, 0o755));
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The last processes may still write: what stays is small, and below the folder of temporary files.
        drop(fs::remove_dir_all(&self.0));
    }
}
