//! A rolling deploy under load: every node is replaced by the next build, which brings a migration, and then by this
//! one again.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use bipe_swarm::Outcome;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use crate::appends::FEW;
use crate::cluster::{Cluster, Topology};
use crate::findings::Findings;
use crate::load::{self, People, Readers};
use crate::node::{self, Node};
use crate::setting::Setting;

const COMPANIES: usize = 20;
/// What a server that shuts down gives its sockets.
const DRAIN: f64 = 8.0;
/// HAProxy takes a node back after two good answers, a second apart.
const BACK: Duration = Duration::from_secs(3);
/// Between two looks at readiness.
const LOOK: Duration = Duration::from_millis(200);

/// What the next build's migration would leave.
const NEXT: &str = "CREATE TABLE next_build (id uuid PRIMARY KEY); \
     INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
     SELECT max(version) + 1, 'next_build', '2026-01-01T00:00:00Z', '1' FROM refinery_schema_history";

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let topology = Topology::default();
    Cluster::with(setting, topology, async |cluster| deploy(setting, findings, cluster).await).await
}

/// What was seen of it.
#[derive(Default)]
struct Deploy {
    /// The most sockets that connected again within a second, over their even share, at the worst node.
    peak: f64,
    /// Sockets that connected again.
    moved: usize,
    ready: Ready,
}

/// How often the nodes were asked, and how often none was ready.
#[derive(Clone, Copy, Default)]
struct Ready {
    looks: usize,
    none: usize,
    /// The proxy did not answer a read.
    proxy: usize,
}

async fn deploy(setting: &Setting, findings: &mut Findings, cluster: &mut Cluster) -> Outcome<()> {
    let sockets = setting.pick(90, 1_500);
    let url = [cluster.proxy.url()];
    let people = People::register(&url[0], COMPANIES).await?;
    let log = cluster.folder.path().join("readers");
    let readers = Readers::open(&people, cluster.proxy.address, sockets, &log).await?;
    let next = setting.next.as_deref();
    if next.is_none() {
        findings.note("no build with one more migration (--next): SQL does what it would do");
    }
    let rate = setting.pick(10, 40);
    let Cluster { nodes, database, proxy, .. } = cluster;
    let rolling = roll(setting, (nodes, &database.sql), next, (proxy.address, &readers));
    let run = load::measure(&people, (&url, &[&readers]), rate, rolling).await?;
    run.judge(findings);
    let Deploy { peak, moved, ready } = run.done?;
    let Ready { looks, none, proxy } = ready;
    findings.note(&format!(
        "{} replacements under {} commands; the slowest took {} ms",
        replaced(setting).iter().sum::<usize>(),
        run.driven.committed.len(),
        run.driven.slowest.as_millis()
    ));
    let failed = run.driven.failed;
    let failures = format!("failed commands {failed}, sent twice {}", run.driven.retried);
    findings.bound(failed == 0, &failures, "0 after one retry");
    if let Some(error) = run.driven.error {
        findings.note(&error);
    }
    let never =
        format!("looks of {looks} without a ready node {none}, unanswered by the proxy {proxy}");
    findings.bound(none == 0 && proxy == 0 && looks >= FEW, &never, "0");
    findings.bound(moved >= sockets, &format!("reconnects of {sockets} sockets {moved}"), "all");
    findings.time(peak <= 1.5, &format!("reconnects at the peak {peak:.2} x even"), "at most 1.5");
    let live = readers.live();
    findings.bound(live == sockets, &format!("sockets live at the end {live}"), "all");
    load::judge(findings, vec![readers]).await
}

/// How many nodes take the next build, and how many go back: a drain takes its time.
fn replaced(setting: &Setting) -> [usize; 2] {
    setting.pick([2, 1], [3, 3])
}

/// To the next build and back, node by node.
async fn roll(
    setting: &Setting,
    (nodes, sql): (&mut [Node], &Client),
    next: Option<&Path>,
    (proxy, readers): (SocketAddr, &Readers),
) -> Outcome<Deploy> {
    let addresses: Vec<SocketAddr> = nodes.iter().map(|node| node.address).collect();
    let (end, ended) = oneshot::channel();
    let watching = tokio::spawn(watch(addresses, proxy, ended));
    let mut deploy = Deploy::default();
    let builds = [next.unwrap_or(&setting.bipe), &setting.bipe];
    for (build, count) in builds.into_iter().zip(replaced(setting)) {
        for (at, node) in nodes.iter_mut().enumerate().take(count) {
            readers.herd.shared.take_returns();
            node.stop().await?;
            if at == 0 && next.is_none() {
                // Again on the way back it would be a second migration.
                let made =
                    sql.query_one("SELECT to_regclass('next_build') IS NOT NULL", &[]).await?;
                if !made.try_get::<_, bool>(0)? {
                    sql.batch_execute(NEXT).await?;
                }
            }
            node.restart(build).await?;
            sleep(BACK).await;
            let dials = readers.herd.shared.take_returns().dials;
            deploy.moved += dials.len();
            deploy.peak = deploy.peak.max(peak(&dials));
        }
    }
    drop(end);
    deploy.ready = watching.await?;
    Ok(deploy)
}

/// The most of them in any second, over what an even spread would give; 0 for few.
pub fn peak(dials: &[Instant]) -> f64 {
    const FEW: usize = 50;
    let mut dials = dials.to_vec();
    dials.sort_unstable();
    let within = |from: &Instant| {
        let of_second = |at: &&Instant| at.duration_since(*from) < Duration::from_secs(1);
        dials.iter().skip_while(|at| *at < from).take_while(of_second).count()
    };
    let most = dials.iter().map(within).max().unwrap_or_default();
    if dials.len() < FEW {
        return 0.0;
    }
    let [most, all] = [most, dials.len()].map(|n| f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
    most * DRAIN / all
}

/// Looks whether anybody is ready until it is told to end.
async fn watch(
    nodes: Vec<SocketAddr>,
    proxy: SocketAddr,
    mut ended: oneshot::Receiver<()>,
) -> Ready {
    let mut ready = Ready::default();
    while matches!(ended.try_recv(), Err(oneshot::error::TryRecvError::Empty)) {
        let asked = futures_util::future::join_all(nodes.iter().map(|at| node::is_ready(*at)));
        let (asked, through) =
            tokio::join!(asked, node::answers(proxy, "/api/subscriptions/plans"));
        ready.looks += 1;
        ready.none += usize::from(!asked.contains(&true));
        ready.proxy += usize::from(!through);
        sleep(LOOK).await;
    }
    ready
}
