//! The documents of what a subscription was charged: of a payment that bought something, of one that became credit, and
//! of a change for which nothing was charged.
//!
//! Pure. Called by `purchase`, `command` and `renewal`, which price and execute the same thing.

use jiff::Timestamp;

use super::change::Change;
use super::preview::Pricing;
use super::store::Cause;
use crate::id::{InvoiceId, QuoteId, UserId};
use crate::invoice::{Draft, InvoiceKind, InvoicePeriod, Line, LineKind, PaymentMeans};
use crate::money::Cents;
use crate::plan::{BillingCycle, Plan};

#[derive(Clone, Debug)]
pub struct SuccessfulPayment {
    /// PIX and boleto are priced again when they settle. A card counts as of the frozen instant.
    pub means: PaymentMeans,
    pub quote_id: QuoteId,
    pub amount: Cents,
    pub by: Option<UserId>,
    pub succeeded_at: Timestamp,
}

/// The payment made this change. What came in beyond the amount due stays as credit; what a person forgave lowers the
/// total.
pub fn of_purchase(
    paid: &SuccessfulPayment,
    plan: &Plan,
    pricing: &Pricing,
    change: &Change,
) -> Draft {
    let mut lines = pricing.lines();
    let beyond = paid.amount - pricing.amount_due();
    let kind = if beyond > Cents::ZERO { LineKind::CreditKept } else { LineKind::Forgiven };
    lines.extend((beyond != Cents::ZERO).then_some(Line { kind, amount: beyond }));
    Draft { lines, period: period(change), ..of_money(paid, plan, change.after.cycle) }
}

/// The payment bought nothing: all of it became credit.
pub fn of_credit(paid: &SuccessfulPayment, plan: &Plan, cycle: BillingCycle) -> Draft {
    let lines = vec![Line { kind: LineKind::CreditKept, amount: paid.amount }];
    Draft { lines, became_credit: true, ..of_money(paid, plan, cycle) }
}

fn of_money(paid: &SuccessfulPayment, plan: &Plan, cycle: BillingCycle) -> Draft {
    Draft {
        id: InvoiceId(paid.means.id.0),
        kind: InvoiceKind::Payment,
        at: paid.succeeded_at,
        by: paid.by,
        plan_name: plan.display_name.clone(),
        cycle,
        period: None,
        lines: Vec::new(),
        became_credit: false,
        payment: Some(paid.means.clone()),
    }
}

/// A change whose amount due is zero; none for one that moves no money, such as a downgrade that is scheduled.
pub fn of_change(
    id: InvoiceId,
    plan: &Plan,
    pricing: &Pricing,
    change: &Change,
    cause: &Cause,
) -> Option<Draft> {
    let lines = pricing.lines();
    (!lines.is_empty()).then(|| Draft {
        id,
        kind: InvoiceKind::Change,
        at: cause.at,
        by: cause.by,
        plan_name: plan.display_name.clone(),
        cycle: change.after.cycle,
        period: period(change),
        lines,
        became_credit: false,
        payment: None,
    })
}

fn period(change: &Change) -> Option<InvoicePeriod> {
    change.opened.map(|segment| InvoicePeriod { start: segment.from, end: segment.to })
}
