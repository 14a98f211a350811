//! When a person was active, as the requests of that person write it down.

use bipe_core::id::UserId;
use bipe_core::scope::JobScope;
use bipe_core::testing::{TestDb, until_waiting};
use bipe_core::user::activity::RecentActivity;
use tokio_postgres::Client;

use crate::metrics::add_user;

/// A database with a person.
async fn with_person() -> (TestDb, UserId) {
    let test = TestDb::new().await;
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let id = UserId::new(test.db.clock());
    add_user(&tx, id, "user").await;
    tx.commit().await.unwrap();
    (test, id)
}

async fn spells(owner: &Client, id: UserId) -> i64 {
    let spells = "SELECT count(*) FROM activity_spells WHERE user_id = $1";
    owner.query_one(spells, &[&id]).await.unwrap().get(0)
}

#[tokio::test]
async fn an_act_whose_note_failed_is_noted_with_the_next_one() {
    let (test, id) = with_person().await;
    let (db, owner) = (&test.db, test.owner().await);
    let recent = RecentActivity::default();
    owner.batch_execute("ALTER TABLE activity_spells RENAME TO away").await.unwrap();
    recent.note(db, id).await.unwrap_err();
    owner.batch_execute("ALTER TABLE away RENAME TO activity_spells").await.unwrap();
    recent.note(db, id).await.unwrap();
    assert_eq!(spells(&owner, id).await, 1);
}

#[tokio::test]
async fn an_act_whose_caller_went_away_is_noted_with_the_next_one() {
    let (test, id) = with_person().await;
    let (holder, owner) = (test.owner().await, test.owner().await);
    let recent = RecentActivity::default();
    holder.batch_execute("BEGIN; LOCK TABLE activity_spells").await.unwrap();
    tokio::select! {
        noted = recent.note(&test.db, id) => panic!("{noted:?}"),
        () = until_waiting(&owner, 1) => {}
    }
    holder.batch_execute("COMMIT").await.unwrap();
    recent.note(&test.db, id).await.unwrap();
    assert_eq!(spells(&owner, id).await, 1);
}
