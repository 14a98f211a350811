//! A build beside a newer schema, as during a rolling deploy.

use bipe_core::db::access::Login;
use bipe_core::db::{is_ready, migrate};
use bipe_core::testing::TestDb;

#[tokio::test]
async fn a_build_serves_and_starts_on_a_newer_schema_until_that_one_no_longer_serves_it() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let login = Login::local(test.owner_config());
    assert!(is_ready(&test.db).await);
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
         SELECT max(version) + 1, 'newer', '2026-11-22T12:00:00Z', '1' FROM refinery_schema_history";
    owner.batch_execute(newer).await.unwrap();
    assert!(is_ready(&test.db).await);
    assert_eq!(migrate::migrate(&login).await.unwrap(), 0);

    let oldest =
        "UPDATE schema_window SET oldest = (SELECT max(version) FROM refinery_schema_history)";
    owner.batch_execute(oldest).await.unwrap();
    assert!(!is_ready(&test.db).await);
    let refused = migrate::migrate(&login).await.unwrap_err().to_string();
    assert!(refused.contains("start a newer one"), "{refused}");
}

#[tokio::test]
async fn a_build_waits_for_its_own_schema() {
    let test = TestDb::new().await;
    let owner = test.owner().await;
    let older = "DELETE FROM refinery_schema_history \
         WHERE version = (SELECT max(version) FROM refinery_schema_history)";
    owner.batch_execute(older).await.unwrap();
    assert!(!is_ready(&test.db).await);
}
