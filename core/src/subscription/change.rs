//! Executes a choice that `preview` priced, and ends subscriptions. Gives the row afterwards, the ledgers and the
//! history.
//!
//! Pure; `store` writes the result in one transaction. The credit balance moves by exactly `C - D + amount paid`. A
//! part of the amount due that was not paid is forgiven, never charged later.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::period::Period;
use super::preview::{Pricing, PricingInput, Transition};
use super::projection::TimeStep;
use super::proration::{Segment, close_all};
use super::target::Target;
use super::{ChangeType, CreditKind, HistoryType, Movement, Status, Subscription, Term};
use crate::id::{CompanyId, SubscriptionId};
use crate::money::Cents;

/// Movements of the credit balance by kind, without zeros.
pub type Ledger = BTreeMap<CreditKind, Cents>;

/// What is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub after: Subscription,
    /// The company's segments, credited; same order as in the input.
    pub segments: Vec<Segment>,
    pub opened: Option<Segment>,
    /// The start of the period that this pays for as a renewal.
    pub renews: Option<Timestamp>,
    pub ledger: Ledger,
    pub history: HistoryType,
    /// Money that the step moved, for the history.
    pub amount: Option<Cents>,
    pub movement: Option<Movement>,
}

/// The facts of an execution that are not part of its price.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionFacts {
    pub company_id: CompanyId,
    /// For a row that does not exist yet.
    pub new_id: SubscriptionId,
    /// When the change takes place: the `t` of its price, or the success of a first payment.
    pub at: Timestamp,
    /// What came in, in money.
    pub paid: Cents,
    /// Whether the company ever had a paid interval.
    pub has_paid: bool,
}

/// Applies a priced choice.
pub fn execute(
    input: &PricingInput,
    target: &Target,
    pricing: &Pricing,
    facts: &ExecutionFacts,
) -> Change {
    let before = input.current.as_ref();
    let mut segments = input.segments.clone();
    let forgiven = (pricing.amount_due() - facts.paid).max(Cents::ZERO);
    // What was forgiven was never debited, so that it is never credited either. What is beyond the debit was carried
    // from before.
    let debited = (pricing.debit - forgiven).max(Cents::ZERO);
    let row = row_before(input, target, facts);
    let renews = match pricing.transition {
        Transition::PayDue | Transition::Prepay => row.term.map(|term| term.paid_end()),
        _ => None,
    };
    let (after, opened) = match row.term {
        Some(term) => on_term(row, term, target, pricing, facts),
        None => on_start(row, target, pricing, facts),
    };
    if matches!(pricing.transition, Transition::InPeriod | Transition::NewAnchor) {
        close_all(&mut segments, facts.at);
    }
    let arr_before = match before {
        Some(current) if current.phase.is_paying() => current.row.arr(),
        _ => Cents::ZERO,
    };
    Change {
        movement: Movement::between(arr_before, after.arr(), facts.has_paid),
        after,
        segments,
        opened: opened.map(|period| Segment::open(period, debited)),
        renews,
        ledger: settle(input.balance, pricing, facts.paid),
        history: history(pricing),
        amount: (facts.paid > Cents::ZERO).then_some(facts.paid),
    }
}

/// The row that the change works on: the running one, or a new one.
fn row_before(input: &PricingInput, target: &Target, facts: &ExecutionFacts) -> Subscription {
    match &input.current {
        Some(current) if current.row.status != Status::Expired => current.row.clone(),
        _ => {
            let plan = target.priced(target.price);
            Subscription::pending(facts.new_id, facts.company_id, plan, facts.at)
        }
    }
}

/// The row with the chosen plan, running, no cancellation and no pending change left.
fn chosen(row: Subscription, target: &Target, price: Cents) -> Subscription {
    Subscription {
        plan_id: target.plan_id,
        cycle: target.cycle,
        price,
        status: Status::Active,
        end_at: None,
        canceled_at: None,
        cancel_reason: None,
        pending_change: None,
        ..row
    }
}

fn on_start(
    row: Subscription,
    target: &Target,
    pricing: &Pricing,
    facts: &ExecutionFacts,
) -> (Subscription, Option<Period>) {
    let first = row.status == Status::Pending;
    let mut after = chosen(row, target, pricing.price);
    if first {
        after.started_at = facts.at;
    }
    if target.is_free {
        return (after, None);
    }
    let term = Term::starting(facts.at, target.cycle);
    after.term = Some(term);
    (after, Some(term.current(target.cycle)))
}

fn on_term(
    row: Subscription,
    term: Term,
    target: &Target,
    pricing: &Pricing,
    facts: &ExecutionFacts,
) -> (Subscription, Option<Period>) {
    let (step, paid_until) = (target.cycle.months(), term.paid_until);
    match pricing.transition {
        Transition::InPeriod => {
            let end = term.current(target.cycle).end;
            let term = Term { paid_until: term.month + step, ..term };
            let after = Subscription { term: Some(term), ..chosen(row, target, pricing.price) };
            (after, Some(Period { start: facts.at, end }))
        }
        Transition::NewAnchor | Transition::Start => {
            let term = Term::starting(facts.at, target.cycle);
            let after = Subscription { term: Some(term), ..chosen(row, target, pricing.price) };
            (after, Some(term.current(target.cycle)))
        }
        Transition::PayDue => {
            let term = Term { month: paid_until, paid_until: paid_until + step, ..term };
            let after = Subscription { term: Some(term), ..chosen(row, target, pricing.price) };
            (after, Some(term.current(target.cycle)))
        }
        Transition::Prepay => {
            let term = Term { paid_until: paid_until + step, ..term };
            let period = term.anchor.period(paid_until, step);
            (Subscription { term: Some(term), ..row }, Some(period))
        }
        Transition::DropToFree | Transition::StartFree => {
            (Subscription { term: None, ..chosen(row, target, pricing.price) }, None)
        }
        Transition::Lateral => (chosen(row, target, pricing.price), None),
        Transition::UndoCancellation => {
            let price = row.price;
            (chosen(row, target, price), None)
        }
        Transition::Schedule => {
            let after = Subscription {
                status: Status::Active,
                end_at: None,
                canceled_at: None,
                cancel_reason: None,
                pending_change: Some(target.priced(pricing.price)),
                ..row
            };
            (after, None)
        }
    }
}

fn history(pricing: &Pricing) -> HistoryType {
    match (pricing.transition, pricing.change_type) {
        (Transition::StartFree, _) => HistoryType::Created,
        (Transition::Schedule, _) => HistoryType::DowngradeScheduled,
        (Transition::UndoCancellation, _) => HistoryType::Reactivated,
        (_, ChangeType::Creation) => HistoryType::Activated,
        (_, ChangeType::Upgrade) => HistoryType::Upgraded,
        (_, ChangeType::Downgrade) => HistoryType::Downgraded,
        (_, ChangeType::Renewal) => HistoryType::Renewed,
        (_, ChangeType::Other) => HistoryType::Changed,
    }
}

/// The rows of the credit ledger. Their sum moves the balance from `B` to `B + C - D + paid + forgiven`.
fn settle(balance: Cents, pricing: &Pricing, paid: Cents) -> Ledger {
    let due = pricing.amount_due();
    let mut ledger = Ledger::new();
    let mut add = |kind, amount| *ledger.entry(kind).or_insert(Cents::ZERO) += amount;
    let moved = pricing.settlement.balance_after - balance;
    if moved > Cents::ZERO {
        // a surplus first fills what was carried
        let filled = moved.min((-balance).max(Cents::ZERO));
        add(CreditKind::Carried, filled);
        add(CreditKind::Proration, moved - filled);
    } else {
        let used = (-moved).min(balance.max(Cents::ZERO));
        add(CreditKind::Used, -used);
        add(CreditKind::Carried, moved + used);
    }
    add(CreditKind::Overpayment, (paid - due).max(Cents::ZERO));
    let short = (due - paid).max(Cents::ZERO);
    add(CreditKind::Carried, -short);
    add(CreditKind::Forgiven, short);
    ledger.retain(|_, amount| *amount != Cents::ZERO);
    ledger
}

/// A debit that was carried is forgiven when the subscription ends.
pub fn forgive(balance: Cents) -> Ledger {
    if balance < Cents::ZERO {
        Ledger::from([(CreditKind::Forgiven, -balance)])
    } else {
        Ledger::new()
    }
}

/// What a step that time took does to the credit; closes the segments that it credits.
pub fn settle_passed(step: &TimeStep, segments: &mut [Segment], balance: Cents) -> Ledger {
    let mut ledger = Ledger::new();
    if step.credits_rest {
        ledger.insert(CreditKind::EarlyEnd, close_all(segments, step.at).into_iter().sum());
    }
    if step.history == HistoryType::Expired {
        ledger.extend(forgive(balance + ledger.values().copied().sum()));
    }
    ledger
}

/// Ends a paid subscription at `at` and credits the paid time after it.
pub fn end_now(input: &PricingInput, row: &Subscription, at: Timestamp) -> Change {
    let mut segments = input.segments.clone();
    let credit: Cents = close_all(&mut segments, at).into_iter().sum();
    let mut ledger = forgive(input.balance + credit);
    if credit > Cents::ZERO {
        ledger.insert(CreditKind::EarlyEnd, credit);
    }
    let paying = input.current.as_ref().is_some_and(|current| current.phase.is_paying());
    let before = if paying { row.arr() } else { Cents::ZERO };
    Change {
        after: Subscription {
            status: Status::Expired,
            end_at: Some(at),
            canceled_at: Some(row.canceled_at.unwrap_or(at)),
            pending_change: None,
            ..row.clone()
        },
        segments,
        opened: None,
        renews: None,
        ledger,
        history: HistoryType::Canceled,
        amount: (credit > Cents::ZERO).then_some(credit),
        movement: Movement::between(before, Cents::ZERO, true),
    }
}
