//! The sandbox inside `bipe serve`.

use crate::app::{answer, spawn_app, spawn_app_with};
use bipe_http::sandbox::SECRET_KEY;

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
