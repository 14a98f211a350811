//! Recounts every card and every row of months by other means, for the tests of a generated past and of a year of a
//! demo. The ratios follow here from their definitions alone (docs/billing.md, "Metrics"); no function of the product
//! counts.

use jiff::{SignedDuration, Timestamp};

use crate::db::PlatformTx;
use crate::metrics::period::{CalendarInterval, Period};
use crate::metrics::report;
use crate::metrics::view::{Metric, MetricChange};

const DAYS_30: SignedDuration = SignedDuration::from_hours(720);

/// What somebody else counts. Levels are those just before `t`, windows are `[a, b)`; money in centavos.
pub trait Recount {
    /// Verified and active people.
    fn users(&self, t: Timestamp) -> i64;
    fn companies(&self, t: Timestamp) -> i64;
    fn subscriptions(&self, t: Timestamp) -> i64;
    fn mau(&self, t: Timestamp) -> i64;
    fn arr(&self, t: Timestamp) -> i64;
    /// Companies that pay.
    fn payers(&self, t: Timestamp) -> i64;
    /// Companies that pay at `a` and not at `b`.
    fn lost(&self, a: Timestamp, b: Timestamp) -> i64;
    /// Spend for each company that is new in the window.
    fn cac(&self, a: Timestamp, b: Timestamp) -> Option<i64>;
    /// Monthly centavos won and given up.
    fn gained(&self, a: Timestamp, b: Timestamp) -> (i64, i64);
    /// Accounts verified in the window.
    fn verified(&self, a: Timestamp, b: Timestamp) -> i64;

    fn mrr(&self, t: Timestamp) -> i64 {
        rh(self.arr(t).into(), 12)
    }

    /// Hundredths of a percent.
    fn churn(&self, a: Timestamp, b: Timestamp) -> Option<i64> {
        let cohort = i128::from(self.payers(a));
        (cohort > 0).then(|| rh(10_000 * i128::from(self.lost(a, b)), cohort))
    }

    /// Revenue of a company divided by the share that leaves in 30 days.
    fn ltv(&self, t: Timestamp) -> Option<i64> {
        let a = t - DAYS_30;
        let (cohort, paying) = (i128::from(self.payers(a)), i128::from(self.payers(t)));
        let lost = i128::from(self.lost(a, t));
        (paying * lost > 0).then(|| rh(i128::from(self.arr(t)) * cohort, 12 * paying * lost))
    }
}

/// Rounded half away from zero.
pub fn rh(n: i128, d: i128) -> i64 {
    super::must("a figure", i64::try_from(n.signum() * ((2 * n.abs() + d) / (2 * d))))
}

/// A figure beside its earlier value.
struct Expected {
    value: Option<i64>,
    previous: Option<i64>,
    /// Hundredths in one of its units.
    scale: i64,
}

/// All cards of the period.
pub async fn compare_cards(tx: &PlatformTx, period: Period, books: &impl Recount) {
    let (start, end, label) = (period.start, period.end, period.label.clone());
    let before = start - end.duration_since(start);
    let cards = super::must("the facts", report::facts(tx, period).await).cards();
    let level = |name: &str, metric: &Metric, scale, of: &dyn Fn(Timestamp) -> i64| {
        let expected = Expected { value: Some(of(end)), previous: Some(of(start)), scale };
        compare(&format!("{name} in {label}"), metric, &expected);
    };
    level("totalUsers", &cards.total_users, 100, &|t| books.users(t));
    level("totalCompanies", &cards.total_companies, 100, &|t| books.companies(t));
    level("totalSubscriptions", &cards.total_subscriptions, 100, &|t| books.subscriptions(t));
    level("mau", &cards.mau, 100, &|t| books.mau(t));
    level("mrr", &cards.mrr, 1, &|t| books.mrr(t));
    level("arr", &cards.arr, 1, &|t| books.arr(t));
    for (name, metric, value, previous) in [
        ("churn", &cards.churn, books.churn(start, end), books.churn(before, start)),
        ("ltv", &cards.ltv, books.ltv(end), books.ltv(start)),
        ("cac", &cards.cac, books.cac(start, end), books.cac(before, start)),
    ] {
        let expected = Expected { value, previous, scale: 1 };
        compare(&format!("{name} in {label}"), metric, &expected);
    }
}

/// Value, change in tenths of a percent, direction and the reason of what has none.
fn compare(name: &str, metric: &Metric, expected: &Expected) {
    let Expected { value, previous, scale } = *expected;
    let shown = metric.value.map(|value| value.0);
    assert_eq!(shown, value.map(|value| value * scale), "value of {name}");
    let change = match (value, previous) {
        (Some(value), Some(previous)) if previous != 0 => {
            Some(rh(1000 * i128::from(value - previous), previous.into()) * 10)
        }
        _ => None,
    };
    assert_eq!(metric.change.map(|change| change.0), change, "change of {name}");
    let fell = matches!((value, previous), (Some(value), Some(previous)) if value < previous);
    assert_eq!(metric.change_type == MetricChange::Decrease, fell, "direction of {name}");
    assert_eq!(metric.reason.is_some(), value.is_none(), "{name} has a reason without a value");
}

/// All rows of the year's thirteen months.
pub async fn compare_months(tx: &PlatformTx, year: &Period, books: &impl Recount) {
    let months = year.months();
    assert_eq!(months.last().map(|month| month.end), Some(year.end));
    let revenue = super::must("revenue", report::revenue_rows(tx, year).await);
    let churn = super::must("churn", report::churn_rows(tx, year).await);
    let users = super::must("people", report::user_rows(tx, year).await);
    assert_eq!([months.len(), revenue.len(), churn.len(), users.len()], [13; 4]);
    let rows = revenue.iter().zip(&churn).zip(&users);
    for (CalendarInterval { start, end, first, .. }, ((revenue, churn), users)) in
        months.into_iter().zip(rows)
    {
        let name = first.strftime("%Y-%m").to_string();
        assert_eq!([&revenue.month, &churn.month, &users.month], [&name; 3]);
        assert_eq!(revenue.mrr.0.0, books.mrr(end), "mrr of {name}");
        let moved = (revenue.new_revenue.0.0, revenue.churned_revenue.0.0);
        assert_eq!(moved, books.gained(start, end), "{name}");
        assert_eq!(churn.canceled_subscriptions, books.lost(start, end), "left in {name}");
        assert_eq!(churn.total_subscriptions, books.payers(start), "paid at the start of {name}");
        assert_eq!(churn.churn_rate.map(|rate| rate.0), books.churn(start, end), "{name}");
        let counted = (users.mau, users.new_users, users.active_users);
        let expected = (books.mau(end), books.verified(start, end), books.users(end));
        assert_eq!(counted, expected, "people of {name}");
    }
}
