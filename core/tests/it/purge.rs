//! What has outlived its time goes, and nothing before it.

use bipe_core::purge;
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;

const SECONDS_A_DAY: u32 = 24 * 3600;

#[tokio::test]
async fn webhooks_are_kept_for_ninety_days_and_unhandled_ones_for_ever() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let now = db.clock().now();
    let insert = "INSERT INTO webhook_inbox (event_id, type, body, received_at, handled_at) \
         VALUES ('handled', 't', '{}', $1, $1), ('waiting', 't', '{}', $1, NULL)";
    owner.execute(insert, &[&now]).await.unwrap();
    let left = async || -> Vec<String> {
        purge::run(db, &JobScope::of_this_process()).await.unwrap();
        let rows = owner.query("SELECT event_id FROM webhook_inbox ORDER BY 1", &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    db.clock().advance(90 * SECONDS_A_DAY);
    assert_eq!(left().await, ["handled", "waiting"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["waiting"]);
}

#[tokio::test]
async fn the_purge_is_scheduled_once() {
    let test = TestDb::new().await;
    purge::schedule(&test.db).await.unwrap();
    purge::schedule(&test.db).await.unwrap();
    let count = "SELECT count(*) FROM jobs WHERE kind = 'purge'";
    let row = test.owner().await.query_one(count, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 1);
}
