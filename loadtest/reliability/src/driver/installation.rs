//! One server with its provider and its database. The provider is never killed: what it holds is the truth.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;

use bipe_nodes::cluster::Folder;
use bipe_nodes::database::Database;
use bipe_nodes::node::{Node, Shared};
use bipe_nodes::process;
use bipe_nodes::sandbox::Sandbox;
use bipe_swarm::Outcome;
use bipe_swarm::server::built;
use reqwest::{Client, StatusCode};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

const SECRET: &str = "0f4c1a7be25d93866f40b1d8c7e9a2535d6e8f90b1c2d3e4";
const TIMEOUT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

/// Dropped in this order: who uses something ends before it.
pub struct Installation {
    pub node: Node,
    pub sandbox: Sandbox,
    pub sql: tokio_postgres::Client,
    pub bipe: PathBuf,
    client: Client,
    database: Database,
    folder: Folder,
}

impl Installation {
    pub async fn start(bipe: &std::path::Path) -> Outcome<Self> {
        let (bipe, folder) = (built(bipe)?, Folder::new()?);
        let database = Database::start(folder.path(), &std::env::current_dir()?).await?;
        // Webhooks go where the node will be, whatever becomes of it.
        let address = process::free_address(Ipv4Addr::new(127, 0, 0, 11))?;
        let sandbox = Sandbox::start(&bipe, folder.path(), address).await?;
        let shared = Shared {
            folder: folder.path().to_owned(),
            database_url: database.url(),
            nats_url: None,
            secret: SECRET.to_owned(),
            public_url: format!("http://{address}"),
            stripe: sandbox.base(),
        };
        let node = Node::start_at(&bipe, (1, address), &shared).await?;
        let client = Client::builder().timeout(Duration::from_secs(30)).build()?;
        let sql = database.client().await?;
        Ok(Self { node, sandbox, sql, bipe, client, database, folder })
    }

    /// Time passes at the provider and here, and what is due is done at both. A server under load may say that it has
    /// no room for that now: its own rounds do it then.
    pub async fn pass(&self, seconds: u32) -> Outcome<()> {
        self.sandbox.pass(seconds).await?;
        let late = Instant::now() + TIMEOUT;
        while !self.told("clock", &json!({"advanceSeconds": seconds})).await? {
            if Instant::now() > late {
                return Err("the clock does not move".into());
            }
            sleep(PAUSE).await;
        }
        self.told("jobs/run", &json!({})).await.map(drop)
    }

    /// Whether it was done; 503 says that it was not.
    async fn told(&self, path: &str, body: &Value) -> Outcome<bool> {
        let url = format!("{}/dev/{path}", self.node.url());
        let answer = self.client.post(url).json(body).send().await?;
        match answer.status() {
            StatusCode::SERVICE_UNAVAILABLE => Ok(false),
            _ => Ok(answer.error_for_status().map(|_| true)?),
        }
    }

    /// As killed by the machine: nothing is put in order.
    pub async fn kill_and_restart(&mut self) -> Outcome<()> {
        self.node.kill().await?;
        self.node.restart(&self.bipe).await
    }

    /// The same for the database; whoever watches it starts it again.
    pub async fn kill_database(&mut self) -> Outcome<()> {
        let pid = "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::integer";
        let pid: i32 = self.sql.query_one(pid, &[]).await?.try_get(0)?;
        kill_process(Pid::from_raw(pid).ok_or("no process")?, Signal::KILL)?;
        let late = Instant::now() + TIMEOUT;
        loop {
            match self.database.client().await {
                Err(_still_down) if Instant::now() < late => sleep(PAUSE).await,
                client => break self.sql = client?,
            }
        }
        Ok(())
    }

    pub async fn stop(self) {
        let Self { node, sandbox, sql, database, folder, .. } = self;
        drop((node, sandbox, sql));
        database.stop().await;
        drop(folder);
    }
}
