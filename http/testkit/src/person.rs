//! People for tests that are not about signing up: a verified account with a session.

use bipe_core::auth::session::token::Tokens;
use bipe_core::company::Profile;
use bipe_core::id::{CompanyId, UserId};
use bipe_core::scope::SignedIn;
use bipe_core::testing::caller;
use bipe_core::user::store::{self, NewUser};
use bipe_core::user::{Email, Phone, UserName, parse_birth_date, parse_cpf};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::{Answer, TestServer, answer};

pub const PASSWORD: &str = "Senha123!";
/// The hash of the password. A process makes it once, because argon2 is slow on purpose.
static HASH: OnceCell<String> = OnceCell::const_new();

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub struct Person {
    pub id: UserId,
    pub email: String,
    pub token: String,
    pub refresh_token: String,
}

impl TestServer {
    /// A verified person called like the first part of the address.
    pub async fn person(&self, email: &str) -> Person {
        let db = &self.database.db;
        let now = db.clock().now();
        let digits = db.clock().below(1_000_000_000);
        let new = NewUser {
            name: UserName::parse(email.split('@').next().unwrap()).unwrap(),
            email: Email::parse(email).unwrap(),
            document: parse_cpf(&format!("{digits:011}")).unwrap(),
            phone: Phone::parse("(11) 98765-4321").unwrap(),
            birth_date: parse_birth_date("1990-04-12", 18, now).unwrap(),
        };
        let hasher = &self.app.auth.hasher;
        let hash = HASH.get_or_try_init(|| hasher.hash(PASSWORD)).await.unwrap();
        let tx = db.tx().await.unwrap();
        let user = store::insert(&tx, &new, hash).await.unwrap();
        store::verify_email(&tx, user.id).await.unwrap();
        store::prove_mailbox(&tx, user.id).await.unwrap();
        tx.commit().await.unwrap();
        let tokens = self.tokens(user.id).await;
        Person {
            id: user.id,
            email: email.to_owned(),
            token: tokens.access_token,
            refresh_token: tokens.refresh_token,
        }
    }

    /// A new access token, after the clock has made the old one too old.
    pub async fn token(&self, person: &Person) -> String {
        self.tokens(person.id).await.access_token
    }

    /// Of a new session. No password is compared: it takes long on purpose, and a network may do it twenty times.
    async fn tokens(&self, user: UserId) -> Tokens {
        self.app.auth.session_of_test(user, &caller()).await.unwrap().unwrap()
    }

    /// The session of that person, which is alive.
    pub async fn session(&self, person: &Person) -> SignedIn {
        let claims = self.app.auth.claims(&person.token).unwrap();
        self.app.auth.signed_in(&claims).await.unwrap().who
    }

    /// A company of that person.
    pub async fn company(&self, person: &Person, name: &str) -> CompanyId {
        let who = self.session(person).await;
        let profile = Profile::parse(name, None).unwrap();
        let db = &self.database.db;
        bipe_core::company::store::create(db, who, &profile, &caller()).await.unwrap().company.id
    }

    /// Gives somebody a role in a company, as an accepted invitation would.
    pub async fn join(&self, person: &Person, company: CompanyId, role: &str) {
        let owner = self.database.owner().await;
        let (id, now) = (self.database.db.clock().uuid(), self.database.db.clock().now());
        let insert = "INSERT INTO members (id, company_id, user_id, role, created_at, updated_at) \
             VALUES ($1, $2, $3, $4, $5, $5)";
        owner.execute(insert, &[&id, &company, &person.id, &role, &now]).await.unwrap();
    }

    pub async fn get_as(&self, person: &Person, path: &str) -> Answer {
        answer(reqwest::Client::new().get(self.url(path)).bearer_auth(&person.token)).await
    }

    pub async fn post_as(&self, person: &Person, path: &str, body: &Value) -> Answer {
        let request = reqwest::Client::new().post(self.url(path)).bearer_auth(&person.token);
        answer(request.json(body)).await
    }

    /// A command with an `Idempotency-Key`.
    pub async fn post_with_key(
        &self,
        person: &Person,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Answer {
        let request = reqwest::Client::new().post(self.url(path)).bearer_auth(&person.token);
        answer(request.header("idempotency-key", key).json(body)).await
    }

    pub async fn put_as(&self, person: &Person, path: &str, body: &Value) -> Answer {
        let request = reqwest::Client::new().put(self.url(path)).bearer_auth(&person.token);
        answer(request.json(body)).await
    }

    pub async fn delete_as(&self, person: &Person, path: &str) -> Answer {
        answer(reqwest::Client::new().delete(self.url(path)).bearer_auth(&person.token)).await
    }
}
