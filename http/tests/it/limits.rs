//! The limits of accounts as a client meets them: exactly the burst passes, `Retry-After` is true, a restart
//! forgives nothing, no header chooses the address that counts.

use std::net::{IpAddr, Ipv4Addr};

use bipe_core::brazil::cpf::Cpf;
use serde_json::{Value, json};

use crate::app::{Answer, TestApp, answer, spawn_app};
use crate::auth::registration;
use crate::person::PASSWORD;

/// A row of the table and a call that spends it.
struct Row {
    path: &'static str,
    /// The call after so many others.
    body: fn(u32) -> Value,
    burst: u32,
    /// Seconds to the next token.
    refill: u32,
    /// The answer as long as there is one.
    status: u16,
}

/// The `n`th document with right check digits.
fn document(n: u32) -> String {
    let of = |number: u32| Cpf::parse(&format!("{number:011}")).filter(Cpf::has_valid_check_digits);
    (0..).filter_map(|step| of(100_000_000 + n * 1_000 + step)).next().unwrap().digits().to_owned()
}

fn address(n: u32) -> String {
    format!("pessoa{n}@example.com")
}

const ROWS: [Row; 4] = [
    Row {
        path: "/api/auth/login",
        body: |n| json!({"userEmail": address(n), "password": PASSWORD}),
        burst: 20,
        refill: 3,
        status: 401,
    },
    Row {
        path: "/api/auth/register",
        body: |n| registration(&address(n), &document(n)),
        burst: 20,
        refill: 60,
        status: 201,
    },
    Row {
        path: "/api/auth/forgot-password",
        body: |n| json!({"userEmail": address(n)}),
        burst: 20,
        refill: 60,
        status: 200,
    },
    Row {
        path: "/api/auth/reset-password",
        body: |n| {
            json!({"userEmail": address(n), "otp": "000000", "newPassword": PASSWORD,
            "confirmPassword": PASSWORD})
        },
        burst: 30,
        refill: 120,
        status: 400,
    },
];

impl TestApp {
    async fn spend(&self, row: &Row, n: u32, from: u8) -> Answer {
        let ip = IpAddr::from(Ipv4Addr::new(127, 0, 0, from));
        let client = reqwest::Client::builder().local_address(ip).build().unwrap();
        let request = client.post(self.url(row.path)).json(&(row.body)(n));
        // Nobody gets another address by saying so.
        answer(request.header("x-forwarded-for", format!("203.0.113.{n}"))).await
    }
}

async fn holds(row: &Row) {
    let server = spawn_app().await;
    for n in 0..row.burst {
        let passed = server.spend(row, n, 1).await;
        assert_eq!(passed.status, row.status, "{} {n}: {}", row.path, passed.text);
    }
    for n in row.burst..row.burst + 5 {
        let refused = server.spend(row, n, 1).await;
        refused.refused(429, "RATE_LIMITED");
        assert_eq!(refused.headers["retry-after"], row.refill.to_string().as_str(), "{}", row.path);
    }

    let server = server.restarted().await;
    server.spend(row, 40, 1).await.refused(429, "RATE_LIMITED");
    let neighbour = server.spend(row, 41, 2).await;
    assert_eq!(neighbour.status, row.status, "{}: {}", row.path, neighbour.text);
    server.database.db.clock().advance(row.refill - 1);
    server.spend(row, 42, 1).await.refused(429, "RATE_LIMITED");
    server.database.db.clock().advance(1);
    let waited = server.spend(row, 43, 1).await;
    assert_eq!(waited.status, row.status, "{}: {}", row.path, waited.text);
}

#[actix_web::test]
async fn sign_ins_of_an_address_keep_their_limit_over_a_restart() {
    holds(&ROWS[0]).await;
}

#[actix_web::test]
async fn registrations_of_an_address_keep_their_limit_over_a_restart() {
    holds(&ROWS[1]).await;
}

#[actix_web::test]
async fn code_mails_of_an_address_keep_their_limit_over_a_restart() {
    holds(&ROWS[2]).await;
}

#[actix_web::test]
async fn wrong_codes_of_an_address_keep_their_limit_over_a_restart() {
    holds(&ROWS[3]).await;
}
