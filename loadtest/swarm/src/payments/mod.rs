//! `bipe-swarm payments`: how fast a preview and a PIX are answered, how many payments a second go all the way
//! to their subscription, and how many the same SQL alone would allow, all in one run on one machine.
//!
//! The path: request, quote, payment, the sandbox's code, its settlement, webhook, read, subscription. Its
//! SQL is taken from PostgreSQL's own log of one payment and replayed for other companies (`replay`).

pub mod builds;
pub mod database;
mod latency;
mod reading;
pub mod replay;
pub mod script;
pub mod traces;
pub mod turns;

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::account::{self, Account};
use crate::page::Lines;
use crate::report::percentile;
use crate::server::Server;
use crate::{Outcome, some};

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Payments from the request to the running subscription; as many are replayed
    #[arg(long, default_value_t = 1000, value_parser = some())]
    pub payments: usize,
    /// At once, of either kind
    #[arg(long, default_value_t = 16, value_parser = some())]
    pub at_once: usize,
    /// Previews and payments that are timed one after the other
    #[arg(long, default_value_t = 200, value_parser = some())]
    pub timed: usize,
}

pub const PROCESS: &str = "/api/payments/process";
const PREVIEW: Duration = Duration::from_millis(5);
const PIX: Duration = Duration::from_millis(25);
const SHARE: f64 = 0.5;
/// For the subscriptions of payments that are settled.
const RUNNING: Duration = Duration::from_secs(600);

pub async fn run(settings: &Settings, server: &Server) -> Outcome<Lines> {
    let people = account::open(&server.url, 1 + settings.at_once).await?;
    let (payer, others) = people.split_first().ok_or("no account")?;
    let payers = std::slice::from_ref(payer);
    let database = database::Database::of(server).await?;
    let [plan, _] = plans(&server.url).await?;
    let shop = Shop { payers, url: &server.url, plan };
    let crowd = Shop { payers: others, plan: shop.plan.clone(), ..shop };
    let preview = shop.previews(settings.timed).await?;
    let pix = shop.payments_one_by_one(settings.timed).await?;
    let script = shop.record(&database).await?;
    let (ours, replayed) = compare(settings, server, &crowd, &database, &script).await?;
    let [slow, fast] = [preview, pix].map(|times| percentile(&times, 500));
    let share = ours / replayed;
    let (timed, at_once) = (settings.timed, settings.at_once);
    let mut lines = Lines::new("`make bench-payments`");
    lines.say(format!("preview            p50 {:.2} ms of {timed} (goal 5 ms)", millis(slow)));
    lines.say(format!("PIX until its code p50 {:.2} ms of {timed} (goal 25 ms)", millis(fast)));
    lines.say(format!(
        "payments           {ours:.1}/s from the request to the subscription, {at_once} at once"
    ));
    lines.say(format!(
        "their SQL alone    {replayed:.1}/s, {} statements each",
        script.statement_count()
    ));
    lines.say(format!("share              {share:.2} (goal {SHARE})"));
    latency::measure(&mut lines, &crowd).await?;
    reading::measure(&mut lines, &shop, &database, timed).await?;
    lines.goal(slow <= PREVIEW, "a preview takes longer than 5 ms".into());
    lines.goal(fast <= PIX, "a PIX takes longer than 25 ms".into());
    lines.goal(share >= SHARE, "payments run below half the rate of their SQL".into());
    Ok(lines)
}

/// Ours, theirs, ours, theirs: the better of two rounds of each, so that a neighbour's moment counts for none.
async fn compare(
    settings: &Settings,
    server: &Server,
    shop: &Shop<'_>,
    database: &database::Database,
    script: &script::Script,
) -> Outcome<(f64, f64)> {
    let (mut ours, mut replayed) = (0.0_f64, 0.0_f64);
    for _ in 0..2 {
        let companies = shop.companies(settings.payments).await?;
        ours = ours.max(shop.sustained(&companies, settings.at_once, database).await?);
        let companies = shop.companies(settings.payments).await?;
        let rate = replay::run(script, database, server, &companies, settings.at_once).await?;
        replayed = replayed.max(rate);
    }
    Ok((ours, replayed))
}

/// The plan that is bought, and the one above it.
pub async fn plans(url: &str) -> Outcome<[String; 2]> {
    let answer: Value =
        reqwest::get(format!("{url}/api/subscriptions/plans")).await?.json().await?;
    let plans = answer.pointer("/data/plans").and_then(Value::as_array).ok_or("no plans")?;
    let id = |name: &str| {
        let wanted = plans.iter().find(|plan| plan.get("name") == Some(&json!(name)));
        let id = wanted.and_then(|plan| plan.get("id")).and_then(Value::as_str);
        id.map(str::to_owned).ok_or_else(|| format!("no plan {name}"))
    };
    Ok([id("profissional")?, id("negocio")?])
}

/// A PIX for a month of a plan, which nobody pays until the provider is told so.
pub fn pix(company: &str, plan: &str) -> Value {
    json!({
        "amount": 9990, "currency": "brl", "paymentMethod": {"type": "PIX"},
        "customer": {"name": "Enxame", "email": "fill_never@example.com"},
        "metadata": {"companyId": company, "planId": plan, "billingCycle": "monthly"},
    })
}

/// Who pays, where, for which plan.
pub struct Shop<'a> {
    /// They found companies and pay in turn: payments of one person wait for one another, those of many do not.
    pub payers: &'a [Account],
    pub url: &'a str,
    pub plan: String,
}

impl Shop<'_> {
    pub fn payer(&self) -> Outcome<&Account> {
        Ok(self.payers.first().ok_or("nobody pays")?)
    }

    /// The first payer founds the first one, the next payer the next one.
    pub async fn companies(&self, count: usize) -> Outcome<Vec<String>> {
        let making = self.payers.iter().cycle().take(count).enumerate();
        let making = making.map(|(n, payer)| payer.create_company(n));
        let made: Vec<Outcome<String>> =
            futures_util::stream::iter(making).buffered(8).collect().await;
        made.into_iter().collect()
    }

    async fn previews(&self, count: usize) -> Outcome<Vec<Duration>> {
        let company = self.companies(1).await?.into_iter().next().ok_or("no company")?;
        let path = format!("/api/subscriptions/company/{company}/preview-change");
        let body = json!({"planId": self.plan, "billingCycle": "monthly"});
        let mut times = Vec::new();
        for _ in 0..count {
            let begun = Instant::now();
            self.payer()?.post(&path, &body).await?;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        Ok(times)
    }

    async fn payments_one_by_one(&self, count: usize) -> Outcome<Vec<Duration>> {
        let mut times = Vec::new();
        for company in self.companies(count).await? {
            let begun = Instant::now();
            self.begin(self.payer()?, &company).await?;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        Ok(times)
    }

    /// The provider's intent.
    async fn begin(&self, payer: &Account, company: &str) -> Outcome<String> {
        let data = payer.post(PROCESS, &pix(company, &self.plan)).await?;
        let intent = data.pointer("/payment/transactionId").and_then(Value::as_str);
        Ok(intent.ok_or_else(|| format!("no intent in {data}"))?.to_owned())
    }

    async fn pay(&self, payer: &Account, company: &str) -> Outcome<()> {
        let intent = self.begin(payer, company).await?;
        self.settle(&intent).await
    }

    /// What the payer's bank does.
    async fn settle(&self, intent: &str) -> Outcome<()> {
        let url = format!("{}/sandbox/v1/test/payment_intents/{intent}/settle", self.url);
        let settle = self.payer()?.client().post(url).bearer_auth("sk_test_sandbox");
        let settled = settle.form(&[("outcome", "succeeded")]).send().await?;
        if settled.status().is_success() { Ok(()) } else { Err(settled.text().await?.into()) }
    }

    /// Payments a second that end in a running subscription of what `companies` founded.
    pub async fn sustained(
        &self,
        companies: &[String],
        at_once: usize,
        database: &database::Database,
    ) -> Outcome<f64> {
        let before = database.running().await?;
        let begun = Instant::now();
        let paying = self.payers.iter().cycle().zip(companies);
        let paying = paying.map(|(payer, company)| self.pay(payer, company));
        let paid: Vec<Outcome<()>> =
            futures_util::stream::iter(paying).buffer_unordered(at_once).collect().await;
        for outcome in paid {
            outcome?;
        }
        until_running(database, before + i64::try_from(companies.len())?).await?;
        rate(companies.len(), begun.elapsed())
    }

    /// The statements of one payment, as PostgreSQL logged them.
    pub async fn record(&self, database: &database::Database) -> Outcome<script::Script> {
        let company = self.companies(1).await?.into_iter().next().ok_or("no company")?;
        database.show_values().await?;
        let before = database.running().await?;
        let from = database.start_log().await?;
        self.pay(self.payer()?, &company).await?;
        until_running(database, before + 1).await?;
        // The jobs of the payment are filed, and the log is written.
        tokio::time::sleep(Duration::from_secs(2)).await;
        let log = database.stop_log(from).await?;
        script::Script::of_payment(&log, &company)
    }
}

/// Until so many subscriptions run.
async fn until_running(database: &database::Database, wanted: i64) -> Outcome<()> {
    let late = Instant::now() + RUNNING;
    while database.running().await? < wanted {
        if Instant::now() > late {
            return Err("payments were settled and their subscriptions do not run".into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// So many a second.
pub fn rate(count: usize, time: Duration) -> Outcome<f64> {
    Ok(f64::from(u32::try_from(count)?) / time.as_secs_f64())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
