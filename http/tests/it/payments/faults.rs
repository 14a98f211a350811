//! The provider loses answers, fails, and delivers its events twice, shuffled or never. The end is the same.

use serde_json::json;

use super::shop::{PROCESS, Shop};

#[actix_web::test]
async fn an_answer_that_was_lost_is_asked_for_under_the_same_key() {
    let shop = Shop::open().await;
    shop.begin_and_cancel().await;
    // The first try does its work and is cut off; the second is the same request.
    shop.server.faults(json!({"replies": {"lose": true, "times": 1}})).await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    assert_eq!(payment["status"], "PENDING");
    assert_eq!(shop.server.intents(shop.company).await.len(), 2, "the cancelled one and this one");
}

#[actix_web::test]
async fn a_creation_that_stays_unclear_is_processing_and_found_later() {
    let mut shop = Shop::open().await;
    shop.begin_and_cancel().await;
    shop.server.faults(json!({"replies": {"lose": true, "times": 2}})).await;
    let answer = shop.server.post_with_key(&shop.ana, PROCESS, "k", &shop.pix()).await;
    let unclear = answer.data(202)["payment"].clone();
    assert_eq!(unclear["status"], "PROCESSING", "unclear is never failed");
    shop.process(&shop.pix()).await.refused(409, "PAYMENT_IN_PROGRESS");
    shop.server.faults(json!({})).await;
    shop.pass(6).await;
    let found = shop.status(&unclear).await;
    assert_eq!(found["status"], "PENDING");
    assert!(found["pixCode"].is_string());
    assert_eq!(shop.server.intents(shop.company).await.len(), 2);
    let again = shop.server.post_with_key(&shop.ana, PROCESS, "k", &shop.pix()).await;
    assert_eq!(again.data(201)["payment"]["id"], unclear["id"]);
}

#[actix_web::test]
async fn a_boleto_without_an_answer_gives_way_to_another_method_when_told_so() {
    let shop = Shop::open().await;
    shop.begin_and_cancel().await;
    shop.server.faults(json!({"replies": {"lose": true, "times": 2}})).await;
    let unclear = shop.process(&shop.boleto()).await.data(202)["payment"].clone();
    shop.server.faults(json!({})).await;
    let mut pix = shop.pix();
    pix["replace"] = json!(true);
    let (pix, _) = shop.begin(&pix).await;
    assert_eq!(pix["status"], "PENDING");
    let boleto = shop.status(&unclear).await;
    assert_eq!(boleto["status"], "PENDING", "it is issued, and may still be paid");
    shop.server.run().await;
    let to_pay = "Pagamento pendente: plano Profissional";
    assert_eq!(shop.mail().await, [to_pay; 2], "of the PIX before it and of the one in its place");
    shop.settle(&boleto, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.status(&boleto).await["credited"], true);
    assert_eq!(shop.status(&pix).await["status"], "PENDING");
}

#[actix_web::test]
async fn a_failure_that_the_provider_keeps_does_not_keep_a_new_company_from_paying() {
    let shop = Shop::open().await;
    // The company's first call makes its customer; the provider made it, and says 500 whenever it is asked again.
    shop.server.faults(json!({"replies": {"lose": true, "status": 500, "times": 1}})).await;
    assert_eq!(shop.begin(&shop.pix()).await.0["status"], "PENDING");
}

#[actix_web::test]
async fn a_failure_that_the_provider_keeps_holds_the_slot_for_a_quarter_of_an_hour_at_most() {
    // The provider made the payment, or did not: either way it says 500 whenever it is asked again.
    for (fault, status, held) in [("kept", "FAILED", 1), ("lose", "PENDING", 2)] {
        let mut shop = Shop::open().await;
        shop.begin_and_cancel().await;
        shop.server.faults(json!({"replies": {"status": 500, fault: true, "times": 1}})).await;
        let unclear = shop.process(&shop.pix()).await.data(202)["payment"].clone();
        shop.pass(600).await;
        shop.process(&shop.pix()).await.refused(409, "PAYMENT_IN_PROGRESS");
        shop.pass(312).await;
        assert_eq!(shop.status(&unclear).await["status"], status);
        assert_eq!(shop.server.intents(shop.company).await.len(), held);
        if status == "FAILED" {
            shop.begin(&shop.pix()).await;
        }
    }
}

#[actix_web::test]
async fn a_failure_of_a_cancellation_is_not_asked_for_again() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.server.faults(json!({"replies": {"status": 500, "kept": true, "times": 2}})).await;
    shop.cancel(&payment).await;
    shop.pass(5).await;
    assert_eq!(shop.status(&payment).await["status"], "CANCELLED");
    // It is done, and the answer lost twice: it ends for the reason for which it was closed.
    let (payment, _) = shop.begin(&shop.card("4242424242424242").await).await;
    shop.server.faults(json!({"replies": {"status": 500, "lose": true, "times": 1}})).await;
    shop.pass(3600).await;
    let closed = shop.status(&payment).await;
    assert_eq!(
        (&closed["status"], &closed["failureCode"]),
        (&json!("FAILED"), &json!("payment_expired"))
    );
}

#[actix_web::test]
async fn a_provider_that_fails_before_the_work_is_asked_again() {
    let mut shop = Shop::open().await;
    shop.begin_and_cancel().await;
    shop.server.faults(json!({"replies": {"status": 500, "times": 2}})).await;
    let answer = shop.process(&shop.pix()).await;
    let unclear = answer.data(202)["payment"].clone();
    shop.pass(6).await;
    assert_eq!(shop.status(&unclear).await["status"], "PENDING");
}

#[actix_web::test]
async fn a_place_that_the_provider_does_not_free_yet_is_asked_for_again_under_the_same_key() {
    let mut shop = Shop::open().await;
    let (open, _) = shop.begin(&shop.pix()).await;
    let mut next = shop.pix();
    next["replace"] = json!(true);
    shop.server.faults(json!({"replies": {"status": 500, "times": 4}})).await;
    let away = shop.server.post_with_key(&shop.ana, PROCESS, "k", &next).await;
    away.refused(503, "PROVIDER_UNAVAILABLE");
    shop.server.faults(json!({})).await;
    shop.pass(6).await;
    assert_eq!(shop.status(&open).await["status"], "CANCELLED", "its timer goes on with it");
    let begun = shop.server.post_with_key(&shop.ana, PROCESS, "k", &next).await;
    assert_eq!(begun.data(201)["payment"]["status"], "PENDING");
}

/// As after the death of the node that began: the payment is stored, and its provider's answer was never read.
#[actix_web::test]
async fn a_repeat_that_the_provider_keeps_waiting_is_answered_with_the_payment_that_began() {
    let shop = Shop::open().await;
    shop.begin_and_cancel().await;
    shop.server.faults(json!({"replies": {"status": 500, "times": 2}})).await;
    let begun = shop.server.post_with_key(&shop.ana, PROCESS, "k", &shop.pix()).await;
    let begun = begun.data(202)["payment"].clone();
    // Longer than a request waits.
    let late = json!({"status": 500, "delayMs": 60_000, "times": 2});
    shop.server.faults(json!({ "replies": late })).await;
    let again = shop.server.post_with_key(&shop.ana, PROCESS, "k", &shop.pix()).await;
    assert_eq!(again.data(202)["payment"]["id"], begun["id"]);
}

#[actix_web::test]
async fn events_twice_and_shuffled_end_in_the_one_right_state() {
    let mut shop = Shop::open().await;
    shop.server.faults(json!({"webhooks": {"duplicate": 3, "shuffle": true}})).await;
    let card = shop.card("4000000000009995").await;
    let (payment, secret) = shop.begin(&card).await;
    let secret = secret.unwrap();
    shop.confirm(&payment, &secret, None).await;
    let good = shop.server.card("4242424242424242").await;
    shop.confirm(&payment, &secret, Some(&good)).await;
    // Shuffled events are spread over a moment.
    shop.pass(10).await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    assert_eq!(shop.number("SELECT count(*) FROM debit_segments").await, 1);
    assert_eq!(
        shop.number("SELECT count(*) FROM subscription_history WHERE type = 'activated'").await,
        1
    );
    assert_eq!(shop.mail().await.len(), 1);
}

#[actix_web::test]
async fn lost_events_are_made_up_for_by_the_timer() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.server.run().await;
    shop.server.faults(json!({"webhooks": {"drop": true}})).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.subscriptions().await, ["pending 9990"], "nobody told us");
    shop.pass(61).await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
}

impl Shop {
    /// Afterwards the company is known to the provider, and the next write there is the payment itself.
    async fn begin_and_cancel(&self) {
        let (payment, _) = self.begin(&self.pix()).await;
        self.cancel(&payment).await.data(200);
    }
}
