//! Health, errors and headers that every answer shares.

use bipe_http::Shutdown;
use bipe_testkit::answer;
use futures_util::future::join_all;
use serde_json::json;

use crate::app::{TestApp, spawn_app, spawn_app_with};

#[actix_web::test]
async fn a_ready_server_says_so_until_it_drains() {
    let server = spawn_app().await;
    assert_eq!(server.get("/health").await.status, 200);
    assert_eq!(server.get("/health/ready").await.status, 200);
    server.app.shutdown.send_replace(Shutdown::Announced);
    assert_eq!(server.get("/health/ready").await.status, 503);
    assert_eq!(server.get("/health").await.status, 200);
}

#[actix_web::test]
async fn however_many_ask_whether_the_server_is_ready_the_database_hears_one_at_a_time() {
    let server = spawn_app().await;
    server.app.db.take_statements();
    let answers = join_all((0..100).map(|_| server.app.node_watch.is_ready())).await;
    assert!(answers.into_iter().all(|is_ready| is_ready));
    let asked = server.app.db.take_statements();
    // The first one's, and that of all who came meanwhile.
    assert_eq!(asked.iter().filter(|sql| sql.contains("AS fits")).count(), 2, "{asked:?}");
}

#[actix_web::test]
async fn an_unknown_call_is_a_json_404_with_the_request_id() {
    let server = spawn_app().await;
    let client = reqwest::Client::new();
    let asked = client.get(server.url("/api/nothing")).header("x-request-id", "abc-1");
    let refused = answer(asked).await;
    refused.refused(404, "NOT_FOUND");
    assert_eq!(refused.body["error"]["requestId"], "abc-1");
    assert_eq!(refused.headers["x-request-id"], "abc-1");
    assert_eq!(refused.headers["x-content-type-options"], "nosniff");
    assert_eq!(refused.headers["cache-control"], "no-store");
    assert_eq!(refused.headers["content-type"], "application/json; charset=utf-8");
    assert!(refused.headers.get("server").is_none());
}

#[actix_web::test]
async fn a_request_id_is_kept_up_to_sixty_four_visible_characters_and_else_made() {
    let server = spawn_app().await;
    let client = reqwest::Client::new();
    for (sent, is_kept) in [("x".repeat(64), true), ("x".repeat(65), false), ("a b".into(), false)]
    {
        let asked = client.get(server.url("/api/config")).header("x-request-id", &sent);
        let given = answer(asked).await.headers["x-request-id"].clone();
        assert!(!given.is_empty());
        assert_eq!(given == sent, is_kept, "{sent}: {given:?}");
    }
}

#[actix_web::test]
async fn what_is_not_routed_is_a_call_or_a_page_by_its_first_word() {
    let server = spawn_app().await;
    for path in ["/api", "/api/auth/nothing", "/api/payments/x/y/z", "/dev/nothing"] {
        server.get(path).await.refused(404, "NOT_FOUND");
        server.post(path, &json!({})).await.refused(404, "NOT_FOUND");
    }
    let missing = server.get("/assets/nothing.js").await;
    assert_eq!(missing.status, 404);
    assert_eq!(missing.headers.get("cache-control").unwrap(), "no-store", "it may come yet");
}

#[actix_web::test]
async fn a_malformed_id_is_as_absent_as_an_unknown_one() {
    let server = spawn_app().await;
    let unknown = "/api/subscriptions/plans/019e0000-0000-7000-8000-000000000000";
    let (malformed, unknown) =
        (server.get("/api/subscriptions/plans/x").await, server.get(unknown).await);
    malformed.refused(404, "NOT_FOUND");
    unknown.refused(404, "NOT_FOUND");
    assert_eq!(malformed.body["error"]["message"], unknown.body["error"]["message"]);
}

#[actix_web::test]
async fn a_foreign_origin_gets_no_leave_to_read() {
    let server = spawn_app().await;
    let client = reqwest::Client::new();
    let ask = |origin: &str| {
        answer(client.get(server.url("/api/config")).header("origin", origin.to_owned()))
    };
    let foreign = ask("https://example.org").await;
    assert!(foreign.headers.get("access-control-allow-origin").is_none());
    let own = format!("http://{}", server.address);
    let allowed = ask(&own).await;
    assert_eq!(allowed.headers["access-control-allow-origin"], own.as_str());
    assert!(allowed.headers.get("access-control-allow-credentials").is_none());
    let readable = allowed.headers["access-control-expose-headers"].to_str().unwrap();
    let mut readable: Vec<&str> = readable.split(", ").collect();
    readable.sort_unstable();
    let told = "content-disposition idempotent-replayed retry-after x-data-age x-request-id";
    assert_eq!(readable.join(" "), told);
}

#[actix_web::test]
async fn bad_bodies_are_refused_by_kind() {
    let server = spawn_app().await;
    let client = reqwest::Client::new();
    let post = |kind: &str, body: String| {
        let request = client.post(server.url("/dev/clock"));
        answer(request.header("content-type", kind.to_owned()).body(body))
    };
    let json = "application/json";
    post(json, "{".into()).await.refused(400, "VALIDATION_ERROR");
    post(json, "[".repeat(10_000)).await.refused(400, "VALIDATION_ERROR");
    post(json, " ".repeat(70_000)).await.refused(413, "VALIDATION_ERROR");
    post("text/plain", "{}".into()).await.refused(415, "VALIDATION_ERROR");
    let zipped = client.post(server.url("/dev/clock")).header("content-type", json);
    answer(zipped.header("content-encoding", "gzip").body("{}"))
        .await
        .refused(415, "VALIDATION_ERROR");
    let missing = post(json, "{}".into()).await;
    missing.refused(422, "VALIDATION_ERROR");
    assert_eq!(missing.body["error"]["fields"], json!({"advanceSeconds": "REQUIRED"}));
    let unknown = post(json, r#"{"advanceSeconds":1,"x":1}"#.into()).await;
    assert_eq!(unknown.body["error"]["fields"], json!({"x": "INVALID"}));
}

#[actix_web::test]
async fn the_clock_moves_only_forward_and_within_bounds() {
    let server = spawn_app().await;
    let before = server.get("/dev/clock").await.body["now"].clone();
    let after = server.post("/dev/clock", &json!({"advanceSeconds": 3600})).await;
    assert_eq!(before, "2026-11-21T15:00:00Z");
    assert_eq!(after.body["now"], "2026-11-21T16:00:00Z");
    assert_eq!(server.database.db.clock().now().to_string(), "2026-11-21T16:00:00Z");
    server
        .post("/dev/clock", &json!({"advanceSeconds": -1}))
        .await
        .refused(422, "VALIDATION_ERROR");
    let far = server.post("/dev/clock", &json!({"advanceSeconds": 4_000_000_000_u32})).await;
    far.refused(422, "VALIDATION_ERROR");
}

#[actix_web::test]
async fn the_plans_on_sale_are_public_and_in_order() {
    let server = spawn_app().await;
    let listed = server.get("/api/subscriptions/plans").await;
    let plans = listed.data(200)["plans"].as_array().unwrap();
    let names: Vec<&str> = plans.iter().map(|plan| plan["displayName"].as_str().unwrap()).collect();
    assert_eq!(names, ["Grátis", "Essencial", "Profissional", "Negócio", "Enterprise"]);
    assert!(listed.text.contains(r#""monthlyPrice":49.9,"#), "{}", listed.text);
}

#[actix_web::test]
async fn a_header_that_anybody_can_write_leads_nobody_past_the_limit() {
    let server = spawn_app().await;
    server.app.limits.hold();
    let client = reqwest::Client::new();
    let call = |token: &str| answer(client.get(server.url("/api/config")).bearer_auth(token));
    let answers = futures_util::future::join_all((0..200).map(|_| call("not.a.token"))).await;
    assert!(answers.iter().any(|answer| answer.status == 429));
    let ana = server.person("ana@example.com").await;
    let answers = futures_util::future::join_all((0..105).map(|_| call(&ana.token))).await;
    assert!(answers.iter().all(|answer| answer.status == 200), "she has a limit of her own");
}

#[actix_web::test]
async fn whoever_found_a_vulnerability_learns_where_to_write() {
    let server = spawn_app().await;
    let read = async |server: &TestApp| {
        let found = server.get("/.well-known/security.txt").await;
        assert_eq!(found.status, 200, "{}", found.text);
        assert_eq!(found.headers["content-type"], "text/plain; charset=utf-8");
        found.text
    };
    let expected = "Contact: mailto:comercial@bipe.com.br\nExpires: 2027-05-20T15:00:00Z\n\
         Preferred-Languages: pt, en\n";
    assert_eq!(read(&server).await, expected);
    server.post("/dev/clock", &json!({"advanceSeconds": 86_400})).await;
    assert!(read(&server).await.contains("Expires: 2027-05-21T15:00:00Z"));
    let server = spawn_app_with(&["--security-contact", "https://bipe.example/seguranca"]).await;
    assert!(read(&server).await.starts_with("Contact: https://bipe.example/seguranca\n"));
}

#[actix_web::test]
async fn a_password_manager_is_led_to_where_a_password_is_changed() {
    let server = spawn_app().await;
    let stays = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().redirect(stays).build().unwrap();
    let asked = client.get(server.url("/.well-known/change-password")).send().await.unwrap();
    assert_eq!(asked.status(), 302);
    assert_eq!(asked.headers()["location"], "/account");
}

#[actix_web::test]
async fn the_public_settings_name_the_company_that_offers_the_site_once_it_is_known() {
    let server = spawn_app().await;
    let answer = server.get("/api/config").await;
    let unnamed = answer.data(200);
    assert_eq!(unnamed["issuer"], json!({"name": "", "taxId": "", "address": "", "email": ""}));
    assert_eq!(unnamed["helpEmail"], unnamed["salesEmail"]);
    let flags = [
        ["--legal-name", "Bipe Tecnologia Ltda."],
        ["--legal-tax-id", "12.345.678/0001-95"],
        ["--legal-address", "Rua das Flores, 100, São Paulo, SP"],
        ["--legal-email", "ajuda@bipe.com.br"],
    ];
    let server = spawn_app_with(&flags.concat()).await;
    let answer = server.get("/api/config").await;
    let named = answer.data(200);
    let issuer = json!({
        "name": "Bipe Tecnologia Ltda.",
        "taxId": "12345678000195",
        "address": "Rua das Flores, 100, São Paulo, SP",
        "email": "ajuda@bipe.com.br",
    });
    assert_eq!((&named["issuer"], &named["helpEmail"]), (&issuer, &json!("ajuda@bipe.com.br")));
}
