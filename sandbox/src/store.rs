//! All objects of the provider, in memory, and the transaction that changes them.
//!
//! One mutex guards the state, so requests change it one after the other. The changes of a transaction become one
//! journal line; the request is answered after that line is written.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use bipe_core::brazil::local_date;
use bipe_core::clock::Clock;
use bipe_core::gateway::webhook::SUBSCRIBED;
use indexmap::IndexMap;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fault::Fault;
use crate::injected_faults::WebhookFaults;
use crate::objects::{
    Charge, Customer, Delivery, Dispute, Endpoint, Event, Intent, KeptAnswer, PaymentMethod,
    Refund, SetupIntent,
};
use crate::wire;

/// Answers of idempotency keys are forgotten after this, as at Stripe.
pub const KEY_LIFETIME: i64 = 24 * 3600;
/// Events that are older when the journal is opened are forgotten. A process that runs on keeps them.
const EVENT_LIFETIME: i64 = 30 * 24 * 3600;

/// Rows of one kind by id, oldest first.
pub type Table<T> = IndexMap<String, T>;

/// A row that calls read and events tell of.
pub trait Object: Clone + 'static {
    /// Its name in the provider's answers.
    const NAME: &'static str;
    fn created(&self) -> i64;
    fn table(state: &State) -> &Table<Self>;
    fn record(self) -> Record;
    /// Its JSON in the provider's answers.
    fn wire(&self, state: &State, base_url: &str) -> Value;
}

macro_rules! objects {
    ($($object:ident = $name:literal in $table:ident, $record:expr, $wire:expr;)+) => {$(
        impl Object for $object {
            const NAME: &'static str = $name;
            fn created(&self) -> i64 {
                self.created
            }
            fn table(state: &State) -> &Table<Self> {
                &state.$table
            }
            fn record(self) -> Record {
                let record: fn(Self) -> Record = $record;
                record(self)
            }
            fn wire(&self, state: &State, base_url: &str) -> Value {
                let wire: fn(&Self, &State, &str) -> Value = $wire;
                wire(self, state, base_url)
            }
        }
    )+};
}

objects! {
    Customer = "customer" in customers, Record::Customer, |row, _, _| wire::customer(row);
    PaymentMethod = "payment_method" in methods, Record::Method, |row, _, _| wire::payment_method(row);
    Intent = "payment_intent" in intents, |row| Record::Intent(Box::new(row)), |row, _, url| wire::intent(row, url);
    SetupIntent = "setup_intent" in setup_intents, Record::SetupIntent, |row, _, url| wire::setup_intent(row, url);
    Charge = "charge" in charges, Record::Charge, |row, _, _| wire::charge(row);
    Refund = "refund" in refunds, Record::Refund, |row, _, _| wire::refund(row);
    Dispute = "dispute" in disputes, Record::Dispute, |row, _, _| wire::dispute(row);
    Event = "event" in events, Record::Event, |row, state, _| wire::event(row, state.is_pending(&row.id));
    Endpoint = "webhook_endpoint" in endpoints, Record::Endpoint, |row, _, _| wire::webhook_endpoint(row);
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
    Dispute(Dispute),
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
    pub disputes: Table<Dispute>,
    pub events: Table<Event>,
    /// In no order: one leaves with each webhook that arrived.
    pub deliveries: Table<Delivery>,
    pub endpoints: Table<Endpoint>,
    pub answers: Table<KeptAnswer>,
    /// The intents and refunds that will do something by themselves.
    pub due: BTreeSet<String>,
    pub clock_ahead: u32,
}

impl State {
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Customer(row) => put(&mut self.customers, row.id.clone(), row),
            Record::CustomerDeleted(id) => {
                self.customers.shift_remove(&id);
                self.deleted_customers.insert(id);
            }
            Record::Method(row) => put(&mut self.methods, row.id.clone(), row),
            Record::Intent(row) => {
                self.set_due(&row.id, row.due.is_some());
                put(&mut self.intents, row.id.clone(), *row);
            }
            Record::SetupIntent(row) => put(&mut self.setup_intents, row.id.clone(), row),
            Record::Charge(row) => put(&mut self.charges, row.id.clone(), row),
            Record::Refund(row) => {
                self.set_due(&row.id, row.fails_at.is_some());
                put(&mut self.refunds, row.id.clone(), row);
            }
            Record::Dispute(row) => put(&mut self.disputes, row.id.clone(), row),
            Record::Event(row) => put(&mut self.events, row.id.clone(), row),
            Record::Delivery(row) => put(&mut self.deliveries, row.key(), row),
            Record::Delivered(key) => drop(self.deliveries.swap_remove(&key)),
            Record::Endpoint(row) => put(&mut self.endpoints, row.id.clone(), row),
            Record::EndpointDeleted(id) => {
                self.endpoints.shift_remove(&id);
                self.deliveries.retain(|_, row| row.endpoint.as_ref() != Some(&id));
            }
            Record::Answer(row) => put(&mut self.answers, row.key.clone(), row),
            Record::ClockAhead(seconds) => self.clock_ahead = seconds,
            Record::AnswersBefore(limit) => self.answers.retain(|_, row| row.created > limit),
        }
    }

    fn set_due(&mut self, id: &str, is_due: bool) {
        if is_due {
            self.due.insert(id.to_owned());
        } else {
            self.due.remove(id);
        }
    }

    /// Drops old answers and events. Called when the journal is opened.
    pub fn prune(&mut self, now: i64) {
        self.answers.retain(|_, row| row.created > now - KEY_LIFETIME);
        self.events.retain(|_, row| row.created > now - EVENT_LIFETIME);
        self.deliveries.retain(|_, row| self.events.contains_key(&row.event));
    }

    /// Whether an event is still on its way to somebody.
    pub fn is_pending(&self, event: &str) -> bool {
        let waits = |endpoint| self.deliveries.contains_key(&Delivery::key_of(event, endpoint));
        waits(None) || self.endpoints.keys().any(|id| waits(Some(id)))
    }

    pub fn find<T: Object>(&self, id: &str) -> Result<&T, Fault> {
        T::table(self).get(id).ok_or_else(|| Fault::no_such(T::NAME, id))
    }

    /// The records that make this state again.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let deliveries = self.deliveries.values().cloned().map(Record::Delivery);
        let answers = self.answers.values().cloned().map(Record::Answer);
        self.records_of::<Customer>()
            .chain(self.deleted_customers.iter().cloned().map(Record::CustomerDeleted))
            .chain(self.records_of::<PaymentMethod>())
            .chain(self.records_of::<Intent>())
            .chain(self.records_of::<SetupIntent>())
            .chain(self.records_of::<Charge>())
            .chain(self.records_of::<Refund>())
            .chain(self.records_of::<Dispute>())
            .chain(self.records_of::<Event>())
            .chain(self.records_of::<Endpoint>())
            .chain(deliveries)
            .chain(answers)
            .chain([Record::ClockAhead(self.clock_ahead)])
    }

    fn records_of<T: Object>(&self) -> impl Iterator<Item = Record> {
        T::table(self).values().cloned().map(T::record)
    }
}

/// A row that is known keeps its place.
fn put<T>(table: &mut Table<T>, id: String, row: T) {
    table.insert(id, row);
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
    pub webhooks: &'a WebhookFaults,
    pub faults_met: &'a AtomicU64,
    /// The settings name an endpoint.
    pub has_endpoint: bool,
    pub records: Vec<Record>,
}

impl Tx<'_> {
    pub fn put(&mut self, record: Record) {
        self.records.push(record.clone());
        self.state.apply(record);
    }

    /// Stores an object, tells of it and answers its JSON.
    pub fn save<T: Object>(&mut self, row: T, event: &str) -> Value {
        let value = row.wire(self.state, self.base_url);
        self.put(row.record());
        self.emit(event, &value);
        value
    }

    /// Stores a method that was made on the way.
    pub fn put_new(&mut self, method: Option<&PaymentMethod>) {
        if let Some(method) = method.filter(|method| !self.state.methods.contains_key(&method.id)) {
            self.put(Record::Method(method.clone()));
        }
    }

    /// The method that an intent names.
    pub fn method(&self, id: Option<&String>) -> Option<PaymentMethod> {
        id.and_then(|id| self.state.methods.get(id)).cloned()
    }

    pub fn today(&self) -> Date {
        local_day(self.now)
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
        let mut to: Vec<Option<String>> = of_calls.map(|(id, _)| Some(id.clone())).collect();
        to.extend(of_settings.then_some(None));
        for endpoint in to {
            self.faults_met.fetch_add(u64::from(!self.webhooks.is_none()), Ordering::Relaxed);
            if let Some(delivery) = self.webhooks.dispatch(&id, endpoint, self.clock) {
                self.put(Record::Delivery(delivery));
            }
        }
    }
}

/// The Brazilian day of Unix seconds.
pub fn local_day(seconds: i64) -> Date {
    local_date(Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH))
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
