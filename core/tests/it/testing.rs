//! The tests' own ground: a database per test, and nothing left of it.

use bipe_core::testing::TestDb;

const MARK: &str = "INSERT INTO channel_heads (channel, epoch, seq) VALUES ('plans', 'x', 1)";
const MARKS: &str = "SELECT count(*) FROM channel_heads";

#[tokio::test]
async fn what_one_test_writes_no_other_sees() {
    let (first, second) = (TestDb::new().await, TestDb::new().await);
    let tx = first.db.tx().await.unwrap();
    tx.execute(MARK, &[]).await.unwrap();
    tx.commit().await.unwrap();
    let other_node = first.second_node().db;
    for (db, expected) in [(&first.db, 1), (&other_node, 1), (&second.db, 0)] {
        let tx = db.tx().await.unwrap();
        let row = tx.query_one(MARKS, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), expected);
    }
}

#[tokio::test]
async fn a_test_that_ends_takes_its_database_along() {
    let (test, witness) = (TestDb::new().await, TestDb::new().await);
    let name = test.config().get_dbname().unwrap().to_owned();
    // Still in use when the test ends.
    let tx = test.db.tx().await.unwrap();
    drop(test);
    assert!(tx.query(MARKS, &[]).await.is_err());
    let owner = witness.owner().await;
    let left = "SELECT FROM pg_database WHERE datname = $1";
    assert!(owner.query_opt(left, &[&name]).await.unwrap().is_none());
}
