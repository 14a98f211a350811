//! What the bus costs one node: its processor time with and without, in turns, while one channel with a thousand readers
//! changes; and what it spares the database, which compares fewer heads of many channels that rest.

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
/// Pairs of measures. Single ones differ by up to six percent on a machine with neighbours.
const ROUNDS: usize = 40;
const ROUND: Duration = Duration::from_secs(2);
/// Commands a second, which keep half a core busy with the fan-out: below, the beats of an idle bus would be measured.
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

/// A node, a company whose channel changes, and companies that rest.
struct Side<'a> {
    node: &'a Node,
    people: People,
    readers: Readers,
    resting: People,
}

impl<'a> Side<'a> {
    async fn of(cluster: &Cluster, node: &'a Node, mut people: People) -> Outcome<Self> {
        let resting = people.split_off(1);
        let log = cluster.folder.path().join(format!("readers-{}", node.number));
        let readers = Readers::open(&people, node.address, READERS, &log).await?;
        Ok(Self { node, people, readers, resting })
    }

    async fn open_resting(&self, cluster: &Cluster) -> Outcome<Readers> {
        let log = cluster.folder.path().join(format!("resting-{}", self.node.number));
        Readers::open(&self.resting, self.node.address, RESTING, &log).await
    }

    /// Microseconds of the node's processor for an event at a socket, its share of the command included.
    async fn event(&self) -> Outcome<f64> {
        let received =
            || self.readers.herd.shared.received.load(std::sync::atomic::Ordering::Relaxed);
        let (busy, before) = (machine::busy(self.node.pid())?, received());
        let place = (&[self.node.url()][..], &[&self.readers][..]);
        load::measure(&self.people, place, RATE, sleep(ROUND)).await?;
        let events = u32::try_from(received() - before)?;
        if events < u32::try_from(READERS)? {
            return Err(format!("{events} events arrived").into());
        }
        Ok((machine::busy(self.node.pid())? - busy) * 1e6 / f64::from(events))
    }

    async fn compared(&self) -> Outcome<f64> {
        Ok(self.node.metrics().await?.sum(COMPARED))
    }
}

async fn compare(findings: &mut Findings, cluster: &Cluster, alone: &Node) -> Outcome<()> {
    let mut people = People::register(&cluster.proxy.url(), 2 * (1 + RESTING)).await?;
    let others = people.split_off(1 + RESTING);
    let bus = Side::of(cluster, cluster.node(0)?, people).await?;
    let alone = Side::of(cluster, alone, others).await?;
    for side in [&bus, &alone] {
        side.event().await?;
    }
    let (mut with, mut without, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Both times of a pair are taken in the same seconds of the machine, each in turn first.
        let (on_bus, off_bus) = if round % 2 == 0 {
            let on_bus = bus.event().await?;
            (on_bus, alone.event().await?)
        } else {
            let off_bus = alone.event().await?;
            (bus.event().await?, off_bus)
        };
        with.push(on_bus);
        without.push(off_bus);
        ratios.push(on_bus / off_bus);
    }
    let [with, without, ratio] = [with, without, ratios].map(median);
    let more = (ratio - 1.0) * 100.0;
    let text = format!(
        "bus on one node's fan-out to {READERS} readers {more:.1} % ({without:.2} to {with:.2} µs an event)"
    );
    findings.time(more <= 3.0, &text, "at most 3 %");
    let _resting = (bus.open_resting(cluster).await?, alone.open_resting(cluster).await?);
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

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
