//! The payment write: Bipe from the request to the running subscription, the same statements by tokio-postgres, with
//! and without those that append an event, and the same on fastify with pg, which is spared the provider, its webhook
//! and the way of an event to its readers.

use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::Outcome;
use crate::account::Account;
use crate::machine::Cores;
use crate::payments::database::Database;
use crate::payments::script::{self, Script};
use crate::payments::{PROCESS, Shop, plans, rate, replay};
use crate::peer;
use crate::server::Server;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Payments of each kind and turn
    #[arg(long, default_value_t = 500)]
    pub payments: usize,
    /// At once
    #[arg(long, default_value_t = 16)]
    pub at_once: usize,
}

/// With and without events in turn, for what the machine does beside.
const TURNS: usize = 2;

pub async fn measure(
    settings: &Settings,
    server: &Server,
    payer: &Account,
    cores: Cores,
) -> Outcome<Value> {
    let database = Database::of(server).await?;
    let payers = std::slice::from_ref(payer);
    let [plan, _] = plans(&server.url).await?;
    let shop = Shop { payers, url: &server.url, plan };
    let script = shop.record(&database).await?;
    let companies = shop.companies(settings.payments).await?;
    let ours = shop.sustained(&companies, settings.at_once, &database).await?;
    let silent = script.without_events();
    let (mut replayed, mut unheard) = (0.0, 0.0);
    for _ in 0..TURNS {
        let companies = shop.companies(settings.payments).await?;
        replayed += replay::run(&script, &database, server, &companies, settings.at_once).await?;
        let companies = shop.companies(settings.payments).await?;
        unheard += replay::run(&silent, &database, server, &companies, settings.at_once).await?;
    }
    let turns = super::number(u64::try_from(TURNS)?);
    let (replayed, unheard) = (replayed / turns, unheard / turns);
    let companies = shop.companies(settings.payments).await?;
    // The server stands still here, too: it shares its core with fastify, and would run the jobs of these payments.
    let frozen = server.freeze()?;
    let theirs = fastify(settings, (&script, &companies), payer, &database, cores).await?;
    database.remove_due_jobs().await?;
    drop(frozen);
    Ok(json!({
        "paymentsPerSecond": ours,
        "tokioPostgresPerSecond": replayed,
        "withoutEventsPerSecond": unheard,
        "fastifyPerSecond": theirs,
        "statements": script.statement_count(),
        "events": script.statement_count() - silent.statement_count(),
        "ofTokioPostgres": ours / replayed,
        "ofWithoutEvents": replayed / unheard,
        "ofFastify": ours / theirs,
    }))
}

async fn fastify(
    settings: &Settings,
    (script, companies): (&Script, &[String]),
    payer: &Account,
    database: &Database,
    cores: Cores,
) -> Outcome<f64> {
    let (_running, url) = peer::rest(&[], payer, database, cores)?;
    let client = reqwest::Client::new();
    let token = client.get(format!("{url}/token")).send().await?.text().await?;
    for payment in replay::of_each(script, companies) {
        let known = client.post(format!("{url}/payments")).json(&script::json(&payment));
        known.send().await?.error_for_status()?;
    }
    let begun = Instant::now();
    let paying = companies.iter().map(|_| async {
        let paying = client.post(format!("{url}{PROCESS}")).bearer_auth(&token);
        paying.send().await?.error_for_status().map(drop)
    });
    let paid = futures_util::stream::iter(paying).buffer_unordered(settings.at_once);
    for paid in paid.collect::<Vec<Result<(), reqwest::Error>>>().await {
        paid?;
    }
    rate(companies.len(), begun.elapsed())
}
