//! A card that is saved without a payment and whose holder's bank asks for the holder.

use bipe_testkit::Answer;
use serde_json::json;

use super::shop::Shop;

/// Asks once, when it is saved; then it can be charged without its holder.
const ASKING: &str = "4000002500003155";
const CONSENTS: &str = "SELECT card FROM renewal_consents ORDER BY at";
const NOTED: &str = "SELECT target || ' ' || actor_id FROM audit_entries \
     WHERE action = 'payment_method.add' ORDER BY at";
const FOLLOWED: &str = "SELECT count(*) FROM jobs WHERE kind = 'card_setup'";

impl Shop {
    async fn save_card(&self, card: &str) -> Answer {
        let offered = self.server.get_as(&self.ana, "/api/payments/providers").await;
        let consent = &offered.data(200)["providers"][0]["renewalConsent"]["version"];
        let body = json!({"paymentMethodId": card, "renewalConsent": consent});
        self.server.post_as(&self.ana, &self.methods_path(), &body).await
    }

    /// A card that waits for its holder's bank, with the secret that its holder's browser gets.
    async fn asked(&self) -> (String, String) {
        let card = self.server.card(ASKING).await;
        let answer = self.save_card(&card).await;
        let secret = answer.data(201)["setup"]["clientSecret"].as_str().unwrap().to_owned();
        (card, secret)
    }

    async fn is_saved(&self, card: &str) -> bool {
        self.methods().await.iter().any(|method| method["id"] == card)
    }

    /// The browser tries a card with the secret of another one.
    async fn try_card(&self, secret: &str, card: &str) -> Answer {
        let path = format!("setup_intents/{}/confirm", secret.split("_secret_").next().unwrap());
        let fields = [("client_secret", secret), ("payment_method", card)];
        self.server.sandbox(&path, &fields).await
    }
}

#[actix_web::test]
async fn a_card_is_saved_with_its_consent_when_the_holder_s_bank_agrees_also_without_the_browser() {
    let shop = Shop::open().await;
    let (card, secret) = shop.asked().await;
    let again = shop.save_card(&card).await;
    let again = again.data(201);
    assert_eq!((&again["methods"], &again["setup"]["clientSecret"]), (&json!([]), &json!(secret)));
    assert!(!shop.is_saved(&card).await);
    assert_eq!(shop.texts(CONSENTS).await, [""; 0]);
    let kept = "SELECT count(*) FROM jobs WHERE payload::text LIKE '%\\_secret\\_%'";
    assert_eq!((shop.number(FOLLOWED).await, shop.number(kept).await), (1, 0));

    shop.server.authenticate_card(&secret, "succeeded").await;
    shop.server.run().await;
    let stored = "SELECT id FROM payment_methods WHERE is_default";
    assert_eq!(shop.texts(stored).await, [card.as_str()], "nobody has asked for the list");
    assert_eq!(shop.texts(CONSENTS).await, [card.as_str()]);
    assert_eq!(shop.texts(NOTED).await, [format!("{card} {}", shop.ana.id)]);
    assert_eq!(shop.number(FOLLOWED).await, 0);
    assert!(shop.is_saved(&card).await);
}

#[actix_web::test]
async fn a_card_that_is_saved_is_noted_without_an_event_of_the_provider() {
    let mut shop = Shop::open().await;
    let (card, secret) = shop.asked().await;
    shop.server.faults(json!({"webhooks": {"drop": true}})).await;
    shop.server.authenticate_card(&secret, "succeeded").await;
    assert!(shop.is_saved(&card).await, "the browser reads the list at once");
    assert_eq!(shop.texts(CONSENTS).await, [""; 0]);
    shop.pass(61).await;
    assert_eq!(shop.texts(CONSENTS).await, [card]);
}

#[actix_web::test]
async fn what_the_holder_s_bank_refuses_is_not_saved_and_counts_like_a_decline() {
    let shop = Shop::open().await;
    for _ in 0..5 {
        let (card, secret) = shop.asked().await;
        shop.server.authenticate_card(&secret, "failed").await;
        shop.server.run().await;
        assert!(!shop.is_saved(&card).await);
        let stolen = shop.server.card("4242424242424242").await;
        assert_eq!(shop.try_card(&secret, &stolen).await.status, 400, "the secret takes no card");
    }
    assert_eq!(shop.texts(CONSENTS).await, [""; 0]);
    assert_eq!(shop.texts(NOTED).await, [""; 0]);
    assert_eq!(shop.number(FOLLOWED).await, 0);
    let good = shop.server.card("4242424242424242").await;
    shop.save_card(&good).await.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
}

#[actix_web::test]
async fn a_bank_that_is_not_answered_within_a_day_is_not_waited_for() {
    let mut shop = Shop::open().await;
    let (card, secret) = shop.asked().await;
    shop.pass(61).await;
    assert_eq!(shop.number(FOLLOWED).await, 1);
    shop.pass(86_400).await;
    assert_eq!(shop.number(FOLLOWED).await, 0);
    assert_eq!(shop.try_card(&secret, &card).await.status, 400);
    assert!(!shop.is_saved(&card).await);
}

#[actix_web::test]
async fn a_card_is_saved_once_however_its_answer_is_lost() {
    let shop = Shop::open().await;
    shop.save_card(&shop.server.card("5555555555554444").await).await.data(201);
    let faults = [
        json!({"lose": true, "times": 4}),
        // The provider saves the card, and says 500 whenever it is asked again.
        json!({"lose": true, "status": 500, "times": 1}),
    ];
    for (others, replies) in (1..).zip(faults) {
        let card = shop.server.card("4242424242424242").await;
        shop.server.faults(json!({ "replies": replies })).await;
        shop.save_card(&card).await;
        shop.server.faults(json!({})).await;
        let repeated = shop.save_card(&card).await;
        let repeated = repeated.data(201);
        let saved = repeated["methods"].as_array().unwrap().len();
        assert_eq!((saved, repeated.get("setup")), (others + 1, None));
    }
}

#[actix_web::test]
async fn a_card_whose_answer_is_lost_for_good_is_noted_with_its_consent_once() {
    let mut shop = Shop::open().await;
    let first = shop.server.card("5555555555554444").await;
    shop.save_card(&first).await.data(201);
    assert_eq!(shop.number(FOLLOWED).await, 0);
    let card = shop.server.card("4242424242424242").await;
    shop.server.faults(json!({"replies": {"lose": true, "times": 4}})).await;
    shop.save_card(&card).await.refused(503, "PROVIDER_UNAVAILABLE");
    shop.server.faults(json!({})).await;
    assert!(shop.is_saved(&card).await, "the provider did what it was asked for");
    assert_eq!(shop.texts(CONSENTS).await, [first.as_str()]);
    shop.pass(299).await;
    assert_eq!(shop.number(FOLLOWED).await, 1);
    shop.pass(1).await;
    assert_eq!(shop.texts(CONSENTS).await, [first.as_str(), card.as_str()]);
    let who = shop.ana.id;
    assert_eq!(shop.texts(NOTED).await, [format!("{first} {who}"), format!("{card} {who}")]);
    assert_eq!(shop.number(FOLLOWED).await, 0);

    // One that was never saved is looked for once.
    let lost = shop.server.card("4242424242424242").await;
    shop.server.faults(json!({"replies": {"status": 500, "times": 4}})).await;
    shop.save_card(&lost).await.refused(503, "PROVIDER_UNAVAILABLE");
    shop.server.faults(json!({})).await;
    shop.pass(300).await;
    assert_eq!((shop.texts(CONSENTS).await.len(), shop.number(FOLLOWED).await), (2, 0));
}

#[actix_web::test]
async fn cards_leave_the_provider_at_the_end_of_their_company_also_one_that_is_saved_after_it() {
    let shop = Shop::open().await;
    let steps = shop.server.app.actors.directory.steps();
    shop.save_card(&shop.server.card("5555555555554444").await).await.data(201);
    let (_, secret) = shop.asked().await;
    let customer = shop.texts("SELECT customer_id FROM provider_customers").await.remove(0);
    let held = async || steps.gateway().cards_of(&customer).await.done().unwrap().len();
    assert_eq!(held().await, 1);

    let company = format!("/api/companies/{}", shop.company);
    assert_eq!(shop.server.delete_as(&shop.ana, &company).await.status, 204);
    shop.server.run().await;
    assert_eq!(held().await, 0);
    shop.server.authenticate_card(&secret, "succeeded").await;
    shop.server.run().await;
    assert_eq!(held().await, 0);
    assert_eq!(shop.texts("SELECT id FROM payment_methods").await, [""; 0]);
}
