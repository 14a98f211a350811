//! Proration: the ledger of debited segments (docs/billing.md, "Proration").
//!
//! Every debit opens a segment. A change credits the part of the debit that stands for the time left, and debits the
//! new price for that time. A credit never exceeds the payment of its segment, and a closed segment gives no credit
//! again. Pure; called by pricing alone.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::period::Period;
use crate::money::{Cents, MIN_CHARGE};

/// `paid` is the debit for `[from, to)` after discounts, however it was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub from: Timestamp,
    pub to: Timestamp,
    pub paid: Cents,
    pub credited: Cents,
}

impl Segment {
    pub fn open(period: Period, paid: Cents) -> Self {
        Self { from: period.start, to: period.end, paid, credited: Cents::ZERO }
    }

    /// Credits the time after `at` and closes the segment there; answers the credit.
    pub fn close(&mut self, at: Timestamp) -> Cents {
        let cut = at.max(self.from);
        if self.to <= cut {
            return Cents::ZERO;
        }
        let (left, whole) = (seconds(cut, self.to), seconds(self.from, self.to));
        let credit = self.paid.share(left, whole).min(self.paid - self.credited);
        self.credited += credit;
        self.to = cut;
        credit
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    to.as_second() - from.as_second()
}

/// Closes every open segment at `at`; the credits in the order of the segments.
pub fn close_all(segments: &mut [Segment], at: Timestamp) -> Vec<Cents> {
    segments.iter_mut().map(|segment| segment.close(at)).collect()
}

/// The debit for the rest of a running period at a new price. The whole period is the denominator,
/// whatever part of it was served before.
pub fn prorated(price: Cents, period: Period, at: Timestamp) -> Cents {
    price.share(period.remaining(at), period.seconds())
}

/// How a debit is settled against credits and the company's balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    /// `X = D - C - B`; negative when credit is left.
    pub net: Cents,
    /// What is charged: `X`, or nothing below the provider's minimum.
    pub amount_due: Cents,
    /// The balance once the change is executed and paid.
    pub balance_after: Cents,
}

impl Settlement {
    pub fn of(debit: Cents, credit: Cents, balance: Cents) -> Self {
        let net = debit - credit - balance;
        let amount_due = if net >= MIN_CHARGE { net } else { Cents::ZERO };
        Self { net, amount_due, balance_after: balance + credit - debit + amount_due }
    }

    /// A part below the minimum charge waits for the next amount due.
    pub fn is_carried(&self) -> bool {
        self.net > Cents::ZERO && self.amount_due == Cents::ZERO
    }
}
