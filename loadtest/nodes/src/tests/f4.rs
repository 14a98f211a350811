//! The synchronous standby dies, and commits wait for it until PostgreSQL gives the wait up and answers them as a
//! success, with a warning. No client is told that it was one.

use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::account::Account;
use bipe_swarm::payments::{PROCESS, pix, plans};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::caller::{Answer, Caller};
use crate::findings::Findings;
use crate::ledger;
use crate::postgres::{DATABASE, Stop};
use crate::replicated::{REQUEST, Replicated, TIMEOUT};
use crate::setting::Setting;

const UNCONFIRMED: &str = "bipe_commits_unconfirmed_total";
const GIVE_UP: Duration = Duration::from_secs(3);

pub async fn run(setting: &Setting, findings: &mut Findings) -> Outcome<()> {
    let mut cluster = Replicated::start(setting).await?;
    let person = cluster.people(1).await?.pop().ok_or("nobody")?;
    let caller = cluster.caller(&person)?;
    let [plan, _] = plans(&cluster.proxy.url()).await?;
    let companies = companies(&person, setting.pick(4, 10)).await?;
    cluster.database.primary.make_synchronous().await?;
    cluster.database.standby.stop(Stop::Immediate).await?;
    let before = cluster.counted(UNCONFIRMED).await?;
    let paying = companies.iter().enumerate().map(|(n, company)| {
        let (caller, body) = (&caller, pix(company, &plan));
        async move { caller.call((Method::POST, PROCESS), Some(&body), &format!("F4-{n}")).await }
    });
    let given_up = give_up(&cluster);
    let (paid, given_up) = tokio::join!(join_all(paying), given_up);
    let given_up = given_up?;
    let figure = format!("waits for the standby that were given up: {given_up}");
    findings.bound(given_up > 0, &figure, "more than 0");
    // Nobody gives these up: the server would wait for ever.
    let renames = join_all(companies.iter().map(|company| rename(&caller, company))).await;
    let answers: Vec<&Answer> = paid.iter().chain(&renames).collect();
    let done = answers.iter().filter(|answer| answer.is_done()).count();
    let unavailable = answers.iter().filter(|answer| answer.status == Some(503)).count();
    let unconfirmed = cluster.counted(UNCONFIRMED).await? - before;
    let count = answers.len();
    findings.bound(done == 0, &format!("answered as done without the standby: {done}"), "0");
    let figure = format!("answered with 503: {unavailable} of {count}");
    findings.bound(unavailable == count, &figure, "all");
    findings.bound(unconfirmed > 0.0, &format!("{UNCONFIRMED} {unconfirmed}"), "more than 0");
    let slowest = caller.slowest();
    findings.time(
        slowest <= REQUEST,
        &format!("longest request {} ms", slowest.as_millis()),
        "15 s",
    );
    // The standby comes back, and the payers ask again by the same keys.
    cluster.database.standby.start().await?;
    for (n, company) in companies.iter().enumerate() {
        let (key, body) = (format!("F4-{n}"), pix(company, &plan));
        let again = caller.until_answered((Method::POST, PROCESS), Some(&body), &key, TIMEOUT);
        let again = again.await?;
        if !again.is_done() {
            let (status, body) = (again.status, again.body);
            return Err(format!("a repeated payment was refused: {status:?} {body}").into());
        }
    }
    let (charges, rows) = cluster.money().await?;
    let are_matched = ledger::are_matched(&charges, &rows, &companies);
    let (rows, bought) = (rows.len(), companies.len());
    let figure = format!("payments after the repeats: {rows} for {bought} companies");
    findings.bound(rows == bought, &figure, "one each");
    let figure = format!("intents at the provider: {}", charges.len());
    findings.bound(are_matched, &figure, "one each, known to its row");
    Ok(())
}

/// Cancels the waits of commits for a while, as an operator does; how many.
async fn give_up(cluster: &Replicated) -> Outcome<i64> {
    let client = cluster.database.primary.client(DATABASE).await?;
    let (mut count, late) = (0, Instant::now() + GIVE_UP);
    while Instant::now() < late {
        count += client.query_one(CANCEL, &[]).await?.try_get::<_, i64>(0)?;
        sleep(GIVE_UP / 30).await;
    }
    Ok(count)
}

const CANCEL: &str =
    "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

async fn companies(person: &Account, count: usize) -> Outcome<Vec<String>> {
    let founded = join_all((0..count).map(|n| person.create_company(n))).await;
    founded.into_iter().collect()
}

async fn rename(caller: &Caller, company: &str) -> Answer {
    let name = json!({"companyName": "Sem confirmação"});
    caller.call((Method::PUT, &format!("/api/companies/{company}")), Some(&name), "").await
}
