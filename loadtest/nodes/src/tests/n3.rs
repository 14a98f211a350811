//! Nodes are killed again and again while payments are made: every socket lives elsewhere soon, and every payment has
//! one charge.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::account::Account;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, sleep_until};

use crate::cluster::{Cluster, Topology};
use crate::findings::Findings;
use crate::load::{self, People, Readers};
use crate::node::Node;
use crate::payments::{self, Paid};
use crate::process;
use crate::sandbox::Sandbox;
use crate::setting::Setting;

const COMPANIES: usize = 20;
const PAYERS: usize = 4;
/// The spread of reconnects, and three seconds.
const ELSEWHERE: Duration = Duration::from_secs(8);
const EVERY: Duration = Duration::from_secs(10);
/// A killed node stays away.
const AWAY: Duration = Duration::from_secs(2);
/// For what is settled at the provider to be known here: webhooks are sent again, and events are swept.
const SETTLED: Duration = Duration::from_secs(120);

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let topology = Topology::default();
    Cluster::with(setting, topology, async |cluster| kill(setting, findings, cluster).await).await
}

async fn kill(setting: &Setting, findings: &mut Findings, cluster: &mut Cluster) -> Outcome<()> {
    let (kills, sockets) = setting.pick((3, 90), (20, 1_500));
    let url = [cluster.proxy.url()];
    let people = People::register(&url[0], COMPANIES).await?;
    let log = cluster.folder.path().join("readers");
    let readers = Readers::open(&people, cluster.proxy.address, sockets, &log).await?;
    let plan = payments::plan(&url[0]).await?;
    let payers = Arc::new(people.accounts().iter().take(PAYERS).cloned().collect::<Vec<_>>());
    let sandbox = Arc::new(cluster.sandbox.clone());
    let nodes = &mut cluster.nodes;
    let killing = async {
        tokio::join!(
            kill_in_turn(&setting.bipe, nodes, kills, &readers),
            pay_for(EVERY * kills, (payers, sandbox, plan))
        )
    };
    let run = load::measure(&people, (&url, &[&readers]), 10, killing).await?;
    let (killed, paid) = run.done;
    let (killed, paid) = (killed?, paid?);
    findings.note(&format!(
        "{kills} kills under {} commands ({} sent twice) and {} payments ({} sent again)",
        run.driven.committed.len(),
        run.driven.retried,
        paid.len(),
        paid.iter().map(|paid| paid.retried).sum::<usize>()
    ));
    let Killed { lost, soon, slowest } = killed;
    let text = format!("sockets elsewhere within 8 s {soon} of {lost}, the slowest {slowest:?}");
    findings.bound(lost > 0 && soon * 100 >= lost * 99, &text, "99 %");
    let live = readers.live();
    findings.bound(live == sockets, &format!("sockets live at the end {live}"), "all");
    findings.bound(run.missing == 0, &format!("events that never came {}", run.missing), "0");
    final_state(findings, cluster, &people, readers).await?;
    books(findings, cluster, &paid).await
}

#[derive(Default)]
struct Killed {
    lost: usize,
    /// Of the lost ones, live again in time.
    soon: usize,
    slowest: Duration,
}

async fn kill_in_turn(
    bipe: &std::path::Path,
    nodes: &mut [Node],
    kills: u32,
    readers: &Readers,
) -> Outcome<Killed> {
    let (begun, mut killed) = (Instant::now(), Killed::default());
    let shared = &readers.herd.shared;
    for turn in 0..kills {
        sleep_until(begun + EVERY * turn).await;
        let at = usize::try_from(turn)? % nodes.len().max(1);
        let node = nodes.get_mut(at).ok_or("no node")?;
        let before = shared.lost.load(std::sync::atomic::Ordering::Relaxed);
        shared.take_returns();
        let from = Instant::now();
        node.kill().await?;
        sleep(AWAY).await;
        node.restart(bipe).await?;
        sleep_until(from + ELSEWHERE).await;
        let absences = shared.take_returns().absences;
        killed.lost += shared.lost.load(std::sync::atomic::Ordering::Relaxed) - before;
        killed.soon += absences.len();
        killed.slowest = absences.into_iter().fold(killed.slowest, Duration::max);
    }
    sleep_until(begun + EVERY * kills).await;
    Ok(killed)
}

/// One payment after the other for the time, each of a company of its own.
async fn pay_for(
    time: Duration,
    (payers, sandbox, plan): (Arc<Vec<Account>>, Arc<Sandbox>, String),
) -> Outcome<Vec<Paid>> {
    let (begun, mut running) = (Instant::now(), JoinSet::new());
    let mut pace = interval(Duration::from_millis(250));
    let mut n = 0;
    while begun.elapsed() < time {
        pace.tick().await;
        let payer = payers.get(n % payers.len().max(1)).ok_or("nobody pays")?.clone();
        let (sandbox, plan) = (sandbox.clone(), plan.clone());
        n += 1;
        running.spawn(async move {
            let company = found(&payer, n).await?;
            payments::pay(&payer, &sandbox, &company, &plan).await
        });
    }
    running.join_all().await.into_iter().collect()
}

/// A company to pay for. One whose answer was lost stays behind without a payment.
async fn found(payer: &Account, n: usize) -> Outcome<String> {
    let begun = Instant::now();
    loop {
        match payer.found(1_000 + n).await {
            Err(_lost) if begun.elapsed() < ELSEWHERE => sleep(Duration::from_millis(250)).await,
            answer => return answer,
        }
    }
}

/// Every socket stands where its channel stands in the database.
async fn final_state(
    findings: &mut Findings,
    cluster: &Cluster,
    people: &People,
    readers: Readers,
) -> Outcome<()> {
    let rows = cluster.sql.query("SELECT channel, seq FROM channel_heads", &[]).await?;
    let heads: HashMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let (found, held) = readers.finish().await?;
    let mut behind = 0;
    for ((socket, _), seq) in held {
        let place = usize::try_from(socket)? % people.accounts().len().max(1);
        let company = people.accounts().get(place).map(|account| account.company.clone());
        let head = heads.get(&format!("company/{}", company.unwrap_or_default()));
        behind += usize::from(head != Some(&seq));
    }
    findings.bound(behind == 0, &format!("sockets behind their channel {behind}"), "0");
    findings.bound(found.gaps == 0, &format!("gaps {}", found.gaps), "0");
    findings.bound(found.duplicates == 0, &format!("repeated events {}", found.duplicates), "0");
    Ok(())
}

/// Every payment has one charge at the provider and one row here, and the invariants hold.
async fn books(findings: &mut Findings, cluster: &Cluster, paid: &[Paid]) -> Outcome<()> {
    let wanted = i64::try_from(paid.len())?;
    let known = "SELECT count(DISTINCT company_id) FROM payments WHERE state = 'succeeded'";
    let all = async || cluster.ask::<i64>(known).await.is_ok_and(|count| count >= wanted);
    drop(process::until("every payment", SETTLED, all).await);
    let here: i64 = cluster.ask(known).await?;
    let rows: i64 = cluster.ask("SELECT count(*) FROM payments WHERE state = 'succeeded'").await?;
    let mut charges: HashMap<String, usize> = HashMap::new();
    for intent in cluster.sandbox.succeeded().await? {
        let company = intent.pointer("/metadata/companyId").and_then(Value::as_str);
        *charges.entry(company.unwrap_or_default().to_owned()).or_default() += 1;
    }
    let once = paid.iter().filter(|paid| charges.get(&paid.company) == Some(&1)).count();
    let text = format!("charged once at the provider {once}, rows here {rows} of {here} companies");
    let is_even = once == paid.len() && charges.len() == once && rows == here && here == wanted;
    findings.bound(is_even, &text, &format!("{wanted} each"));
    let due = "UPDATE jobs SET run_at = now(), leased_until = NULL WHERE kind = 'payment_check'";
    cluster.sql.execute(due, &[]).await?;
    let again =
        "SELECT coalesce(bool_and(run_at > now()), false) FROM jobs WHERE kind = 'payment_check'";
    let checked = async || cluster.ask::<bool>(again).await.unwrap_or(false);
    process::until("the check of the invariants", SETTLED, checked).await?;
    let broken = cluster.counted("bipe_payment_invariants_broken").await?;
    findings.bound(broken == 0.0, &format!("broken invariants P1 to P11: {broken}"), "0");
    Ok(())
}
