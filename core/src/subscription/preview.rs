//! The one pricing function: the kind, the cost and the effect of a choice at an instant
//! (docs/billing.md, "Direction of a change"; docs/billing.md, "Quotes").
//!
//! Called by `preview-change`, by payments and by the execution of a choice, so that the previewed amount is the
//! billed amount. Changes nothing.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::price_lines::lines;
use super::projection::Projection;
use super::proration::{Segment, Settlement, close_all, prorated};
use super::target::Target;
use super::{ChangeType, Phase, Subscription, Term};
use crate::error::{Code, Error, Result};
use crate::invoice::{Line, LineKind};
use crate::money::Cents;
use crate::payment_method::Method;
use crate::plan::Limits;

/// The next period can be bought this long before `P`.
const RENEWAL_WINDOW: SignedDuration = SignedDuration::from_hours(10 * 24);

/// What a company brings to a choice.
#[derive(Clone, Debug)]
pub struct PricingInput {
    /// The newest subscription at the instant of pricing.
    pub current: Option<Projection>,
    /// The monthly price of its plan as it stands in the catalogue: directions compare list prices.
    pub current_monthly: Cents,
    pub segments: Vec<Segment>,
    pub balance: Cents,
    /// The limits that the company keeps if it renews.
    pub own_limits: Option<Limits>,
    /// Members and open invites.
    pub seats: i64,
}

/// What a change does to the row (`change::execute`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// A first period from an anchor of its own: creation, free to paid, purchase after the end.
    Start,
    StartFree,
    /// Now, the period stays.
    InPeriod,
    /// Now, from a new anchor.
    NewAnchor,
    /// At `P`, as a pending change.
    Schedule,
    /// Now, without money; the price counts from the next period.
    Lateral,
    /// The period that began at `P`, anchor kept.
    PayDue,
    /// A due renewal that becomes the free plan instead.
    DropToFree,
    /// The period after the running one.
    Prepay,
    UndoCancellation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Warning {
    AmountCarried,
    BillingDayChanges,
    BoletoUnavailable,
    CancellationUndone,
    CreditKept,
    CreditUsed,
    PendingChangeDropped,
    PrepaidPeriodCredited,
    RenewalDue,
    UserLimitExceeded,
}

/// The price of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pricing {
    pub change_type: ChangeType,
    pub transition: Transition,
    /// The price that the subscription has afterwards: the list price, or its own for a renewal.
    pub price: Cents,
    pub debit: Cents,
    pub credit: Cents,
    pub settlement: Settlement,
    pub effective_at: Timestamp,
    pub next_billing_at: Option<Timestamp>,
    pub saved_a_year: Cents,
    pub warnings: BTreeSet<Warning>,
}

impl Pricing {
    pub fn amount_due(&self) -> Cents {
        self.settlement.amount_due
    }

    /// What the amount due is made of, in the reader's order.
    pub fn lines(&self) -> Vec<Line> {
        let charge = match self.transition {
            Transition::InPeriod => LineKind::Prorated,
            _ => LineKind::Plan,
        };
        lines(charge, self.debit, self.credit, &self.settlement)
    }

    /// What the credits leave over; it goes to the balance.
    pub fn refund(&self) -> Cents {
        (self.credit - self.debit).max(Cents::ZERO)
    }
}

/// Prices a choice at `t`.
///
/// # Errors
/// `PLAN_NOT_AVAILABLE` for what is not on sale, `CHANGE_NOT_ALLOWED` for a renewal outside its window.
pub fn price(input: &PricingInput, target: &Target, t: Timestamp) -> Result<Pricing> {
    let priced = match &input.current {
        None => start(target, t, ChangeType::Creation),
        Some(current) => {
            let row = &current.row;
            let renews = target.is_for(row.plan_id, row.cycle);
            match (current.phase, row.term) {
                (Phase::Pending, _) => start(target, t, ChangeType::Creation),
                (Phase::Expired, _) if renews => start(target, t, ChangeType::Renewal),
                (Phase::Expired, _) => start(target, t, ChangeType::Creation),
                (_, None) => from_free(row, target, t),
                (Phase::Due | Phase::Suspended, Some(term)) => due(input, row, term, target, t),
                (_, Some(term)) if renews => renewal(current, term, t),
                (_, Some(term)) => running(input, current, term, target, t),
            }
        }
    };
    priced.map(|draft| draft.finish(input, target))
}

/// What a choice costs and what the company gets back for it, before its balance.
#[derive(Clone, Copy, Default)]
struct Money {
    debit: Cents,
    credit: Cents,
}

impl Money {
    fn debit(debit: Cents) -> Self {
        Self { debit, credit: Cents::ZERO }
    }
}

/// A price before balance, savings and the warnings that every choice shares.
struct Draft {
    change_type: ChangeType,
    transition: Transition,
    price: Cents,
    /// `None` when no money is involved and the balance stays as it is.
    money: Option<Money>,
    effective_at: Timestamp,
    next_billing_at: Option<Timestamp>,
    warnings: Vec<Warning>,
}

impl Draft {
    fn finish(self, input: &PricingInput, target: &Target) -> Pricing {
        let balance = input.balance;
        let Money { debit, credit } = self.money.unwrap_or_default();
        let idle = Settlement { net: Cents::ZERO, amount_due: Cents::ZERO, balance_after: balance };
        let settlement = self.money.map_or(idle, |_| Settlement::of(debit, credit, balance));
        let due = settlement.amount_due;
        let is_below_boleto = due > Cents::ZERO && due < *Method::BankSlip.rules().amounts.start();
        let kept = input.own_limits.filter(|_| self.change_type == ChangeType::Renewal);
        let limits = kept.unwrap_or(target.limits);
        let mut warnings: BTreeSet<Warning> = self.warnings.into_iter().collect();
        let common = [
            (settlement.is_carried(), Warning::AmountCarried),
            (is_below_boleto, Warning::BoletoUnavailable),
            (credit > debit, Warning::CreditKept),
            (balance > Cents::ZERO && debit > credit, Warning::CreditUsed),
            (limits.is_exceeded_by(input.seats), Warning::UserLimitExceeded),
        ];
        warnings.extend(common.into_iter().filter_map(|(given, warning)| given.then_some(warning)));
        let reference = match &input.current {
            Some(current) if current.phase.is_running_paid() => current.row.arr(),
            _ => target.monthly.times(12),
        };
        let a_year = self.price.times(i64::from(12 / target.cycle.months()));
        Pricing {
            change_type: self.change_type,
            transition: self.transition,
            price: self.price,
            debit,
            credit,
            settlement,
            effective_at: self.effective_at,
            next_billing_at: self.next_billing_at,
            saved_a_year: (reference - a_year).max(Cents::ZERO),
            warnings,
        }
    }
}

fn on_sale(target: &Target) -> Result<()> {
    if target.is_on_sale { Ok(()) } else { Err(Error::conflict(Code::PlanNotAvailable)) }
}

fn refused<T>() -> Result<T> {
    Err(Error::conflict(Code::ChangeNotAllowed))
}

/// The first period of a subscription, at the full list price; nothing for a free plan.
fn start(target: &Target, t: Timestamp, change_type: ChangeType) -> Result<Draft> {
    on_sale(target)?;
    let term = Term::starting(t, target.cycle);
    Ok(Draft {
        change_type,
        transition: if target.is_free { Transition::StartFree } else { Transition::Start },
        price: target.price,
        money: (!target.is_free).then_some(Money::debit(target.price)),
        effective_at: t,
        next_billing_at: (!target.is_free).then(|| term.paid_end()),
        warnings: Vec::new(),
    })
}

/// A free plan opens no segment: the way to a paid one is a first period, also where the plan itself was given a price
/// since. It is not renewed.
fn from_free(row: &Subscription, target: &Target, t: Timestamp) -> Result<Draft> {
    if !target.is_free {
        return start(target, t, ChangeType::Upgrade);
    }
    if row.plan_id == target.plan_id {
        return refused();
    }
    let draft = start(target, t, ChangeType::Other)?;
    Ok(Draft { transition: Transition::Lateral, ..draft })
}

/// The choice for a period that began unpaid: its full price from `P`, or the free plan now.
fn due(
    input: &PricingInput,
    row: &Subscription,
    term: Term,
    target: &Target,
    t: Timestamp,
) -> Result<Draft> {
    let renews = target.is_for(row.plan_id, row.cycle);
    if !renews {
        on_sale(target)?;
    }
    let price = if renews { row.price } else { target.price };
    let draft = Draft {
        change_type: if renews { ChangeType::Renewal } else { direction(input, row, target) },
        transition: Transition::DropToFree,
        price,
        money: None,
        effective_at: t,
        next_billing_at: None,
        warnings: vec![Warning::RenewalDue],
    };
    if target.is_free {
        return Ok(draft);
    }
    Ok(Draft {
        transition: Transition::PayDue,
        money: Some(Money::debit(price)),
        effective_at: term.paid_end(),
        next_billing_at: Some(term.anchor.boundary(term.paid_until + target.cycle.months())),
        ..draft
    })
}

/// The same plan and cycle again: take a cancellation back, or buy the next period in its window.
fn renewal(current: &Projection, term: Term, t: Timestamp) -> Result<Draft> {
    let row = &current.row;
    let end = term.paid_end();
    let draft = Draft {
        change_type: ChangeType::Renewal,
        transition: Transition::UndoCancellation,
        price: row.price,
        money: None,
        effective_at: t,
        next_billing_at: Some(end),
        warnings: Vec::new(),
    };
    if current.phase == Phase::Canceled {
        return Ok(Draft { warnings: vec![Warning::CancellationUndone], ..draft });
    }
    if !is_renewal_open(row, t) {
        return refused();
    }
    Ok(Draft {
        transition: Transition::Prepay,
        money: Some(Money::debit(row.price)),
        effective_at: end,
        next_billing_at: Some(term.anchor.boundary(term.paid_until + row.cycle.months())),
        ..draft
    })
}

/// Another plan or cycle inside a paid period.
fn running(
    input: &PricingInput,
    current: &Projection,
    term: Term,
    target: &Target,
    t: Timestamp,
) -> Result<Draft> {
    on_sale(target)?;
    let row = &current.row;
    let change_type = direction(input, row, target);
    let mut warnings = Vec::new();
    if current.phase == Phase::Canceled {
        warnings.push(Warning::CancellationUndone);
    }
    let is_repeat = change_type == ChangeType::Downgrade
        && row.pending_change.is_some_and(|p| target.is_for(p.plan_id, p.cycle));
    if row.pending_change.is_some() && !is_repeat {
        warnings.push(Warning::PendingChangeDropped);
    }
    let mut draft = Draft {
        change_type,
        transition: Transition::Lateral,
        price: target.price,
        money: None,
        effective_at: t,
        next_billing_at: Some(term.paid_end()),
        warnings,
    };
    match change_type {
        ChangeType::Upgrade => upgrade(&mut draft, input, row, term, target),
        ChangeType::Downgrade => {
            draft.transition = Transition::Schedule;
            draft.effective_at = term.paid_end();
            draft.next_billing_at = (!target.is_free).then(|| term.paid_end());
        }
        ChangeType::Other | ChangeType::Creation | ChangeType::Renewal => {}
    }
    Ok(draft)
}

fn upgrade(
    draft: &mut Draft,
    input: &PricingInput,
    row: &Subscription,
    term: Term,
    target: &Target,
) {
    let t = draft.effective_at;
    let credit = close_all(&mut input.segments.clone(), t).into_iter().sum();
    if term.is_prepaid(row.cycle) {
        draft.warnings.push(Warning::PrepaidPeriodCredited);
    }
    if target.cycle == row.cycle {
        let period = term.current(row.cycle);
        draft.transition = Transition::InPeriod;
        draft.money = Some(Money { debit: prorated(target.price, period, t), credit });
        draft.next_billing_at = Some(period.end);
    } else {
        draft.transition = Transition::NewAnchor;
        draft.money = Some(Money { debit: target.price, credit });
        draft.next_billing_at = Some(Term::starting(t, target.cycle).paid_end());
        draft.warnings.push(Warning::BillingDayChanges);
    }
}

/// By the monthly list price, then by the length of the cycle; never by an annualised price. From a paid
/// subscription to a free plan it is down, whatever the paid one's plan costs by now.
fn direction(input: &PricingInput, row: &Subscription, target: &Target) -> ChangeType {
    if target.is_free {
        return ChangeType::Downgrade;
    }
    let current = (input.current_monthly, row.cycle.months());
    match (target.monthly, target.cycle.months()).cmp(&current) {
        Ordering::Greater => ChangeType::Upgrade,
        Ordering::Less => ChangeType::Downgrade,
        Ordering::Equal => ChangeType::Other,
    }
}

/// Whether the period after a paid one can be bought: one ahead at most, and never over a scheduled downgrade.
pub fn is_renewal_open(row: &Subscription, at: Timestamp) -> bool {
    row.term.is_some_and(|term| {
        let is_near = at >= term.paid_end() - RENEWAL_WINDOW;
        is_near && row.pending_change.is_none() && !term.is_prepaid(row.cycle)
    })
}
