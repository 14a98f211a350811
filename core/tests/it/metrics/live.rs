//! What is pushed to platform admins: one document for all nodes, paced by the clock, equal to the rows; activities
//! once each.

use bipe_core::db::Db;
use bipe_core::id::UserId;
use bipe_core::metrics::live::{self, LastPublished, Publication};
use bipe_core::metrics::{check, report};
use bipe_core::scope::JobScope;
use bipe_core::testing::TestDb;
use jiff::SignedDuration;
use serde_json::Value;

use super::add_user;

/// Somebody verified an account that many seconds ago, and it is committed now.
async fn grow(db: &Db, seconds_ago: i64) {
    let tx = db.platform_tx(&JobScope::of_test()).await.unwrap();
    let (id, at) = (UserId::new(db.clock()), tx.now() - SignedDuration::from_secs(seconds_ago));
    add_user(&tx, id, "user").await;
    let verify =
        "UPDATE users SET status = 'active', email_verified_at = $2, updated_at = $2 WHERE id = $1";
    tx.execute(verify, &[&id, &at]).await.unwrap();
    tx.commit().await.unwrap();
}

async fn look(db: &Db, memory: &mut LastPublished) -> Publication {
    live::publish(db, &JobScope::of_test(), memory).await.unwrap()
}

/// The data of the channel's events, oldest first.
async fn told(test: &TestDb, channel: &str) -> Vec<Value> {
    let sql = "SELECT data FROM events WHERE channel = $1 ORDER BY seq";
    let rows = test.owner().await.query(sql, &[&channel]).await.unwrap();
    rows.iter().map(|row| serde_json::from_str(row.get(0)).unwrap()).collect()
}

async fn users_told(test: &TestDb) -> Vec<i64> {
    let documents = told(test, "admin/metrics").await;
    documents.iter().map(|d| d["metrics"]["totalUsers"]["value"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn documents_of_all_nodes_together_are_half_a_second_apart() {
    let test = TestDb::new().await;
    let other = test.second_node().db;
    let (mut one, mut two) = (LastPublished::default(), LastPublished::default());
    let first = Publication::Counted { document: true, activities: 0 };
    assert_eq!(look(&test.db, &mut one).await, first);
    grow(&test.db, 10).await;
    assert_eq!(look(&test.db, &mut one).await, Publication::TooSoon);
    assert_eq!(look(&other, &mut two).await, Publication::TooSoon);
    assert_eq!(users_told(&test).await, [0]);
    test.db.clock().advance(1);
    let told = Publication::Counted { document: true, activities: 0 };
    assert_eq!(look(&other, &mut two).await, told, "the waiting change is not lost");
    let same = Publication::Counted { document: false, activities: 0 };
    assert_eq!(look(&test.db, &mut one).await, same);
    assert_eq!(users_told(&test).await, [0, 1]);
}

#[tokio::test]
async fn of_nodes_that_see_one_change_at_once_a_single_one_tells_it() {
    let test = TestDb::new().await;
    let other = test.second_node().db;
    let proof = JobScope::of_test();
    let (mut one, mut two) = (LastPublished::default(), LastPublished::default());
    look(&test.db, &mut one).await;
    for count in 1..=10_i64 {
        grow(&other, 10).await;
        test.db.clock().advance(1);
        let looks = futures_util::future::join(
            live::publish(&test.db, &proof, &mut one),
            live::publish(&other, &proof, &mut two),
        );
        let (a, b) = looks.await;
        let tells = |looked: &_| matches!(looked, Ok(Publication::Counted { document: true, .. }));
        assert_eq!([&a, &b].into_iter().filter(|looked| tells(looked)).count(), 1, "{a:?} {b:?}");
        assert_eq!(users_told(&test).await, (0..=count).collect::<Vec<_>>());
    }
    assert_eq!(told(&test, "admin/activity").await.len(), 10, "each activity once");
}

#[tokio::test]
async fn without_a_commit_nothing_is_counted_until_a_minute_has_passed() {
    let test = TestDb::new().await;
    let mut memory = LastPublished::default();
    grow(&test.db, 5).await;
    look(&test.db, &mut memory).await;
    test.db.take_statements();
    assert_eq!(look(&test.db, &mut memory).await, Publication::Quiet);
    let asked = test.db.take_statements();
    assert_eq!(asked.len(), 1, "{asked:?}");
    test.db.clock().advance(61);
    let again = Publication::Counted { document: false, activities: 0 };
    assert_eq!(look(&test.db, &mut memory).await, again);
    assert!(test.db.take_statements().len() > 3, "counted anew");
}

/// The cards of a look end before its instant.
#[tokio::test]
async fn what_is_committed_at_the_instant_of_a_look_or_ahead_of_it_is_not_taken_for_told() {
    let test = TestDb::new().await;
    let mut memory = LastPublished::default();
    look(&test.db, &mut memory).await;
    for (count, seconds_ahead) in [(1, 0), (2, 2)] {
        test.db.clock().advance(1);
        grow(&test.db, -seconds_ahead).await;
        look(&test.db, &mut memory).await;
        assert_eq!(users_told(&test).await.last(), Some(&(count - 1)));
        test.db.clock().advance(3);
        look(&test.db, &mut memory).await;
        assert_eq!(users_told(&test).await.last(), Some(&count), "{seconds_ahead} s ahead");
    }
}

#[tokio::test]
async fn a_count_that_moves_without_an_event_is_told() {
    let test = TestDb::new().await;
    let mut memory = LastPublished::default();
    grow(&test.db, 10).await;
    look(&test.db, &mut memory).await;
    test.db.clock().advance(2);
    let at = test.db.clock().now() - SignedDuration::from_secs(1);
    let close = "UPDATE users SET status = 'inactive', updated_at = $1";
    test.owner().await.execute(close, &[&at]).await.unwrap();
    look(&test.db, &mut memory).await;
    assert_eq!(users_told(&test).await, [1, 0]);
}

#[tokio::test]
async fn who_wakes_up_tells_what_a_list_shows_and_nothing_twice() {
    let test = TestDb::new().await;
    for _ in 0..12 {
        grow(&test.db, 0).await;
        test.db.clock().advance(1);
    }
    let mut memory = LastPublished::default();
    assert_eq!(
        look(&test.db, &mut memory).await,
        Publication::Counted { document: true, activities: 10 }
    );
    let tx = test.db.platform_tx(&JobScope::of_test()).await.unwrap();
    let mut list = serde_json::to_value(report::activities(&tx, 10).await.unwrap()).unwrap();
    tx.rollback().await.unwrap();
    let list = list.as_array_mut().unwrap();
    list.reverse();
    assert_eq!(&told(&test, "admin/activity").await, list, "oldest first");
    let nothing = Publication::Counted { document: false, activities: 0 };
    assert_eq!(look(&test.db, &mut LastPublished::default()).await, nothing);
    for _ in 0..11 {
        grow(&test.db, 0).await;
    }
    test.db.clock().advance(1);
    let all = Publication::Counted { document: true, activities: 11 };
    assert_eq!(look(&test.db, &mut memory).await, all, "awake, all of them");
    assert_eq!(told(&test, "admin/activity").await.len(), 21);
}

#[tokio::test]
async fn figures_that_differ_from_the_rows_are_an_alert_until_they_agree_again() {
    let test = TestDb::new().await;
    let (owner, proof) = (test.owner().await, JobScope::of_test());
    let open = async || -> Vec<String> {
        let sql = "SELECT subject FROM alerts WHERE kind = 'metrics.drift' AND closed_at IS NULL";
        owner.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    };
    let run = async || {
        test.db.clock().advance(1);
        check::run(&test.db, &proof).await.unwrap()
    };
    grow(&test.db, 10).await;
    assert_eq!(run().await, Some(vec![]));
    assert_eq!(users_told(&test).await, [1], "a stream that sleeps is checked too");
    for (step, found) in [(1, vec!["totalUsers"]), (-1, vec![])] {
        let at = test.db.clock().now() - SignedDuration::from_hours(1);
        let insert = "INSERT INTO head_counts (noun, at, step) VALUES ('users', $1, $2)";
        owner.execute(insert, &[&at, &step]).await.unwrap();
        assert_eq!(run().await.as_ref(), Some(&found));
        assert_eq!(open().await, found);
    }
    grow(&test.db, -5).await;
    let unsettled = check::run(&test.db, &proof).await.unwrap();
    assert_eq!((unsettled, open().await), (None, vec![]), "what is being written is waited for");
}
