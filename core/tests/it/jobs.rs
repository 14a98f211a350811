//! Which jobs a node claims, for how long, and what the end of a run leaves.

use bipe_core::gateway::webhook::Event;
use bipe_core::job::{self, JobCapacity, JobKind, Queue};
use bipe_core::testing::{TestDb, until_waiting};
use bipe_core::webhook_inbox::{self, ReceiveOutcome};
use futures_util::future::join;
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
    assert!(job::claim(db, JobCapacity::any(10)).await.unwrap().is_empty());
    owner.execute(ADD, &[&db.clock().uuid(), &"purge", &db.clock().now()]).await.unwrap();
    assert!(job::next_due(db).await.unwrap().unwrap() > long_due);
    let claimed: Vec<JobKind> =
        job::claim(db, JobCapacity::any(10)).await.unwrap().iter().map(|job| job.kind).collect();
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
        assert_eq!(job::claim(db, JobCapacity::any(10)).await.unwrap().len(), 1, "{kind}");
        let leased = "SELECT leased_until FROM jobs WHERE kind = $1";
        let leased: Timestamp = owner.query_one(leased, &[&kind]).await.unwrap().get(0);
        let lease = leased.duration_since(now).as_secs();
        assert!((minutes * 60..minutes * 60 + 30).contains(&lease), "{kind}: {lease} s");
    }
}

#[tokio::test]
async fn a_run_that_outlives_its_lease_leaves_the_lease_of_the_next_run() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let claim = async || job::claim(db, JobCapacity::any(10)).await.unwrap();
    owner.execute(ADD, &[&db.clock().uuid(), &"mail", &db.clock().now()]).await.unwrap();
    let first = claim().await;
    db.clock().advance(61);
    let second = claim().await;
    assert_eq!((first.len(), second.len()), (1, 1), "the lease of the first has ended");

    assert!(!job::finish(db, &first).await.unwrap(), "there is nothing to claim");
    job::put_off(db, &first[0], "late", Some(db.clock().now())).await.unwrap();
    assert!(claim().await.is_empty(), "the second still runs");

    // Added anew, it is free as soon as the run ends.
    owner.execute("UPDATE jobs SET attempts = 0", &[]).await.unwrap();
    assert!(job::finish(db, &second).await.unwrap());
    let third = claim().await;
    owner.execute("UPDATE jobs SET attempts = 0", &[]).await.unwrap();
    job::put_off(db, &third[0], "failed", None).await.unwrap();
    let fourth = claim().await;
    assert!(!job::finish(db, &fourth).await.unwrap());
    assert_eq!(job::next_due(db).await.unwrap(), None, "it is done");
}

#[tokio::test]
async fn a_job_that_is_added_anew_while_its_end_waits_can_be_claimed_at_once() {
    let test = TestDb::new().await;
    let (db, owner, watcher) = (&test.db, test.owner().await, test.owner().await);
    owner.execute(ADD, &[&db.clock().uuid(), &"wallet", &db.clock().now()]).await.unwrap();
    let claimed = job::claim(db, JobCapacity::any(10)).await.unwrap();
    owner.batch_execute("BEGIN; UPDATE jobs SET attempts = 0").await.unwrap();
    let committing = async {
        until_waiting(&watcher, 1).await;
        owner.batch_execute("COMMIT").await.unwrap();
    };
    let (stays, ()) = join(job::finish(db, &claimed), committing).await;
    assert!(stays.unwrap(), "there is something to claim");
    assert_eq!(job::claim(db, JobCapacity::any(10)).await.unwrap().len(), 1);
}

/// A commit takes one job back and puts the other one: it locks them in an order of its own.
#[tokio::test]
async fn jobs_that_are_done_go_also_when_they_and_a_commit_wait_in_a_circle() {
    let test = TestDb::new().await;
    let (db, owner, watcher) = (&test.db, test.owner().await, test.owner().await);
    for kind in ["renewal", "reconcile"] {
        owner.execute(ADD, &[&db.clock().uuid(), &kind, &db.clock().now()]).await.unwrap();
    }
    let claimed = job::claim(db, JobCapacity::any(10)).await.unwrap();
    assert_eq!(claimed.len(), 2);
    let lock = "SELECT id FROM jobs WHERE kind = $1 FOR UPDATE";
    owner.batch_execute("BEGIN").await.unwrap();
    owner.query_one(lock, &[&"renewal"]).await.unwrap();
    let committing = async {
        until_waiting(&watcher, 1).await;
        // The end of the jobs has waited for longer, and is given up.
        owner.query(lock, &[&"reconcile"]).await.ok();
        owner.batch_execute("ROLLBACK").await.unwrap();
    };
    let (stays, ()) = join(job::finish(db, &claimed), committing).await;
    assert!(!stays.unwrap(), "there is nothing to claim");
    let left = owner.query_one("SELECT count(*) FROM jobs", &[]).await.unwrap();
    assert_eq!(left.get::<_, i64>(0), 0);
}

#[tokio::test]
async fn each_queue_has_its_own_limit_and_payments_come_first() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    for kind in JobKind::ALL {
        owner.execute(ADD, &[&db.clock().uuid(), &kind.as_str(), &db.clock().now()]).await.unwrap();
    }
    let queues = async |all, mails, others, renewals| {
        let claimed = job::claim(db, JobCapacity { all, mails, others, renewals }).await.unwrap();
        owner.execute("UPDATE jobs SET leased_until = NULL", &[]).await.unwrap();
        claimed.iter().map(|job| job.kind.queue()).collect::<Vec<_>>()
    };
    let general = JobKind::ALL.iter().filter(|kind| kind.queue() == Queue::General).count();
    assert_eq!(queues(20, 0, 20, 0).await, vec![Queue::General; general]);
    assert_eq!(queues(20, 20, 0, 0).await, [Queue::Mails; 2]);
    assert_eq!(queues(20, 0, 20, 20).await.len(), general + 1);
    assert_eq!(queues(20, 1, 3, 20).await.len(), 4);
    assert_eq!(queues(2, 20, 20, 20).await, [Queue::General; 2]);
    assert_eq!(queues(20, 1, 0, 20).await, [Queue::Mails]);
    assert_eq!(queues(20, 20, 20, 20).await.len(), JobKind::ALL.len());
}

#[tokio::test]
async fn an_event_that_comes_in_is_claimed_as_it_is_stored_where_there_is_room() {
    let test = TestDb::new().await;
    let db = &test.db;
    let receive = async |id: &str, kind: &str, claims: bool| {
        let names = "01990000-0000-7000-8000-000000000001";
        let object = format!(
            r#"{{"id":"pi_1","metadata":{{"companyId":"{names}","paymentId":"{names}"}}}}"#
        );
        let body = format!(r#"{{"id":"{id}","type":"{kind}","data":{{"object":{object}}}}}"#);
        let event = Event::parse(body.as_bytes()).unwrap();
        webhook_inbox::receive(db, &event, &body, claims).await.unwrap()
    };
    let claimed = async || -> Vec<String> {
        let claimed = job::claim(db, JobCapacity::any(10)).await.unwrap();
        job::finish(db, &claimed).await.unwrap();
        claimed.into_iter().map(|job| job.key).collect()
    };
    let ReceiveOutcome::Claimed(job) = receive("evt_1", "payment_intent.succeeded", true).await
    else {
        panic!("not claimed");
    };
    assert_eq!((job.key.as_str(), job.attempts), ("evt_1", 0));
    assert!(claimed().await.is_empty(), "it is this node's already");
    assert!(!job::finish(db, &[job]).await.unwrap(), "as a claimed one");
    let again = receive("evt_1", "payment_intent.succeeded", true).await;
    assert!(matches!(again, ReceiveOutcome::Known), "{again:?}");

    let stored = receive("evt_2", "payment_intent.succeeded", false).await;
    assert!(matches!(stored, ReceiveOutcome::Stored), "{stored:?}");
    assert_eq!(claimed().await, ["evt_2"]);

    // The answer to the creation says the same.
    let waits = receive("evt_3", "payment_intent.requires_action", true).await;
    assert!(matches!(waits, ReceiveOutcome::Stored), "{waits:?}");
    assert!(claimed().await.is_empty());
    let due = job::next_due(db).await.unwrap().unwrap().duration_since(db.clock().now());
    assert!(due.is_positive() && due <= SignedDuration::from_secs(1), "{due}");
}
