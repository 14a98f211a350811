//! `bipe serve` and `bipe sandbox` as processes: the server is killed (SIGKILL) at each step of a payment, for
//! every method at once, and started again. The payer repeats its request; the end is one effect.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::payment::check::{self, ProviderFindings};
use bipe_core::payment_method::Method;
use bipe_core::scope::JobScope;
use bipe_core::testing::{TestDb, figures};
use bipe_testkit::{Answer, PASSWORD, answer, card_form};
use serde_json::{Value, json};
use tokio_postgres::Client;

use crate::process::database_url;
use crate::program::bipe;

const EMAIL: &str = "ana@example.com";
const SECRET: &str = "whsec_killed";
/// Longer than any busy machine needs; each try waits a moment.
const TRIES: u32 = 600;
const MOMENT: Duration = Duration::from_millis(100);

/// Where the server dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// The payment is stored, the provider has not begun.
    Submitting,
    /// The provider has done its work, its answer is on the way.
    AnswerOut,
    /// The payer has the answer.
    Answered,
    /// The payer has paid, the provider's word is stored and being looked at.
    Told,
    /// The subscription runs.
    Done,
}

struct Process(Child);

impl Process {
    /// Started when it says where it listens.
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.any(|line| line.unwrap().starts_with("listening on"));
        assert!(ready, "it ended before it listened");
        // What it prints later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child)
    }
}

impl Drop for Process {
    /// SIGKILL.
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

struct Ground {
    database: TestDb,
    owner: Client,
    data: PathBuf,
    /// Loopback addresses that no other process uses.
    server: String,
    sandbox: String,
    _provider: Process,
    token: String,
    plan: String,
}

impl Drop for Ground {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.data).ok();
    }
}

impl Ground {
    async fn new() -> Self {
        let database = TestDb::with_clock(Clock::system()).await;
        let owner = database.owner().await;
        let pid = std::process::id();
        let data = std::env::temp_dir().join(format!("bipe-killed-{pid}"));
        let address = |last: u32| format!("127.{}.{}.{last}", 1 + (pid >> 8) % 254, pid % 256);
        let (server, sandbox) = (format!("{}:8080", address(1)), format!("{}:8090", address(2)));
        let hook = format!("http://{server}/api/payments/webhooks/stripe");
        let mut command = bipe(&["sandbox", "--bind", &sandbox, "--webhook-url", &hook]);
        command.args(["--webhook-secret", SECRET, "--data-dir"]).arg(data.join("sandbox"));
        let provider = Process::start(&mut command);
        let (token, plan) = (String::new(), String::new());
        Self { database, owner, data, server, sandbox, _provider: provider, token, plan }
    }

    fn serve(&self) -> Process {
        let mut command = bipe(&["serve", "--bind", &self.server]);
        command
            .args(["--rate-limits", "relaxed", "--data-dir"])
            .arg(self.data.join("server"))
            .env("DATABASE_URL", database_url(&self.database))
            .env("BIPE_SECRET", "a secret of thirty-two bytes or more")
            .env("STRIPE_SECRET_KEY", "sk_test_sandbox")
            .env("STRIPE_API_BASE", format!("http://{}/sandbox", self.sandbox))
            .env("STRIPE_WEBHOOK_SECRET", SECRET);
        Process::start(&mut command)
    }

    async fn call(&self, path: &str, key: Option<&str>, body: &Value) -> Answer {
        let url = format!("http://{}{path}", self.server);
        let mut request = reqwest::Client::new().post(url).json(body);
        if path.starts_with("/api") && !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        answer(request).await
    }

    async fn provider(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let url = format!("http://{}/sandbox/v1/{path}", self.sandbox);
        answer(reqwest::Client::new().post(url).bearer_auth("sk_test_sandbox").form(fields)).await
    }

    async fn faults(&self, faults: Value) {
        let url = format!("http://{}/sandbox/v1/test/faults", self.sandbox);
        assert_eq!(answer(reqwest::Client::new().post(url).json(&faults)).await.status, 200);
    }

    /// Time passes for both, and what is due is done.
    async fn pass(&self, seconds: u32) {
        for host in [&self.sandbox, &self.server] {
            let advance = json!({"advanceSeconds": seconds});
            let clock = reqwest::Client::new().post(format!("http://{host}/dev/clock"));
            assert_eq!(answer(clock.json(&advance)).await.status, 200);
            let run = reqwest::Client::new().post(format!("http://{host}/dev/jobs/run"));
            answer(run).await;
        }
    }

    async fn register(&self) {
        let person = json!({
            "userName": "Ana Souza", "userEmail": EMAIL, "userDocument": "52998224725",
            "userPhone": "11987654321", "userBirthDate": "1990-04-12", "password": PASSWORD,
            "password_confirmation": PASSWORD, "consent_legal_terms": true,
            "consent_privacy_terms": true, "consent_lgpd_terms": true,
        });
        self.call("/api/auth/register", None, &person).await.data(201);
        self.owner
            .execute("UPDATE users SET status = 'active', email_verified_at = created_at", &[])
            .await
            .unwrap();
    }

    async fn sign_in(&mut self) {
        self.token.clear();
        let body = json!({"userEmail": EMAIL, "password": PASSWORD});
        let signed_in = self.call("/api/auth/login", None, &body).await;
        self.token = signed_in.data(200)["tokens"]["accessToken"].as_str().unwrap().to_owned();
        let plan = "SELECT id::text FROM plans WHERE display_name = 'Profissional'";
        self.plan = self.owner.query_one(plan, &[]).await.unwrap().get(0);
    }

    async fn text(&self, sql: &str, company: &str) -> String {
        let sql = sql.replace("COMPANY", &format!("'{company}'"));
        let row = self.owner.query_one(&sql, &[]).await.unwrap();
        row.get::<_, Option<String>>(0).unwrap_or_default()
    }

    /// Waits until all of them show this; a busy machine needs more tries.
    async fn until(&self, companies: &[String], sql: &str, wanted: &str) {
        for _ in 0..TRIES {
            let mut reached = 0;
            for company in companies {
                reached += usize::from(self.text(sql, company).await == wanted);
            }
            if reached == companies.len() {
                return;
            }
            tokio::time::sleep(MOMENT).await;
        }
        panic!("{sql} never became {wanted}");
    }

    async fn body(&self, company: &str, method: &str) -> Value {
        let mut body = json!({
            "amount": 9990, "currency": "brl",
            "customer": {"name": "Ana Souza", "email": "fill_never@example.com"},
            "metadata": {"companyId": company, "planId": self.plan, "billingCycle": "monthly"},
        });
        match method {
            "CREDIT_CARD" => {
                let card = card_form("4242424242424242");
                let made = self.provider("payment_methods", &card).await;
                body["payment_method"] = made.body["id"].clone();
            }
            _ => body["paymentMethod"] = json!({"type": method}),
        }
        if method == "BANK_SLIP" {
            let address = json!({"line1": "Rua A, 3", "city": "Santos", "state": "SP",
                "postalCode": "11010100"});
            body["billing"] = json!({"taxId": "00000000000", "address": address});
        }
        body
    }

    async fn pay(&self, payment: &Value, secret: Option<&str>) {
        let intent = payment["transactionId"].as_str().unwrap();
        let paid = match secret {
            Some(secret) => {
                let path = format!("payment_intents/{intent}/confirm");
                self.provider(&path, &[("client_secret", secret)]).await
            }
            None => {
                let path = format!("test/payment_intents/{intent}/settle");
                self.provider(&path, &[("outcome", "succeeded")]).await
            }
        };
        assert_eq!(paid.status, 200, "{}", paid.text);
    }

    /// How many of the company's intents succeeded at the provider.
    async fn successes(&self, company: &str) -> usize {
        let customer = "SELECT customer_id FROM provider_customers WHERE company_id = COMPANY";
        let customer = self.text(customer, company).await;
        let url = format!("http://{}/sandbox/v1/payment_intents?customer={customer}", self.sandbox);
        let listed = answer(reqwest::Client::new().get(url).bearer_auth("sk_test_sandbox")).await;
        let intents = listed.body["data"].as_array().unwrap();
        intents.iter().filter(|intent| intent["status"] == "succeeded").count()
    }
}

const STATE: &str = "SELECT string_agg(state, ',') FROM payments WHERE company_id = COMPANY \
     AND state <> 'canceled'";
const TOLD: &str = "SELECT count(*)::text FROM webhook_inbox w JOIN payments p \
     ON p.provider_intent = w.object_id WHERE p.company_id = COMPANY AND w.type = 'payment_intent.succeeded'";

/// Begins the three payments, whose requests are lost when the server dies.
async fn begin(ground: &Ground, bodies: &[(String, Value)]) -> Vec<Answer> {
    let calls =
        bodies.iter().map(|(key, body)| ground.call("/api/payments/process", Some(key), body));
    futures_util::future::join_all(calls).await
}

/// The payer repeats its request until the provider's answer is in it.
async fn repeat(ground: &Ground, key: &str, body: &Value) -> (Value, Option<String>) {
    for _ in 0..TRIES {
        let again = ground.call("/api/payments/process", Some(key), body).await;
        let data = &again.body["data"];
        if again.status == 201 && data["payment"]["transactionId"].is_string() {
            return (data["payment"].clone(), data["client_secret"].as_str().map(str::to_owned));
        }
        assert!([201, 202, 409, 503].contains(&again.status), "{}", again.text);
        ground.pass(6).await;
    }
    panic!("the provider's answer never came");
}

async fn dies(ground: &mut Ground, server: Process, at: At) -> Process {
    ground.sign_in().await;
    let (mut companies, mut bodies) = (Vec::new(), Vec::new());
    for method in Method::ALL.map(Method::as_str) {
        let name = json!({"companyName": format!("{method} {at:?}")});
        let made = ground.call("/api/companies", None, &name).await;
        let company = made.data(201)["company"]["id"].as_str().unwrap().to_owned();
        // Afterwards the provider knows the company, and its next write is the payment itself.
        let first = ground.body(&company, "PIX").await;
        let first = ground.call("/api/payments/process", None, &first).await;
        let id = first.data(201)["payment"]["id"].as_str().unwrap().to_owned();
        let cancel = format!("/api/payments/cancel/{id}");
        ground.call(&cancel, None, &json!({})).await.data(200);
        bodies.push((format!("{method}-{at:?}"), ground.body(&company, method).await));
        companies.push(company);
    }
    let mut server = server;
    if matches!(at, At::Submitting | At::AnswerOut) {
        let times = Method::ALL.len();
        let hold = json!({"delayMs": 9000, "times": times});
        let refuse = json!({"delayMs": 9000, "times": times, "status": 500});
        let replies = if at == At::AnswerOut { hold } else { refuse };
        ground.faults(json!({"replies": replies})).await;
        let killing = async {
            ground.until(&companies, STATE, "submitting").await;
            drop(server);
        };
        futures_util::future::join(begin_and_forget(ground, &bodies), killing).await;
        ground.faults(json!({})).await;
        server = ground.serve();
    } else {
        begin(ground, &bodies)
            .await
            .iter()
            .for_each(|answer| assert_eq!(answer.status, 201, "{}", answer.text));
        if at == At::Answered {
            drop(server);
            server = ground.serve();
        }
    }
    let mut paid = Vec::new();
    for (key, body) in &bodies {
        paid.push(repeat(ground, key, body).await);
    }
    if at == At::Told {
        ground.faults(json!({"replies": {"delayMs": 9000, "times": 50, "reads": true}})).await;
    }
    for (payment, secret) in &paid {
        ground.pay(payment, secret.as_deref()).await;
    }
    match at {
        At::Told => ground.until(&companies, TOLD, "1").await,
        At::Done => ground.until(&companies, STATE, "succeeded").await,
        _ => return server,
    }
    drop(server);
    ground.faults(json!({})).await;
    ground.serve()
}

/// The same requests from a client that takes no answer for an answer.
async fn begin_and_forget(ground: &Ground, bodies: &[(String, Value)]) {
    let calls = bodies.iter().map(|(key, body)| {
        let url = format!("http://{}/api/payments/process", ground.server);
        let request = reqwest::Client::new().post(url).bearer_auth(&ground.token);
        request.header("idempotency-key", key).json(body).send()
    });
    futures_util::future::join_all(calls).await;
}

#[actix_web::test]
async fn a_server_that_is_killed_at_any_step_charges_and_activates_once() {
    let mut ground = Ground::new().await;
    let mut server = ground.serve();
    ground.register().await;
    let mut kills = 0;
    for at in [At::Submitting, At::AnswerOut, At::Answered, At::Told, At::Done] {
        server = dies(&mut ground, server, at).await;
        kills += 1;
        // A job that the dead process held is free again after its lease.
        ground.pass(61).await;
        ground.pass(61).await;
        let companies = "SELECT string_agg(id::text, ',' ORDER BY created_at) FROM companies";
        let all = ground.text(companies, "").await;
        let companies: Vec<String> = all.split(',').map(str::to_owned).collect();
        ground.until(&companies, STATE, "succeeded").await;
        for company in &companies {
            let one = "SELECT (SELECT string_agg(status || ' ' || price_cents, ',') FROM subscriptions \
                 WHERE company_id = COMPANY) || ' ' || (SELECT string_agg(type, ',') FROM subscription_history \
                 WHERE company_id = COMPANY) || ' ' || (SELECT count(*) FROM debit_segments \
                 WHERE company_id = COMPANY) || ' ' || (SELECT count(*) FROM credit_entries \
                 WHERE company_id = COMPANY)";
            assert_eq!(ground.text(one, company).await, "active 9990 activated 1 0", "{at:?}");
            assert_eq!(ground.successes(company).await, 1, "{at:?}");
        }
    }
    let says = ProviderFindings { answers: true, findings: Vec::new() };
    let proof = JobScope::of_test();
    let report = check::run(&ground.database.db, &proof, says).await.unwrap();
    assert_eq!(report.findings, Vec::new());
    figures(&[("kills_at_a_step", kills), ("payments_then", kills * Method::ALL.len())]);
    drop(server);
}
