//! Planned switchovers under load, again and again: the primary stops when its standby has everything, the standby is
//! promoted, and the old primary comes back as the new standby.

use std::sync::Arc;
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::report::percentile;
use tokio::time::sleep;

use crate::appends::{self, Appends, FEW};
use crate::findings::Findings;
use crate::ledger;
use crate::postgres::{DATABASE, Stop};
use crate::replicated::{Replicated, WRITES};
use crate::setting::Setting;

const LIST: &str = "F5";
/// Of load, between two switchovers.
const LOAD: Duration = Duration::from_millis(1_500);

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut cluster = Replicated::start(setting).await?;
    let nodes = cluster.nodes.len();
    let switchovers = setting.pick(3, 20);
    let person = cluster.people(1).await?.pop().ok_or("nobody")?;
    let caller = Arc::new(cluster.caller(&person)?);
    let appends = Appends::start(&caller, nodes, 4, LIST);
    let (mut of_stop, mut of_promotion) = (Vec::new(), Vec::new());
    for _ in 0..switchovers {
        sleep(LOAD).await;
        cluster.database.primary.until_caught_up().await?;
        let stopped = appends.now();
        cluster.database.primary.stop(Stop::Fast).await?;
        cluster.database.promote().await?;
        let promoted = appends.now();
        let firsts = appends.first_after(promoted, nodes).await?;
        of_stop.extend(firsts.iter().map(|at| (at - stopped) / 1_000));
        of_promotion.extend(firsts.iter().map(|at| (at - promoted) / 1_000));
        let (old, new) = (&mut cluster.database.standby, &cluster.database.primary);
        old.rejoin(new).await?;
    }
    sleep(LOAD).await;
    let done = appends.done();
    let history = appends.stop().await;
    let stored = appends::stored(&cluster.database.primary.client(DATABASE).await?, LIST).await?;
    let wrong = ledger::check_appends(&history, &stored);
    let count = history.len();
    findings.note(&format!(
        "{switchovers} switchovers, {count} commands at {nodes} nodes, {done} of them acknowledged"
    ));
    for (what, times) in [("the promotion", &mut of_promotion), ("the stop", &mut of_stop)] {
        times.sort_unstable();
        let [p50, p99] = [500, 990].map(|share| percentile(times, share));
        let figure = format!("writes again after {what}: p50 {p50} ms, p99 {p99} ms");
        findings.time(Duration::from_millis(p99) <= WRITES, &figure, "p99 at most 5 s");
    }
    wrong.iter().take(5).for_each(|finding| findings.note(&finding.to_string()));
    let figure = format!("commands lost, doubled or out of order: {}", wrong.len());
    findings.bound(wrong.is_empty() && done >= FEW * switchovers, &figure, "0");
    Ok(())
}
