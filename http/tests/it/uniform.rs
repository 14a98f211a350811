//! Answers that may not tell whether an address has an account are equal to the byte, headers and their order
//! included. Their work is compared in `core/tests/it/accounts/uniform.rs`; `make timing` measures it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use bipe_testkit::PASSWORD;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app, spawn_app_with};
use crate::auth::registration;

const KNOWN: &str = "ana@example.com";
const PENDING: &str = "bia@example.com";
const UNKNOWN: &str = "cia@example.com";

fn sign_in(email: &str) -> (&'static str, Value) {
    ("/api/auth/login", json!({"userEmail": email, "password": "Senha123?"}))
}

fn forgot(email: &str) -> (&'static str, Value) {
    ("/api/auth/forgot-password", json!({"userEmail": email}))
}

fn resend(email: &str) -> (&'static str, Value) {
    ("/api/auth/resend-verification", json!({"userEmail": email}))
}

fn reset(email: &str) -> (&'static str, Value) {
    let body = json!({"userEmail": email, "otp": "000000", "newPassword": PASSWORD,
        "confirmPassword": PASSWORD});
    ("/api/auth/reset-password", body)
}

fn verify(email: &str) -> (&'static str, Value) {
    ("/api/auth/verify-email", json!({"userEmail": email, "verificationCode": "000000"}))
}

type Call = fn(&str) -> (&'static str, Value);

/// What must look like what and is answered how, each with an address that has no account.
const PAIRS: [(&str, Call, &str, u16); 7] = [
    ("sign-in, wrong password", sign_in, KNOWN, 401),
    ("sign-in, unverified", sign_in, PENDING, 401),
    ("forgot", forgot, KNOWN, 200),
    ("forgot, unverified", forgot, PENDING, 200),
    ("resend", resend, KNOWN, 200),
    ("reset, wrong code", reset, KNOWN, 400),
    ("verify, wrong code", verify, PENDING, 400),
];

/// The bytes of the whole answer but its date, and how long the first of them took.
fn raw(address: SocketAddr, (path, body): (&str, Value)) -> (String, Duration) {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: bipe\r\ncontent-type: application/json\r\nx-request-id: same\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    #[expect(clippy::disallowed_methods, reason = "measures, decides nothing")]
    let sent = Instant::now();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = vec![0];
    stream.read_exact(&mut answer).unwrap();
    let took = sent.elapsed();
    stream.read_to_end(&mut answer).unwrap();
    let text = String::from_utf8(answer).unwrap();
    let lines = text.split_inclusive("\r\n").filter(|line| !line.starts_with("date: "));
    (lines.collect(), took)
}

async fn ask(server: &TestApp, call: (&'static str, Value)) -> (String, Duration) {
    let address = server.address;
    tokio::task::spawn_blocking(move || raw(address, call)).await.unwrap()
}

async fn prepare(server: &TestApp) {
    server.person(KNOWN).await;
    server.post("/api/auth/register", &registration(PENDING, "52998224725")).await.data(201);
    server.app.actors.jobs.run_all_due().await.unwrap();
    server.database.db.clock().advance(61);
}

#[actix_web::test]
async fn an_address_without_an_account_is_answered_like_one_with_it_to_the_byte() {
    let server = spawn_app().await;
    prepare(&server).await;
    for (name, call, known, status) in PAIRS {
        let begin = format!("HTTP/1.1 {status} ");
        // The second of two follows too soon for another code.
        for which in ["first", "second"] {
            let (with, _) = ask(&server, call(known)).await;
            let (without, _) = ask(&server, call(UNKNOWN)).await;
            assert!(with.starts_with(&begin) && with.contains("x-request-id: same"), "{with}");
            assert_eq!(with, without, "{name}, the {which} time");
        }
    }
}

/// How often a number of the first is the larger one (ties count half), and the half width of its 95 % interval.
fn auc(first: &[f64], second: &[f64]) -> (f64, f64) {
    let score = |a: f64, b: f64| match a.total_cmp(&b) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let wins: f64 = first.iter().flat_map(|a| second.iter().map(move |b| score(*a, *b))).sum();
    let (n, m) = (count(first), count(second));
    (wins / (n * m), 1.96 * ((n + m + 1.0) / (12.0 * n * m)).sqrt())
}

fn count(list: &[f64]) -> f64 {
    list.iter().map(|_| 1.0).sum()
}

fn median(list: &[f64]) -> f64 {
    let mut sorted = list.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// docs/security.md, "What was attacked". Needs an idle machine: run by `make timing`, never by `make test`.
#[actix_web::test]
#[ignore = "timed: make timing"]
async fn an_address_without_an_account_takes_as_long_as_one_with_it() {
    let rounds = 200;
    let server = spawn_app_with(&["--rate-limits", "relaxed"]).await;
    prepare(&server).await;
    let mut failed = Vec::new();
    for (name, call, known, _) in PAIRS {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        // The first of each warm connections and statements up.
        for round in 0..rounds + 10 {
            server.database.db.clock().advance(61);
            let turn = if round % 2 == 0 { [known, UNKNOWN] } else { [UNKNOWN, known] };
            for email in turn {
                let (_, took) = ask(&server, call(email)).await;
                let list = if email == known { &mut with } else { &mut without };
                if round >= 10 {
                    list.push(took.as_secs_f64() * 1e3);
                }
            }
        }
        let (share, width) = auc(&with, &without);
        let (one, other) = (median(&with), median(&without));
        let apart = (one - other).abs() / other;
        println!(
            "{name}: AUC {share:.3} ± {width:.3}, medians {one:.2} ms and {other:.2} ms ({:.1} %)",
            apart * 100.0
        );
        if share + width < 0.45 || share - width > 0.55 {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "told by their time: {failed:?}");
}
