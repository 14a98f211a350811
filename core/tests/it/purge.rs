//! What has outlived its time goes, and nothing before it.

use bipe_core::auth::session;
use bipe_core::caller::Caller;
use bipe_core::db::PlatformTx;
use bipe_core::event::{Channel, EventName, NewEvent, store};
use bipe_core::id::UserId;
use bipe_core::purge;
use bipe_core::scope::JobScope;
use bipe_core::testing::{self, TestDb};
use tokio_postgres::Client;

use crate::statements;

const SECONDS_A_DAY: u32 = 24 * 3600;

/// What a run leaves, by its one column of text.
async fn left(test: &TestDb, owner: &Client, sql: &str) -> Vec<String> {
    purge::run(&test.db, &JobScope::of_test()).await.unwrap();
    owner.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn webhooks_are_kept_for_ninety_days_and_unhandled_ones_for_ever() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let now = db.clock().now();
    let insert = "INSERT INTO webhook_inbox (event_id, type, body, received_at, handled_at) \
         VALUES ('handled', 't', '{}', $1, $1), ('waiting', 't', '{}', $1, NULL)";
    owner.execute(insert, &[&now]).await.unwrap();
    let left = async || left(&test, &owner, "SELECT event_id FROM webhook_inbox ORDER BY 1").await;
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
    let left = async || left(&test, &owner, "SELECT action FROM audit_entries ORDER BY at").await;
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
         SELECT gen_random_uuid(), who, who || '@example.com', lpad(n::text, 11, '0'), '11987654321', '1990-04-12', \
         '', 'active', $1, CASE who WHEN 'gone' THEN $1::timestamptz END, $1, $1 \
         FROM unnest(ARRAY['gone', 'here']) WITH ORDINALITY AS people (who, n)";
    owner.execute(people, &[&now]).await.unwrap();
    let consents = "INSERT INTO consents (id, user_id, kind, version, text_sha256, accepted_at, ip) \
         SELECT gen_random_uuid(), id, 'legal', name, '', created_at, '' FROM users";
    owner.execute(consents, &[]).await.unwrap();
    let left = async || left(&test, &owner, "SELECT version FROM consents ORDER BY 1").await;
    db.clock().advance(FIVE_YEARS);
    assert_eq!(left().await, ["gone", "here"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["here"]);
}

#[tokio::test]
async fn an_account_that_was_never_verified_is_kept_for_seven_days_also_when_it_was_deactivated() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let now = db.clock().now();
    let people = "INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, status, \
         email_verified_at, anonymised_at, created_at, updated_at) \
         SELECT gen_random_uuid(), who, who || '@example.com', lpad(n::text, 11, '0'), '11987654321', '1990-04-12', \
         '', CASE who WHEN 'pending' THEN who WHEN 'verified' THEN 'active' ELSE 'inactive' END, \
         CASE who WHEN 'verified' THEN $1::timestamptz END, CASE who WHEN 'erased' THEN $1::timestamptz END, $1, $1 \
         FROM unnest(ARRAY['pending', 'deactivated', 'erased', 'verified']) WITH ORDINALITY AS people (who, n)";
    owner.execute(people, &[&now]).await.unwrap();
    let left = async || left(&test, &owner, "SELECT name FROM users ORDER BY name").await;
    db.clock().advance(7 * SECONDS_A_DAY);
    assert_eq!(left().await, ["deactivated", "erased", "pending", "verified"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["erased", "verified"]);
}

#[tokio::test]
async fn a_mail_that_was_given_up_is_kept_for_seven_days_and_other_jobs_for_ever() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let jobs = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at, dead_at) \
         SELECT gen_random_uuid(), kind, key, '{}', $1, $1, CASE WHEN key <> 'waits' THEN $1::timestamptz END \
         FROM (VALUES ('mail', 'dead'), ('code_mail', 'dead'), ('webhook', 'dead'), ('mail', 'waits')) AS v(kind, key)";
    owner.execute(jobs, &[&db.clock().now()]).await.unwrap();
    let left = async || left(&test, &owner, "SELECT kind || ' ' || key FROM jobs ORDER BY 1").await;
    db.clock().advance(7 * SECONDS_A_DAY);
    assert_eq!(left().await, ["code_mail dead", "mail dead", "mail waits", "webhook dead"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["mail waits", "webhook dead"]);
}

#[tokio::test]
async fn an_invitation_is_kept_for_ninety_days_past_its_end() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let company = testing::company(&owner, db.clock(), "Ponto Central").await;
    let invites = "INSERT INTO invites (id, company_id, email, role, token_sha256, invited_by, created_at, expires_at, \
         closed_at) SELECT gen_random_uuid(), $1, who, 'operator', who::bytea, $2, $3::timestamptz, \
         $3::timestamptz + interval '7 days', CASE who WHEN 'used' THEN $3::timestamptz END \
         FROM unnest(ARRAY['used', 'expired']) AS who";
    owner.execute(invites, &[&company.id, &company.admin, &db.clock().now()]).await.unwrap();
    let left = async || left(&test, &owner, "SELECT email FROM invites ORDER BY 1").await;
    db.clock().advance(90 * SECONDS_A_DAY);
    assert_eq!(left().await, ["expired", "used"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["expired"]);
    db.clock().advance(7 * SECONDS_A_DAY);
    assert!(left().await.is_empty());
}

/// What ends now, and how many days it is kept past that.
const KEPT: [(&str, u32, &str); 9] = [
    (
        "sessions",
        30,
        "(id, user_id, rotated_at, device, ip, created_at, last_used_at) SELECT who, who, ends, '', '', ends, ends",
    ),
    (
        "live_tickets",
        1,
        "(ticket_sha256, session_id, user_id, expires_at) SELECT '', who, who, ends",
    ),
    (
        "codes",
        1,
        "(user_id, purpose, code_mac, issued_at, expires_at) SELECT who, 'reset', '', ends, ends",
    ),
    ("factor_challenges", 1, "(challenge_sha256, purpose, expires_at) SELECT '', 'enroll', ends"),
    (
        "idempotency_keys",
        7,
        "(company_id, key, user_id, operation, body_sha256, created_at) SELECT company, '', who, '', '', ends",
    ),
    (
        "notifications",
        90,
        "(user_id, id, company_id, company_name, topic, source, at) \
         SELECT who, who, company, '', 'plan.changed', '', ends",
    ),
    ("known_networks", 90, "(user_id, network_mac, seen_at) SELECT who, '', ends"),
    ("payment_checks", 90, "(id, at, provider_asked, findings) SELECT who, ends, false, '[]'"),
    // A year past the day of every other bucket.
    ("rate_buckets", 366, "(action, key, tokens, filled_at) SELECT 'sign_in_row', '', 1, ends"),
];

#[tokio::test]
async fn everything_else_that_ends_is_kept_for_its_days_and_no_longer() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let company = testing::company(&owner, db.clock(), "norte").await;
    let now = db.clock().now();
    for (table, _, row) in KEPT {
        let insert = format!(
            "INSERT INTO {table} {row} \
             FROM (SELECT $1::uuid AS who, $2::uuid AS company, $3::timestamptz AS ends) AS it"
        );
        owner.execute(&insert, &[&company.admin, &company.id, &now]).await.unwrap();
    }
    let rows = KEPT.map(|(table, ..)| format!("SELECT '{table}' FROM {table}")).join(" UNION ALL ");
    let mut passed = 0;
    for day in [1, 7, 30, 90, 366] {
        let names = |kept: &dyn Fn(u32) -> bool| -> Vec<&str> {
            KEPT.iter().filter(|(_, days, _)| kept(*days)).map(|(table, ..)| *table).collect()
        };
        db.clock().advance(day * SECONDS_A_DAY - passed);
        assert_eq!(left(&test, &owner, &rows).await, names(&|days| days >= day), "day {day}");
        db.clock().advance(1);
        assert_eq!(left(&test, &owner, &rows).await, names(&|days| days > day), "day {day}");
        passed = day * SECONDS_A_DAY + 1;
    }
}

#[tokio::test]
async fn a_quote_is_kept_for_sixty_days_and_one_that_was_paid_for_stays() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    test.load_plans().await;
    let company = testing::company(&owner, db.clock(), "norte").await.id;
    let quotes = "INSERT INTO quotes (id, company_id, basis, change_type, list_monthly_cents, current_monthly_cents, \
         plan_id, billing_cycle, price_cents, amount_due_cents, frozen_at, expires_at) \
         SELECT gen_random_uuid(), $1, basis, 'creation', 0, 0, p.id, 'monthly', 9990, 9990, $2, $2 \
         FROM (SELECT id FROM plans LIMIT 1) p, unnest(ARRAY['left', 'paid']) AS basis";
    owner.execute(quotes, &[&company, &db.clock().now()]).await.unwrap();
    let payment = "INSERT INTO payments (id, company_id, state, method, amount_cents, currency, change_type, plan_id, \
         billing_cycle, quote_id, basis, frozen_at, provider, provider_key, provider_request, succeeded_at, \
         created_at, updated_at) SELECT id, company_id, 'succeeded', 'PIX', 9990, 'brl', 'creation', plan_id, \
         'monthly', id, '', frozen_at, 'stripe', 'key', '', frozen_at, frozen_at, frozen_at \
         FROM quotes WHERE basis = 'paid'";
    owner.execute(payment, &[]).await.unwrap();
    let left = async || left(&test, &owner, "SELECT basis FROM quotes ORDER BY 1").await;
    db.clock().advance(60 * SECONDS_A_DAY);
    assert_eq!(left().await, ["left", "paid"]);
    db.clock().advance(1);
    assert_eq!(left().await, ["paid"]);
}

/// July to December; no six months are longer.
const SIX_MONTHS: u32 = 184 * SECONDS_A_DAY;

#[tokio::test]
async fn an_access_is_known_for_six_months_and_its_session_for_thirty_days_past_its_end() {
    let test = TestDb::new().await;
    let (db, owner) = (&test.db, test.owner().await);
    let (person, now) = (db.clock().uuid(), db.clock().now());
    let insert = "INSERT INTO users (id, name, email, document, phone, birth_date, password_hash, status, \
         email_verified_at, created_at, updated_at) VALUES ($1, 'Ana', 'ana@example.com', '11144477735', \
         '11987654321', '1990-04-12', '', 'active', $2, $2, $2)";
    owner.execute(insert, &[&person, &now]).await.unwrap();
    let caller = Caller {
        ip: "203.0.113.7".into(),
        network: "203.0.113.7".into(),
        audit_network: "203.0.113.0".into(),
        device: "Firefox".into(),
        request_id: "r".into(),
    };
    let mut tx = db.tx().await.unwrap();
    session::start(&mut tx, UserId(person), &caller).await.unwrap();
    tx.commit().await.unwrap();
    let left = async || -> (i64, Vec<String>) {
        purge::run(db, &JobScope::of_test()).await.unwrap();
        let sessions = owner.query_one("SELECT count(*) FROM sessions", &[]).await.unwrap().get(0);
        let records = owner.query("SELECT ip FROM access_records", &[]).await.unwrap();
        (sessions, records.iter().map(|row| row.get(0)).collect())
    };
    let known = || vec!["203.0.113.7".to_owned()];
    db.clock().advance(30 * SECONDS_A_DAY);
    assert_eq!(left().await, (1, vec![]), "the session still tells");
    db.clock().advance(1);
    assert_eq!(left().await, (0, known()));
    for sql in ["DELETE FROM access_records", "UPDATE access_records SET ip = ''"] {
        let tx = db.tx().await.unwrap();
        assert!(tx.execute(sql, &[]).await.is_err(), "no request may {sql}");
    }
    db.clock().advance(SIX_MONTHS - 30 * SECONDS_A_DAY - 1);
    assert_eq!(left().await, (0, known()));
    db.clock().advance(1);
    assert_eq!(left().await, (0, vec![]));
}

fn tell(tx: &mut PlatformTx, key: &str) {
    tx.emit(NewEvent::new(Channel::Plans, EventName::PlanUpdated, key, &()).unwrap());
}

#[tokio::test]
async fn a_channel_loses_its_beginning_and_never_its_middle() {
    let test = TestDb::new().await;
    let (db, proof) = (&test.db, JobScope::of_test());
    let left = async || -> Vec<i64> {
        purge::run(db, &proof).await.unwrap();
        let tx = db.platform_tx(&proof).await.unwrap();
        let events = store::since(&tx, Channel::Plans, 0, 10).await.unwrap();
        events.iter().map(|event| event.seq).collect()
    };
    let mut first = db.platform_tx(&proof).await.unwrap();
    tell(&mut first, "first");
    first.commit().await.unwrap();
    // Begun before the clock was moved, committed after what began later.
    let mut slow = db.platform_tx(&proof).await.unwrap();
    db.clock().advance(2 * SECONDS_A_DAY);
    let mut quick = db.platform_tx(&proof).await.unwrap();
    tell(&mut quick, "quick");
    quick.commit().await.unwrap();
    tell(&mut slow, "slow");
    slow.commit().await.unwrap();
    let mut last = db.platform_tx(&proof).await.unwrap();
    tell(&mut last, "last");
    last.commit().await.unwrap();
    assert_eq!(left().await, [2, 3, 4]);
    db.clock().advance(SECONDS_A_DAY);
    assert_eq!(left().await, [2, 3, 4], "a day is whole");
    db.clock().advance(1);
    assert_eq!(left().await, Vec::<i64>::new());
}

#[tokio::test]
async fn a_long_channel_goes_in_batches_and_each_leaves_no_hole() {
    let test = TestDb::new().await;
    let (db, owner, proof) = (&test.db, test.owner().await, JobScope::of_test());
    // The clocks of two nodes differ: the instants of neighbours are out of order by a few seconds.
    let insert = "INSERT INTO events (channel, seq, name, key, data, at) SELECT 'plans', n, 'plan.updated', 'k', '{}', \
         $1::timestamptz + make_interval(secs => n + CASE n % 2 WHEN 0 THEN 4 ELSE 0 END) \
         FROM generate_series(1, 12001) n";
    let began = db.clock().now();
    owner.execute(insert, &[&began]).await.unwrap();
    let day_after = SECONDS_A_DAY + 11_000;
    db.clock().advance(day_after);
    let before = began.checked_add(jiff::SignedDuration::from_secs(11_000)).unwrap();
    let left = async || -> (i64, i64) {
        let row = "SELECT count(*), coalesce(min(seq), 0) FROM events WHERE channel = 'plans'";
        let row = owner.query_one(row, &[]).await.unwrap();
        (row.get(0), row.get(1))
    };
    let mut batches = 0;
    loop {
        let tx = db.platform_tx(&proof).await.unwrap();
        let gone = store::purge(&tx, before).await.unwrap();
        tx.commit().await.unwrap();
        let (count, first) = left().await;
        assert_eq!(count, 12_001 - (first - 1), "a hole behind {first}");
        if gone == 0 {
            break;
        }
        batches += 1;
    }
    let (count, first) = left().await;
    assert!((3..=5).contains(&batches), "{batches} batches");
    assert!((10_990..=11_000).contains(&first) && count > 1000, "{first}: {count}");
}

#[test]
fn no_statement_deletes_more_than_a_batch() {
    let all = statements::all();
    let deletes = |sql: &str| sql.contains("DELETE FROM ") || sql.starts_with("UPDATE ");
    let rules = all.iter().filter(|s| s.path == "purge.rs" && deletes(&s.sql));
    let (batches, whole): (Vec<_>, Vec<_>) = rules.partition(|s| s.sql.contains("LIMIT 5000"));
    assert!(batches.len() > 15, "{} rules are found", batches.len());
    let whole: Vec<&str> = whole.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(whole, [""; 0]);
}

#[tokio::test]
async fn more_than_one_run_deletes_is_left_for_the_next() {
    let test = TestDb::new().await;
    let (db, owner, proof) = (&test.db, test.owner().await, JobScope::of_test());
    let insert = "INSERT INTO rate_buckets (action, key, tokens, filled_at) \
         SELECT 'test', n::text, 1, $1 FROM generate_series(1, 500001) n";
    owner.execute(insert, &[&db.clock().now()]).await.unwrap();
    db.clock().advance(SECONDS_A_DAY + 1);
    let left = async || -> i64 {
        let count = "SELECT count(*) FROM rate_buckets";
        owner.query_one(count, &[]).await.unwrap().get(0)
    };
    assert!(!purge::run(db, &proof).await.unwrap());
    assert_eq!(left().await, 1);
    assert!(purge::run(db, &proof).await.unwrap());
    assert_eq!(left().await, 0);
}

#[tokio::test]
async fn a_rule_that_fails_stops_no_other() {
    let test = TestDb::new().await;
    let (db, owner, proof) = (&test.db, test.owner().await, JobScope::of_test());
    let old =
        "INSERT INTO rate_buckets (action, key, tokens, filled_at) VALUES ('test', 'k', 1, $1)";
    owner.execute(old, &[&db.clock().now()]).await.unwrap();
    owner
        .execute(
            "INSERT INTO payment_checks VALUES ($1, $2, false, '[]')",
            &[&db.clock().uuid(), &db.clock().now()],
        )
        .await
        .unwrap();
    // The first rule after the buckets, and the one before the checks.
    owner
        .batch_execute(
            "ALTER TABLE idempotency_keys RENAME TO away; ALTER TABLE quotes RENAME TO gone",
        )
        .await
        .unwrap();
    db.clock().advance(91 * SECONDS_A_DAY);
    assert!(purge::run(db, &proof).await.is_err(), "the failure is told all the same");
    let left = "SELECT (SELECT count(*) FROM rate_buckets) + (SELECT count(*) FROM payment_checks)";
    assert_eq!(owner.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0);
}
