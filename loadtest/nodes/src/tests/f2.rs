//! The primary dies under load, and its standby is synchronous: everything that was acknowledged is there.

use std::sync::Arc;
use std::time::Duration;

use bipe_swarm::Outcome;
use tokio::time::sleep;

use crate::appends::{self, Appends, FEW};
use crate::findings::Findings;
use crate::ledger;
use crate::postgres::DATABASE;
use crate::replicated::{Replicated, WRITES};
use crate::setting::Setting;

const LIST: &str = "F2";
const LOAD: Duration = Duration::from_secs(4);

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut cluster = Replicated::start(setting).await?;
    let nodes = cluster.nodes.len();
    let person = cluster.people(1).await?.pop().ok_or("nobody")?;
    let caller = Arc::new(cluster.caller(&person)?);
    cluster.database.primary.make_synchronous().await?;
    let appends = Appends::start(&caller, nodes, 6, LIST);
    sleep(LOAD).await;
    let before = appends.done();
    cluster.database.primary.kill()?;
    cluster.database.promote().await?;
    let promoted = appends.now();
    let firsts = appends.first_after(promoted, nodes).await?;
    sleep(LOAD).await;
    let history = appends.stop().await;
    let stored = appends::stored(&cluster.database.primary.client(DATABASE).await?, LIST).await?;
    let wrong = ledger::check_appends(&history, &stored);
    let count = history.len();
    findings.note(&format!("{count} commands, {before} acknowledged before the primary died"));
    let writes = firsts.iter().max().copied().unwrap_or_default() - promoted;
    let writes = Duration::from_micros(writes);
    let figure = format!("writes again after {} ms", writes.as_millis());
    findings.time(writes <= WRITES, &figure, "5 s");
    wrong.iter().take(5).for_each(|finding| findings.note(&finding.to_string()));
    let figure = format!("commands lost, doubled or out of order: {}", wrong.len());
    findings.bound(wrong.is_empty() && before >= FEW, &figure, "0");
    Ok(())
}
