//! Clusters for tests that need a server of their own. They are made once for a set of migrations, beside the shared
//! server, and copied: a copy takes a tenth of the time that `initdb` and the migrations take.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::OnceCell;

use super::{must, packages, server, template_name};
use crate::db::access::Login;
use crate::db::migrate;
use crate::embedded_postgres::binaries::Binaries;
use crate::embedded_postgres::lock;
use crate::embedded_postgres::paths::{self, ServerPaths};
use crate::embedded_postgres::server::{DATABASE, OWNER, Profile, Server};

/// After so long without a change those of other migrations are removed.
const KEPT: Duration = Duration::from_secs(24 * 3600);

static CLUSTERS: OnceCell<Clusters> = OnceCell::const_new();

pub(super) struct Clusters {
    pub binaries: Binaries,
    /// The data after `initdb`.
    pub empty: PathBuf,
    /// The same with the database of Bipe and its schema.
    pub migrated: PathBuf,
}

/// Lays a cluster into the folder of an embedded server that has not run yet, so that it needs no `initdb`. Answers the
/// folder of its programs, for `EmbeddedSettings::binaries`.
pub async fn lay_cluster(data_dir: &Path) -> PathBuf {
    let Clusters { binaries, empty, .. } = clusters().await;
    lay(empty, data_dir, binaries)
}

/// The same, as if the migrations had run there, too.
pub async fn lay_migrated_cluster(data_dir: &Path) -> PathBuf {
    let Clusters { binaries, migrated, .. } = clusters().await;
    lay(migrated, data_dir, binaries)
}

fn lay(cluster: &Path, data_dir: &Path, binaries: &Binaries) -> PathBuf {
    let paths = choose(data_dir);
    copy(&paths, cluster, &paths.data());
    binaries.bin.clone()
}

pub(super) async fn clusters() -> &'static Clusters {
    CLUSTERS.get_or_init(prepare).await
}

async fn prepare() -> Clusters {
    let (shared, _turn) = must("a turn", server::turn().await);
    let binaries = must("the programs", Binaries::find(&shared, None, &packages()));
    let all = shared.home.join("clusters");
    let folder = all.join(format!("{}-{}", binaries.major, template_name()));
    if !folder.exists() {
        sweep(&all);
        // Under another name until both are whole.
        let half = all.join("half");
        drop(fs::remove_dir_all(&half));
        make(&half, &binaries).await;
        must("a name", fs::rename(&half, &folder));
    }
    Clusters { binaries, empty: folder.join("empty"), migrated: folder.join("migrated") }
}

fn sweep(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|found| found.modified());
        if changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KEPT)) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

async fn make(folder: &Path, binaries: &Binaries) {
    let paths = choose(folder);
    let server = Server { paths, binaries: binaries.clone(), profile: Profile::Replicated };
    must("a cluster", server.initialise());
    let (paths, data) = (&server.paths, server.paths.data());
    copy(paths, &data, &folder.join("empty"));
    let mut child = must("a server", server.start().await);
    let owner = Login::local(server.config(OWNER, DATABASE));
    must("the migrations", migrate::migrate(&owner).await);
    let pid = child.id().unwrap_or_default();
    must("the server's end", lock::send(paths, binaries, "INT", pid).await);
    must("the server's end", child.wait().await);
    must("a name", fs::rename(&data, folder.join("migrated")));
}

pub(super) fn choose(home: &Path) -> ServerPaths {
    must("a folder", paths::make_dir(home, 0o755));
    must("a place", ServerPaths::choose(home))
}

/// Of the data of a server that does not run, as the server's user; `to` is made.
pub(super) fn copy(paths: &ServerPaths, from: &Path, to: &Path) {
    must("a folder", paths.private_dir(to));
    let mut copy = paths.command(Path::new("/bin/cp"));
    copy.arg("-a").arg(from.join(".")).arg(to);
    assert!(must("a copy", copy.status()).success(), "the data cannot be copied");
}
