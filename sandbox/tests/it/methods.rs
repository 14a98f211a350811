//! Cards at the sandbox, its lists, and who may call it.

use crate::provider::{Provider, bearer, id};
use bipe_sandbox::PUBLISHABLE_KEY;

const METHODS: &str = "/sandbox/v1/payment_methods";

#[actix_web::test]
async fn only_published_test_numbers_become_cards_and_only_four_digits_stay() {
    let provider = Provider::start().await;
    let form = |number: &str, year: &str| {
        format!(
            "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]={year}&card[cvc]=123"
        )
    };
    let made = provider.browser(METHODS, &form("4242+4242+4242+4242", "2030")).await;
    assert_eq!(made.json["card"]["last4"], "4242");
    assert_eq!(made.json["card"]["brand"], "visa");
    let real = provider.browser(METHODS, &form("4111111111111111", "2030")).await;
    assert_eq!((real.status, real.error("decline_code")), (402, "test_mode_live_card"));
    for (number, year, code) in [
        ("4242424242424241", "2030", "incorrect_number"),
        ("4242424242424242", "2025", "invalid_expiry_year"),
    ] {
        assert_eq!(provider.browser(METHODS, &form(number, year)).await.error("code"), code);
    }
    let journal = std::fs::read_to_string(provider.journal()).unwrap();
    assert!(
        journal.contains("4242")
            && !journal.contains("4242424242424242")
            && !journal.contains("41111111")
    );
}

#[actix_web::test]
async fn a_card_is_attached_listed_and_detached_for_good() {
    let provider = Provider::start().await;
    let (customer, other) = (provider.customer().await, provider.customer().await);
    let card = provider.card("5555555555554444").await;
    let attach = format!("{METHODS}/{card}/attach");
    for _ in 0..2 {
        let attached = provider.post(&attach, &format!("customer={customer}")).await;
        assert_eq!(attached.json["customer"], customer.as_str());
    }
    assert_eq!(provider.post(&attach, &format!("customer={other}")).await.status, 400);
    let listed =
        provider.get(&format!("/sandbox/v1/customers/{customer}/payment_methods?type=card")).await;
    assert_eq!(listed.json["data"][0]["id"], card.as_str());
    let detached = provider.post(&format!("{METHODS}/{card}/detach"), "").await;
    assert!(detached.json["customer"].is_null());
    let again = provider.post(&attach, &format!("customer={customer}")).await;
    let told = (again.status, again.error("type"), again.error("code"));
    assert_eq!(told, (400, "invalid_request_error", ""));
    let listed = provider.get(&format!("{METHODS}?customer={customer}")).await;
    assert_eq!(listed.json["data"].as_array().unwrap().len(), 0);

    let declined = provider.card("4000000000000002").await;
    let refused = provider
        .post(&format!("{METHODS}/{declined}/attach"), &format!("customer={customer}"))
        .await;
    assert_eq!((refused.status, refused.error("code")), (402, "card_declined"));
    let later = provider.card("4000000000000341").await;
    let kept =
        provider.post(&format!("{METHODS}/{later}/attach"), &format!("customer={customer}")).await;
    assert_eq!(kept.status, 200, "this card fails only when it is charged");
}

#[actix_web::test]
async fn keys_open_what_they_are_for() {
    let provider = Provider::start().await;
    let path = "/sandbox/v1/customers";
    let none = provider.send("POST", path, "", &[]).await;
    assert_eq!((none.status, none.error("type")), (401, "invalid_request_error"));
    let publishable = provider.browser(path, "").await;
    assert_eq!((publishable.status, publishable.error("code")), (401, "secret_key_required"));
    let wrong = provider.send("POST", path, "", &[("authorization", "Bearer sk_live_1")]).await;
    assert_eq!(wrong.status, 401);
    let basic = provider
        .send("POST", path, "", &[("authorization", "Basic c2tfdGVzdF9zYW5kYm94Og==")])
        .await;
    assert_eq!(basic.status, 200, "the secret key as the user name of Basic");
    assert!(!basic.header("request-id").is_empty());
    assert_eq!(provider.get("/sandbox/v1/nothing").await.status, 404);
    let json = [("authorization", "Bearer sk_test_sandbox"), ("content-type", "application/json")];
    let refused = provider.send("POST", path, r#"{"name":"Ana"}"#, &json).await;
    assert_eq!((refused.status, refused.error("type")), (400, "invalid_request_error"));
    let form = "{}".repeat(40_000);
    assert_eq!(provider.post(path, &form).await.status, 413);
}

#[actix_web::test]
async fn only_pages_of_this_machine_may_call_across_origins() {
    let provider = Provider::start().await;
    let ask = async |origin: &str| {
        let headers = [("origin", origin), ("access-control-request-method", "POST")];
        provider
            .send("OPTIONS", METHODS, "", &headers)
            .await
            .header("access-control-allow-origin")
            .to_owned()
    };
    assert_eq!(ask("http://localhost:5173").await, "http://localhost:5173");
    assert_eq!(ask("http://127.0.0.1:8080").await, "http://127.0.0.1:8080");
    assert_eq!(ask("http://localhost.evil.example").await, "");
    assert_eq!(ask("https://evil.example").await, "");
    let headers =
        [("origin", "http://localhost:5173"), ("authorization", &bearer(PUBLISHABLE_KEY))];
    let made = provider.send("POST", METHODS, "type=pix", &headers).await;
    assert_eq!(made.header("access-control-allow-origin"), "http://localhost:5173");
}

#[actix_web::test]
async fn lists_go_from_the_newest_and_page_by_id() {
    let provider = Provider::start().await;
    let customer = provider.customer().await;
    let mut made = Vec::new();
    for amount in [100, 200, 300] {
        let form =
            format!("amount={amount}&currency=brl&payment_method_types[]=card&customer={customer}");
        made.push(id(&provider.post("/sandbox/v1/payment_intents", &form).await));
    }
    let path = format!("/sandbox/v1/payment_intents?customer={customer}&limit=2");
    let first = provider.get(&path).await;
    assert_eq!(
        (first.json["has_more"].as_bool(), &first.json["data"][0]["id"]),
        (Some(true), &made[2].as_str().into())
    );
    let second = provider.get(&format!("{path}&starting_after={}", made[1])).await;
    assert_eq!(
        (second.json["has_more"].as_bool(), &second.json["data"][0]["id"]),
        (Some(false), &made[0].as_str().into())
    );
    assert_eq!(provider.get("/sandbox/v1/payment_intents?limit=101").await.status, 400);
    assert_eq!(
        provider.get("/sandbox/v1/payment_intents?limt=1").await.error("code"),
        "parameter_unknown"
    );
}

#[actix_web::test]
async fn it_answers_to_its_own_names_alone() {
    let provider = Provider::start().await;
    let ask = async |host: &str| {
        let secret = bearer(bipe_sandbox::SECRET_KEY);
        let headers = [("authorization", secret.as_str()), ("host", host)];
        provider.send("GET", "/sandbox/v1/customers", "", &headers).await.status
    };
    for own in ["localhost", "LOCALHOST:8090", "bipe.localhost", "127.9.9.9:80", "[::1]:8090"] {
        assert_eq!(ask(own).await, 200, "{own}");
    }
    for other in ["evil.example", "localhost.evil.example", "203.0.113.9"] {
        assert_eq!(ask(other).await, 404, "{other}");
    }
}
