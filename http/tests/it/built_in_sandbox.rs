//! The sandbox inside `bipe serve`.

use bipe_core::gateway::webhook::sign;
use bipe_core::secret::Secret;
use bipe_sandbox::SECRET_KEY;
use bipe_testkit::answer;

use crate::app::{spawn_app, spawn_app_with};

const PIX: &[(&str, &str)] = &[
    ("amount", "9990"),
    ("currency", "brl"),
    ("confirm", "true"),
    ("payment_method_types[]", "pix"),
    ("payment_method_data[type]", "pix"),
];

#[actix_web::test]
async fn a_server_without_stripe_keys_brings_its_provider_on_the_same_clock() {
    let app = spawn_app().await;
    let client = reqwest::Client::new();
    let url = app.url("/sandbox/v1/payment_intents");
    let open = answer(client.post(&url).bearer_auth(SECRET_KEY).form(PIX)).await;
    assert_eq!(open.status, 200, "{}", open.text);
    let page = open.body["next_action"]["pix_display_qr_code"]["hosted_instructions_url"].as_str();
    let page = answer(client.get(page.unwrap())).await;
    assert!(page.text.contains("Ambiente de testes"), "{}", page.text);
    assert!(
        page.headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'")
    );

    app.database.db.clock().advance(180);
    app.app.sandbox.as_ref().unwrap().run_due().await;
    let read = client.get(format!("{url}/{}", open.body["id"].as_str().unwrap()));
    let read = answer(read.bearer_auth(SECRET_KEY)).await;
    assert_eq!(read.body["status"], "succeeded");
    assert_eq!(app.app.webhook_secrets.len(), 1);
}

#[actix_web::test]
async fn a_server_with_another_provider_has_no_sandbox() {
    let flags = ["--stripe-secret-key", SECRET_KEY, "--stripe-api-base", "http://127.0.0.1:1/"];
    let app = spawn_app_with(&flags).await;
    let gone = reqwest::Client::new().post(app.url("/sandbox/v1/payment_intents"));
    answer(gone.bearer_auth(SECRET_KEY).form(PIX)).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn the_built_in_sandbox_signs_with_the_webhook_secret_of_the_settings() {
    let app = spawn_app_with(&["--stripe-webhook-secret", "whsec_mine"]).await;
    let client = reqwest::Client::new();
    let body = r#"{"id":"evt_mine","type":"payment_intent.succeeded","created":1,"data":{"object":{"id":"pi_1"}}}"#;
    let time = app.app.clock.now().as_second();
    let signature = sign(&Secret::new("whsec_mine"), time, body.as_bytes());
    let own = client.post(app.url("/api/payments/webhooks/stripe")).body(body);
    let own = answer(own.header("stripe-signature", format!("t={time},v1={signature}"))).await;
    assert_eq!(own.status, 200, "{}", own.text);

    let pix = client.post(app.url("/sandbox/v1/payment_intents")).bearer_auth(SECRET_KEY).form(PIX);
    assert_eq!(answer(pix).await.status, 200);
    app.database.db.clock().advance(180);
    app.app.sandbox.as_ref().unwrap().run_due().await;
    let owner = app.database.owner().await;
    let taken = "SELECT count(*) FROM webhook_inbox WHERE event_id <> 'evt_mine'";
    assert!(owner.query_one(taken, &[]).await.unwrap().get::<_, i64>(0) > 0);
}
