//! The lines of a price in the reader's order: their sum is the amount due, to the centavo.
//!
//! Pure. Called by `preview` (`Pricing::lines`); the golden cases of proration and of quotes assert the sum.

use super::proration::Settlement;
use crate::invoice::{Line, LineKind};
use crate::money::{Cents, MIN_CHARGE};

/// `charge` names the debit: a whole period, or the rest of one. Without money there are no lines.
pub fn lines(charge: LineKind, debit: Cents, credit: Cents, settlement: &Settlement) -> Vec<Line> {
    let zero = Cents::ZERO;
    let balance = debit - credit - settlement.net;
    let used = (debit - credit).clamp(zero, balance.max(zero));
    let owed = (-balance).max(zero);
    let left = debit - credit + owed - used;
    let carried = if left < MIN_CHARGE { left.max(zero) } else { zero };
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
