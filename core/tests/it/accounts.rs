//! Sign-up, codes, sessions and limits against a real PostgreSQL.

use std::sync::Arc;

use bipe_core::auth::code::{Digits, Purpose};
use bipe_core::auth::sign_up::RawRegistration;
use bipe_core::auth::token::Tokens;
use bipe_core::auth::{Auth, Caller, Keys};
use bipe_core::config::Config;
use bipe_core::error::{Code, Error};
use bipe_core::job::{self, JobKind};
use bipe_core::mailer::{self, Mailer};
use bipe_core::rate_limit;
use bipe_core::secret::Secret;
use bipe_core::testing::TestDb;
use bipe_core::user::store::Consent;
use bipe_core::user::{Email, Password, User};
use clap::Parser;

pub const PASSWORD: &str = "Senha123!";

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    config: Config,
}

/// A server without HTTP.
pub struct Bench {
    pub test: TestDb,
    pub auth: Auth,
    mailer: Mailer,
}

impl Bench {
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(flags: &[&str]) -> Self {
        let test = TestDb::new().await;
        let config = Cli::parse_from([&["bipe"], flags].concat()).config;
        let keys = Keys::derive(&Secret::new("0123456789abcdef0123456789abcdef"));
        let mailer = Mailer::new(&config, &keys).unwrap();
        let auth = Auth::new(keys, &config, test.db.clock());
        Self { test, auth, mailer }
    }

    pub fn advance(&self, seconds: u32) {
        self.test.db.clock().advance(seconds);
    }

    /// Runs the mail jobs until none is due.
    pub async fn run_mail(&self) {
        let db = &self.test.db;
        loop {
            let due = job::claim(db, 10).await.unwrap();
            if due.is_empty() {
                return;
            }
            for job in due {
                assert!(matches!(job.kind, JobKind::Mail | JobKind::CodeMail));
                mailer::run_job(&self.mailer, db, &job).await.unwrap();
                job::finish(db, &job).await.unwrap();
            }
        }
    }

    pub async fn mails(&self, to: &str) -> Vec<mailer::Delivered> {
        self.run_mail().await;
        mailer::mailbox(&self.test.db, Some(to)).await.unwrap()
    }

    /// The code of the newest mail to the address.
    pub async fn code(&self, to: &str) -> String {
        let mails = self.mails(to).await;
        let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
        mails[0].text.lines().find(is_code).unwrap().to_owned()
    }

    pub async fn register(&self, email: &str, document: &str) -> Result<User, Error> {
        self.register_from(email, document, &caller("10.0.0.1")).await
    }

    async fn register_from(
        &self,
        email: &str,
        document: &str,
        caller: &Caller,
    ) -> Result<User, Error> {
        let raw = RawRegistration {
            name: "Ana Souza",
            email,
            document,
            phone: "(11) 98765-4321",
            birth_date: "1990-04-12",
            password: PASSWORD,
            confirmation: PASSWORD,
            consents: [true; 3],
        };
        let registration = self.auth.parse_registration(&raw, &self.test.db)?;
        let consents = ["legal", "privacy", "lgpd"].map(|kind| Consent {
            kind,
            version: "1.0",
            text_sha256: [7; 32],
        });
        self.auth.register(&self.test.db, registration, &consents, caller).await
    }

    async fn verify(&self, email: &str, code: &str, caller: &Caller) -> Result<User, Error> {
        let (email, digits) = (Email::parse(email).unwrap(), Digits::parse(code).unwrap());
        self.auth.verify_email(&self.test.db, &email, &digits, caller).await
    }

    /// A verified account.
    pub async fn person(&self, email: &str, document: &str) -> User {
        self.register(email, document).await.unwrap();
        let code = self.code(email).await;
        self.verify(email, &code, &caller("10.0.0.1")).await.unwrap()
    }

    pub async fn sign_in(&self, email: &str, password: &str) -> Result<Tokens, Error> {
        self.sign_in_from(email, password, "10.0.0.1").await
    }

    async fn sign_in_from(&self, email: &str, password: &str, ip: &str) -> Result<Tokens, Error> {
        let email = Email::parse(email).unwrap();
        let signed = self.auth.sign_in(&self.test.db, &email, password, &caller(ip)).await;
        signed.map(|(_, tokens)| tokens)
    }

    async fn refresh(&self, token: &str) -> Result<Tokens, Error> {
        self.auth.refresh(&self.test.db, token, &caller("10.0.0.1")).await
    }

    async fn is_signed_in(&self, tokens: &Tokens) -> bool {
        self.auth.signed_in(&self.test.db, &tokens.access_token).await.is_ok()
    }

    async fn reset(&self, email: &str, code: &str, password: &str) -> Result<(), Error> {
        let (email, digits) = (Email::parse(email).unwrap(), Digits::parse(code).unwrap());
        let password = Password::parse(password).unwrap();
        let caller = caller("10.0.0.1");
        self.auth.reset_password(&self.test.db, (&email, &digits), &password, &caller).await
    }

    async fn ask_code(&self, email: &str, purpose: Purpose) -> Result<(), Error> {
        let email = Email::parse(email).unwrap();
        self.auth.request_code(&self.test.db, &email, purpose, &caller("10.0.0.1")).await
    }
}

pub fn caller(ip: &str) -> Caller {
    Caller {
        ip: ip.into(),
        network: ip.into(),
        audit_network: "10.0.0.0/24".into(),
        device: "Firefox".into(),
        request_id: "test".into(),
    }
}

/// A code that is not the given one.
fn other_than(code: &str) -> String {
    if code == "000000" { "000001".into() } else { "000000".into() }
}

#[tokio::test]
async fn a_person_signs_up_verifies_and_signs_in() {
    let bench = Bench::new().await;
    let user = bench.register("ana@example.com", "111.444.777-35").await.unwrap();
    assert!(!user.email_verified);
    let refused = bench.sign_in("ana@example.com", PASSWORD).await.unwrap_err();
    assert_eq!(refused.code(), Code::EmailNotVerified);
    let code = bench.code("ana@example.com").await;
    let user = bench.verify("ana@example.com", &code, &caller("10.0.0.1")).await.unwrap();
    assert!(user.email_verified);
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    assert!(bench.is_signed_in(&tokens).await);
    let again = bench.verify("ana@example.com", &code, &caller("10.0.0.1")).await.unwrap_err();
    assert_eq!(again.code(), Code::EmailAlreadyVerified);
}

#[tokio::test]
async fn a_known_address_or_document_is_told_e_mail_first_and_its_owner_once_a_day() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    for (email, document, code) in [
        ("ana@example.com", "11144477735", Code::EmailExists),
        ("ANA@example.com", "52998224725", Code::EmailExists),
        ("bia@example.com", "111.444.777-35", Code::DocumentExists),
    ] {
        assert_eq!(bench.register(email, document).await.unwrap_err().code(), code);
    }
    let subjects = |mails: Vec<mailer::Delivered>| {
        mails.into_iter().filter(|m| m.subject == "Você já tem uma conta no Bipe").count()
    };
    assert_eq!(subjects(bench.mails("ana@example.com").await), 1);
    assert!(bench.mails("bia@example.com").await.is_empty());
}

#[tokio::test]
async fn a_prober_is_stopped_before_any_look_up() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
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

#[tokio::test]
async fn five_tries_are_counted_and_the_sixth_is_lost_even_when_right() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let code = bench.code("ana@example.com").await;
    let tries = (0..5).map(|_| async {
        bench.verify("ana@example.com", &other_than(&code), &caller("10.0.0.1")).await
    });
    for refused in futures_util::future::join_all(tries).await {
        assert_eq!(refused.unwrap_err().code(), Code::InvalidVerificationCode);
    }
    let right = bench.verify("ana@example.com", &code, &caller("10.0.0.1")).await;
    assert_eq!(right.unwrap_err().code(), Code::InvalidVerificationCode);
}

#[tokio::test]
async fn an_unknown_address_a_wrong_a_late_and_a_voided_code_are_one_answer() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let first = bench.code("ana@example.com").await;
    let from = caller("10.0.0.1");
    let unknown = bench.verify("nobody@example.com", &first, &from).await.unwrap_err();
    let wrong = bench.verify("ana@example.com", &other_than(&first), &from).await.unwrap_err();
    assert_eq!(format!("{unknown:?}"), format!("{wrong:?}"));

    bench.advance(61);
    bench.ask_code("ana@example.com", Purpose::Verification).await.unwrap();
    let second = bench.code("ana@example.com").await;
    assert_ne!(first, second);
    let voided = bench.verify("ana@example.com", &first, &from).await.unwrap_err();
    assert_eq!(format!("{voided:?}"), format!("{wrong:?}"));
    bench.advance(15 * 60);
    let late = bench.verify("ana@example.com", &second, &from).await.unwrap_err();
    assert_eq!(format!("{late:?}"), format!("{wrong:?}"));
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
async fn a_forgotten_password_of_an_unverified_account_gets_a_verification_code() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    bench.advance(61);
    bench.ask_code("ana@example.com", Purpose::Reset).await.unwrap();
    let code = bench.code("ana@example.com").await;
    assert!(bench.verify("ana@example.com", &code, &caller("10.0.0.1")).await.is_ok());
}

#[tokio::test]
async fn code_mails_end_after_five_an_hour() {
    let bench = Bench::new().await;
    for _ in 0..5 {
        bench.ask_code("nobody@example.com", Purpose::Reset).await.unwrap();
        bench.advance(60);
    }
    let refused = bench.ask_code("nobody@example.com", Purpose::Reset).await.unwrap_err();
    assert!(matches!(refused, Error::TooMany { .. }), "{refused}");
}

#[tokio::test]
async fn an_unknown_person_and_a_wrong_password_are_one_answer() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let unknown = bench.sign_in("nobody@example.com", PASSWORD).await.unwrap_err();
    let wrong = bench.sign_in("ana@example.com", "Senha123?").await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidCredentials);
    assert_eq!(format!("{unknown:?}"), format!("{wrong:?}"));
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
    let (other, _committed) = bench.test.second_node();
    let email = Email::parse("ana@example.com").unwrap();
    let slow = bench.auth.sign_in(&other, &email, PASSWORD, &caller("10.6.6.6")).await;
    assert!(matches!(slow.unwrap_err(), Error::TooMany { retry_after: 1 }));
    assert!(bench.sign_in("ana@example.com", PASSWORD).await.is_ok(), "the owner comes in");
    bench.advance(1);
    assert!(bench.sign_in_from("ana@example.com", PASSWORD, "10.6.6.6").await.is_ok());
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
async fn fifty_refreshes_of_one_token_lead_to_one_successor() {
    let bench = Arc::new(Bench::new().await);
    bench.person("ana@example.com", "11144477735").await;
    let first = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let tries = (0..50).map(|_| bench.refresh(&first.refresh_token));
    let answers = futures_util::future::join_all(tries).await;
    let mut successors: Vec<String> =
        answers.into_iter().map(|answer| answer.unwrap().refresh_token).collect();
    successors.dedup();
    assert_eq!(successors.len(), 1);
    assert_ne!(successors[0], first.refresh_token);
    assert!(bench.refresh(&successors[0]).await.is_ok());
}

#[tokio::test]
async fn an_unused_successor_may_be_asked_for_again_and_a_used_one_may_not() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let first = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let second = bench.refresh(&first.refresh_token).await.unwrap();
    bench.advance(3_600);
    let again = bench.refresh(&first.refresh_token).await.unwrap();
    assert_eq!(again.refresh_token, second.refresh_token, "the answer was lost on the way");
    // The first call with the successor's access token is its first use.
    assert!(bench.is_signed_in(&again).await);
    let theft = bench.refresh(&first.refresh_token).await.unwrap_err();
    assert_eq!(theft.code(), Code::InvalidRefreshToken);
    assert!(!bench.is_signed_in(&again).await, "the family has ended");
    assert!(bench.refresh(&second.refresh_token).await.is_err());
    let mails = bench.mails("ana@example.com").await;
    assert_eq!(mails[0].subject, "Encerramos uma sessão sua no Bipe");
}

#[tokio::test]
async fn signing_out_ends_the_session_on_every_node() {
    let mut bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let who = bench.auth.signed_in(&bench.test.db, &tokens.access_token).await.unwrap().who;
    let (other, _committed) = bench.test.second_node();
    let elsewhere = Bench::elsewhere(&bench);
    elsewhere.revocations.refresh(&other).await.unwrap();
    let resume = elsewhere.issue_resume(who, other.clock().now());
    assert_eq!(elsewhere.check_resume(&resume, other.clock().now()), Some(who));

    bench.auth.sign_out(&bench.test.db, &tokens.refresh_token, &caller("10.0.0.1")).await.unwrap();
    bench.auth.sign_out(&bench.test.db, &tokens.refresh_token, &caller("10.0.0.1")).await.unwrap();
    assert!(!bench.is_signed_in(&tokens).await);
    assert!(bench.refresh(&tokens.refresh_token).await.is_err());
    elsewhere.revocations.refresh(&other).await.unwrap();
    assert_eq!(elsewhere.check_resume(&resume, other.clock().now()), None);

    let mut names = Vec::new();
    while let Ok(events) = bench.test.committed.try_recv() {
        names.extend(events.into_iter().map(|event| (event.name.as_str(), event.key)));
    }
    assert_eq!(names, [("session.revoked", who.session_id.to_string())]);
}

impl Bench {
    /// The same secrets on another node.
    fn elsewhere(bench: &Bench) -> Auth {
        let config = Cli::parse_from(["bipe"]).config;
        Auth::new(bench.auth.keys.clone(), &config, bench.test.db.clock())
    }
}

#[tokio::test]
async fn a_reset_ends_every_session_and_signs_nobody_in() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    bench.advance(1);
    bench.ask_code("ana@example.com", Purpose::Reset).await.unwrap();
    let code = bench.code("ana@example.com").await;
    let wrong = bench.reset("ana@example.com", &other_than(&code), "Outra123!").await.unwrap_err();
    let unknown = bench.reset("nobody@example.com", &code, "Outra123!").await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidResetToken);
    assert_eq!(format!("{wrong:?}"), format!("{unknown:?}"));
    bench.reset("ana@example.com", &code, "Outra123!").await.unwrap();
    assert!(!bench.is_signed_in(&tokens).await);
    assert!(bench.refresh(&tokens.refresh_token).await.is_err());
    assert!(bench.sign_in("ana@example.com", PASSWORD).await.is_err());
    assert!(bench.sign_in("ana@example.com", "Outra123!").await.is_ok());
    let again = bench.reset("ana@example.com", &code, "Mais1234!").await.unwrap_err();
    assert_eq!(again.code(), Code::InvalidResetToken, "a code is used once");
    let mails = bench.mails("ana@example.com").await;
    assert!(mails.iter().any(|mail| mail.subject == "Sua senha do Bipe foi redefinida"));
}

#[tokio::test]
async fn the_twenty_first_session_ends_the_oldest() {
    let bench = Bench::with(&["--rate-limits", "relaxed"]).await;
    bench.person("ana@example.com", "11144477735").await;
    let first = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let mut newest = first.clone();
    for _ in 0..20 {
        bench.advance(1);
        newest = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    }
    assert!(!bench.is_signed_in(&first).await);
    let who = bench.auth.signed_in(&bench.test.db, &newest.access_token).await.unwrap().who;
    assert_eq!(bench.auth.sessions(&bench.test.db, who).await.unwrap().len(), 20);
}

#[tokio::test]
async fn a_live_ticket_is_redeemed_once_within_its_time() {
    let bench = Bench::new().await;
    bench.person("ana@example.com", "11144477735").await;
    let tokens = bench.sign_in("ana@example.com", PASSWORD).await.unwrap();
    let db = &bench.test.db;
    let who = bench.auth.signed_in(db, &tokens.access_token).await.unwrap().who;
    let ticket = bench.auth.live_ticket(db, who).await.unwrap();
    let tries = (0..10).map(|_| bench.auth.redeem_ticket(db, &ticket));
    let redeemed = futures_util::future::join_all(tries).await;
    let winners: Vec<_> = redeemed.into_iter().filter_map(|alive| alive.unwrap()).collect();
    assert_eq!(winners.len(), 1);
    assert_eq!(winners[0].who, who);

    let late = bench.auth.live_ticket(db, who).await.unwrap();
    bench.advance(30);
    assert_eq!(bench.auth.redeem_ticket(db, &late).await.unwrap(), None);

    let mut open = Vec::new();
    for _ in 0..6 {
        bench.advance(1);
        open.push(bench.auth.live_ticket(db, who).await.unwrap());
    }
    assert_eq!(
        bench.auth.redeem_ticket(db, &open[0]).await.unwrap(),
        None,
        "the sixth pushed it out"
    );
    let tokens = tokens.refresh_token;
    bench.auth.sign_out(db, &tokens, &caller("10.0.0.1")).await.unwrap();
    assert_eq!(bench.auth.redeem_ticket(db, &open[5]).await.unwrap(), None, "signed out");
}

#[tokio::test]
async fn the_first_admin_is_made_once_and_obeys_the_password_policy() {
    let bench = Bench::new().await;
    let db = &bench.test.db;
    assert!(bench.auth.create_first_admin(db, "root@example.com", "short").await.is_err());
    assert!(bench.auth.create_first_admin(db, "root@example.com", PASSWORD).await.unwrap());
    assert!(!bench.auth.create_first_admin(db, "other@example.com", PASSWORD).await.unwrap());
    bench.sign_in_from("root@example.com", PASSWORD, "10.7.7.7").await.unwrap();
    let mails = bench.mails("root@example.com").await;
    assert_eq!(mails[0].subject, "Acesso de administrador de uma rede nova");
    bench.sign_in_from("root@example.com", PASSWORD, "10.7.7.7").await.unwrap();
    assert_eq!(bench.mails("root@example.com").await.len(), 1);
}

#[tokio::test]
async fn no_code_is_stored_in_clear() {
    let bench = Bench::new().await;
    bench.register("ana@example.com", "11144477735").await.unwrap();
    let owner = bench.test.owner().await;
    let rows = owner.query("SELECT payload FROM jobs", &[]).await.unwrap();
    let payloads: Vec<String> = rows.iter().map(|row| row.get("payload")).collect();
    let code = bench.code("ana@example.com").await;
    assert_eq!(payloads.len(), 1);
    assert!(!payloads[0].contains(&code));
}
