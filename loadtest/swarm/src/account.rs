//! People as the product makes them: register, verify by the mailed code, sign in, open a company.

use futures_util::StreamExt;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::Outcome;

/// Of everybody that [`open`] makes.
pub const PASSWORD: &str = "Enxame123!";
/// Each costs two password hashes.
const AT_ONCE: usize = 4;

#[derive(Clone)]
pub struct Account {
    client: Client,
    url: String,
    token: String,
    person: String,
    pub company: String,
}

/// `count` people with a company each.
pub async fn open(url: &str, count: usize) -> Outcome<Vec<Account>> {
    let client = Client::new();
    let making = (0..count).map(|n| make(client.clone(), url.to_owned(), n));
    let made: Vec<Outcome<Account>> =
        futures_util::stream::iter(making).buffer_unordered(AT_ONCE).collect().await;
    made.into_iter().collect()
}

/// Person `n` of [`open`] with a new session; without a company.
pub async fn again(url: &str, n: usize) -> Outcome<Account> {
    sign_in(url, (&address(n), PASSWORD)).await
}

/// Somebody who is there already; without a company.
pub async fn sign_in(url: &str, (email, password): (&str, &str)) -> Outcome<Account> {
    let (token, person, company) = Default::default();
    let mut account =
        Account { client: Client::new(), url: url.to_owned(), token, person, company };
    account.enter(email, password).await?;
    Ok(account)
}

/// The e-mail of person `n` of [`open`].
pub fn address(n: usize) -> String {
    format!("enxame{n}@example.com")
}

async fn make(client: Client, url: String, n: usize) -> Outcome<Account> {
    let (token, person, company) = Default::default();
    let mut account = Account { client, url, token, person, company };
    let email = account.register(n).await?;
    let code = account.code(&email).await?;
    let verify = json!({"userEmail": email, "verificationCode": code});
    account.call(Method::POST, "/api/auth/verify-email", Some(&verify), None).await?;
    account.enter(&email, PASSWORD).await?;
    account.company = account.create_company(n).await?;
    Ok(account)
}

impl Account {
    async fn enter(&mut self, email: &str, password: &str) -> Outcome<()> {
        let login = json!({"userEmail": email, "password": password});
        let data = self.post("/api/auth/login", &login).await?;
        self.token = text(&data, "/tokens/accessToken")?;
        self.person = text(&data, "/user/id")?;
        Ok(())
    }

    /// The same person at another address of the same installation.
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// Registers person `n`, whom a code is mailed; answers the address.
    pub async fn register(&self, n: usize) -> Outcome<String> {
        let email = address(n);
        let person = json!({
            "userName": "Enxame", "userEmail": email, "userDocument": cpf(n), "userPhone": "11987654321",
            "userBirthDate": "1990-04-12", "password": PASSWORD, "password_confirmation": PASSWORD,
            "consent_legal_terms": true, "consent_privacy_terms": true, "consent_lgpd_terms": true,
        });
        self.post("/api/auth/register", &person).await?;
        Ok(email)
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The person's id.
    pub fn person(&self) -> &str {
        &self.person
    }

    /// The company takes the free plan.
    pub async fn subscribe(&self) -> Outcome<()> {
        let plans = self.get("/api/subscriptions/plans").await?;
        let plans = plans.pointer("/plans").and_then(Value::as_array).ok_or("no plans")?;
        let is_free = |plan: &&Value| plan.get("isFree") == Some(&json!(true));
        let free = plans.iter().find(is_free).ok_or("no free plan")?;
        let choice = json!({"planId": free.get("id"), "billingCycle": "monthly"});
        let path = format!("/api/subscriptions/company/{}", self.company);
        self.post(&path, &choice).await.map(drop)
    }

    /// One more company.
    pub async fn create_company(&self, n: usize) -> Outcome<String> {
        let company = json!({"companyName": format!("Empresa {n}")});
        text(&self.post("/api/companies", &company).await?, "/company/id")
    }

    pub async fn get(&self, path: &str) -> Outcome<Value> {
        self.call(Method::GET, path, None, None).await
    }

    /// A file.
    pub async fn bytes(&self, path: &str) -> Outcome<Vec<u8>> {
        let request = self.client.get(format!("{}{path}", self.url)).bearer_auth(&self.token);
        Ok(request.send().await?.error_for_status()?.bytes().await?.to_vec())
    }

    pub async fn post(&self, path: &str, body: &Value) -> Outcome<Value> {
        self.call(Method::POST, path, Some(body), None).await
    }

    pub async fn ticket(&self) -> Outcome<String> {
        text(&self.call(Method::POST, "/api/auth/live-ticket", None, None).await?, "/ticket")
    }

    /// A commit that causes one event; its cause names the command.
    pub async fn rename(&self, n: u64, name: &Value) -> Outcome<()> {
        let path = format!("/api/companies/{}", self.company);
        let cause = format!("swarm-{n}-");
        let header = Some(("x-request-id", cause.as_str()));
        self.call(Method::PUT, &path, Some(name), header).await.map(drop)
    }

    /// The mail is sent by a job: it may need a moment.
    async fn code(&self, email: &str) -> Outcome<String> {
        for _ in 0..200 {
            let answer = self.client.get(format!("{}/dev/mailbox.json?to={email}", self.url));
            let mails: Value = answer.send().await?.json().await?;
            let body =
                mails.pointer("/messages/0/text").and_then(Value::as_str).unwrap_or_default();
            let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
            if let Some(code) = body.lines().map(str::trim).find(is_code) {
                return Ok(code.to_owned());
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        Err(format!("no code came to {email}").into())
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        header: Option<(&str, &str)>,
    ) -> Outcome<Value> {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await?;
        let status = response.status();
        let mut answer: Value = response.json().await.unwrap_or_default();
        if !status.is_success() {
            return Err(format!("{path}: {status} {answer}").into());
        }
        Ok(answer.get_mut("data").map(Value::take).unwrap_or_default())
    }
}

fn text(data: &Value, pointer: &str) -> Outcome<String> {
    let found = data.pointer(pointer).and_then(Value::as_str);
    Ok(found.ok_or_else(|| format!("no {pointer} in {data}"))?.to_owned())
}

/// A number with right check digits; nobody's.
fn cpf(n: usize) -> String {
    let mut digits: Vec<u32> =
        format!("{:09}", n + 100_000_000).chars().filter_map(|c| c.to_digit(10)).collect();
    for first in [10, 11] {
        let weights = (2..=first).rev();
        let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum();
        digits.push(sum * 10 % 11 % 10);
    }
    digits.iter().filter_map(|digit| char::from_digit(*digit, 10)).collect()
}
