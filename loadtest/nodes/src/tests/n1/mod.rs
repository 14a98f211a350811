//! Three nodes share a bus: an event that one of them commits is pushed to the sockets of the others. What they hold,
//! and what the bus costs.

mod cost;
mod hold;

use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::report::percentile_ms;
use tokio::time::sleep;

use crate::cluster::{Cluster, Topology};
use crate::findings::Findings;
use crate::k6;
use crate::load::{self, People, Readers};
use crate::programs::Program;
use crate::setting::Setting;

const COMPANIES: usize = 20;

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let topology = Topology::default();
    Cluster::with(setting, topology, async |cluster| push(setting, findings, cluster).await)
        .await?;
    if setting.is_short() {
        return Ok(());
    }
    cost::run(setting, findings).await
}

/// Commands at the first node; sockets at each.
async fn push(setting: &Setting, findings: &mut Findings, cluster: &mut Cluster) -> Outcome<()> {
    let sockets = setting.pick(60, 1_000);
    let people = People::register(&cluster.proxy.url(), COMPANIES).await?;
    let mut all = Vec::new();
    for node in &cluster.nodes {
        let log = cluster.folder.path().join(format!("readers-{}", node.number));
        all.push(Readers::open(&people, node.address, sockets, &log).await?);
    }
    let readers: Vec<&Readers> = all.iter().collect();
    let first = [cluster.node(0)?.url()];
    if !setting.is_short() {
        // Until every path is warm.
        load::measure(&people, (&first, &readers), 20, sleep(Duration::from_secs(2))).await?;
    }
    let k6 = match setting.programs.missing(&[Program::K6]) {
        _ if setting.is_short() => None,
        None => Some(k6::mixed(setting, cluster, setting.seconds).await?),
        Some(missing) => {
            findings.note(&format!("without k6: {missing}"));
            None
        }
    };
    let time = sleep(Duration::from_secs(setting.seconds));
    let run = load::measure(&people, (&first, &readers), setting.pick(20, 50), time).await?;
    let (same, others) = (run.times_of(0..1), run.times_of(1..cluster.nodes.len()));
    let [same_p99, p99] = [&same, &others].map(|times| percentile_ms(times, 990));
    let [same, p50] = [&same, &others].map(|times| percentile_ms(times, 500));
    findings.note(&format!(
        "{} commands at one of {} nodes, {} sockets, {} arrivals elsewhere",
        run.driven.committed.len(),
        cluster.nodes.len(),
        sockets * cluster.nodes.len(),
        others.len()
    ));
    findings.time(
        p50 <= same + 2.0,
        &format!("push on another node p50 {p50:.2} ms, on the same {same:.2} ms"),
        "at most 2 ms more",
    );
    findings.note(&format!(
        "p99, the command itself included: {p99:.2} ms, on the same {same_p99:.2} ms"
    ));
    // A command waits for two cores that the generators share; its event is not pushed before it is committed.
    let [same, p99] = [readers.get(..1), readers.get(1..)]
        .map(|readers| percentile_ms(&run.after_the_answer(readers.unwrap_or_default()), 990));
    findings.time(
        p99 <= 20.0,
        &format!("last socket of another node after the command's answer p99 {p99:.2} ms, of the same {same:.2} ms"),
        "at most 20 ms",
    );
    findings.bound(run.driven.failed == 0, &format!("failed commands {}", run.driven.failed), "0");
    run.judge(findings);
    load::judge(findings, all).await?;
    if let Some(k6) = k6 {
        k6::judge(findings, k6).await?;
    }
    if setting.is_short() {
        return Ok(());
    }
    hold::run(setting, findings, cluster, &people).await
}
