//! One, two and three nodes on the cores there are: what they do together, what each costs database and bus, and what
//! follows from it for ten, fifty and a hundred nodes.

use std::time::Duration;

use bipe_swarm::{Outcome, machine};
use tokio::time::{Instant, sleep};

use crate::cluster::{Bus, Cluster, Topology};
use crate::findings::Findings;
use crate::load::{self, People, Readers};
use crate::nats::Traffic;
use crate::programs::Program;
use crate::setting::Setting;

const COMPANIES: usize = 20;
const SOCKETS: usize = 300;
const AT_ONCE: usize = 16;
const IDLE: Duration = Duration::from_secs(10);
/// From a node's start until it trusts the bus.
const TRUSTED: Duration = Duration::from_secs(33);
const CONNECTIONS: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bipe'";
const COMPARED: &str = "bipe_live_heads_compared_total";

/// Of one number of nodes; rates are by the second.
struct Row {
    nodes: f64,
    commands: f64,
    events: f64,
    connections: f64,
    /// With nothing to do.
    heads: f64,
    database: f64,
    idle: Traffic,
    loaded: Traffic,
}

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    findings.note(
        "nodes  commands/s  events/s  connections  idle: heads/s  db cpu %  bus msg/s  bytes/s  loaded: msg/s  bytes/s",
    );
    let mut rows = Vec::new();
    for nodes in 1..=3 {
        let topology = Topology { nodes, bus: Bus::One(Program::Nats) };
        let row = Cluster::with(setting, topology, async |cluster| measure(setting, cluster).await);
        let row = row.await?;
        findings.note(&format!(
            "{:>5}  {:>10.0}  {:>8.0}  {:>11}  {:>13.1}  {:>8.1}  {:>9.1}  {:>7.0}  {:>13.0}  {:>7.0}  measured",
            row.nodes,
            row.commands,
            row.events,
            row.connections,
            row.heads,
            row.database,
            row.idle.messages,
            row.idle.bytes,
            row.loaded.messages,
            row.loaded.bytes
        ));
        let figure =
            format!("{nodes} nodes: {:.0} commands/s, {:.0} events/s", row.commands, row.events);
        findings.bound(row.commands > 0.0 && row.events > 0.0, &figure, "more than 0");
        rows.push(row);
    }
    let (first, last) = rows.first().zip(rows.last()).ok_or("nothing measured")?;
    calculate(findings, first, last);
    Ok(())
}

async fn measure(setting: &Setting, cluster: &Cluster) -> Outcome<Row> {
    let people = People::register(&cluster.proxy.url(), COMPANIES).await?;
    let mut all = Vec::new();
    for node in &cluster.nodes {
        let log = cluster.folder.path().join(format!("readers-{}", node.number));
        all.push(Readers::open(&people, node.address, SOCKETS, &log).await?);
    }
    sleep(TRUSTED).await;
    let nats = cluster.nats.first().ok_or("no NATS")?;
    let database = cluster.postmaster().await?;
    let seconds = IDLE.as_secs_f64();
    let (heads, busy, traffic) =
        (cluster.counted(COMPARED).await?, machine::busy_family(database)?, nats.traffic().await?);
    sleep(IDLE).await;
    let heads = (cluster.counted(COMPARED).await? - heads) / seconds;
    let database = (machine::busy_family(database)? - busy).max(0.0) / seconds * 100.0;
    let idle = nats.traffic().await?.since(traffic, seconds);
    let received = || -> u64 {
        let count = |readers: &Readers| {
            readers.herd.shared.received.load(std::sync::atomic::Ordering::Relaxed)
        };
        all.iter().map(count).sum()
    };
    let (before, traffic, begun) = (received(), nats.traffic().await?, Instant::now());
    let time = Duration::from_secs(setting.seconds.min(8));
    let commands = load::as_fast_as_possible(&people, &cluster.urls(), AT_ONCE, time).await?;
    let connections: i64 = cluster.ask(CONNECTIONS).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let loaded = nats.traffic().await?.since(traffic, seconds);
    let count = |n: u64| -> Outcome<f64> { Ok(f64::from(u32::try_from(n)?)) };
    Ok(Row {
        nodes: f64::from(u32::try_from(cluster.nodes.len())?),
        commands: count(commands)? / seconds,
        events: count(received() - before)? / seconds,
        connections: f64::from(i32::try_from(connections)?),
        heads,
        database,
        idle,
        loaded,
    })
}

/// A million sockets, ten of a channel, and two thousand events a second, on more nodes than there are here.
fn calculate(findings: &mut Findings, first: &Row, last: &Row) {
    const SOCKETS: f64 = 1e6;
    const CHANNELS: f64 = SOCKETS / 10.0;
    const EVENTS: f64 = 2_000.0;
    let connections = last.connections / last.nodes;
    let beats = first.idle.messages;
    let bytes = last.loaded.bytes / last.loaded.messages.max(1.0);
    findings.note(&format!(
        "calculated from {connections:.1} connections, {beats:.1} beats/s a node, {bytes:.0} bytes a message, as measured"
    ));
    findings.note(
        "1,000,000 sockets on 100,000 channels, each at one node, 2,000 events/s, one message each, all calculated:",
    );
    for nodes in [10.0, 50.0, 100.0] {
        let messages = EVENTS + nodes * beats;
        findings.calculated(&format!(
            "{nodes} nodes: {:.0} sockets a node, {:.0} connections, {:.0} heads/s, {messages:.0} messages/s to each \
             node, NATS sends {:.1} MB/s",
            SOCKETS / nodes,
            nodes * connections,
            // A trusted bus leaves a tenth of the channels to compare each second, wherever they are read.
            CHANNELS / 10.0,
            messages * bytes * nodes / 1e6
        ));
    }
}
