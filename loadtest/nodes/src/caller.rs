//! A person who calls the API as an impatient client does: each command has a key of its own and is repeated until it
//! is answered. Called by the tests of failover.
//!
//! Invariant: an answer counts as done only when its status says so. No answer, 429 and 5xx promise nothing.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use bipe_swarm::Outcome;
use reqwest::{Client, Method};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::ledger::Ended;

/// More than any request may take.
const GIVE_UP: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

pub struct Caller {
    client: Client,
    nodes: Vec<String>,
    token: RwLock<String>,
    turn: AtomicUsize,
    slowest: AtomicU64,
    unanswered: AtomicU64,
    repeated: AtomicU64,
}

/// What came back; no status without an answer.
pub struct Answer {
    pub status: Option<u16>,
    pub body: Value,
}

impl Answer {
    pub fn is_done(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// The server says that nothing was done, and will say so again.
    pub fn is_refused(&self) -> bool {
        let refused = self.status.is_some_and(|status| (400..500).contains(&status));
        refused && self.status != Some(429) && self.code() != "REQUEST_IN_PROGRESS"
    }

    pub fn code(&self) -> &str {
        self.text("/error/code")
    }

    pub fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// For the ledger, at this moment.
    pub fn ended(&self, now: u64) -> Ended {
        match (self.is_done(), self.is_refused()) {
            (true, _) => Ended::Ok(now),
            (false, true) => Ended::Failed,
            (false, false) => Ended::Unknown,
        }
    }
}

impl Caller {
    pub fn new(nodes: Vec<String>, token: &str) -> Outcome<Self> {
        let client = Client::builder().timeout(GIVE_UP).build()?;
        let (turn, slowest, unanswered, repeated) = Default::default();
        let token = RwLock::new(token.to_owned());
        Ok(Self { client, nodes, token, turn, slowest, unanswered, repeated })
    }

    /// From now on with this token: the one before is about to end.
    pub fn renew(&self, token: &str) {
        token.clone_into(&mut self.token.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Once, at the next node in turn.
    pub async fn call(
        &self,
        (method, path): (Method, &str),
        body: Option<&Value>,
        key: &str,
    ) -> Answer {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.nodes.len().max(1);
        self.call_at(turn, (method, path), body, key).await
    }

    /// Once, at that node.
    pub async fn call_at(
        &self,
        node: usize,
        (method, path): (Method, &str),
        body: Option<&Value>,
        key: &str,
    ) -> Answer {
        let url = self.nodes.get(node).map_or("", String::as_str);
        let mut request = self.client.request(method, format!("{url}{path}"));
        request = request.bearer_auth(self.token.read().unwrap_or_else(PoisonError::into_inner));
        if !key.is_empty() {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let begun = Instant::now();
        let answer = async {
            let answer = request.send().await?;
            let status = answer.status().as_u16();
            Ok::<_, reqwest::Error>(Answer {
                status: Some(status),
                body: answer.json().await.unwrap_or_default(),
            })
        };
        let answer = answer.await.unwrap_or(Answer { status: None, body: Value::Null });
        let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.slowest.fetch_max(took, Ordering::Relaxed);
        self.unanswered.fetch_add(u64::from(answer.status.is_none()), Ordering::Relaxed);
        answer
    }

    /// Again and again with the same key, until the server says that it is done or refused.
    pub async fn until_answered(
        &self,
        (method, path): (Method, &str),
        body: Option<&Value>,
        key: &str,
        patience: Duration,
    ) -> Outcome<Answer> {
        let late = Instant::now() + patience;
        loop {
            let answer = self.call((method.clone(), path), body, key).await;
            if answer.is_done() || answer.is_refused() {
                return Ok(answer);
            }
            if Instant::now() > late {
                let (status, body) = (answer.status, answer.body);
                return Err(
                    format!("{path}: no answer after {patience:?}: {status:?} {body}").into()
                );
            }
            self.repeated.fetch_add(1, Ordering::Relaxed);
            sleep(PAUSE).await;
        }
    }

    /// What a read shows; nothing for 404.
    pub async fn read(&self, path: &str, pointer: &str, patience: Duration) -> Outcome<Value> {
        let answer = self.until_answered((Method::GET, path), None, "", patience).await?;
        match answer.status {
            Some(200) => Ok(answer.body.pointer(pointer).cloned().unwrap_or_default()),
            Some(404) => Ok(Value::Null),
            status => Err(format!("{path}: {status:?} {}", answer.body).into()),
        }
    }

    /// The longest request so far.
    pub fn slowest(&self) -> Duration {
        Duration::from_millis(self.slowest.load(Ordering::Relaxed))
    }

    /// Commands that were sent once more, counted each time.
    pub fn repeated(&self) -> u64 {
        self.repeated.load(Ordering::Relaxed)
    }

    /// Requests that ended without an answer.
    pub fn unanswered(&self) -> u64 {
        self.unanswered.load(Ordering::Relaxed)
    }
}
