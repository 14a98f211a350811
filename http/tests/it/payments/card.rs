//! Cards: confirmed in the browser, declined and tried again, 3-D Secure, abandoned.

use serde_json::json;

use super::shop::Shop;

const GOOD: &str = "4242424242424242";
const NO_FUNDS: &str = "4000000000009995";
const STOLEN: &str = "4000000000009979";
const ALWAYS_3DS: &str = "4000002760003184";

#[actix_web::test]
async fn a_card_payment_succeeds_once_the_browser_has_confirmed_it() {
    let shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.card(GOOD).await).await;
    assert_eq!(
        (&payment["status"], &payment["paymentMethod"]),
        (&json!("PENDING"), &json!("CREDIT_CARD"))
    );
    assert_eq!(payment["metadata"]["source"], "sandbox-card");
    let confirmed = shop.confirm(&payment, &secret.unwrap(), None).await;
    assert_eq!(confirmed.body["status"], "succeeded");
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    assert_eq!(shop.mail().await.len(), 1, "a card pays at once: no mail to pay");
}

#[actix_web::test]
async fn the_client_secret_is_stored_nowhere_and_shown_to_its_payer_alone() {
    let shop = Shop::open().await;
    let body = shop.card(GOOD).await;
    let first = shop.server.post_with_key(&shop.ana, super::shop::PROCESS, "k", &body).await;
    let secret = first.data(201)["client_secret"].as_str().unwrap().to_owned();
    let dump = "SELECT coalesce(string_agg(t::text, ' '), '') FROM (SELECT to_json(p) AS t FROM payments p \
         UNION ALL SELECT to_json(e) FROM events e UNION ALL SELECT to_json(i) FROM idempotency_keys i \
         UNION ALL SELECT to_json(j) FROM jobs j UNION ALL SELECT to_json(a) FROM audit_entries a) x";
    assert!(!shop.texts(dump).await[0].contains(&secret));
    let listed =
        shop.server.get_as(&shop.ana, &format!("/api/payments/company/{}", shop.company)).await;
    assert!(!listed.text.contains(&secret));
    let again = shop.server.post_with_key(&shop.ana, super::shop::PROCESS, "k", &body).await;
    assert_eq!(again.headers["idempotent-replayed"], "true");
    assert_eq!(again.data(201)["client_secret"], secret.as_str(), "read anew for the payer");
}

#[actix_web::test]
async fn a_declined_card_may_be_tried_again_with_another_one() {
    let shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.card(NO_FUNDS).await).await;
    let secret = secret.unwrap();
    assert_eq!(shop.confirm(&payment, &secret, None).await.status, 402);
    shop.server.run().await;
    let declined = shop.status(&payment).await;
    assert_eq!(
        (&declined["status"], &declined["failureCode"]),
        (&json!("FAILED"), &json!("insufficient_funds"))
    );
    assert_eq!(declined["canRetry"], true);
    assert!(declined["failureMessage"].is_string());
    let other = shop.server.card(GOOD).await;
    shop.confirm(&payment, &secret, Some(&other)).await;
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
}

#[actix_web::test]
async fn lost_and_stolen_cards_read_as_a_plain_decline() {
    let shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.card(STOLEN).await).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    shop.server.run().await;
    let declined = shop.status(&payment).await;
    assert_eq!(declined["failureCode"], "declined");
    assert!(!declined.to_string().contains("stolen"));
}

#[actix_web::test]
async fn a_declined_payment_makes_room_for_the_next_one() {
    let shop = Shop::open().await;
    let (first, secret) = shop.begin(&shop.card(NO_FUNDS).await).await;
    shop.confirm(&first, &secret.unwrap(), None).await;
    shop.server.run().await;
    let (second, _) = shop.begin(&shop.pix()).await;
    assert_eq!(second["status"], "PENDING");
    let closed = shop.status(&first).await;
    assert_eq!(
        closed["status"], "FAILED",
        "closed at the provider first, and refused all the same"
    );
    assert_eq!(closed["failureCode"], "insufficient_funds");
    assert_eq!(closed["canRetry"], false);
    shop.server.run().await;
    assert!(!shop.mail().await.iter().any(|subject| subject.contains("recusado")));
}

#[actix_web::test]
async fn three_d_secure_waits_for_the_bank_and_takes_its_word() {
    for (outcome, status) in [("succeeded", "SUCCESS"), ("failed", "FAILED")] {
        let shop = Shop::open().await;
        let (payment, secret) = shop.begin(&shop.card(ALWAYS_3DS).await).await;
        let confirmed = shop.confirm(&payment, &secret.unwrap(), None).await;
        assert_eq!(confirmed.body["status"], "requires_action");
        shop.server.run().await;
        let waiting = shop.status(&payment).await;
        assert_eq!(waiting["status"], "PENDING", "3-D Secure is no decline");
        shop.settle(&payment, outcome).await;
        shop.server.run().await;
        let ended = shop.status(&payment).await;
        assert_eq!(ended["status"], status);
        if status == "FAILED" {
            assert_eq!(ended["failureCode"], "authentication_required");
        }
    }
}

#[actix_web::test]
async fn the_payer_goes_on_with_the_bank_on_another_device_and_nobody_else_does() {
    let shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.card(ALWAYS_3DS).await).await;
    let secret = secret.unwrap();
    shop.confirm(&payment, &secret, None).await;
    shop.server.run().await;
    let path = format!("/api/payments/authenticate/{}", payment["id"].as_str().unwrap());
    let fabio = shop.server.person("fabio@example.com").await;
    shop.server.join(&fabio, shop.company, "finance").await;
    let seen = shop.server.post_as(&fabio, &path, &json!({})).await;
    assert_eq!(seen.data(200).get("client_secret"), None, "shown, and not to be confirmed");
    let again = shop.server.post_as(&shop.ana, &path, &json!({})).await;
    let again = again.data(200);
    assert_eq!(again["client_secret"], secret.as_str());
    assert_eq!(again["payment"]["status"], "PENDING");
    assert_eq!(again["payment"]["payerId"], json!(shop.ana.id));
    shop.settle(&payment, "succeeded").await;
    let paid = shop.server.post_as(&shop.ana, &path, &json!({})).await;
    let paid = paid.data(200);
    assert_eq!(paid["payment"]["status"], "SUCCESS", "read at the provider");
    assert_eq!(paid.get("client_secret"), None);
}

#[actix_web::test]
async fn an_abandoned_card_is_closed_an_hour_after_its_last_change() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.card(GOOD).await).await;
    shop.pass(3500).await;
    assert_eq!(shop.status(&payment).await["status"], "PENDING");
    shop.pass(200).await;
    let closed = shop.status(&payment).await;
    assert_eq!(
        (&closed["status"], &closed["failureCode"]),
        (&json!("FAILED"), &json!("payment_expired"))
    );
    assert_eq!(shop.server.intents(shop.company).await[0]["status"], "canceled");
    assert_eq!(shop.number("SELECT count(*) FROM jobs WHERE kind = 'reconcile'").await, 0);
}

#[actix_web::test]
async fn a_status_older_than_thirty_seconds_is_read_at_the_provider() {
    let mut shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.card(GOOD).await).await;
    shop.server.faults(json!({"webhooks": {"drop": true}})).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    assert_eq!(shop.status(&payment).await["status"], "PENDING", "nobody told us");
    shop.pass(31).await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
}
