//! The link "não fui eu": who keeps the account when somebody else knows its password.

use bipe_core::auth::code::Purpose;
use bipe_core::auth::recovery::undo::Undone;
use bipe_core::auth::recovery::undo_link::Cause;
use bipe_core::error::{Code, Result};
use bipe_core::purge;
use bipe_core::scope::JobScope;

use super::changes::{ANA, BIA, NEW, refusal};
use super::{Bench, PASSWORD, caller};

const THIEF: &str = "ladra@example.com";
const MOVED: &str = "O email da sua conta do Bipe foi alterado";
const CHANGED: &str = "Sua senha do Bipe foi alterada";
const HOURS_72: u32 = 72 * 3600;

impl Bench {
    /// The token of the link "não fui eu" in the mail with that subject.
    pub async fn way_back(&self, to: &str, subject: &str) -> String {
        let mail = self.mail(to, subject).await;
        let token = mail.text.split("/not-me#").nth(1).unwrap();
        token.lines().next().unwrap().to_owned()
    }

    pub async fn undo(&self, token: &str) -> Result<Undone> {
        self.auth.undo(token, &caller("10.7.7.7")).await
    }
}

#[tokio::test]
async fn an_address_that_was_changed_by_a_thief_comes_back() {
    let bench = Bench::new().await;
    let thief = bench.somebody(ANA.0, ANA.1).await;
    bench.change_password(thief, PASSWORD, NEW).await.unwrap();
    bench.move_to(thief, THIEF, NEW).await;
    let way_back = bench.way_back(ANA.0, MOVED).await;
    let undone = bench.undo(&way_back).await.unwrap();
    assert_eq!((undone.cause, undone.email_restored), (Cause::Email, true));
    assert_eq!(undone.user_email, ANA.0);
    let ended = bench.auth.me(thief).await;
    assert_eq!(ended.unwrap().email.as_str(), ANA.0);
    for (email, password) in [(ANA.0, PASSWORD), (ANA.0, NEW), (THIEF, NEW)] {
        let refused = refusal(bench.sign_in(email, password).await);
        assert_eq!(refused, Some(Code::InvalidCredentials), "{email} {password}");
    }
    bench.advance(60);
    bench.ask_code(ANA.0, Purpose::Reset).await.unwrap();
    let code = bench.code(ANA.0).await;
    bench.reset(ANA.0, &code, "Recuperada#9k").await.unwrap();
    bench.sign_in(ANA.0, "Recuperada#9k").await.unwrap();
}

#[tokio::test]
async fn every_session_ends_and_the_password_is_nobodys() {
    let bench = Bench::new().await;
    bench.person(ANA.0, ANA.1).await;
    let first = bench.sign_in(ANA.0, PASSWORD).await.unwrap();
    let strange = bench.sign_in_from(ANA.0, PASSWORD, "10.6.6.6").await.unwrap();
    let token = bench.way_back(ANA.0, "Novo acesso à sua conta do Bipe").await;
    let undone = bench.undo(&token).await.unwrap();
    assert_eq!((undone.cause, undone.email_restored), (Cause::SignIn, false));
    for tokens in [&first, &strange] {
        assert!(!bench.is_signed_in(tokens).await);
        assert!(bench.refresh(&tokens.refresh_token).await.is_err());
    }
    assert_eq!(refusal(bench.sign_in(ANA.0, PASSWORD).await), Some(Code::InvalidCredentials));
    bench.mail(ANA.0, "Sua conta do Bipe está protegida").await;
}

#[tokio::test]
async fn the_thiefs_network_is_strange_again() {
    let bench = Bench::new().await;
    bench.person(ANA.0, ANA.1).await;
    bench.sign_in_from(ANA.0, PASSWORD, "10.6.6.6").await.unwrap();
    let new = "Novo acesso à sua conta do Bipe";
    let token = bench.way_back(ANA.0, new).await;
    bench.undo(&token).await.unwrap();
    bench.advance(60);
    bench.ask_code(ANA.0, Purpose::Reset).await.unwrap();
    let code = bench.code(ANA.0).await;
    bench.reset(ANA.0, &code, NEW).await.unwrap();
    for (ip, notices) in [("10.0.0.1", 1), ("10.6.6.6", 2)] {
        bench.sign_in_from(ANA.0, NEW, ip).await.unwrap();
        let mails = bench.mails(ANA.0).await;
        assert_eq!(mails.iter().filter(|mail| mail.subject == new).count(), notices, "{ip}");
    }
}

#[tokio::test]
async fn factors_that_may_be_the_thiefs_go_and_older_ones_stay() {
    for (hours_before, stays) in [(73, true), (71, false)] {
        let bench = Bench::new().await;
        let ana = bench.person(ANA.0, ANA.1).await.id;
        let owner = bench.test.owner().await;
        let add_passkey = async |id: &str| {
            let sql = "INSERT INTO passkeys \
                 (id, user_id, name, credential_id, public_key, algorithm, counter, transports, created_at) \
                 VALUES (gen_random_uuid(), $1, $2, convert_to($2, 'UTF8'), 'x', -7, 0, '{}', $3)";
            owner.execute(sql, &[&ana, &id, &bench.db.clock().now()]).await.unwrap();
        };
        add_passkey("before").await;
        bench.advance(hours_before * 3600);
        let strange = bench.sign_in_from(ANA.0, PASSWORD, "10.6.6.6").await.unwrap();
        add_passkey("after").await;
        let thief = bench.session(&strange).await;
        for sql in [
            "INSERT INTO recovery_codes (user_id, code_sha256) VALUES ($1, 'x')",
            "UPDATE users SET has_second_factor = true WHERE id = $1",
        ] {
            owner.execute(sql, &[&ana]).await.unwrap();
        }
        let token = bench.way_back(ANA.0, "Novo acesso à sua conta do Bipe").await;
        bench.undo(&token).await.unwrap();
        let factor = bench.auth.second_factor(thief).await.unwrap();
        let names: Vec<_> = factor.passkeys.iter().map(|passkey| passkey.name.as_str()).collect();
        assert_eq!(names, if stays { vec!["before"] } else { vec![] });
        assert_eq!((factor.enabled, factor.recovery_codes_left), (stays, 0));
        let asked = "SELECT has_second_factor FROM users WHERE id = $1";
        assert_eq!(owner.query_one(asked, &[&ana]).await.unwrap().get::<_, bool>(0), stays);
        let mail = bench.mail(ANA.0, "Sua conta do Bipe está protegida").await;
        assert!(mail.text.contains("adicionada há pouco"));
    }
}

#[tokio::test]
async fn a_link_is_good_once_and_for_seventy_two_hours() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.change_password(who, PASSWORD, NEW).await.unwrap();
    let token = bench.way_back(ANA.0, CHANGED).await;
    assert_eq!(refusal(bench.undo("x").await), Some(Code::UndoInvalid));
    bench.advance(HOURS_72 - 1);
    bench.undo(&token).await.unwrap();
    assert_eq!(refusal(bench.undo(&token).await), Some(Code::UndoInvalid));

    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.change_password(who, PASSWORD, NEW).await.unwrap();
    let token = bench.way_back(ANA.0, CHANGED).await;
    bench.advance(HOURS_72);
    assert_eq!(refusal(bench.undo(&token).await), Some(Code::UndoInvalid));
    bench.sign_in(ANA.0, NEW).await.unwrap();
}

#[tokio::test]
async fn whoever_moved_the_account_twice_cannot_take_the_way_back() {
    let bench = Bench::new().await;
    let thief = bench.somebody(ANA.0, ANA.1).await;
    bench.move_to(thief, THIEF, PASSWORD).await;
    bench.move_to(thief, "outra-ladra@example.com", PASSWORD).await;
    let (owners, thiefs) = (bench.way_back(ANA.0, MOVED).await, bench.way_back(THIEF, MOVED).await);
    let undone = bench.undo(&thiefs).await.unwrap();
    assert_eq!(undone.user_email, THIEF);
    let undone = bench.undo(&owners).await.unwrap();
    assert_eq!((undone.user_email.as_str(), undone.email_restored), (ANA.0, true));

    let bench = Bench::new().await;
    let thief = bench.somebody(ANA.0, ANA.1).await;
    bench.move_to(thief, THIEF, PASSWORD).await;
    bench.move_to(thief, "outra-ladra@example.com", PASSWORD).await;
    let (owners, thiefs) = (bench.way_back(ANA.0, MOVED).await, bench.way_back(THIEF, MOVED).await);
    bench.undo(&owners).await.unwrap();
    assert_eq!(refusal(bench.undo(&thiefs).await), Some(Code::UndoInvalid));
}

#[tokio::test]
async fn a_reset_code_that_went_to_the_thief_dies_with_the_undo() {
    let bench = Bench::new().await;
    let thief = bench.somebody(ANA.0, ANA.1).await;
    bench.move_to(thief, THIEF, PASSWORD).await;
    bench.ask_code(THIEF, Purpose::Reset).await.unwrap();
    let code = bench.code(THIEF).await;
    let way_back = bench.way_back(ANA.0, MOVED).await;
    bench.undo(&way_back).await.unwrap();
    for email in [ANA.0, THIEF] {
        let refused = refusal(bench.reset(email, &code, NEW).await);
        assert_eq!(refused, Some(Code::InvalidResetToken), "{email}");
    }
}

#[tokio::test]
async fn nobody_takes_an_address_that_may_go_back() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.move_to(who, THIEF, PASSWORD).await;
    assert_eq!(refusal(bench.register(ANA.0, BIA.1).await), Some(Code::EmailExists));
    let bia = bench.somebody(BIA.0, BIA.1).await;
    bench.ask_email(bia, ANA.0, PASSWORD).await.unwrap();
    let code = bench.code(ANA.0).await;
    let refused = bench.confirm_email(bia, &code).await;
    assert_eq!(refusal(refused), Some(Code::InvalidVerificationCode));
    bench.move_to(who, "ana2@example.com", PASSWORD).await;
    // Its own account may have it again.
    bench.advance(60);
    bench.move_to(who, ANA.0, PASSWORD).await;
    bench.advance(HOURS_72);
    bench.register(THIEF, "15350946056").await.unwrap();
}

#[tokio::test]
async fn links_and_requests_are_forgotten_in_time() {
    let bench = Bench::new().await;
    let who = bench.somebody(ANA.0, ANA.1).await;
    bench.change_password(who, PASSWORD, NEW).await.unwrap();
    bench.ask_email(who, "nova@example.com", NEW).await.unwrap();
    let owner = bench.test.owner().await;
    let left = async || -> (i64, i64) {
        purge::run(&bench.test.db, &JobScope::of_test()).await.unwrap();
        let counts =
            "SELECT (SELECT count(*) FROM undo_links), (SELECT count(*) FROM email_changes)";
        let row = owner.query_one(counts, &[]).await.unwrap();
        (row.get(0), row.get(1))
    };
    bench.advance(86_400);
    assert_eq!(left().await, (1, 1));
    bench.advance(1);
    assert_eq!(left().await, (1, 0));
    bench.advance(HOURS_72);
    assert_eq!(left().await, (0, 0));
}
