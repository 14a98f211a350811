//! The provider's events, stored before they are answered (docs/billing.md, "Webhooks"). The key is the id of the
//! event, so a repeated event is answered and does nothing. A job handles each stored event.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::db::{Db, Tx};
use crate::error::{Error, Result};
use crate::gateway::webhook::{self, Event};
use crate::job::{self, JobKind};
use crate::row::from_row;
use crate::trace::{self, Span};

/// How long an event waits for a row of ours that it may have overtaken; then it is somebody else's.
const PARKED: [SignedDuration; 6] = [
    SignedDuration::from_mins(1),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(3),
    SignedDuration::from_hours(24),
    SignedDuration::from_hours(72),
];

/// The wait before the next try after so many, none when there is no further one.
pub fn parked_for(tries: i32) -> Option<SignedDuration> {
    PARKED.get(usize::try_from(tries).ok()?).copied()
}

/// The payload of the job that handles an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Handle {
    pub event_id: String,
}

/// Stores the event and its job in one transaction; false when it was known.
pub async fn receive(db: &Db, event: &Event, body: &str) -> Result<bool> {
    let span = span_of_payment(db, body).await?;
    span.around_fallible(store(db, event, body)).await
}

/// The trace of the open payment that the event names goes on with it: the timer of the payment knows the place.
async fn span_of_payment(db: &Db, body: &str) -> Result<Span> {
    if !trace::is_on() {
        return Ok(Span::default());
    }
    let Some(payment) = webhook::named_payment(body.as_bytes()) else { return Ok(Span::default()) };
    let place = job::trace(db, JobKind::Reconcile, &payment.to_string()).await?;
    Ok(place.map(|place| Span::of_other("webhook received", place)).unwrap_or_default())
}

async fn store(db: &Db, event: &Event, body: &str) -> Result<bool> {
    let mut tx = db.job_tx().await?;
    let now = tx.now();
    let stored = tx.execute(RECEIVE, &[&event.id, &event.kind, &event.object, &body, &now]).await?;
    if stored == 1 {
        let payload = Handle { event_id: event.id.clone() };
        job::add(&mut tx, JobKind::Webhook, &event.id, now, &payload).await?;
    }
    tx.commit().await?;
    Ok(stored == 1)
}

const RECEIVE: &str = "INSERT INTO webhook_inbox (event_id, type, object_id, body, received_at) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (event_id) DO NOTHING";

/// How often the provider's own list of events is followed.
pub const SWEEP_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// How much of the list is read again: an event may appear late.
const SWEEP_OVERLAP: SignedDuration = SignedDuration::from_hours(1);
const SWEEP_KEY: &str = "events";

/// The payload of the sweep: how far the list was followed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cursor {
    pub followed_until: Timestamp,
}

impl Cursor {
    /// From where the list is read.
    pub fn since(self) -> Timestamp {
        self.followed_until.checked_sub(SWEEP_OVERLAP).unwrap_or(self.followed_until)
    }
}

/// Adds the sweep where it is missing; one that is there keeps its place.
pub async fn schedule_sweep(db: &Db) -> Result<()> {
    let mut tx = db.job_tx().await?;
    if tx.query_opt(SWEEP, &[&JobKind::EventSweep, &SWEEP_KEY]).await?.is_none() {
        let now = tx.now();
        put_sweep(&mut tx, Cursor { followed_until: now }, now).await?;
    }
    tx.commit().await
}

const SWEEP: &str = "SELECT id FROM jobs WHERE kind = $1 AND key = $2";

/// Moves the place to where a sweep began, and the next sweep to its time.
pub async fn swept(db: &Db, began_at: Timestamp) -> Result<()> {
    let mut tx = db.job_tx().await?;
    let next = tx.now().checked_add(SWEEP_EVERY).map_err(Error::internal)?;
    put_sweep(&mut tx, Cursor { followed_until: began_at }, next).await?;
    tx.commit().await
}

async fn put_sweep(tx: &mut Tx, cursor: Cursor, at: Timestamp) -> Result<()> {
    job::reschedule(tx, JobKind::EventSweep, SWEEP_KEY, at, &cursor).await
}

/// An event that was not handled yet.
#[derive(Clone, Debug)]
pub struct StoredEvent {
    pub kind: String,
    pub object: Option<String>,
    pub body: String,
}

pub async fn unhandled(db: &Db, event_id: &str) -> Result<Option<StoredEvent>> {
    db.job_tx().await?.find(UNHANDLED, &[&event_id]).await
}

from_row! { StoredEvent { kind: "type", object: "object_id", body } }

const UNHANDLED: &str =
    "SELECT type, object_id, body FROM webhook_inbox WHERE event_id = $1 AND handled_at IS NULL";

/// Files the event: `handled`, `foreign`, `ignored`.
pub async fn file(db: &Db, event_id: &str, outcome: &str) -> Result<()> {
    let tx = db.job_tx().await?;
    tx.execute(FILE, &[&event_id, &outcome, &tx.now()]).await?;
    tx.commit().await
}

const FILE: &str = "UPDATE webhook_inbox SET handled_at = $3, outcome = $2 WHERE event_id = $1";
