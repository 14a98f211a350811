//! When an alert counts, and when it is closed without a person.

use bipe_core::alert::{self, Alert, AlertKind};
use bipe_core::payment::check::rules;
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;
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
