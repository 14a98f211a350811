//! Boleto: issued, not cancellable, superseded, paid after all.

use bipe_core::mailer;
use serde_json::{Value, json};

use super::shop::Shop;

#[actix_web::test]
async fn a_boleto_is_issued_with_its_line_and_paid_later() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.boleto()).await;
    assert_eq!(payment["status"], "PENDING");
    let line = payment["bankSlipLine"].as_str().unwrap();
    assert_eq!(line.chars().filter(char::is_ascii_digit).count(), 47, "{line}");
    assert!(payment["bankSlipUrl"].is_string() && payment["bankSlipPdf"].is_string());
    // Issued on a Saturday, due on the third business day, 23:59:59 in São Paulo.
    assert_eq!(payment["expiresAt"], "2026-11-26T02:59:59Z");
    shop.pass(2 * 24 * 3600).await;
    assert_eq!(shop.status(&payment).await["status"], "PENDING");
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
}

#[actix_web::test]
async fn a_boleto_is_made_out_to_a_person_or_a_company_as_the_payer_types_it() {
    for (typed, sent) in [
        ("111.444.777-35", "11144477735"),
        ("11.222.333/0001-81", "11222333000181"),
        ("12.abc.345/01de-35", "12ABC34501DE35"),
    ] {
        let shop = Shop::open().await;
        let mut body = shop.boleto();
        body["billing"]["taxId"] = json!(typed);
        let (payment, _) = shop.begin(&body).await;
        assert!(payment["bankSlipLine"].is_string(), "{typed}: {payment}");
        let request = "SELECT provider_request FROM payments";
        let request: String = shop.owner.query_one(request, &[]).await.unwrap().get(0);
        assert!(request.contains(sent), "{typed}: {request}");
    }
}

#[actix_web::test]
async fn the_field_that_carried_the_document_before_goes_on_carrying_it() {
    let shop = Shop::open().await;
    let mut body = shop.boleto();
    body["billing"].as_object_mut().unwrap().remove("taxId");
    body["customer"]["document"] = json!("11.222.333/0001-81");
    let (payment, _) = shop.begin(&body).await;
    assert!(payment["bankSlipLine"].is_string(), "{payment}");
}

#[actix_web::test]
async fn an_issued_boleto_is_not_cancelled_but_superseded_and_its_money_becomes_credit() {
    let shop = Shop::open().await;
    let (boleto, _) = shop.begin(&shop.boleto()).await;
    shop.cancel(&boleto).await.refused(409, "PAYMENT_NOT_CANCELLABLE");
    shop.process(&shop.pix()).await.refused(409, "PAYMENT_IN_PROGRESS");
    let mut pix = shop.pix();
    pix["replace"] = json!(true);
    let (pix, _) = shop.begin(&pix).await;
    shop.server.run().await;
    let to_pay = "Pagamento pendente: plano Profissional";
    assert_eq!(shop.mail().await, [to_pay, to_pay], "one of the boleto, one of the PIX");
    shop.settle(&pix, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    shop.settle(&boleto, "succeeded").await;
    shop.server.run().await;
    let late = shop.status(&boleto).await;
    assert_eq!(late["status"], "SUCCESS", "late money is never dropped");
    assert_eq!(
        (&late["credited"], &shop.status(&pix).await["credited"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    let credit = "SELECT coalesce(sum(amount_cents), 0)::bigint FROM credit_entries";
    assert_eq!(shop.number(credit).await, 9990);
    assert_eq!(shop.number("SELECT count(*) FROM debit_segments").await, 1);
}

/// An issued boleto, and the PIX that was begun in its place.
async fn replaced(shop: &Shop) -> [Value; 2] {
    let (boleto, _) = shop.begin(&shop.boleto()).await;
    let mut pix = shop.pix();
    pix["replace"] = json!(true);
    let (pix, _) = shop.begin(&pix).await;
    [boleto, pix]
}

#[actix_web::test]
async fn the_mail_about_credit_names_the_day_on_which_the_money_came() {
    let mut shop = Shop::open().await;
    let [boleto, pix] = replaced(&shop).await;
    shop.settle(&pix, "succeeded").await;
    shop.server.run().await;
    // Nobody tells of it until a look of ours on the day after.
    shop.server.faults(json!({"webhooks": {"drop": true}})).await;
    shop.settle(&boleto, "succeeded").await;
    shop.pass(24 * 3600).await;
    let mail = mailer::mailbox(&shop.server.database.db, Some(&shop.ana.email)).await.unwrap();
    let credited = mail.iter().find(|mail| mail.subject.contains("convertido em crédito")).unwrap();
    assert!(credited.text.contains("Recebido em: 21/11/2026"), "{}", credited.text);
}

#[actix_web::test]
async fn nobody_is_told_that_a_boleto_lapsed_in_whose_place_another_payment_was_made() {
    let mut shop = Shop::open().await;
    let [boleto, pix] = replaced(&shop).await;
    shop.settle(&pix, "succeeded").await;
    shop.server.run().await;
    let before = shop.mail().await;
    shop.pass(7 * 24 * 3600).await;
    assert_eq!(shop.status(&boleto).await["failureCode"], "payment_expired");
    assert_eq!(shop.mail().await, before);
    let told = "SELECT count(*) FROM notifications WHERE topic = 'payment.expired'";
    assert_eq!(shop.number(told).await, 0);
}

#[actix_web::test]
async fn a_boleto_whose_successor_was_canceled_leaves_nothing_that_waits() {
    for outcome in ["succeeded", "expired"] {
        let mut shop = Shop::open().await;
        let [boleto, pix] = replaced(&shop).await;
        shop.cancel(&pix).await.data(200);
        shop.settle(&boleto, outcome).await;
        shop.server.run().await;
        shop.pass(7 * 24 * 3600).await;
        let credit = "SELECT coalesce(sum(amount_cents), 0)::bigint FROM credit_entries";
        let expected = if outcome == "succeeded" { 9990 } else { 0 };
        assert_eq!(shop.number(credit).await, expected);
        assert!(shop.subscriptions().await.is_empty(), "{outcome}");
    }
}

#[actix_web::test]
async fn a_boleto_nobody_paid_is_closed_by_the_second_business_day_after_its_due_date() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.boleto()).await;
    shop.pass(7 * 24 * 3600).await;
    let closed = shop.status(&payment).await;
    assert_eq!(
        (&closed["status"], &closed["failureCode"]),
        (&json!("FAILED"), &json!("payment_expired"))
    );
    assert!(shop.subscriptions().await.is_empty());
}

#[actix_web::test]
async fn a_boleto_that_cannot_be_written_is_refused_before_anything_is_made() {
    let shop = Shop::open().await;
    let mut body = shop.boleto();
    body["customer"]["name"] = json!("李雷");
    body["billing"]["address"]["city"] = json!("北京");
    let refused = shop.process(&body).await;
    refused.refused(422, "VALIDATION_ERROR");
    let fields = &refused.body["error"]["fields"];
    assert_eq!(
        (&fields["customer.name"], &fields["address.city"]),
        (&json!("INVALID"), &json!("INVALID"))
    );
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 0);
    assert!(shop.server.intents(shop.company).await.is_empty());
    // what has a Latin form is written in it, and every other method takes any name
    body["customer"]["name"] = json!("Łukasz Weiß");
    body["billing"]["address"]["city"] = json!("São Tomé");
    let (payment, _) = shop.begin(&body).await;
    assert_eq!(payment["status"], "PENDING");
    shop.cancel(&payment).await;
    let mut pix = shop.pix();
    pix["customer"]["name"] = json!("李雷");
    pix["replace"] = json!(true);
    shop.begin(&pix).await;
}
