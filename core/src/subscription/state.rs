//! Where a subscription stands for the people of its company, in parts: what it is, until when, what it costs, who
//! pays, and what can be done about it.
//!
//! Pure. Called by `view` for the contract and by the mails. Neither decides anything again: `mail_pt_br/state.rs` and
//! `web/src/live/subscription-state.ts` only make a sentence of the parts, and the golden cases of
//! `core/tests/vectors/subscription_state.json` keep the two sentences alike.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Phase;
use super::period::days_until;
use super::preview::is_renewal_open;
use super::projection::{EXPIRED_AFTER, Projection, SUSPENDED_AFTER, expired_at};
use crate::money::{Cents, Reais};
use crate::payment_method::CardName;
use crate::words::words;

/// A subscription that ends unless somebody pays says so from this many days on.
const NEAR_DAYS: i64 = 7;

words! {
    pub enum StateKind {
        /// The first payment is open.
        Pending = "pending",
        Free = "free",
        /// Paid; the saved card or the credit pays what comes next.
        Renews = "renews",
        /// Paid; somebody has to pay what comes next.
        Runs = "runs",
        /// `Runs`, in its last seven days.
        Expiring = "expiring",
        /// Paid; another plan takes its place at the deadline.
        Changing = "changing",
        /// Not paid, with the plan's limits until the deadline.
        Due = "due",
        Suspended = "suspended",
        Canceled = "canceled",
        Expired = "expired",
    }
}

impl StateKind {
    /// Whether its sentence asks for a payment.
    pub fn asks_for_payment(self) -> bool {
        matches!(self, StateKind::Expiring | StateKind::Due | StateKind::Suspended)
    }
}

words! {
    pub enum StateAction {
        /// The plan in its cycle again: the next period, the one that is due, or a new one.
        Pay = "pay",
        /// The cancellation is taken back; costs nothing.
        Reactivate = "reactivate",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateView {
    pub kind: StateKind,
    /// When the kind ends by time alone; of `expired`, when it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deadline: Option<Timestamp>,
    /// What the next period costs after the credit; 0 when the credit covers it. Absent where no period follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Reais>,
    /// The default card of a running subscription. Operators do not get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub card: Option<CardName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub action: Option<StateAction>,
}

/// What the state needs beside the projection.
#[derive(Clone, Debug)]
pub struct StateFacts {
    pub balance: Cents,
    /// The saved card or the credit pays what falls due, or is about to.
    pub settles_itself: bool,
    pub card: Option<CardName>,
    /// Neither suspended nor closed by the platform: otherwise every change is refused.
    pub is_active: bool,
    /// Its plan is sold in its cycle. A running subscription renews without that.
    pub is_sold: bool,
}

impl StateView {
    pub fn of(current: &Projection, facts: StateFacts, now: Timestamp) -> Self {
        let Projection { row, phase, .. } = current;
        let paid_end = row.term.map(|term| term.paid_end());
        let is_ahead = |at: &Timestamp| *at > now;
        let (kind, deadline) = match phase {
            Phase::Pending => (StateKind::Pending, None),
            Phase::Free => (StateKind::Free, None),
            Phase::Active if row.pending_change.is_some() => (StateKind::Changing, paid_end),
            Phase::Active | Phase::Due if facts.settles_itself => (StateKind::Renews, paid_end),
            Phase::Active if paid_end.is_some_and(|end| days_until(end, now) <= NEAR_DAYS) => {
                (StateKind::Expiring, paid_end)
            }
            Phase::Active => (StateKind::Runs, paid_end),
            Phase::Due => {
                (StateKind::Due, paid_end.map(|end| end + SUSPENDED_AFTER).filter(is_ahead))
            }
            Phase::Suspended => {
                (StateKind::Suspended, paid_end.map(|end| end + EXPIRED_AFTER).filter(is_ahead))
            }
            Phase::Canceled => (StateKind::Canceled, row.ends_at()),
            Phase::Expired => (StateKind::Expired, expired_at(row)),
        };
        let is_followed = matches!(phase, Phase::Active | Phase::Due | Phase::Suspended);
        Self {
            kind,
            deadline,
            amount: is_followed.then(|| Reais(row.owed(facts.balance))),
            card: facts.card.filter(|_| is_followed),
            action: action(current, facts.is_sold, now).filter(|_| facts.is_active),
        }
    }
}

/// What `renew` would do now (docs/billing.md, "Subscription states").
fn action(current: &Projection, is_sold: bool, now: Timestamp) -> Option<StateAction> {
    let Projection { row, phase, .. } = current;
    match phase {
        Phase::Pending | Phase::Free => None,
        Phase::Active => is_renewal_open(row, now).then_some(StateAction::Pay),
        Phase::Due | Phase::Suspended => Some(StateAction::Pay),
        Phase::Expired => (is_sold && row.price > Cents::ZERO).then_some(StateAction::Pay),
        Phase::Canceled => Some(StateAction::Reactivate),
    }
}
