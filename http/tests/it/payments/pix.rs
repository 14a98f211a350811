//! PIX: a code, its settlement, its end, its cancellation.

use bipe_core::mailer;
use serde_json::json;

use super::shop::{PRICE, PROCESS, Shop};

#[actix_web::test]
async fn a_pix_payment_activates_the_subscription_when_it_settles() {
    let shop = Shop::open().await;
    let (payment, secret) = shop.begin(&shop.pix()).await;
    assert_eq!(secret, None);
    assert_eq!((&payment["status"], &payment["paymentMethod"]), (&json!("PENDING"), &json!("PIX")));
    assert_eq!((&payment["amount"], &payment["currency"]), (&json!(PRICE), &json!("brl")));
    assert_eq!(payment["metadata"]["changeType"], "creation");
    assert!(payment["pixCode"].as_str().unwrap().contains("pix.example.com"));
    assert_eq!(payment["expiresAt"], "2026-11-22T15:00:00Z");
    assert_eq!(payment["canRetry"], false);
    assert_eq!(shop.subscriptions().await, ["pending 9990"]);

    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let paid = shop.status(&payment).await;
    assert_eq!(paid["status"], "SUCCESS");
    assert!(paid["pixCode"].is_null());
    assert!(paid["version"].as_i64() > payment["version"].as_i64());
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    assert_eq!(shop.number("SELECT count(*) FROM debit_segments").await, 1);
    let mail = shop.mail().await;
    assert_eq!(mail.len(), 2, "one to pay, one that it is paid: {mail:?}");
}

#[actix_web::test]
async fn a_pix_without_a_code_names_the_page_that_has_it() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    assert!(payment["pixUrl"].is_null(), "{payment}");
    let sql = "UPDATE payments SET pix_code = NULL, version = version + 1 RETURNING hosted_url";
    let pages = shop.texts(sql).await;
    let shown = shop.status(&payment).await;
    assert_eq!(shown["pixUrl"], json!(pages[0]));
}

#[actix_web::test]
async fn every_change_of_a_payment_is_an_event_for_those_who_may_see_money() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let sql = "SELECT data::json->>'status' || ' ' || finance_only FROM events \
         WHERE name = 'payment.updated' ORDER BY seq";
    assert_eq!(shop.texts(sql).await, ["PROCESSING true", "PENDING true", "SUCCESS true"]);
    let last = "SELECT data FROM events WHERE name = 'payment.updated' ORDER BY seq DESC LIMIT 1";
    let last: serde_json::Value = serde_json::from_str(&shop.texts(last).await[0]).unwrap();
    assert_eq!(last, shop.status(&payment).await, "the event is the REST object");
}

#[actix_web::test]
async fn the_event_of_a_subscription_shows_its_open_payment_to_finance_alone() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    let sql = "SELECT data::json->'payment'->>'id' || ' ' || (data::jsonb - 'payment' = operator_data::jsonb) \
         FROM events WHERE name = 'subscription.updated'";
    let id = payment["id"].as_str().unwrap();
    assert_eq!(shop.texts(sql).await, [format!("{id} true")]);
}

#[actix_web::test]
async fn a_pix_past_its_time_has_failed_and_may_be_tried_again() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.pass(24 * 3600 + 150).await;
    let expired = shop.status(&payment).await;
    assert_eq!(
        (&expired["status"], &expired["failureCode"]),
        (&json!("FAILED"), &json!("payment_expired"))
    );
    assert_eq!(expired["canRetry"], true);
    assert!(shop.subscriptions().await.is_empty(), "its pending row went with it");
    assert_eq!(shop.server.intents(shop.company).await[0]["status"], "canceled");
    let (again, _) = shop.begin(&shop.pix()).await;
    assert_ne!(again["id"], payment["id"]);
    assert_eq!(shop.status(&payment).await["canRetry"], false, "another one is open");
}

#[actix_web::test]
async fn that_a_code_has_lapsed_is_mailed_to_who_pays_when_its_payer_was_removed() {
    let shop = Shop::open().await;
    let fabi = shop.server.person("fabi@example.com").await;
    shop.server.join(&fabi, shop.company, "finance").await;
    let mut pix = shop.pix();
    pix["customer"]["id"] = json!(fabi.id);
    let begun = shop.server.post_as(&fabi, PROCESS, &pix).await;
    let payment = begun.data(201)["payment"].clone();
    shop.server.run().await;
    shop.owner.execute("DELETE FROM members WHERE user_id = $1", &[&fabi.id]).await.unwrap();
    shop.settle(&payment, "expired").await;
    shop.server.run().await;
    assert_eq!(shop.mail().await, ["O prazo do pagamento terminou: plano Profissional"]);
    let hers = mailer::mailbox(&shop.server.database.db, Some(&fabi.email)).await.unwrap();
    let hers: Vec<&str> = hers.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(hers, ["Pagamento pendente: plano Profissional"]);
}

#[actix_web::test]
async fn a_cancelled_pix_frees_the_slot_and_cannot_be_cancelled_twice() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    let cancelled = shop.cancel(&payment).await;
    assert_eq!(cancelled.data(200)["payment"]["status"], "CANCELLED");
    assert_eq!(shop.server.intents(shop.company).await[0]["status"], "canceled");
    assert!(shop.subscriptions().await.is_empty());
    shop.cancel(&payment).await.refused(409, "PAYMENT_NOT_CANCELLABLE");
    shop.begin(&shop.pix()).await;
}

#[actix_web::test]
async fn an_open_pix_gives_way_to_another_method_when_told_so() {
    let shop = Shop::open().await;
    let (first, _) = shop.begin(&shop.pix()).await;
    let mut body = shop.boleto();
    let refused = shop.process(&body).await;
    refused.refused(409, "PAYMENT_IN_PROGRESS");
    assert_eq!(refused.body["error"]["fields"]["paymentId"], first["id"]);
    body["replace"] = json!(true);
    let (second, _) = shop.begin(&body).await;
    assert_eq!(shop.status(&first).await["status"], "CANCELLED");
    assert_eq!(second["status"], "PENDING");
    assert_eq!(shop.subscriptions().await, ["pending 9990"]);
}
