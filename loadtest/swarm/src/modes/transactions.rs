//! What the event in a transaction costs: the SQL of a rename, taken from PostgreSQL's own log, once whole and
//! once without the statement that appends the event.

use serde_json::{Value, json};

use crate::Outcome;
use crate::account::Account;
use crate::payments::database::Database;
use crate::payments::replay;
use crate::payments::script::Script;
use crate::server::Server;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Transactions of each kind and turn
    #[arg(long, default_value_t = 3_000)]
    pub transactions: usize,
    /// Companies that they are spread over
    #[arg(long, default_value_t = 100)]
    pub companies: usize,
    /// At once
    #[arg(long, default_value_t = 8)]
    pub at_once: usize,
}

const TURNS: usize = 3;

pub async fn measure(settings: &Settings, server: &Server, account: &Account) -> Outcome<Value> {
    let database = &Database::of(server).await?;
    let mut companies = Vec::new();
    for n in 0..settings.companies {
        companies.push(account.create_company(n).await?);
    }
    database.show_values().await?;
    let from = database.start_log().await?;
    account.rename(1, &json!({"companyName": "Empresa com outro nome"})).await?;
    let log = database.stop_log(from).await?;
    let whole = Script::of(&log, &account.company).of_one_change("UPDATE companies")?;
    let without = whole.without_events();
    if without.statement_count() >= whole.statement_count() {
        return Err("the recorded transaction holds no event".into());
    }
    let rows: Vec<String> = companies.into_iter().cycle().take(settings.transactions).collect();
    let (mut with_event, mut alone) = (0.0, 0.0);
    for _ in 0..TURNS {
        with_event += replay::run(&whole, database, server, &rows, settings.at_once).await?;
        alone += replay::run(&without, database, server, &rows, settings.at_once).await?;
    }
    let turns = super::number(u64::try_from(TURNS)?);
    Ok(json!({
        "withEventPerSecond": with_event / turns,
        "withoutPerSecond": alone / turns,
        "ratio": with_event / alone,
        "statements": whole.statement_count(),
    }))
}
