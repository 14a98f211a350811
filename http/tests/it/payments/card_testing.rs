//! Whoever tries stolen cards by saving them is stopped: by company, person and network, and by declines.

use bipe_core::id::CompanyId;
use bipe_testkit::{Answer, Person, answer};
use serde_json::json;

use super::shop::Shop;

const HOME: &str = "198.51.100.1";
const OPEN: &str = "SELECT count(*) FROM payments WHERE payment_is_open(state)";

/// A server that believes the test who sends a request.
async fn open() -> Shop {
    Shop::open_with(&["--trusted-proxies", "127.0.0.1"]).await
}

impl Shop {
    async fn save(&self, who: &Person, company: CompanyId, card: &str, network: &str) -> Answer {
        let url = self.server.url(&format!("/api/payments/methods/{company}"));
        let request = reqwest::Client::new().post(url).bearer_auth(&who.token);
        answer(request.header("x-forwarded-for", network).json(&json!({"paymentMethodId": card})))
            .await
    }
}

#[actix_web::test]
async fn saving_cards_is_limited_by_company_person_and_network() {
    let shop = open().await;
    let bia = shop.server.person("bia@example.com").await;
    let of_bia = shop.server.company(&bia, "Outro Ponto").await;
    shop.server.join(&bia, shop.company, "finance").await;
    let second = shop.server.company(&shop.ana, "Ponto Sul").await;
    let card = shop.server.card("4242424242424242").await;
    for _ in 0..10 {
        shop.save(&shop.ana, shop.company, &card, HOME).await.data(201);
    }
    let other = shop.server.card("5555555555554444").await;
    let tries = [
        (&shop.ana, shop.company, HOME),
        // the company, for somebody else who is somewhere else
        (&bia, shop.company, "198.51.100.2"),
        // the person, for another company from somewhere else
        (&shop.ana, second, "198.51.100.3"),
        // the network, for strangers
        (&bia, of_bia, HOME),
    ];
    for (who, company, network) in tries {
        let refused = shop.save(who, company, &other, network).await;
        refused.refused(429, "RATE_LIMITED");
        assert!(refused.headers.contains_key("retry-after"), "{}", refused.text);
    }
    shop.save(&bia, of_bia, &other, "198.51.100.4").await.data(201);
}

#[actix_web::test]
async fn a_company_keeps_at_most_ten_cards() {
    let mut shop = open().await;
    for _ in 0..10 {
        let card = shop.server.card("4242424242424242").await;
        shop.save(&shop.ana, shop.company, &card, HOME).await.data(201);
    }
    shop.pass(86_400).await;
    let card = shop.server.card("5555555555554444").await;
    let refused = shop.save(&shop.ana, shop.company, &card, HOME).await;
    refused.refused(409, "CARD_LIMIT_REACHED");
    let mut payment = shop.card("5555555555554444").await;
    payment["saveMethod"] = json!(true);
    shop.process(&payment).await.refused(409, "CARD_LIMIT_REACHED");
    payment["saveMethod"] = json!(false);
    shop.process(&payment).await.data(201);
    let path = format!("/api/payments/methods/{}", shop.company);
    let saved = shop.server.get_as(&shop.ana, &path).await;
    let first = saved.data(200)["methods"][0]["id"].as_str().unwrap().to_owned();
    shop.server.delete_as(&shop.ana, &format!("{path}/{first}")).await.data(200);
    shop.save(&shop.ana, shop.company, &card, HOME).await.data(201);
}

#[actix_web::test]
async fn cards_that_are_declined_while_they_are_saved_count_like_declined_payments() {
    let shop = open().await;
    for _ in 0..5 {
        let declined = shop.server.card("4000000000000002").await;
        let refused = shop.save(&shop.ana, shop.company, &declined, HOME).await;
        refused.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
    }
    let good = shop.server.card("4242424242424242").await;
    let refused = shop.save(&shop.ana, shop.company, &good, "198.51.100.2").await;
    refused.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
    let payment = shop.card("4242424242424242").await;
    shop.process(&payment).await.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
    shop.process(&shop.pix()).await.data(201);
}

#[actix_web::test]
async fn one_payment_takes_no_more_cards_than_the_company_may_try() {
    let shop = open().await;
    let (payment, secret) = shop.begin(&shop.card("4000000000000002").await).await;
    let secret = secret.unwrap();
    for _ in 0..4 {
        let card = shop.server.card("4000000000000002").await;
        shop.confirm(&payment, &secret, Some(&card)).await;
        shop.server.run().await;
        let declined = shop.status(&payment).await;
        assert_eq!((&declined["status"], &declined["canRetry"]), (&json!("FAILED"), &json!(true)));
        assert_eq!(shop.number(OPEN).await, 1, "its payer may try another card");
    }
    let card = shop.server.card("4000000000000002").await;
    shop.confirm(&payment, &secret, Some(&card)).await;
    shop.server.run().await;
    assert_eq!(shop.number(OPEN).await, 0);
    let ended = shop.status(&payment).await;
    assert_eq!((&ended["status"], &ended["failureCode"]), (&json!("FAILED"), &json!("declined")));
    let good = shop.server.card("4242424242424242").await;
    shop.confirm(&payment, &secret, Some(&good)).await;
    shop.server.run().await;
    assert_eq!(
        shop.status(&payment).await["status"],
        "FAILED",
        "the provider takes no card either"
    );
    assert!(shop.subscriptions().await.is_empty());
    let payment = shop.card("4242424242424242").await;
    shop.process(&payment).await.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
    shop.process(&shop.pix()).await.data(201);
}
