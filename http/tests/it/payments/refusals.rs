//! Bad input gets the contract's code, and nothing changes.

use bipe_testkit::answer;
use serde_json::{Value, json};

use super::shop::{PRICE, PROCESS, Shop};

impl Shop {
    /// Everything that a refused payment must leave alone.
    async fn traces(&self) -> Vec<String> {
        self.texts(
            "SELECT 'payments ' || count(*) FROM payments UNION ALL \
             SELECT 'subscriptions ' || count(*) FROM subscriptions UNION ALL \
             SELECT 'quotes ' || count(*) FROM quotes UNION ALL \
             SELECT 'events ' || count(*) FROM events UNION ALL \
             SELECT 'jobs ' || count(*) FROM jobs UNION ALL \
             SELECT 'customers ' || count(*) FROM provider_customers",
        )
        .await
    }

    async fn refuses(&self, body: Value, status: u16, code: &str) -> Value {
        let before = self.traces().await;
        let refused = self.process(&body).await;
        refused.refused(status, code);
        assert_eq!(self.traces().await, before, "{body}");
        refused.body["error"]["fields"].clone()
    }
}

fn with(mut body: Value, path: &str, value: Value) -> Value {
    *body.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
    body
}

#[actix_web::test]
async fn wrong_money_is_refused_with_what_is_due() {
    let shop = Shop::open().await;
    let fields = shop.refuses(with(shop.pix(), "/amount", json!(1)), 409, "AMOUNT_MISMATCH").await;
    assert_eq!(fields, json!({"expected": PRICE}));
    let dollars = with(shop.pix(), "/currency", json!("usd"));
    let fields = shop.refuses(dollars, 422, "VALIDATION_ERROR").await;
    assert_eq!(fields, json!({"currency": "INVALID"}));
    let free = with(shop.pix(), "/amount", json!(0));
    assert_eq!(shop.refuses(free, 422, "VALIDATION_ERROR").await["amount"], "INVALID");
    let broken = with(shop.pix(), "/amount", json!(99.9));
    let fields = shop.refuses(broken, 422, "VALIDATION_ERROR").await;
    assert_eq!(fields, json!({"amount": "INVALID"}));
}

#[actix_web::test]
async fn a_value_of_the_wrong_type_is_never_refused_without_its_field() {
    let shop = Shop::open().await;
    let mut card = shop.pix();
    card["payment_method"] = json!({"id": "pm_card_visa"});
    let in_a_row = json!([shop.company, shop.plan, "monthly", "creation", null, null]);
    let cases = [
        (card, "payment_method"),
        (with(shop.pix(), "/paymentMethod", json!(["PIX"])), "paymentMethod"),
        (
            with(shop.pix(), "/customer", json!([shop.ana.id, "Ana", "a@example.com", null])),
            "customer",
        ),
        (with(shop.pix(), "/metadata", in_a_row), "metadata"),
        (with(shop.pix(), "/metadata/companyId", json!(5)), "metadata.companyId"),
        (with(shop.pix(), "/metadata/companyId", json!("x")), "metadata.companyId"),
        (with(shop.pix(), "/metadata/planId", json!("x")), "metadata.planId"),
        (with(shop.pix(), "/customer/email", json!(["a@example.com"])), "customer.email"),
        (with(shop.pix(), "/customer/email", json!("a")), "customer.email"),
        (with(shop.pix(), "/customer/email", json!("ana@example.")), "customer.email"),
        (with(shop.pix(), "/customer/email", json!("ana@@example.com")), "customer.email"),
        (with(shop.pix(), "/paymentMethod/type", json!(true)), "paymentMethod.type"),
        (with(shop.boleto(), "/billing/taxId", json!(1)), "taxId"),
        (with(shop.boleto(), "/billing/address/city", json!(1)), "address.city"),
        (with(shop.boleto(), "/billing/address", json!("Rua")), "address"),
        (with(shop.boleto(), "/billing", json!(1)), "billing"),
    ];
    for (body, field) in cases {
        let fields = shop.refuses(body, 422, "VALIDATION_ERROR").await;
        let names: Vec<&String> = fields.as_object().unwrap().keys().collect();
        assert_eq!(names, [field], "{fields}");
    }
}

#[actix_web::test]
async fn a_name_takes_no_character_that_deceives_or_shows_nothing() {
    let shop = Shop::open().await;
    let mut hinted = shop.pix();
    hinted["metadata"]["source"] = json!("check\u{202e}out");
    let cases = [
        (with(shop.pix(), "/customer/name", json!("Ana\u{202e}Lima")), "customer.name", "INVALID"),
        (with(shop.pix(), "/customer/name", json!("\u{200b}")), "customer.name", "REQUIRED"),
        (hinted, "metadata.source", "INVALID"),
    ];
    for (body, field, code) in cases {
        let fields = shop.refuses(body, 422, "VALIDATION_ERROR").await;
        assert_eq!(fields, json!({field: code}));
    }
}

#[actix_web::test]
async fn a_wrong_choice_is_refused() {
    let shop = Shop::open().await;
    let unknown = "019e0000-0000-7000-8000-000000000000";
    shop.refuses(with(shop.pix(), "/metadata/planId", json!(unknown)), 404, "NOT_FOUND").await;
    let cycle = with(shop.pix(), "/metadata/billingCycle", json!("daily"));
    let fields = shop.refuses(cycle, 422, "VALIDATION_ERROR").await;
    assert_eq!(fields, json!({"metadata.billingCycle": "INVALID"}));
    let plans = shop.server.get("/api/subscriptions/plans").await;
    let plans = plans.data(200)["plans"].as_array().unwrap().clone();
    let sales = plans.iter().find(|plan| plan["displayName"] == "Enterprise").unwrap();
    let body = with(shop.pix(), "/metadata/planId", sales["id"].clone());
    shop.refuses(body, 409, "PLAN_NOT_AVAILABLE").await;
}

#[actix_web::test]
async fn an_unknown_method_or_card_is_refused() {
    let shop = Shop::open().await;
    let cash = with(shop.pix(), "/paymentMethod/type", json!("CASH"));
    assert_eq!(shop.refuses(cash, 422, "VALIDATION_ERROR").await["paymentMethod.type"], "INVALID");
    let mut nothing = shop.pix();
    nothing.as_object_mut().unwrap().remove("paymentMethod");
    let fields = shop.refuses(nothing, 422, "VALIDATION_ERROR").await;
    assert_eq!(fields, json!({"payment_method": "REQUIRED"}));
    let card = shop.card("4242424242424242").await;
    let climbing = with(card.clone(), "/payment_method", json!("pm_x/../../customers"));
    assert_eq!(shop.refuses(climbing, 422, "VALIDATION_ERROR").await["payment_method"], "INVALID");
    let long = with(card.clone(), "/payment_method", json!("x".repeat(201)));
    assert_eq!(shop.refuses(long, 422, "VALIDATION_ERROR").await["payment_method"], "INVALID");
    let unknown = with(card, "/payment_method", json!("pm_unknown"));
    shop.process(&unknown).await.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 0);
}

#[actix_web::test]
async fn a_refused_payment_takes_no_other_payments_place() {
    let shop = Shop::open().await;
    let mut unknown = shop.card("4242424242424242").await;
    unknown["payment_method"] = json!("pm_unknown");
    unknown["replace"] = json!(true);
    for open in [shop.pix(), shop.boleto()] {
        let mut open = open;
        open["replace"] = json!(true);
        let (open, _) = shop.begin(&open).await;
        shop.process(&unknown).await.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
        assert_eq!(shop.status(&open).await["status"], "PENDING");
    }
    let held = "SELECT method FROM payments WHERE payment_is_open(state) AND NOT superseded";
    assert_eq!(shop.texts(held).await, ["BANK_SLIP"]);

    let mut next = shop.pix();
    next["replace"] = json!(true);
    let mut last = shop.begin(&next).await.0;
    for _ in 3..10 {
        last = shop.begin(&next).await.0;
    }
    shop.process(&next).await.refused(429, "RATE_LIMITED");
    assert_eq!(shop.status(&last).await["status"], "PENDING", "ten were begun in this minute");
}

#[actix_web::test]
async fn a_boleto_names_every_field_that_it_misses_at_once() {
    let shop = Shop::open().await;
    let mut body = shop.boleto();
    body.as_object_mut().unwrap().remove("billing");
    let fields = shop.refuses(body, 422, "VALIDATION_ERROR").await;
    let mut missing: Vec<&String> = fields.as_object().unwrap().keys().collect();
    missing.sort_unstable();
    assert!(fields.as_object().unwrap().values().all(|code| code == "REQUIRED"), "{fields}");
    // The names are those of the offer.
    let offer = shop.server.get_as(&shop.ana, "/api/payments/providers").await;
    let offer = offer.data(200)["providers"][0]["methods"].as_array().unwrap().clone();
    let boleto = offer.iter().find(|method| method["type"] == "BANK_SLIP").unwrap();
    let mut required = boleto["requiredFields"].as_array().unwrap().clone();
    required.sort_unstable_by_key(Value::to_string);
    assert_eq!(json!(missing), json!(required));
    // Also what has the right length: its check digits count.
    for typed in
        ["123", "111.444.777-34", "11.222.333/0001-80", "12.ABC.345/01DE-36", "11111111111"]
    {
        let wrong = with(shop.boleto(), "/billing/taxId", json!(typed));
        let fields = shop.refuses(wrong, 422, "VALIDATION_ERROR").await;
        assert_eq!(fields, json!({"taxId": "DOCUMENT_INVALID"}), "{typed}");
    }
}

#[actix_web::test]
async fn bytes_that_are_no_request_are_refused_by_kind() {
    let shop = Shop::open().await;
    let send = async |body: String| {
        let request = reqwest::Client::new().post(shop.server.url(PROCESS));
        let request =
            request.bearer_auth(&shop.ana.token).header("content-type", "application/json");
        answer(request.body(body)).await
    };
    send("{\"amount\":".into()).await.refused(400, "VALIDATION_ERROR");
    send(format!("{{\"x\":\"{}\"}}", "a".repeat(65 * 1024))).await.refused(413, "VALIDATION_ERROR");
    let mut typo = shop.pix();
    typo["amout"] = json!(1);
    let fields = shop.refuses(typo, 422, "VALIDATION_ERROR").await;
    assert_eq!(fields, json!({"amout": "INVALID"}));
    let mut deep = shop.pix();
    deep["metadata"]["palnId"] = json!("x");
    let fields = shop.refuses(deep, 422, "VALIDATION_ERROR").await;
    assert_eq!(fields, json!({"metadata.palnId": "INVALID"}));
}
