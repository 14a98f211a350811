//! A cluster whose database has a standby, for the tests of failover: two nodes that know both hosts.

use std::path::Path;
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::account::{self, Account};
use tokio::time::{Instant, sleep};

use crate::caller::Caller;
use crate::cluster::{Bus, Cluster, Folder, Topology};
use crate::ledger::{Charge, Payment};
use crate::payments;
use crate::postgres::{DATABASE, Pair};
use crate::programs::Program;
use crate::setting::Setting;

/// For what follows by jobs on a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(60);
/// From the promotion or the return of a database until every node writes again.
pub const WRITES: Duration = Duration::from_secs(5);
/// No request takes longer, whatever happens.
pub const REQUEST: Duration = Duration::from_secs(15);
const MOMENT: Duration = Duration::from_millis(50);

pub type Replicated = Cluster<Pair>;

/// A pair that replicates asynchronously, in a folder of its own.
pub async fn database(setting: &Setting) -> Outcome<(Folder, Pair)> {
    let folder = Folder::new()?;
    let programs = setting.programs.path(Program::Postgres)?;
    let programs = programs.parent().ok_or("no folder of PostgreSQL")?;
    let pair = Pair::create(programs, &folder.path().join("postgres")).await?;
    Ok((folder, pair))
}

/// Two nodes, and NATS where it is there.
pub fn topology(setting: &Setting) -> Topology {
    let has_nats = setting.programs.path(Program::Nats).is_ok();
    Topology { nodes: 2, bus: if has_nats { Bus::One(Program::Nats) } else { Bus::None } }
}

impl Replicated {
    /// Nodes that reach the pair by themselves.
    pub async fn start(setting: &Setting) -> Outcome<Self> {
        let (folder, pair) = database(setting).await?;
        let url = pair.url();
        Self::over(setting, topology(setting), (folder, pair), &url).await
    }

    /// A backup takes the place of the primary, at its address.
    pub async fn restore(&mut self, backup: &Path) -> Outcome<()> {
        self.database.primary.kill()?;
        self.database.primary.restore(backup).await
    }

    /// People whose mails have come and whose first company is there.
    pub async fn people(&self, count: usize) -> Outcome<Vec<Account>> {
        account::open(&self.nodes.first().ok_or("no node")?.url(), count).await
    }

    /// The person at each node in turn.
    pub fn caller(&self, person: &Account) -> Outcome<Caller> {
        Caller::new(self.urls(), person.token())
    }

    /// What the nodes call the history of the database.
    pub async fn history(&self) -> Outcome<String> {
        let sql = "SELECT id::text FROM database_history";
        let client = self.database.primary.client(DATABASE).await?;
        Ok(client.query_one(sql, &[]).await?.try_get(0)?)
    }

    /// Waits until a count in the primary is reached.
    pub async fn until_counted(&self, sql: &str, wanted: i64, what: &str) -> Outcome<()> {
        let client = self.database.primary.client(DATABASE).await?;
        let late = Instant::now() + TIMEOUT;
        loop {
            let count: i64 = client.query_one(sql, &[]).await?.try_get(0)?;
            if count >= wanted {
                return Ok(());
            }
            if Instant::now() > late {
                return Err(format!("{count} of {wanted} {what} after {TIMEOUT:?}").into());
            }
            sleep(MOMENT).await;
        }
    }

    /// Runs the check of the payment invariants now; answers its findings, `[]` when all hold.
    pub async fn check_payments(&self) -> Outcome<String> {
        payments::check(&self.database.primary.client(DATABASE).await?, TIMEOUT).await
    }

    /// What the provider took, and our rows.
    pub async fn money(&self) -> Outcome<(Vec<Charge>, Vec<Payment>)> {
        let client = self.database.primary.client(DATABASE).await?;
        Ok((self.sandbox.charges().await?, payments::stored(&client).await?))
    }
}
