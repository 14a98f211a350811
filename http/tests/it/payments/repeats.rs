//! The same command with the same key has one effect, whoever repeats it and how often.

use bipe_core::testing::figures;
use futures_util::future::join_all;
use serde_json::json;

use super::shop::{PRICE, PROCESS, Shop};

#[actix_web::test]
async fn a_repeated_key_returns_the_same_payment() {
    let shop = Shop::open().await;
    let first = shop.server.post_with_key(&shop.ana, PROCESS, "once", &shop.pix()).await;
    let again = shop.server.post_with_key(&shop.ana, PROCESS, "once", &shop.pix()).await;
    assert!(first.headers.get("idempotent-replayed").is_none());
    assert_eq!(again.headers["idempotent-replayed"], "true");
    assert_eq!(first.data(201), again.data(201));
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 1);
}

#[actix_web::test]
async fn a_key_with_another_body_is_refused() {
    let shop = Shop::open().await;
    shop.server.post_with_key(&shop.ana, PROCESS, "once", &shop.pix()).await.data(201);
    let other = shop.server.post_with_key(&shop.ana, PROCESS, "once", &shop.boleto()).await;
    other.refused(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 1);
}

#[actix_web::test]
async fn a_key_of_one_company_is_a_new_command_in_another() {
    let shop = Shop::open().await;
    let second = shop.server.company(&shop.ana, "Ponto Sul").await;
    let mut body = shop.pix();
    shop.server.post_with_key(&shop.ana, PROCESS, "once", &body).await.data(201);
    body["metadata"]["companyId"] = json!(second);
    let other = shop.server.post_with_key(&shop.ana, PROCESS, "once", &body).await;
    other.data(201);
    assert!(other.headers.get("idempotent-replayed").is_none());
    assert_eq!(shop.number("SELECT count(DISTINCT company_id) FROM payments").await, 2);
}

#[actix_web::test]
async fn a_refusal_is_replayed_too() {
    let shop = Shop::open().await;
    let mut body = shop.pix();
    body["amount"] = json!(1);
    let first = shop.server.post_with_key(&shop.ana, PROCESS, "bad", &body).await;
    first.refused(409, "AMOUNT_MISMATCH");
    let again = shop.server.post_with_key(&shop.ana, PROCESS, "bad", &body).await;
    again.refused(409, "AMOUNT_MISMATCH");
    assert_eq!(again.headers["idempotent-replayed"], "true");
    assert_eq!(again.body["error"]["fields"], json!({"expected": PRICE}));
}

#[actix_web::test]
async fn a_refused_card_is_refused_again_under_its_key() {
    let shop = Shop::open().await;
    let mut body = shop.card("4242424242424242").await;
    body["payment_method"] = json!("pm_unknown");
    for is_repeat in [false, true] {
        let refused = shop.server.post_with_key(&shop.ana, PROCESS, "card", &body).await;
        refused.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
        assert_eq!(refused.headers.contains_key("idempotent-replayed"), is_repeat);
    }
}

#[actix_web::test]
async fn a_hundred_equal_keys_at_once_make_one_payment() {
    let shop = Shop::open().await;
    let body = shop.pix();
    let calls = (0..100).map(|_| shop.server.post_with_key(&shop.ana, PROCESS, "all", &body));
    let answers = join_all(calls).await;
    let mut ids = std::collections::BTreeSet::new();
    for answer in &answers {
        match answer.status {
            201 => drop(ids.insert(answer.data(201)["payment"]["id"].as_str().unwrap())),
            _ => answer.refused(409, "REQUEST_IN_PROGRESS"),
        }
    }
    assert_eq!(ids.len(), 1);
    figures(&[("equal_keys", answers.len())]);
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 1);
    assert_eq!(shop.server.intents(shop.company).await.len(), 1);
}

#[actix_web::test]
async fn a_company_begins_ten_payments_a_minute() {
    let shop = Shop::open().await;
    for _ in 0..10 {
        let (payment, _) = shop.begin(&shop.pix()).await;
        shop.cancel(&payment).await.data(200);
    }
    let refused = shop.server.post_with_key(&shop.ana, PROCESS, "late", &shop.pix()).await;
    refused.refused(429, "RATE_LIMITED");
    assert!(refused.headers.contains_key("retry-after"));
    shop.server.database.db.clock().advance(60);
    let later = shop.server.post_with_key(&shop.ana, PROCESS, "late", &shop.pix()).await;
    later.data(201);
}

#[actix_web::test]
async fn different_keys_at_once_make_one_payment_too() {
    let shop = Shop::open().await;
    let body = shop.pix();
    let keys: Vec<String> = (0..8).map(|n| format!("tab-{n}")).collect();
    let calls = keys.iter().map(|key| shop.server.post_with_key(&shop.ana, PROCESS, key, &body));
    let answers = join_all(calls).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "PAYMENT_IN_PROGRESS");
    }
    assert_eq!(shop.server.intents(shop.company).await.len(), 1);
}

#[actix_web::test]
async fn equal_keys_at_once_cancel_once_and_none_of_them_waits_for_another() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let path = |act: &str| format!("/api/subscriptions/company/{}/{act}", shop.company);
    for round in 0..6 {
        let (key, cancel) = (format!("round-{round}"), path("cancel"));
        let none = json!({});
        let calls = (0..6).map(|_| shop.server.post_with_key(&shop.ana, &cancel, &key, &none));
        for answer in join_all(calls).await {
            answer.data(200);
        }
        shop.server.post_as(&shop.ana, &path("renew"), &json!({})).await.data(200);
    }
    let cancelled = "SELECT count(*) FROM audit_entries WHERE action = 'subscription.cancel'";
    assert_eq!(shop.number(cancelled).await, 6);
}
