//! A database, a provider, a bus, nodes and a proxy in front of them, in a folder that goes with them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use bipe_swarm::Outcome;
use tokio_postgres::Client;

use crate::database::Database;
use crate::haproxy::{self, Haproxy};
use crate::nats::Nats;
use crate::node::{Node, Shared};
use crate::programs::Program;
use crate::sandbox::Sandbox;
use crate::tests::Setting;

const SECRET: &str = "5b1f3c9d7e2a4860b7d9c1e3f5a70264988d6c4b2a1f0e3d";

/// A folder below the system's for temporary files, removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Outcome<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("bipe-nodes-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What of it stays is in the way of nobody.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// What a test wants around its nodes.
#[derive(Clone, Copy)]
pub struct Wish {
    pub nodes: u8,
    pub nats: Option<Program>,
    pub drain_delay: u8,
}

impl Default for Wish {
    fn default() -> Self {
        Self { nodes: 3, nats: Some(Program::Nats), drain_delay: 2 }
    }
}

/// Dropped in this order: who uses something ends before it.
pub struct Cluster {
    pub proxy: Haproxy,
    pub nodes: Vec<Node>,
    pub nats: Option<Nats>,
    pub sandbox: Sandbox,
    pub shared: Shared,
    pub sql: Client,
    pub database: Database,
    pub folder: Folder,
}

impl Cluster {
    pub async fn start(setting: &Setting, wish: Wish) -> Outcome<Self> {
        let folder = Folder::new()?;
        let database = Database::start(folder.path(), &setting.root).await?;
        let nats = match wish.nats {
            Some(program) => {
                Some(Nats::start(setting.programs.path(program)?, folder.path(), "nats").await?)
            }
            None => None,
        };
        let address = haproxy::address()?;
        let sandbox = Sandbox::start(&setting.bipe, folder.path(), address).await?;
        let shared = Shared {
            folder: folder.path().to_owned(),
            database_url: database.url(),
            nats_url: nats.as_ref().map(Nats::url),
            secret: SECRET.to_owned(),
            public_url: format!("http://{address}"),
            stripe: sandbox.base(),
            drain_delay: wish.drain_delay,
            log_level: "warn",
        };
        let mut nodes = Vec::new();
        for number in 1..=wish.nodes {
            nodes.push(Node::start(&setting.bipe, number, &shared).await?);
        }
        let addresses: Vec<SocketAddr> = nodes.iter().map(|node| node.address).collect();
        let proxy = Haproxy::start(&setting.programs, folder.path(), address, &addresses).await?;
        let sql = database.client().await?;
        Ok(Self { proxy, nodes, nats, sandbox, shared, sql, database, folder })
    }

    pub fn node(&self, at: usize) -> Outcome<&Node> {
        Ok(self.nodes.get(at).ok_or("no such node")?)
    }

    pub fn node_mut(&mut self, at: usize) -> Outcome<&mut Node> {
        Ok(self.nodes.get_mut(at).ok_or("no such node")?)
    }

    pub fn nats_mut(&mut self) -> Outcome<&mut Nats> {
        Ok(self.nats.as_mut().ok_or("no NATS")?)
    }

    /// The sum of a counter over all nodes.
    pub async fn counted(&self, name: &str) -> Outcome<f64> {
        let mut sum = 0.0;
        for node in &self.nodes {
            sum += node.metrics().await?.sum(name);
        }
        Ok(sum)
    }

    /// Nodes first, then what they use.
    pub async fn stop(self) {
        let Self { proxy, nodes, nats, sandbox, sql, database, folder, .. } = self;
        drop((proxy, nodes, nats, sandbox, sql));
        database.stop().await;
        drop(folder);
    }
}
