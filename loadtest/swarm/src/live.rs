//! Commits at a steady rate against thousands of subscriptions: what a command takes until its answer and until
//! each frame that it causes is at its socket, both from the scheduled instant, in one run; and the memory.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::account::{self, Account};
use crate::page::Lines;
use crate::report::{Report, Times};
use crate::server::Server;
use crate::{Outcome, socket, some};

#[derive(clap::Args)]
pub struct Settings {
    /// People, each with a company of their own
    #[arg(long, default_value_t = 200, value_parser = some())]
    people: usize,
    /// Sockets of each person, each reading the company, the person and the plans
    #[arg(long, default_value_t = 10, value_parser = some())]
    sockets: usize,
    /// Commits a second
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    rate: u64,
    /// Seconds of measuring, after five of warming up
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
}

const WARM_UP: Duration = Duration::from_secs(5);
const SUBSCRIPTIONS: usize = 3;

pub async fn run(flags: &Settings, server: &Server) -> Outcome<Lines> {
    let mut lines = Lines::new("`make bench-live`");
    let idle = server.memory()?;
    let accounts = account::open(&server.url, flags.people).await?;
    let times = Arc::new(Times::default());
    for account in &accounts {
        for _ in 0..flags.sockets {
            let ticket = account.ticket().await?;
            socket::open(&server.url, &ticket, &account.company, times.clone()).await?;
        }
    }
    let subscriptions = flags.people * flags.sockets * SUBSCRIPTIONS;
    let sockets = flags.people * flags.sockets;
    lines.say(format!("{subscriptions} subscriptions on {sockets} sockets"));
    let connected = server.memory()?;
    drive(flags, &accounts, &times).await;
    // What is still on its way arrives.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let report = Report {
        idle,
        connected,
        loaded: server.memory()?,
        times: &times,
        sockets: flags.sockets,
        rate: flags.rate,
    };
    report.print(&mut lines);
    Ok(lines)
}

/// Constant arrival: a late server makes no later command.
async fn drive(flags: &Settings, accounts: &[Account], times: &Arc<Times>) {
    let start = Instant::now() + Duration::from_millis(100);
    let warm = WARM_UP.as_secs() * flags.rate;
    let total = warm + flags.seconds * flags.rate;
    for n in 0..total {
        let at = start + Duration::from_micros(1_000_000 * n / flags.rate);
        tokio::time::sleep_until(at).await;
        let turn = usize::try_from(n).unwrap_or(0) % accounts.len().max(1);
        let Some(account) = accounts.get(turn) else { return };
        let (account, times) = (account.clone(), times.clone());
        let counts = n >= warm;
        if counts {
            times.schedule(n, at);
        }
        tokio::spawn(async move {
            let name = json!({"companyName": format!("Empresa {n}")});
            let answer = account.rename(n, &name).await;
            times.answered(at, counts, answer.is_ok());
            if let Err(error) = answer {
                eprintln!("command {n}: {error}");
            }
        });
    }
}
