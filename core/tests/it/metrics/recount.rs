//! Every card and every row of months against `history`, which counts for itself.

use bipe_core::metrics::period::{Month, Period};
use bipe_core::metrics::view::{Metric, MetricChange, NoValue};
use bipe_core::metrics::{report, store};
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;

use super::history::{Active, active, generated, rh};

fn hundredths(metric: &Metric) -> Option<i64> {
    metric.value.map(|value| value.0)
}

/// Value, change in tenths of a percent and direction, beside what they must be.
fn compare(name: &str, metric: &Metric, scale: i64, value: Option<i64>, previous: Option<i64>) {
    assert_eq!(hundredths(metric), value.map(|value| value * scale), "value of {name}");
    let change = match (value, previous) {
        (Some(value), Some(previous)) if previous != 0 => {
            Some(rh(1000 * i128::from(value - previous), previous.into()) * 10)
        }
        _ => None,
    };
    assert_eq!(metric.change.map(|change| change.0), change, "change of {name}");
    let fell = matches!((value, previous), (Some(value), Some(previous)) if value < previous);
    assert_eq!(metric.change_type == MetricChange::Decrease, fell, "direction of {name}");
    assert_eq!(
        metric.reason.is_some(),
        value.is_none(),
        "{name} has a reason when it has no value"
    );
}

#[tokio::test]
async fn every_card_equals_a_recount() {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_this_process()).await.unwrap();
    let history = generated(&tx).await;
    let now = tx.now();
    let days = [(Some("2026-03-05"), Some("2026-08-20")), (Some("2026-11-01"), Some("2026-12-31"))];
    let mut periods: Vec<Period> = ["7d", "30d", "90d", "1y"]
        .map(|period| Period::parse(Some(period), (None, None), now).unwrap())
        .into();
    periods.extend(days.map(|days| Period::parse(None, days, now).unwrap()));
    for period in periods {
        let (start, end) = (period.start, period.end);
        let before = start - (end.duration_since(start));
        let cards = report::facts(&tx, period.clone()).await.unwrap().cards();
        let label = |name: &str| format!("{name} in {}", period.label);
        let level = |name: &str, metric: &Metric, all: &[Active]| {
            compare(&label(name), metric, 100, Some(active(all, end)), Some(active(all, start)));
        };
        level("totalUsers", &cards.total_users, &history.users);
        level("totalCompanies", &cards.total_companies, &history.companies);
        level("totalSubscriptions", &cards.total_subscriptions, &history.subscriptions);
        let (mau, mau_before) = (history.mau(end), history.mau(start));
        compare(&label("mau"), &cards.mau, 100, Some(mau), Some(mau_before));
        let (mrr, mrr_before) = (history.mrr(end), history.mrr(start));
        compare(&label("mrr"), &cards.mrr, 1, Some(mrr), Some(mrr_before));
        let (arr, arr_before) = (history.arr(end), history.arr(start));
        compare(&label("arr"), &cards.arr, 1, Some(arr), Some(arr_before));
        let (churn, churn_before) = (history.churn(start, end), history.churn(before, start));
        compare(&label("churn"), &cards.churn, 1, churn, churn_before);
        compare(&label("ltv"), &cards.ltv, 1, history.ltv(end), history.ltv(start));
        let (cac, cac_before) = (history.cac(start, end), history.cac(before, start));
        compare(&label("cac"), &cards.cac, 1, cac, cac_before);
    }
}

#[tokio::test]
async fn every_month_equals_a_recount() {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_this_process()).await.unwrap();
    let history = generated(&tx).await;
    let period = Period::parse(Some("1y"), (None, None), tx.now()).unwrap();
    let months = period.months();
    assert_eq!((months.len(), months[12].end), (13, tx.now()));
    let revenue = report::revenue_rows(&tx, &period).await.unwrap();
    let churn = report::churn_rows(&tx, &period).await.unwrap();
    let users = report::user_rows(&tx, &period).await.unwrap();
    assert_eq!((revenue.len(), churn.len(), users.len()), (13, 13, 13));
    for (index, Month { start, end, first }) in months.into_iter().enumerate() {
        let name = first.strftime("%Y-%m").to_string();
        let (row, (won, given_up)) = (&revenue[index], history.gained(start, end));
        assert_eq!(row.month, name);
        assert_eq!(row.mrr.0.0, history.mrr(end), "mrr of {name}");
        assert_eq!((row.new_revenue.0.0, row.churned_revenue.0.0), (won, given_up), "{name}");
        let row = &churn[index];
        assert_eq!(row.canceled_subscriptions, history.lost(start, end), "left in {name}");
        let paying = i64::try_from(history.paying(start).len()).unwrap();
        assert_eq!((row.month.as_str(), row.total_subscriptions), (name.as_str(), paying));
        assert_eq!(row.churn_rate.map(|rate| rate.0), history.churn(start, end), "{name}");
        let row = &users[index];
        let new = history.verified.iter().filter(|at| start <= **at && **at < end).count();
        assert_eq!(row.new_users, i64::try_from(new).unwrap(), "new in {name}");
        assert_eq!(
            (row.mau, row.active_users),
            (history.mau(end), active(&history.users, end)),
            "{name}"
        );
    }
}

#[tokio::test]
async fn what_is_undefined_has_a_reason_and_is_never_zero() {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_this_process()).await.unwrap();
    let period = Period::parse(None, (None, None), tx.now()).unwrap();
    let cards = report::facts(&tx, period).await.unwrap().cards();
    for (metric, reason) in [
        (&cards.churn, NoValue::NoPayingCompanies),
        (&cards.ltv, NoValue::NoPayingCompanies),
        (&cards.cac, NoValue::NoNewCompanies),
    ] {
        assert_eq!((metric.value, metric.reason), (None, Some(reason)));
    }
    for metric in [&cards.mrr, &cards.arr, &cards.mau, &cards.total_users] {
        assert_eq!((hundredths(metric), metric.change, metric.reason), (Some(0), None, None));
    }
}

#[tokio::test]
async fn counted_heads_equal_the_rows() {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_this_process()).await.unwrap();
    generated(&tx).await;
    let heads = store::heads(&tx, &[tx.now()]).await.unwrap()[&tx.now()];
    for (table, counted) in [
        ("users", heads.users),
        ("companies", heads.companies),
        ("subscriptions", heads.subscriptions),
    ] {
        let count = format!("SELECT count(*) FROM {table} WHERE status = 'active'");
        let rows: i64 = tx.query_one(&count, &[]).await.unwrap().get(0);
        assert!(rows > 0);
        assert_eq!(counted, rows, "{table}");
    }
}
