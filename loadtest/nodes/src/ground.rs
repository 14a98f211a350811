//! Where failover is tested: a database with a standby, a provider, and nodes that know both hosts of the database.
//! Called by the tests of failover.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::account::{self, Account};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::caller::Caller;
use crate::cluster::Folder;
use crate::haproxy::{self, Haproxy};
use crate::ledger::{Charge, Payment};
use crate::nats::Nats;
use crate::node::{Node, Shared};
use crate::postgres::{DATABASE, Pair};
use crate::programs::Program;
use crate::sandbox::Sandbox;
use crate::setting::Setting;

const NODES: u8 = 2;
const SECRET: &str = "0c6e1d5b9f3a47828ce4d7b1a6f05e39";
/// For what follows by jobs on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(50);

/// Dropped in this order: who uses something ends before it.
pub struct Ground {
    pub proxy: Haproxy,
    pub nodes: Vec<Node>,
    _nats: Option<Nats>,
    pub sandbox: Sandbox,
    pub pair: Pair,
    pub folder: Folder,
}

/// A pair that replicates asynchronously, in a folder of its own.
pub async fn database(setting: &Setting) -> Outcome<(Folder, Pair)> {
    let folder = Folder::new()?;
    let programs = setting.programs.path(Program::Postgres)?;
    let programs = programs.parent().ok_or("no folder of PostgreSQL")?;
    let pair = Pair::create(programs, &folder.path().join("postgres")).await?;
    Ok((folder, pair))
}

impl Ground {
    /// Nodes that reach the pair by themselves.
    pub async fn start(setting: &Setting) -> Outcome<Self> {
        let (folder, pair) = database(setting).await?;
        let url = pair.url();
        Self::over(setting, folder, pair, &url).await
    }

    /// Nodes that reach the pair by this address.
    pub async fn over(
        setting: &Setting,
        folder: Folder,
        pair: Pair,
        database_url: &str,
    ) -> Outcome<Self> {
        let nats = match setting.programs.path(Program::Nats) {
            Ok(program) => Some(Nats::start(program, folder.path(), "nats", &[]).await?),
            Err(_) => None,
        };
        let address = haproxy::address()?;
        let sandbox = Sandbox::start(&setting.bipe, folder.path(), address).await?;
        let shared = Shared {
            folder: folder.path().to_owned(),
            database_url: database_url.to_owned(),
            nats_url: nats.as_ref().map(Nats::url),
            secret: SECRET.to_owned(),
            public_url: format!("http://{address}"),
            stripe: sandbox.base(),
        };
        let mut nodes = Vec::new();
        for number in 1..=NODES {
            nodes.push(Node::start(&setting.bipe, number, &shared).await?);
        }
        let addresses: Vec<SocketAddr> = nodes.iter().map(|node| node.address).collect();
        let proxy = Haproxy::start(setting, folder.path(), address, &addresses).await?;
        Ok(Self { proxy, nodes, _nats: nats, sandbox, pair, folder })
    }

    /// A backup takes the place of the primary, at its address.
    pub async fn restore(&mut self, backup: &Path) -> Outcome<()> {
        self.pair.primary.kill()?;
        self.pair.primary.restore(backup).await
    }

    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    /// The nodes themselves, past the proxy.
    pub fn urls(&self) -> Vec<String> {
        self.nodes.iter().map(Node::url).collect()
    }

    /// People whose mails have come and whose first company is there.
    pub async fn people(&self, count: usize) -> Outcome<Vec<Account>> {
        account::open(&self.nodes.first().ok_or("no node")?.url(), count).await
    }

    /// The person at each node in turn.
    pub fn caller(&self, person: &Account) -> Outcome<Caller> {
        Caller::new(self.urls(), person.token())
    }

    /// The sum of a counter over all nodes.
    pub async fn counted(&self, name: &str) -> Outcome<f64> {
        let mut sum = 0.0;
        for node in &self.nodes {
            sum += node.metrics().await?.sum(name);
        }
        Ok(sum)
    }

    /// What the nodes call the history of the database.
    pub async fn history(&self) -> Outcome<String> {
        let sql = "SELECT id::text FROM database_history";
        let client = self.pair.primary.client(DATABASE).await?;
        Ok(client.query_one(sql, &[]).await?.try_get(0)?)
    }

    /// Waits until a count in the primary is reached.
    pub async fn until_counted(&self, sql: &str, wanted: i64, what: &str) -> Outcome<()> {
        let client = self.pair.primary.client(DATABASE).await?;
        let late = Instant::now() + PATIENCE;
        loop {
            let count: i64 = client.query_one(sql, &[]).await?.try_get(0)?;
            if count >= wanted {
                return Ok(());
            }
            if Instant::now() > late {
                return Err(format!("{count} of {wanted} {what} after {PATIENCE:?}").into());
            }
            sleep(MOMENT).await;
        }
    }

    /// Runs the check of the payment invariants now; answers its findings, `[]` when all hold.
    pub async fn check_payments(&self) -> Outcome<String> {
        let client = self.pair.primary.client(DATABASE).await?;
        let before: i64 = client.query_one(REPORTS, &[]).await?.try_get(0)?;
        client.execute("UPDATE jobs SET run_at = now() WHERE kind = 'payment_check'", &[]).await?;
        self.until_counted(REPORTS, before + 1, "checks of the payments").await?;
        Ok(client.query_one(LAST_REPORT, &[]).await?.try_get(0)?)
    }

    /// What the provider took, and our rows.
    pub async fn money(&self) -> Outcome<(Vec<Charge>, Vec<Payment>)> {
        let rows = self.pair.primary.client(DATABASE).await?.query(PAYMENTS, &[]).await?;
        let mut payments = Vec::new();
        for row in rows {
            payments.push(Payment {
                company: row.try_get(0)?,
                intent: row.try_get(1)?,
                is_paid: row.try_get(2)?,
            });
        }
        Ok((self.charges().await?, payments))
    }

    /// Every intent of the provider.
    async fn charges(&self) -> Outcome<Vec<Charge>> {
        let (mut charges, mut after): (Vec<Charge>, String) = Default::default();
        loop {
            let page = self.sandbox.get(&format!("payment_intents?limit=100{after}")).await?;
            let text = |value: &Value, pointer: &str| {
                value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            for intent in page.get("data").and_then(Value::as_array).into_iter().flatten() {
                charges.push(Charge {
                    company: text(intent, "/metadata/companyId"),
                    intent: text(intent, "/id"),
                    is_paid: text(intent, "/status") == "succeeded",
                });
            }
            match charges.last() {
                Some(last) if page.get("has_more") == Some(&Value::Bool(true)) => {
                    after = format!("&starting_after={}", last.intent);
                }
                _ => return Ok(charges),
            }
        }
    }
}

const REPORTS: &str = "SELECT count(*) FROM payment_checks";
const LAST_REPORT: &str = "SELECT findings FROM payment_checks \
     ORDER BY at DESC, id DESC LIMIT 1";
const PAYMENTS: &str =
    "SELECT company_id::text, provider_intent, state = 'succeeded' FROM payments";
