//! A subscription that is canceled while a payment for it is open.

use serde_json::{Value, json};

use super::shop::{PRICE, Shop};

/// A paid company that has begun to pay for Negócio, which costs twice as much.
async fn upgrading(shop: &Shop, mut body: Value) -> Value {
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let plans = shop.server.get("/api/subscriptions/plans").await;
    let plans = plans.data(200)["plans"].as_array().unwrap();
    let plan = plans.iter().find(|plan| plan["displayName"] == "Negócio").unwrap();
    body["metadata"]["planId"] = plan["id"].clone();
    body["amount"] = json!(19_990 - PRICE);
    shop.begin(&body).await.0
}

async fn cancel(shop: &Shop, key: &str) -> Value {
    let path = format!("/api/subscriptions/company/{}/cancel", shop.company);
    let call = reqwest::Client::new()
        .post(shop.server.url(&path))
        .bearer_auth(&shop.ana.token)
        .header("idempotency-key", key)
        .json(&json!({"reason": "Fechamos"}));
    let answer = bipe_testkit::answer(call).await;
    answer.data(200)["subscription"].clone()
}

#[actix_web::test]
async fn canceling_closes_the_open_payment_at_the_provider_first() {
    let shop = Shop::open().await;
    let payment = upgrading(&shop, shop.pix()).await;
    let shown = "SELECT data::json->'payment'->>'status' FROM events \
         WHERE name = 'subscription.updated' AND data::json->'payment' IS NOT NULL";
    let canceled = cancel(&shop, "once").await;
    assert_eq!((&canceled["status"], &canceled["payment"]), (&json!("canceled"), &Value::Null));
    assert_eq!(shop.status(&payment).await["status"], "CANCELLED");
    assert_eq!(shop.texts(shown).await, ["PROCESSING"], "the first payment was shown with pending");
    // a repeat is answered from its key and closes nothing that came later
    let mut again = shop.pix();
    again["metadata"]["planId"] = payment["metadata"]["planId"].clone();
    again["amount"] = json!(19_990 - PRICE);
    let (later, _) = shop.begin(&again).await;
    assert_eq!(cancel(&shop, "once").await, canceled);
    assert_eq!(shop.status(&later).await["status"], "PENDING");
}

#[actix_web::test]
async fn an_issued_boleto_stays_and_becomes_credit_when_it_is_paid_after_all() {
    let shop = Shop::open().await;
    let payment = upgrading(&shop, shop.boleto()).await;
    let canceled = cancel(&shop, "once").await;
    assert_eq!(
        (&canceled["status"], &canceled["payment"]["id"]),
        (&json!("canceled"), &payment["id"])
    );
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    assert_eq!(shop.subscriptions().await, ["canceled 9990"]);
    let credit = "SELECT kind || ' ' || amount_cents FROM credit_entries";
    assert_eq!(shop.texts(credit).await, ["unapplied_payment 10000"]);
}

#[actix_web::test]
async fn a_provider_that_is_away_keeps_the_subscription_and_has_the_payment_closed_within_seconds()
{
    let mut shop = Shop::open().await;
    let payment = upgrading(&shop, shop.pix()).await;
    shop.pass(7_200).await;
    shop.server.faults(json!({"replies": {"status": 500, "times": 4}})).await;
    let path = format!("/api/subscriptions/company/{}/cancel", shop.company);
    let refused = shop.server.post_as(&shop.ana, &path, &json!({})).await;
    refused.refused(503, "PROVIDER_UNAVAILABLE");
    shop.server.faults(json!({})).await;
    shop.pass(5).await;
    assert_eq!(shop.status(&payment).await["status"], "CANCELLED", "the timer goes on with it");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    assert_eq!(cancel(&shop, "again").await["status"], "canceled");
}

#[actix_web::test]
async fn a_declined_payment_that_may_still_be_open_there_keeps_the_subscription() {
    let mut shop = Shop::open().await;
    let body = shop.card("4000000000009995").await;
    let payment = upgrading(&shop, body).await;
    let intents = shop.server.intents(shop.company).await;
    let intent = intents.iter().find(|intent| intent["id"] == payment["transactionId"]).unwrap();
    let secret = intent["client_secret"].as_str().unwrap();
    assert_eq!(shop.confirm(&payment, secret, None).await.status, 402);
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "FAILED");
    shop.server.faults(json!({"replies": {"status": 500, "times": 2}})).await;
    let path = format!("/api/subscriptions/company/{}/cancel", shop.company);
    let refused = shop.server.post_as(&shop.ana, &path, &json!({})).await;
    refused.refused(503, "PROVIDER_UNAVAILABLE");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    shop.pass(5).await;
    assert_eq!(shop.status(&payment).await["status"], "CANCELLED", "the timer goes on with it");
    assert_eq!(cancel(&shop, "again").await["status"], "canceled");
}

#[actix_web::test]
async fn a_payment_whose_creation_has_no_answer_keeps_the_subscription() {
    let mut shop = Shop::renewing().await;
    // The charge of the renewal, which is sent twice and never again for the cancellation.
    shop.server.faults(json!({"replies": {"status": 500, "times": 2}})).await;
    shop.pass(31 * 86_400).await;
    let path = format!("/api/subscriptions/company/{}/cancel", shop.company);
    let refused = shop.server.post_as(&shop.ana, &path, &json!({})).await;
    refused.refused(503, "PROVIDER_UNAVAILABLE");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    // By then the provider would have it. The period that was due has no payment, so it ends at once.
    shop.pass(15 * 60).await;
    assert_eq!(cancel(&shop, "again").await["status"], "expired");
}

#[actix_web::test]
async fn a_cancellation_that_is_refused_leaves_the_open_payment_alone() {
    let shop = Shop::open().await;
    let payment = upgrading(&shop, shop.pix()).await;
    let path = format!("/api/subscriptions/company/{}/cancel-robust", shop.company);
    // Before today, and after the end of what is paid.
    for day in ["2026-11-20", "2026-12-22"] {
        let refused = shop.server.post_as(&shop.ana, &path, &json!({"effectiveDate": day})).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({"effectiveDate": "INVALID"}));
    }
    assert_eq!(shop.status(&payment).await["status"], "PENDING");
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.subscriptions().await, ["active 19990"]);
}
