//! What time decides about a subscription. Jobs and commands only write it down.
//!
//! `project` gives the row as it is now, and every step that passed since the row was written, in order. So every
//! writer records the same history and revenue, however late it runs.

use jiff::{SignedDuration, Timestamp};

use super::{HistoryType, Movement, Phase, Status, Subscription, Term};
use crate::money::Cents;
use crate::plan::BillingCycle;

/// Unpaid from `P`: suspended after 3 days, expired after 15.
pub const SUSPENDED_AFTER: SignedDuration = SignedDuration::from_hours(3 * 24);
pub const EXPIRED_AFTER: SignedDuration = SignedDuration::from_hours(15 * 24);

/// A subscription at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    pub row: Subscription,
    pub phase: Phase,
    pub passed: Vec<TimeStep>,
}

impl Projection {
    /// Without a step that has passed.
    fn of(row: Subscription, phase: Phase) -> Self {
        Self { row, phase, passed: Vec::new() }
    }
}

/// A step that time took by itself. `credits_rest` asks to credit the paid time after `at` (a
/// cancellation before the end of what was paid).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeStep {
    pub at: Timestamp,
    pub history: HistoryType,
    pub movement: Option<Movement>,
    pub credits_rest: bool,
    /// The plan and cycle that the step is about.
    pub row: Subscription,
}

/// The row at `now`. While a payment is open (`open_since`), the suspension and the expiry that would
/// come after it was opened wait.
pub fn project(row: Subscription, now: Timestamp, open_since: Option<Timestamp>) -> Projection {
    let Some(term) = row.term else {
        let phase = match row.status {
            Status::Pending => Phase::Pending,
            Status::Active | Status::Canceled | Status::Suspended => Phase::Free,
            Status::Expired => Phase::Expired,
        };
        return Projection::of(row, phase);
    };
    match row.status {
        Status::Expired => Projection::of(row, Phase::Expired),
        Status::Canceled => canceled(row, term, now),
        Status::Pending | Status::Active | Status::Suspended => {
            if now < term.paid_end() {
                let row = Subscription { status: Status::Active, ..begun(row, term, now) };
                Projection::of(row, Phase::Active)
            } else {
                unpaid(row, term, now, open_since)
            }
        }
    }
}

/// When an expired one did expire, as its history says: an unpaid one when the time to pay it was over, later than the
/// end of what was paid.
pub fn expired_at(row: &Subscription) -> Option<Timestamp> {
    match (row.canceled_at, row.term) {
        (None, Some(term)) => Some(term.paid_end() + EXPIRED_AFTER),
        _ => row.ends_at(),
    }
}

/// A prepaid period that has begun is the current one.
fn begun(mut row: Subscription, mut term: Term, now: Timestamp) -> Subscription {
    let step = row.cycle.months();
    while term.is_prepaid(row.cycle) && term.anchor.boundary(term.month + step) <= now {
        term.month += step;
    }
    row.term = Some(term);
    row
}

fn canceled(row: Subscription, term: Term, now: Timestamp) -> Projection {
    let end = row.end_at.unwrap_or_else(|| term.paid_end());
    if now < end {
        return Projection::of(begun(row, term, now), Phase::Canceled);
    }
    let movement = Movement::between(row.arr(), Cents::ZERO, true);
    let row = Subscription { status: Status::Expired, end_at: Some(end), ..row };
    let credits_rest = end < term.paid_end();
    let passed = TimeStep {
        at: end,
        history: HistoryType::Expired,
        movement,
        credits_rest,
        row: row.clone(),
    };
    Projection { row, phase: Phase::Expired, passed: vec![passed] }
}

fn unpaid(
    row: Subscription,
    term: Term,
    now: Timestamp,
    open_since: Option<Timestamp>,
) -> Projection {
    let comes = |at| now >= at && open_since.is_none_or(|since| since >= at);
    let due_at = term.paid_end();
    let mut current = due(begun(row, term, due_at), due_at);
    if current.phase == Phase::Free {
        return current;
    }
    let suspended_at = due_at + SUSPENDED_AFTER;
    let is_suspended = current.row.status == Status::Suspended;
    if !is_suspended && comes(suspended_at) {
        let movement = Movement::between(current.row.arr(), Cents::ZERO, true);
        current.row.status = Status::Suspended;
        pass(&mut current, suspended_at, HistoryType::Suspended, movement);
    }
    if current.row.status == Status::Suspended {
        current.phase = Phase::Suspended;
        let expired_at = due_at + EXPIRED_AFTER;
        if comes(expired_at) {
            current.row.status = Status::Expired;
            current.row.end_at = Some(due_at);
            current.phase = Phase::Expired;
            pass(&mut current, expired_at, HistoryType::Expired, None);
        }
    }
    current
}

/// At `P` a scheduled downgrade takes the place of the plan; to a free plan it is done, to a paid one
/// its period is due.
fn due(mut row: Subscription, due_at: Timestamp) -> Projection {
    let Some(next) = row.pending_change.take() else {
        return Projection::of(row, Phase::Due);
    };
    let before = row.arr();
    row.plan_id = next.plan_id;
    row.price = next.price;
    let phase = if next.price == Cents::ZERO {
        row.cycle = BillingCycle::Monthly;
        row.term = None;
        Phase::Free
    } else {
        // `month` and `paid_until` count from the anchor in every cycle. In a shorter one the current period is the last
        // before `P`, now and when the written row is projected again.
        row.cycle = next.cycle;
        row.term = row.term.map(|term| Term {
            month: term.month.max(term.paid_until - next.cycle.months()),
            ..term
        });
        Phase::Due
    };
    let movement = Movement::between(before, row.arr(), true);
    let mut current = Projection::of(row, phase);
    pass(&mut current, due_at, HistoryType::Downgraded, movement);
    current
}

fn pass(current: &mut Projection, at: Timestamp, history: HistoryType, movement: Option<Movement>) {
    let row = current.row.clone();
    current.passed.push(TimeStep { at, history, movement, credits_rest: false, row });
}
