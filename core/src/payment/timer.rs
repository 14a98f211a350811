//! When an open payment is looked at again, and when it is closed (docs/billing.md, "Reconciliation"). The row of the
//! reconcile job is the timer; this file is its pure schedule.

use jiff::{SignedDuration, Timestamp};

use super::{Action, PaymentState, Situation};
use crate::payment_method::{CARD, PIX_LIFE};

/// Seconds after the last change of state, or after the write that is not answered, if that is later.
const UNKNOWN: &[i64] = &[5, 15, 60, 300, 900];
const PROCESSING: &[i64] = &[60, 300, 1800];
const HOUR: i64 = 3600;

/// A card that nobody finished.
const ABANDONED_AFTER: SignedDuration = SignedDuration::from_mins(60);
/// A PIX paid in its last second is still announced.
const PIX_GRACE: SignedDuration = SignedDuration::from_mins(2);
/// What has no answer is sent again for so long. Later it is looked for first: the provider repeats a failure that it
/// kept under the key.
pub const RESENT_FOR: SignedDuration = SignedDuration::from_mins(10);
/// What is not found after this was never made: no request for it is under way any more.
pub const FOUND_WITHIN: SignedDuration = SignedDuration::from_mins(15);
/// The provider forgets keys after 24 hours: from here on nothing is sent again.
pub const KEY_LIFE: SignedDuration = SignedDuration::from_hours(23);

/// The instant at which we close it, unless the provider says otherwise before.
pub fn close_at(situation: &Situation) -> Option<Timestamp> {
    let after = |from: Timestamp, by: SignedDuration| from.checked_add(by).ok();
    match &situation.state {
        PaymentState::Created
        | PaymentState::Declined(_)
        | PaymentState::RequiresAction(Action::ThreeDSecure) => {
            after(situation.changed_at, ABANDONED_AFTER)
        }
        PaymentState::RequiresAction(Action::Pix(pix)) => {
            let end = pix.expires_at.or_else(|| after(situation.created_at, PIX_LIFE))?;
            after(end, PIX_GRACE)
        }
        PaymentState::RequiresAction(Action::Boleto(_)) => {
            situation.method.rules().closes_at.map(|closes_at| closes_at(situation.created_at))
        }
        _ => None,
    }
}

/// When to check the payment again; `None` for a final state.
pub fn next_check(situation: &Situation, now: Timestamp) -> Option<Timestamp> {
    let waiting = situation.unknown || situation.closing.is_some();
    let (steps, every) = match &situation.state {
        state if state.is_final() => return None,
        _ if waiting => (UNKNOWN, HOUR),
        PaymentState::Submitting => (UNKNOWN, HOUR),
        PaymentState::Processing | PaymentState::Conflicted => (PROCESSING, HOUR),
        PaymentState::RequiresAction(Action::Pix(_) | Action::Boleto(_)) => {
            let rules = situation.method.rules();
            (rules.checks, rules.check_every)
        }
        // a card that nobody finished, and what the payer has not begun yet
        _ => (CARD.checks, CARD.check_every),
    };
    let changed_at = situation.changed_at;
    let since = situation.unknown_since.map_or(changed_at, |asked_at| asked_at.max(changed_at));
    let elapsed = now.as_second().saturating_sub(since.as_second()).max(0);
    let offset = steps.iter().copied().find(|step| *step > elapsed);
    let offset = offset.unwrap_or_else(|| (elapsed / every + 1) * every);
    let check = since.checked_add(SignedDuration::from_secs(offset)).ok()?;
    // A closing time that has passed was tried and not granted: the regular check repeats it.
    Some(close_at(situation).filter(|close| *close > now).map_or(check, |close| close.min(check)))
}
