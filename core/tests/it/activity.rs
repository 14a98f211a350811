//! When a person was active, as the requests of that person write it down.

use bipe_core::id::UserId;
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;
use bipe_core::user::activity::RecentActivity;

use crate::metrics::add_user;

#[tokio::test]
async fn an_act_whose_note_failed_is_noted_with_the_next_one() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let tx = db.platform_tx(&JobScope::of_test()).await.unwrap();
    let id = UserId::new(db.clock());
    add_user(&tx, id, "user").await;
    tx.commit().await.unwrap();
    let recent = RecentActivity::default();
    owner.batch_execute("ALTER TABLE activity_spells RENAME TO away").await.unwrap();
    recent.note(db, id).await.unwrap_err();
    owner.batch_execute("ALTER TABLE away RENAME TO activity_spells").await.unwrap();
    recent.note(db, id).await.unwrap();
    let spells = "SELECT count(*) FROM activity_spells WHERE user_id = $1";
    let spells: i64 = owner.query_one(spells, &[&id]).await.unwrap().get(0);
    assert_eq!(spells, 1);
}
