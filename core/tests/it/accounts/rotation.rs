//! A new root secret follows an old one while both are configured: nobody is signed out, nothing is forgotten.

use bipe_core::auth::Keys;
use bipe_core::auth::code::Purpose;
use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::error::Error;
use bipe_core::mailer::Mailer;
use bipe_core::rate_limit;
use bipe_core::secret::Secret;
use bipe_core::user::Email;
use jiff::SignedDuration;

use super::{Bench, PASSWORD, ROOT, auth, caller, config};

const ANA: &str = "ana@example.com";
const NEW: &str = "a-new-root-secret-of-forty-two-characters.";

impl Bench {
    /// From here on the server has these root secrets.
    fn restart(&mut self, roots: &str) {
        let (keys, config) = (Keys::derive(&Secret::new(roots)), config(&[]));
        self.mailer = Mailer::new(&config, &keys).unwrap();
        self.auth = auth(keys, &config, self.test.db.clone());
    }
}

#[tokio::test]
async fn a_new_secret_signs_nobody_out_and_voids_no_code() {
    let mut bench = Bench::new().await;
    bench.person(ANA, "11144477735").await;
    let tokens = bench.sign_in(ANA, PASSWORD).await.unwrap();
    let who = bench.session(&tokens).await;
    let now = bench.test.db.clock().now();
    let until = now.checked_add(SignedDuration::from_hours(1)).unwrap();
    let resume = bench.auth.issue_resume(SocketOwner { who, until }, now);
    bench.advance(1);
    bench.ask_code(ANA, Purpose::Reset).await.unwrap();
    let reset = bench.code(ANA).await;
    // Its mail is sent after the restart.
    let elsewhere = caller("10.6.6.6");
    let bia = bench.registered("bia@example.com", "52998224725", &elsewhere).await.unwrap();
    let registration = bia.registration;

    bench.restart(&format!("{NEW},{ROOT}"));
    assert!(bench.is_signed_in(&tokens).await);
    bench.auth.revocations.refresh(&bench.test.db).await.unwrap();
    let now = bench.test.db.clock().now();
    assert!(bench.auth.check_resume(&resume, now).is_some());
    let newer = bench.refresh(&tokens.refresh_token).await.unwrap();
    let code = bench.code("bia@example.com").await;
    bench.verify_as("bia@example.com", &code, &registration).await.unwrap();

    bench.restart(NEW);
    assert!(!bench.is_signed_in(&tokens).await, "the old secret is gone");
    assert!(bench.is_signed_in(&newer).await);
    bench.reset(ANA, &reset, "Outra123!").await.unwrap_err();
    bench.restart(&format!("{NEW},{ROOT}"));
    bench.reset(ANA, &reset, "Outra123!").await.unwrap();
}

#[tokio::test]
async fn limits_and_known_networks_outlive_a_new_secret() {
    let mut bench = Bench::new().await;
    bench.person(ANA, "11144477735").await;
    let take = async |bench: &Bench| {
        let bucket = bench.auth.limits.bucket(&["user", "u1"]);
        bench.auth.limits.take(&bench.test.db, &[(rate_limit::EXPORT, &bucket)]).await
    };
    for _ in 0..2 {
        take(&bench).await.unwrap();
    }
    for _ in 0..5 {
        bench.sign_in_from(ANA, "Senha123?", "10.6.6.6").await.unwrap_err();
    }
    bench.restart(&format!("{NEW},{ROOT}"));
    take(&bench).await.unwrap();
    assert!(matches!(take(&bench).await, Err(Error::TooMany { .. })), "three a day");
    let slow = bench.sign_in_from(ANA, PASSWORD, "10.6.6.6").await;
    assert!(matches!(slow, Err(Error::TooMany { .. })), "failures are remembered");
    bench.sign_in(ANA, PASSWORD).await.unwrap();
    let told = bench.mails(ANA).await;
    let is_news = |subject: &str| subject.starts_with("Novo acesso");
    assert!(!told.iter().any(|mail| is_news(&mail.subject)), "the network is known");
    // What is known under the new secret alone stays when the old one goes.
    bench.restart(NEW);
    assert!(matches!(take(&bench).await, Err(Error::TooMany { .. })));
    let email = Email::parse(ANA).unwrap();
    bench.auth.sign_in(&email, PASSWORD, &caller("10.0.0.1")).await.unwrap();
    assert!(!bench.mails(ANA).await.iter().any(|mail| is_news(&mail.subject)));
}
