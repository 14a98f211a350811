//! People who change things, and thousands of sockets that read of it; used by most tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bipe_swarm::account::Account;
use bipe_swarm::crowd::{self, Reads};
use bipe_swarm::herd::log::{self, Findings};
use bipe_swarm::herd::speech::Speech;
use bipe_swarm::herd::{Herd, Place};
use bipe_swarm::{Outcome, account};
use serde_json::json;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::process;

/// Until an event that was committed has come everywhere, whatever happened to the bus.
const ARRIVAL: Duration = Duration::from_secs(20);
/// Before a failed command is sent once more.
const RETRY: Duration = Duration::from_millis(300);
/// Of one command, tries and pause together.
const COMMAND: Duration = Duration::from_secs(20);

/// Companies and those who change them.
pub struct People {
    accounts: Vec<Account>,
    published: AtomicU64,
}

impl People {
    pub async fn register(url: &str, count: usize) -> Outcome<Self> {
        let accounts = account::open(url, count).await?;
        Ok(Self { accounts, published: AtomicU64::default() })
    }

    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }
}

/// Sockets at one address, evenly of all companies.
pub struct Readers {
    pub herd: Herd,
    log: PathBuf,
    pub sockets: usize,
}

impl Readers {
    /// Answers when all are live. Whoever is lost comes back by itself.
    pub async fn open(
        people: &People,
        address: std::net::SocketAddr,
        sockets: usize,
        log: &Path,
    ) -> Outcome<Self> {
        let herd = Herd::start(Place {
            address,
            path: "/api/live",
            speech: Speech::Bipe,
            log: Some(log.to_owned()),
            comes_back: true,
        })?;
        // Tickets are asked for where the sockets go.
        let url = format!("http://{address}");
        let accounts: Vec<Account> =
            people.accounts.iter().map(|account| account.at(&url)).collect();
        let crowd = crowd::of(&accounts, sockets, Reads::Company).await?;
        crowd::enter(&herd, crowd).await?;
        Ok(Self { herd, log: log.to_owned(), sockets })
    }

    pub fn live(&self) -> usize {
        self.herd.shared.live.load(Ordering::Relaxed)
    }

    /// Closes the sockets; what the log of everything that they were told shows.
    pub async fn finish(self) -> Outcome<Findings> {
        self.herd.stop().await?;
        log::check(&self.log)
    }
}

/// What came of commands.
#[derive(Debug, Default)]
pub struct Driven {
    /// Numbers of those that were answered well, each with the place of its company.
    pub committed: Vec<(u64, usize)>,
    pub retried: usize,
    /// Also after one more try.
    pub failed: usize,
    /// The longest until the answer, tries included.
    pub slowest: Duration,
    /// What the last failed one answered.
    pub error: Option<String>,
}

/// A steady rate of commands, in turn of all companies and at all `urls`, for the time.
pub async fn drive(
    people: &People,
    (urls, readers): (&[String], &[&Readers]),
    per_second: u64,
    time: Duration,
) -> Outcome<Driven> {
    let (driven, running) = (Arc::new(Mutex::new(Driven::default())), AtomicUsize::default());
    let (begun, mut commands) = (Instant::now(), JoinSet::new());
    let total = u64::try_from(time.as_millis())? * per_second / 1_000;
    for turn in 0..total {
        sleep_until(begun + Duration::from_micros(1_000_000 * turn / per_second)).await;
        let place = usize::try_from(turn)? % people.accounts.len().max(1);
        let node = usize::try_from(turn)? / people.accounts.len().max(1) % urls.len().max(1);
        let account = people.accounts.get(place).zip(urls.get(node));
        let account = account.map(|(account, url)| account.at(url)).ok_or("nobody to command")?;
        let n = people.published.fetch_add(1, Ordering::Relaxed) + 1;
        for readers in readers {
            readers.herd.shared.schedule(n, Instant::now());
        }
        running.fetch_add(1, Ordering::Relaxed);
        let driven = driven.clone();
        commands.spawn(async move { command(&account, (n, place), &driven).await });
    }
    commands.join_all().await;
    let driven = Arc::into_inner(driven).ok_or("a command still runs")?;
    Ok(driven.into_inner())
}

/// One command, sent again once.
async fn command(account: &Account, (n, place): (u64, usize), driven: &Mutex<Driven>) {
    let name = json!({"companyName": format!("Empresa {n}")});
    let (begun, mut tries) = (Instant::now(), 0);
    let answer = loop {
        let answer = tokio::time::timeout(COMMAND, account.rename(n, &name)).await;
        let answer = match answer {
            Ok(answer) => answer.map_err(|error| error.to_string()),
            Err(_late) => Err("no answer in time".to_owned()),
        };
        tries += 1;
        if answer.is_ok() || tries == 2 {
            break answer;
        }
        sleep(RETRY).await;
    };
    let mut driven = driven.lock().await;
    driven.retried += tries - 1;
    driven.slowest = driven.slowest.max(begun.elapsed());
    match answer {
        Ok(()) => driven.committed.push((n, place)),
        Err(error) => {
            driven.failed += 1;
            driven.error = Some(error);
        }
    }
}

/// Waits until every committed event is at every socket that reads it; answers how many never came.
pub async fn missing(people: &People, readers: &[&Readers], driven: &Driven) -> usize {
    let companies = people.accounts.len().max(1);
    let count = || {
        let mut missing = 0;
        for readers in readers {
            for (n, place) in &driven.committed {
                let extra = usize::from(readers.sockets % companies > *place);
                let wanted = readers.sockets / companies + extra;
                missing += wanted.saturating_sub(readers.herd.shared.arrivals(*n));
            }
        }
        missing
    };
    drop(process::until("every event", ARRIVAL, async || count() == 0).await);
    count()
}

/// Of sorted microseconds, as milliseconds.
pub fn percentile(sorted: &[u32], percent: usize) -> f64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    f64::from(sorted.get(at).copied().unwrap_or_default()) / 1_000.0
}
