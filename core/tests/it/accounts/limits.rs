//! Limits that hold at once, across nodes and after a kill.

use bipe_core::auth::code::Purpose;
use bipe_core::error::{Code, Error};
use bipe_core::purge;
use bipe_core::rate_limit;
use bipe_core::scope::JobScope;
use bipe_core::user::Email;

use super::{Bench, PASSWORD, caller, other_than};

#[tokio::test]
async fn a_prober_is_stopped_before_any_look_up() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let prober = caller("10.9.9.9");
    for _ in 0..10 {
        let told = bench.register_from("ana@example.com", "52998224725", &prober).await;
        assert_eq!(told.unwrap_err().code(), Code::EmailExists);
    }
    let known = bench.register_from("ana@example.com", "52998224725", &prober).await.unwrap_err();
    let unknown = bench.register_from("new@example.com", "52998224725", &prober).await.unwrap_err();
    assert_eq!(known.code(), Code::RateLimited);
    assert_eq!(format!("{known:?}"), format!("{unknown:?}"), "429 tells nothing");
    bench.register("other@example.com", "52998224725").await.unwrap();
}

/// The tokens of the answers are held for longer than a statement waits for them, as by an answer that is under way.
#[tokio::test]
async fn a_prober_who_asks_much_at_once_learns_no_more() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let prober = caller("10.9.9.9");
    let register = |email| bench.register_from(email, "52998224725", &prober);
    let told = register("ana@example.com").await.unwrap_err();
    assert_eq!(told.code(), Code::EmailExists);
    let mut owner = bench.test.owner().await;
    let busy = owner.transaction().await.unwrap();
    let empty = "UPDATE rate_buckets SET tokens = 0 WHERE action = 'existence'";
    busy.execute(empty, &[]).await.unwrap();
    let (known, unknown) =
        futures_util::future::join(register("ana@example.com"), register("new@example.com")).await;
    let codes = [known.unwrap_err().code(), unknown.unwrap_err().code()];
    assert_eq!(codes, [Code::ServiceUnavailable; 2]);
    let verify = |email| bench.verify(email, "000000", &prober);
    let (known, unknown) =
        futures_util::future::join(verify("ana@example.com"), verify("new@example.com")).await;
    let codes = [known.unwrap_err().code(), unknown.unwrap_err().code()];
    assert_eq!(codes, [Code::ServiceUnavailable; 2]);
}

#[tokio::test]
async fn what_tells_nothing_costs_no_answer() {
    let bench = Bench::new().await;
    let from = caller("10.9.9.9");
    bench.register_from("ana@example.com", "11144477735", &from).await.unwrap();
    let code = bench.code("ana@example.com").await;
    let wrong = bench.verify("ana@example.com", &other_than(&code), &from).await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidVerificationCode);
    bench.verify("ana@example.com", &code, &from).await.unwrap();
    let left = "SELECT tokens FROM rate_buckets WHERE action IN ('existence', 'existence_day') \
         ORDER BY action";
    let rows = bench.test.owner().await.query(left, &[]).await.unwrap();
    let tokens: Vec<f64> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(tokens, [10.0, 60.0]);
}

#[tokio::test]
async fn a_resend_within_a_minute_sends_nothing() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    assert_eq!(bench.mails("ana@example.com").await.len(), 1);
    bench.advance(59);
    bench.ask_code("ana@example.com", Purpose::Verification).await.unwrap();
    assert_eq!(bench.mails("ana@example.com").await.len(), 1);
    bench.advance(1);
    bench.ask_code("ana@example.com", Purpose::Verification).await.unwrap();
    assert_eq!(bench.mails("ana@example.com").await.len(), 2);
    bench.ask_code("nobody@example.com", Purpose::Reset).await.unwrap();
    assert!(bench.mails("nobody@example.com").await.is_empty());
}

#[tokio::test]
async fn code_mails_end_after_five_an_hour() {
    let bench = Bench::new().await;
    for _ in 0..5 {
        bench.ask_code("nobody@example.com", Purpose::Reset).await.unwrap();
        bench.advance(60);
    }
    // Told as often as somebody asks: no silence says that a mail is on its way.
    for _ in 0..2 {
        let refused = bench.ask_code("nobody@example.com", Purpose::Reset).await.unwrap_err();
        assert!(matches!(refused, Error::TooMany { .. }), "{refused}");
    }
}

/// A code mail that holds the pause gives its tokens back to the address: neither then waits for the other.
#[tokio::test]
async fn a_sign_up_that_waits_for_the_pause_does_not_hold_the_address() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let (mut owner, watch) = (bench.test.owner().await, bench.test.owner().await);
    let busy = owner.transaction().await.unwrap();
    let hold = "UPDATE rate_buckets SET tokens = tokens WHERE action = 'code_mail_pause'";
    assert_eq!(busy.execute(hold, &[]).await.unwrap(), 1);
    let give_back = async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while !watch.query_one(waits, &[]).await.unwrap().get::<_, bool>(0) {}
        let address = "SELECT FROM rate_buckets WHERE action = 'code_mail' FOR UPDATE NOWAIT";
        busy.batch_execute(address).await.unwrap();
        busy.rollback().await.unwrap();
    };
    let again = bench.register("ana@example.com", "11144477735");
    let (again, ()) = futures_util::future::join(again, give_back).await;
    again.unwrap();
}

/// The jobs are held for longer than a statement waits for them.
#[tokio::test]
async fn a_code_mail_that_a_busy_server_did_not_take_begins_no_pause() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let before = bench.mails("ana@example.com").await.len();
    let mut owner = bench.test.owner().await;
    let busy = owner.transaction().await.unwrap();
    busy.batch_execute("LOCK TABLE jobs IN SHARE MODE").await.unwrap();
    let refused = bench.ask_code("ana@example.com", Purpose::Reset).await;
    assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
    busy.rollback().await.unwrap();
    bench.ask_code("ana@example.com", Purpose::Reset).await.unwrap();
    assert_eq!(bench.mails("ana@example.com").await.len(), before + 1);
}

#[tokio::test]
async fn of_code_mails_that_are_asked_for_at_once_one_is_sent_and_counted() {
    let bench = Bench::new().await;
    let asked = (0..4).map(|_| bench.ask_code("nobody@example.com", Purpose::Reset));
    for answer in futures_util::future::join_all(asked).await {
        answer.unwrap();
    }
    let sent = "SELECT count(*) FROM jobs WHERE kind = 'code_mail'";
    let owner = bench.test.owner().await;
    assert_eq!(owner.query_one(sent, &[]).await.unwrap().get::<_, i64>(0), 1);
    for _ in 0..4 {
        bench.advance(60);
        bench.ask_code("nobody@example.com", Purpose::Reset).await.unwrap();
    }
}

#[tokio::test]
async fn failures_slow_a_network_down_and_the_count_outlives_the_process() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    for _ in 0..5 {
        let wrong = bench.sign_in_from("ana@example.com", "Senha123?", "10.6.6.6").await;
        assert_eq!(wrong.unwrap_err().code(), Code::InvalidCredentials);
    }
    // Another node on the same database: nothing of the count was in memory.
    let other = bench.on(bench.test.second_node().db);
    let email = Email::parse("ana@example.com").unwrap();
    let slow = other.sign_in(&email, PASSWORD, &caller("10.6.6.6")).await;
    assert!(matches!(slow.unwrap_err(), Error::TooMany { retry_after: 1 }));
    assert!(bench.sign_in("ana@example.com", PASSWORD).await.is_ok(), "the owner comes in");
    bench.advance(1);
    assert!(bench.sign_in_from("ana@example.com", PASSWORD, "10.6.6.6").await.is_ok());
}

#[tokio::test]
async fn waits_double_after_five_failures_up_to_a_quarter_of_an_hour_and_a_day_forgets_them() {
    let bench = Bench::new().await;
    let pair = bench.auth.limits.bucket(&["pair", "ana@example.com", "10.6.6.6"]);
    let fail = || bench.auth.limits.count_sign_in(&bench.test.db, &pair);
    for _ in 0..5 {
        fail().await.unwrap();
    }
    for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
        let Err(Error::TooMany { retry_after }) = fail().await else { panic!("{wait} s") };
        assert_eq!(retry_after, wait);
        bench.advance(wait);
        fail().await.unwrap();
    }
    bench.advance(86_400 + 1);
    for _ in 0..5 {
        fail().await.unwrap();
    }
    assert!(matches!(fail().await, Err(Error::TooMany { retry_after: 1 })));
}

#[tokio::test]
async fn a_hundred_failures_in_a_row_close_an_account_to_strangers_until_its_owner_comes_in() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let (db, limits) = (&bench.test.db, &bench.auth.limits);
    let account = limits.bucket(&["email", "ana@example.com"]);
    for _ in 0..99 {
        limits.take(db, &[(rate_limit::SIGN_IN_ROW, &account)]).await.unwrap();
    }
    let wrong = bench.sign_in_from("ana@example.com", "Senha123?", "10.6.6.6").await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidCredentials);
    bench.advance(30 * 86_400);
    let refused = bench.sign_in_from("ana@example.com", PASSWORD, "10.7.7.7").await;
    assert!(matches!(refused, Err(Error::TooMany { retry_after: 3_600 })), "{refused:?}");
    bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    bench.sign_in_from("ana@example.com", PASSWORD, "10.7.7.7").await.unwrap();
}

#[tokio::test]
async fn wrong_codes_of_strangers_end_at_ten_a_day_and_leave_a_known_network_its_own() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let guess = async |ip: &str| {
        bench.reset_from("ana@example.com", "000000", "Outra123!", &caller(ip)).await.unwrap_err()
    };
    for network in 0..10 {
        let wrong = guess(&format!("10.6.6.{network}")).await;
        assert_eq!(wrong.code(), Code::InvalidResetToken);
    }
    let refused = guess("10.6.6.10").await;
    assert!(matches!(refused, Error::TooMany { retry_after: 8_640 }), "{refused:?}");
    assert_eq!(guess("10.0.0.1").await.code(), Code::InvalidResetToken);
}

#[tokio::test]
async fn wrong_codes_of_strangers_are_counted_for_all_accounts_together() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let last = "INSERT INTO rate_buckets (action, key, tokens, filled_at) VALUES ($1, $2, 1, $3)";
    let system = bench.auth.limits.bucket(&["system"]);
    let (action, now) = (rate_limit::WRONG_CODE_SYSTEM.action, bench.test.db.clock().now());
    bench.test.owner().await.execute(last, &[&action, &system.as_str(), &now]).await.unwrap();
    let guess = async |email: &str, ip: &str| {
        bench.reset_from(email, "000000", "Outra123!", &caller(ip)).await.unwrap_err()
    };
    assert_eq!(guess("bia@example.com", "10.6.6.6").await.code(), Code::InvalidResetToken);
    let refused = guess("eva@example.com", "10.6.6.7").await;
    assert!(matches!(refused, Error::TooMany { retry_after: 12 }), "{refused:?}");
    assert_eq!(guess("ana@example.com", "10.0.0.1").await.code(), Code::InvalidResetToken);
}

/// A flood is refused for nothing: it takes no connection from others, and is no failure of whoever comes again.
#[tokio::test]
async fn a_full_queue_of_hashes_refuses_before_the_database_is_asked() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let permits: Vec<_> = std::iter::from_fn(|| bench.auth.hasher.permit().ok()).collect();
    assert!(permits.len() > 64);
    bench.test.db.take_statements();
    for _ in 0..20 {
        let refused = bench.sign_in_from("ana@example.com", PASSWORD, "10.9.9.9").await;
        assert!(matches!(refused, Err(Error::Unavailable { retry_after: 3, .. })), "{refused:?}");
    }
    assert!(bench.test.db.take_statements().is_empty());
    drop(permits);
    bench.sign_in_from("ana@example.com", PASSWORD, "10.9.9.9").await.unwrap();
}

/// The person's row is held for longer than a statement waits for it.
#[tokio::test]
async fn a_right_password_that_a_busy_server_did_not_take_is_no_failure() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let mut owner = bench.test.owner().await;
    let busy = owner.transaction().await.unwrap();
    busy.execute("SELECT id FROM users FOR UPDATE", &[]).await.unwrap();
    let refused = bench.sign_in_from("ana@example.com", PASSWORD, "10.6.6.6").await;
    assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
    busy.rollback().await.unwrap();
    let failures = "SELECT tokens FROM rate_buckets WHERE action = 'sign_in_pair'";
    assert_eq!(owner.query_one(failures, &[]).await.unwrap().get::<_, f64>(0), 0.0);
    let left = "SELECT tokens FROM rate_buckets WHERE action = $1";
    for (rule, full) in [(rate_limit::SIGN_IN_UNKNOWN, 20.0), (rate_limit::SIGN_IN_ROW, 100.0)] {
        let row = owner.query_one(left, &[&rule.action]).await.unwrap();
        assert_eq!(row.get::<_, f64>(0), full, "{}", rule.action);
    }
}

#[tokio::test]
async fn a_try_that_the_accounts_limit_refuses_is_no_failure_of_its_network() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    for network in 0..20 {
        let ip = format!("10.7.7.{network}");
        bench.sign_in_from("ana@example.com", "Senha123?", &ip).await.unwrap_err();
    }
    for _ in 0..6 {
        let refused = bench.sign_in_from("ana@example.com", PASSWORD, "10.6.6.6").await;
        let Err(Error::TooMany { retry_after }) = refused else { panic!("{refused:?}") };
        assert!(retry_after > 60, "the account's bucket");
    }
    bench.advance(180);
    bench.sign_in_from("ana@example.com", PASSWORD, "10.6.6.6").await.unwrap();
}

#[tokio::test]
async fn a_bucket_gives_exactly_its_burst_and_says_when_to_come_back() {
    let bench = Bench::new().await;
    let (db, limits) = (&bench.test.db, &bench.auth.limits);
    let bucket = limits.bucket(&["ip", "10.0.0.9"]);
    let wanted = [(rate_limit::SIGN_IN, &bucket)];
    let take = || limits.take(db, &wanted);
    let at_once = futures_util::future::join_all((0..25).map(|_| take())).await;
    assert_eq!(at_once.iter().filter(|taken| taken.is_ok()).count(), 20);
    let Err(Error::TooMany { retry_after }) = take().await else { panic!("empty") };
    assert_eq!(retry_after, 3, "20 a minute");
    bench.advance(2);
    assert!(take().await.is_err());
    bench.advance(1);
    take().await.unwrap();
    let neighbour = limits.bucket(&["ip", "10.0.0.10"]);
    limits.take(db, &[(rate_limit::SIGN_IN, &neighbour)]).await.unwrap();
    let owner = bench.test.owner().await;
    let audited = "SELECT count(*) FROM audit_entries WHERE action = 'rate_limit.exceed'";
    let row = owner.query_one(audited, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 1, "one audit row a key and window");
}

#[tokio::test]
async fn relaxed_limits_let_a_load_test_through() {
    let bench = Bench::with(&["--rate-limits", "relaxed"]).await;
    let bucket = bench.auth.limits.bucket(&["ip", "10.0.0.9"]);
    for _ in 0..50 {
        let wanted = [(rate_limit::SIGN_IN, &bucket)];
        bench.auth.limits.take(&bench.test.db, &wanted).await.unwrap();
    }
}

#[tokio::test]
async fn a_purge_forgets_full_buckets_and_keeps_those_that_fill_slowly() {
    let bench = Bench::new().await;
    let (db, limits) = (&bench.test.db, &bench.auth.limits);
    let bucket = limits.bucket(&["email", "ana@example.com"]);
    for rule in [rate_limit::SIGN_IN, rate_limit::SIGN_IN_ROW] {
        limits.take(db, &[(rule, &bucket)]).await.unwrap();
    }
    bench.advance(2 * 86_400);
    purge::run(db, &JobScope::of_test()).await.unwrap();
    let owner = bench.test.owner().await;
    let row = owner.query_one("SELECT action FROM rate_buckets", &[]).await.unwrap();
    assert_eq!(row.get::<_, &str>(0), rate_limit::SIGN_IN_ROW.action);
}
