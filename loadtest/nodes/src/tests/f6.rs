//! A backup is restored while nodes run and pages are open: everything since is gone, and everybody knows. People who
//! were erased since are erased again, and the provider tells which payments were made.

use std::sync::Arc;

use bipe_swarm::Outcome;
use bipe_swarm::account::{Account, PASSWORD};
use bipe_swarm::payments::plans;
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::json;

use crate::caller::Caller;
use crate::findings::Findings;
use crate::ledger;
use crate::payments;
use crate::postgres::Stop;
use crate::replicated::{Replicated, TIMEOUT};
use crate::screen::Screen;
use crate::setting::Setting;

const COMPANIES: usize = 8;
const AT_ONCE: usize = 8;
const PAID: &str = "SELECT count(*) FROM payments WHERE effects_at IS NOT NULL";

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut cluster = Replicated::start(setting).await?;
    let mut people = cluster.people(2).await?;
    let (erased, person) = people.pop().zip(people.pop()).ok_or("nobody")?;
    let caller = Arc::new(cluster.caller(&person)?);
    let founded: Vec<Outcome<String>> =
        futures_util::stream::iter((0..COMPANIES).map(|n| person.create_company(n)))
            .buffered(AT_ONCE)
            .collect()
            .await;
    let companies = founded.into_iter().collect::<Outcome<Vec<String>>>()?;
    let mut screens = Vec::new();
    for url in cluster.urls() {
        screens.push(Screen::open(&url, &person, &companies).await?);
    }
    let [plan, _] = plans(&cluster.proxy.url()).await?;
    let intents = begin(&caller, &plan, &companies).await?;
    let backup = cluster.database.primary.back_up(cluster.folder.path())?;
    let history = cluster.history().await?;

    erase(&cluster, &erased).await?;
    for intent in &intents {
        cluster.sandbox.settle(intent).await?;
    }
    cluster.until_counted(PAID, i64::try_from(COMPANIES)?, "payments").await?;
    let commits = setting.pick(100, 1_000);
    rename_often(&caller, &companies, commits).await?;

    cluster.database.standby.stop(Stop::Fast).await?;
    cluster.restore(&backup).await?;
    let name = json!({"companyName": "Depois do backup"});
    for company in &companies {
        let path = format!("/api/companies/{company}");
        caller.until_answered((Method::PUT, &path), Some(&name), "", TIMEOUT).await?;
    }
    cluster.until_counted(PAID, i64::try_from(COMPANIES)?, "payments, again").await?;
    findings.note(&format!("{commits} commits and {COMPANIES} paid payments since the backup"));
    judge(&cluster, findings, (&caller, &screens, &history)).await?;
    let gone = format!(
        "SELECT count(*) FROM users WHERE id = '{}' AND email NOT LIKE 'enxame%'",
        erased.person()
    );
    cluster.until_counted(&gone, 1, "people who were erased again").await?;
    findings.note("who was erased since the backup was erased again");
    Ok(())
}

/// A PIX of each company; the provider's intents.
async fn begin(caller: &Caller, plan: &str, companies: &[String]) -> Outcome<Vec<String>> {
    let mut intents = Vec::new();
    for (n, company) in companies.iter().enumerate() {
        let key = format!("F6-{n}");
        intents.push(payments::begin(caller, (company, plan), &key, TIMEOUT).await?);
    }
    Ok(intents)
}

async fn erase(cluster: &Replicated, person: &Account) -> Outcome<()> {
    let caller = cluster.caller(person)?;
    let password = json!({"password": PASSWORD});
    let path = "/api/auth/me";
    let erased = caller.call((Method::DELETE, path), Some(&password), "").await;
    if erased.is_done() {
        return Ok(());
    }
    Err(format!("nobody was erased: {:?} {}", erased.status, erased.body).into())
}

async fn rename_often(caller: &Caller, companies: &[String], commits: usize) -> Outcome<()> {
    let renames = companies.iter().cycle().take(commits).enumerate().map(|(n, company)| {
        let (name, path) =
            (json!({"companyName": format!("Nome {n}")}), format!("/api/companies/{company}"));
        async move { caller.until_answered((Method::PUT, &path), Some(&name), "", TIMEOUT).await }
    });
    let mut renames = futures_util::stream::iter(renames).buffer_unordered(AT_ONCE);
    while let Some(renamed) = renames.next().await {
        renamed?;
    }
    Ok(())
}

async fn judge(
    cluster: &Replicated,
    findings: &mut Findings,
    (caller, screens, history): (&Caller, &[Screen], &str),
) -> Outcome<()> {
    let (mut differences, mut resets, mut gaps) = (Vec::new(), 0, 0);
    for screen in screens {
        differences.extend(screen.differences(caller).await?);
        resets += screen.resets();
        gaps += screen.gaps();
    }
    let pages = screens.len() * COMPANIES;
    differences.iter().take(5).for_each(|difference| findings.note(difference));
    let figure = format!("pages that differ from REST: {} of {pages}", differences.len());
    findings.bound(differences.is_empty(), &figure, "0");
    findings.bound(gaps == 0, &format!("events that did not follow the last one: {gaps}"), "0");
    let figure = format!("pages that were told to start anew: {resets} of {pages}");
    findings.bound(resets >= u64::try_from(pages)?, &figure, "all");
    let is_new = cluster.history().await? != *history;
    findings.bound(is_new, "the history of the database, and with it the epoch", "another");
    let (charges, rows) = cluster.money().await?;
    let wrong = ledger::check_charges(&charges, &rows);
    let figure =
        format!("charges that are unknown or double: {} of {}", wrong.len(), charges.len());
    findings.bound(wrong.is_empty() && charges.len() >= COMPANIES, &figure, "0");
    let broken = cluster.check_payments().await?;
    findings.bound(broken == "[]", &format!("broken payment invariants: {broken}"), "[]");
    Ok(())
}
