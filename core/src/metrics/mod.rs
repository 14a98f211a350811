//! The platform's figures (docs/billing.md, "Metrics"): sums of the steps before an instant, and the ratios of
//! windows.
//!
//! Pure; `store` counts, `report` puts the answers together. Yearly values are exact sums of own prices. Every figure
//! is rounded once. An undefined figure is `None`, never zero or infinity. Windows are `[a, b)`; days and months are
//! those of America/Sao_Paulo.

pub mod check;
pub mod export;
pub mod live;
pub mod period;
pub mod report;
pub mod store;
pub mod view;

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use crate::brazil;
use crate::money::{Cents, Decimal, percent_change, rh};
use crate::subscription::MovementKind;

/// The churn behind the lifetime value is that of the last 30 days.
pub const LTV_DAYS: i64 = 30;
/// Percent of revenue that is kept.
pub const MARGIN: i64 = 100;

/// The movements of all companies before an instant, by kind: their yearly centavos and their number. A company
/// begins (`new`, `reactivation`) and stops (`churn`) in turns, so levels are differences of these sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovementSums(BTreeMap<MovementKind, (Cents, i64)>);

impl MovementSums {
    pub fn add(&mut self, kind: MovementKind, arr: Cents, count: i64) {
        let (sum, number) = self.0.entry(kind).or_default();
        *sum += arr;
        *number += count;
    }

    pub fn sum(&self, kind: MovementKind) -> Cents {
        self.0.get(&kind).map_or(Cents::ZERO, |(sum, _)| *sum)
    }

    fn count(&self, kind: MovementKind) -> i64 {
        self.0.get(&kind).map_or(0, |(_, count)| *count)
    }

    /// New, won back and expanded.
    fn gained(&self) -> Cents {
        use MovementKind::{Expansion, New, Reactivation};
        [New, Reactivation, Expansion].into_iter().map(|kind| self.sum(kind)).sum()
    }

    /// Left and contracted.
    fn given_up(&self) -> Cents {
        self.sum(MovementKind::Churn) + self.sum(MovementKind::Contraction)
    }

    /// Yearly revenue at the instant.
    pub fn arr(&self) -> Cents {
        self.gained() - self.given_up()
    }

    pub fn mrr(&self) -> Cents {
        self.arr().share(1, 12)
    }

    /// Companies that pay at the instant.
    pub fn paying(&self) -> i64 {
        use MovementKind::{Churn, New, Reactivation};
        self.count(New) + self.count(Reactivation) - self.count(Churn)
    }

    /// Only what moved since an earlier instant.
    pub fn since(&self, earlier: &Self) -> Self {
        let of = |(kind, (sum, count)): (&MovementKind, &(Cents, i64))| {
            (*kind, (*sum - earlier.sum(*kind), *count - earlier.count(*kind)))
        };
        Self(self.0.iter().map(of).collect())
    }
}

/// A window `[a, b)` of revenue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub start: MovementSums,
    pub end: MovementSums,
    /// Companies that paid at the start and not at the end.
    pub lost: i64,
}

impl Window {
    pub fn moved(&self) -> MovementSums {
        self.end.since(&self.start)
    }

    /// Monthly centavos won in the window.
    pub fn new_revenue(&self) -> Cents {
        self.moved().gained().share(1, 12)
    }

    /// Monthly centavos lost in the window.
    pub fn churned_revenue(&self) -> Cents {
        self.moved().given_up().share(1, 12)
    }

    /// Percent, with two places.
    pub fn churn(&self) -> Option<Decimal> {
        ratio(10_000 * i128::from(self.lost), i128::from(self.start.paying())).map(Decimal)
    }

    /// What a company brings until it leaves, from a window of [`LTV_DAYS`]; `margin` in percent.
    pub fn ltv(&self, margin: i64) -> Option<Cents> {
        let earned =
            i128::from(self.end.arr().0) * i128::from(self.start.paying()) * i128::from(margin);
        let companies = i128::from(self.end.paying()) * i128::from(self.lost);
        ratio(earned, 12 * companies * 100).map(Cents)
    }

    /// Spend in the window for each company whose first ever paid interval begins in it.
    pub fn cac(&self, costs: &[AcquisitionSpend], a: Timestamp, b: Timestamp) -> Option<Cents> {
        let (spent, parts) = spent(costs, a, b);
        ratio(spent, parts * i128::from(self.moved().count(MovementKind::New))).map(Cents)
    }
}

/// Spend on winning customers in one month, given by its first day; spread evenly over its seconds.
#[derive(Clone, Copy, Debug)]
pub struct AcquisitionSpend {
    pub month: Date,
    pub amount: Cents,
}

/// A figure beside its earlier value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    pub value: Option<Decimal>,
    pub previous: Option<Decimal>,
}

impl Figure {
    pub fn of(value: impl Into<Decimal>, previous: impl Into<Decimal>) -> Self {
        Self { value: Some(value.into()), previous: Some(previous.into()) }
    }

    /// An amount of money, where both may be undefined.
    pub fn of_cents(value: Option<Cents>, previous: Option<Cents>) -> Self {
        Self { value: value.map(Decimal::from), previous: previous.map(Decimal::from) }
    }

    /// Percent of the earlier value, with one place.
    pub fn change(&self) -> Option<Decimal> {
        percent_change(self.value?, self.previous?)
    }

    pub fn is_decrease(&self) -> bool {
        matches!((self.value, self.previous), (Some(value), Some(previous)) if value < previous)
    }
}

/// Rounded once; `None` without a denominator.
fn ratio(n: i128, d: i128) -> Option<i64> {
    if d <= 0 { None } else { i64::try_from(rh(n, d)).ok() }
}

/// What was spent in `[a, b)`, as a fraction: months that lie inside are whole, those at the edges count
/// by their seconds.
fn spent(costs: &[AcquisitionSpend], a: Timestamp, b: Timestamp) -> (i128, i128) {
    costs.iter().fold((0, 1), |(n, d), spend| {
        let next = spend.month.saturating_add(1.month());
        let (from, to) = (brazil::day_start(spend.month), brazil::day_start(next));
        let inside = b.min(to).as_second() - a.max(from).as_second();
        let whole = i128::from(to.as_second() - from.as_second());
        let inside = i128::from(inside.max(0));
        match inside == whole {
            true => (n + i128::from(spend.amount.0) * d, d),
            false if inside == 0 => (n, d),
            false => (n * whole + i128::from(spend.amount.0) * inside * d, d * whole),
        }
    })
}
