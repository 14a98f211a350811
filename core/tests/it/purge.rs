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

/// Not a day less, and not a day more than the leap years among them.
const FIVE_YEARS: u32 = (5 * 365 + 2) * SECONDS_A_DAY;

#[tokio::test]
async fn the_audit_is_kept_for_five_years_and_nobody_else_deletes_from_it() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let insert = "INSERT INTO audit_entries (id, at, action, outcome) \
         VALUES (gen_random_uuid(), $1, $2, 'ok')";
    owner.execute(insert, &[&db.clock().now(), &"first"]).await.unwrap();
    db.clock().advance(1);
    owner.execute(insert, &[&db.clock().now(), &"second"]).await.unwrap();
    let left = async || -> Vec<String> {
        purge::run(db, &JobScope::of_this_process()).await.unwrap();
        let rows = owner.query("SELECT action FROM audit_entries ORDER BY at", &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    db.clock().advance(FIVE_YEARS - 1);
    assert_eq!(left().await, ["first", "second"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["second"]);
    for sql in ["DELETE FROM audit_entries", "UPDATE audit_entries SET outcome = 'failed'"] {
        let refused = owner.execute(sql, &[]).await.unwrap_err().to_string();
        assert!(refused.contains("db error"), "{refused}");
        for role in ["bipe_app", "bipe_platform"] {
            let tried = format!("BEGIN; SET LOCAL ROLE {role}; {sql}; COMMIT");
            assert!(owner.batch_execute(&tried).await.is_err(), "{role}: {sql}");
            owner.batch_execute("ROLLBACK").await.unwrap();
        }
    }
    assert_eq!(left().await, ["second"]);
}

#[tokio::test]
async fn consents_are_kept_with_the_account_and_five_years_after_its_erasure() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let now = db.clock().now();
    let people = "INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, status, \
         email_verified_at, anonymised_at, created_at, updated_at) \
         SELECT gen_random_uuid(), who, who || '@example.com', lpad(n::text, 11, '0'), '11987654321', '1990-04-12', '', \
         'active', $1, CASE who WHEN 'gone' THEN $1::timestamptz END, $1, $1 \
         FROM unnest(ARRAY['gone', 'here']) WITH ORDINALITY AS people (who, n)";
    owner.execute(people, &[&now]).await.unwrap();
    let consents = "INSERT INTO consents (id, user_id, kind, version, text_sha256, accepted_at, ip) \
         SELECT gen_random_uuid(), id, 'legal', name, '', created_at, '' FROM users";
    owner.execute(consents, &[]).await.unwrap();
    let left = async || -> Vec<String> {
        purge::run(db, &JobScope::of_this_process()).await.unwrap();
        let rows = owner.query("SELECT version FROM consents ORDER BY 1", &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    db.clock().advance(FIVE_YEARS);
    assert_eq!(left().await, ["gone", "here"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["here"]);
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
