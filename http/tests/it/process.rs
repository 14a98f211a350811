//! The binary itself, killed and started again on the same database: what a kill may not reset, and what its log
//! may not hold.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::testing::{TestDb, figures};
use bipe_testkit::{Answer, PASSWORD, answer};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::auth::registration;
use crate::program::bipe;
use crate::traces::Collector;

const EMAIL: &str = "canario.sigiloso@example.com";
const DOCUMENT: &str = "11144477735";

/// A database and a folder that outlive their server.
pub struct Installation {
    pub database: TestDb,
    data: PathBuf,
}

/// As `DATABASE_URL` takes it.
pub fn database_url(database: &TestDb) -> String {
    url_of(&database.owner_config())
}

pub fn url_of(config: &Config) -> String {
    let host = match &config.get_hosts()[0] {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.to_str().unwrap().to_owned(),
    };
    let mut text = format!("host='{host}' dbname='{}'", config.get_dbname().unwrap());
    if let Some(port) = config.get_ports().first() {
        text += &format!(" port={port}");
    }
    if let Some(user) = config.get_user() {
        text += &format!(" user='{user}'");
    }
    if let Some(password) = config.get_password() {
        text += &format!(" password='{}'", String::from_utf8_lossy(password));
    }
    text
}

impl Drop for Installation {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.data);
    }
}

/// A running `bipe serve`; killed when dropped, with no time to put anything in order.
pub struct Process {
    pub child: Child,
    pub url: String,
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Installation {
    pub async fn new() -> Self {
        let name = format!("bipe-process-{}", Clock::system().uuid());
        let data = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&data).unwrap();
        Self { database: TestDb::with_clock(Clock::system()).await, data }
    }

    pub fn log(&self) -> PathBuf {
        self.data.join("log")
    }

    fn database(&self) -> String {
        database_url(&self.database)
    }

    fn start(&self) -> Process {
        self.start_with(&[])
    }

    pub fn start_with(&self, arguments: &[&str]) -> Process {
        Process::serve(&self.data, &self.database(), arguments)
    }
}

impl Process {
    /// `bipe serve` on the database, with its files and its log in the folder.
    pub fn serve(data: &Path, database: &str, arguments: &[&str]) -> Self {
        let log_file = data.join("log");
        let log = File::options().create(true).append(true).open(&log_file).unwrap();
        let mut child = bipe(&["serve", "--bind", "127.0.0.1:0", "--workers", "1"])
            .args(["--rate-limits", "relaxed", "--data-dir", data.to_str().unwrap()])
            .args(arguments)
            .env("DATABASE_URL", database)
            .env("RUST_LOG", "debug")
            .current_dir(data)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url =
            lines.find_map(|line| line.unwrap().strip_prefix("listening on ").map(str::to_owned));
        let url = url.unwrap_or_else(|| {
            panic!("no start: {}", std::fs::read_to_string(&log_file).unwrap_or_default())
        });
        Self { child, url }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub async fn is_ready(&self) -> bool {
        let url = self.url("/health/ready");
        reqwest::get(url).await.is_ok_and(|answer| answer.status() == 200)
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        answer(reqwest::Client::new().post(self.url(path)).json(body)).await
    }

    /// The text of the newest mail.
    async fn mail(&self) -> String {
        assert_eq!(self.post("/dev/jobs/run", &json!({})).await.status, 200);
        let list = self.url(&format!("/dev/mailbox.json?to={EMAIL}"));
        let mailbox = answer(reqwest::Client::new().get(list)).await;
        mailbox.body["messages"][0]["text"].as_str().unwrap().to_owned()
    }

    pub async fn code(&self) -> String {
        let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit());
        self.mail().await.lines().find(is_code).unwrap().to_owned()
    }

    pub async fn register(&self) {
        let body = registration(EMAIL, DOCUMENT);
        self.post("/api/auth/register", &body).await.data(201);
    }

    pub async fn verify(&self, code: &str) -> Answer {
        let body = json!({"userEmail": EMAIL, "verificationCode": code});
        self.post("/api/auth/verify-email", &body).await
    }

    pub async fn tokens(&self) -> (String, String) {
        let body = json!({"userEmail": EMAIL, "password": PASSWORD});
        let signed_in = self.post("/api/auth/login", &body).await;
        let tokens = &signed_in.data(200)["tokens"];
        let text = |name: &str| tokens[name].as_str().unwrap().to_owned();
        (text("accessToken"), text("refreshToken"))
    }

    async fn refresh(&self, token: &str) -> Answer {
        self.post("/api/auth/refresh", &json!({"refreshToken": token})).await
    }
}

#[actix_web::test]
async fn a_kill_gives_no_further_guesses_at_a_code() {
    let home = Installation::new().await;
    let first = home.start();
    first.register().await;
    let code = first.code().await;
    let wrong = |n: u32| format!("{:06}", (code.parse::<u32>().unwrap() + 1 + n) % 1_000_000);
    let guess = |guessed: String| {
        let body = json!({"userEmail": EMAIL, "verificationCode": guessed});
        reqwest::Client::new().post(first.url("/api/auth/verify-email")).json(&body).send()
    };
    let mut guesses: FuturesUnordered<_> = (0..100).map(|n| guess(wrong(n))).collect();
    // In the middle of it, wherever that is.
    guesses.next().await.unwrap().unwrap();
    drop(first);
    drop(guesses);

    let second = home.start();
    for n in 0..5 {
        second.verify(&wrong(n)).await.refused(400, "INVALID_VERIFICATION_CODE");
    }
    second.verify(&code).await.refused(400, "INVALID_VERIFICATION_CODE");
    let owner = home.database.owner().await;
    let tries = owner.query_one("SELECT attempts FROM codes", &[]).await.unwrap();
    assert_eq!(tries.get::<_, i16>(0), 5);
}

#[actix_web::test]
async fn two_hundred_guesses_at_once_evaluate_five() {
    let home = Installation::new().await;
    let server = home.start();
    server.register().await;
    let code = server.code().await;
    let wrong = |n: u32| format!("{:06}", (code.parse::<u32>().unwrap() + n) % 1_000_000);
    // The first is right, and has to be among the five to count.
    let answers = futures_util::future::join_all((0..200).map(|n| {
        let guessed = wrong(n);
        async { server.verify(&{ guessed }).await }
    }));
    let answers = answers.await;
    let right = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(right <= 1, "{right}");
    let owner = home.database.owner().await;
    let tries = owner.query_one("SELECT attempts FROM codes", &[]).await.unwrap().get::<_, i16>(0);
    assert!(tries == 5 || right == 1 && tries < 5, "{tries} evaluated");
    figures(&[("guesses", answers.len())]);
}

#[actix_web::test]
async fn a_kill_after_a_rotation_loses_no_session() {
    let home = Installation::new().await;
    let server = home.start();
    server.register().await;
    let code = server.code().await;
    server.verify(&code).await.data(200);
    let (_, token) = server.tokens().await;
    let successor =
        |answer: &Answer| answer.data(200)["tokens"]["refreshToken"].as_str().unwrap().to_owned();
    let issued = successor(&server.refresh(&token).await);
    drop(server);
    let server = home.start();
    // The answer got lost with the server: its successor is the same, and still good.
    assert_eq!(successor(&server.refresh(&token).await), issued);
    let next = successor(&server.refresh(&issued).await);
    let refused = server.post("/api/auth/logout", &json!({"refreshToken": next})).await;
    assert_eq!(refused.status, 204);
    server.refresh(&next).await.refused(401, "INVALID_REFRESH_TOKEN");
}

#[actix_web::test]
async fn a_log_at_debug_and_the_spans_hold_nothing_of_a_person() {
    let home = Installation::new().await;
    let collector = Collector::taking().await;
    let server = home.start_with(&["--otlp-endpoint", &collector.endpoint()]);
    let client = reqwest::Client::new();
    let mut body = registration(EMAIL, "111.444.777-35");
    body["userName"] = json!("Canária Sigilosa");
    server.post("/api/auth/register", &body).await.data(201);
    let code = server.code().await;
    server.verify(&code).await.data(200);
    server.post("/api/auth/register", &body).await.refused(409, "EMAIL_EXISTS");
    body["userEmail"] = json!("outra.sigilosa@example.com");
    server.post("/api/auth/register", &body).await.refused(409, "DOCUMENT_EXISTS");
    let wrong = json!({"userEmail": EMAIL, "password": "Sigilo#12345"});
    server.post("/api/auth/login", &wrong).await.refused(401, "INVALID_CREDENTIALS");
    let (access, refresh) = server.tokens().await;
    let call = |request: reqwest::RequestBuilder| answer(request.bearer_auth(&access));
    let profile = json!({"userName": "Canária Sigilosa", "userPhone": "(11) 91234-9876"});
    call(client.put(server.url("/api/auth/me")).json(&profile)).await.data(200);
    assert_eq!(call(client.get(server.url("/api/auth/me/export"))).await.status, 200);
    let ticket = call(client.post(server.url("/api/auth/live-ticket")).json(&json!({}))).await;
    let ticket = ticket.data(200)["ticket"].as_str().unwrap().to_owned();
    let company = json!({"companyName": "Ponto Sigiloso"});
    call(client.post(server.url("/api/companies")).json(&company)).await.data(201);
    // What a client gets wrong is no reason to write it down.
    let odd = [
        client
            .post(server.url("/api/auth/login"))
            .header("content-type", "application/json")
            .body(format!("{{\"userEmail\": \"{EMAIL}\",")),
        client.get(server.url(&format!("/verify-email?email={EMAIL}&token={refresh}"))),
        client.get(server.url(&format!("/api/auth/{EMAIL}?document={DOCUMENT}"))),
        client.delete(server.url(&format!("/api/auth/sessions/{EMAIL}"))),
        client.post(server.url("/api/auth/refresh")).json(&json!({"refreshToken": EMAIL})),
    ];
    for request in odd {
        call(request).await;
    }
    let reset = json!({"userEmail": EMAIL});
    server.post("/api/auth/forgot-password", &reset).await.data(200);
    let otp = server.code().await;
    let reset = json!({"userEmail": EMAIL, "otp": otp, "newPassword": "Sigilo#98765",
        "confirmPassword": "Sigilo#98765"});
    server.post("/api/auth/reset-password", &reset).await;
    server.mail().await;
    // Those of the last requests arrive last.
    collector.span("POST /api/auth/reset-password").await;
    let metrics = answer(client.get(server.url("/metrics"))).await.text;
    assert!(metrics.contains("bipe_http_requests_total"), "{metrics}");
    drop(server);

    let log = std::fs::read_to_string(home.log()).unwrap();
    assert!(log.contains("DEBUG") && log.contains("/api/auth/register"), "debug is on: {log}");
    let spans = collector.text();
    assert!(spans.contains("POST /api/auth/register") && spans.contains("code_mail"), "{spans}");
    let canaries = [
        EMAIL,
        "sigilosa",
        "Sigilosa",
        "Sigiloso",
        "Canária",
        DOCUMENT,
        "111.444.777-35",
        "98765-4321",
        "91234-9876",
        "1990-04-12",
        PASSWORD,
        "Sigilo#",
        &access,
        &refresh,
        &ticket,
    ];
    for canary in canaries {
        let line = log.lines().find(|line| line.contains(canary));
        assert_eq!(line, None, "{canary}");
        assert!(!metrics.contains(canary), "{canary} in the metrics");
        assert!(!spans.contains(canary), "{canary} in the spans");
    }
    for code in [&code, &otp] {
        let said = [format!("\"{code}\""), format!("={code}"), format!(" {code} ")];
        let mut lines = log.lines().chain(spans.lines());
        let line = lines.find(|line| said.iter().any(|said| line.contains(said)));
        assert_eq!(line, None, "a code");
    }
}

#[actix_web::test]
async fn the_log_says_why_the_database_is_not_reached() {
    let home = Installation::new().await;
    let server = home.start();
    assert!(server.is_ready().await);
    let mut elsewhere = home.database.owner_config();
    let name = elsewhere.get_dbname().unwrap().to_owned();
    elsewhere.dbname("postgres");
    let (admin, connection) = elsewhere.connect(tokio_postgres::NoTls).await.unwrap();
    let _driver = tokio::spawn(connection);
    let refuse = format!(
        "ALTER DATABASE {name} ALLOW_CONNECTIONS false; \
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    );
    admin.batch_execute(&refuse).await.unwrap();
    let said = || {
        let log = std::fs::read_to_string(home.log()).unwrap();
        let has = |what: &str, why: &str| {
            log.lines().any(|line| line.contains(what) && line.contains(why))
        };
        has("a database connection ended", "terminating connection due to administrator command")
            && has("no database connection", "is not currently accepting connections")
    };
    let mut tries = 0;
    while !said() {
        tries += 1;
        assert!(tries < 100, "{}", std::fs::read_to_string(home.log()).unwrap());
        server.is_ready().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[actix_web::test]
async fn a_stopping_server_says_so_first_and_serves_on_until_its_delay_is_over() {
    let installation = Installation::new().await;
    let mut process = installation.start_with(&["--drain-delay", "5"]);
    assert!(process.is_ready().await);
    let pid = process.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    while process.is_ready().await {}
    process.register().await;
    let ended = spawn_blocking(move || process.child.wait().unwrap()).await.unwrap();
    assert!(ended.success(), "{ended}");
}

#[actix_web::test]
async fn a_server_is_ready_while_nats_takes_connections_and_says_nothing() {
    let installation = Installation::new().await;
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://bipe:canario-sigiloso@{}", silent.local_addr().unwrap());
    let secret = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978";
    let process = installation.start_with(&["--nats-url", &url, "--secret", secret]);
    assert!(process.is_ready().await);
    spawn_blocking(move || silent.accept().unwrap()).await.unwrap();
    let log = std::fs::read_to_string(installation.log()).unwrap();
    assert!(log.contains(" DEBUG "), "debug is on: {log}");
    assert!(!log.contains("canario-sigiloso"), "{log}");
}
