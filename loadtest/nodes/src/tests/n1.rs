//! Three nodes share a bus: an event that one of them commits is pushed to the sockets of the others.

use std::time::Duration;

use bipe_swarm::Outcome;

use super::Setting;
use crate::cluster::{Cluster, Wish};
use crate::findings::Findings;
use crate::load::{self, People, Readers, percentile};

const COMPANIES: usize = 20;

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut cluster = Cluster::start(setting, Wish::default()).await?;
    let outcome = push(setting, findings, &mut cluster).await;
    cluster.stop().await;
    outcome
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
    // Until the bus is trusted and every path is warm.
    load::drive(&people, (&first, &readers), 20, Duration::from_secs(3)).await?;
    readers.iter().for_each(|readers| readers.herd.measure());
    let time = Duration::from_secs(setting.seconds);
    let driven = load::drive(&people, (&first, &readers), setting.pick(20, 50), time).await?;
    let missing = load::missing(&people, &readers, &driven).await;
    let times: Vec<Vec<u32>> = readers.iter().map(|readers| readers.herd.measured()).collect();
    let (same, others) = times.split_first().ok_or("no node")?;
    let mut others: Vec<u32> = others.concat();
    others.sort_unstable();
    let [same, p50] = [same, &others].map(|times| percentile(times, 50));
    let p99 = percentile(&others, 99);
    let all_sockets = sockets * cluster.nodes.len();
    findings.note(&format!(
        "{} commands at one of {} nodes, {all_sockets} sockets, {} arrivals elsewhere",
        driven.committed.len(),
        cluster.nodes.len(),
        others.len()
    ));
    findings.time(
        p50 <= same + 2.0,
        &format!("push on another node p50 {p50:.2} ms, on the same {same:.2} ms"),
        "at most 2 ms more",
    );
    findings.time(p99 <= 20.0, &format!("push on another node p99 {p99:.2} ms"), "at most 20 ms");
    findings.bound(driven.failed == 0, &format!("failed commands {}", driven.failed), "0");
    findings.bound(missing == 0, &format!("events that never came {missing}"), "0");
    let (mut gaps, mut repeats) = (0, 0);
    for readers in all {
        let found = readers.finish().await?;
        (gaps, repeats) = (gaps + found.gaps, repeats + found.duplicates);
    }
    findings.bound(gaps == 0, &format!("gaps {gaps}"), "0");
    findings.bound(repeats == 0, &format!("repeated events {repeats}"), "0");
    Ok(())
}
