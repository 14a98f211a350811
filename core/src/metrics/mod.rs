//! Revenue metrics of the platform, from the paying intervals of companies (`billing.md` section 11).
//!
//! Pure. Yearly values are exact sums of own prices; every figure is rounded once. What is undefined is
//! `None`, never zero or infinity. Windows are `[a, b)`, months and days those of America/Sao_Paulo.

pub mod view;

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::brazil::instant;
use crate::id::{CompanyId, UserId};
use crate::money::{Cents, rh};
use crate::plan::BillingCycle;
use crate::subscription::{Movement, MovementKind};

/// The churn behind the lifetime value is that of the last 30 days.
const LTV_WINDOW: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A company paying one price, `(from, to]`; open while it still pays. One that begins where another of
/// the same company ends is a change of price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub company: CompanyId,
    pub price: Cents,
    pub cycle: BillingCycle,
    pub from: Timestamp,
    pub to: Option<Timestamp>,
}

impl Interval {
    fn arr(&self) -> Cents {
        self.price.times(i64::from(12 / self.cycle.months()))
    }

    fn pays_at(&self, t: Timestamp) -> bool {
        self.from < t && self.to.is_none_or(|to| t <= to)
    }
}

/// Spend on winning customers in one month, given by its first day; spread evenly over its seconds.
#[derive(Clone, Copy, Debug)]
pub struct Spend {
    pub month: Date,
    pub amount: Cents,
}

/// A month of the revenue tables. Movements are yearly centavos.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthRow {
    pub start_arr: Cents,
    pub end_arr: Cents,
    pub movements: BTreeMap<MovementKind, Cents>,
    pub mrr: Cents,
    pub new_revenue: Cents,
    pub churned_revenue: Cents,
    /// Companies that paid at the start and not at the end.
    pub canceled: i64,
    /// Companies that paid at the start.
    pub total: i64,
    /// Hundredths of a percent.
    pub churn_bp: Option<i64>,
}

/// A figure beside its earlier value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    pub value: Option<i64>,
    pub previous: Option<i64>,
}

impl Figure {
    /// Tenths of a percent of the previous value.
    pub fn change_tenths(&self) -> Option<i64> {
        let (value, previous) = (self.value?, self.previous.filter(|previous| *previous != 0)?);
        ratio(1000 * (i128::from(value) - i128::from(previous)), i128::from(previous))
    }

    pub fn is_decrease(&self) -> bool {
        matches!((self.value, self.previous), (Some(value), Some(previous)) if value < previous)
    }
}

/// The revenue figures of the dashboard; rates in hundredths of a percent, the rest in centavos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dashboard {
    pub arr: Figure,
    pub mrr: Figure,
    pub churn_bp: Figure,
    pub ltv: Figure,
    pub cac: Figure,
    pub paying_companies: Figure,
    pub arpa: Figure,
}

/// The intervals of all companies.
#[derive(Clone, Copy, Debug)]
pub struct Revenue<'a>(pub &'a [Interval]);

impl Revenue<'_> {
    pub fn arr(&self, t: Timestamp) -> Cents {
        self.0.iter().filter(|interval| interval.pays_at(t)).map(Interval::arr).sum()
    }

    pub fn mrr(&self, t: Timestamp) -> Cents {
        self.arr(t).share(1, 12)
    }

    pub fn paying(&self, t: Timestamp) -> BTreeSet<CompanyId> {
        self.0.iter().filter(|interval| interval.pays_at(t)).map(|i| i.company).collect()
    }

    /// Monthly revenue of a paying company.
    pub fn arpa(&self, t: Timestamp) -> Option<i64> {
        ratio(i128::from(self.arr(t).0), 12 * count(&self.paying(t)))
    }

    /// Companies that paid at `a`, and those of them that do not at `b`.
    fn cohort(&self, a: Timestamp, b: Timestamp) -> (i128, i128) {
        let (before, after) = (self.paying(a), self.paying(b));
        (count(&before), count(&before.difference(&after).copied().collect()))
    }

    pub fn churn_bp(&self, a: Timestamp, b: Timestamp) -> Option<i64> {
        let (cohort, lost) = self.cohort(a, b);
        ratio(10_000 * lost, cohort)
    }

    /// What a company brings until it leaves; `margin` in percent.
    pub fn ltv(&self, t: Timestamp, margin: i64) -> Option<i64> {
        let (cohort, lost) = self.cohort(t - LTV_WINDOW, t);
        let paying = count(&self.paying(t));
        let earned = i128::from(self.arr(t).0) * cohort * i128::from(margin);
        ratio(earned, 12 * paying * lost * 100)
    }

    /// Spend in `[a, b)` for each company whose first ever interval begins in it.
    pub fn cac(&self, costs: &[Spend], a: Timestamp, b: Timestamp) -> Option<i64> {
        let mut first: BTreeMap<CompanyId, Timestamp> = BTreeMap::new();
        for interval in self.0 {
            let from = first.entry(interval.company).or_insert(interval.from);
            *from = interval.from.min(*from);
        }
        let won = first.values().filter(|from| a <= **from && **from < b).count();
        let (spent, parts) = spent(costs, a, b);
        ratio(spent, parts * i128::try_from(won).unwrap_or(0))
    }

    /// Sums of the movements in `[a, b)`, all kinds.
    pub fn movements(&self, a: Timestamp, b: Timestamp) -> BTreeMap<MovementKind, Cents> {
        let mut sums: BTreeMap<MovementKind, Cents> =
            MovementKind::ALL.iter().map(|kind| (*kind, Cents::ZERO)).collect();
        let mut add = |at: Timestamp, movement: Option<Movement>| {
            if let Some(movement) = movement.filter(|_| a <= at && at < b) {
                *sums.entry(movement.kind).or_default() += movement.arr;
            }
        };
        let mut by_company: BTreeMap<CompanyId, Vec<&Interval>> = BTreeMap::new();
        for interval in self.0 {
            by_company.entry(interval.company).or_default().push(interval);
        }
        for intervals in by_company.values_mut() {
            intervals.sort_by_key(|interval| interval.from);
            let mut last: Option<&Interval> = None;
            for interval in intervals {
                let before = last.filter(|last| last.to == Some(interval.from));
                let arr = before.map_or(Cents::ZERO, Interval::arr);
                add(interval.from, Movement::between(arr, interval.arr(), last.is_some()));
                if let (None, Some(gone)) = (before, last) {
                    leave(gone, &mut add);
                }
                last = Some(interval);
            }
            if let Some(gone) = last {
                leave(gone, &mut add);
            }
        }
        sums
    }

    /// The row of `[a, b)`; the running month ends now.
    pub fn month(&self, a: Timestamp, b: Timestamp) -> MonthRow {
        let movements = self.movements(a, b);
        let sum = |kinds: &[MovementKind]| -> Cents {
            kinds.iter().filter_map(|kind| movements.get(kind)).copied().sum()
        };
        use MovementKind::{Churn, Contraction, Expansion, New, Reactivation};
        let (total, canceled) = self.cohort(a, b);
        MonthRow {
            start_arr: self.arr(a),
            end_arr: self.arr(b),
            mrr: self.mrr(b),
            new_revenue: sum(&[New, Reactivation, Expansion]).share(1, 12),
            churned_revenue: sum(&[Churn, Contraction]).share(1, 12),
            canceled: i64::try_from(canceled).unwrap_or(i64::MAX),
            total: i64::try_from(total).unwrap_or(i64::MAX),
            churn_bp: self.churn_bp(a, b),
            movements,
        }
    }

    /// Levels against the window's start, ratios and flows against the equal window before.
    pub fn dashboard(
        &self,
        costs: &[Spend],
        margin: i64,
        now: Timestamp,
        window: SignedDuration,
    ) -> Dashboard {
        let (start, before) = (now - window, now - window - window);
        let level =
            |of: &dyn Fn(Timestamp) -> Option<i64>| Figure { value: of(now), previous: of(start) };
        let flow = |of: &dyn Fn(Timestamp, Timestamp) -> Option<i64>| Figure {
            value: of(start, now),
            previous: of(before, start),
        };
        Dashboard {
            arr: level(&|t| Some(self.arr(t).0)),
            mrr: level(&|t| Some(self.mrr(t).0)),
            churn_bp: flow(&|a, b| self.churn_bp(a, b)),
            ltv: level(&|t| self.ltv(t, margin)),
            cac: flow(&|a, b| self.cac(costs, a, b)),
            paying_companies: level(&|t| i64::try_from(self.paying(t).len()).ok()),
            arpa: level(&|t| self.arpa(t)),
        }
    }
}

fn leave(interval: &Interval, add: &mut impl FnMut(Timestamp, Option<Movement>)) {
    if let Some(to) = interval.to {
        add(to, Movement::between(interval.arr(), Cents::ZERO, true));
    }
}

/// Rounded once; `None` without a denominator.
fn ratio(n: i128, d: i128) -> Option<i64> {
    let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
    if d == 0 { None } else { i64::try_from(rh(n, d)).ok() }
}

fn count<T>(set: &BTreeSet<T>) -> i128 {
    i128::try_from(set.len()).unwrap_or(i128::MAX)
}

/// What was spent in `[a, b)`, as a fraction: months that lie inside are whole, those at the edges count
/// by their seconds.
fn spent(costs: &[Spend], a: Timestamp, b: Timestamp) -> (i128, i128) {
    costs.iter().fold((0, 1), |(n, d), spend| {
        let next = spend.month.saturating_add(1.month());
        let (from, to) = (instant(spend.month.at(0, 0, 0, 0)), instant(next.at(0, 0, 0, 0)));
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

/// Users who did something in the 30 days before now.
pub fn active_users(
    activity: impl IntoIterator<Item = (UserId, Timestamp)>,
    now: Timestamp,
) -> usize {
    let recent = |at: &Timestamp| now - LTV_WINDOW <= *at && *at < now;
    let users: BTreeSet<UserId> =
        activity.into_iter().filter(|(_, at)| recent(at)).map(|(user, _)| user).collect();
    users.len()
}
