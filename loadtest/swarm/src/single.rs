//! One mode against a Bipe of its own: for `bench`, and by itself for whoever changes the server and wants to
//! know at once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use clap::{Parser, Subcommand};
use serde_json::Value;

use crate::Outcome;
use crate::account::{self, Account};
use crate::crowd::{self, Reads};
use crate::herd::speech::Speech;
use crate::machine::{self, Cores};
use crate::modes::{
    connections, fanout, frames, idle, payment, read, slow, storm, subscribers, transactions,
};
use crate::payments::database::Database;
use crate::server::Server;
use crate::target::{Publish, Target};

#[derive(Clone, Debug, Subcommand)]
pub enum Mode {
    /// Deliveries a second of one channel, and latencies from the scheduled instant
    Fanout(fanout::Settings),
    /// Memory of sockets that wait
    Idle {
        /// People, each with a company of their own
        #[arg(long, default_value_t = 200)]
        people: usize,
        #[command(flatten)]
        settings: idle::Settings,
    },
    /// Everybody comes back at once
    Storm {
        /// People, each with a company of their own
        #[arg(long, default_value_t = 200)]
        people: usize,
        #[command(flatten)]
        settings: storm::Settings,
    },
    /// Connections that are slow on purpose, and the others
    Connections(connections::Settings),
    /// Broken frames, and the others
    Frames(frames::Settings),
    /// Readers that stop reading, and the others
    Slow(slow::Settings),
    /// Transactions with their event and without it
    Transactions(transactions::Settings),
    /// The authenticated read of a subscription
    Read(read::Settings),
    /// A payment from the request to the subscription, and its statements elsewhere
    Payment(payment::Settings),
    /// Everybody is told something every second
    Subscribers(subscribers::Settings),
}

#[derive(Parser)]
struct Words {
    #[command(subcommand)]
    mode: Mode,
}

/// More than any mode opens.
const SOCKETS: u64 = 10_100;

impl Mode {
    /// As it would be called by itself.
    pub fn of(words: &[&str]) -> Outcome<Self> {
        Ok(Words::try_parse_from([&["bipe-swarm"], words].concat())?.mode)
    }

    /// What holds on any machine: whoever was cut off comes back and is told everything once.
    fn judge(&self, found: &Value) -> Outcome<()> {
        let Self::Storm { .. } = self else { return Ok(()) };
        let count = |name: &str| found.get(name).and_then(Value::as_u64).unwrap_or_default();
        println!("figures: sockets={} events={}", count("sockets"), count("events"));
        let wrong = ["missing", "gaps", "duplicates", "resets"];
        let wrong: Vec<String> = wrong
            .into_iter()
            .filter(|name| count(name) > 0)
            .map(|name| format!("{name}: {}", count(name)))
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join(", ").into()) }
    }
}

pub fn run(mode: &Mode, bipe: &Path) -> Outcome<()> {
    let cores = prepare()?;
    crate::until_told_to_stop(async {
        let found = measure(mode, bipe, cores).await?;
        println!("{}", serde_json::to_string_pretty(&found)?);
        mode.judge(&found)
    })
}

/// Before the runtime starts its threads, so that all of them stay off the server's core.
pub fn prepare() -> Outcome<Cores> {
    let cores = Cores::first(machine::raise_descriptors(SOCKETS)?)?;
    machine::pin(None, &[cores.generator])?;
    Ok(cores)
}

/// Starts a server, measures, stops it.
pub async fn measure(mode: &Mode, bipe: &Path, cores: Cores) -> Outcome<Value> {
    let server = Server::start_pinned(bipe, cores).await?;
    match mode {
        Mode::Subscribers(_) => server.unpin(cores)?,
        Mode::Read(_) => server.leave_postgres_alone(cores)?,
        _ => {}
    }
    let outcome = ask(mode, &server, cores).await;
    machine::pin_family(std::process::id(), &[cores.generator])?;
    server.stop().await?;
    outcome
}

async fn ask(mode: &Mode, server: &Server, cores: Cores) -> Outcome<Value> {
    let people = match mode {
        Mode::Idle { people, .. } | Mode::Storm { people, .. } => *people,
        Mode::Subscribers(settings) => settings.companies,
        _ => 1,
    };
    let accounts = account::open(&server.url, people).await?;
    let targets = targets(server, &accounts)?;
    let most = |sockets: usize| sockets.min(cores.most_sockets);
    let (first, target) = accounts.first().zip(targets.first()).ok_or("no account")?;
    match mode {
        Mode::Fanout(settings) => fanout::measure(settings, target).await,
        Mode::Slow(settings) => slow::measure(settings, target).await,
        Mode::Connections(settings) => {
            connections::measure(settings, server.address()?, first).await
        }
        Mode::Frames(settings) => frames::measure(settings, server, first).await,
        Mode::Idle { settings, .. } => {
            let crowd = crowd::of(&accounts, most(settings.sockets), Reads::Everything).await?;
            idle::measure(settings, target, crowd).await
        }
        Mode::Storm { settings, .. } => {
            let crowd = crowd::of(&accounts, most(settings.sockets), Reads::Company).await?;
            let database = Database::of(server).await?;
            storm::measure(settings, &targets, crowd, Some(&database)).await
        }
        Mode::Subscribers(settings) => {
            let crowd = crowd::of(&accounts, most(settings.subscribers), Reads::Company).await?;
            subscribers::measure(settings, &targets, crowd).await
        }
        Mode::Transactions(settings) => transactions::measure(settings, server, first).await,
        Mode::Read(settings) => read::measure(settings, server, first, cores).await,
        Mode::Payment(settings) => payment::measure(settings, server, first, cores).await,
    }
}

/// Bipe, as the one who commits for each company.
fn targets(server: &Server, accounts: &[Account]) -> Outcome<Vec<Target>> {
    let (address, pid) = (server.address()?, server.pid()?);
    let published = Arc::new(AtomicU64::new(0));
    let target = |account: &Account| Target {
        address,
        path: "/api/live",
        speech: Speech::Bipe,
        publish: Publish::Commit(account.clone()),
        pid,
        published: published.clone(),
    };
    Ok(accounts.iter().map(target).collect())
}
