//! What the bus costs one node, beside what an event to a thousand readers costs it; and what it spares the database,
//! which compares fewer heads of many channels that rest.
//!
//! The bus carries an event once, however many read it. So its processor time is measured beside one reader, with and
//! without a bus in turns: beside a thousand, single measures differ by more than the bus costs.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bipe_swarm::{Outcome, machine};
use tokio::time::sleep;

use crate::cluster::{Bus, Cluster, Topology};
use crate::findings::Findings;
use crate::load::{self, People, Readers};
use crate::node::{Node, Shared};
use crate::programs::Program;
use crate::setting::Setting;

const READERS: usize = 1_000;
/// Companies on each node, with a socket each.
const RESTING: usize = 20;
/// Measures of an event to all readers.
const FANS_OUT: usize = 8;
/// Pairs of measures with and without a bus.
const PAIRS: usize = 40;
const ROUND: Duration = Duration::from_secs(2);
/// Commands a second, which keep half a core busy with the fan-out. An idle bus has its beats instead.
const RATE: u32 = 40;
const IDLE: Duration = Duration::from_secs(20);
/// From the last sign of a loss until the bus is trusted.
const TRUSTED: Duration = Duration::from_secs(32);
const COMPARED: &str = "bipe_live_heads_compared_total";

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let topology = Topology { nodes: 1, bus: Bus::One(Program::Nats) };
    Cluster::with(setting, topology, async |cluster| {
        let shared = Shared { nats_url: None, ..cluster.shared.clone() };
        let alone = Node::start(&setting.bipe, 2, &shared).await?;
        compare(findings, cluster, &alone).await
    })
    .await
}

/// A node and two companies whose channels change: one with a single reader, one with many.
struct Side<'a> {
    node: &'a Node,
    single: Audience,
    many: Audience,
}

struct Audience {
    people: People,
    readers: Readers,
}

impl Audience {
    async fn open(cluster: &Cluster, node: &Node, people: People, sockets: usize) -> Outcome<Self> {
        let log = cluster.folder.path().join(format!("readers-{}-{sockets}", node.number));
        let readers = Readers::open(&people, node.address, sockets, &log).await?;
        Ok(Self { people, readers })
    }

    /// Milliseconds of the node's processor for an event to all readers, its share of the command included.
    async fn event(&self, node: &Node) -> Outcome<f64> {
        let received = || self.readers.herd.shared.received.load(Ordering::Relaxed);
        let (busy, before) = (machine::busy(node.pid())?, received());
        let place = (&[node.url()][..], &[&self.readers][..]);
        load::measure(&self.people, place, RATE, sleep(ROUND)).await?;
        let events = f64::from(u32::try_from(received() - before)?)
            / f64::from(u32::try_from(self.readers.sockets)?);
        if events < 1.0 {
            return Err("no event arrived".into());
        }
        Ok((machine::busy(node.pid())? - busy) * 1e3 / events)
    }
}

impl<'a> Side<'a> {
    async fn open(cluster: &Cluster, node: &'a Node, mut people: People) -> Outcome<Self> {
        let many = Audience::open(cluster, node, people.split_off(1), READERS).await?;
        let single = Audience::open(cluster, node, people, 1).await?;
        for audience in [&single, &many] {
            audience.event(node).await?;
        }
        Ok(Self { node, single, many })
    }

    async fn rest(&self, cluster: &Cluster, people: &People) -> Outcome<Readers> {
        let log = cluster.folder.path().join(format!("resting-{}", self.node.number));
        Readers::open(people, self.node.address, RESTING, &log).await
    }

    async fn compared(&self) -> Outcome<f64> {
        Ok(self.node.metrics().await?.sum(COMPARED))
    }
}

async fn compare(findings: &mut Findings, cluster: &Cluster, alone: &Node) -> Outcome<()> {
    let node = cluster.node(0)?;
    let mut people = People::register(&cluster.proxy.url(), 4 + 2 * RESTING).await?;
    let resting = [people.split_off(4 + RESTING), people.split_off(4)];
    let others = people.split_off(2);
    let bus = Side::open(cluster, node, people).await?;
    let alone = Side::open(cluster, alone, others).await?;
    let mut events = Vec::new();
    for _ in 0..FANS_OUT {
        events.push(alone.many.event(alone.node).await?);
    }
    let (mut with, mut without, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..PAIRS {
        // Both times of a pair are taken in the same seconds of the machine, each in turn first.
        let (on_bus, off_bus) = if round % 2 == 0 {
            let on_bus = bus.single.event(bus.node).await?;
            (on_bus, alone.single.event(alone.node).await?)
        } else {
            let off_bus = alone.single.event(alone.node).await?;
            (bus.single.event(bus.node).await?, off_bus)
        };
        with.push(on_bus);
        without.push(off_bus);
        costs.push(on_bus - off_bus);
    }
    let [with, without, cost, event] = [with, without, costs, events].map(middle);
    let more = cost / event * 100.0;
    let text = format!(
        "bus on one node's fan-out to {READERS} readers {more:.1} %: {cost:.2} ms an event ({without:.2} to {with:.2} \
         beside one reader) of {event:.2}"
    );
    findings.time(more <= 3.0, &text, "at most 3 %");
    let [of_bus, of_alone] = resting;
    let _resting = (bus.rest(cluster, &of_bus).await?, alone.rest(cluster, &of_alone).await?);
    sleep(TRUSTED).await;
    let before = (bus.compared().await?, alone.compared().await?);
    sleep(IDLE).await;
    let (with, without) = (bus.compared().await? - before.0, alone.compared().await? - before.1);
    let text = format!(
        "idle heads compared in {} s ({COMPARED}) {with} with a healthy bus, {without} without",
        IDLE.as_secs()
    );
    findings.time(with * 8.0 <= without && without > 0.0, &text, "at most 1/8");
    Ok(())
}

/// The mean without the lowest and the highest quarter.
fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let quarter = times.len() / 4;
    let kept = times.get(quarter..times.len() - quarter).unwrap_or_default();
    kept.iter().sum::<f64>() / u32::try_from(kept.len()).map_or(1.0, f64::from)
}
