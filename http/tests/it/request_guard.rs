//! What is refused before a request reaches its route, and what a path says about itself: encoded letters, NUL, foreign
//! names of this server, methods.

use std::collections::BTreeSet;

use bipe_testkit::{Answer, answer};
use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{TestApp, spawn_app, spawn_app_with};
use crate::live::company_of_ana;

const SOMETHING: &str = "019e0000-0000-7000-8000-000000000000";
/// What shows all mail, moves the clock and runs the jobs.
const DEVELOPMENT: [(Method, &str); 5] = [
    (Method::GET, "/dev/mailbox.json"),
    (Method::GET, "/dev/mailbox"),
    (Method::GET, "/dev/clock"),
    (Method::POST, "/dev/clock"),
    (Method::POST, "/dev/jobs/run"),
];

impl TestApp {
    async fn call(&self, method: &Method, path: &str) -> Answer {
        answer(reqwest::Client::new().request(method.clone(), self.url(path))).await
    }

    /// Sends bytes as they are and reads the answer until the end of the connection.
    async fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

#[actix_web::test]
async fn an_encoded_letter_leads_nobody_past_the_limit_or_the_headers_of_a_call() {
    let server = spawn_app().await;
    let client = reqwest::Client::new();
    let calls = (0..300).map(|_| answer(client.get(server.url("/%61pi/config"))));
    for refused in futures_util::future::join_all(calls).await {
        refused.refused(404, "NOT_FOUND");
    }
    let plain = server.get("/api/nothing").await;
    let hidden = [
        "/%61pi/config",
        "/api/%63onfig",
        "/ap%69/subscriptions/plans",
        "/api/auth/%6c%6Fgin",
        "/api/auth/me%2Fx%2D",
        "/api/auth/%2Dx",
        "/%64ev/clock",
        "/%70lans",
    ];
    for path in hidden {
        for method in [Method::GET, Method::POST] {
            let refused = server.call(&method, path).await;
            refused.refused(404, "NOT_FOUND");
            assert!(refused.body["error"]["requestId"].is_string(), "{path}");
            for name in plain.headers.keys() {
                assert!(refused.headers.contains_key(name), "{name} of {path}");
            }
            assert_eq!(refused.headers["cache-control"], "no-store", "{path}");
            assert_eq!(refused.headers["content-type"], "application/json; charset=utf-8");
        }
    }
}

#[actix_web::test]
async fn nul_in_a_path_a_query_or_a_header_is_no_server_error() {
    let server = spawn_app_with(&["--rate-limits", "relaxed"]).await;
    let (ana, company) = company_of_ana(&server).await;
    let method = format!("/api/payments/methods/{company}/%00");
    server.put_as(&ana, &format!("{method}/default"), &json!({})).await.refused(404, "NOT_FOUND");
    server.delete_as(&ana, &method).await.refused(404, "NOT_FOUND");
    let paths = [
        "/api/companies/%00".to_owned(),
        "/api/payments/status/a%00b".into(),
        format!("/api/companies/{company}/%00"),
        "/dev/%00".into(),
        "/assets/%00".into(),
    ];
    for path in paths {
        server.get_as(&ana, &path).await.refused(404, "NOT_FOUND");
    }
    let queries = [
        "/dev/mailbox.json?to=%00".to_owned(),
        format!("/api/payments/company/{company}?status=%00"),
        "/api/companies?x=a%00b".into(),
    ];
    for path in queries {
        server.get_as(&ana, &path).await.refused(400, "VALIDATION_ERROR");
    }
    for name in ["authorization", "x-request-id", "idempotency-key", "user-agent"] {
        let request = format!("GET /api/config HTTP/1.1\r\nhost: x\r\n{name}: a\0b\r\n\r\n");
        let refused = server.raw(request.as_bytes()).await;
        assert!(refused.starts_with("HTTP/1.1 400 "), "{name}: {refused}");
    }
}

/// Pattern and method of every call that is served.
fn served() -> Vec<(String, String)> {
    let document = serde_json::to_value(bipe_http::openapi::document()).unwrap();
    let documented = document["paths"].as_object().unwrap().iter().flat_map(|(path, item)| {
        item.as_object().unwrap().keys().map(|method| (path.clone(), method.to_uppercase()))
    });
    let others = [
        ("/health", "GET"),
        ("/metrics", "GET"),
        ("/version", "GET"),
        ("/dev/clock", "GET"),
        ("/dev/clock", "POST"),
        ("/dev/jobs/run", "POST"),
        ("/dev/mailbox.json", "GET"),
        ("/api/docs", "GET"),
        ("/api/openapi.json", "GET"),
    ];
    let others = others.map(|(path, method)| (path.to_owned(), method.to_owned()));
    let all: Vec<_> = documented.chain(others).collect();
    let heads: Vec<_> = all.iter().filter(|(_, method)| method == "GET").cloned().collect();
    all.into_iter().chain(heads.into_iter().map(|(path, _)| (path, "HEAD".into()))).collect()
}

fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<_>, Vec<_>) =
        (pattern.split('/').collect(), path.split('/').collect());
    let mut parts = pattern.iter().zip(&path);
    pattern.len() == path.len() && parts.all(|(own, given)| own.starts_with('{') || own == given)
}

fn allowed(answer: &Answer) -> BTreeSet<&str> {
    answer.headers["allow"].to_str().unwrap().split(", ").collect()
}

#[actix_web::test]
async fn a_call_by_another_method_is_told_which_ones_its_path_takes() {
    let server = spawn_app_with(&["--rate-limits", "relaxed"]).await;
    let (client, served) = (reqwest::Client::new(), served());
    let patterns: BTreeSet<&str> = served.iter().map(|(path, _)| path.as_str()).collect();
    assert!(patterns.len() > 60, "{}", patterns.len());
    for pattern in patterns {
        let named = |part| if str::starts_with(part, '{') { SOMETHING } else { part };
        let path = pattern.split('/').map(named).collect::<Vec<_>>().join("/");
        // What an id at the place of a fixed word takes does not count.
        let ids = |pattern: &str| pattern.matches('{').count();
        let is_same = |own: &str| matches(own, &path) && ids(own) == ids(pattern);
        let takes = served.iter().filter(|(own, _)| is_same(own));
        let takes: BTreeSet<&str> = takes.map(|(_, method)| method.as_str()).collect();
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
            let call = client.request(method.parse().unwrap(), server.url(&path));
            let called = answer(call).await;
            assert_eq!(called.status != 405, takes.contains(method), "{method} {path}");
            if called.status == 405 {
                assert_eq!(allowed(&called), takes, "{method} {path}");
            }
            if called.status == 405 && method != "HEAD" {
                called.refused(405, "METHOD_NOT_ALLOWED");
            }
        }
    }
}

#[actix_web::test]
async fn what_does_not_exist_is_absent_by_every_method_and_a_page_is_only_read() {
    let server = spawn_app().await;
    for method in [Method::HEAD, Method::POST, Method::PATCH, Method::TRACE] {
        for path in ["/api/nothing", "/api", "/api/auth/nothing", "/dev/nothing"] {
            assert_eq!(server.call(&method, path).await.status, 404, "{method} {path}");
        }
    }
    for method in [Method::POST, Method::DELETE, Method::TRACE] {
        let refused = server.call(&method, "/plans").await;
        refused.refused(405, "METHOD_NOT_ALLOWED");
        assert_eq!(allowed(&refused), BTreeSet::from(["GET", "HEAD"]), "{method}");
    }
}

#[actix_web::test]
async fn head_answers_as_get_and_leaves_out_the_body() {
    let server = spawn_app().await;
    let (ana, company) = company_of_ana(&server).await;
    let client = reqwest::Client::new();
    let paths = [
        "/api/config".to_owned(),
        "/api/subscriptions/plans".into(),
        "/api/openapi.json".into(),
        "/api/docs".into(),
        "/health".into(),
        "/version".into(),
        "/api/companies".into(),
        format!("/api/companies/{company}"),
        format!("/api/companies/{SOMETHING}"),
        "/api/admin/users".into(),
        "/api/auth/me".into(),
    ];
    for path in paths {
        for token in [ana.token.as_str(), "none"] {
            let ask = async |method| {
                answer(client.request(method, server.url(&path)).bearer_auth(token)).await
            };
            let (got, head) = (ask(Method::GET).await, ask(Method::HEAD).await);
            assert_eq!((head.status, head.text.as_str()), (got.status, ""), "{path}");
            for name in ["content-length", "content-type", "cache-control"] {
                assert_eq!(head.headers.get(name), got.headers.get(name), "{name} of {path}");
            }
        }
    }
}

impl TestApp {
    async fn under(&self, host: &str, method: Method, path: &str) -> u16 {
        let call = reqwest::Client::new().request(method, self.url(path));
        answer(call.header("host", host).json(&json!({"advanceSeconds": 1}))).await.status
    }
}

#[actix_web::test]
async fn a_page_whose_name_points_here_reads_no_mail_and_moves_no_clock() {
    let server = spawn_app_with(&["--public-url", "http://Bipe.example"]).await;
    let port = server.address.port();
    for (method, path) in DEVELOPMENT {
        for foreign in
            ["evil.example", "localhost.evil.example", "bipe.example.evil", "10.0.0.1", ""]
        {
            let status = server.under(foreign, method.clone(), path).await;
            assert!(status == 404 || status == 400, "{method} {path} of {foreign:?}: {status}");
        }
        let own =
            ["localhost", "bipe.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "bipe.EXAMPLE"];
        for host in own.iter().flat_map(|host| [(*host).to_owned(), format!("{host}:{port}")]) {
            assert_eq!(server.under(&host, method.clone(), path).await, 200, "{path} of {host}");
        }
    }
    let settle = "/sandbox/v1/test/payment_intents/pi_1/settle";
    let refused =
        answer(reqwest::Client::new().post(server.url(settle)).header("host", "evil.example"));
    refused.await.refused(404, "NOT_FOUND");
    let absolute = "GET http://evil.example/dev/clock HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let refused = server.raw(absolute.as_bytes()).await;
    assert!(refused.starts_with("HTTP/1.1 404 "), "{refused}");
}

#[actix_web::test]
async fn production_shows_no_mail_moves_no_clock_and_has_no_sandbox() {
    let production = ["--env", "production", "--public-url", "https://bipe.example"];
    let server = spawn_app_with(&production).await;
    let of_the_sandbox = [
        (Method::GET, "/sandbox/v1/events"),
        (Method::POST, "/sandbox/v1/customers"),
        (Method::POST, "/sandbox/v1/test/faults"),
        (Method::POST, "/sandbox/v1/test/payment_intents/pi_1/settle"),
    ];
    for (method, path) in DEVELOPMENT.into_iter().chain(of_the_sandbox) {
        let call = reqwest::Client::new().request(method, server.url(path));
        let call = call.bearer_auth("sk_test_sandbox").json(&json!({}));
        answer(call).await.refused(404, "NOT_FOUND");
    }
}

#[actix_web::test]
async fn a_proxy_on_this_machine_reads_no_metrics_whatever_header_it_sends() {
    let server = spawn_app_with(&["--metrics-token", "0123456789"]).await;
    assert_eq!(server.get("/metrics").await.status, 200);
    let headers = [
        "x-real-ip",
        "via",
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-client-ip",
        "true-client-ip",
        "cf-connecting-ip",
    ];
    for name in headers {
        let asked = reqwest::Client::new().get(server.url("/metrics")).header(name, "203.0.113.9");
        assert_eq!(answer(asked.try_clone().unwrap()).await.status, 404, "{name}");
        assert_eq!(answer(asked.bearer_auth("0123456789")).await.status, 200, "{name}");
    }
    let without = spawn_app_with(&["--metrics-token", ""]).await;
    let asked = reqwest::Client::new().get(without.url("/metrics")).header("via", "1.1 proxy");
    assert_eq!(answer(asked).await.status, 404);
}

#[actix_web::test]
async fn the_documentation_is_framed_by_nobody_and_runs_nothing_foreign() {
    let server = spawn_app().await;
    let (page, same) = (server.get("/api/docs").await, server.get("/api/docs/").await);
    assert_eq!((page.status, &page.text), (200, &same.text));
    assert!(page.text.contains("content=\"width=device-width, initial-scale=1\""), "for phones");
    let mut files: Vec<&str> = Vec::new();
    for attribute in ["src=\"", "href=\""] {
        files
            .extend(page.text.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap()));
    }
    assert!(
        files.len() >= 5 && files.iter().all(|file| file.starts_with("/api/docs/")),
        "{files:?}"
    );
    let scripts = page.text.matches("<script").count();
    assert_eq!(page.text.matches("<script src=").count(), scripts, "no script stands in the page");
    for path in files.into_iter().chain(["/api/docs", "/api/docs/"]) {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        let parts: BTreeSet<&str> = policy.split(';').map(str::trim).collect();
        for part in
            ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
        {
            assert!(parts.contains(part), "no {part} in {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    server.get("/api/docs/nothing.js").await.refused(404, "NOT_FOUND");
    server.get("/api/docs/a/b").await.refused(404, "NOT_FOUND");
}
