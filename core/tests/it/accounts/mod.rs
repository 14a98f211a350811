//! Sign-up, codes, sessions and limits against a real PostgreSQL.

mod changes;
mod erasure;
mod export;
mod granting;
mod limits;
mod mailbox;
mod rotation;
mod sessions;
mod sign_up;
mod undo;
mod uniform;

use std::path::PathBuf;

use bipe_core::auth::code::{Digits, Purpose};
use bipe_core::auth::password::Hasher;
use bipe_core::auth::recovery::{ResetBy, code_mail};
use bipe_core::auth::session::sign_in::SignIn;
use bipe_core::auth::session::token::Tokens;
use bipe_core::auth::sign_up::{RegisterRequest, Registered};
use bipe_core::auth::{Auth, Keys};
use bipe_core::caller::Caller;
use bipe_core::clock::Clock;
use bipe_core::config::Config;
use bipe_core::db::Db;
use bipe_core::error::Error;
use bipe_core::job::{self, JobCapacity, JobKind};
use bipe_core::mailer::{self, Mailer};
use bipe_core::scope::{JobScope, SignedIn};
use bipe_core::secret::Secret;
use bipe_core::testing::TestDb;
pub use bipe_core::testing::config;
use bipe_core::user::store::Consent;
use bipe_core::user::{Email, Password, User};

pub const PASSWORD: &str = "Senha123!";
/// The root secret of every bench.
const ROOT: &str = "0123456789abcdef0123456789abcdef";

/// A server without HTTP.
pub struct Bench {
    pub test: TestDb,
    pub auth: Auth,
    /// That of `test`, unless the bench stands on another one.
    db: Db,
    mailer: Mailer,
    /// Holds the log of erasures alone.
    pub data_dir: PathBuf,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.data_dir);
    }
}

impl Bench {
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    /// The same secrets on another node.
    pub fn elsewhere(&self) -> Auth {
        self.on(self.test.db.clone())
    }

    /// The same with connections of its own.
    pub fn on(&self, db: Db) -> Auth {
        auth(self.auth.keys.clone(), &config(&[]), db)
    }

    pub async fn with(flags: &[&str]) -> Self {
        let test = TestDb::new().await;
        let db = test.db.clone();
        Self::over(test, db, flags)
    }

    /// The same on another database than that of `test`.
    pub fn over(test: TestDb, db: Db, flags: &[&str]) -> Self {
        let data_dir = std::env::temp_dir().join(format!("bipe-bench-{}", Clock::system().uuid()));
        let config = config(&[&["--data-dir", data_dir.to_str().unwrap()], flags].concat());
        let keys = Keys::derive(&Secret::new(ROOT));
        let mailer = Mailer::new(&config, &keys).unwrap();
        let auth = auth(keys, &config, db.clone());
        Self { test, auth, db, mailer, data_dir }
    }

    pub fn advance(&self, seconds: u32) {
        self.test.db.clock().advance(seconds);
    }

    /// Runs the mail jobs until none is due.
    pub async fn run_mail(&self) {
        let db = &self.db;
        loop {
            let due = job::claim(db, JobCapacity::any(10)).await.unwrap();
            if due.is_empty() {
                return;
            }
            for job in due {
                match job.kind {
                    JobKind::Mail => {
                        mailer::run_job(&self.mailer, db, &JobScope::of_test(), &job).await.unwrap()
                    }
                    JobKind::CodeMail => code_mail::run_job(&self.mailer, db, &job).await.unwrap(),
                    // Of a company that has ended with its only person.
                    JobKind::SavedCards => {}
                    other => panic!("{other:?} is no mail job"),
                }
                job::finish(db, &[job]).await.unwrap();
            }
        }
    }

    pub async fn mails(&self, to: &str) -> Vec<mailer::LocalMail> {
        self.run_mail().await;
        mailer::mailbox(&self.db, Some(to)).await.unwrap()
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
        Ok(self.registered(email, document, caller).await?.user)
    }

    async fn registered(
        &self,
        email: &str,
        document: &str,
        caller: &Caller,
    ) -> Result<Registered, Error> {
        self.registered_again(email, document, None, caller).await
    }

    /// Shows what an earlier registration answered.
    async fn registered_again(
        &self,
        email: &str,
        document: &str,
        earlier: Option<&str>,
        caller: &Caller,
    ) -> Result<Registered, Error> {
        let raw = RegisterRequest {
            user_name: "Ana Souza".into(),
            user_email: email.into(),
            user_document: document.into(),
            user_phone: "(11) 98765-4321".into(),
            user_birth_date: "1990-04-12".into(),
            password: PASSWORD.into(),
            password_confirmation: PASSWORD.into(),
            consent_legal_terms: true,
            consent_privacy_terms: true,
            consent_lgpd_terms: true,
            invite_token: None,
            registration: earlier.map(str::to_owned),
        };
        let registration = self.auth.parse_registration(&raw)?;
        let consents = ["legal", "privacy", "lgpd"].map(|kind| Consent {
            kind,
            version: "1.0",
            text_sha256: [7; 32],
        });
        self.auth.register(registration, &consents, caller).await
    }

    async fn verify(&self, email: &str, code: &str, caller: &Caller) -> Result<User, Error> {
        let (email, digits) = (Email::parse(email).unwrap(), Digits::parse(code).unwrap());
        Ok(self.auth.verify_email(&email, &digits, None, caller).await?.user)
    }

    /// Shows what registering answered, from a network that nobody knows.
    async fn verify_as(&self, email: &str, code: &str, registration: &str) -> Result<User, Error> {
        let (email, digits) = (Email::parse(email).unwrap(), Digits::parse(code).unwrap());
        let from = caller("10.8.8.8");
        Ok(self.auth.verify_email(&email, &digits, Some(registration), &from).await?.user)
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
        let signed = self.auth.sign_in(&email, password, &caller(ip)).await;
        signed.map(|signed| match signed {
            SignIn::Session(_, tokens) => tokens,
            SignIn::SecondFactor(_) => panic!("nobody here has a second factor"),
        })
    }

    /// A signed-in person.
    pub async fn somebody(&self, email: &str, document: &str) -> SignedIn {
        self.person(email, document).await;
        self.signed_in(email, PASSWORD).await
    }

    /// The session of those tokens, which is alive.
    async fn session(&self, tokens: &Tokens) -> SignedIn {
        let claims = self.auth.claims(&tokens.access_token).unwrap();
        self.auth.signed_in(&claims).await.unwrap().who
    }

    async fn refresh(&self, token: &str) -> Result<Tokens, Error> {
        self.auth.refresh(token, &caller("10.0.0.1")).await
    }

    async fn is_signed_in(&self, tokens: &Tokens) -> bool {
        match self.auth.claims(&tokens.access_token) {
            Some(claims) => self.auth.signed_in(&claims).await.is_ok(),
            None => false,
        }
    }

    async fn reset(&self, email: &str, code: &str, password: &str) -> Result<(), Error> {
        self.reset_from(email, code, password, &caller("10.0.0.1")).await
    }

    async fn reset_from(
        &self,
        email: &str,
        code: &str,
        password: &str,
        caller: &Caller,
    ) -> Result<(), Error> {
        let (email, digits) = (Email::parse(email).unwrap(), Digits::parse(code).unwrap());
        let password = Password::parse(password).unwrap();
        let by = ResetBy::Code(&email, &digits);
        self.auth.reset_password(by, &password, caller).await
    }

    async fn ask_code(&self, email: &str, purpose: Purpose) -> Result<(), Error> {
        self.ask_code_from(email, purpose, "10.0.0.1").await
    }

    async fn ask_code_from(&self, email: &str, purpose: Purpose, ip: &str) -> Result<(), Error> {
        let email = Email::parse(email).unwrap();
        self.auth.request_code(&email, purpose, &caller(ip)).await
    }
}

/// With passwords that cost next to nothing: `bipe_core::auth::password` has its own tests.
fn auth(keys: Keys, config: &Config, db: Db) -> Auth {
    let hasher = Hasher::light(db.clock().clone());
    let mut auth = Auth::new(keys, config, db, JobScope::of_test());
    auth.hasher = hasher;
    auth
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
