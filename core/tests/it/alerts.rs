//! When an alert counts.

use bipe_core::alert::{self, Alert, AlertKind};
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
