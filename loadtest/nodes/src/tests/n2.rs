//! NATS is frozen, killed, drained, flooded, lied to and split: commands go on, every event comes, late by a second at
//! the most.

use std::ops::Range;
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::report::percentile_ms;
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};

use crate::cluster::{Bus, Cluster, Topology};
use crate::findings::Findings;
use crate::load::{self, People, Readers};
use crate::nats::Nats;
use crate::node::{Node, Shared};
use crate::process;
use crate::programs::Program;
use crate::route::State;
use crate::setting::Setting;

const COMPANIES: usize = 20;
const RATE: u32 = 20;
/// The bus may be late by a second, and the commit takes its time.
const LATE: f64 = 1_200.0;
/// Of a server with three clients that leave one by one.
const LAME_DUCK: Duration = Duration::from_secs(40);
/// For a node to notice something by itself.
const NOTICED: Duration = Duration::from_secs(30);
/// Of a message of somebody who shares the server and nothing else.
const FOREIGN_BYTES: usize = 1_000_000;
/// So many such messages, and a client that reads nothing is called slow.
const FLOOD: usize = 60;

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    disturb(setting, findings, Program::Nats).await?;
    if setting.is_short() {
        return Ok(());
    }
    match setting.programs.missing(&[Program::SystemNats]) {
        None => disturb(setting, findings, Program::SystemNats).await?,
        Some(missing) => findings.note(&format!("only one version of NATS: {missing}")),
    }
    let topology = Topology { nodes: 3, bus: Bus::Split(Program::Nats) };
    Cluster::with(setting, topology, async |cluster| split(setting, findings, cluster).await).await
}

/// Sockets at every node, commands at some of them.
struct Load<'a> {
    people: &'a People,
    urls: Vec<String>,
    readers: &'a [Readers],
}

impl Load<'_> {
    /// Load for the time of a disturbance; the events must come to the `judged` readers in time, and to all at last.
    async fn during(
        &self,
        findings: &mut Findings,
        (name, judged): (&str, Range<usize>),
        disturbance: impl Future<Output = Outcome<()>>,
    ) -> Outcome<()> {
        let readers: Vec<&Readers> = self.readers.iter().collect();
        let run = load::measure(self.people, (&self.urls, &readers), RATE, disturbance).await?;
        let times = run.times_of(judged);
        let [p50, p99, most] = [500, 990, 1000].map(|share| percentile_ms(&times, share));
        let driven = &run.driven;
        let text = format!("{name}: p50 {p50:.1} ms, p99 {p99:.1} ms, most {most:.0} ms");
        findings.time(p99 <= LATE, &text, "p99 at most 1200 ms");
        let text = format!(
            "{name}: failed commands {} of {}, events that never came {}",
            driven.failed,
            driven.committed.len() + driven.failed,
            run.missing
        );
        let holds = driven.failed == 0 && run.missing == 0 && run.is_enough();
        findings.bound(holds, &text, "0 and 0");
        run.done
    }
}

async fn readers_of(
    setting: &Setting,
    cluster: &Cluster,
    people: &People,
) -> Outcome<Vec<Readers>> {
    let mut all = Vec::new();
    for node in &cluster.nodes {
        let log = cluster.folder.path().join(format!("readers-{}", node.number));
        all.push(Readers::open(people, node.address, setting.pick(40, 200), &log).await?);
    }
    Ok(all)
}

async fn disturb(setting: &Setting, findings: &mut Findings, program: Program) -> Outcome<()> {
    let version = match program {
        Program::SystemNats => "the system's NATS",
        _ => "NATS",
    };
    findings.note(&format!("{version}, three nodes"));
    let topology = Topology { nodes: 3, bus: Bus::One(program) };
    Cluster::with(setting, topology, async |cluster| one_server(setting, findings, cluster).await)
        .await
}

async fn one_server(
    setting: &Setting,
    findings: &mut Findings,
    cluster: &mut Cluster,
) -> Outcome<()> {
    let people = People::register(&cluster.proxy.url(), COMPANIES).await?;
    let readers = readers_of(setting, cluster, &people).await?;
    let load = Load { people: &people, urls: cluster.urls(), readers: &readers };
    let all = 0..3;
    let calm = Duration::from_secs(setting.pick(2, 5));
    load.during(findings, ("healthy", all.clone()), wait(calm)).await?;
    let frozen = Duration::from_secs(setting.pick(4, 20));
    let nats = cluster.nats_mut()?;
    load.during(findings, ("frozen", all.clone()), async {
        nats.freeze()?;
        sleep(frozen).await;
        nats.thaw()?;
        wait(calm).await
    })
    .await?;
    load.during(findings, ("killed", all.clone()), async {
        nats.kill().await?;
        sleep(calm).await;
        nats.restart().await?;
        wait(calm).await
    })
    .await?;
    if !setting.is_short() {
        load.during(findings, ("lame duck", all.clone()), async {
            nats.leave_as_lame_duck(LAME_DUCK).await?;
            nats.restart().await?;
            wait(calm).await
        })
        .await?;
        slow_consumer(findings, cluster, &load).await?;
    }
    lies(findings, cluster, &load).await?;
    strangers(setting, findings, cluster, &load).await?;
    load::judge(findings, readers).await
}

async fn wait(time: Duration) -> Outcome<()> {
    sleep(time).await;
    Ok(())
}

/// The subject of this installation.
fn subject(shared: &Shared) -> String {
    let host = shared.public_url.trim_start_matches("http://");
    let host = host.split(':').next().unwrap_or_default();
    format!("bipe.{}.ev", host.replace('.', "-"))
}

/// The last node reads nothing while somebody floods the subject: the server cuts it off.
async fn slow_consumer(
    findings: &mut Findings,
    cluster: &mut Cluster,
    load: &Load<'_>,
) -> Outcome<()> {
    use rustix::process::Signal;
    let subject = subject(&cluster.shared);
    let client = cluster.nats_mut()?.client().await?;
    let (two, all) = (load.urls.get(..2).unwrap_or_default().to_vec(), load.readers);
    let frozen = cluster.node_mut(2)?;
    let load = Load { people: load.people, urls: two, readers: all };
    load.during(findings, ("slow consumer", 0..2), async {
        frozen.signal(Signal::STOP)?;
        for _ in 0..FLOOD {
            client.publish(subject.clone(), vec![b'x'; FOREIGN_BYTES].into()).await?;
            sleep(Duration::from_millis(50)).await;
        }
        client.flush().await?;
        frozen.signal(Signal::CONT)?;
        wait(Duration::from_secs(3)).await
    })
    .await?;
    let is_cut_off = cluster.nats_mut()?.log().contains("Slow Consumer");
    let text = format!("the server called the frozen node a slow consumer: {is_cut_off}");
    findings.bound(is_cut_off, &text, "true");
    Ok(())
}

/// Foreign messages, large ones, and everything that was said once more.
async fn lies(findings: &mut Findings, cluster: &mut Cluster, load: &Load<'_>) -> Outcome<()> {
    let subject = subject(&cluster.shared);
    let refused = cluster.counted("bipe_bus_refused_total").await?;
    let client = cluster.nats_mut()?.client().await?;
    let mut heard = client.subscribe(subject.clone()).await?;
    let mut repeated = 0;
    load.during(findings, ("lies", 0..3), async {
        for payload in [vec![0; 3], vec![b'{'; 600], vec![b'x'; FOREIGN_BYTES]] {
            client.publish(subject.clone(), payload.into()).await?;
        }
        sleep(Duration::from_secs(2)).await;
        let mut said = Vec::new();
        while let Ok(Some(message)) = timeout(Duration::from_millis(1), heard.next()).await {
            said.push(message.payload);
        }
        for payload in said {
            repeated += 1;
            client.publish(subject.clone(), payload).await?;
        }
        client.flush().await?;
        wait(Duration::from_secs(1)).await
    })
    .await?;
    let refused = cluster.counted("bipe_bus_refused_total").await? - refused;
    findings.note(&format!("{repeated} old messages were said again"));
    findings.bound(repeated > 20, &format!("messages to repeat {repeated}"), "more than 20");
    findings.bound(refused >= 9.0, &format!("messages refused and counted {refused}"), "9 or more");
    Ok(())
}

/// Nodes that do not belong here: of another secret, of another installation, with a wrong password.
async fn strangers(
    setting: &Setting,
    findings: &mut Findings,
    cluster: &mut Cluster,
    load: &Load<'_>,
) -> Outcome<()> {
    let refused = cluster.counted("bipe_bus_refused_total").await?;
    let secret = "0aa1c1d2e3f40516273849aabbccddeeff00112233445566".to_owned();
    let shared = Shared { secret, ..cluster.shared.clone() };
    let other_secret = Node::start(&setting.bipe, 4, &shared).await?;
    load.during(findings, ("another secret", 0..3), wait(Duration::from_secs(2))).await?;
    let by_others = cluster.counted("bipe_bus_refused_total").await? - refused;
    let by_it = other_secret.metrics().await?.sum("bipe_bus_refused_total");
    let text = format!("another secret: refused by the others {by_others}, by it {by_it}");
    findings.bound(by_others > 0.0 && by_it > 0.0, &text, "more than 0");
    drop(other_secret);

    let public_url = "http://outra.localhost:8080".to_owned();
    let shared = Shared { public_url, ..cluster.shared.clone() };
    let other_installation = Node::start(&setting.bipe, 5, &shared).await?;
    let refused = cluster.counted("bipe_bus_refused_total").await?;
    load.during(findings, ("another installation", 0..3), wait(Duration::from_secs(2))).await?;
    let metrics = other_installation.metrics().await?;
    let counted = |direction| metrics.with("bipe_bus_messages_total", direction);
    let (heard, said) = (counted("direction=\"in\""), counted("direction=\"out\""));
    let refused = cluster.counted("bipe_bus_refused_total").await? - refused;
    let text = format!("another installation: heard {heard} of its own {said}, refused {refused}");
    let is_alone = heard <= said && said > 0.0 && refused == 0.0;
    findings.bound(is_alone, &text, "nothing of the others");
    drop(other_installation);
    wrong_password(setting, findings, cluster, load).await
}

/// A node that NATS does not let in serves all the same, and says why it is alone.
async fn wrong_password(
    setting: &Setting,
    findings: &mut Findings,
    cluster: &Cluster,
    load: &Load<'_>,
) -> Outcome<()> {
    let (binary, folder) = (setting.programs.path(Program::Nats)?, cluster.folder.path());
    let guarded = ["--user", "bipe", "--pass", "right"];
    let guarded = Nats::start(binary, folder, "nats-guarded", &guarded).await?;
    let nats_url = Some(guarded.url_as("bipe:wrong"));
    let shared = Shared { nats_url, ..cluster.shared.clone() };
    let alone = Node::start(&setting.bipe, 6, &shared).await?;
    let log = folder.join("readers-alone");
    let readers = [Readers::open(load.people, alone.address, COMPANIES, &log).await?];
    let alone_load = Load { people: load.people, urls: load.urls.clone(), readers: &readers };
    let name = ("a wrong password", 0..1);
    alone_load.during(findings, name, wait(Duration::from_secs(3))).await?;
    let says = async || alone.log().to_lowercase().contains("authorization violation");
    let is_named = process::until("the log", NOTICED, says).await.is_ok();
    findings.bound(is_named, &format!("a wrong password: named in the log {is_named}"), "true");
    Ok(())
}

/// Two servers, and the route between them frozen and cut: the last node is alone behind the second one.
async fn split(setting: &Setting, findings: &mut Findings, cluster: &mut Cluster) -> Outcome<()> {
    findings.note("two NATS servers with a route between them, the last node alone at the second");
    let people = People::register(&cluster.proxy.url(), COMPANIES).await?;
    let readers = readers_of(setting, cluster, &people).await?;
    let load = Load { people: &people, urls: cluster.urls(), readers: &readers };
    let route = cluster.route.as_ref().ok_or("no route")?;
    let calm = Duration::from_secs(5);
    load.during(findings, ("whole", 0..3), wait(calm)).await?;
    for (name, state) in [("route frozen", State::Frozen), ("route cut", State::Cut)] {
        load.during(findings, (name, 0..3), async {
            route.set(state);
            sleep(Duration::from_secs(10)).await;
            route.set(State::Open);
            wait(calm).await
        })
        .await?;
    }
    load::judge(findings, readers).await
}
