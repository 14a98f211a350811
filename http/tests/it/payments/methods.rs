//! Saved cards, what the provider offers, and lists.

use bipe_actors::saved_cards;
use bipe_core::Code;
use bipe_core::scope::{CompanyScope, JobScope, Permission};
use serde_json::{Value, json};

use super::shop::Shop;

impl Shop {
    pub fn methods_path(&self) -> String {
        format!("/api/payments/methods/{}", self.company)
    }

    pub async fn methods(&self) -> Vec<Value> {
        let answer = self.server.get_as(&self.ana, &self.methods_path()).await;
        answer.data(200)["methods"].as_array().unwrap().clone()
    }
}

#[actix_web::test]
async fn a_card_saved_with_its_payment_appears_in_the_list() {
    let shop = Shop::open().await;
    assert!(shop.methods().await.is_empty());
    let mut body = shop.card("4242424242424242").await;
    body["saveMethod"] = json!(true);
    let (payment, secret) = shop.begin(&body).await;
    shop.confirm(&payment, &secret.unwrap(), None).await;
    shop.server.run().await;
    let methods = shop.methods().await;
    assert_eq!(methods.len(), 1);
    let card = json!({"brand": "visa", "last4": "4242", "expMonth": 12, "expYear": 2030});
    assert_eq!((&methods[0]["card"], &methods[0]["isDefault"]), (&card, &json!(true)));
    assert_eq!(methods[0]["type"], "CREDIT_CARD");
}

#[actix_web::test]
async fn the_sentence_that_a_payer_agreed_to_is_kept_word_for_word_with_the_card() {
    let shop = Shop::open().await;
    let offered = shop.server.get_as(&shop.ana, "/api/payments/providers").await;
    let consent = offered.data(200)["providers"][0]["renewalConsent"].clone();
    let mut body = shop.card("4242424242424242").await;
    body["renewalConsent"] = consent["version"].clone();
    shop.process(&body).await.refused(422, "VALIDATION_ERROR");
    body["saveMethod"] = json!(true);
    let mut older = body.clone();
    older["renewalConsent"] = json!("2020-01");
    let refused = shop.process(&older).await;
    refused.refused(422, "VALIDATION_ERROR");
    assert_eq!(refused.body["error"]["fields"], json!({"renewalConsent": "INVALID"}));
    let (payment, _) = shop.begin(&body).await;

    let card = shop.server.card("5555555555554444").await;
    let save = json!({"paymentMethodId": card, "renewalConsent": consent["version"]});
    shop.server.post_as(&shop.ana, &shop.methods_path(), &save).await.data(201);
    let silent = json!({"paymentMethodId": shop.server.card("4242424242424242").await});
    shop.server.post_as(&shop.ana, &shop.methods_path(), &silent).await.data(201);

    let sql = "SELECT concat_ws(' ', company_id, user_id, card, payment_id, version, sentence) \
         FROM renewal_consents ORDER BY payment_id IS NULL";
    let who = format!("{} {}", shop.company, shop.ana.id);
    let said = format!(
        "{} {}",
        consent["version"].as_str().unwrap(),
        consent["sentence"].as_str().unwrap()
    );
    let (first, paid) = (body["payment_method"].as_str().unwrap(), payment["id"].as_str().unwrap());
    let expected = [format!("{who} {first} {paid} {said}"), format!("{who} {card} {said}")];
    assert_eq!(shop.texts(sql).await, expected);
}

#[actix_web::test]
async fn the_state_names_the_card_that_renews_to_those_who_may_pay_and_not_to_operators() {
    let shop = Shop::renewing().await;
    shop.methods().await;
    let otto = shop.server.person("otto@example.com").await;
    shop.server.join(&otto, shop.company, "operator").await;
    let path = format!("/api/subscriptions/company/{}", shop.company);
    let mut state =
        shop.server.get_as(&shop.ana, &path).await.data(200)["subscription"]["state"].clone();
    assert_eq!((&state["kind"], state.get("action")), (&json!("renews"), None));
    assert_eq!(state["card"], json!({"brand": "visa", "last4": "4242"}));
    let shown = shop.server.get_as(&otto, &path).await.data(200)["subscription"]["state"].clone();
    state.as_object_mut().unwrap().remove("card");
    assert_eq!(shown, state);
    // the event that followed the card, and what operators got of it
    let sql = "SELECT (data::json->'state'->'card'->>'last4') || ' ' \
         || coalesce(operator_data::json->'state'->'card'->>'last4', 'hidden') FROM events \
         WHERE name = 'subscription.updated' AND data::json->'state'->'card' IS NOT NULL";
    let events = shop.texts(sql).await;
    assert!(!events.is_empty() && events.iter().all(|event| event == "4242 hidden"), "{events:?}");
}

#[actix_web::test]
async fn a_card_that_was_not_declined_takes_the_place_of_the_default_before_a_newer_one() {
    let shop = Shop::open().await;
    let mut ids = Vec::new();
    for number in ["4242424242424242", "5555555555554444", "4000056655665556"] {
        let id = shop.server.card(number).await;
        let body = json!({"paymentMethodId": id});
        shop.server.post_as(&shop.ana, &shop.methods_path(), &body).await.data(201);
        shop.server.pass(1).await;
        ids.push(id);
    }
    let declined = format!("UPDATE payment_methods SET is_declined = id = '{}'", ids[2]);
    shop.owner.batch_execute(&declined).await.unwrap();
    let default = format!("{}/{}", shop.methods_path(), ids[0]);
    let left = shop.server.delete_as(&shop.ana, &default).await;
    assert_eq!(left.data(200)["methods"][0]["id"], ids[1].as_str());
}

#[actix_web::test]
async fn cards_are_saved_preferred_and_forgotten() {
    let shop = Shop::open().await;
    let mut ids = Vec::new();
    for number in ["4242424242424242", "5555555555554444"] {
        let id = shop.server.card(number).await;
        let body = json!({"paymentMethodId": id});
        shop.server.post_as(&shop.ana, &shop.methods_path(), &body).await.data(201);
        ids.push(id);
    }
    let second = format!("{}/{}", shop.methods_path(), ids[1]);
    let preferred = shop.server.put_as(&shop.ana, &format!("{second}/default"), &json!({})).await;
    assert_eq!(preferred.data(200)["methods"][0]["id"], ids[1].as_str());
    let left = shop.server.delete_as(&shop.ana, &second).await;
    let left = left.data(200)["methods"].as_array().unwrap().clone();
    assert_eq!(left.len(), 1);
    assert_eq!((&left[0]["id"], &left[0]["isDefault"]), (&json!(ids[0]), &json!(true)));
    shop.server.delete_as(&shop.ana, &second).await.refused(404, "NOT_FOUND");
    let traced = "SELECT count(*) FROM audit_entries WHERE action LIKE 'payment_method.%' \
         AND request_id IS NOT NULL";
    assert_eq!(shop.number(traced).await, 4, "each leads to the line of its request in the log");
}

#[actix_web::test]
async fn a_card_whose_removal_was_not_answered_is_forgotten_without_anybody_looking() {
    let mut shop = Shop::open().await;
    let id = shop.server.card("4242424242424242").await;
    let body = json!({"paymentMethodId": id});
    shop.server.post_as(&shop.ana, &shop.methods_path(), &body).await.data(201);
    shop.server.faults(json!({"replies": {"lose": true, "times": 2}})).await;
    let path = format!("{}/{id}", shop.methods_path());
    shop.server.delete_as(&shop.ana, &path).await.refused(503, "PROVIDER_UNAVAILABLE");
    let stored = "SELECT count(*) FROM payment_methods";
    assert_eq!(shop.number(stored).await, 1);
    shop.pass(60).await;
    assert_eq!(shop.number(stored).await, 0, "a renewal would have charged it");
}

#[actix_web::test]
async fn a_card_that_the_provider_keeps_is_not_said_to_be_removed() {
    let shop = Shop::open().await;
    let id = shop.server.card("4242424242424242").await;
    let body = json!({"paymentMethodId": id});
    shop.server.post_as(&shop.ana, &shop.methods_path(), &body).await.data(201);
    shop.server.faults(json!({"replies": {"status": 400}})).await;
    let path = format!("{}/{id}", shop.methods_path());
    shop.server.delete_as(&shop.ana, &path).await.refused(500, "INTERNAL_ERROR");
    let removed = "SELECT count(*) FROM audit_entries WHERE action = 'payment_method.remove'";
    assert_eq!((shop.number(removed).await, shop.methods().await.len()), (0, 1));
    shop.server.delete_as(&shop.ana, &path).await.data(200);
    assert_eq!((shop.number(removed).await, shop.methods().await.len()), (1, 0));
}

#[actix_web::test]
async fn a_list_that_comes_late_forgets_no_card_and_changes_no_default() {
    let shop = Shop::open().await;
    let [old, new] = ["4242424242424242", "5555555555554444"];
    let save = async |number: &str| -> String {
        let id = shop.server.card(number).await;
        let body = json!({"paymentMethodId": id});
        shop.server.post_as(&shop.ana, &shop.methods_path(), &body).await.data(201);
        id
    };
    let old = save(old).await;
    let steps = shop.server.app.actors.directory.steps();
    let scope = CompanyScope::of_job(&JobScope::of_test(), shop.company);
    let late = saved_cards::fetch(steps, &scope).await.unwrap().unwrap().done().unwrap();
    let new = save(new).await;
    let path = format!("{}/{new}", shop.methods_path());
    shop.server.put_as(&shop.ana, &format!("{path}/default"), &json!({})).await.data(200);
    let path = format!("{}/{old}", shop.methods_path());
    shop.server.delete_as(&shop.ana, &path).await.data(200);
    late.store(steps, &scope).await.unwrap();
    let stored = "SELECT id || ' ' || is_default FROM payment_methods";
    assert_eq!(shop.texts(stored).await, [format!("{new} true")]);
    assert_eq!(shop.methods().await.len(), 1, "the provider holds the same");
}

#[actix_web::test]
async fn who_may_not_pay_any_more_changes_no_default_card() {
    let shop = Shop::open().await;
    let body = json!({"paymentMethodId": shop.server.card("4242424242424242").await});
    shop.server.post_as(&shop.ana, &shop.methods_path(), &body).await.data(201);
    let card = body["paymentMethodId"].as_str().unwrap().to_owned();
    let (db, app) = (&shop.server.database.db, &shop.server.app);
    let who = shop.server.session(&shop.ana).await;
    let manage = Permission::ManagePayments;
    let proven = CompanyScope::prove(db, who, shop.company, manage).await.unwrap();
    // The command waited for its turn: meanwhile the role has changed, or the company was suspended.
    for (change, back) in [
        ("UPDATE members SET role = 'operator'", "UPDATE members SET role = 'admin'"),
        ("UPDATE companies SET status = 'suspended'", "UPDATE companies SET status = 'active'"),
    ] {
        shop.owner.batch_execute(change).await.unwrap();
        let steps = app.actors.directory.steps();
        let refused = saved_cards::prefer(steps, &proven, card.clone(), None).await.unwrap_err();
        assert_eq!(refused.code(), Code::Forbidden, "{change}");
        shop.owner.batch_execute(back).await.unwrap();
    }
    saved_cards::prefer(app.actors.directory.steps(), &proven, card, None).await.unwrap();
}

#[actix_web::test]
async fn a_declined_card_is_not_saved_and_a_foreign_one_not_charged() {
    let shop = Shop::open().await;
    let declined = json!({"paymentMethodId": shop.server.card("4000000000000002").await});
    let refused = shop.server.post_as(&shop.ana, &shop.methods_path(), &declined).await;
    refused.refused(409, "PAYMENT_METHOD_UNAVAILABLE");

    let bia = shop.server.person("bia@example.com").await;
    let other = shop.server.company(&bia, "Outro Ponto").await;
    let card = shop.server.card("4242424242424242").await;
    let path = format!("/api/payments/methods/{other}");
    let body = json!({"paymentMethodId": card});
    shop.server.post_as(&bia, &path, &body).await.data(201);
    let mut payment = shop.card("4242424242424242").await;
    payment["payment_method"] = json!(card);
    shop.process(&payment).await.refused(409, "PAYMENT_METHOD_UNAVAILABLE");
    let theirs = format!("{}/{card}", shop.methods_path());
    shop.server.delete_as(&shop.ana, &theirs).await.refused(404, "NOT_FOUND");
    shop.server.get_as(&shop.ana, &path).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn the_offer_names_what_each_method_needs() {
    let shop = Shop::open().await;
    let offered = shop.server.get_as(&shop.ana, "/api/payments/providers").await;
    let provider = &offered.data(200)["providers"][0];
    assert_eq!((&provider["sandbox"], &provider["apiBase"]), (&json!(true), &json!("/sandbox/v1")));
    assert_eq!(provider["publishableKey"], "pk_test_sandbox");
    let boleto = &provider["methods"][2];
    assert_eq!(boleto["type"], "BANK_SLIP");
    assert_eq!((&boleto["minAmount"], &boleto["maxAmount"]), (&json!(500), &json!(4_999_999)));
    assert_eq!(boleto["requiredFields"][0], "taxId");
    let health = shop.server.get_as(&shop.ana, "/api/payments/health").await;
    assert_eq!(health.data(200)["status"], "ok");
    shop.server.get("/api/payments/providers").await.refused(401, "UNAUTHORIZED");
}

#[actix_web::test]
async fn payments_are_listed_by_page_and_filter() {
    let shop = Shop::open().await;
    for body in [shop.pix(), shop.pix(), shop.boleto()] {
        let (payment, _) = shop.begin(&body).await;
        shop.cancel(&payment).await;
    }
    let list = async |query: &str| {
        let path = format!("/api/payments/company/{}?{query}", shop.company);
        shop.server.get_as(&shop.ana, &path).await
    };
    let page = list("limit=2&page=2").await;
    let data = page.data(200);
    assert_eq!((&data["total"], &data["page"]), (&json!(3), &json!(2)));
    assert_eq!(data["payments"].as_array().unwrap().len(), 1);
    assert_eq!(list("status=CANCELLED&method=PIX").await.data(200)["total"], 2);
    assert_eq!(list("status=PENDING").await.data(200)["total"], 1);
    list("limit=101").await.refused(422, "VALIDATION_ERROR");
    list("page=0").await.refused(422, "VALIDATION_ERROR");
    for query in ["status=paid", "method=CASH", "status=PENDING&status=FAILED"] {
        let refused = list(query).await;
        refused.refused(422, "VALIDATION_ERROR");
        let field = query.split('=').next().unwrap();
        assert_eq!(refused.body["error"]["fields"], json!({field: "INVALID"}), "{query}");
    }
    assert_eq!(list("status=&method=").await.data(200)["total"], 3);
}

#[actix_web::test]
async fn the_list_is_searched_by_plan_id_and_amount_between_two_days_and_summed() {
    let mut shop = Shop::open().await;
    let (paid, _) = shop.begin(&shop.pix()).await;
    shop.settle(&paid, "succeeded").await;
    shop.server.run().await;
    shop.pass(3 * 24 * 3600).await;
    let found = async |query: &str| {
        let path = format!("/api/payments/company/{}?{query}", shop.company);
        let answer = shop.server.get_as(&shop.ana, &path).await;
        let data = answer.data(200);
        (data["total"].as_i64().unwrap(), data["totalPaid"].as_i64().unwrap())
    };
    let intent = shop.status(&paid).await["transactionId"].as_str().unwrap().to_owned();
    let id = paid["id"].as_str().unwrap().to_owned();
    for search in
        ["profissional", "PROFISSION%C3%81L", "99,90", "99.90", "R$%2099,90", &id, &intent]
    {
        assert_eq!(found(&format!("search={search}")).await, (1, 9_990), "{search}");
    }
    for search in ["negocio", "99,91", "%25", "profissiona_"] {
        assert_eq!(found(&format!("search={search}")).await, (0, 0), "{search}");
    }
    let day = |at: &str| at[..10].to_owned();
    let made = day(paid["createdAt"].as_str().unwrap());
    assert_eq!(found(&format!("from=2000-01-01&to={made}")).await, (1, 9_990));
    for days in ["from=2000-01-01&to=2000-01-02", "from=2099-01-01"] {
        assert_eq!(found(days).await, (0, 0), "{days}");
    }
    let list = format!("/api/payments/company/{}", shop.company);
    for (query, field, code) in [
        ("from=ontem", "from", "INVALID"),
        ("from=2026-02-02&to=2026-02-01", "to", "INVALID"),
        (&format!("search={}", "a".repeat(101)), "search", "TOO_LONG"),
    ] {
        let refused = shop.server.get_as(&shop.ana, &format!("{list}?{query}")).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({field: code}), "{query}");
    }
}
