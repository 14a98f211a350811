//! An open page: live sockets that keep what they were told of companies, as the browser does. Called by the tests of
//! failover, which compare it with REST at their end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::account::Account;
use bipe_swarm::socket::{self, Connection};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::caller::Caller;
use crate::replicated::TIMEOUT;

/// Channels that one socket may read, with room.
const CHANNELS: usize = 25;
const MOMENT: Duration = Duration::from_millis(50);

/// What a page shows of a company.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub epoch: String,
    seq: i64,
    pub company: Value,
    pub subscription: Value,
    pub payments: BTreeMap<String, Value>,
    is_live: bool,
}

/// What all sockets of a page were told.
#[derive(Default)]
pub struct Kept {
    pub channels: BTreeMap<String, Shown>,
    pub resets: u64,
    pub gaps: u64,
    ended: u64,
}

/// The sockets of one person at one node; closed when it is dropped.
pub struct Screen {
    kept: Arc<Mutex<Kept>>,
    readers: Vec<JoinHandle<()>>,
    companies: Vec<String>,
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.readers.iter().for_each(JoinHandle::abort);
    }
}

impl Screen {
    /// Reads the companies of a person; returns when all of them are live.
    pub async fn open(url: &str, person: &Account, companies: &[String]) -> Outcome<Self> {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let mut readers = Vec::new();
        for part in companies.chunks(CHANNELS) {
            let channels: Vec<String> = part.iter().map(|id| format!("company/{id}")).collect();
            let connection = socket::connect(url, &person.ticket().await?, &channels).await?;
            readers.push(tokio::spawn(follow(connection, kept.clone())));
        }
        let screen = Self { kept, readers, companies: companies.to_vec() };
        screen.until_live().await?;
        Ok(screen)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn until_live(&self) -> Outcome<()> {
        let late = Instant::now() + TIMEOUT;
        loop {
            let live = self.lock().channels.values().filter(|shown| shown.is_live).count();
            if live >= self.companies.len() {
                return Ok(());
            }
            if Instant::now() > late {
                return Err(format!("{live} of {} channels are live", self.companies.len()).into());
            }
            sleep(MOMENT).await;
        }
    }

    /// Sockets that the server ended.
    pub fn ended(&self) -> u64 {
        self.lock().ended
    }

    pub fn resets(&self) -> u64 {
        self.lock().resets
    }

    pub fn gaps(&self) -> u64 {
        self.lock().gaps
    }

    /// Waits until every company is shown as REST answers; the differences that stay.
    pub async fn differences(&self, caller: &Caller) -> Outcome<Vec<String>> {
        let late = Instant::now() + TIMEOUT;
        let mut differences = Vec::new();
        for company in &self.companies {
            loop {
                let shown = self.lock().channels.get(company).cloned().unwrap_or_default();
                let answered = Answered::read(company, caller).await?;
                let Some(difference) = difference(&shown, company, &answered) else { break };
                if Instant::now() > late {
                    differences.push(difference);
                    break;
                }
                sleep(MOMENT).await;
            }
        }
        Ok(differences)
    }
}

/// What REST answers of a company.
pub struct Answered {
    pub company: Value,
    pub subscription: Value,
    pub payments: Value,
}

impl Answered {
    async fn read(id: &str, caller: &Caller) -> Outcome<Self> {
        let read = async |path: &str, pointer: &str| caller.read(path, pointer, TIMEOUT).await;
        Ok(Self {
            company: read(&format!("/api/companies/{id}"), "/data/company").await?,
            subscription: read(&format!("/api/subscriptions/company/{id}"), "/data/subscription")
                .await?,
            payments: read(&format!("/api/payments/company/{id}?limit=100"), "/data/payments")
                .await?,
        })
    }
}

/// What the page shows and REST does not, or the other way round.
pub fn difference(shown: &Shown, id: &str, answered: &Answered) -> Option<String> {
    let Answered { company, subscription, payments } = answered;
    let name = "companyName";
    if company.get(name) != shown.company.get(name) {
        let (shows, is) = (shown.company.get(name), company.get(name));
        return Some(format!("company {id} is shown as {shows:?} and is {is:?}"));
    }
    for field in ["id", "status", "planId", "version"] {
        if subscription.get(field) != shown.subscription.get(field) {
            let (shows, is) = (shown.subscription.get(field), subscription.get(field));
            return Some(format!("{field} of {id} is shown as {shows:?} and is {is:?}"));
        }
    }
    let payments: BTreeMap<&str, &Value> = payments
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|payment| Some((payment.get("id")?.as_str()?, payment)))
        .collect();
    for (payment, shows) in &shown.payments {
        let is = payments.get(payment.as_str());
        let [was, now] = [Some(&shows), is].map(|view| view.map(|view| part(view)));
        if was != now {
            return Some(format!("payment {payment} of {id}: shown {was:?}, is {now:?}"));
        }
    }
    let missing = payments
        .iter()
        .find(|(payment, view)| is_open(view) && !shown.payments.contains_key(**payment));
    missing.map(|(payment, _)| format!("payment {payment} of {id} is open and not shown"))
}

/// All that is shown of a payment. A read of the provider that changed nothing counts a version and is not pushed.
fn part(payment: &Value) -> Value {
    let mut part = payment.clone();
    if let Some(fields) = part.as_object_mut() {
        fields.remove("version");
    }
    part
}

fn is_open(payment: &Value) -> bool {
    let status = payment.get("status").and_then(Value::as_str).unwrap_or_default();
    ["PENDING", "PROCESSING"].contains(&status)
}

async fn follow(mut connection: Connection, kept: Arc<Mutex<Kept>>) {
    // Why a socket ended does not matter.
    while let Ok(()) = step(&mut connection, &kept).await {}
    kept.lock().unwrap_or_else(PoisonError::into_inner).ended += 1;
}

async fn step(connection: &mut Connection, kept: &Mutex<Kept>) -> Outcome<()> {
    for envelope in connection.next(|_| {}).await? {
        let sync = take(&mut kept.lock().unwrap_or_else(PoisonError::into_inner), &envelope);
        if let Some(sync) = sync {
            connection.send(&sync).await?;
        }
    }
    Ok(())
}

/// What is asked for when the envelope shows a gap.
pub fn take(kept: &mut Kept, envelope: &Value) -> Option<Value> {
    let text = |name: &str| envelope.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| envelope.get(name).and_then(Value::as_i64);
    let id = text("channel").strip_prefix("company/")?;
    let shown = kept.channels.entry(id.to_owned()).or_default();
    let seq = number("seq").unwrap_or_default();
    match text("type") {
        "snapshot" => {
            let data = |name: &str| envelope.pointer(&format!("/data/{name}")).cloned();
            shown.epoch = text("epoch").to_owned();
            shown.seq = seq;
            shown.company = data("company").unwrap_or_default();
            shown.subscription = data("subscription").unwrap_or_default();
            let open = data("openPayments").unwrap_or_default();
            let open = open.as_array().into_iter().flatten();
            let named =
                |payment: &Value| Some((payment.get("id")?.as_str()?.to_owned(), payment.clone()));
            shown.payments = open.filter_map(named).collect();
        }
        "event" if number("prev").unwrap_or(seq - 1) == shown.seq => {
            shown.seq = seq;
            let data = envelope.get("data").cloned().unwrap_or_default();
            match text("name") {
                "company.updated" => shown.company = data,
                "subscription.updated" => shown.subscription = data,
                "payment.updated" => {
                    shown.payments.insert(text("key").to_owned(), data);
                }
                _ => {}
            }
        }
        "event" if seq <= shown.seq => {}
        "event" => {
            kept.gaps += 1;
            let since = json!({"epoch": shown.epoch, "seq": shown.seq});
            let channel = text("channel");
            return Some(json!({"type": "sync", "id": 2, "channel": channel, "since": since}));
        }
        "live" => shown.is_live = true,
        "reset" => {
            *shown = Shown::default();
            kept.resets += 1;
        }
        _ => {}
    }
    None
}
