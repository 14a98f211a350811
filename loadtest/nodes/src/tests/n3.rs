//! Nodes are killed again and again while payments are made: every socket lives elsewhere soon, and every payment has
//! one charge.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::account::Account;
use bipe_swarm::payments::plans;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, sleep_until};

use crate::appends::FEW;
use crate::caller::Caller;
use crate::cluster::{Cluster, Topology};
use crate::findings::Findings;
use crate::ledger;
use crate::load::{self, People, Readers};
use crate::node::Node;
use crate::payments;
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
/// A payment's command is sent again for so long.
const PAID: Duration = Duration::from_secs(60);
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
    let [plan, _] = plans(&url[0]).await?;
    let mut payers = Vec::new();
    for account in people.accounts().iter().take(PAYERS).cloned() {
        let caller = Caller::new(url.to_vec(), account.token())?;
        payers.push(Arc::new(Payer { account, caller }));
    }
    let sandbox = cluster.sandbox.clone();
    let nodes = &mut cluster.nodes;
    let killing = async {
        tokio::join!(
            kill_in_turn(&setting.bipe, nodes, kills, &readers),
            pay_for(EVERY * kills, &payers, &sandbox, &plan)
        )
    };
    let run = load::measure(&people, (&url, &[&readers]), 10, killing).await?;
    run.judge(findings);
    let (killed, paid) = run.done;
    let (killed, paid) = (killed?, paid?);
    findings.note(&format!(
        "{kills} kills under {} commands ({} sent twice) and {paid} payments ({} sent again)",
        run.driven.committed.len(),
        run.driven.retried,
        payers.iter().map(|payer| payer.caller.repeated()).sum::<u64>()
    ));
    let Killed { lost, soon, slowest } = killed;
    let slowest = slowest.as_millis();
    let text = format!("sockets elsewhere within 8 s {soon} of {lost}, the slowest {slowest} ms");
    findings.bound(lost > 0 && soon * 100 >= lost * 99, &text, "99 %");
    let live = readers.live();
    findings.bound(live == sockets, &format!("sockets live at the end {live}"), "all");
    final_state(findings, cluster, &people, readers).await?;
    books(findings, cluster, paid).await
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
        killed.soon += soon(&absences);
        killed.slowest = absences.into_iter().fold(killed.slowest, Duration::max);
    }
    sleep_until(begun + EVERY * kills).await;
    Ok(killed)
}

/// How many were live again in time. Where a node starts slowly, they are looked at later than that.
pub fn soon(absences: &[Duration]) -> usize {
    absences.iter().filter(|absence| **absence <= ELSEWHERE).count()
}

/// Somebody who pays through the proxy.
struct Payer {
    account: Account,
    caller: Caller,
}

/// One payment after the other for the time, each of a company of its own; the number of them.
async fn pay_for(
    time: Duration,
    payers: &[Arc<Payer>],
    sandbox: &Sandbox,
    plan: &str,
) -> Outcome<usize> {
    let (begun, mut running) = (Instant::now(), JoinSet::new());
    let mut pace = interval(Duration::from_millis(250));
    let mut n = 0;
    while begun.elapsed() < time {
        pace.tick().await;
        let payer = payers.get(n % payers.len().max(1)).ok_or("nobody pays")?.clone();
        let (sandbox, plan) = (sandbox.clone(), plan.to_owned());
        n += 1;
        running.spawn(async move {
            let company = create_company(&payer.account, n).await?;
            let bought = (company.as_str(), plan.as_str());
            let intent = payments::begin(&payer.caller, bought, &company, PAID).await?;
            sandbox.settle(&intent).await
        });
    }
    running.join_all().await.into_iter().collect::<Outcome<Vec<()>>>()?;
    Ok(n)
}

/// A company to pay for. One whose answer was lost stays behind without a payment.
async fn create_company(payer: &Account, n: usize) -> Outcome<String> {
    let begun = Instant::now();
    loop {
        match payer.create_company(1_000 + n).await {
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
    let rows = cluster.database.sql.query("SELECT channel, seq FROM channel_heads", &[]).await?;
    let heads: HashMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let sockets = readers.sockets;
    let (found, held) = readers.finish().await?;
    let (mut behind, known) = (0, held.len());
    for ((socket, _), seq) in held {
        let place = usize::try_from(socket)? % people.accounts().len().max(1);
        let company = people.accounts().get(place).map(|account| account.company.clone());
        let head = heads.get(&format!("company/{}", company.unwrap_or_default()));
        behind += usize::from(head != Some(&seq));
    }
    let figure = format!("sockets behind their channel {behind} of {known}");
    findings.bound(behind == 0 && known == sockets, &figure, "0");
    findings.bound(found.gaps == 0, &format!("gaps {}", found.gaps), "0");
    findings.bound(found.duplicates == 0, &format!("repeated events {}", found.duplicates), "0");
    Ok(())
}

/// Every payment has one charge at the provider and one row here, and the invariants hold.
async fn books(findings: &mut Findings, cluster: &Cluster, paid: usize) -> Outcome<()> {
    let wanted = i64::try_from(paid)?;
    let known = "SELECT count(*) FROM payments WHERE state = 'succeeded'";
    let all = async || cluster.ask::<i64>(known).await.is_ok_and(|count| count >= wanted);
    drop(process::until("every payment", SETTLED, all).await);
    let (charges, rows) =
        (cluster.sandbox.charges().await?, payments::stored(&cluster.database.sql).await?);
    let wrong = ledger::check_charges(&charges, &rows);
    wrong.iter().take(5).for_each(|finding| findings.note(&finding.to_string()));
    let taken = charges.iter().filter(|charge| charge.is_paid).count();
    let here = rows.iter().filter(|row| row.is_paid).count();
    let text = format!("charged at the provider {taken}, paid here {here}, wrong {}", wrong.len());
    let is_even = wrong.is_empty() && taken == paid && here == paid && paid >= FEW;
    findings.bound(is_even, &text, &format!("{paid} each, 0 wrong"));
    let broken = payments::check(&cluster.database.sql, SETTLED).await?;
    findings.bound(broken == "[]", &format!("broken payment invariants: {broken}"), "[]");
    Ok(())
}
