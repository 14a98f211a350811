//! What holds: always, and once nothing disturbs any more. The letters are those of docs/billing.md, "Invariants".

use std::collections::BTreeMap;

use bipe_core::gateway::IntentStatus;
use bipe_core::money::Cents;
use bipe_core::payment::PaymentState;
use bipe_core::payment::refund::RefundState;
use bipe_core::subscription::{CreditKind, Status, Subscription};
use bipe_simulator::search::{Broken, holds};
use jiff::Timestamp;

use crate::provider::{Charge, Provider};
use crate::rows::{Debit, JobKey, PaymentRow, Rows};

/// After every act.
///
/// # Errors
/// The rule that does not hold.
pub fn always(rows: &Rows, provider: &Provider) -> Result<(), Broken> {
    charged_once(rows, provider)?;
    books_balance(rows)?;
    for row in rows.payments.values().filter(|row| row.is_open()) {
        let id = row.payment.id;
        let has_timer = rows.jobs.contains_key(&JobKey::Reconcile(id));
        holds(has_timer, "P10: an open payment has a timer", || id.to_string())?;
    }
    for row in rows.subscriptions.iter().filter(|row| row.status != Status::Expired) {
        let ends = rows.jobs.contains_key(&JobKey::Renewal) || rows.slot().is_some();
        holds(row.term.is_none() || ends, "P10: a period has a timer", || format!("{row:?}"))?;
    }
    Ok(())
}

fn is_paid(charge: &&Charge) -> bool {
    charge.intent.status == IntentStatus::Succeeded
}

/// P1: one payment, and one renewal of one period by a job, are charged once.
fn charged_once(rows: &Rows, provider: &Provider) -> Result<(), Broken> {
    let mut charges: BTreeMap<_, u32> = BTreeMap::new();
    for charge in provider.charges.values().filter(is_paid) {
        let payment = charge.request.payment;
        let step = rows.charges.iter().find(|step| step.payment == payment);
        let intention = match step {
            Some(step) => format!("the period {} of {}", step.period_start, step.subscription),
            None => format!("payment {payment}"),
        };
        *charges.entry(intention).or_default() += 1;
    }
    let twice = charges.iter().find(|(_, count)| **count > 1);
    holds(twice.is_none(), "P1: nobody is charged twice for one intention", || format!("{twice:?}"))
}

/// P2, P8: what came in and took effect is what was debited less what was credited, and the balance.
fn books_balance(rows: &Rows) -> Result<(), Broken> {
    let applied = rows.payments.values().filter(|row| row.effects_at.is_some());
    let came_in: Cents = applied.map(|row| row.payment.situation.came_in()).sum();
    let debited: Cents = rows.debits.iter().map(|debit| debit.segment.paid).sum();
    let credited: Cents = rows.debits.iter().map(|debit| debit.segment.credited).sum();
    let balance = rows.balance();
    let expected = came_in - debited + credited + rows.forgiven;
    holds(balance == expected, "P8: the balance is what came in and was not debited", || {
        format!("{balance}, not {expected}: {came_in} came in, {debited} debited, {credited} back")
    })?;
    holds(balance > Cents(-50), "P8: the balance is not negative", || balance.to_string())?;
    for debit in &rows.debits {
        let segment = debit.segment;
        let is_part = Cents::ZERO <= segment.credited && segment.credited <= segment.paid;
        holds(is_part, "P8: no debit is credited twice", || format!("{segment:?}"))?;
        let overlaps = |other: &&Debit| {
            other.id != debit.id
                && other.subscription == debit.subscription
                && other.segment.from.max(segment.from) < other.segment.to.min(segment.to)
        };
        let other = rows.debits.iter().find(overlaps);
        holds(other.is_none(), "P8: debits of a subscription do not overlap", || {
            format!("{segment:?} and {other:?}")
        })?;
    }
    Ok(())
}

/// Once everything is settled.
///
/// # Errors
/// The rule that does not hold.
pub fn at_rest(rows: &Rows, provider: &Provider) -> Result<(), Broken> {
    always(rows, provider)?;
    for charge in provider.charges.values() {
        charge_is_known(rows, charge)?;
    }
    for row in rows.payments.values() {
        payment_is_true(rows, provider, row)?;
    }
    let intents = provider.charges.values().map(|charge| &charge.intent);
    let theirs: Cents = intents.map(|intent| intent.amount_received - intent.refunded).sum();
    let applied = rows.payments.values().filter(|row| row.effects_at.is_some());
    let kept = applied.map(|row| row.payment.situation.came_in() - row.payment.situation.refunded);
    let ours: Cents = kept.sum();
    holds(ours == theirs, "P3: what we keep is what came in less what went back", || {
        format!("{ours} here, {theirs} at the provider")
    })?;
    for row in rows.refunds.values() {
        let id = row.refund.id;
        let given = provider.refunds.iter().filter(|(named, ..)| *named == id).count();
        let expected = usize::from(row.refund.state == RefundState::Accepted);
        holds(given == expected, "a refund is given once, or refused", || {
            format!("{id} is {:?}, and was given {given} times", row.refund.state)
        })?;
    }
    rows.subscriptions.iter().try_for_each(|row| subscription_is_paid(rows, row, provider.now))
}

/// P9: what came in is never dropped.
fn charge_is_known(rows: &Rows, charge: &Charge) -> Result<(), Broken> {
    let (payment, intent) = (charge.request.payment, &charge.intent);
    let row = rows.payments.get(&payment);
    let is_ours = row.is_some_and(|row| row.payment.situation.intent.as_ref() == Some(&intent.id));
    let is_success = row
        .is_some_and(|row| matches!(row.payment.situation.state, PaymentState::Succeeded { .. }));
    let is_paid = intent.status == IntentStatus::Succeeded;
    holds(!is_paid || is_ours && is_success, "P9: money that came in is never dropped", || {
        format!("{} paid {payment}: {:?}", intent.id, row.map(|row| &row.payment.situation.state))
    })?;
    let waits = !matches!(intent.status, IntentStatus::Succeeded | IntentStatus::Canceled);
    let is_payable = waits && is_ours && row.is_some_and(|row| row.was_payable);
    holds(!is_payable, "what has ended cannot be paid any more", || {
        format!("{} is {:?}, {payment} is {row:?}", intent.id, intent.status)
    })
}

/// P2, P5: a success is one debit or one credit, and stands at the provider.
fn payment_is_true(rows: &Rows, provider: &Provider, row: &PaymentRow) -> Result<(), Broken> {
    let (id, situation) = (row.payment.id, &row.payment.situation);
    let debits = rows.debits.iter().filter(|debit| debit.payment == Some(id)).count();
    let credit = (id.to_string(), CreditKind::UnappliedPayment);
    let effects = debits + usize::from(rows.credits.contains_key(&credit));
    let is_success = matches!(situation.state, PaymentState::Succeeded { .. });
    holds(effects == usize::from(is_success), "P2: a success is one debit or one credit", || {
        format!("{id} is {:?} with {effects} effects", situation.state)
    })?;
    let charge = situation.intent.as_ref().and_then(|intent| provider.charges.get(intent));
    let stands = charge.is_some_and(|charge| {
        let intent = &charge.intent;
        intent.status == IntentStatus::Succeeded
            && intent.amount_received == row.payment.situation.came_in()
    });
    holds(!is_success || stands, "P5: a success stands at the provider", || format!("{row:?}"))?;
    let refunded = charge.map_or(Cents::ZERO, |charge| charge.intent.refunded);
    holds(situation.refunded == refunded, "P5: a payment shows what went back", || {
        format!("{id}: {refunded} went back, {} is shown", situation.refunded)
    })
}

/// P2: a subscription runs as long as its debits reach, and no paid time is left behind.
fn subscription_is_paid(rows: &Rows, row: &Subscription, now: Timestamp) -> Result<(), Broken> {
    let debited = rows.debits_of(row.id).map(|debit| debit.segment).filter(|s| s.from < s.to);
    let reached = debited.map(|segment| segment.to).max();
    let end = match (row.status, row.term) {
        (Status::Expired, _) => row.end_at,
        (_, term) => term.map(|term| term.paid_end()),
    };
    let is_paid = match (row.status, reached, end) {
        (Status::Pending, ..) => false,
        (Status::Expired, Some(reached), Some(end)) => reached <= end,
        (_, Some(reached), Some(end)) => reached == end,
        // a free plan: what was paid before is over
        (_, Some(reached), None) => reached <= now,
        (status, None, end) => end.is_none() || status == Status::Expired,
    };
    holds(is_paid, "P2: a subscription runs as long as it is paid", || {
        format!("{row:?} is debited until {reached:?}")
    })
}
