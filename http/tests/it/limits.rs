//! The limits of accounts as a client meets them: exactly the burst passes, `Retry-After` is true, a restart
//! forgives nothing, no header chooses the address that counts.

use std::net::{IpAddr, Ipv4Addr};

use bipe_core::brazil::cpf::Cpf;
use bipe_core::id::CompanyId;
use bipe_testkit::{Answer, PASSWORD, Person, answer};
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::auth::registration;
use crate::metrics::value;
use crate::payments::shop::Shop;

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

/// Sends the call until the burst is spent; the next answer, which is returned, says when the next token comes.
async fn passes<T: Future<Output = Answer>>(
    burst: u32,
    status: u16,
    refill: u32,
    try_one: impl Fn() -> T,
) -> Answer {
    for n in 0..burst {
        let passed = try_one().await;
        assert_eq!(passed.status, status, "{n}: {}", passed.text);
    }
    let refused = try_one().await;
    refused.refused(429, "RATE_LIMITED");
    assert_eq!(refused.headers["retry-after"], refill.to_string().as_str());
    refused
}

/// A server whose limits of calls are not refilled.
async fn spawn_held() -> TestApp {
    let server = spawn_app().await;
    server.app.limits.hold();
    server
}

#[actix_web::test]
async fn a_person_creates_ten_companies_and_then_one_every_seventy_two_minutes() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let body = json!({"companyName": "Ponto Central"});
    passes(10, 201, 4_320, || server.post_as(&ana, "/api/companies", &body)).await;
    let bia = server.person("bia@example.com").await;
    server.post_as(&bia, "/api/companies", &body).await.data(201);
}

#[actix_web::test]
async fn sixty_passkeys_are_asked_for_from_an_address_and_then_one_a_second() {
    let server = spawn_app().await;
    let body = json!({});
    passes(60, 200, 1, || server.post("/api/auth/passkey/options", &body)).await;
}

#[actix_web::test]
async fn a_password_adds_a_factor_ten_times_and_then_once_in_six_minutes() {
    let server = spawn_app().await;
    let ana = server.person("ana@example.com").await;
    let body = json!({"password": PASSWORD});
    passes(10, 200, 360, || server.post_as(&ana, "/api/auth/second-factor/totp", &body)).await;
}

#[actix_web::test]
async fn a_company_cancels_ten_times_and_then_once_in_six_minutes() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let path = |act| format!("/api/subscriptions/company/{}/{act}", shop.company);
    let (cancel, renew, nothing) = (path("cancel"), path("renew"), json!({}));
    passes(10, 200, 360, || async {
        let canceled = shop.server.post_as(&shop.ana, &cancel, &nothing).await;
        shop.server.post_as(&shop.ana, &renew, &nothing).await;
        canceled
    })
    .await;
    shop.server.run().await;
    let mails = shop.mail().await;
    assert_eq!(mails.iter().filter(|subject| subject.ends_with(" cancelada")).count(), 10);
}

const REFRESH: &str = "/api/auth/refresh";
const NO_FUNDS: &str = "4000000000009995";

/// A client at another address of this machine.
fn client_at(last: u8) -> reqwest::Client {
    let ip = IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
    reqwest::Client::builder().local_address(ip).build().unwrap()
}

#[actix_web::test]
async fn a_session_is_refreshed_sixty_times_at_once_and_its_neighbour_is_not_hindered() {
    let server = spawn_held().await;
    let ana = server.person("ana@example.com").await;
    let bia = server.person("bia@example.com").await;
    let mut token = ana.refresh_token.clone();
    // With a token the call is not counted among those of an anonymous address.
    let refresh =
        async |token: &str| server.post_as(&ana, REFRESH, &json!({"refreshToken": token})).await;
    for _ in 0..60 {
        let refreshed = refresh(&token).await;
        token = refreshed.data(200)["tokens"]["refreshToken"].as_str().unwrap().to_owned();
    }
    let refused = refresh(&token).await;
    refused.refused(429, "RATE_LIMITED");
    assert_eq!(refused.headers["retry-after"], "1");
    let body = json!({"refreshToken": bia.refresh_token});
    server.post_as(&bia, REFRESH, &body).await.data(200);
}

#[actix_web::test]
async fn an_address_refreshes_six_hundred_times_at_once_whatever_it_sends() {
    let server = spawn_held().await;
    let ana = server.person("ana@example.com").await;
    let client = reqwest::Client::new();
    let try_one = async |client: &reqwest::Client| {
        let body = json!({"refreshToken": "nobody"});
        answer(client.post(server.url(REFRESH)).bearer_auth(&ana.token).json(&body)).await
    };
    passes(600, 401, 1, || try_one(&client)).await;
    assert_eq!(try_one(&client_at(2)).await.status, 401, "a neighbour is still heard");
}

#[actix_web::test]
async fn a_person_takes_twenty_tickets_at_once_and_a_neighbour_is_not_hindered() {
    let server = spawn_held().await;
    let [ana, bia] =
        [server.person("ana@example.com").await, server.person("bia@example.com").await];
    let nothing = json!({});
    let ask = |who| server.post_as(who, "/api/auth/live-ticket", &nothing);
    passes(20, 200, 1, || ask(&ana)).await;
    ask(&bia).await.data(200);
}

#[actix_web::test]
async fn a_person_has_the_provider_asked_sixty_times_at_once_and_pays_by_pix_all_the_same() {
    let shop = Shop::open().await;
    shop.server.app.limits.hold();
    let path = shop.methods_path();
    passes(60, 200, 1, || shop.server.get_as(&shop.ana, &path)).await;
    let card = format!("{path}/pm_1");
    shop.server.delete_as(&shop.ana, &card).await.refused(429, "RATE_LIMITED");
    let by_card = shop.card("4242424242424242").await;
    shop.process(&by_card).await.refused(429, "RATE_LIMITED");
    let (payment, _) = shop.begin(&shop.pix()).await;
    let path = format!("/api/payments/authenticate/{}", payment["id"].as_str().unwrap());
    shop.server.post_as(&shop.ana, &path, &json!({})).await.refused(429, "RATE_LIMITED");
}

#[actix_web::test]
async fn a_company_is_called_six_hundred_times_at_once_by_all_its_people_together() {
    const REFUSED: &str = r#"bipe_rate_limited_total{action="calls_company"}"#;
    let server = spawn_held().await;
    let ana = server.person("ana@example.com").await;
    let company = server.company(&ana, "Ponto Central").await;
    let path = format!("/api/companies/{company}");
    let refused = || value(&server.app.metrics.render(), REFUSED);
    let before = refused();
    for n in 0..3 {
        let person = server.person(&address(n)).await;
        server.join(&person, company, "operator").await;
        // A person alone is refused after two hundred calls.
        passes(200, 200, 1, || server.get_as(&person, &path)).await;
    }
    assert_eq!(refused(), before);
    server.get_as(&ana, &path).await.refused(429, "RATE_LIMITED");
    assert_eq!(refused(), before + 1.0);
    let other = server.company(&ana, "Ponto Dois").await;
    server.get_as(&ana, &format!("/api/companies/{other}")).await.data(200);
}

#[actix_web::test]
async fn a_call_beyond_the_limit_is_counted_and_read_by_a_page_of_this_server() {
    let server = spawn_held().await;
    let (client, own) = (reqwest::Client::new(), format!("http://{}", server.address));
    let lines = [
        r#"bipe_http_requests_total{status="429"}"#,
        r#"bipe_rate_limited_total{action="calls_network"}"#,
    ];
    let counted = || lines.map(|line| value(&server.app.metrics.render(), line));
    let before = counted();
    let ask = || answer(client.get(server.url("/api/config")).header("origin", &own));
    let refused = passes(100, 200, 1, ask).await;
    assert_eq!(refused.headers["access-control-allow-origin"], own.as_str());
    assert_eq!(server.get("/health").await.status, 200, "a probe is no call");
    for (now, then) in counted().iter().zip(before) {
        assert!(*now >= then + 1.0, "{now} after {then}");
    }
    // What a browser asks first costs nothing, and has the headers of every answer.
    for _ in 0..20 {
        let preflight = client.request(reqwest::Method::OPTIONS, server.url("/api/config"));
        let preflight = preflight.header("access-control-request-method", "GET");
        let allowed = answer(preflight.header("origin", &own)).await;
        assert_eq!(allowed.status, 200, "{}", allowed.text);
        assert_eq!(allowed.headers["access-control-allow-origin"], own.as_str());
        assert_eq!(allowed.headers["x-content-type-options"], "nosniff");
        assert!(allowed.headers.contains_key("x-request-id"));
    }
}

#[actix_web::test]
async fn an_address_opens_a_hundred_and_twenty_sockets_at_once_and_its_calls_are_not_hindered() {
    let server = spawn_held().await;
    let client = reqwest::Client::new();
    // Not a handshake, so that no socket stays.
    let try_one = || answer(client.get(server.url("/api/live")));
    passes(120, 400, 1, try_one).await;
    server.get("/api/config").await.data(200);
}

impl Shop {
    /// Pays by a card that has no funds.
    async fn is_declined(&self, company: CompanyId) {
        let mut body = self.card(NO_FUNDS).await;
        body["metadata"]["companyId"] = json!(company);
        let (payment, secret) = self.begin(&body).await;
        self.confirm(&payment, &secret.unwrap(), None).await;
        self.server.run().await;
    }

    async fn process_at(&self, last: u8, who: &Person, body: &Value) -> Answer {
        let url = self.server.url("/api/payments/process");
        answer(client_at(last).post(url).bearer_auth(&who.token).json(body)).await
    }
}

#[actix_web::test]
async fn ten_declines_of_an_address_close_cards_to_it_in_every_company_and_pix_stays() {
    let shop = Shop::open().await;
    let second = shop.server.company(&shop.ana, "Ponto Dois").await;
    let third = shop.server.company(&shop.ana, "Ponto Três").await;
    for (company, times) in [(shop.company, 4), (second, 4), (third, 2)] {
        for _ in 0..times {
            shop.is_declined(company).await;
        }
    }
    let of_third = |mut body: Value| {
        body["metadata"]["companyId"] = json!(third);
        body
    };
    let card = of_third(shop.card("4242424242424242").await);
    shop.process(&card).await.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
    shop.process_at(2, &shop.ana, &card).await.data(201);
    let mut pix = of_third(shop.pix());
    pix["replace"] = json!(true);
    shop.process(&pix).await.data(201);
}
