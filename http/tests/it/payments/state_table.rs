//! Bad input of subscriptions and payments, state by state: the contract's code, and not one row changes.

use bipe_testkit::Person;
use serde_json::{Value, json};

use super::desk::Desk;
use super::shop::PROCESS;

fn long() -> String {
    "x".repeat(501)
}

const INVALID: (u16, &str) = (422, "VALIDATION_ERROR");

#[actix_web::test]
async fn without_a_subscription_every_wrong_call_is_refused_and_changes_nothing() {
    let desk = Desk::open().await;
    let paid = desk.choice("Profissional", "monthly");
    let (unknown, typo) =
        ("019e0000-0000-7000-8000-000000000000", desk.with(&[("plan", json!(1))], paid.clone()));
    let owner = &desk.shop.owner;
    owner
        .execute("UPDATE plans SET status = 'inactive' WHERE display_name = 'Essencial'", &[])
        .await
        .unwrap();
    owner
        .execute("UPDATE plans SET quarterly_cents = 0 WHERE display_name = 'Negócio'", &[])
        .await
        .unwrap();
    let (s, c) = INVALID;
    let mut cases = vec![
        ("POST", "", paid.clone(), 402, "PAYMENT_REQUIRED"),
        ("POST", "", desk.choice("Enterprise", "monthly"), 409, "PLAN_NOT_AVAILABLE"),
        ("POST", "", desk.choice("Essencial", "monthly"), 409, "PLAN_NOT_AVAILABLE"),
        ("POST", "", desk.choice("Negócio", "quarterly"), 409, "PLAN_NOT_AVAILABLE"),
        ("POST", "", json!({"planId": unknown, "billingCycle": "monthly"}), 404, "NOT_FOUND"),
        ("POST", "", json!({"planId": "x", "billingCycle": "monthly"}), s, c),
        ("POST", "", json!({"planId": 7, "billingCycle": "monthly"}), s, c),
        ("POST", "", desk.choice("Profissional", "daily"), s, c),
        ("POST", "", typo.clone(), s, c),
        ("POST", "/preview-change", typo, s, c),
        ("POST", "/preview-change", desk.choice("Enterprise", "yearly"), 409, "PLAN_NOT_AVAILABLE"),
        ("POST", "/preview-change", desk.choice("Essencial", "monthly"), 409, "PLAN_NOT_AVAILABLE"),
        ("POST", "/preview-change", desk.choice("Negócio", "quarterly"), 409, "PLAN_NOT_AVAILABLE"),
        ("POST", "/upgrade", paid.clone(), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("POST", "/downgrade", paid.clone(), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("DELETE", "/pending-change", Value::Null, 404, "NOT_FOUND"),
        ("POST", "/cancel", json!({}), 404, "NOT_FOUND"),
        ("POST", "/cancel-robust", json!({"effectiveDate": "immediate"}), 404, "NOT_FOUND"),
        ("POST", "/renew", json!({}), 404, "NOT_FOUND"),
    ];
    for amount in [json!(1), json!(9989), json!(9991), json!(99_999_999)] {
        cases.push((
            "POST",
            PROCESS,
            desk.pay("Profissional", "monthly", amount),
            409,
            "AMOUNT_MISMATCH",
        ));
    }
    let absurd = [
        json!(0),
        json!(-9990),
        json!(99.9),
        json!("9990"),
        json!(1e30),
        json!(u64::MAX),
        Value::Null,
    ];
    for amount in absurd {
        cases.push(("POST", PROCESS, desk.pay("Profissional", "monthly", amount), s, c));
    }
    for (plan, cycle) in
        [("Enterprise", "monthly"), ("Essencial", "monthly"), ("Negócio", "quarterly")]
    {
        cases.push((
            "POST",
            PROCESS,
            desk.pay(plan, cycle, json!(9990)),
            409,
            "PLAN_NOT_AVAILABLE",
        ));
    }
    let pix = desk.shop.pix();
    for change in [("currency", json!("jpy")), ("amout", json!(1)), ("saveMethod", json!("yes"))] {
        cases.push(("POST", PROCESS, desk.with(&[change], pix.clone()), s, c));
    }
    desk.refuses("none", &cases).await;
}

#[actix_web::test]
async fn right_after_buying_renew_answers_the_receipt_and_does_nothing() {
    let mut desk = Desk::open().await;
    desk.buy("Profissional", 9990).await;
    let before = desk.checksum(desk.shop.company).await;
    let receipt = desk.send("POST", &desk.path("/renew"), &json!({})).await;
    let bought = desk.shop.server.get_as(&desk.shop.ana, &desk.path("")).await;
    assert_eq!(receipt.data(200)["subscription"], bought.data(200)["subscription"]);
    assert_eq!(desk.checksum(desk.shop.company).await, before);
    desk.shop.pass(24 * 3600 + 1).await;
    let later = desk.send("POST", &desk.path("/renew"), &json!({})).await;
    later.refused(409, "CHANGE_NOT_ALLOWED");
}

#[actix_web::test]
async fn a_running_subscription_refuses_what_its_state_does_not_allow_and_changes_nothing() {
    let mut desk = Desk::open().await;
    desk.buy("Profissional", 9990).await;
    // For a day the choice that was paid answers its receipt.
    desk.shop.pass(2 * 24 * 3600).await;
    let (s, c) = INVALID;
    let down = |date: &str| {
        desk.with(&[("effectiveDate", json!(date))], desk.choice("Essencial", "monthly"))
    };
    let cases = vec![
        ("POST", "", desk.choice("Negócio", "monthly"), 409, "SUBSCRIPTION_EXISTS"),
        ("POST", "", desk.choice("Grátis", "monthly"), 409, "SUBSCRIPTION_EXISTS"),
        // same plan and cycle: a renewal, and its window is not open
        ("POST", "/upgrade", desk.choice("Profissional", "monthly"), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/downgrade", desk.choice("Profissional", "monthly"), 409, "CHANGE_NOT_ALLOWED"),
        (
            "POST",
            "/preview-change",
            desk.choice("Profissional", "monthly"),
            409,
            "CHANGE_NOT_ALLOWED",
        ),
        ("POST", "/renew", json!({}), 409, "CHANGE_NOT_ALLOWED"),
        (
            "POST",
            PROCESS,
            desk.pay("Profissional", "monthly", json!(9990)),
            409,
            "CHANGE_NOT_ALLOWED",
        ),
        // each direction through the other's door
        ("POST", "/upgrade", desk.choice("Essencial", "monthly"), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/upgrade", desk.choice("Essencial", "yearly"), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/downgrade", desk.choice("Negócio", "monthly"), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/downgrade", desk.choice("Profissional", "yearly"), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/upgrade", desk.choice("Negócio", "monthly"), 402, "PAYMENT_REQUIRED"),
        ("POST", "/upgrade", desk.choice("Enterprise", "monthly"), 409, "PLAN_NOT_AVAILABLE"),
        // nothing is due for a downgrade, whatever the client believes
        ("POST", PROCESS, desk.pay("Essencial", "monthly", json!(4990)), 409, "AMOUNT_MISMATCH"),
        ("POST", "/downgrade", down("2026-11-22"), s, c),
        ("POST", "/downgrade", down("2026-12-22"), s, c),
        ("POST", "/downgrade", down("21/12/2026"), s, c),
        // an instant is no day: its own may be another one in São Paulo
        ("POST", "/downgrade", down("2026-12-21T15:00:00+00:00"), s, c),
        ("POST", "/cancel-robust", json!({"effectiveDate": "2026-11-20"}), s, c),
        ("POST", "/cancel-robust", json!({"effectiveDate": "2026-12-22"}), s, c),
        ("POST", "/cancel-robust", json!({"effectiveDate": "2026-02-30"}), s, c),
        ("POST", "/cancel-robust", json!({"effectiveDate": "2026-12-02T01:00:00+00:00"}), s, c),
        ("POST", "/cancel-robust", json!({"effectiveDate": "20261202"}), s, c),
        ("POST", "/cancel-robust", json!({"effectiveDate": "soon"}), s, c),
        ("POST", "/cancel", json!({"reason": long()}), s, c),
        ("POST", "/cancel", json!({"reason": "a\0b"}), s, c),
        ("POST", "/cancel", json!({"raison": "x"}), s, c),
        ("POST", "/cancel-robust", json!({"reason": long()}), s, c),
        ("POST", "/cancel-robust", json!({"reason": "a\u{202e}b"}), s, c),
        (
            "POST",
            "/upgrade",
            desk.with(&[("reason", json!(long()))], desk.choice("Negócio", "monthly")),
            s,
            c,
        ),
        (
            "POST",
            "/upgrade",
            desk.with(&[("effectiveDate", json!("2026-12-21"))], desk.choice("Negócio", "monthly")),
            s,
            c,
        ),
    ];
    desk.refuses("active", &cases).await;
}

#[actix_web::test]
async fn an_ended_and_a_free_subscription_refuse_alike() {
    let desk = Desk::open().await;
    desk.send("POST", &desk.path(""), &desk.choice("Grátis", "monthly")).await.data(201);
    let free = vec![
        ("POST", "", desk.choice("Grátis", "monthly"), 409, "SUBSCRIPTION_EXISTS"),
        ("POST", "/downgrade", desk.choice("Grátis", "monthly"), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/renew", json!({}), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/upgrade", desk.choice("Grátis", "monthly"), 409, "CHANGE_NOT_ALLOWED"),
        ("POST", "/upgrade", desk.choice("Essencial", "monthly"), 402, "PAYMENT_REQUIRED"),
        ("POST", "/cancel-robust", json!({"effectiveDate": "2026-11-22"}), 422, "VALIDATION_ERROR"),
    ];
    desk.refuses("free", &free).await;
    desk.buy("Essencial", 4990).await;
    let immediate = json!({"effectiveDate": "immediate"});
    desk.send("POST", &desk.path("/cancel-robust"), &immediate).await.data(200);
    let ended = vec![
        ("POST", "/cancel", json!({}), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("POST", "/cancel-robust", immediate.clone(), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("POST", "/upgrade", desk.choice("Negócio", "monthly"), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("POST", "/downgrade", desk.choice("Grátis", "monthly"), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        // the credit of the unused month does not reach for the dearer plan
        ("POST", "", desk.choice("Negócio", "monthly"), 402, "PAYMENT_REQUIRED"),
    ];
    desk.refuses("expired", &ended).await;
}

#[actix_web::test]
async fn cancelling_twice_answers_the_same_and_changes_nothing() {
    let desk = Desk::open().await;
    desk.buy("Profissional", 9990).await;
    let first = desk.send("POST", &desk.path("/cancel"), &json!({"reason": "caro"})).await;
    let before = desk.checksum(desk.shop.company).await;
    let again = desk.send("POST", &desk.path("/cancel"), &json!({"reason": "de novo"})).await;
    assert_eq!(first.data(200), again.data(200));
    assert_eq!(desk.checksum(desk.shop.company).await, before);
}

#[actix_web::test]
async fn while_a_payment_is_open_every_other_choice_waits() {
    let desk = Desk::open().await;
    let (payment, _) = desk.shop.begin(&desk.shop.boleto()).await;
    let cancel = format!("/api/payments/cancel/{}", payment["id"].as_str().unwrap());
    let cases = vec![
        ("POST", "", desk.choice("Negócio", "monthly"), 409, "PAYMENT_IN_PROGRESS"),
        ("POST", "", desk.choice("Grátis", "monthly"), 409, "PAYMENT_IN_PROGRESS"),
        ("POST", "", desk.choice("Profissional", "monthly"), 402, "PAYMENT_REQUIRED"),
        ("POST", "/cancel", json!({}), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("DELETE", "/pending-change", Value::Null, 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("POST", "/downgrade", desk.choice("Grátis", "monthly"), 409, "SUBSCRIPTION_NOT_ACTIVE"),
        ("POST", PROCESS, desk.shop.pix(), 409, "PAYMENT_IN_PROGRESS"),
        ("POST", cancel.as_str(), json!({}), 409, "PAYMENT_NOT_CANCELLABLE"),
        ("POST", cancel.as_str(), json!({"reason": long()}), 422, "VALIDATION_ERROR"),
        ("POST", cancel.as_str(), json!({"reason": "a\0b"}), 422, "VALIDATION_ERROR"),
        ("POST", cancel.as_str(), json!({"why": "x"}), 422, "VALIDATION_ERROR"),
    ];
    desk.refuses("pending", &cases).await;
}

#[actix_web::test]
async fn a_stale_or_foreign_quote_prices_again_and_refuses_the_old_amount() {
    let mut desk = Desk::open().await;
    desk.buy("Essencial", 4990).await;
    desk.shop.pass(10 * 24 * 3600).await;
    let choice = desk.choice("Profissional", "monthly");
    let preview = desk.send("POST", &desk.path("/preview-change"), &choice).await;
    let preview = preview.data(200)["preview"].clone();
    let due = format!("{:.0}", preview["billing"]["amountDue"].as_f64().unwrap() * 100.0);
    let due: i64 = due.parse().unwrap();
    let quote = |id: &Value| {
        let mut body = desk.pay("Profissional", "monthly", json!(due));
        body["metadata"]["quoteId"] = id.clone();
        body
    };
    let stale = quote(&preview["quoteId"]);
    // Somebody else's quote for the same change.
    let bia = desk.shop.server.person("bia@example.com").await;
    let other = desk.shop.server.company(&bia, "Outro Ponto").await;
    let path = format!("/api/subscriptions/company/{other}/preview-change");
    let foreign = desk.shop.server.post_as(&bia, &path, &choice).await;
    let foreign = quote(&foreign.data(200)["preview"]["quoteId"]);
    desk.shop.pass(3 * 24 * 3600).await;
    for body in [stale, foreign] {
        let before = desk.checksum(desk.shop.company).await;
        let refused = desk.send("POST", PROCESS, &body).await;
        refused.refused(409, "AMOUNT_MISMATCH");
        let expected = refused.body["error"]["fields"]["expected"].as_i64().unwrap();
        assert!(expected > 0 && expected != due, "{expected}");
        assert_eq!(desk.checksum(desk.shop.company).await, before);
    }
}

#[actix_web::test]
async fn a_key_is_for_one_body_one_call_and_one_person() {
    let desk = Desk::open().await;
    desk.buy("Profissional", 9990).await;
    let server = &desk.shop.server;
    let carla = server.person("carla@example.com").await;
    server.join(&carla, desk.shop.company, "finance").await;
    let calls = [
        ("", desk.choice("Negócio", "monthly"), desk.choice("Essencial", "monthly")),
        ("/preview-change", desk.choice("Negócio", "monthly"), desk.choice("Negócio", "yearly")),
        ("/upgrade", desk.choice("Negócio", "monthly"), desk.choice("Negócio", "yearly")),
        ("/downgrade", desk.choice("Essencial", "monthly"), desk.choice("Grátis", "monthly")),
        ("/cancel", json!({"reason": "caro"}), json!({})),
        (
            "/cancel-robust",
            json!({"effectiveDate": "2026-12-01"}),
            json!({"effectiveDate": "immediate"}),
        ),
    ];
    for (number, (tail, body, other)) in calls.iter().enumerate() {
        let (path, key) = (desk.path(tail), format!("key-{number}"));
        let post =
            async |who: &Person, body: &Value| server.post_with_key(who, &path, &key, body).await;
        let first = post(&desk.shop.ana, body).await;
        let before = desk.checksum(desk.shop.company).await;
        let again = post(&desk.shop.ana, body).await;
        assert_eq!(again.headers["idempotent-replayed"], "true", "{tail}: {}", again.text);
        assert_eq!((first.status, &first.body["data"]), (again.status, &again.body["data"]));
        assert_eq!(first.code(), again.code());
        post(&desk.shop.ana, other).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        post(&carla, body).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        server
            .post_with_key(&desk.shop.ana, PROCESS, &key, &desk.shop.pix())
            .await
            .refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(desk.checksum(desk.shop.company).await, before, "{tail}");
    }
    let long = "k".repeat(256);
    let refused =
        server.post_with_key(&desk.shop.ana, &desk.path("/renew"), &long, &json!({})).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
}
