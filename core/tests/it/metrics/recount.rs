//! Every card and every row of months against `history`, which counts for itself.

use bipe_core::metrics::period::Period;
use bipe_core::metrics::view::{Metric, NoValue};
use bipe_core::metrics::{report, store};
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;
use bipe_core::testing::recount::{compare_cards, compare_months};

use super::history::generated;

fn hundredths(metric: &Metric) -> Option<i64> {
    metric.value.map(|value| value.0)
}

#[tokio::test]
async fn every_card_equals_a_recount() {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let history = generated(&tx).await;
    let now = tx.now();
    let days = [(Some("2026-03-05"), Some("2026-08-20")), (Some("2026-11-01"), Some("2026-12-31"))];
    let mut periods: Vec<Period> = ["7d", "30d", "90d", "1y"]
        .map(|period| Period::parse(Some(period), (None, None), now).unwrap())
        .into();
    periods.extend(days.map(|days| Period::parse(None, days, now).unwrap()));
    for period in periods {
        compare_cards(&tx, period, &history).await;
    }
}

#[tokio::test]
async fn every_month_equals_a_recount() {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let history = generated(&tx).await;
    let period = Period::parse(Some("1y"), (None, None), tx.now()).unwrap();
    compare_months(&tx, &period, &history).await;
}

#[tokio::test]
async fn what_is_undefined_has_a_reason_and_is_never_zero() {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
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
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    generated(&tx).await;
    let heads = store::head_counts(&tx, &[tx.now()]).await.unwrap()[&tx.now()];
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
