//! Proration: the ledger of debited segments (docs/billing.md, "Proration").
//!
//! Every debit opens a segment. A change credits the part of the debit that stands for the time left, and debits the
//! new price for that time. A credit never exceeds the payment of its segment, a closed segment gives no credit again,
//! and what the payer got back in money is not credited too, before or after. Pure; called by `preview` and `change`.

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
    /// What went back of the money that paid for it. It counts as given back for the time left.
    #[serde(default, skip_serializing)]
    pub returned: Cents,
}

impl Segment {
    pub fn open(period: Period, paid: Cents) -> Self {
        Self {
            from: period.start,
            to: period.end,
            paid,
            credited: Cents::ZERO,
            returned: Cents::ZERO,
        }
    }

    /// Credits the time after `at` and closes the segment there; answers the credit.
    pub fn close(&mut self, at: Timestamp) -> Cents {
        let cut = at.max(self.from);
        if self.to <= cut {
            return Cents::ZERO;
        }
        let (left, whole) = (seconds(cut, self.to), seconds(self.from, self.to));
        let unused = self.paid.share(left, whole).min(self.paid - self.credited);
        let credit = (unused - self.returned).max(Cents::ZERO);
        self.credited += credit;
        self.to = cut;
        credit
    }

    /// How much of it the company got twice: as credit, and then as money.
    fn given_twice(&self) -> Cents {
        (self.credited + self.returned - self.paid).clamp(Cents::ZERO, self.credited)
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    to.as_second() - from.as_second()
}

/// Closes every open segment at `at`; how the credit of each one moves, in the order of the segments.
///
/// Money of a segment that was paid back after its rest had been credited is subtracted from the credits of this call,
/// at most all of them. The segment's own credit falls by the same amount, so the next call does not subtract it again.
pub fn close_all(segments: &mut [Segment], at: Timestamp) -> Vec<Cents> {
    let mut credits: Vec<Cents> = segments.iter_mut().map(|segment| segment.close(at)).collect();
    let mut left: Cents = credits.iter().copied().sum();
    for (segment, credit) in segments.iter_mut().zip(&mut credits) {
        let taken = segment.given_twice().min(left);
        segment.credited -= taken;
        *credit -= taken;
        left -= taken;
    }
    credits
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the period is left.
    fn credit(paid: i64, returned: i64) -> Cents {
        let at = |second| Timestamp::from_second(second).unwrap();
        let period = Period { start: at(0), end: at(100) };
        let mut segment =
            Segment { returned: Cents(returned), ..Segment::open(period, Cents(paid)) };
        let credit = segment.close(at(50));
        assert_eq!((segment.to, segment.credited), (at(50), credit));
        assert_eq!(segment.close(at(50)), Cents::ZERO, "a closed segment gives nothing");
        credit
    }

    #[test]
    fn what_went_back_in_money_counts_for_the_time_left() {
        assert_eq!(credit(19_990, 0), Cents(9_995));
        assert_eq!(credit(19_990, 1_000), Cents(8_995));
        assert_eq!(credit(19_990, 9_995), Cents::ZERO, "the time left was given back");
        assert_eq!(credit(19_990, 19_990), Cents::ZERO);
        assert_eq!(credit(19_990, 25_000), Cents::ZERO, "a surplus went back, too");
    }

    #[test]
    fn what_went_back_after_it_was_credited_is_taken_from_later_credits_once() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let period = |start| Period { start: at(start), end: at(100) };
        // Half of 4990 was credited by an upgrade; then all of it went back.
        let closed = Segment {
            to: at(50),
            credited: Cents(2_495),
            returned: Cents(4_990),
            ..Segment::open(period(0), Cents(4_990))
        };
        let mut segments = vec![closed, Segment::open(period(50), Cents(10_000))];
        assert_eq!(close_all(&mut segments, at(75)), [Cents(-2_495), Cents(5_000)]);
        segments.push(Segment::open(period(75), Cents(8_000)));
        let credits = close_all(&mut segments, at(75));
        assert_eq!(credits, [Cents::ZERO, Cents::ZERO, Cents(8_000)], "not twice");

        let mut segments = vec![closed, Segment::open(period(50), Cents(1_000))];
        assert_eq!(
            close_all(&mut segments, at(50)),
            [Cents(-1_000), Cents(1_000)],
            "what there is"
        );
        segments.push(Segment::open(period(50), Cents(9_000)));
        let credits = close_all(&mut segments, at(50));
        assert_eq!(credits, [Cents(-1_495), Cents::ZERO, Cents(9_000)], "then the rest");

        let served = Segment { returned: Cents(2_495), ..closed };
        let mut segments = vec![served, Segment::open(period(50), Cents(1_000))];
        let credits = close_all(&mut segments, at(50));
        assert_eq!(credits, [Cents::ZERO, Cents(1_000)], "only the part that was served went back");
    }
}
