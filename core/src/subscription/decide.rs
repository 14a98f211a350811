//! Which command is allowed in which state: the table of docs/billing.md, "Subscription states".
//!
//! Pure; called by the commands of a company. `projection` has the rows of the table that time moves, `preview` the
//! prices. A command executes at once, or is refused until its payment has executed it.

use jiff::Timestamp;
use jiff::civil::Date;

use super::preview::{Pricing, PricingInput, price};
use super::projection::Projection;
use super::target::Target;
use super::{ChangeType, OpenPayment, Phase, Status, Subscription};
use crate::brazil::{end_of_day, local_date};
use crate::error::{Code, Detail, Error, FieldCode, Result};
use crate::money::Cents;

/// The call that chooses a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    Create,
    Upgrade,
    Downgrade,
    Renew,
}

/// Prices a choice that may be executed now.
///
/// # Errors
/// The refusals of the state table; `PaymentRequired` with what is due until the payment has executed it.
pub fn choose(
    input: &PricingInput,
    endpoint: Endpoint,
    target: &Target,
    open: Option<OpenPayment>,
    now: Timestamp,
) -> Result<Pricing> {
    let current = input.current.as_ref();
    let renews = current.is_some_and(|s| target.is_for(s.row.plan_id, s.row.cycle));
    gate(endpoint, current.map(|s| s.phase), renews)?;
    // Taking a cancellation back buys nothing, so it waits for no payment.
    let reactivates = renews && current.is_some_and(|s| s.phase == Phase::Canceled);
    if let Some(open) = open.filter(|_| !reactivates) {
        return Err(match target.is_for(open.plan_id, open.cycle) {
            true => Error::PaymentRequired { expected: open.amount },
            false => Error::Conflict(Code::PaymentInProgress, Detail::PaymentId(open.payment_id)),
        });
    }
    let pricing = price(input, target, now)?;
    if !fits(endpoint, pricing.change_type) {
        return Err(Error::conflict(Code::ChangeNotAllowed));
    }
    match pricing.amount_due() {
        Cents::ZERO => Ok(pricing),
        expected => Err(Error::PaymentRequired { expected }),
    }
}

/// What the state alone refuses; `None` is a company without a subscription.
fn gate(endpoint: Endpoint, phase: Option<Phase>, renews: bool) -> Result<()> {
    let inactive = || Err(Error::conflict(Code::SubscriptionNotActive));
    match (endpoint, phase) {
        (Endpoint::Create, None | Some(Phase::Pending | Phase::Expired)) => Ok(()),
        (Endpoint::Create, Some(_)) => Err(Error::conflict(Code::SubscriptionExists)),
        (Endpoint::Renew, None) => Err(Error::not_found()),
        (Endpoint::Upgrade, None) => inactive(),
        (Endpoint::Upgrade, Some(Phase::Expired)) if !renews => inactive(),
        (Endpoint::Downgrade, None | Some(Phase::Pending | Phase::Expired)) => inactive(),
        (Endpoint::Downgrade, Some(Phase::Free)) => Err(Error::conflict(Code::ChangeNotAllowed)),
        (Endpoint::Upgrade | Endpoint::Renew | Endpoint::Downgrade, Some(_)) => Ok(()),
    }
}

/// The direction has to be the endpoint's; a lateral move goes through both.
fn fits(endpoint: Endpoint, change: ChangeType) -> bool {
    match endpoint {
        Endpoint::Create => matches!(change, ChangeType::Creation | ChangeType::Renewal),
        Endpoint::Upgrade => change != ChangeType::Downgrade,
        Endpoint::Downgrade => matches!(change, ChangeType::Downgrade | ChangeType::Other),
        Endpoint::Renew => change == ChangeType::Renewal,
    }
}

/// Withdraws a scheduled downgrade; `None` when there is none, which is the same answer.
///
/// # Errors
/// `NotFound` without a subscription, `SUBSCRIPTION_NOT_ACTIVE` while its first payment is open.
pub fn withdraw(current: Option<&Projection>) -> Result<Option<Subscription>> {
    match current {
        None => Err(Error::not_found()),
        Some(Projection { phase: Phase::Pending, .. }) => {
            Err(Error::conflict(Code::SubscriptionNotActive))
        }
        Some(Projection { row, .. }) if row.pending_change.is_some() => {
            Ok(Some(Subscription { pending_change: None, ..row.clone() }))
        }
        Some(_) => Ok(None),
    }
}

/// When a cancellation takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndAt {
    PeriodEnd,
    Now,
    /// The end of a local day, at most `P`.
    Day(Date),
}

/// What a cancellation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// It was canceled already: the same answer.
    Unchanged,
    /// Runs on until `end_at`.
    Scheduled(Box<Subscription>),
    /// Ends at once (`change::end_now`).
    Ends,
}

/// # Errors
/// `NotFound`, `SUBSCRIPTION_NOT_ACTIVE`, or `effectiveDate` outside today to `P`.
pub fn cancel(
    current: Option<&Projection>,
    when: EndAt,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<Cancellation> {
    let Some(Projection { row, phase, .. }) = current else { return Err(Error::not_found()) };
    let invalid = || Error::invalid("effectiveDate", FieldCode::Invalid);
    let paid_end = row.term.map(|term| term.paid_end());
    match (phase, when, paid_end) {
        (Phase::Pending | Phase::Expired, ..) => Err(Error::conflict(Code::SubscriptionNotActive)),
        (_, EndAt::Now, _) => Ok(Cancellation::Ends),
        (Phase::Canceled, EndAt::PeriodEnd, _) => Ok(Cancellation::Unchanged),
        (Phase::Active | Phase::Canceled, when, Some(paid_end)) => {
            let end = match when {
                EndAt::Day(day) if day < local_date(now) || day > local_date(paid_end) => {
                    return Err(invalid());
                }
                EndAt::Day(day) => end_of_day(day).min(paid_end),
                EndAt::PeriodEnd | EndAt::Now => paid_end,
            };
            Ok(Cancellation::Scheduled(Box::new(Subscription {
                status: Status::Canceled,
                end_at: Some(end),
                canceled_at: Some(row.canceled_at.unwrap_or(now)),
                cancel_reason: reason.map(str::to_owned).or_else(|| row.cancel_reason.clone()),
                pending_change: None,
                ..row.clone()
            })))
        }
        (_, EndAt::PeriodEnd, _) => Ok(Cancellation::Ends),
        (_, EndAt::Day(_), _) => Err(invalid()),
    }
}
