//! Which jobs a node claims, and for how long.

use bipe_core::job::{self, JobKind, Queue, Room};
use bipe_core::testing::TestDb;
use jiff::{SignedDuration, Timestamp};

const ADD: &str = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
     VALUES ($1, $2, 'key', 'null', $3, $3)";

#[tokio::test]
async fn a_job_of_a_kind_that_this_build_does_not_know_is_left_to_a_newer_node() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let long_due = db.clock().now() - SignedDuration::from_hours(1);
    owner.execute(ADD, &[&db.clock().uuid(), &"of_tomorrow", &long_due]).await.unwrap();
    assert_eq!(job::next_due(db).await.unwrap(), None);
    assert!(job::claim(db, Room::any(10)).await.unwrap().is_empty());
    owner.execute(ADD, &[&db.clock().uuid(), &"purge", &db.clock().now()]).await.unwrap();
    assert!(job::next_due(db).await.unwrap().unwrap() > long_due);
    let claimed: Vec<JobKind> =
        job::claim(db, Room::any(10)).await.unwrap().iter().map(|job| job.kind).collect();
    assert_eq!(claimed, [JobKind::Purge]);
    let left = "SELECT attempts, leased_until FROM jobs WHERE kind = 'of_tomorrow'";
    let left = owner.query_one(left, &[]).await.unwrap();
    assert_eq!((left.get::<_, i32>(0), left.get::<_, Option<Timestamp>>(1)), (0, None));
}

#[tokio::test]
async fn a_job_that_reads_whole_tables_is_claimed_for_longer() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let now = db.clock().now();
    for (kind, minutes) in [("mail", 1), ("payment_check", 30), ("missing_documents", 30)] {
        owner.execute(ADD, &[&db.clock().uuid(), &kind, &now]).await.unwrap();
        assert_eq!(job::claim(db, Room::any(10)).await.unwrap().len(), 1, "{kind}");
        let leased = "SELECT leased_until FROM jobs WHERE kind = $1";
        let leased: Timestamp = owner.query_one(leased, &[&kind]).await.unwrap().get(0);
        let lease = leased.duration_since(now).as_secs();
        assert!((minutes * 60..minutes * 60 + 30).contains(&lease), "{kind}: {lease} s");
    }
}

#[tokio::test]
async fn each_queue_has_its_own_limit_and_mails_come_first() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    for kind in JobKind::ALL {
        owner.execute(ADD, &[&db.clock().uuid(), &kind.as_str(), &db.clock().now()]).await.unwrap();
    }
    let queues = async |all, mails, others, renewals| {
        let claimed = job::claim(db, Room { all, mails, others, renewals }).await.unwrap();
        owner.execute("UPDATE jobs SET leased_until = NULL", &[]).await.unwrap();
        claimed.iter().map(|job| job.kind.queue()).collect::<Vec<_>>()
    };
    let general = JobKind::ALL.iter().filter(|kind| kind.queue() == Queue::General).count();
    assert_eq!(queues(20, 0, 20, 0).await, vec![Queue::General; general]);
    assert_eq!(queues(20, 20, 0, 0).await, [Queue::Mails; 2]);
    assert_eq!(queues(20, 0, 20, 20).await.len(), general + 1);
    assert_eq!(queues(20, 1, 3, 20).await.len(), 4);
    assert_eq!(queues(2, 20, 20, 20).await, [Queue::Mails; 2]);
    assert_eq!(queues(20, 20, 20, 20).await.len(), JobKind::ALL.len());
}
