//! The reader of a mailbox gets the account of its address by a reset, no matter who signed up; nobody can prevent it.

use bipe_core::auth::code::{Digits, Purpose};
use bipe_core::auth::recovery::ResetBy;
use bipe_core::error::{Code, Error};
use bipe_core::user::{Email, Password};

use super::{Bench, PASSWORD, caller, other_than};

const ANA: &str = "ana@example.com";
const CPF: &str = "11144477735";
const STRANGER: &str = "10.6.6.6";

impl Bench {
    /// What the link of the newest mail ends with.
    async fn link(&self, to: &str) -> String {
        let text = self.mails(to).await[0].text.clone();
        let line = text.lines().find_map(|line| line.split_once("&token="));
        line.unwrap().1.to_owned()
    }

    async fn reset_by_link(&self, link: &str, password: &str) -> Result<(), Error> {
        let (password, here) = (Password::parse(password).unwrap(), caller("10.9.9.9"));
        self.auth.reset_password(ResetBy::Link(link), &password, &here).await
    }

    async fn has_proven_mailbox(&self, email: &str) -> bool {
        let sql = "SELECT mailbox_proven_at IS NOT NULL FROM users WHERE email = $1";
        self.test.owner().await.query_one(sql, &[&email]).await.unwrap().get(0)
    }

    async fn verify_with(&self, code: &str, registration: Option<&str>) -> Result<(), Error> {
        let (email, digits) = (Email::parse(ANA).unwrap(), Digits::parse(code).unwrap());
        let elsewhere = caller("10.8.8.8");
        self.auth.verify_email(&email, &digits, registration, &elsewhere).await.map(drop)
    }
}

#[tokio::test]
async fn a_forgotten_password_of_an_unverified_account_is_reset_in_one_step() {
    let bench = Bench::new().await;
    bench.register_from(ANA, CPF, &caller(STRANGER)).await.unwrap();
    bench.advance(61);
    bench.ask_code(ANA, Purpose::Reset).await.unwrap();
    let code = bench.code(ANA).await;
    let verified = bench.verify(ANA, &code, &caller("10.0.0.1")).await.unwrap_err();
    assert_eq!(verified.code(), Code::InvalidVerificationCode, "a reset code verifies nothing");
    bench.reset(ANA, &code, "Outra123!").await.unwrap();
    let first = bench.sign_in_from(ANA, PASSWORD, STRANGER).await.unwrap_err();
    assert_eq!(first.code(), Code::InvalidCredentials, "whoever signed up is out");
    bench.sign_in(ANA, "Outra123!").await.unwrap();
    assert!(bench.has_proven_mailbox(ANA).await);
}

/// A sign-in from there is told to the owner, and failures there do not use up the owner's own bucket.
#[tokio::test]
async fn the_network_of_whoever_signed_up_is_not_the_owners() {
    let notices = async |verifies: bool| {
        let bench = Bench::new().await;
        bench.register_from(ANA, CPF, &caller(STRANGER)).await.unwrap();
        if verifies {
            let code = bench.code(ANA).await;
            bench.verify_with(&code, None).await.unwrap();
        }
        bench.advance(61);
        bench.ask_code(ANA, Purpose::Reset).await.unwrap();
        let code = bench.code(ANA).await;
        bench.reset(ANA, &code, "Outra123!").await.unwrap();
        for ip in ["10.0.0.1", STRANGER] {
            bench.sign_in_from(ANA, "Outra123!", ip).await.unwrap();
        }
        let subjects = bench.mails(ANA).await.into_iter().map(|mail| mail.subject);
        subjects.filter(|subject| subject.starts_with("Novo acesso")).count()
    };
    assert_eq!(notices(false).await, 1, "the reset verifies the address");
    assert_eq!(notices(true).await, 1, "the owner has verified it before");
}

#[tokio::test]
async fn a_verification_code_resets_nothing() {
    let bench = Bench::new().await;
    bench.register(ANA, CPF).await.unwrap();
    let code = bench.code(ANA).await;
    let refused = bench.reset(ANA, &code, "Outra123!").await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidResetToken);
}

#[tokio::test]
async fn only_who_registered_proves_the_mailbox_by_verifying() {
    let proofs = async |shown: fn(String) -> Option<String>, ip: &str| {
        let bench = Bench::new().await;
        let registered = bench.registered(ANA, CPF, &caller(ip)).await.unwrap();
        let code = bench.code(ANA).await;
        bench.verify_with(&code, shown(registered.registration).as_deref()).await.unwrap();
        bench.has_proven_mailbox(ANA).await
    };
    assert!(proofs(Some, STRANGER).await, "by what registering answered");
    assert!(proofs(|_| None, "10.8.8.8").await, "by the network");
    assert!(!proofs(|_| None, STRANGER).await, "somebody else registered");
}

/// The code proves the mailbox, the registration that the same person chose the password.
#[tokio::test]
async fn only_who_shows_the_registration_is_signed_in_by_verifying() {
    let verified = async |shown: fn(String) -> Option<String>, ip: &str, status: &str| {
        let bench = Bench::new().await;
        let registered = bench.registered(ANA, CPF, &caller(STRANGER)).await.unwrap();
        bench
            .test
            .owner()
            .await
            .batch_execute(&format!("UPDATE users SET {status}"))
            .await
            .unwrap();
        let (email, code) = (Email::parse(ANA).unwrap(), bench.code(ANA).await);
        let (digits, shown) = (Digits::parse(&code).unwrap(), shown(registered.registration));
        let here = caller(ip);
        let verified =
            bench.auth.verify_email(&email, &digits, shown.as_deref(), &here).await.unwrap();
        let subjects = bench.mails(ANA).await.into_iter().map(|mail| mail.subject);
        let is_told = subjects.into_iter().any(|subject| subject.starts_with("Novo acesso"));
        let lives = match &verified.tokens {
            Some(tokens) => bench.is_signed_in(tokens).await,
            None => false,
        };
        (lives, is_told)
    };
    let plain = "phone = phone";
    assert_eq!(verified(Some, STRANGER, plain).await, (true, false), "the one who signed up");
    assert_eq!(verified(Some, "10.8.8.8", plain).await, (true, true), "from a new network");
    assert_eq!(verified(|_| None, "10.8.8.8", plain).await, (false, false), "by the code alone");
    assert_eq!(verified(|_| None, STRANGER, plain).await, (false, false), "nor by a network");
    let factor = "has_second_factor = true";
    assert_eq!(verified(Some, STRANGER, factor).await, (false, false), "a second factor is asked");
    let inactive = "status = 'inactive'";
    assert_eq!(verified(Some, STRANGER, inactive).await, (false, false), "nobody gets in here");
}

#[tokio::test]
async fn the_registration_of_another_account_is_answered_like_a_wrong_code() {
    let bench = Bench::new().await;
    let other =
        bench.registered("bia@example.com", "52998224725", &caller(STRANGER)).await.unwrap();
    bench.registered(ANA, CPF, &caller(STRANGER)).await.unwrap();
    let code = bench.code(ANA).await;
    let wrong = bench.verify_with(&other_than(&code), None).await.unwrap_err();
    for registration in [other.registration.as_str(), "", "not one"] {
        let refused = bench.verify_with(&code, Some(registration)).await.unwrap_err();
        assert_eq!(format!("{refused:?}"), format!("{wrong:?}"));
    }
    bench.verify_with(&code, None).await.unwrap();
}

#[tokio::test]
async fn signing_up_again_replaces_everything_that_somebody_typed_before() {
    let bench = Bench::new().await;
    let first = bench.registered(ANA, CPF, &caller(STRANGER)).await.unwrap();
    let old = bench.code(ANA).await;
    bench.advance(1);
    let second = bench.registered(ANA, "52998224725", &caller("10.0.0.1")).await.unwrap();
    assert_ne!((first.user.id, &first.registration), (second.user.id, &second.registration));
    let new = bench.code(ANA).await;
    assert_ne!(new, old);
    let voided = bench.verify_with(&old, None).await.unwrap_err();
    assert_eq!(voided.code(), Code::InvalidVerificationCode);
    let stale = bench.verify_with(&new, Some(&first.registration)).await.unwrap_err();
    assert_eq!(stale.code(), Code::InvalidVerificationCode);
    bench.verify_with(&new, Some(&second.registration)).await.unwrap();
    let owner = bench.test.owner().await;
    let row = owner.query_one("SELECT document, (SELECT count(*) FROM consents) FROM users", &[]);
    let row = row.await.unwrap();
    assert_eq!((row.get::<_, &str>(0), row.get::<_, i64>(1)), ("52998224725", 3));
    bench.register("bia@example.com", CPF).await.unwrap();
    let taken = bench.register(ANA, CPF).await.unwrap_err();
    assert_eq!(taken.code(), Code::EmailExists, "verified");
}

#[tokio::test]
async fn registrations_at_once_leave_one_account_that_works() {
    let bench = Bench::new().await;
    let here = caller(STRANGER);
    let all = (0..4).map(|_| bench.registered(ANA, CPF, &here));
    for made in futures_util::future::join_all(all).await {
        made.unwrap();
    }
    let owner = bench.test.owner().await;
    let count = owner.query_one("SELECT count(*) FROM users", &[]).await.unwrap();
    assert_eq!(count.get::<_, i64>(0), 1);
    bench.run_mail().await;
    bench.advance(60);
    bench.ask_code_from(ANA, Purpose::Verification, STRANGER).await.unwrap();
    let code = bench.code(ANA).await;
    bench.verify(ANA, &code, &here).await.unwrap();
    bench.sign_in_from(ANA, PASSWORD, STRANGER).await.unwrap();
}

#[tokio::test]
async fn registrations_fill_nobodys_mailbox() {
    let bench = Bench::new().await;
    for _ in 0..5 {
        bench.register_from(ANA, CPF, &caller(STRANGER)).await.unwrap();
    }
    let refused = bench.register_from(ANA, CPF, &caller("10.6.6.7")).await.unwrap_err();
    assert!(matches!(refused, Error::TooMany { .. }), "{refused}");
}

#[tokio::test]
async fn strangers_cannot_use_up_the_mails_of_a_known_network() {
    let bench = Bench::new().await;
    bench.person(ANA, CPF).await;
    // The registration was the first of five an hour.
    for _ in 0..4 {
        bench.advance(60);
        bench.ask_code_from(ANA, Purpose::Reset, STRANGER).await.unwrap();
    }
    bench.advance(60);
    bench.ask_code_from(ANA, Purpose::Reset, STRANGER).await.unwrap_err();
    let before = bench.mails(ANA).await.len();
    bench.advance(31);
    bench.ask_code(ANA, Purpose::Reset).await.unwrap();
    assert_eq!(bench.mails(ANA).await.len(), before + 1);
    let code = bench.code(ANA).await;
    bench.reset(ANA, &code, "Outra123!").await.unwrap();
}

#[tokio::test]
async fn wrong_codes_of_strangers_leave_the_link_of_the_mail_good() {
    let bench = Bench::new().await;
    bench.person(ANA, CPF).await;
    bench.advance(1);
    bench.ask_code(ANA, Purpose::Reset).await.unwrap();
    let (code, link) = (bench.code(ANA).await, bench.link(ANA).await);
    for _ in 0..5 {
        let wrong = other_than(&code);
        bench.reset_from(ANA, &wrong, "Outra123!", &caller(STRANGER)).await.unwrap_err();
    }
    bench.reset(ANA, &code, "Outra123!").await.unwrap_err();
    bench.reset_by_link(&link, "Outra123!").await.unwrap();
    bench.sign_in(ANA, "Outra123!").await.unwrap();
}

#[tokio::test]
async fn a_link_is_good_once_for_its_time_and_only_while_its_code_is() {
    let bench = Bench::new().await;
    bench.person(ANA, CPF).await;
    let ask = async || {
        bench.advance(61);
        bench.ask_code(ANA, Purpose::Reset).await.unwrap();
        (bench.code(ANA).await, bench.link(ANA).await)
    };
    let refused = async |link: &str| {
        let refused = bench.reset_by_link(link, "Outra123!").await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidResetToken);
    };
    refused("").await;
    let (_, first) = ask().await;
    assert_eq!(first.len(), 43, "256 bits");
    let (code, second) = ask().await;
    refused(&first).await;
    bench.reset(ANA, &code, "Outra123!").await.unwrap();
    refused(&second).await;
    let (code, third) = ask().await;
    bench.reset_by_link(&third, "Mais1234!").await.unwrap();
    refused(&third).await;
    bench.reset(ANA, &code, "Outra123!").await.unwrap_err();
    let (_, fourth) = ask().await;
    bench.advance(15 * 60);
    refused(&fourth).await;
}

/// Jobs are kept when they are done.
const KEEP_JOBS: &str = "CREATE TABLE kept (kind text, payload text); \
    CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
      'BEGIN INSERT INTO kept VALUES (NEW.kind, NEW.payload); RETURN NEW; END'; \
    CREATE TRIGGER keep AFTER INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION keep()";

#[tokio::test]
async fn neither_database_nor_job_knows_the_link() {
    let bench = Bench::new().await;
    bench.person(ANA, CPF).await;
    let owner = bench.test.owner().await;
    owner.batch_execute(KEEP_JOBS).await.unwrap();
    bench.advance(1);
    bench.ask_code(ANA, Purpose::Reset).await.unwrap();
    bench.run_mail().await;
    let link = bench.link(ANA).await;
    let jobs = owner.query("SELECT kind, payload FROM kept ORDER BY kind", &[]).await.unwrap();
    let kinds: Vec<&str> = jobs.iter().map(|job| job.get(0)).collect();
    assert_eq!(kinds, ["code_mail", "mail"]);
    assert!(jobs.iter().all(|job| !job.get::<_, &str>(1).contains(&link)));
    let sql = "SELECT link_sha256 FROM codes WHERE purpose = 'reset'";
    let stored: Vec<u8> = owner.query_one(sql, &[]).await.unwrap().get(0);
    assert_eq!(stored, bipe_core::secret::sha256(link.as_bytes()));
}
