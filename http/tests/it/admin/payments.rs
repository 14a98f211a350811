//! Payments as platform admins list them, and their decision on money under review.

use bipe_core::Code;
use bipe_core::payment::admin::ResolveRequest;
use bipe_core::scope::AdminScope;
use bipe_testkit::{Answer, Person, answer, caller};
use serde_json::{Value, json};

use super::{admin, audited, set_role};
use crate::payments::shop::{PRICE, Shop};

const PAYMENTS: &str = "/api/admin/payments";
const GOOD: &str = "4242424242424242";

/// The payment in a company of its own that the payer confirms after the provider's amount was changed.
async fn under_review(received: &str) -> (Shop, Person, Value) {
    let shop = Shop::open().await;
    let root = admin(&shop.server).await;
    let (payment, secret) = shop.begin(&shop.card(GOOD).await).await;
    change_amount(&shop, &payment, received).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    shop.server.run().await;
    let reviewed = shop.status(&payment).await;
    assert_eq!(
        (&reviewed["status"], &reviewed["failureCode"]),
        (&json!("PROCESSING"), &json!("under_review"))
    );
    assert_eq!(alerts(&shop).await, ["payment.under_review"]);
    assert_eq!(shop.subscriptions().await, ["pending 9990"], "nothing is applied");
    shop.process(&shop.pix()).await.refused(409, "PAYMENT_IN_PROGRESS");
    shop.server.is_sound().await;
    (shop, root, payment)
}

async fn change_amount(shop: &Shop, payment: &Value, amount: &str) {
    let intent = payment["transactionId"].as_str().unwrap();
    let url = shop.server.url(&format!("/sandbox/v1/payment_intents/{intent}"));
    let change = reqwest::Client::new().post(url).bearer_auth("sk_test_sandbox");
    let changed = answer(change.form(&[("amount", amount)])).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

async fn alerts(shop: &Shop) -> Vec<String> {
    shop.texts("SELECT kind FROM alerts WHERE closed_at IS NULL ORDER BY at, kind").await
}

async fn resolve(shop: &Shop, who: &Person, payment: &Value, body: &Value) -> Answer {
    let path = format!("{PAYMENTS}/{}/resolve", payment["id"].as_str().unwrap());
    shop.server.post_as(who, &path, body).await
}

async fn waiting(shop: &Shop, root: &Person) -> Vec<Value> {
    let listed = shop.server.get_as(root, &format!("{PAYMENTS}?review=true")).await;
    let data = listed.data(200);
    let payments = data["payments"].as_array().unwrap().clone();
    assert_eq!(data["total"], json!(payments.len()));
    payments
}

#[actix_web::test]
async fn another_amount_that_is_accepted_is_applied_and_what_is_above_becomes_credit() {
    let (shop, root, payment) = under_review("10990").await;
    let found = waiting(&shop, &root).await.remove(0);
    assert_eq!(
        [
            &found["id"],
            &found["amount"],
            &found["received"],
            &found["companyName"],
            &found["planName"]
        ],
        [
            &payment["id"],
            &json!(PRICE),
            &json!(10_990),
            &json!("Ponto Central"),
            &json!("Profissional")
        ]
    );
    let body = json!({"outcome": "accept", "reason": " Conferido no extrato "});
    let settled = resolve(&shop, &root, &payment, &body).await;
    let settled = &settled.data(200)["payment"];
    assert_eq!(
        [&settled["status"], &settled["reviewReason"]],
        [&json!("SUCCESS"), &json!("Conferido no extrato")]
    );
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    assert_eq!(shop.credit().await, 1000, "what came in above the price");
    let list = format!("/api/payments/company/{}?search=109,90", shop.company);
    let listed = shop.server.get_as(&shop.ana, &list).await;
    let listed = listed.data(200);
    assert_eq!(listed["totalPaid"], 10_990, "as the statement says");
    assert_eq!(listed["payments"][0]["received"], 10_990, "and as it is found");
    let told = shop.server.get_as(&root, "/api/admin/analytics/activity").await;
    assert!(told.text.contains("109,90 de Ponto Central por cartão aprovado"), "{}", told.text);
    let log = format!("/api/companies/{}/audit", shop.company);
    let log = shop.server.get_as(&shop.ana, &log).await;
    assert!(log.text.contains(r#""amount":10990"#), "{}", log.text);
    assert_eq!(waiting(&shop, &root).await, Vec::<Value>::new());
    assert_eq!(alerts(&shop).await, Vec::<String>::new());
    let entry = (payment["id"].as_str().unwrap().to_owned(), vec!["review_reason".to_owned()]);
    assert_eq!(audited(&shop.owner, "payment.accept").await, [entry]);
    assert!(!shop.status(&payment).await.to_string().contains("extrato"), "not for the company");
    resolve(&shop, &root, &payment, &body).await.refused(409, "CONFLICT");
}

#[actix_web::test]
async fn another_amount_that_is_accepted_for_a_superseded_boleto_becomes_credit() {
    let (shop, boleto, pix) = superseded_under_review().await;
    let root = admin(&shop.server).await;
    let path = format!("{PAYMENTS}/{}", boleto["id"].as_str().unwrap());
    let read = shop.server.get_as(&root, &path).await;
    assert_eq!(read.data(200)["payment"]["superseded"], true, "the admin sees it before deciding");
    let body = json!({"outcome": "accept", "reason": "Conferido no extrato"});
    let settled = resolve(&shop, &root, &boleto, &body).await;
    let settled = &settled.data(200)["payment"];
    assert_eq!([&settled["status"], &settled["credited"]], [&json!("SUCCESS"), &json!(true)]);
    assert_eq!(shop.credit().await, 5000, "what came in");
    assert_eq!(shop.subscriptions().await, ["pending 9990"], "it waits for the PIX");
    assert_eq!(shop.status(&pix).await["status"], "PENDING");
    shop.server.is_sound().await;
}

#[actix_web::test]
async fn whose_money_for_a_superseded_boleto_is_refused_is_mailed_that_it_goes_back() {
    let (shop, boleto, _) = superseded_under_review().await;
    let body = json!({"outcome": "refuse", "reason": "Devolvido no provedor"});
    resolve(&shop, &admin(&shop.server).await, &boleto, &body).await.data(200);
    shop.server.run().await;
    let mail = shop.mail().await;
    assert_eq!(mail.last().unwrap(), "Pagamento não aplicado: plano Profissional", "{mail:?}");
}

/// A boleto, paid with another amount after a PIX was begun in its place.
async fn superseded_under_review() -> (Shop, Value, Value) {
    let mut shop = Shop::open().await;
    let (boleto, _) = shop.begin(&shop.boleto()).await;
    let mut pix = shop.pix();
    pix["replace"] = json!(true);
    let (pix, _) = shop.begin(&pix).await;
    // Nobody tells of the boleto until a look of ours.
    shop.server.faults(json!({"webhooks": {"drop": true}})).await;
    shop.settle(&boleto, "expired").await;
    change_amount(&shop, &boleto, "5000").await;
    shop.settle(&boleto, "succeeded").await;
    shop.pass(6 * 3600 + 60).await;
    assert_eq!(shop.status(&boleto).await["failureCode"], "under_review");
    (shop, boleto, pix)
}

#[actix_web::test]
async fn all_that_came_in_for_an_accepted_payment_can_be_given_back() {
    let (shop, root, payment) = under_review("10990").await;
    let body = json!({"outcome": "accept", "reason": "Conferido no extrato"});
    resolve(&shop, &root, &payment, &body).await.data(200);
    let path = format!("{PAYMENTS}/{}", payment["id"].as_str().unwrap());
    let read = shop.server.get_as(&root, &path).await;
    assert_eq!(read.data(200)["payment"]["refundable"], 10_990);
    let refund = |amount: i64| json!({"amount": amount, "reason": "Veio a mais"});
    let refunds = format!("{path}/refunds");
    let refused = shop.server.post_as(&root, &refunds, &refund(10_991)).await;
    refused.refused(409, "REFUND_EXCEEDS_PAYMENT");
    for amount in [1_000, PRICE] {
        shop.server.post_as(&root, &refunds, &refund(amount)).await.data(201);
    }
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["refunded"], 10_990);
    let read = shop.server.get_as(&root, &path).await.data(200)["payment"].clone();
    assert_eq!((&read["refundable"], &read["refundBlock"]), (&json!(0), &json!("NOTHING_LEFT")));
    let documents = read["documents"].as_array().unwrap();
    let totals: Vec<&Value> = documents.iter().map(|document| &document["total"]).collect();
    assert_eq!(totals, [&json!(10_990), &json!(1_000), &json!(PRICE)]);
    shop.server.is_sound().await;
}

#[actix_web::test]
async fn another_amount_that_is_refused_buys_nothing_and_frees_the_company() {
    let (shop, root, payment) = under_review("5000").await;
    let body = json!({"outcome": "refuse", "reason": "Devolvido no provedor"});
    let settled = resolve(&shop, &root, &payment, &body).await;
    let settled = &settled.data(200)["payment"];
    assert_eq!(
        [&settled["status"], &settled["failureCode"], &settled["received"]],
        [&json!("FAILED"), &json!("other"), &json!(5000)]
    );
    assert!(shop.subscriptions().await.is_empty());
    shop.server.run().await;
    shop.server.is_sound().await;
    let mail = shop.mail().await;
    assert_eq!(mail.last().unwrap(), "Pagamento não aplicado: plano Profissional", "{mail:?}");
    assert_eq!(alerts(&shop).await, Vec::<String>::new(), "refused money stays refused");
    assert_eq!(audited(&shop.owner, "payment.refuse").await.len(), 1);
    let late = json!({"outcome": "accept", "reason": "Outra pessoa"});
    resolve(&shop, &root, &payment, &late).await.refused(409, "CONFLICT");
    shop.begin(&shop.pix()).await;
}

#[actix_web::test]
async fn a_decision_needs_a_reason_and_a_payment_that_waits_for_one() {
    let shop = Shop::open().await;
    let root = admin(&shop.server).await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    let why = json!({"outcome": "accept", "reason": "x"});
    resolve(&shop, &root, &payment, &why).await.refused(409, "CONFLICT");
    for (reason, code) in [
        (" \n ".to_owned(), "REQUIRED"),
        ("x".repeat(501), "TOO_LONG"),
        ("a\u{202e}b".to_owned(), "INVALID"),
    ] {
        let body = json!({"outcome": "refuse", "reason": reason});
        let refused = resolve(&shop, &root, &payment, &body).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({"reason": code}));
    }
    for body in [
        json!({"outcome": "refund", "reason": "x"}),
        json!({"outcome": "accept"}),
        json!({"reason": "x"}),
        json!({"outcome": "accept", "reason": "x", "amount": 1}),
    ] {
        resolve(&shop, &root, &payment, &body).await.refused(422, "VALIDATION_ERROR");
    }
    for id in ["019e0000-0000-7000-8000-000000000000", "nothing"] {
        resolve(&shop, &root, &json!({"id": id}), &why).await.refused(404, "NOT_FOUND");
    }
    assert_eq!(audited(&shop.owner, "payment.accept").await, []);
    assert_eq!(shop.status(&payment).await["status"], "PENDING");
}

#[actix_web::test]
async fn nobody_but_a_platform_admin_decides_not_even_one_who_was() {
    let (shop, root, payment) = under_review("10990").await;
    let body = json!({"outcome": "accept", "reason": "Conferido"});
    resolve(&shop, &shop.ana, &payment, &body).await.refused(403, "FORBIDDEN");
    shop.server.get_as(&shop.ana, PAYMENTS).await.refused(403, "FORBIDDEN");
    set_role(&shop.server.database, &root, "user").await;
    resolve(&shop, &root, &payment, &body).await.refused(403, "FORBIDDEN");
    assert_eq!(shop.status(&payment).await["failureCode"], "under_review");
}

#[actix_web::test]
async fn all_payments_are_listed_by_status_in_pages() {
    let shop = Shop::open().await;
    let root = admin(&shop.server).await;
    let mut made = Vec::new();
    for _ in 0..3 {
        let (payment, _) = shop.begin(&shop.pix()).await;
        shop.cancel(&payment).await.data(200);
        shop.server.database.db.clock().advance(1);
        made.push(payment["id"].clone());
    }
    made.reverse();
    let ids = async |query: &str| -> (Vec<Value>, Value) {
        let listed = shop.server.get_as(&root, &format!("{PAYMENTS}?{query}")).await;
        let data = listed.data(200);
        let ids = data["payments"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
        (ids, data["total"].clone())
    };
    assert_eq!(ids("").await, (made.clone(), json!(3)));
    assert_eq!(ids("status=CANCELLED&limit=2&page=2").await, (made[2..].to_vec(), json!(3)));
    assert_eq!(ids("status=PENDING").await, (vec![], json!(0)));
    assert_eq!(ids("status=CANCELLED&review=true").await, (vec![], json!(0)));
    for query in ["status=paid", "review=perhaps", "page=0", "limit=101"] {
        let refused = shop.server.get_as(&root, &format!("{PAYMENTS}?{query}")).await;
        refused.refused(422, "VALIDATION_ERROR");
    }
}

#[actix_web::test]
async fn a_decision_that_waited_for_its_turn_is_refused_to_who_was_demoted_meanwhile() {
    let (shop, root, payment) = under_review("10990").await;
    let body = json!({"outcome": "accept", "reason": "Conferido"});
    let body: ResolveRequest = serde_json::from_value(body).unwrap();
    let (db, app) = (&shop.server.database.db, &shop.server.app);
    let who = shop.server.session(&root).await;
    let proven = AdminScope::prove(db, who).await.unwrap();
    let review = body.parse(proven, &caller()).unwrap();
    set_role(&shop.server.database, &root, "user").await;
    let id = payment["id"].as_str().unwrap().parse().unwrap();
    let refused = app.actors.directory.review(id, review).await.unwrap_err();
    assert_eq!(refused.code(), Code::Forbidden);
    assert_eq!(shop.status(&payment).await["failureCode"], "under_review");
}
