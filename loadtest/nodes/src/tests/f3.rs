//! The primary freezes: its sockets stay and nobody answers. The standby is promoted, and the old primary thaws beside
//! it. Nodes write again soon, let no request wait long, and never write to the old primary.

use std::sync::Arc;
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_swarm::Outcome;
use futures_util::future::join_all;
use jiff::Timestamp;
use reqwest::Method;
use tokio::time::{Instant, sleep, sleep_until};

use crate::appends::{self, Appends};
use crate::caller::Caller;
use crate::findings::Findings;
use crate::ground::{Ground, PATIENCE};
use crate::ledger;
use crate::postgres::{DATABASE, Postgres};
use crate::setting::Setting;

pub const WRITES: Duration = Duration::from_secs(5);
pub const REQUEST: Duration = Duration::from_secs(15);
const LIST: &str = "F3";
/// As many as make every connection that a node may open.
const BURST: usize = 30;
/// A failover manager needs some seconds before it promotes.
const NOTICED: Duration = Duration::from_secs(3);
const LOAD: Duration = Duration::from_secs(2);

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut ground = Ground::start(setting).await?;
    frozen(setting, findings, &mut ground).await
}

/// The fault and its judgement, whatever stands between nodes and database.
pub async fn frozen(
    setting: &Setting,
    findings: &mut Findings,
    ground: &mut Ground,
) -> Outcome<()> {
    let nodes = ground.nodes.len();
    let person = ground.people(1).await?.pop().ok_or("nobody")?;
    let caller = Arc::new(ground.caller(&person)?);
    fill_pools(&caller, nodes).await;
    let appends = Appends::start(&caller, nodes, 2, LIST);
    sleep(LOAD).await;
    ground.pair.primary.freeze()?;
    let thaw = Instant::now() + Duration::from_secs(setting.pick(20, 60));
    sleep(NOTICED).await;
    ground.pair.promote().await?;
    let (promoted, at) = (appends.now(), Clock::system().now());
    let firsts = appends.first_after(promoted, nodes, PATIENCE).await?;
    let writes = firsts.iter().max().copied().unwrap_or_default() - promoted;
    let writes = Duration::from_micros(writes);
    sleep_until(thaw).await;
    // The former primary, from here on in the place of the standby.
    ground.pair.standby.thaw()?;
    sleep(NOTICED).await;
    let history = appends.stop().await;
    let count = history.len();
    findings.note(&format!("{count} commands while the primary froze, {nodes} nodes"));
    let figure = format!("writes again {} ms after the promotion", writes.as_millis());
    findings.time(writes <= WRITES, &figure, "5 s");
    let slowest = caller.slowest();
    let figure = format!("longest request {} ms", slowest.as_millis());
    findings.time(slowest <= REQUEST, &figure, "15 s");
    let written = written_after(&ground.pair.standby, at).await?;
    let figure = format!("rows that the old primary got after the promotion: {written}");
    findings.bound(written == 0, &figure, "0");
    let stored = appends::stored(&ground.pair.primary.client(DATABASE).await?, LIST).await?;
    let wrong = ledger::check_appends(&history, &stored);
    findings.note(&format!("acknowledged and not received by the standby: {}", wrong.len()));
    Ok(())
}

/// So many reads at once that each node opens all its connections.
pub async fn fill_pools(caller: &Caller, nodes: usize) {
    let reads = (0..BURST * nodes)
        .map(|turn| caller.call_at(turn % nodes, (Method::GET, "/api/companies"), None, ""));
    join_all(reads).await;
}

/// Rows that say that they were made later, in a server that nobody may write.
async fn written_after(server: &Postgres, at: Timestamp) -> Outcome<i64> {
    let sql = "SELECT (SELECT count(*) FROM companies WHERE created_at > $1) \
         + (SELECT count(*) FROM events WHERE at > $1) + (SELECT count(*) FROM jobs WHERE created_at > $1)";
    Ok(server.client(DATABASE).await?.query_one(sql, &[&at]).await?.try_get(0)?)
}
