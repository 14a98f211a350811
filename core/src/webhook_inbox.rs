//! The provider's events, stored before they are answered (docs/billing.md, "Webhooks"). The key is the id of the
//! event, so a repeated event is answered and does nothing. A job handles each stored event.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::db::{Db, Params, Tx};
use crate::error::{Error, Result};
use crate::gateway::webhook::{Event, PaymentHint};
use crate::id::JobId;
use crate::job::{self, Job, JobKind};
use crate::row::from_row;
use crate::trace::{self, Span};
use crate::words::words;

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
pub struct WebhookJob {
    pub event_id: String,
    /// Nodes of older versions leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<PaymentHint>,
}

impl WebhookJob {
    fn tells_action(&self) -> bool {
        self.hint.as_ref().is_some_and(|hint| hint.tells_action)
    }
}

/// The age at which an event is handled that says: the payer has something to do. The provider's answer to the creation
/// of the payment says the same and is stored meanwhile. The event is needed only if that answer was lost.
const ACTION_AGE: SignedDuration = SignedDuration::from_secs(1);

/// What became of an event that came in.
#[derive(Debug)]
pub enum ReceiveOutcome {
    /// It had come before.
    Known,
    /// It is stored, and its job waits to be claimed.
    Stored,
    /// It is stored, and this node holds its job.
    Claimed(Job),
}

/// Stores the event and its job in one transaction. With `claims` the job is this node's at once, unless it has to wait.
/// The trace of the payment that the event is about goes on with it.
pub async fn receive(db: &Db, event: &Event, body: &str, claims: bool) -> Result<ReceiveOutcome> {
    let place = event.trace.filter(|_| trace::is_on());
    let span = place.map(|place| Span::of_other("webhook received", place)).unwrap_or_default();
    span.around_fallible(store(db, event, body, claims)).await
}

async fn store(db: &Db, event: &Event, body: &str, claims: bool) -> Result<ReceiveOutcome> {
    let webhook = WebhookJob { event_id: event.id.clone(), hint: event.hint() };
    let payload = job::payload_text(JobKind::Webhook, &webhook)?;
    let (job, now) = (JobId::new(db.clock()), db.clock().now());
    let run_at = if webhook.tells_action() { due_by_age(event, now) } else { now };
    let leased_until = if claims && run_at <= now { Some(job::lease_end(now)?) } else { None };
    let (id, kind, object) = (&event.id, &event.kind, &event.object);
    let params: Params<'_> =
        &[&job, id, kind, object, &body, &now, &JobKind::Webhook, &payload, &run_at, &leased_until];
    let stored = db.job_statement(RECEIVE, params).await?;
    let Some(row) = stored.first() else { return Ok(ReceiveOutcome::Known) };
    if row.try_get("is_claimed")? {
        return Ok(ReceiveOutcome::Claimed(row.try_into()?));
    }
    if job::is_urgent(run_at, now) {
        db.announce_jobs();
    }
    Ok(ReceiveOutcome::Stored)
}

/// The provider tells the time to the second. A younger event waits from now on, so that those of one second do not fall
/// due together.
fn due_by_age(event: &Event, now: Timestamp) -> Timestamp {
    let is_old = event.created.is_some_and(|at| now.duration_since(at) >= ACTION_AGE);
    let wait = if is_old { SignedDuration::ZERO } else { ACTION_AGE };
    now.checked_add(wait).unwrap_or(now)
}

/// $10: until when this node holds the job, none where it is to be claimed. A job that is there already, which the key of
/// the event names, belongs to whoever claims it.
const RECEIVE: &str = "WITH received AS (\
     INSERT INTO webhook_inbox (event_id, type, object_id, body, received_at) \
     VALUES ($2, $3, $4, $5, $6) ON CONFLICT (event_id) DO NOTHING RETURNING event_id) \
     INSERT INTO jobs (id, kind, key, payload, run_at, created_at, leased_until, attempts) \
     SELECT $1, $7, event_id, $8, $9, $6, $10, CASE WHEN $10::timestamptz IS NULL THEN 0 ELSE 1 END \
     FROM received ON CONFLICT (kind, key) DO UPDATE SET \
     payload = excluded.payload, run_at = least(jobs.run_at, excluded.run_at), attempts = 0, dead_at = NULL \
     RETURNING id, kind, key, payload, run_at, attempts = 1 AS is_claimed, 0 AS attempts";

/// How often the provider's own list of events is followed.
const SWEEP_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// How much of the list is read again: an event may appear late.
const SWEEP_OVERLAP: SignedDuration = SignedDuration::from_hours(1);
/// How much of the list is followed as one span: after a long silence the oldest one comes first.
const SWEEP_SPAN: SignedDuration = SignedDuration::from_hours(3);
const SWEEP_KEY: &str = "events";

/// The payload of the sweep: how far the list was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub followed_until: Timestamp,
    /// What is left of the span that follows, where it has more events than one run reads. Builds before this field
    /// read the span anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<SpanRest>,
}

/// What is left of a span: its events before an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanRest {
    pub until: Timestamp,
    /// The end of the whole span.
    pub span_end: Timestamp,
}

/// When the next run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextSweep {
    /// The list has more.
    AtOnce,
    InAnHour,
}

impl Cursor {
    /// From where the list is read, and up to where; none: up to now.
    pub fn span(self, now: Timestamp) -> (Timestamp, Option<Timestamp>) {
        let since = self.followed_until.checked_sub(SWEEP_OVERLAP).unwrap_or(self.followed_until);
        let until = match self.rest {
            Some(rest) => Some(rest.until),
            None => since.checked_add(SWEEP_SPAN).ok().filter(|until| *until < now),
        };
        (since, until)
    }

    /// How far the list is followed after a run that began `now` and left the events before `rest_until`, and when the
    /// next run begins.
    pub fn after_run(self, now: Timestamp, rest_until: Option<Timestamp>) -> (Self, NextSweep) {
        let (_, until) = self.span(now);
        let span_end = self.rest.map_or_else(|| until.unwrap_or(now), |rest| rest.span_end);
        if let Some(until) = rest_until {
            return (Self { rest: Some(SpanRest { until, span_end }), ..self }, NextSweep::AtOnce);
        }
        // The overlap of a span that has just ended would bring its events once more, part by part.
        let is_up_to_date = match self.rest {
            Some(_) => now.duration_since(span_end) < SWEEP_EVERY,
            None => until.is_none(),
        };
        let next = if is_up_to_date { NextSweep::InAnHour } else { NextSweep::AtOnce };
        (Self { followed_until: span_end, rest: None }, next)
    }
}

/// Adds the sweep where it is missing; one that is there keeps its place.
pub async fn schedule_sweep(db: &Db) -> Result<()> {
    let mut tx = db.job_tx().await?;
    if tx.query_opt(SWEEP, &[&JobKind::EventSweep, &SWEEP_KEY]).await?.is_none() {
        let now = tx.now();
        put_sweep(&mut tx, Cursor { followed_until: now, rest: None }, now)?;
    }
    tx.commit().await
}

const SWEEP: &str = "SELECT id FROM jobs WHERE kind = $1 AND key = $2";

/// Keeps how far the list was followed, and when the next run begins. The provider answers, so what was given up is
/// tried once more.
pub async fn save_sweep(db: &Db, cursor: Cursor, next: NextSweep) -> Result<()> {
    let mut tx = db.job_tx().await?;
    let wait = match next {
        NextSweep::AtOnce => SignedDuration::ZERO,
        NextSweep::InAnHour => SWEEP_EVERY,
    };
    let run_at = tx.now().checked_add(wait).map_err(Error::internal)?;
    put_sweep(&mut tx, cursor, run_at)?;
    tx.execute(TRY_DEAD, &[&JobKind::Webhook, &tx.now()]).await?;
    tx.commit().await
}

/// The count of tries stays, so that another failure gives it up again.
const TRY_DEAD: &str =
    "UPDATE jobs SET dead_at = NULL, run_at = $2 WHERE kind = $1 AND dead_at IS NOT NULL";

fn put_sweep(tx: &mut Tx, cursor: Cursor, at: Timestamp) -> Result<()> {
    job::reschedule(tx, JobKind::EventSweep, SWEEP_KEY, Some(at), &cursor)
}

/// An event that was not handled yet.
#[derive(Clone, Debug)]
pub struct StoredEvent {
    pub kind: String,
    pub object: Option<String>,
    pub body: String,
}

pub async fn unhandled(db: &Db, event_id: &str) -> Result<Option<StoredEvent>> {
    let found = db.job_statement(UNHANDLED, &[&event_id]).await?;
    found.first().map(StoredEvent::try_from).transpose()
}

from_row! { StoredEvent { kind: "type", object: "object_id", body } }

const UNHANDLED: &str =
    "SELECT type, object_id, body FROM webhook_inbox WHERE event_id = $1 AND handled_at IS NULL";

words! {
    /// What became of an event that was handled.
    pub enum EventOutcome {
        Handled = "handled",
        /// It is about nothing of ours.
        Foreign = "foreign",
        /// Events of its kind, or about its object, change nothing here.
        Ignored = "ignored",
    }
}

/// Files the event. The transaction that ends its job files it by itself.
pub async fn file(db: &Db, event_id: &str, outcome: EventOutcome) -> Result<()> {
    db.job_statement(FILE, &[&event_id, &outcome, &db.clock().now()]).await.map(drop)
}

const FILE: &str = "UPDATE webhook_inbox SET handled_at = $3, outcome = $2 WHERE event_id = $1";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    #[test]
    fn a_burst_of_events_is_followed_part_by_part_and_nothing_of_it_is_left_out() {
        let listed: BTreeSet<Timestamp> = (0..10).map(|minute| at(60 * minute)).collect();
        let mut cursor = Cursor { followed_until: at(-3600), rest: None };
        let (mut followed, mut runs) = (BTreeSet::new(), 0);
        let next_sweep = loop {
            let now = at(600 + runs);
            let (since, until) = cursor.span(now);
            let span = listed.range(since..until.unwrap_or(now));
            let newest: Vec<Timestamp> = span.rev().take(3).copied().collect();
            let oldest = *newest.last().unwrap();
            let rest_until = (oldest > at(0)).then(|| oldest + SignedDuration::from_secs(1));
            followed.extend(newest);
            let (next, next_sweep) = cursor.after_run(now, rest_until);
            (cursor, runs) = (next, runs + 1);
            if cursor.rest.is_none() {
                break next_sweep;
            }
            assert_eq!(next_sweep, NextSweep::AtOnce);
        };
        assert_eq!((followed, runs), (listed, 5));
        assert_eq!(cursor.followed_until, at(600), "up to when the first of the runs began");
        assert_eq!(next_sweep, NextSweep::InAnHour);
    }

    #[test]
    fn a_span_of_long_ago_is_followed_by_the_next_one_at_once() {
        let rest = Some(SpanRest { until: at(60), span_end: at(7200) });
        let cursor = Cursor { followed_until: at(0), rest };
        let followed = Cursor { followed_until: at(7200), rest: None };
        assert_eq!(cursor.after_run(at(7200 + 3599), None), (followed, NextSweep::InAnHour));
        assert_eq!(cursor.after_run(at(7200 + 3600), None), (followed, NextSweep::AtOnce));
        let in_one_run = Cursor { followed_until: at(0), rest: None };
        assert_eq!(in_one_run.after_run(at(7200), None), (followed, NextSweep::InAnHour));
        assert_eq!(in_one_run.after_run(at(7201), None), (followed, NextSweep::AtOnce));
    }

    #[test]
    fn an_event_of_this_moment_waits_a_second_and_an_old_one_not_at_all() {
        let now: Timestamp = "2026-11-21T12:00:00.25Z".parse().unwrap();
        let event = Event::parse(br#"{"id":"e","type":"k"}"#).unwrap();
        let wait = |created: i64| {
            let created = Timestamp::from_second(now.as_second() + created).ok();
            due_by_age(&Event { created, ..event.clone() }, now).duration_since(now).as_millis()
        };
        assert_eq!([-9, -1, 0, 9].map(wait), [0, 0, 1000, 1000]);
        assert_eq!(due_by_age(&event, now).duration_since(now), ACTION_AGE);
    }
}
