//! A load of commands whose outcome can be proven: every worker founds companies with names of their own, at a steady
//! rate whatever becomes of the ones before, never the same twice. Called by the tests of failover.
//!
//! The list of a person's companies is the history: its order is that of the events that announced them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bipe_swarm::Outcome;
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use crate::caller::Caller;
use crate::ledger::{Append, Ended};
use crate::replicated::TIMEOUT;

/// From one command of a worker to the next.
const EVERY: Duration = Duration::from_millis(100);
const MOMENT: Duration = Duration::from_millis(5);
/// Below so many commands a stretch of a run has shown nothing.
pub const FEW: usize = 20;

/// One command at one node.
#[derive(Clone, Debug)]
pub struct Done {
    pub node: usize,
    pub append: Append,
}

struct Shared {
    begun: Instant,
    is_over: AtomicBool,
    history: Mutex<Vec<Done>>,
}

pub struct Appends {
    shared: Arc<Shared>,
    workers: JoinSet<()>,
}

impl Appends {
    /// `workers` at each node, as one person; their list has this name.
    pub fn start(caller: &Arc<Caller>, nodes: usize, workers: usize, list: &str) -> Self {
        let shared = Arc::new(Shared {
            begun: Instant::now(),
            is_over: AtomicBool::new(false),
            history: Mutex::default(),
        });
        let mut running = JoinSet::new();
        for worker in 0..nodes * workers {
            let (caller, shared, list) = (caller.clone(), shared.clone(), list.to_owned());
            running.spawn(shared.work(caller, worker, worker % nodes, list));
        }
        Self { shared, workers: running }
    }

    /// Microseconds since the start.
    pub fn now(&self) -> u64 {
        self.shared.now()
    }

    /// How many were acknowledged.
    pub fn done(&self) -> usize {
        self.shared
            .history(|history| history.iter().filter(|done| ended_at(done).is_some()).count())
    }

    /// For each node, when its first command after the moment was acknowledged; waits for all of them.
    pub async fn first_after(&self, moment: u64, nodes: usize) -> Outcome<Vec<u64>> {
        let late = Instant::now() + TIMEOUT;
        loop {
            let firsts: Vec<u64> = self.shared.history(|history| {
                let first = |node| {
                    let of_node = history.iter().filter(|done| done.node == node);
                    of_node.filter_map(ended_at).filter(|at| *at > moment).min()
                };
                (0..nodes).filter_map(first).collect()
            });
            if firsts.len() == nodes {
                return Ok(firsts);
            }
            if Instant::now() > late {
                return Err(format!("no writes at each node within {TIMEOUT:?}").into());
            }
            sleep(MOMENT).await;
        }
    }

    /// Lets the running commands end; the whole history.
    pub async fn stop(mut self) -> Vec<Append> {
        self.shared.is_over.store(true, Ordering::Relaxed);
        while self.workers.join_next().await.is_some() {}
        self.shared.history(|history| history.iter().map(|done| done.append.clone()).collect())
    }
}

fn ended_at(done: &Done) -> Option<u64> {
    match done.append.ended {
        Ended::Ok(at) => Some(at),
        Ended::Failed | Ended::Unknown => None,
    }
}

impl Shared {
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn history<T>(&self, read: impl FnOnce(&mut Vec<Done>) -> T) -> T {
        read(&mut self.history.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn work(self: Arc<Self>, caller: Arc<Caller>, worker: usize, node: usize, list: String) {
        let (mut running, mut count) = (JoinSet::new(), 0_u32);
        while !self.is_over.load(Ordering::Relaxed) {
            count += 1;
            let value = format!("{list} {worker} {count}");
            running.spawn(self.clone().append(caller.clone(), node, list.clone(), value));
            while running.try_join_next().is_some() {}
            sleep(EVERY).await;
        }
        while running.join_next().await.is_some() {}
    }

    async fn append(
        self: Arc<Self>,
        caller: Arc<Caller>,
        node: usize,
        list: String,
        value: String,
    ) {
        let (body, invoked) = (json!({"companyName": value}), self.now());
        let answer = caller.call_at(node, (Method::POST, "/api/companies"), Some(&body), "").await;
        let append = Append { list, value, invoked, ended: answer.ended(self.now()) };
        self.history(|history| history.push(Done { node, append }));
    }
}

/// The list as it is stored, oldest first.
pub async fn stored(database: &Client, list: &str) -> Outcome<BTreeMap<String, Vec<String>>> {
    let rows = database.query(STORED, &[&format!("{list} %")]).await?;
    let names: Result<Vec<String>, _> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(BTreeMap::from([(list.to_owned(), names?)]))
}

/// Events are numbered in the order of their commits. A company without its event would be lost.
const STORED: &str = "SELECT c.name FROM companies c JOIN events e ON e.key = c.id::text \
     AND e.channel LIKE 'user/%' AND e.name = 'membership.changed' WHERE c.name LIKE $1 ORDER BY e.channel, e.seq";
