//! When an alert counts, and when it is closed without a person.

use bipe_core::alert::{self, Alert, AlertKind};
use bipe_core::payment::check::rules;
use bipe_core::scope::JobScope;
use bipe_core::testing::{self, TestDb};
use metrics_exporter_prometheus::PrometheusBuilder;

#[tokio::test]
async fn an_alert_counts_once_its_transaction_has_committed() {
    let test = TestDb::new().await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let _counting = metrics::set_default_local_recorder(&recorder);
    let raise = async || {
        let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
        let kind = AlertKind::MetricsDrift;
        let alert = Alert { kind, company: None, subject: "arr", detail: "" };
        alert::raise(&tx, alert).await.unwrap();
        tx
    };
    raise().await.rollback().await.unwrap();
    let counted = recorder.handle().render();
    assert!(!counted.contains("bipe_alerts_total"), "{counted}");
    raise().await.commit().await.unwrap();
    let counted = recorder.handle().render();
    assert!(counted.contains(r#"bipe_alerts_total{kind="metrics.drift"} 1"#), "{counted}");
}

#[tokio::test]
async fn an_alert_that_is_raised_while_settled_ones_are_closed_stays() {
    let test = TestDb::new().await;
    let proof = JobScope::of_test();
    let raise = async |subject: &str| {
        let tx = test.db.platform_tx(&proof).await.unwrap();
        let kind = AlertKind::PaymentUnderReview;
        alert::raise(&tx, Alert { kind, company: None, subject, detail: "" }).await.unwrap();
        tx.commit().await.unwrap();
    };
    // Its payment is gone.
    raise("settled").await;
    let check = test.db.platform_tx(&proof).await.unwrap();
    let settled = rules::settled(&check).await.unwrap();
    raise("raised meanwhile").await;
    alert::close_each(&check, &settled).await.unwrap();
    let open = alert::open(&check).await.unwrap();
    let subjects: Vec<&str> = open.iter().map(|alert| alert.subject.as_str()).collect();
    assert_eq!(subjects, ["raised meanwhile"]);
}

/// A company's subscription whose charges were stopped, at `$2`.
const STOPPED: &str = "WITH stopped AS (INSERT INTO subscriptions (id, company_id, plan_id, billing_cycle, \
       price_cents, status, anchor_local, month, paid_until_month, started_at, created_at, updated_at) \
     SELECT gen_random_uuid(), $1, p.id, 'monthly', 9990, 'active', '2026-10-21 12:00', 0, 1, $2, $2, $2 \
     FROM (SELECT id FROM plans LIMIT 1) p RETURNING id, company_id, created_at) \
     INSERT INTO alerts (id, at, kind, company_id, subject, detail) \
     SELECT gen_random_uuid(), created_at, 'renewal.stopped', company_id, id::text, '' FROM stopped";
/// A period was paid so long after the charges were stopped.
macro_rules! paid {
    ($after:literal) => {
        concat!(
            "INSERT INTO renewal_steps (company_id, subscription_id, period_start, kind, at) \
             SELECT company_id, id, created_at, 'paid', created_at + interval '",
            $after,
            "' FROM subscriptions"
        )
    };
}

#[tokio::test]
async fn the_alert_of_stopped_charges_is_settled_once_a_period_is_paid_or_none_follows() {
    let ended = "UPDATE subscriptions SET status = 'expired', end_at = created_at";
    let free =
        "UPDATE subscriptions SET anchor_local = NULL, month = NULL, paid_until_month = NULL";
    for (happened, settled) in
        [(paid!("-1 second"), 0), (paid!("1 second"), 1), (ended, 1), (free, 1)]
    {
        let test = TestDb::new().await;
        let (db, owner) = (&test.db, test.owner().await);
        test.load_plans().await;
        let company = testing::company(&owner, db.clock(), "norte").await.id;
        owner.execute(STOPPED, &[&company, &db.clock().now()]).await.unwrap();
        owner.batch_execute(happened).await.unwrap();
        let check = db.platform_tx(&JobScope::of_test()).await.unwrap();
        assert_eq!(rules::settled(&check).await.unwrap().len(), settled, "{happened}");
    }
}
