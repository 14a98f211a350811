//! Sends commands as people do, and holds thousands of sockets that receive the events. Most tests use it.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bipe_swarm::account::Account;
use bipe_swarm::crowd::{self, Reads};
use bipe_swarm::herd::log::{self, Findings, Held};
use bipe_swarm::herd::speech::Speech;
use bipe_swarm::herd::{Herd, Place};
use bipe_swarm::{Outcome, account};
use serde_json::json;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep};

use crate::appends::FEW;
use crate::findings::Findings as Judge;
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

    /// Those from a place on, by themselves, with other numbers for their events.
    pub fn split_off(&mut self, at: usize) -> Self {
        let accounts = self.accounts.split_off(at);
        Self { accounts, published: AtomicU64::new(1 << 15) }
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
    pub async fn finish(self) -> Outcome<(Findings, Held)> {
        self.herd.stop().await?;
        log::read(&self.log)
    }
}

/// A command that was answered well, and its event.
#[derive(Clone, Copy, Debug)]
pub struct Committed {
    /// The event's number.
    n: u64,
    /// The place of its company.
    place: usize,
    answered: Instant,
}

/// What came of commands.
#[derive(Debug, Default)]
pub struct Driven {
    /// Those that were answered well.
    pub committed: Vec<Committed>,
    pub retried: usize,
    /// Also after one more try.
    pub failed: usize,
    /// The longest until the answer, tries included.
    pub slowest: Duration,
    /// What the last failed one answered.
    pub error: Option<String>,
}

/// Sends commands at a steady rate, to each company and each URL in turn, until `meanwhile` ends. Their events are
/// timed from the instants at which they were due, however late this process gets round to them.
pub async fn drive<T>(
    people: &People,
    (urls, readers): (&[String], &[&Readers]),
    per_second: u32,
    meanwhile: impl Future<Output = T>,
) -> Outcome<(Driven, T)> {
    let driven = Arc::new(Mutex::new(Driven::default()));
    let (mut commands, mut meanwhile) = (JoinSet::new(), pin!(meanwhile));
    let mut pace = interval(Duration::from_secs(1) / per_second);
    let mut turn = 0_usize;
    let done = loop {
        let due = tokio::select! {
            done = &mut meanwhile => break done,
            due = pace.tick() => due,
        };
        let place = turn % people.accounts.len().max(1);
        let node = turn / people.accounts.len().max(1) % urls.len().max(1);
        turn += 1;
        let account = people.accounts.get(place).zip(urls.get(node));
        let account = account.map(|(account, url)| account.at(url)).ok_or("nobody to command")?;
        let n = people.published.fetch_add(1, Ordering::Relaxed) + 1;
        for readers in readers {
            readers.herd.shared.schedule(n, due);
        }
        let driven = driven.clone();
        commands.spawn(async move { command(&account, (n, place), &driven).await });
    };
    commands.join_all().await;
    let driven = Arc::into_inner(driven).ok_or("a command still runs")?;
    Ok((driven.into_inner(), done))
}

/// Commands of so many people at once, each the next one after its answer; answers how many were answered well.
pub async fn as_fast_as_possible(
    people: &People,
    urls: &[String],
    at_once: usize,
    time: Duration,
) -> Outcome<u64> {
    let begun = Instant::now();
    let one = |at: usize| async move {
        let account = people.accounts.get(at % people.accounts.len().max(1));
        let place = account.zip(urls.get(at % urls.len().max(1))).ok_or("nobody to command")?;
        let (account, mut count) = (place.0.at(place.1), 0);
        while begun.elapsed() < time {
            let n = people.published.fetch_add(1, Ordering::Relaxed) + 1;
            account.rename(n, &json!({"companyName": format!("Ponto {n}")})).await?;
            count += 1;
        }
        Ok(count)
    };
    let counts = futures_util::future::join_all((0..at_once).map(one)).await;
    counts.into_iter().sum()
}

/// As [`drive`], and then waits until every event has come or is given up. Answers the time of each arrival, by
/// readers, and how many events never came.
pub async fn measure<T>(
    people: &People,
    (urls, readers): (&[String], &[&Readers]),
    per_second: u32,
    meanwhile: impl Future<Output = T>,
) -> Outcome<Measured<T>> {
    let begun = Instant::now();
    readers.iter().for_each(|readers| readers.herd.measure(begun));
    let (driven, done) = drive(people, (urls, readers), per_second, meanwhile).await?;
    let missing = missing(people, readers, &driven).await;
    let times = readers.iter().map(|readers| readers.herd.measured()).collect();
    Ok(Measured { driven, missing, times, done })
}

/// Of one stretch of load.
pub struct Measured<T> {
    pub driven: Driven,
    /// Events that never came, counted at each socket.
    pub missing: usize,
    /// Of each of the readers, sorted, in microseconds from the instant at which the command was due.
    pub times: Vec<Vec<u32>>,
    pub done: T,
}

impl<T> Measured<T> {
    /// Every event came, and there were commands and readers at all.
    pub fn judge(&self, findings: &mut Judge) {
        let figure = format!("events that never came {}", self.missing);
        findings.bound(self.missing == 0 && self.is_enough(), &figure, "0");
    }

    /// A stretch with less has shown nothing.
    pub fn is_enough(&self) -> bool {
        self.driven.committed.len() >= FEW && self.times.iter().all(|times| !times.is_empty())
    }

    /// How long after its command's answer each event reached the last of these readers' sockets, sorted, in
    /// microseconds. An event that came before the answer counts as zero.
    pub fn after_the_answer(&self, readers: &[&Readers]) -> Vec<u32> {
        let committed = self.driven.committed.iter();
        let mut times: Vec<u32> = committed
            .map(|Committed { n, answered, .. }| {
                let late = readers.iter().map(|readers| {
                    readers.herd.shared.last_arrival_after(*n, *answered).as_micros()
                });
                u32::try_from(late.max().unwrap_or_default()).unwrap_or(u32::MAX)
            })
            .collect();
        times.sort_unstable();
        times
    }

    /// Of those readers together, sorted.
    pub fn times_of(&self, readers: std::ops::Range<usize>) -> Vec<u32> {
        let mut times = self.times.get(readers).unwrap_or_default().concat();
        times.sort_unstable();
        times
    }
}

/// One command, sent again once.
async fn command(account: &Account, (n, place): (u64, usize), driven: &Mutex<Driven>) {
    // Nobody's name yet: a command that changes nothing has no event.
    let name = json!({"companyName": format!("Ponto {n}")});
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
        Ok(()) => driven.committed.push(Committed { n, place, answered: Instant::now() }),
        Err(error) => {
            driven.failed += 1;
            driven.error = Some(error);
        }
    }
}

/// Waits until every committed event is at every socket that reads it; answers how many never came.
async fn missing(people: &People, readers: &[&Readers], driven: &Driven) -> usize {
    let companies = people.accounts.len().max(1);
    let count = || {
        let mut missing = 0;
        for readers in readers {
            for Committed { n, place, .. } in driven.committed.iter().copied() {
                let extra = usize::from(readers.sockets % companies > place);
                let wanted = readers.sockets / companies + extra;
                missing += wanted.saturating_sub(readers.herd.shared.arrivals(n));
            }
        }
        missing
    };
    drop(process::until("every event", ARRIVAL, async || count() == 0).await);
    count()
}

/// Closes all readers and says what their logs show: nothing may be missing, come twice or start anew.
pub async fn judge(findings: &mut Judge, readers: Vec<Readers>) -> Outcome<()> {
    let (mut gaps, mut repeats, mut resets) = (0, 0, 0);
    let (mut events, mut snapshots) = (0, 0);
    for readers in readers {
        let (found, _) = readers.finish().await?;
        (gaps, repeats) = (gaps + found.gaps, repeats + found.duplicates);
        resets += found.resets;
        (events, snapshots) = (events + found.events, snapshots + found.snapshots);
    }
    let figure = format!("gaps {gaps} in {events} events and {snapshots} snapshots");
    findings.bound(gaps == 0 && events > 0, &figure, "0");
    findings.bound(repeats == 0, &format!("repeated events {repeats}"), "0");
    findings.bound(resets == 0, &format!("channels that started anew {resets}"), "0");
    Ok(())
}
