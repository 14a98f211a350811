//! The provider is right, whatever reaches us of what it says: late, twice, in any order, never, or forged.

use bipe_core::gateway::webhook::sign;
use bipe_core::secret::Secret;
use bipe_core::testing::{count, figures};
use bipe_testkit::answer;
use serde_json::{Value, json};

use super::shop::Shop;
use crate::app::spawn_app_with;

const WEBHOOK: &str = "/api/payments/webhooks/stripe";
const GOOD: &str = "4242424242424242";
const NO_FUNDS: &str = "4000000000009995";
const ALWAYS_3DS: &str = "4000002760003184";
const DISPUTED: &str = "4000000000000259";

impl Shop {
    /// The provider's own list, oldest first, as bodies of webhooks.
    async fn events(&self) -> Vec<Value> {
        let url = self
            .server
            .url("/sandbox/v1/events?limit=100&types[]=payment_intent.*&types[]=charge.*");
        let listed = answer(reqwest::Client::new().get(url).bearer_auth("sk_test_sandbox")).await;
        let mut events = listed.body["data"].as_array().unwrap().clone();
        events.reverse();
        events.retain(|event| event["type"] != "payment_intent.created");
        events
    }

    async fn hear(&self, event: &Value) {
        let body = event.to_string();
        let time = self.server.app.clock.now().as_second();
        let signature = sign(&self.server.app.webhook_secrets[0], time, body.as_bytes());
        let request = reqwest::Client::new().post(self.server.url(WEBHOOK)).body(body);
        let request = request.header("stripe-signature", format!("t={time},v1={signature}"));
        assert_eq!(answer(request).await.status, 200);
    }

    async fn history(&self) -> Vec<String> {
        self.texts("SELECT type FROM subscription_history ORDER BY line_number").await
    }

    pub async fn refund(&self, payment: &Value, amount: &str) {
        let intent = payment["transactionId"].as_str().unwrap();
        let url = self.server.url("/sandbox/v1/refunds");
        let request = reqwest::Client::new().post(url).bearer_auth("sk_test_sandbox");
        let fields = [("payment_intent", intent), ("amount", amount)];
        assert_eq!(answer(request.form(&fields)).await.status, 200);
    }

    async fn open_alerts(&self) -> Vec<String> {
        self.texts("SELECT kind FROM alerts WHERE closed_at IS NULL ORDER BY kind").await
    }
}

/// A small generator: the same number, the same run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// Walks a payment to its success by two or three of the provider's steps, all of whose webhooks are kept
/// back, and delivers them at any moment from their making on: once to thrice, in any order.
async fn any_order(number: u64) {
    let shop = Shop::open().await;
    shop.server.faults(json!({"webhooks": {"drop": true}})).await;
    let mut dice = Dice(number + 1);
    let kind = number % 4;
    let (payment, secret) = match kind {
        0 => shop.begin(&shop.card(NO_FUNDS).await).await,
        1 => shop.begin(&shop.card(ALWAYS_3DS).await).await,
        2 => shop.begin(&shop.pix()).await,
        _ => shop.begin(&shop.boleto()).await,
    };
    let secret = secret.unwrap_or_default();
    let other = shop.server.card(GOOD).await;
    let mut waiting: Vec<Value> = Vec::new();
    let mut known = 0;
    for step in 0..3 {
        match (kind, step) {
            (0, 0) => drop(shop.confirm(&payment, &secret, None).await),
            (0, 1) => drop(shop.confirm(&payment, &secret, Some(&other)).await),
            (1, 0) => drop(shop.confirm(&payment, &secret, None).await),
            (1..=3, 1) => shop.settle(&payment, "succeeded").await,
            (0..=2, 2) => shop.refund(&payment, "500").await,
            _ => {}
        }
        let events = shop.events().await;
        for event in &events[known..] {
            for _ in 0..=dice.below(3) {
                waiting.insert(dice.below(waiting.len() + 1), event.clone());
            }
        }
        known = events.len();
        for _ in 0..dice.below(waiting.len() + 1) {
            let event = waiting.remove(dice.below(waiting.len()));
            shop.hear(&event).await;
            if dice.below(2) == 0 {
                shop.server.run().await;
            }
        }
    }
    for event in waiting {
        shop.hear(&event).await;
    }
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS", "order {number}");
    assert_eq!(shop.subscriptions().await, ["active 9990"], "order {number}");
    assert_eq!(shop.history().await, ["activated"], "order {number}");
    assert_eq!(shop.credit().await, 0, "order {number}");
    let refunded = if kind == 3 { 0 } else { 500 };
    assert_eq!(shop.number("SELECT refunded_cents FROM payments").await, refunded);
    let paid = shop.mail().await.iter().filter(|subject| subject.contains("aprovado")).count();
    assert_eq!(paid, 1, "order {number}: one mail a cause");
}

#[actix_web::test]
async fn every_permutation_of_events_ends_alike() {
    // Two of each kind of payment.
    let orders = count("BIPE_ORDERS", 8);
    for number in 0..orders {
        any_order(number.into()).await;
    }
    figures(&[("orders", orders)]);
}

#[actix_web::test]
async fn a_payment_cancelled_in_the_dashboard_frees_the_slot() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.card(GOOD).await).await;
    let intent = payment["transactionId"].as_str().unwrap();
    let url = shop.server.url(&format!("/sandbox/v1/payment_intents/{intent}/cancel"));
    let cancel = reqwest::Client::new().post(url).bearer_auth("sk_test_sandbox");
    assert_eq!(answer(cancel).await.status, 200);
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "CANCELLED");
    assert!(shop.subscriptions().await.is_empty());
    shop.begin(&shop.pix()).await;
}

#[actix_web::test]
async fn what_no_webhook_told_is_found_in_the_providers_list_of_events() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.server.run().await;
    shop.server.app.actors.jobs.schedule().await.unwrap();
    shop.server.run().await;
    shop.server.faults(json!({"webhooks": {"drop": true}})).await;
    shop.settle(&payment, "succeeded").await;
    // Its own timer is lost, too: only the list is left.
    shop.owner.execute("DELETE FROM jobs WHERE kind = 'reconcile'", &[]).await.unwrap();
    shop.server.run().await;
    assert_eq!(shop.subscriptions().await, ["pending 9990"], "nobody told us");
    shop.pass(3600).await;
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    let handled = "SELECT count(*) FROM webhook_inbox WHERE outcome = 'handled' \
         AND type = 'payment_intent.succeeded'";
    assert_eq!(shop.number(handled).await, 1);
}

#[actix_web::test]
async fn a_refund_and_a_dispute_are_noted_and_take_nothing_away() {
    let shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.card(DISPUTED).await).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    assert_eq!(shop.texts("SELECT disputed::text FROM payments").await, ["true"]);
    assert_eq!(shop.open_alerts().await, ["payment.disputed"]);
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    // The bank gives the money back, so the time left is not credited too.
    let path = format!("/api/subscriptions/company/{}/cancel-robust", shop.company);
    let ended = shop.server.post_as(&shop.ana, &path, &json!({"effectiveDate": "immediate"})).await;
    assert_eq!(ended.data(200)["subscription"]["status"], "expired");
    assert_eq!(shop.credit().await, 0);

    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    for amount in ["990", "9000"] {
        shop.refund(&payment, amount).await;
        shop.server.run().await;
    }
    assert_eq!(shop.number("SELECT refunded_cents FROM payments").await, 9990);
    assert_eq!(shop.open_alerts().await, ["payment.refunded"]);
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    let audited = "SELECT action FROM audit_entries WHERE action = 'payment.refund'";
    assert_eq!(shop.texts(audited).await.len(), 2);
}

#[actix_web::test]
async fn a_pix_paid_after_its_end_becomes_credit_with_history_and_a_notice() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.server.run().await;
    // It expires, and the cancellation at the provider is not answered: the payer is faster.
    shop.server
        .faults(json!({"replies": {"status": 500, "times": 2}, "webhooks": {"drop": true}}))
        .await;
    shop.settle(&payment, "expired").await;
    let expired = shop.events().await.last().unwrap().clone();
    shop.hear(&expired).await;
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["failureCode"], "payment_expired");
    shop.server.faults(json!({})).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS", "late money is never dropped");
    assert_eq!(shop.credit().await, 9990);
    assert_eq!(shop.history().await, ["credited"]);
    let waiting = "SELECT count(*) FROM subscriptions WHERE status = 'pending'";
    assert_eq!(shop.number(waiting).await, 0, "nothing waits for a payment any more");
    let mail = shop.mail().await;
    assert!(mail.iter().any(|subject| subject.starts_with("Pagamento convertido em crédito")));
    assert!(!mail.iter().any(|subject| subject.contains("aprovado")), "{mail:?}");
    assert_eq!(shop.open_alerts().await, ["payment.late_money"]);
}

#[actix_web::test]
async fn any_signature_under_any_live_secret_is_taken_and_forgers_are_slowed_down() {
    let flags = [
        "--stripe-secret-key",
        "sk_test_x",
        "--stripe-publishable-key",
        "pk_test_x",
        "--stripe-api-base",
        "http://127.0.0.1:9",
        "--stripe-webhook-secret",
        "whsec_old,whsec_new",
    ];
    let server = spawn_app_with(&flags).await;
    let time = server.app.clock.now().as_second();
    let deliver = async |id: &str, secrets: &[&str]| {
        let body = json!({"id": id, "type": "moon.landed", "data": {}}).to_string();
        let signed =
            |secret: &&str| format!(",v1={}", sign(&Secret::new(*secret), time, body.as_bytes()));
        let header = format!("t={time},v0=00{}", secrets.iter().map(signed).collect::<String>());
        let request = reqwest::Client::new().post(server.url(WEBHOOK)).body(body.clone());
        answer(request.header("stripe-signature", header)).await.status
    };
    assert_eq!(deliver("evt_1", &["whsec_old"]).await, 200);
    assert_eq!(deliver("evt_2", &["whsec_new"]).await, 200);
    assert_eq!(deliver("evt_3", &["whsec_gone", "whsec_new"]).await, 200);
    let mut refused = 0;
    while deliver("evt_4", &["whsec_gone"]).await == 400 {
        refused += 1;
        assert!(refused < 10_000, "forgers are never slowed down");
    }
    assert!(refused >= 30, "{refused}");
    assert_eq!(deliver("evt_5", &["whsec_old", "whsec_new"]).await, 200, "good ones are unlimited");
}
