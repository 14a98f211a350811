//! The calendar of a renewal (docs/billing.md, "Renewal ladder"): the days of reminders and charges, the declines that
//! end the charges, and the next check of a subscription.
//!
//! Pure. Called by `renewal`, by `timer`, and by `account_summary`, because a charge that is ours to make holds the
//! suspension back. Day n is `P` + n x 24 h.

use jiff::{SignedDuration, Timestamp};

use super::{NoticeKind, Status, Subscription};
use crate::payment_method::Instrument;

/// On which days the saved instrument is charged.
const CHARGE_DAYS: [i64; 5] = [0, 1, 3, 7, 14];
/// On which days something may be due for a subscription that runs: reminders, charges, suspension, expiry.
const CHECK_DAYS: [i64; 9] = [-7, -3, -1, 0, 1, 3, 7, 14, 15];
/// On which day before the end of a canceled subscription its people are told, once.
const ENDING_NOTICE_DAY: i64 = -3;

/// Declines after which the same instrument is not tried again, until it is trusted anew.
const HARD_DECLINES: [&str; 20] = [
    "card_not_supported",
    "expired_card",
    "fraudulent",
    "incorrect_cvc",
    "incorrect_number",
    "invalid_account",
    "invalid_cvc",
    "invalid_expiry_year",
    "live_mode_test_card",
    "lost_card",
    "merchant_blacklist",
    "not_permitted",
    "pickup_card",
    "previously_declined_do_not_retry",
    "restricted_card",
    "revocation_of_all_authorizations",
    "revocation_of_authorization",
    "security_violation",
    "stolen_card",
    "stop_payment_order",
];

fn day(from: Timestamp, days: i64) -> Timestamp {
    from.checked_add(SignedDuration::from_hours(24 * days)).unwrap_or(from)
}

/// What a decline means for the instrument that was charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decline {
    /// The next rung tries it again.
    Soft,
    /// Another instrument is needed.
    Hard,
    /// The payer has to be there; trying blindly does not help.
    OnSession,
}

/// From the provider's code and advice as a payment keeps them.
pub fn decline(detail: Option<&str>) -> Decline {
    let mut words = detail.unwrap_or_default().split_whitespace();
    let ends = |word| match word {
        "authentication_required" => Some(Decline::OnSession),
        "do_not_try_again" | "confirm_card_data" => Some(Decline::Hard),
        code => HARD_DECLINES.contains(&code).then_some(Decline::Hard),
    };
    words.find_map(ends).unwrap_or(Decline::Soft)
}

/// A charge that was made for the period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub kind: String,
    pub instrument: Instrument,
    pub decline: Decline,
}

/// The charge that is due `now` for the period that began at `due_at`, by its name; none when there is
/// nothing to try. Rungs that were missed are not made up for: an instrument is tried once, however late.
pub fn charge(
    due_at: Timestamp,
    now: Timestamp,
    instrument: &Instrument,
    made: &[Attempt],
) -> Option<String> {
    let rung = CHARGE_DAYS.into_iter().rev().find(|days| now >= day(due_at, *days))?;
    let rung = format!("charge_{rung}");
    let is_made = made.iter().any(|attempt| attempt.kind == rung);
    if !made.iter().any(|attempt| attempt.instrument == *instrument) {
        // a new default is charged at once
        return Some(if is_made { format!("charge_{}", instrument.id()) } else { rung });
    }
    (!is_made && !is_barred(instrument, made)).then_some(rung)
}

/// Whether a decline has ended the charges of the instrument in this period: for good, or because its payer has to be
/// there.
pub fn is_barred(instrument: &Instrument, made: &[Attempt]) -> bool {
    made.iter().any(|attempt| attempt.instrument == *instrument && attempt.decline != Decline::Soft)
}

/// When the subscription is checked next, strictly after `now`.
pub fn next_check(row: &Subscription, now: Timestamp) -> Option<Timestamp> {
    let paid_end = row.term?.paid_end();
    match row.status {
        Status::Pending | Status::Expired => None,
        Status::Canceled => {
            let end = row.ends_at()?;
            [day(end, ENDING_NOTICE_DAY), end].into_iter().find(|at| *at > now)
        }
        Status::Active | Status::Suspended => {
            CHECK_DAYS.into_iter().map(|days| day(paid_end, days)).find(|at| *at > now)
        }
    }
}

/// As [`next_check`], for a row that was just written: one whose end has passed is checked right away, so that
/// periods are caught up one after the other.
pub fn first_check(row: &Subscription, now: Timestamp) -> Option<Timestamp> {
    let end = match row.status {
        Status::Canceled => row.ends_at(),
        _ => row.term.map(|term| term.paid_end()),
    };
    match (row.status, end) {
        (Status::Active | Status::Suspended | Status::Canceled, Some(end)) if end <= now => {
            Some(end)
        }
        _ => next_check(row, now),
    }
}

/// The reminder that stands for `now` and its name, unique in the period. `is_automatic`: a saved instrument pays.
/// Only the newest reminder counts: what was missed while nothing ran is not sent late.
pub fn reminder(
    row: &Subscription,
    now: Timestamp,
    is_automatic: bool,
) -> Option<(&'static str, NoticeKind)> {
    let due_at = row.term?.paid_end();
    let since = |days| now >= day(due_at, days);
    let long = row.cycle.months() > 1;
    let (name, notice) = match () {
        () if since(14) => ("reminder_14", NoticeKind::Expiring),
        () if since(7) => ("reminder_7", NoticeKind::Expiring),
        // the notice of the suspension stands here
        () if since(3) => return None,
        () if since(1) => ("reminder_1", NoticeKind::Due),
        () if since(0) => ("due", NoticeKind::Due),
        () if since(-1) => ("ahead_1", NoticeKind::Ahead),
        () if since(-3) => ("ahead_3", NoticeKind::Ahead),
        () if since(-7) && is_automatic && long => {
            return Some(("charge_notice", NoticeKind::Charge));
        }
        () if since(-7) => ("ahead_7", NoticeKind::Ahead),
        () => return None,
    };
    (!is_automatic).then_some((name, notice))
}

/// Whether the end of a canceled subscription is near enough to be told.
pub fn is_ending(row: &Subscription, now: Timestamp) -> bool {
    let is_near = |end| now >= day(end, ENDING_NOTICE_DAY) && now < end;
    row.status == Status::Canceled && row.ends_at().is_some_and(is_near)
}
