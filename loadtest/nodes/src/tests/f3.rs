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

use crate::appends::{self, Appends, FEW};
use crate::caller::Caller;
use crate::findings::Findings;
use crate::ledger::{self, Finding};
use crate::postgres::{DATABASE, Postgres};
use crate::replicated::{REQUEST, Replicated, WRITES};
use crate::setting::Setting;

const LIST: &str = "F3";
/// As many as make every connection that a node may open.
const BURST: usize = 30;
/// A failover manager needs some seconds before it promotes.
const NOTICED: Duration = Duration::from_secs(3);
const LOAD: Duration = Duration::from_secs(2);

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut cluster = Replicated::start(setting).await?;
    let nodes = cluster.nodes.len();
    let person = cluster.people(1).await?.pop().ok_or("nobody")?;
    let caller = Arc::new(cluster.caller(&person)?);
    fill_pools(&caller, nodes).await;
    let appends = Appends::start(&caller, nodes, 2, LIST);
    sleep(LOAD).await;
    let before = appends.done();
    cluster.database.primary.freeze()?;
    let thaw = Instant::now() + Duration::from_secs(setting.pick(20, 60));
    sleep(NOTICED).await;
    cluster.database.promote().await?;
    let (promoted, at) = (appends.now(), Clock::system().now());
    let firsts = appends.first_after(promoted, nodes).await?;
    let writes = firsts.iter().max().copied().unwrap_or_default() - promoted;
    let writes = Duration::from_micros(writes);
    sleep_until(thaw).await;
    // The former primary, from here on in the place of the standby.
    cluster.database.standby.thaw()?;
    sleep(NOTICED).await;
    let history = appends.stop().await;
    let count = history.len();
    let figure =
        format!("{count} commands at {nodes} nodes, acknowledged before the freeze {before}");
    findings.bound(before >= FEW, &figure, "at least 20 before");
    let figure = format!("writes again {} ms after the promotion", writes.as_millis());
    findings.time(writes <= WRITES, &figure, "5 s");
    let slowest = caller.slowest();
    let figure = format!("longest request {} ms", slowest.as_millis());
    findings.time(slowest <= REQUEST, &figure, "15 s");
    let [all, late] = written(&cluster.database.standby, at).await?;
    let figure = format!("rows of the old primary: {all}, written after the promotion: {late}");
    findings.bound(all > late && late == 0, &figure, "0 after it");
    let stored = appends::stored(&cluster.database.primary.client(DATABASE).await?, LIST).await?;
    let wrong = ledger::check_appends(&history, &stored);
    let (lost, wrong): (Vec<_>, Vec<_>) =
        wrong.into_iter().partition(|finding| matches!(finding, Finding::Lost { .. }));
    findings.note(&format!("acknowledged and not received by the standby: {}", lost.len()));
    wrong.iter().take(5).for_each(|finding| findings.note(&finding.to_string()));
    let figure = format!("stored twice, unasked or out of order: {}", wrong.len());
    findings.bound(wrong.is_empty(), &figure, "0");
    Ok(())
}

/// So many reads at once that each node opens all its connections.
pub async fn fill_pools(caller: &Caller, nodes: usize) {
    let reads = (0..BURST * nodes)
        .map(|turn| caller.call_at(turn % nodes, (Method::GET, "/api/companies"), None, ""));
    join_all(reads).await;
}

/// Rows, and those of them that say that they were made later, in a server that nobody may write.
async fn written(server: &Postgres, at: Timestamp) -> Outcome<[i64; 2]> {
    let sql = "SELECT count(*), count(*) FILTER (WHERE made > $1) FROM (SELECT created_at AS made FROM companies \
         UNION ALL SELECT at FROM events UNION ALL SELECT created_at FROM jobs) AS rows";
    let row = server.client(DATABASE).await?.query_one(sql, &[&at]).await?;
    Ok([row.try_get(0)?, row.try_get(1)?])
}
