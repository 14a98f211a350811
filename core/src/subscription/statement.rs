//! The lines of a price in the reader's order: their sum is the amount due, to the centavo.
//!
//! Pure. Made of a price by `view`; the golden cases of proration and of quotes assert the sum.

use super::proration::Settlement;
use crate::money::{Cents, MIN_CHARGE};
use crate::words::words;

words! {
    #[schema(as = PriceLineKind)]
    pub enum LineKind {
        /// A whole period of the plan.
        Plan = "plan",
        /// The rest of the running period at the new price.
        Prorated = "prorated",
        /// What was paid for the time that is not used any more.
        ProratedCredit = "proratedCredit",
        /// Of the company's credit.
        CreditUsed = "creditUsed",
        /// Too small to be charged when it arose.
        CarriedOver = "carriedOver",
        /// Too small to be charged now: part of the next amount due.
        Carried = "carried",
        /// What the credits leave over; it stays as the company's credit.
        CreditKept = "creditKept",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    /// Negative where it lowers the total.
    pub amount: Cents,
}

/// `charge` names the debit: a whole period, or the rest of one. Without money there are no lines.
pub fn lines(charge: LineKind, debit: Cents, credit: Cents, settlement: &Settlement) -> Vec<Line> {
    let zero = Cents::ZERO;
    let balance = debit - credit - settlement.net;
    let used = (debit - credit).clamp(zero, balance.max(zero));
    let owed = (-balance).max(zero);
    let left = debit - credit + owed - used;
    let carried = if zero < left && left < MIN_CHARGE { left } else { zero };
    let kept = (-left).max(zero);
    [
        (charge, debit),
        (LineKind::ProratedCredit, -credit),
        (LineKind::CarriedOver, owed),
        (LineKind::CreditUsed, -used),
        (LineKind::CreditKept, kept),
        (LineKind::Carried, -carried),
    ]
    .into_iter()
    .filter(|(_, amount)| *amount != zero)
    .map(|(kind, amount)| Line { kind, amount })
    .collect()
}
