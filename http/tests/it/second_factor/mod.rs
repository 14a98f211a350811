//! The second factor as a client meets it: authenticator apps, recovery codes, passkeys, and what asks for them.

mod authenticator;
mod passkeys;
mod platform_admins;
mod reset;
mod sign_in;
mod step_up;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bipe_core::user::Email;
use bipe_testkit::{Answer, PASSWORD, Person};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use crate::app::TestApp;
use authenticator::Authenticator;

const ANA: &str = "ana@example.com";
const FACTOR: &str = "/api/auth/second-factor";
const STEP_UP: &str = "/api/auth/step-up";

/// An authenticator app and its recovery codes.
struct Factor {
    app: Totp,
    recovery_codes: Vec<String>,
}

impl Factor {
    /// The code of this moment.
    fn code(&self, server: &TestApp) -> String {
        let now = server.database.db.clock().now().as_second();
        self.app.generate(u64::try_from(now).unwrap()).to_string()
    }

    /// The code of the next step, which was not used yet.
    fn next_code(&self, server: &TestApp) -> String {
        server.database.db.clock().advance(30);
        self.code(server)
    }

    fn wrong_code(&self, server: &TestApp) -> String {
        let right = self.code(server);
        let last = if right.ends_with('7') { "3" } else { "7" };
        format!("{}{last}", &right[..5])
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

impl TestApp {
    /// An app that has shown no code.
    async fn offered(&self, person: &Person) -> Factor {
        let asked = json!({"password": PASSWORD});
        let offer = self.post_as(person, &format!("{FACTOR}/totp"), &asked).await;
        let secret = offer.data(200)["secret"].as_str().unwrap().to_owned();
        let app =
            Builder::new().with_secret(Secret::try_from_base32(secret).unwrap()).build().unwrap();
        Factor { app, recovery_codes: Vec::new() }
    }

    async fn totp(&self, person: &Person) -> Factor {
        let mut factor = self.offered(person).await;
        let confirmed = json!({"code": factor.code(self)});
        let added = self.post_as(person, &format!("{FACTOR}/totp/confirm"), &confirmed).await;
        factor.recovery_codes = texts(&added.data(201)["recoveryCodes"]);
        factor
    }

    async fn passkey(&self, person: &Person, name: &str) -> Authenticator {
        let asked = json!({"password": PASSWORD});
        let options = format!("{FACTOR}/passkeys/options");
        let options = self.post_as(person, &options, &asked).await;
        let mut passkey = Authenticator::new(&self.origin());
        let credential = passkey.create(&options.data(200)["options"]);
        let body = json!({"name": name, "credential": credential});
        self.post_as(person, &format!("{FACTOR}/passkeys"), &body).await.data(201);
        passkey
    }

    /// The one that browsers have passkeys for.
    fn origin(&self) -> String {
        format!("http://localhost:{}", self.address.port())
    }

    async fn first_step(&self, email: &str) -> Answer {
        self.post("/api/auth/login", &json!({"userEmail": email, "password": PASSWORD})).await
    }

    /// The challenge of a first step whose password was right.
    async fn challenge(&self, email: &str) -> String {
        let step = self.first_step(email).await;
        let data = step.data(200);
        assert_eq!((&data["user"], &data["tokens"]), (&Value::Null, &Value::Null));
        data["secondFactor"]["challenge"].as_str().unwrap().to_owned()
    }

    async fn second_step(&self, challenge: &str, proof: Value) -> Answer {
        let mut body = proof;
        body["challenge"] = json!(challenge);
        self.post(FACTOR, &body).await
    }

    /// Signed in as that person again, with both steps.
    async fn enter(&self, email: &str, proof: Value) -> Person {
        let challenge = self.challenge(email).await;
        let answer = self.second_step(&challenge, proof).await;
        self.person_of(email, &answer)
    }

    fn person_of(&self, email: &str, answer: &Answer) -> Person {
        let data = answer.data(200);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Person {
            id: text(&data["user"]["id"]).parse().unwrap(),
            email: Email::parse(email).unwrap().as_str().to_owned(),
            token: text(&data["tokens"]["accessToken"]),
            refresh_token: text(&data["tokens"]["refreshToken"]),
        }
    }

    /// Outcomes of an action in the audit, by name: the clock stands still, so that time tells no order.
    async fn outcomes(&self, action: &str) -> Vec<String> {
        let owner = self.database.owner().await;
        let sql = "SELECT outcome FROM audit_entries WHERE action = $1 ORDER BY outcome";
        owner.query(sql, &[&action]).await.unwrap().iter().map(|row| row.get(0)).collect()
    }

    async fn subjects(&self, to: &str) -> Vec<String> {
        self.app.actors.jobs.run_all_due().await.unwrap();
        let mailbox = self.get(&format!("/dev/mailbox.json?to={to}")).await;
        let messages = mailbox.body["messages"].as_array().unwrap().clone();
        messages.iter().map(|mail| mail["subject"].as_str().unwrap().to_owned()).collect()
    }
}

/// A challenge that nobody has made.
fn invented() -> String {
    URL_SAFE_NO_PAD.encode([7; 32])
}
