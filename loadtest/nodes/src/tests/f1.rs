//! The primary dies while payments are in flight, and the standby lacks the last commits: no page goes on showing a
//! lost payment, none misses a new one, and no money is taken twice.

use std::sync::Arc;

use bipe_swarm::Outcome;
use bipe_swarm::account::Account;
use bipe_swarm::payments::{PROCESS, pix, plans};
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::json;
use tokio::time::Instant;

use crate::caller::Caller;
use crate::findings::Findings;
use crate::ledger;
use crate::payments;
use crate::postgres::Stop;
use crate::replicated::{REQUEST, Replicated, TIMEOUT, WRITES};
use crate::screen::Screen;
use crate::setting::Setting;

const PEOPLE: usize = 4;
const AT_ONCE: usize = 8;

/// What a company buys, by one key.
struct Purchase {
    caller: Arc<Caller>,
    company: String,
    key: String,
    plan: String,
}

impl Purchase {
    async fn begin(&self) -> Outcome<String> {
        payments::begin(&self.caller, (&self.company, &self.plan), &self.key, TIMEOUT).await
    }

    /// Once; whoever does not hear the answer asks again later.
    async fn try_begin(&self) -> bool {
        let body = pix(&self.company, &self.plan);
        self.caller.call((Method::POST, PROCESS), Some(&body), &self.key).await.is_done()
    }
}

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut cluster = Replicated::start(setting).await?;
    let count = setting.pick(20, 200);
    let people = cluster.people(PEOPLE).await?;
    let (purchases, screens) = open(&cluster, &people, count).await?;
    let history = cluster.history().await?;
    let [early, late] = [0, 1].map(|half| {
        let of_half = purchases.iter().enumerate().filter(move |(at, _)| at % 2 == half);
        of_half.map(|(_, purchase)| purchase).collect::<Vec<&Purchase>>()
    });
    // The standby knows of the first half.
    let begun = begin(&early).await?;
    cluster.database.primary.until_caught_up().await?;
    cluster.database.standby.stop(Stop::Immediate).await?;
    // Every second one of them is paid, and the others begin: all of this is lost.
    let paid = begun.iter().step_by(2);
    for intent in paid.clone() {
        cluster.sandbox.settle(intent).await?;
    }
    let wanted = i64::try_from(paid.len())?;
    cluster.until_counted(PAID, wanted, "payments").await?;
    let lost = in_flight(&late, &mut cluster).await?;
    cluster.database.standby.start().await?;
    cluster.database.promote().await?;
    let promoted = Instant::now();
    let probe = people.first().ok_or("nobody")?;
    let back = writes_again(&cluster, probe).await?;
    let writes = promoted.elapsed();
    findings.note(&format!(
        "{count} payments in flight, {} answered and lost, writes again at every node: {back}",
        lost
    ));
    findings.time(
        writes <= WRITES,
        &format!("writes again after {} ms", writes.as_millis()),
        "5 s",
    );
    // The payers: whoever was not answered, or sees nothing any more, asks again by the same key, and pays.
    let again = begin(&late).await?;
    for intent in begun.iter().skip(1).step_by(2).chain(&again) {
        cluster.sandbox.settle(intent).await?;
    }
    cluster.until_counted(RUNNING, i64::try_from(count)?, "subscriptions").await?;
    judge(&cluster, findings, &purchases, screens, &history).await
}

const PAID: &str = "SELECT count(*) FROM payments WHERE state = 'succeeded'";
const RUNNING: &str =
    "SELECT count(DISTINCT company_id) FROM payments WHERE effects_at IS NOT NULL";

/// Companies, and pages that show them at every node.
async fn open(
    cluster: &Replicated,
    people: &[Account],
    count: usize,
) -> Outcome<(Vec<Purchase>, Vec<(Arc<Caller>, Screen)>)> {
    let (mut purchases, mut screens) = (Vec::new(), Vec::new());
    for (number, person) in people.iter().enumerate() {
        let caller = Arc::new(cluster.caller(person)?);
        let [plan, _] = plans(&cluster.proxy.url()).await?;
        let founding = (0..count / PEOPLE).map(|n| person.create_company(n));
        let companies: Vec<Outcome<String>> =
            futures_util::stream::iter(founding).buffered(AT_ONCE).collect().await;
        let companies = companies.into_iter().collect::<Outcome<Vec<String>>>()?;
        for url in cluster.urls() {
            screens.push((caller.clone(), Screen::open(&url, person, &companies).await?));
        }
        purchases.extend(companies.into_iter().enumerate().map(|(n, company)| Purchase {
            caller: caller.clone(),
            company,
            key: format!("purchase-{number}-{n}"),
            plan: plan.clone(),
        }));
    }
    Ok((purchases, screens))
}

async fn begin(purchases: &[&Purchase]) -> Outcome<Vec<String>> {
    let begun = purchases.iter().map(|purchase| purchase.begin());
    let begun: Vec<Outcome<String>> =
        futures_util::stream::iter(begun).buffered(AT_ONCE).collect().await;
    begun.into_iter().collect()
}

/// Begins the payments and kills the primary when half of them are answered; how many were.
async fn in_flight(purchases: &[&Purchase], cluster: &mut Replicated) -> Outcome<usize> {
    let (mut answered, mut is_dead) = (0, false);
    let begun = purchases.iter().map(|purchase| purchase.try_begin());
    let mut begun = futures_util::stream::iter(begun).buffer_unordered(AT_ONCE);
    while let Some(is_answered) = begun.next().await {
        answered += usize::from(is_answered);
        if !is_dead && answered * 2 >= purchases.len() {
            cluster.database.primary.kill()?;
            is_dead = true;
        }
    }
    if is_dead { Ok(answered) } else { Err("too few payments were answered".into()) }
}

/// Until every node takes a command; how many do.
async fn writes_again(cluster: &Replicated, person: &Account) -> Outcome<usize> {
    for url in cluster.urls() {
        let caller = Caller::new(vec![url], person.token())?;
        let name = json!({"companyName": "Escreve de novo"});
        let path = "/api/companies";
        caller.until_answered((Method::POST, path), Some(&name), "", TIMEOUT).await?;
    }
    Ok(cluster.nodes.len())
}

async fn judge(
    cluster: &Replicated,
    findings: &mut Findings,
    purchases: &[Purchase],
    screens: Vec<(Arc<Caller>, Screen)>,
    history: &str,
) -> Outcome<()> {
    let (mut differences, mut ended, mut resets, mut gaps) = (Vec::new(), 0, 0, 0);
    for (caller, screen) in &screens {
        differences.extend(screen.differences(caller).await?);
        ended += screen.ended();
        resets += screen.resets();
        gaps += screen.gaps();
    }
    let pages = screens.len() * purchases.len() / PEOPLE;
    differences.iter().take(5).for_each(|difference| findings.note(difference));
    let figure = format!("pages that differ from REST: {} of {pages}", differences.len());
    findings.bound(differences.is_empty(), &figure, "0");
    findings.bound(ended == 0, &format!("live sockets that ended: {ended}"), "0");
    findings.bound(gaps == 0, &format!("events that did not follow the last one: {gaps}"), "0");
    let wanted = u64::try_from(pages)?;
    let figure = format!("pages that were told to start anew: {resets} of {pages}");
    findings.bound(resets >= wanted, &figure, "all");
    let is_new = cluster.history().await? != history;
    findings.bound(is_new, "the history of the database, and with it the epoch", "another");
    let (charges, payments) = cluster.money().await?;
    let wrong = ledger::check_charges(&charges, &payments);
    wrong.iter().take(5).for_each(|finding| findings.note(&finding.to_string()));
    let figure =
        format!("charges that are unknown or double: {} of {}", wrong.len(), charges.len());
    findings.bound(wrong.is_empty() && charges.len() >= purchases.len(), &figure, "0");
    let broken = cluster.check_payments().await?;
    findings.bound(broken == "[]", &format!("broken payment invariants: {broken}"), "[]");
    let slowest = purchases.iter().map(|purchase| purchase.caller.slowest()).max();
    let slowest = slowest.unwrap_or_default();
    let figure = format!("longest request {} ms", slowest.as_millis());
    findings.time(slowest <= REQUEST, &figure, "15 s");
    Ok(())
}
