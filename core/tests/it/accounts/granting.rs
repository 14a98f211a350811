//! What was verified is compared again at the moment of granting, and of ending: what changed meanwhile wins.

use std::pin::pin;

use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
use bipe_core::auth::code::Purpose;
use bipe_core::error::{Code, Error};
use bipe_core::testing::until_waiting;
use futures_util::future::{Either, join, join_all, select};

use super::{Bench, PASSWORD, caller};

const ANA: &str = "ana@example.com";
const HOLD_PERSON: &str = "SELECT FROM users WHERE email = $1 FOR UPDATE";
const HOLD_SESSIONS: &str = "SELECT FROM sessions s JOIN users u ON u.id = s.user_id \
     WHERE u.email = $1 FOR UPDATE OF s";
const END_SESSIONS: &str = "UPDATE sessions SET revoked_at = created_at \
     WHERE user_id = (SELECT id FROM users WHERE email = $1)";
const SET_PASSWORD: &str = "UPDATE users SET password_hash = 'newer' WHERE email = $1";

impl Bench {
    /// Holds rows of the person until the call waits for them, changes something, and lets the call go on.
    async fn across<T>(&self, hold: &str, call: impl Future<Output = T>, change: &str) -> T {
        let (mut owner, watch) = (self.test.owner().await, self.test.owner().await);
        let held = owner.transaction().await.unwrap();
        held.query(hold, &[&ANA]).await.unwrap();
        let (call, waits) = (pin!(call), pin!(until_waiting(&watch, 1)));
        let Either::Right(((), call)) = select(call, waits).await else {
            panic!("the call did not wait");
        };
        assert_eq!(held.execute(change, &[&ANA]).await.unwrap(), 1);
        held.commit().await.unwrap();
        call.await
    }

    async fn count(&self, sql: &str) -> i64 {
        self.test.owner().await.query_one(sql, &[]).await.unwrap().get(0)
    }
}

#[tokio::test]
async fn a_reset_ends_sign_ins_that_are_under_way() {
    let bench = Bench::with(&["--rate-limits", "relaxed"]).await;
    bench.person(ANA, "11144477735").await;
    bench.advance(1);
    bench.ask_code(ANA, Purpose::Reset).await.unwrap();
    let code = bench.code(ANA).await;
    let sign_ins = join_all((0..40).map(|_| bench.sign_in(ANA, PASSWORD)));
    let (answers, reset) = join(sign_ins, bench.reset(ANA, &code, "Outra123!")).await;
    reset.unwrap();
    let mut alive = 0;
    for tokens in answers.into_iter().flatten() {
        let goes_on = bench.is_signed_in(&tokens).await;
        alive += usize::from(goes_on || bench.refresh(&tokens.refresh_token).await.is_ok());
    }
    assert_eq!(alive, 0, "sessions by the old password");
}

#[tokio::test]
async fn a_sign_in_under_way_does_not_outlive_what_changes_meanwhile() {
    for change in [
        SET_PASSWORD,
        "UPDATE users SET status = 'inactive' WHERE email = $1",
        "UPDATE users SET role = 'admin' WHERE email = $1",
        "UPDATE users SET email = 'other' || email WHERE email = $1",
        "UPDATE users SET anonymised_at = created_at WHERE email = $1",
    ] {
        let bench = Bench::new().await;
        bench.person(ANA, "11144477735").await;
        let answer = bench.across(HOLD_PERSON, bench.sign_in(ANA, PASSWORD), change).await;
        let refused = answer.map(drop).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidCredentials, "{change}");
        assert_eq!(bench.count("SELECT count(*) FROM sessions").await, 0, "{change}");
    }
}

#[tokio::test]
async fn a_rehash_never_writes_an_older_password_back() {
    let bench = Bench::new().await;
    bench.person(ANA, "11144477735").await;
    let weak =
        Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(64, 1, 1, None).unwrap());
    let hash = weak.hash_password_with_salt(PASSWORD.as_bytes(), &[7; 16]).unwrap().to_string();
    let owner = bench.test.owner().await;
    owner.execute("UPDATE users SET password_hash = $1", &[&hash]).await.unwrap();
    let answer = bench.across(HOLD_PERSON, bench.sign_in(ANA, PASSWORD), SET_PASSWORD).await;
    assert_eq!(answer.map(drop).unwrap_err().code(), Code::InvalidCredentials);
    let stored = "SELECT count(*) FROM users WHERE password_hash = 'newer'";
    assert_eq!(bench.count(stored).await, 1);
}

#[tokio::test]
async fn a_reset_ends_an_erasure_that_is_under_way() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA, "11144477735").await;
    let here = caller("10.0.0.1");
    let erasure = bench.auth.erase_me(ana, PASSWORD, &here);
    let refused = bench.across(HOLD_PERSON, erasure, SET_PASSWORD).await.unwrap_err();
    assert!(matches!(refused, Error::SignInRequired(Code::Unauthorized)), "{refused}");
    let erased = "SELECT count(*) FROM users WHERE anonymised_at IS NOT NULL";
    assert_eq!(bench.count(erased).await, 0);
}

#[tokio::test]
async fn a_refresh_that_waited_sees_who_was_deactivated_meanwhile() {
    let bench = Bench::new().await;
    bench.person(ANA, "11144477735").await;
    let tokens = bench.sign_in(ANA, PASSWORD).await.unwrap();
    let deactivate = "UPDATE users SET status = 'inactive' WHERE email = $1";
    let refresh = bench.refresh(&tokens.refresh_token);
    let refused = bench.across(HOLD_SESSIONS, refresh, deactivate).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidRefreshToken);
}

#[tokio::test]
async fn no_ticket_is_given_or_redeemed_for_a_session_that_ends_meanwhile() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA, "11144477735").await;
    let ticket = bench.auth.live_ticket(ana).await.unwrap();
    let redeeming = bench.auth.redeem_ticket(&ticket);
    let redeemed = bench.across(HOLD_SESSIONS, redeeming, END_SESSIONS).await;
    assert_eq!(redeemed.unwrap(), None);
    let refused = bench.auth.live_ticket(ana).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthorized);
}

/// Whoever ends the sessions of a person holds the person's row first.
#[tokio::test]
async fn a_ticket_and_the_end_of_its_session_wait_in_no_circle() {
    let bench = Bench::new().await;
    let ana = bench.somebody(ANA, "11144477735").await;
    let asking = bench.auth.live_ticket(ana);
    let refused = bench.across(HOLD_PERSON, asking, END_SESSIONS).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthorized);
}

#[tokio::test]
async fn of_two_sessions_that_end_each_other_one_stays() {
    let end_newer = "UPDATE sessions SET revoked_at = created_at WHERE id = (SELECT s.id FROM sessions s \
         JOIN users u ON u.id = s.user_id WHERE u.email = $1 ORDER BY s.created_at DESC LIMIT 1)";
    let here = caller("10.0.0.1");
    for is_one in [true, false] {
        let bench = Bench::new().await;
        let older = bench.somebody(ANA, "11144477735").await;
        bench.advance(1);
        let newer = bench.signed_in(ANA, PASSWORD).await;
        let call = async {
            match is_one {
                true => bench.auth.end_session(newer, older.session_id, &here).await,
                false => bench.auth.end_other_sessions(newer, &here).await,
            }
        };
        let refused = bench.across(HOLD_SESSIONS, call, end_newer).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthorized);
        let alive = "SELECT count(*) FROM sessions WHERE revoked_at IS NULL";
        assert_eq!(bench.count(alive).await, 1, "the older one, which asked first");
    }
}

#[tokio::test]
async fn a_name_that_was_changed_and_changed_back_at_once_is_told() {
    let mut bench = Bench::new().await;
    let ana = bench.somebody(ANA, "11144477735").await;
    let here = caller("10.0.0.1");
    let (lima, phone) = ("Ana Lima", "(11) 98888-0000");
    bench.auth.edit_me(ana, lima, phone, &here).await.unwrap();
    while bench.test.committed.try_recv().is_ok() {}
    let edit = bench.auth.edit_me(ana, lima, phone, &here);
    let other_tab = "UPDATE users SET name = 'Ana Reis' WHERE email = $1";
    bench.across(HOLD_PERSON, edit, other_tab).await.unwrap();
    let told = bench.test.committed.try_recv().unwrap();
    assert_eq!(told[0].name.as_str(), "membership.changed");
}
