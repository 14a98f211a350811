//! A database, a provider, a bus, nodes and a proxy in front of them, in a folder that goes with them. Most tests use
//! one database; those of failover a pair (`replicated.rs`).

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use bipe_swarm::Outcome;
use futures_util::future::try_join_all;
use tokio_postgres::Client;
use tokio_postgres::types::FromSql;

use crate::database::Database;
use crate::haproxy::{self, Haproxy};
use crate::nats::Nats;
use crate::node::{Node, Shared};
use crate::programs::Program;
use crate::route::Route;
use crate::sandbox::Sandbox;
use crate::setting::Setting;

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

/// What is between the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    None,
    One(Program),
    /// Two servers with a route between them; the last node is at the second one.
    Split(Program),
}

/// The nodes of a cluster and the bus between them.
#[derive(Clone, Copy, Debug)]
pub struct Topology {
    pub nodes: u8,
    pub bus: Bus,
}

impl Default for Topology {
    fn default() -> Self {
        Self { nodes: 3, bus: Bus::One(Program::Nats) }
    }
}

/// Dropped in this order: who uses something ends before it.
pub struct Cluster<D = Single> {
    pub proxy: Haproxy,
    pub nodes: Vec<Node>,
    pub nats: Vec<Nats>,
    pub route: Option<Route>,
    pub sandbox: Sandbox,
    pub shared: Shared,
    pub database: D,
    pub folder: Folder,
}

/// One database, and a superuser's connection to it.
pub struct Single {
    pub sql: Client,
    server: Database,
}

impl Cluster<Single> {
    /// Runs `body` with such a cluster, and stops everything.
    pub async fn with<T>(
        setting: &Setting,
        topology: Topology,
        body: impl AsyncFnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let folder = Folder::new()?;
        let server = Database::start(folder.path(), &setting.root).await?;
        let (sql, url) = (server.client().await?, server.url());
        let database = Single { sql, server };
        let mut cluster = Self::over(setting, topology, (folder, database), &url).await?;
        let outcome = body(&mut cluster).await;
        cluster.stop().await;
        outcome
    }

    /// The first process of PostgreSQL.
    pub async fn postmaster(&self) -> Outcome<u32> {
        let file = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)";
        Ok(self.ask::<String>(file).await?.trim().parse()?)
    }

    /// The first column of the first row.
    pub async fn ask<T: for<'a> FromSql<'a>>(&self, sql: &str) -> Outcome<T> {
        Ok(self.database.sql.query_one(sql, &[]).await?.try_get(0)?)
    }

    /// Nodes first, then what they use.
    async fn stop(self) {
        let Self { proxy, nodes, nats, route, sandbox, database, folder, .. } = self;
        let Single { sql, server } = database;
        drop((proxy, nodes, nats, route, sandbox, sql));
        server.stop().await;
        drop(folder);
    }
}

impl<D> Cluster<D> {
    /// Nodes that reach the database by this address.
    pub async fn over(
        setting: &Setting,
        topology: Topology,
        (folder, database): (Folder, D),
        database_url: &str,
    ) -> Outcome<Self> {
        let (nats, route) = match topology.bus {
            Bus::None => (Vec::new(), None),
            Bus::One(program) => {
                let binary = setting.programs.path(program)?;
                (vec![Nats::start(binary, folder.path(), "nats", &[]).await?], None)
            }
            Bus::Split(program) => {
                let binary = setting.programs.path(program)?;
                let (nats, route) = Nats::start_pair(binary, folder.path()).await?;
                (nats, Some(route))
            }
        };
        let address = haproxy::address()?;
        let sandbox = Sandbox::start(&setting.bipe, folder.path(), address).await?;
        let shared = Shared {
            folder: folder.path().to_owned(),
            database_url: database_url.to_owned(),
            nats_url: nats.first().map(Nats::url),
            secret: SECRET.to_owned(),
            public_url: format!("http://{address}"),
            stripe: sandbox.base(),
        };
        let last = Shared { nats_url: nats.last().map(Nats::url), ..shared.clone() };
        // The first one brings the schema.
        let mut nodes = vec![Node::start(&setting.bipe, 1, &shared).await?];
        let others = (2..=topology.nodes).map(|number| {
            let shared = if number == topology.nodes { &last } else { &shared };
            Node::start(&setting.bipe, number, shared)
        });
        nodes.extend(try_join_all(others).await?);
        let addresses: Vec<SocketAddr> = nodes.iter().map(|node| node.address).collect();
        let proxy = Haproxy::start(setting, folder.path(), address, &addresses).await?;
        Ok(Self { proxy, nodes, nats, route, sandbox, shared, database, folder })
    }

    pub fn node(&self, at: usize) -> Outcome<&Node> {
        Ok(self.nodes.get(at).ok_or("no such node")?)
    }

    pub fn node_mut(&mut self, at: usize) -> Outcome<&mut Node> {
        Ok(self.nodes.get_mut(at).ok_or("no such node")?)
    }

    pub fn nats_mut(&mut self) -> Outcome<&mut Nats> {
        Ok(self.nats.first_mut().ok_or("no NATS")?)
    }

    /// The sum of a counter over all nodes.
    pub async fn counted(&self, name: &str) -> Outcome<f64> {
        let mut sum = 0.0;
        for node in &self.nodes {
            sum += node.metrics().await?.sum(name);
        }
        Ok(sum)
    }

    /// Where each node listens.
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(Node::url).collect()
    }
}
