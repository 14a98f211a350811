//! What the provider refuses is seen: in log and metrics, by the payer in what is offered, and never as an empty list.

use std::io::Write;
use std::sync::{Arc, Mutex};

use bipe_actors::payment_check;
use bipe_testkit::answer;
use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;

use super::shop::Shop;

impl Shop {
    /// PIX as the provider's offer names it.
    async fn offered_pix(&self) -> Value {
        let offer = self.server.get_as(&self.ana, "/api/payments/providers").await;
        let methods = offer.data(200)["providers"][0]["methods"].as_array().unwrap().clone();
        assert_eq!(methods[0]["available"], true, "cards go on");
        methods.into_iter().find(|method| method["type"] == "PIX").unwrap()
    }

    /// A PIX that the provider refuses with this answer. The company is known there before.
    async fn refused_pix(&self, answer: Value) -> Value {
        let (payment, _) = self.begin(&self.pix()).await;
        self.cancel(&payment).await.data(200);
        self.server.faults(json!({ "replies": answer })).await;
        let (payment, _) = self.begin(&self.pix()).await;
        assert_eq!(
            (&payment["status"], &payment["failureCode"]),
            (&json!("FAILED"), &json!("other"))
        );
        payment
    }
}

#[actix_web::test]
async fn a_method_that_the_provider_refuses_as_such_is_not_offered_for_ten_minutes() {
    let mut shop = Shop::open().await;
    // As the provider says of what is switched off in its dashboard.
    let switched_off = json!({"status": 400, "param": "payment_method"});
    shop.refused_pix(switched_off.clone()).await;
    let pix = shop.offered_pix().await;
    let told = (&pix["available"], &pix["reason"], &pix["unavailableUntil"]);
    let until = json!("2026-11-21T15:10:00Z");
    assert_eq!(told, (&json!(false), &json!("PAYMENT_METHOD_UNAVAILABLE"), &until));
    shop.pass(599).await;
    assert_eq!(shop.offered_pix().await["available"], false);
    shop.pass(1).await;
    assert_eq!(shop.offered_pix().await["available"], true);
    // a payment that the provider takes ends it at once
    shop.refused_pix(switched_off).await;
    assert_eq!(shop.offered_pix().await["available"], false);
    shop.begin(&shop.pix()).await;
    assert_eq!(shop.offered_pix().await["available"], true);
}

#[actix_web::test]
async fn a_refusal_of_one_request_takes_no_method_away() {
    let shop = Shop::open().await;
    shop.refused_pix(json!({"status": 400, "code": "parameter_missing", "param": "amount"})).await;
    assert_eq!(shop.offered_pix().await["available"], true);
}

#[actix_web::test]
async fn a_card_that_was_used_up_ends_one_payment_and_takes_no_method_away() {
    let shop = Shop::open().await;
    let mut body = shop.card("4242424242424242").await;
    let (payment, secret) = shop.begin(&body).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    shop.server.run().await;
    let second = shop.server.company(&shop.ana, "Ponto Dois").await;
    body["metadata"]["companyId"] = json!(second);
    let (refused, _) = shop.begin(&body).await;
    let shown = (&refused["status"], &refused["failureCode"]);
    assert_eq!(shown, (&json!("FAILED"), &json!("other")));
    assert_eq!(shop.offered_pix().await["available"], true);
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;
    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[actix_web::test]
async fn the_operator_sees_a_refusal_and_nothing_of_the_payer() {
    let log = Log::default();
    let builder = tracing_subscriber::fmt().with_ansi(false).with_writer(log.clone());
    builder.with_env_filter("warn,stripe=off,async_stripe=off").try_init().unwrap();
    let shop = Shop::open().await;
    shop.refused_pix(json!({"status": 400, "code": "parameter_unknown", "param": "of_this_test"}))
        .await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let line = text.lines().find(|line| line.contains("of_this_test")).expect(&text);
    for part in ["create_payment", "invalid_request_error", "parameter_unknown", "req_"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains("Some(") && !line.contains("None"), "as Rust writes it: {line}");
    for personal in ["Ana", "fill_never", "example.com"] {
        assert!(!line.contains(personal), "{line}");
    }
    let metrics = shop.server.get("/metrics").await.text;
    let refused = r#"bipe_provider_requests_total{operation="create_payment",outcome="refused"}"#;
    assert!(metrics.contains(refused), "{metrics}");
}

#[actix_web::test]
async fn a_job_keeps_what_the_provider_really_answered() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    let gone = json!({"status": 404, "code": "resource_missing", "reads": true, "times": 100});
    shop.server.faults(json!({ "replies": gone })).await;
    shop.server.run().await;
    let kept = "SELECT last_error FROM jobs WHERE kind = 'webhook' AND last_error IS NOT NULL";
    let kept = shop.texts(kept).await;
    assert!(kept.iter().any(|error| error.contains("resource_missing")), "{kept:?}");
    assert!(!kept.iter().any(|error| error.contains("SERVICE_UNAVAILABLE")), "{kept:?}");
}

#[actix_web::test]
async fn saved_cards_are_not_shown_as_none_while_the_provider_fails() {
    let shop = Shop::open().await;
    let path = format!("/api/payments/methods/{}", shop.company);
    let body = json!({"paymentMethodId": shop.server.card("4242424242424242").await});
    shop.server.post_as(&shop.ana, &path, &body).await.data(201);
    shop.server.faults(json!({"replies": {"status": 500, "reads": true, "times": 2}})).await;
    let failed = shop.server.get_as(&shop.ana, &path).await;
    failed.refused(503, "PROVIDER_UNAVAILABLE");
    let known = shop.server.get_as(&shop.ana, &path).await;
    assert_eq!(known.data(200)["methods"].as_array().unwrap().len(), 1);
}

impl Shop {
    /// Somebody deletes the company's customer in the provider's dashboard. Its id.
    async fn delete_customer(&self) -> String {
        let customer = self.texts("SELECT customer_id FROM provider_customers").await.remove(0);
        let url = self.server.url(&format!("/sandbox/v1/customers/{customer}"));
        let deleted = reqwest::Client::new().delete(url).bearer_auth("sk_test_sandbox");
        assert_eq!(answer(deleted).await.body["deleted"], true);
        customer
    }

    async fn cards(&self) -> usize {
        let path = format!("/api/payments/methods/{}", self.company);
        let list = self.server.get_as(&self.ana, &path).await;
        list.data(200)["methods"].as_array().unwrap().len()
    }
}

#[actix_web::test]
async fn a_customer_that_is_gone_at_the_provider_ends_one_payment_and_no_more() {
    let shop = Shop::open().await;
    let path = format!("/api/payments/methods/{}", shop.company);
    let body = json!({"paymentMethodId": shop.server.card("4242424242424242").await});
    shop.server.post_as(&shop.ana, &path, &body).await.data(201);
    let mut gone = vec![shop.delete_customer().await];
    // A payment finds out, or the list of the cards; both on the first day, while the provider knows all keys.
    assert_eq!(shop.begin(&shop.pix()).await.0["status"], "FAILED");
    assert_eq!(shop.number("SELECT count(*) FROM payment_methods").await, 0);
    let (payment, _) = shop.begin(&shop.pix()).await;
    assert_eq!(payment["status"], "PENDING");
    shop.cancel(&payment).await.data(200);
    gone.push(shop.delete_customer().await);
    assert_eq!(shop.cards().await, 0);
    assert_eq!(shop.begin(&shop.pix()).await.0["status"], "PENDING");
    gone.push(shop.delete_customer().await);
    gone.dedup();
    assert_eq!(gone.len(), 3, "each time another one");
    let report = payment_check::run(&shop.server.app.actors.directory).await.unwrap();
    assert!(report.provider_asked, "one that is gone says nothing of the others");
}
