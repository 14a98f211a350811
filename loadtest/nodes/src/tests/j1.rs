//! Renewals by the hundred thousand fall due at once on three nodes: a claim stays cheap, a person's mail is not late,
//! and everybody is charged once.

use std::time::Duration;

use bipe_core::development::load::DUE_RENEWALS;
use bipe_core::job::CLAIM;
use bipe_swarm::Outcome;
use bipe_swarm::account::{self, Account};
use futures_util::future::try_join_all;
use futures_util::{StreamExt, stream};
use serde_json::Value;
use tokio::time::{Instant, sleep};
use tokio_postgres::SimpleQueryMessage;

use crate::cluster::{Cluster, Topology};
use crate::findings::Findings;
use crate::ledger;
use crate::node::Node;
use crate::payments;
use crate::sandbox::Sandbox;
use crate::setting::Setting;

/// What a machine with two cores charges within a minute or two; those are due first and have a card.
const CARDS: u32 = 4_000;
/// A few rounds of all nodes' jobs.
const FEW_CARDS: u32 = 60;
/// For all of them to be charged.
const CHARGED: Duration = Duration::from_secs(240);
/// For a mail to come at all.
const MAIL: Duration = Duration::from_secs(60);
const KEEP: &str = "INSERT INTO provider_customers (company_id, customer_id, created_at) \
     VALUES ($1::text::uuid, $2, now())";
const SAVE: &str = "INSERT INTO payment_methods (id, company_id, brand, last4, exp_month, exp_year, is_default, \
     created_at) VALUES ($2, $1::text::uuid, 'visa', '4242', 12, 2040, true, now())";
const FIRST: &str =
    "UPDATE jobs SET run_at = run_at - interval '1 minute' WHERE kind = 'renewal' AND key = $1";

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let topology = Topology::default();
    Cluster::with(setting, topology, async |cluster| renew(setting, findings, cluster).await).await
}

async fn renew(setting: &Setting, findings: &mut Findings, cluster: &mut Cluster) -> Outcome<()> {
    let person = account::open(&cluster.proxy.url(), 1).await?.pop().ok_or("nobody")?;
    // All begin at once when the nodes are back.
    try_join_all(cluster.nodes.iter_mut().map(Node::stop)).await?;
    let cards = setting.renewals.min(setting.pick(FEW_CARDS, CARDS));
    seed(cluster, setting.renewals, cards).await?;
    findings.note(&format!("{} renewals are due, {cards} of them with a card", setting.renewals));
    try_join_all(cluster.nodes.iter_mut().map(|node| node.restart(&setting.bipe))).await?;
    let begun = Instant::now();
    let (mut mails, mut claims) = (Vec::new(), Vec::new());
    let charged = "SELECT count(*) FROM payments WHERE state = 'succeeded'";
    let mut paid = 0_i64;
    while paid < i64::from(cards) && begun.elapsed() < CHARGED {
        claims.extend(claim(cluster).await?);
        mails.push(mail(cluster, &person, mails.len() + 1).await?);
        paid = cluster.ask(charged).await?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    claims.sort_by(f64::total_cmp);
    mails.sort_unstable();
    let claim = claims.get(claims.len() / 2).copied().unwrap_or_default();
    let text = format!("one claim of 16 jobs {claim:.2} ms, median of {}", claims.len());
    findings.time(claim <= 2.0 && !claims.is_empty(), &text, "at most 2 ms");
    let [median, last] = [mails.len() / 2, mails.len().saturating_sub(1)]
        .map(|at| mails.get(at).copied().unwrap_or_default().as_millis());
    let text = format!("a person's mail {median} ms, the slowest of {} {last} ms", mails.len());
    findings.time(last <= 1_000, &text, "at most 1000 ms");
    findings.note(&format!("{paid} charged in {seconds:.0} s"));
    let (charges, rows) =
        (cluster.sandbox.charges().await?, payments::stored(&cluster.database.sql).await?);
    let wrong = ledger::check_charges(&charges, &rows);
    wrong.iter().take(5).for_each(|finding| findings.note(&finding.to_string()));
    let taken = charges.iter().filter(|charge| charge.is_paid).count();
    let text = format!("charged at the provider {taken}, twice or unknown here {}", wrong.len());
    let is_once = taken == usize::try_from(cards)? && wrong.is_empty();
    findings.bound(is_once, &text, &format!("{cards} once"));
    Ok(())
}

/// The rows, and a card for those who are due first.
async fn seed(cluster: &Cluster, renewals: u32, cards: u32) -> Outcome<()> {
    let sql = &cluster.database.sql;
    // A due time of the client's own clock, as the servers take it.
    let now: String = cluster.ask("SELECT (now() - interval '1 second')::text").await?;
    let due = DUE_RENEWALS
        .replace("$2::timestamptz", "$2")
        .replace("$2", &format!("timestamptz '{now}'"));
    sql.execute(&due, &[&i32::try_from(renewals)?]).await?;
    let first = format!("SELECT key FROM jobs WHERE kind = 'renewal' ORDER BY id LIMIT {cards}");
    let companies = sql.query(&first, &[]).await?;
    let companies: Vec<String> = companies.iter().map(|row| row.get(0)).collect();
    let saving = companies.iter().map(|company| save(&cluster.sandbox, sql, company));
    let saved: Vec<Outcome<()>> = stream::iter(saving).buffer_unordered(16).collect().await;
    saved.into_iter().collect::<Outcome<Vec<()>>>()?;
    sql.batch_execute("VACUUM ANALYZE").await?;
    Ok(())
}

async fn save(sandbox: &Sandbox, sql: &tokio_postgres::Client, company: &String) -> Outcome<()> {
    let (customer, card) = sandbox.saved_card().await?;
    sql.execute(KEEP, &[company, &customer]).await?;
    sql.execute(SAVE, &[company, &card]).await?;
    sql.execute(FIRST, &[company]).await?;
    Ok(())
}

/// What the servers' own claim takes now, in milliseconds, if it finds as many jobs as it wants; it is taken back.
async fn claim(cluster: &Cluster) -> Outcome<Option<f64>> {
    let mut sql = CLAIM.replace("$4", "'{code_mail,mail,renewal}'").replace("$5", "'{}'");
    for (params, value) in
        [(["$1", "$2", "$3"], "now()"), (["$6", "$7", "$8"], "16"), (["$9"; 3], "16")]
    {
        sql = params.iter().fold(sql, |sql, param| sql.replace(param, value));
    }
    let all = format!("BEGIN; EXPLAIN (ANALYZE, FORMAT JSON) {sql}; ROLLBACK");
    let messages = cluster.database.sql.simple_query(&all).await?;
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let plan: Value = serde_json::from_str(row.ok_or("no plan")?)?;
    let time = plan.pointer("/0/Execution Time").and_then(Value::as_f64).ok_or("no time")?;
    let found = plan.pointer("/0/Plan/Actual Rows").and_then(Value::as_f64).ok_or("no rows")?;
    Ok((found >= 16.0).then_some(time))
}

/// From the answer that person `n` registered to the mail with their code.
async fn mail(cluster: &Cluster, account: &Account, n: usize) -> Outcome<Duration> {
    let email = account.register(n).await?;
    let begun = Instant::now();
    let has_come = format!("SELECT EXISTS (SELECT FROM mailbox WHERE recipient = '{email}')");
    while !cluster.ask::<bool>(&has_come).await? {
        if begun.elapsed() > MAIL {
            return Err(format!("no mail comes to {email}").into());
        }
        sleep(Duration::from_millis(5)).await;
    }
    let time = begun.elapsed();
    sleep(Duration::from_millis(500)).await;
    Ok(time)
}
