//! Payments as platform admins search, add up and read them.

use bipe_testkit::Person;
use serde_json::{Value, json};

use super::{admin, audited};
use crate::isolation::world::billing_profile;
use crate::payments::shop::Shop;

const PAYMENTS: &str = "/api/admin/payments";

/// A company with its billing profile that cancelled one PIX and paid the next one a day later.
async fn paid() -> (Shop, Person, Value, Value) {
    let mut shop = Shop::open().await;
    let root = admin(&shop.server).await;
    let path = format!("/api/companies/{}/billing-profile", shop.company);
    shop.server.put_as(&shop.ana, &path, &billing_profile()).await.data(200);
    let (cancelled, _) = shop.begin(&shop.pix()).await;
    shop.cancel(&cancelled).await.data(200);
    shop.pass(24 * 3600).await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    // What happens at one instant has no order.
    shop.pass(1).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let root = Person { token: shop.server.token(&root).await, ..root };
    (shop, root, cancelled, payment)
}

async fn found(shop: &Shop, root: &Person, query: &str) -> Vec<Value> {
    let listed = shop.server.get_as(root, &format!("{PAYMENTS}?{query}")).await;
    let payments = listed.data(200)["payments"].as_array().unwrap().clone();
    payments.iter().map(|payment| payment["id"].clone()).collect()
}

#[actix_web::test]
async fn a_payment_is_found_by_its_ids_its_company_and_the_tax_id_of_the_billing_profile() {
    let (shop, root, cancelled, payment) = paid().await;
    let (id, intent) =
        (payment["id"].as_str().unwrap(), payment["transactionId"].as_str().unwrap());
    let (one, both) =
        (vec![payment["id"].clone()], vec![payment["id"].clone(), cancelled["id"].clone()]);
    let other = vec![cancelled["id"].clone()];
    for (query, expected) in [
        (format!("search={id}"), &one),
        (format!("search={intent}"), &one),
        ("search=11222333000181".to_owned(), &both),
        ("search=11.222.333%2F0001-81".to_owned(), &both),
        ("search=p%C3%94NTO%20cen".to_owned(), &both),
        ("search=ponto&status=CANCELLED".to_owned(), &other),
        ("search=ponto&method=CREDIT_CARD".to_owned(), &vec![]),
        ("search=12345678909".to_owned(), &vec![]),
        ("search=%25".to_owned(), &vec![]),
        ("search=%EF%BC%85".to_owned(), &vec![]),
        ("plan=profissional".to_owned(), &both),
        ("plan=essencial".to_owned(), &vec![]),
        ("from=2026-11-22".to_owned(), &one),
        ("to=2026-11-21".to_owned(), &other),
        ("from=2026-11-21&to=2026-11-22&method=PIX".to_owned(), &both),
        ("status=&method=&plan=&from=&to=&company=&search=&after=".to_owned(), &both),
    ] {
        assert_eq!(&found(&shop, &root, &query).await, expected, "{query}");
    }
    assert_eq!(audited(&shop.owner, "payment.search").await.len(), 1, "once a minute");
    for (query, field) in [
        ("status=paid", "status"),
        ("method=CASH", "method"),
        ("from=21/11/2026", "from"),
        ("from=2026-11-22&to=2026-11-21", "to"),
        ("company=ponto", "company"),
        ("after=pi_1", "after"),
        ("sort=company", "sort"),
        (&*format!("search={}", "a".repeat(101)), "search"),
    ] {
        let refused = shop.server.get_as(&root, &format!("{PAYMENTS}?{query}")).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert!(refused.body["error"]["fields"][field].is_string(), "{query}");
    }
}

#[actix_web::test]
async fn what_a_customer_reads_on_a_receipt_finds_the_payment() {
    let (shop, root, cancelled, payment) = paid().await;
    let (one, both) =
        (vec![payment["id"].clone()], vec![payment["id"].clone(), cancelled["id"].clone()]);
    let refund = format!("{PAYMENTS}/{}/refunds", payment["id"].as_str().unwrap());
    let body = json!({"amount": 990, "reason": "Pedido do cliente"});
    shop.server.post_with_key(&root, &refund, "k", &body).await.data(201);
    shop.server.run().await;
    let refund = shop.texts("SELECT provider_refund FROM refunds").await.remove(0);
    let customer = shop.texts("SELECT customer_id FROM provider_customers").await.remove(0);
    let intent = payment["transactionId"].as_str().unwrap();
    assert!(refund.starts_with("re_") && customer.starts_with("cus_"), "{refund} {customer}");
    for (text, expected) in [
        (&payment["id"].as_str().unwrap()[..8], &one),
        (&*payment["id"].as_str().unwrap()[..13].to_uppercase(), &one),
        (&payment["id"].as_str().unwrap()[..7], &vec![]),
        (&*intent.to_uppercase(), &one),
        (&*refund, &one),
        (&*refund.to_uppercase(), &one),
        (&*customer, &both),
        ("000001", &one),
        ("Nº 000001", &one),
        ("1", &one),
        ("000009", &vec![]),
        ("entregas CANÁRIO", &both),
        ("nf@Example.com", &both),
        ("f@example.com", &vec![]),
        ("Ana@example.com", &both),
        ("root@example.com", &vec![]),
    ] {
        assert_eq!(&found(&shop, &root, &format!("search={text}")).await, expected, "{text}");
    }
}

#[actix_web::test]
async fn the_payments_of_one_company_are_listed_and_added_up_also_after_its_end() {
    let (shop, root, cancelled, payment) = paid().await;
    let other = shop.server.company(&shop.ana, "Ponto Central Norte").await;
    let both = vec![payment["id"].clone(), cancelled["id"].clone()];
    let own = format!("company={}", shop.company);
    for (query, expected) in [
        (own.clone(), &both),
        (format!("{own}&status=CANCELLED"), &vec![cancelled["id"].clone()]),
        (format!("{own}&sort=createdAt&search=central"), &both.iter().rev().cloned().collect()),
        (format!("{own}&sort=amount"), &both.iter().rev().cloned().collect()),
        (format!("company={other}"), &vec![]),
        (format!("company={other}&search=central"), &vec![]),
    ] {
        assert_eq!(&found(&shop, &root, &query).await, expected, "{query}");
    }
    let totals = async |query: &str| -> Value {
        let path = format!("{PAYMENTS}/figures?{query}");
        shop.server.get_as(&root, &path).await.data(200)["figures"]["totals"].clone()
    };
    let sums =
        |count, paid| json!({"count": count, "succeeded": count / 2, "paid": paid, "refunded": 0});
    assert_eq!(totals(&own).await, sums(2, 9990));
    assert_eq!(totals(&format!("{own}&search=central")).await, sums(2, 9990));
    assert_eq!(totals(&format!("company={other}")).await, sums(0, 0));

    let path = format!("{PAYMENTS}/{}", payment["id"].as_str().unwrap());
    let ended = async || -> Value {
        shop.server.get_as(&root, &path).await.data(200)["payment"]["companyEndedAt"].clone()
    };
    assert_eq!(ended().await, Value::Null);
    let cancel = format!("/api/subscriptions/company/{}/cancel-robust", shop.company);
    let now = json!({"effectiveDate": "immediate"});
    shop.server.post_as(&shop.ana, &cancel, &now).await.data(200);
    let gone = shop.server.delete_as(&shop.ana, &format!("/api/companies/{}", shop.company)).await;
    assert_eq!(gone.status, 204, "{}", gone.text);
    assert_eq!(found(&shop, &root, &own).await, both);
    assert_eq!(ended().await, json!(shop.server.database.db.clock().now()));
}

#[actix_web::test]
async fn the_list_goes_on_behind_a_payment_whatever_comes_in_meanwhile() {
    let (shop, root, cancelled, payment) = paid().await;
    let listed = shop.server.get_as(&root, &format!("{PAYMENTS}?limit=1")).await;
    let first = listed.data(200);
    assert_eq!((&first["payments"][0]["id"], &first["total"]), (&payment["id"], &json!(2)));
    assert_eq!(first["next"], payment["id"]);
    let path = format!("{PAYMENTS}?limit=1&after={}", payment["id"].as_str().unwrap());
    let listed = shop.server.get_as(&root, &path).await;
    let second = listed.data(200);
    assert_eq!((&second["payments"][0]["id"], &second["next"]), (&cancelled["id"], &Value::Null));
    let unknown = "after=019e0000-0000-7000-8000-000000000000";
    assert_eq!(found(&shop, &root, unknown).await, Vec::<Value>::new());
}

#[actix_web::test]
async fn the_figures_are_those_of_the_filter() {
    let (shop, root, _, payment) = paid().await;
    shop.refund(&payment, "990").await;
    shop.server.run().await;
    let figures = async |query: &str| -> Value {
        let path = format!("{PAYMENTS}/figures?{query}");
        shop.server.get_as(&root, &path).await.data(200)["figures"].clone()
    };
    let sums = json!({"count": 2, "succeeded": 1, "paid": 9990, "refunded": 990});
    let all = figures("").await;
    assert_eq!(all["totals"], sums);
    let days = all["days"].as_array().unwrap();
    assert_eq!(days.len(), 30);
    let day =
        json!({"day": "2026-11-22", "count": 1, "succeeded": 1, "paid": 9990, "refunded": 990});
    assert_eq!(days.last(), Some(&day));
    assert_eq!((&days[28]["day"], &days[28]["count"]), (&json!("2026-11-21"), &json!(1)));
    assert_eq!(
        (&all["plans"][0]["planName"], &all["plans"][0]["paid"]),
        (&json!("Profissional"), &json!(9990))
    );
    assert_eq!(
        (&all["methods"][0]["method"], &all["methods"][0]["count"]),
        (&json!("PIX"), &json!(2))
    );
    let day = figures("from=2026-11-21&to=2026-11-21&search=ponto").await;
    assert_eq!(day["totals"], json!({"count": 1, "succeeded": 0, "paid": 0, "refunded": 0}));
    assert_eq!(day["days"].as_array().unwrap().len(), 1);
    let none = figures("search=nobody").await;
    assert_eq!(none["totals"], json!({"count": 0, "succeeded": 0, "paid": 0, "refunded": 0}));
    assert_eq!((&none["plans"], &none["methods"]), (&json!([]), &json!([])));
    shop.server.get_as(&shop.ana, &format!("{PAYMENTS}/figures")).await.refused(403, "FORBIDDEN");
}

#[actix_web::test]
async fn one_payment_is_read_with_its_payer_documents_tries_and_history_and_that_is_audited() {
    let (shop, root, cancelled, payment) = paid().await;
    let id = payment["id"].as_str().unwrap();
    let path = format!("{PAYMENTS}/{id}");
    let read = shop.server.get_as(&root, &path).await;
    let found = &read.data(200)["payment"];
    assert_eq!(
        [&found["status"], &found["companyName"], &found["planName"], &found["disputed"]],
        [&json!("SUCCESS"), &json!("Ponto Central"), &json!("Profissional"), &json!(false)]
    );
    assert_eq!(found["payer"]["email"], "ana@example.com");
    assert_eq!(
        (&found["billing"]["name"], &found["billing"]["taxId"]),
        (&billing_profile()["legalName"], &json!("11222333000181"))
    );
    assert_eq!(found["documents"][0]["kind"], "payment");
    assert_eq!(found["documents"][0]["total"], 9990);
    assert_eq!(found["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(found["attempts"][0]["id"], cancelled["id"]);
    let history = found["history"].as_array().unwrap();
    let acts: Vec<&str> = history.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(acts, ["payment.succeed", "payment.start"]);
    assert_eq!(audited(&shop.owner, "payment.read").await, [(id.to_owned(), vec![])]);
    let again = shop.server.get_as(&root, &path).await;
    assert_eq!(again.data(200)["payment"]["history"], found["history"], "a look is no part of it");
    let trail = &found["trail"];
    let named = |list: &str, field: &str| -> Vec<Value> {
        trail[list].as_array().unwrap().iter().map(|row| row[field].clone()).collect()
    };
    assert_eq!(named("webhooks", "outcome").last(), Some(&json!("handled")), "{trail:#}");
    assert!(named("webhooks", "type").contains(&json!("payment_intent.succeeded")), "{trail:#}");
    assert_eq!(named("events", "name").last(), Some(&json!("payment.updated")), "{trail:#}");
    assert_eq!(trail["notifications"][0]["topic"], "payment.approved");
    assert_eq!(trail["notifications"][0]["people"], 1);
    assert_eq!(trail["mails"], json!([]), "what has left leaves no row");
    shop.server.get_as(&shop.ana, &path).await.refused(403, "FORBIDDEN");
    let unknown = format!("{PAYMENTS}/019e0000-0000-7000-8000-000000000000");
    shop.server.get_as(&root, &unknown).await.refused(404, "NOT_FOUND");
}

#[actix_web::test]
async fn the_trail_of_a_payment_has_its_own_rows_and_its_waiting_mails() {
    let (shop, root, cancelled, payment) = paid().await;
    // A mail that was given up is what the invariants look for.
    shop.server.leave_unproven();
    let id = payment["id"].as_str().unwrap();
    let rows = "INSERT INTO jobs (id, kind, key, payload, run_at, attempts, dead_at, created_at) VALUES \
         (gen_random_uuid(), 'mail', 'waits', $1, now() + interval '1 hour', 2, NULL, now()), \
         (gen_random_uuid(), 'mail', 'dead', $1, now(), 33, now(), now() - interval '1 day'), \
         (gen_random_uuid(), 'mail', 'of another', '{}', now() + interval '1 hour', 0, NULL, now())";
    let payload = json!({"to": "ana@example.com", "message": {"payment": id}}).to_string();
    shop.owner.execute(rows, &[&payload]).await.unwrap();
    let foreign = "INSERT INTO webhook_inbox (event_id, type, object_id, body, received_at) \
         VALUES ('evt_foreign', 'payment_intent.succeeded', 'pi_of_nobody', '{}', now())";
    shop.owner.batch_execute(foreign).await.unwrap();
    let read = async |payment: &Value| {
        let path = format!("{PAYMENTS}/{}", payment["id"].as_str().unwrap());
        let read = shop.server.get_as(&root, &path).await;
        read.data(200)["payment"]["trail"].clone()
    };
    let trail = read(&payment).await;
    let mails = trail["mails"].as_array().unwrap();
    assert_eq!(mails.len(), 2, "{trail:#}");
    let state = |mail: &Value| {
        let is_there = |field: &str| !mail[field].is_null();
        (mail["attempts"].clone(), is_there("nextTryAt"), is_there("givenUpAt"))
    };
    assert_eq!(
        (state(&mails[0]), state(&mails[1])),
        ((json!(2), true, false), (json!(33), false, true))
    );
    let text = trail.to_string();
    assert!(!text.contains("ana@example.com") && !text.contains("evt_foreign"), "{text}");

    let other = read(&cancelled).await;
    assert_eq!(other["mails"], json!([]));
    let ids = |trail: &Value| -> Vec<Value> {
        trail["webhooks"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect()
    };
    let (ours, others) = (ids(&trail), ids(&other));
    assert!(!ours.is_empty() && ours.iter().all(|id| !others.contains(id)), "{ours:?} {others:?}");
}
