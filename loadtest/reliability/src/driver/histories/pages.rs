//! Open pages of several companies: each is one live socket that goes on from where it was, over every cut of its
//! connection. What it was told is kept for the judgement.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bipe_nodes::caller::Caller;
use bipe_swarm::Outcome;
use bipe_swarm::socket;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::log::Log;
use super::order::{Event, Told};

/// Between two tries to connect, and two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// Twice the pause between two pings: a server that is gone without a word.
const SILENCE: Duration = Duration::from_secs(45);

/// What one channel was told.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    pub told: Vec<Told>,
    epoch: String,
    seq: i64,
    is_live: bool,
}

/// What a page was told, by company.
#[derive(Default)]
pub struct Kept {
    /// What is shown was asked for at this moment.
    pub opened: u64,
    pub channels: BTreeMap<String, Channel>,
    pub events: u64,
    pub cuts: u64,
}

/// Closed when it is dropped.
pub struct Page {
    kept: Arc<Mutex<Kept>>,
    task: JoinHandle<()>,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Page {
    /// Follows the companies; returns when all of them are live.
    pub async fn open(
        (url, caller): (&str, &Arc<Caller>),
        companies: &[String],
        log: &Arc<Log>,
        patience: Duration,
    ) -> Outcome<Self> {
        let channels = companies.iter().map(|id| (id.clone(), Channel::default())).collect();
        let kept = Kept { opened: log.now(), channels, ..Kept::default() };
        let kept = Arc::new(Mutex::new(kept));
        let reader = Reader {
            url: url.to_owned(),
            caller: caller.clone(),
            log: log.clone(),
            kept: kept.clone(),
        };
        let page = Self { kept, task: tokio::spawn(reader.follow()) };
        let newest = companies.iter().map(|id| (id.clone(), 0)).collect();
        page.until_at(&newest, patience).await?;
        Ok(page)
    }

    /// Until every company is live and was told up to there.
    ///
    /// # Errors
    /// When that takes too long.
    pub async fn until_at(
        &self,
        newest: &BTreeMap<String, i64>,
        patience: Duration,
    ) -> Outcome<()> {
        let late = Instant::now() + patience;
        let is_there = || {
            let kept = lock(&self.kept);
            newest.iter().all(|(id, seq)| {
                kept.channels.get(id).is_some_and(|shown| shown.is_live && shown.seq >= *seq)
            })
        };
        while !is_there() {
            if Instant::now() > late {
                return Err(format!("a page is not live after {patience:?}").into());
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    /// The newest event of each company that the page was told.
    pub fn newest(&self) -> BTreeMap<String, i64> {
        let kept = lock(&self.kept);
        kept.channels.iter().map(|(id, shown)| (id.clone(), shown.seq)).collect()
    }

    /// Ends the page; what it was told.
    pub fn close(self) -> Kept {
        self.task.abort();
        std::mem::take(&mut *lock(&self.kept))
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Name, address or state that an event brings, from its data.
pub fn value_of(name: &str, data: &Value) -> String {
    let field = match name {
        "company.updated" => "companyName",
        "invite.created" => "userEmail",
        _ => "status",
    };
    data.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

struct Reader {
    url: String,
    caller: Arc<Caller>,
    log: Arc<Log>,
    kept: Arc<Mutex<Kept>>,
}

impl Reader {
    async fn follow(self) {
        loop {
            // Whoever is cut off comes back; why does not matter.
            drop(self.connection().await);
            {
                let mut kept = lock(&self.kept);
                kept.cuts += 1;
                for shown in kept.channels.values_mut() {
                    shown.is_live = false;
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// One connection, to its end.
    async fn connection(&self) -> Outcome<()> {
        let answer = self.caller.call((Method::POST, "/api/auth/live-ticket"), None, "").await;
        let wanted = self.wanted();
        let ticket = answer.text("/data/ticket");
        let mut connection = socket::resume(&self.url, ticket, &wanted).await?;
        loop {
            for envelope in timeout(SILENCE, connection.next(|_| {})).await?? {
                self.take(&envelope)?;
            }
        }
    }

    fn wanted(&self) -> Vec<Value> {
        let kept = lock(&self.kept);
        let wanted = kept.channels.iter().map(|(id, shown)| {
            let since = json!({"epoch": shown.epoch, "seq": shown.seq});
            let since = if shown.epoch.is_empty() { Value::Null } else { since };
            json!({"channel": format!("company/{id}"), "since": since})
        });
        wanted.collect()
    }

    /// # Errors
    /// When the server cannot serve a channel now: the page connects anew.
    fn take(&self, envelope: &Value) -> Outcome<()> {
        let text = |name: &str| envelope.get(name).and_then(Value::as_str).unwrap_or_default();
        let seq = envelope.get("seq").and_then(Value::as_i64).unwrap_or_default();
        if ["error", "unsubscribed"].contains(&text("type")) {
            return Err(envelope.to_string().into());
        }
        let mut kept = lock(&self.kept);
        let Kept { channels, events, .. } = &mut *kept;
        let id = text("channel").strip_prefix("company/").unwrap_or_default();
        let Some(shown) = channels.get_mut(id) else { return Ok(()) };
        match text("type") {
            "snapshot" => {
                shown.epoch = text("epoch").to_owned();
                shown.seq = seq;
                shown.told.push(Told::Snapshot(seq));
            }
            "event" => {
                *events += 1;
                shown.seq = shown.seq.max(seq);
                let data = envelope.get("data").unwrap_or(&Value::Null);
                let (name, key) = (text("name").to_owned(), text("key").to_owned());
                let value = value_of(&name, data);
                shown.told.push(Told::Event(Event { seq, name, key, value }, self.log.now()));
            }
            "live" => shown.is_live = true,
            "reset" => shown.told.push(Told::Reset),
            _ => {}
        }
        Ok(())
    }
}
