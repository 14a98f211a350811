//! All objects of the provider, in memory, and the transaction that changes them.
//!
//! One mutex guards the state, so requests change it one after the other. The changes of a transaction become one
//! journal line; the request is answered after that line is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use bipe_core::clock::Clock;
use bipe_core::gateway::webhook::SUBSCRIBED;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fault::Fault;
use crate::objects::{
    Charge, Customer, Delivery, Endpoint, Event, Intent, KeptAnswer, Object, PaymentMethod, Refund,
    SetupIntent,
};
use crate::orders::WebhookOrder;

/// Answers of idempotency keys are forgotten after this, events after thirty days, as at Stripe.
pub const KEY_LIFETIME: i64 = 24 * 3600;
const EVENT_LIFETIME: i64 = 30 * 24 * 3600;

/// Rows of one kind by id, listed in the order of their creation.
#[derive(Debug)]
pub struct Table<T> {
    rows: HashMap<String, (u64, T)>,
    order: BTreeMap<u64, String>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: HashMap::new(), order: BTreeMap::new() }
    }
}

impl<T: Object> Table<T> {
    pub fn find(&self, id: &str) -> Result<&T, Fault> {
        self.get(id).ok_or_else(|| Fault::no_such(T::NAME, id))
    }
}

impl<T> Table<T> {
    pub fn get(&self, id: &str) -> Option<&T> {
        self.rows.get(id).map(|(_, row)| row)
    }

    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &T)> {
        self.order.values().filter_map(|id| self.get(id).map(|row| (id.as_str(), row)))
    }

    fn put(&mut self, id: &str, row: T) {
        if let Some((_, old)) = self.rows.get_mut(id) {
            *old = row;
            return;
        }
        let place = self.order.last_key_value().map_or(0, |(last, _)| last + 1);
        self.order.insert(place, id.to_owned());
        self.rows.insert(id.to_owned(), (place, row));
    }

    fn remove(&mut self, id: &str) {
        if let Some((place, _)) = self.rows.remove(id) {
            self.order.remove(&place);
        }
    }

    fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.rows.retain(|_, (_, row)| keep(row));
        let rows = &self.rows;
        self.order.retain(|_, id| rows.contains_key(id));
    }
}

/// One change, as the journal writes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "put", content = "row", rename_all = "snake_case")]
pub enum Record {
    Customer(Customer),
    CustomerDeleted(String),
    Method(PaymentMethod),
    Intent(Box<Intent>),
    SetupIntent(SetupIntent),
    Charge(Charge),
    Refund(Refund),
    Event(Event),
    Delivery(Delivery),
    /// By `Delivery::key`.
    Delivered(String),
    Endpoint(Endpoint),
    EndpointDeleted(String),
    Answer(KeptAnswer),
    AnswersBefore(i64),
    /// Seconds that the clock of a process of its own was moved ahead.
    ClockAhead(u32),
}

#[derive(Debug, Default)]
pub struct State {
    pub customers: Table<Customer>,
    /// Ids of customers that are gone.
    pub deleted_customers: BTreeSet<String>,
    pub methods: Table<PaymentMethod>,
    pub intents: Table<Intent>,
    pub setup_intents: Table<SetupIntent>,
    pub charges: Table<Charge>,
    pub refunds: Table<Refund>,
    pub events: Table<Event>,
    pub deliveries: Table<Delivery>,
    pub endpoints: Table<Endpoint>,
    pub answers: Table<KeptAnswer>,
    /// The intents that will do something by themselves.
    pub due: BTreeSet<String>,
    pub clock_ahead: u32,
}

impl State {
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Customer(row) => self.customers.put(&row.id.clone(), row),
            Record::CustomerDeleted(id) => {
                self.customers.remove(&id);
                self.deleted_customers.insert(id);
            }
            Record::Method(row) => self.methods.put(&row.id.clone(), row),
            Record::Intent(row) => {
                if row.due.is_some() {
                    self.due.insert(row.id.clone());
                } else {
                    self.due.remove(&row.id);
                }
                self.intents.put(&row.id.clone(), *row);
            }
            Record::SetupIntent(row) => self.setup_intents.put(&row.id.clone(), row),
            Record::Charge(row) => self.charges.put(&row.id.clone(), row),
            Record::Refund(row) => self.refunds.put(&row.id.clone(), row),
            Record::Event(row) => self.events.put(&row.id.clone(), row),
            Record::Delivery(row) => self.deliveries.put(&row.key(), row),
            Record::Delivered(key) => self.deliveries.remove(&key),
            Record::Endpoint(row) => self.endpoints.put(&row.id.clone(), row),
            Record::EndpointDeleted(id) => {
                self.endpoints.remove(&id);
                self.deliveries.retain(|row| row.endpoint.as_ref() != Some(&id));
            }
            Record::Answer(row) => self.answers.put(&row.key.clone(), row),
            Record::ClockAhead(seconds) => self.clock_ahead = seconds,
            Record::AnswersBefore(limit) => self.answers.retain(|row| row.created > limit),
        }
    }

    /// Drops old answers and events, as Stripe does.
    pub fn prune(&mut self, now: i64) {
        self.answers.retain(|row| row.created > now - KEY_LIFETIME);
        self.events.retain(|row| row.created > now - EVENT_LIFETIME);
        let events = &self.events;
        self.deliveries.retain(|row| events.get(&row.event).is_some());
    }

    /// Whether an event is still on its way to somebody.
    pub fn is_pending(&self, event: &str) -> bool {
        let waits = |endpoint| self.deliveries.get(&Delivery::key_of(event, endpoint)).is_some();
        waits(None) || self.endpoints.iter().any(|(id, _)| waits(Some(id)))
    }

    /// The records that make this state again.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let customers = self.customers.iter().map(|(_, row)| Record::Customer(row.clone()));
        let deleted = self.deleted_customers.iter().cloned().map(Record::CustomerDeleted);
        let methods = self.methods.iter().map(|(_, row)| Record::Method(row.clone()));
        let intents = self.intents.iter().map(|(_, row)| Record::Intent(Box::new(row.clone())));
        let setups = self.setup_intents.iter().map(|(_, row)| Record::SetupIntent(row.clone()));
        let charges = self.charges.iter().map(|(_, row)| Record::Charge(row.clone()));
        let refunds = self.refunds.iter().map(|(_, row)| Record::Refund(row.clone()));
        let events = self.events.iter().map(|(_, row)| Record::Event(row.clone()));
        let deliveries = self.deliveries.iter().map(|(_, row)| Record::Delivery(row.clone()));
        let endpoints = self.endpoints.iter().map(|(_, row)| Record::Endpoint(row.clone()));
        let answers = self.answers.iter().map(|(_, row)| Record::Answer(row.clone()));
        let objects =
            customers.chain(deleted).chain(methods).chain(intents).chain(setups).chain(charges);
        let clock = std::iter::once(Record::ClockAhead(self.clock_ahead));
        let told = events.chain(endpoints).chain(deliveries);
        objects.chain(refunds).chain(told).chain(answers).chain(clock)
    }
}

/// The state as one request changes it. Its changes stay also when it ends in a `Fault`: a declined card leaves its
/// charge. So an operation validates before it puts.
pub struct Tx<'a> {
    pub state: &'a mut State,
    pub clock: &'a Clock,
    /// Unix seconds of this request.
    pub now: i64,
    /// Where the hosted pages live, without a slash at the end.
    pub base_url: &'a str,
    /// The request that events name as their cause.
    pub request: Option<String>,
    pub idempotency_key: Option<String>,
    /// How events travel.
    pub webhooks: &'a WebhookOrder,
    /// The settings name an endpoint.
    pub has_endpoint: bool,
    pub records: Vec<Record>,
}

impl Tx<'_> {
    pub fn put(&mut self, record: Record) {
        self.records.push(record.clone());
        self.state.apply(record);
    }

    /// Stores a method that was made on the way.
    pub fn put_new(&mut self, method: Option<&PaymentMethod>) {
        if let Some(method) = method.filter(|method| self.state.methods.get(&method.id).is_none()) {
            self.put(Record::Method(method.clone()));
        }
    }

    /// The method that an intent names.
    pub fn method(&self, id: Option<&String>) -> Option<PaymentMethod> {
        id.and_then(|id| self.state.methods.get(id)).cloned()
    }

    /// `prefix` and 24 random letters and digits.
    pub fn id(&self, prefix: &str) -> String {
        format!("{prefix}_{}", random_text(self.clock, 24))
    }

    pub fn secret(&self, id: &str) -> String {
        format!("{id}_secret_{}", random_text(self.clock, 25))
    }

    /// Stores an event about `object` (wire shape) and queues it for the webhook endpoint.
    pub fn emit(&mut self, kind: &str, object: &Value) {
        let id = self.id("evt");
        let event = Event {
            id: id.clone(),
            created: self.now,
            kind: kind.to_owned(),
            object: object.to_string(),
            request: self.request.clone(),
            idempotency_key: self.idempotency_key.clone(),
        };
        self.put(Record::Event(event));
        let of_settings = self.has_endpoint && SUBSCRIBED.contains(&kind);
        let of_calls = self.state.endpoints.iter().filter(|(_, row)| row.wants(kind));
        let mut to: Vec<Option<String>> = of_calls.map(|(id, _)| Some(id.to_owned())).collect();
        to.extend(of_settings.then_some(None));
        for endpoint in to {
            if let Some(delivery) = self.webhooks.dispatch(&id, endpoint, self.clock) {
                self.put(Record::Delivery(delivery));
            }
        }
    }
}

pub fn random_text(clock: &Clock, length: usize) -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut text = String::with_capacity(length);
    while text.len() < length {
        for byte in clock.bytes::<32>() {
            // Bytes from 248 on are drawn again, so that no letter is favoured.
            if let Some(letter) = LETTERS.get(usize::from(byte % 62)).filter(|_| byte < 248) {
                text.push(char::from(*letter));
            }
        }
    }
    text.truncate(length);
    text
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(digest(&SHA256, bytes).as_ref())
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
