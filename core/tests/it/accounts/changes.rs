//! Another password and another address while signed in.

use bipe_core::auth::code::{Digits, Purpose};
use bipe_core::error::{Code, Error, FieldCode, Result};
use bipe_core::mailer::LocalMail;
use bipe_core::metrics::store;
use bipe_core::scope::{JobScope, SignedIn};
use bipe_core::testing::until_waiting;
use bipe_core::user::{Email, Password, User};
use jiff::SignedDuration;

use super::{Bench, PASSWORD, caller, other_than};

pub const ANA: (&str, &str) = ("ana@example.com", "11144477735");
pub const BIA: (&str, &str) = ("bia@example.com", "52998224725");
pub const NEW: &str = "Trocada#77x";

impl Bench {
    pub async fn change_password(&self, who: SignedIn, current: &str, new: &str) -> Result<()> {
        let new = Password::parse(new).unwrap();
        let from = caller("10.0.0.1");
        self.auth.change_password(who, current, &new, &from).await
    }

    pub async fn ask_email(&self, who: SignedIn, email: &str, password: &str) -> Result<()> {
        let email = Email::parse(email).unwrap();
        self.auth.ask_email_change(who, &email, password, &caller("10.0.0.1")).await
    }

    pub async fn confirm_email(&self, who: SignedIn, code: &str) -> Result<User> {
        let digits = Digits::parse(code).unwrap();
        self.auth.change_email(who, &digits, &caller("10.0.0.1")).await
    }

    /// Moves the account by the code from the new mailbox.
    pub async fn move_to(&self, who: SignedIn, email: &str, password: &str) {
        self.ask_email(who, email, password).await.unwrap();
        let code = self.code(email).await;
        self.confirm_email(who, &code).await.unwrap();
    }

    /// The only mail with that subject.
    pub async fn mail(&self, to: &str, subject: &str) -> LocalMail {
        let mails = self.mails(to).await;
        let mut found = mails.into_iter().filter(|mail| mail.subject == subject);
        let mail = found.next().unwrap();
        assert!(found.next().is_none(), "{subject} went out twice");
        mail
    }

    pub async fn signed_in(&self, email: &str, password: &str) -> SignedIn {
        let tokens = self.sign_in(email, password).await.unwrap();
        self.session(&tokens).await
    }

    /// Does something to the person while the change of a password stands between its comparison and its transaction.
    async fn while_changing(&self, who: SignedIn, sql: &str) -> Result<()> {
        let mut owner = self.test.owner().await;
        let meanwhile = owner.transaction().await.unwrap();
        let lock = "SELECT id FROM users WHERE id = $1 FOR UPDATE";
        meanwhile.execute(lock, &[&who.user_id]).await.unwrap();
        let change = self.change_password(who, PASSWORD, NEW);
        let watch = async {
            let watcher = self.test.owner().await;
            until_waiting(&watcher, 1).await;
            meanwhile.execute(sql, &[&who.user_id]).await.unwrap();
            meanwhile.commit().await.unwrap();
        };
        tokio::join!(change, watch).0
    }
}

pub fn field(result: Result<()>) -> (String, FieldCode) {
    let Err(Error::Invalid(fields)) = result else { panic!("{result:?}") };
    let (name, code) = fields.0.into_iter().next().unwrap();
    (name.into_owned(), code)
}

pub fn refusal<T>(result: Result<T>) -> Option<Code> {
    result.err().map(|error| error.code())
}

#[tokio::test]
async fn a_change_of_password_keeps_this_session_and_ends_the_others() {
    let bench = Bench::new().await;
    bench.person(ANA.0, ANA.1).await;
    let here = bench.sign_in(ANA.0, PASSWORD).await.unwrap();
    let elsewhere = bench.sign_in(ANA.0, PASSWORD).await.unwrap();
    let who = bench.session(&here).await;
    bench.change_password(who, PASSWORD, NEW).await.unwrap();
    assert!(bench.is_signed_in(&here).await && !bench.is_signed_in(&elsewhere).await);
    bench.refresh(&here.refresh_token).await.unwrap();
    assert!(bench.refresh(&elsewhere.refresh_token).await.is_err());
    assert_eq!(refusal(bench.sign_in(ANA.0, PASSWORD).await), Some(Code::InvalidCredentials));
    bench.sign_in(ANA.0, NEW).await.unwrap();
    let mail = bench.mail(ANA.0, "Sua senha do Bipe foi alterada").await;
    assert_eq!(mail.text.lines().filter(|line| line.contains("/not-me#")).count(), 1);
}

#[tokio::test]
async fn a_wrong_present_password_changes_nothing_and_counts_like_one_at_sign_in() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    for _ in 0..3 {
        let wrong = bench.change_password(who, "Senha123?", NEW).await;
        assert_eq!(field(wrong), ("currentPassword".into(), FieldCode::Invalid));
        let wrong = bench.ask_email(who, "nova@example.com", "Senha123?").await;
        let wrong = wrong.unwrap_err();
        assert!(matches!(wrong, Error::Invalid(_) | Error::TooMany { .. }), "{wrong}");
    }
    for refused in [
        bench.change_password(who, PASSWORD, NEW).await,
        bench.ask_email(who, "nova@example.com", PASSWORD).await,
        bench.sign_in(ANA.0, PASSWORD).await.map(drop),
    ] {
        assert!(matches!(refused, Err(Error::TooMany { .. })), "{refused:?}");
    }
    bench.advance(3_600);
    bench.sign_in(ANA.0, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn a_right_present_password_is_no_failure_whatever_refuses_the_change() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    for _ in 0..5 {
        bench.ask_code("nova@example.com", Purpose::Reset).await.unwrap();
        bench.advance(60);
    }
    for _ in 0..6 {
        let refused = bench.ask_email(who, "nova@example.com", PASSWORD).await;
        assert!(matches!(refused, Err(Error::TooMany { .. })), "{refused:?}");
        bench.advance(60);
    }
    let failures = "SELECT count(*) FROM rate_buckets WHERE action = 'sign_in_pair'";
    let row = bench.test.owner().await.query_one(failures, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
}

#[tokio::test]
async fn a_password_that_was_reset_meanwhile_is_not_changed() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    let reset = "UPDATE users SET password_hash = password_hash || 'x' WHERE id = $1";
    let late = bench.while_changing(who, reset).await;
    assert_eq!(field(late), ("currentPassword".into(), FieldCode::Invalid));
}

#[tokio::test]
async fn a_session_that_ended_meanwhile_changes_no_password() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    let end = "UPDATE sessions SET revoked_at = created_at WHERE user_id = $1";
    let late = bench.while_changing(who, end).await;
    assert_eq!(refusal(late), Some(Code::Unauthorized));
    bench.sign_in(ANA.0, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn another_address_is_proven_by_a_code_and_the_old_one_gets_a_way_back() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    let elsewhere = bench.sign_in(ANA.0, PASSWORD).await.unwrap();
    bench.ask_email(who, "Nova@Example.com", PASSWORD).await.unwrap();
    bench.sign_in(ANA.0, PASSWORD).await.unwrap();
    let code = bench.code("nova@example.com").await;
    let wrong = bench.confirm_email(who, &other_than(&code)).await;
    assert_eq!(refusal(wrong), Some(Code::InvalidVerificationCode));
    let trace = "SELECT actor_id = $1 FROM audit_entries \
         WHERE action = 'user.change_email' AND outcome = 'refused'";
    let trace = bench.test.owner().await.query_one(trace, &[&who.user_id]).await.unwrap();
    assert!(trace.get::<_, bool>(0));
    let moved = bench.confirm_email(who, &code).await.unwrap();
    assert_eq!((moved.email.as_str(), moved.email_verified), ("nova@example.com", true));
    assert!(!bench.is_signed_in(&elsewhere).await, "the other sessions end");
    bench.auth.me(who).await.unwrap();
    assert_eq!(refusal(bench.sign_in(ANA.0, PASSWORD).await), Some(Code::InvalidCredentials));
    bench.sign_in("nova@example.com", PASSWORD).await.unwrap();
    let mail = bench.mail(ANA.0, "O email da sua conta do Bipe foi alterado").await;
    assert!(mail.text.contains("/not-me#") && !mail.text.contains("nova@"), "{}", mail.text);
    let again = bench.confirm_email(who, &code).await;
    assert_eq!(refusal(again), Some(Code::InvalidVerificationCode));
}

#[tokio::test]
async fn five_wrong_codes_end_the_code_and_fifteen_minutes_do() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.ask_email(who, "nova@example.com", PASSWORD).await.unwrap();
    let code = bench.code("nova@example.com").await;
    for _ in 0..5 {
        assert!(bench.confirm_email(who, &other_than(&code)).await.is_err());
    }
    let dead = bench.confirm_email(who, &code).await;
    assert_eq!(refusal(dead), Some(Code::InvalidVerificationCode));
    bench.advance(60);
    bench.ask_email(who, "nova@example.com", PASSWORD).await.unwrap();
    let code = bench.code("nova@example.com").await;
    bench.advance(15 * 60);
    let expired = bench.confirm_email(who, &code).await;
    assert_eq!(refusal(expired), Some(Code::InvalidVerificationCode));
}

#[tokio::test]
async fn asking_for_an_address_does_not_tell_whether_it_has_an_account() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.person(BIA.0, BIA.1).await;
    bench.ask_email(who, BIA.0, PASSWORD).await.unwrap();
    bench.mail(BIA.0, "Este email já tem uma conta no Bipe").await;
    let taken = bench.confirm_email(who, "000000").await.unwrap_err();
    bench.ask_email(who, "nova@example.com", PASSWORD).await.unwrap();
    let code = bench.code("nova@example.com").await;
    let wrong = bench.confirm_email(who, &other_than(&code)).await.unwrap_err();
    assert_eq!(format!("{taken:?}"), format!("{wrong:?}"));
    let own = bench.ask_email(who, ANA.0, PASSWORD).await;
    assert_eq!(field(own), ("newEmail".into(), FieldCode::Invalid));
}

#[tokio::test]
async fn an_address_that_got_an_account_meanwhile_is_not_taken() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.ask_email(who, BIA.0, PASSWORD).await.unwrap();
    let code = bench.code(BIA.0).await;
    bench.advance(1);
    bench.person(BIA.0, BIA.1).await;
    let late = bench.confirm_email(who, &code).await;
    assert_eq!(refusal(late), Some(Code::InvalidVerificationCode));
    bench.sign_in(ANA.0, PASSWORD).await.unwrap();
}

/// Anybody can sign up with it; only one of the two reads its mailbox.
#[tokio::test]
async fn an_address_that_somebody_signed_up_with_and_nobody_verified_is_free() {
    for meanwhile in [false, true] {
        let bench = Bench::new().await;
        let who = bench.somebody(ANA.0, ANA.1).await;
        if !meanwhile {
            bench.register(BIA.0, BIA.1).await.unwrap();
            bench.advance(61);
        }
        bench.ask_email(who, BIA.0, PASSWORD).await.unwrap();
        let code = bench.code(BIA.0).await;
        if meanwhile {
            bench.register(BIA.0, BIA.1).await.unwrap();
        }
        bench.confirm_email(who, &code).await.unwrap();
        assert_eq!(bench.auth.me(who).await.unwrap().email.as_str(), BIA.0);
        let subjects = bench.mails(BIA.0).await.into_iter().map(|mail| mail.subject);
        assert!(!subjects.into_iter().any(|subject| subject.contains("já tem uma conta")));
        bench.register("bia@example.org", BIA.1).await.unwrap();
    }
}

#[tokio::test]
async fn a_code_proves_no_other_address_than_the_one_it_went_to() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.ask_email(who, "minha@example.com", PASSWORD).await.unwrap();
    let code = bench.code("minha@example.com").await;
    bench.advance(1);
    bench.ask_email(who, "alheia@example.com", PASSWORD).await.unwrap();
    // Before the job has mailed the other code.
    let foreign = bench.confirm_email(who, &code).await;
    assert_eq!(refusal(foreign), Some(Code::InvalidVerificationCode));
    bench.run_mail().await;
    let foreign = bench.confirm_email(who, &code).await;
    assert_eq!(refusal(foreign), Some(Code::InvalidVerificationCode));
    assert_eq!(bench.auth.me(who).await.unwrap().email.as_str(), ANA.0);
}

#[tokio::test]
async fn the_request_for_an_address_ends_with_the_session_that_made_it() {
    let bench = Bench::new().await;
    let thief = bench.somebody(ANA.0, ANA.1).await;
    bench.ask_email(thief, "ladra@example.com", PASSWORD).await.unwrap();
    let code = bench.code("ladra@example.com").await;
    let owner = bench.signed_in(ANA.0, PASSWORD).await;
    let other = bench.confirm_email(owner, &code).await;
    assert_eq!(refusal(other), Some(Code::InvalidVerificationCode), "not by another session");
    bench.change_password(owner, PASSWORD, NEW).await.unwrap();
    assert_eq!(refusal(bench.confirm_email(thief, &code).await), Some(Code::Unauthorized));
}

#[tokio::test]
async fn another_address_makes_nobody_a_new_person() {
    let bench = Bench::new().await;
    bench.person(ANA.0, ANA.1).await;
    let hours = |count| bench.test.db.clock().now() + SignedDuration::from_hours(count);
    let months = [hours(-1), hours(1), hours(40 * 24)];
    bench.advance(30 * 86_400);
    let counted = async || {
        let tx = bench.test.db.platform_tx(&JobScope::of_test()).await.unwrap();
        let new = store::verified(&tx, &months).await.unwrap();
        let lately = store::recent_activity(&tx, 5).await.unwrap();
        let created = lately.iter().filter(|row| row.source == "user").map(|row| row.at);
        (new, created.collect::<Vec<_>>())
    };
    let before = counted().await;
    assert_eq!(before.0, [1, 0]);
    let who = bench.signed_in(ANA.0, PASSWORD).await;
    bench.move_to(who, "nova@example.com", PASSWORD).await;
    assert_eq!(counted().await, before);
    let token = bench.way_back(ANA.0, "O email da sua conta do Bipe foi alterado").await;
    assert!(bench.undo(&token).await.unwrap().email_restored);
    assert_eq!(counted().await, before);
}
