//! The provider's events at our door: signature first, stored once, never believed.

use bipe_actors::payment_check;
use bipe_core::gateway::webhook::sign;
use bipe_testkit::{Answer, answer};
use serde_json::{Value, json};

use crate::payments::shop::Shop;

const PATH: &str = "/api/payments/webhooks/stripe";

impl Shop {
    async fn deliver(&self, body: &str, header: Option<&str>) -> Answer {
        let mut request = reqwest::Client::new().post(self.server.url(PATH)).body(body.to_owned());
        if let Some(header) = header {
            request = request.header("stripe-signature", header);
        }
        answer(request).await
    }

    fn header(&self, body: &str, age: i64) -> String {
        let time = self.server.app.clock.now().as_second() - age;
        let signature = sign(&self.server.app.webhook_secrets[0], time, body.as_bytes());
        format!("t={time},v1={signature}")
    }

    async fn inbox(&self) -> Vec<String> {
        self.texts("SELECT event_id || ' ' || coalesce(outcome, '-') FROM webhook_inbox ORDER BY 1")
            .await
    }

    /// Follows the provider's list from the company's beginning, and does what comes of it.
    async fn sweep(&self) {
        let sweep = "INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
            SELECT gen_random_uuid(), 'event_sweep', 'events', json_build_object('followed_until', created_at), \
            created_at, created_at FROM companies";
        self.owner.batch_execute(sweep).await.unwrap();
        self.server.run().await;
    }
}

fn event(id: &str, kind: &str, object: Value) -> String {
    json!({"id": id, "type": kind, "created": 1, "data": {"object": object}}).to_string()
}

#[actix_web::test]
async fn only_what_the_provider_signed_just_now_is_taken() {
    let shop = Shop::open().await;
    let body = event("evt_1", "payment_intent.succeeded", json!({"id": "pi_1"}));
    let good = shop.header(&body, 0);
    let changed = body.replace("pi_1", "pi_2");
    let unsigned = [
        (body.as_str(), None),
        (body.as_str(), Some("")),
        (body.as_str(), Some("t=1,v1=00")),
        (changed.as_str(), Some(good.as_str())),
    ];
    for (body, header) in unsigned {
        let refused = shop.deliver(body, header).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
    }
    for age in [301, -301] {
        assert_eq!(shop.deliver(&body, Some(&shop.header(&body, age))).await.status, 400);
    }
    assert!(shop.inbox().await.is_empty(), "nothing of it is kept");
    assert_eq!(shop.deliver(&body, Some(&good)).await.status, 200);
    assert_eq!(shop.inbox().await, ["evt_1 -"]);
}

#[actix_web::test]
async fn bad_signatures_of_an_address_end_at_thirty_and_signed_events_go_on() {
    let shop = Shop::open().await;
    shop.server.app.limits.hold();
    let body = event("evt_1", "payment_intent.succeeded", json!({"id": "pi_1"}));
    for _ in 0..30 {
        shop.deliver(&body, None).await.refused(400, "VALIDATION_ERROR");
    }
    let refused = shop.deliver(&body, None).await;
    refused.refused(429, "RATE_LIMITED");
    assert_eq!(refused.headers["retry-after"], "2");
    assert_eq!(shop.deliver(&body, Some(&shop.header(&body, 0))).await.status, 200);
}

#[actix_web::test]
async fn a_replayed_event_is_answered_and_does_nothing() {
    let shop = Shop::open().await;
    let body = event("evt_1", "payment_intent.succeeded", json!({"id": "pi_1"}));
    for _ in 0..3 {
        assert_eq!(shop.deliver(&body, Some(&shop.header(&body, 0))).await.status, 200);
    }
    assert_eq!(shop.inbox().await.len(), 1);
    assert_eq!(shop.number("SELECT count(*) FROM jobs WHERE kind = 'webhook'").await, 1);
}

#[actix_web::test]
async fn an_event_is_a_hint_and_no_proof() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    let lie = event(
        "evt_lie",
        "payment_intent.succeeded",
        json!({"id": payment["transactionId"],
        "status": "succeeded", "amount_received": 9990}),
    );
    assert_eq!(shop.deliver(&lie, Some(&shop.header(&lie, 0))).await.status, 200);
    shop.server.run().await;
    assert_eq!(shop.status(&payment).await["status"], "PENDING", "the provider says otherwise");
    assert!(shop.inbox().await.contains(&"evt_lie handled".to_owned()));
}

#[actix_web::test]
async fn an_event_that_tells_what_is_stored_changes_nothing() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    let version = "SELECT version FROM payments";
    let before = shop.number(version).await;
    shop.pass(1).await;
    let waits = "SELECT outcome FROM webhook_inbox WHERE type = 'payment_intent.requires_action'";
    assert_eq!(shop.texts(waits).await, ["handled"]);
    assert_eq!(shop.number(version).await, before, "it was not even read");
    assert_eq!(shop.status(&payment).await["status"], "PENDING");
}

#[actix_web::test]
async fn an_unknown_event_shape_is_stored_and_answered_200() {
    let shop = Shop::open().await;
    let strange = r#"{"id":"evt_new","type":"moon.landed","data":7}"#;
    assert_eq!(shop.deliver(strange, Some(&shop.header(strange, 0))).await.status, 200);
    for bytes in ["[]", "{}", "no json"] {
        assert_eq!(shop.deliver(bytes, Some(&shop.header(bytes, 0))).await.status, 200);
    }
    shop.server.run().await;
    assert_eq!(shop.inbox().await, ["evt_new ignored"]);
}

#[actix_web::test]
async fn a_webhook_has_256_kib_at_most() {
    let shop = Shop::open().await;
    for (bytes, status) in [(256 * 1024, 200), (256 * 1024 + 1, 413)] {
        let body = "x".repeat(bytes);
        let delivered = shop.deliver(&body, Some(&shop.header(&body, 0))).await;
        assert_eq!(delivered.status, status, "{bytes}");
    }
}

#[actix_web::test]
async fn a_signed_event_that_no_row_can_hold_is_no_server_error() {
    let shop = Shop::open().await;
    let object = json!({"id": "pi_1"});
    let long = "e".repeat(9_000);
    let bodies = [
        event("evt_\0", "payment_intent.succeeded", object.clone()),
        event("evt_1", "payment_intent\0", object.clone()),
        event(&long, "payment_intent.succeeded", object.clone()),
        event("", "payment_intent.succeeded", object),
    ];
    for body in bodies {
        assert_eq!(shop.deliver(&body, Some(&shop.header(&body, 0))).await.status, 200, "{body}");
    }
    assert!(shop.inbox().await.is_empty(), "there is no key to keep it under");
    let body = event("evt_2", "payment_intent.succeeded", json!({"id": "pi_\0"}));
    assert_eq!(shop.deliver(&body, Some(&shop.header(&body, 0))).await.status, 200);
    shop.server.run().await;
    assert_eq!(shop.inbox().await.len(), 1);
}

#[actix_web::test]
async fn an_event_before_its_row_is_not_lost_and_a_foreign_one_is_filed() {
    let mut shop = Shop::open().await;
    let body = event("evt_1", "payment_intent.succeeded", json!({"id": "pi_nobody"}));
    shop.deliver(&body, Some(&shop.header(&body, 0))).await;
    shop.server.run().await;
    assert_eq!(shop.inbox().await, ["evt_1 -"], "parked: our row may come");
    for seconds in [60, 300, 1800, 3 * 3600, 24 * 3600, 72 * 3600] {
        assert_eq!(shop.inbox().await, ["evt_1 -"]);
        shop.pass(seconds).await;
    }
    assert_eq!(shop.inbox().await, ["evt_1 foreign"]);
    assert_eq!(shop.number("SELECT count(*) FROM jobs WHERE kind = 'webhook'").await, 0);
}

/// Somebody has edited the object at the provider: what it says now is about no payment of ours.
#[actix_web::test]
async fn an_object_that_names_another_payment_is_filed_as_foreign_and_told_to_a_person() {
    let other = "01890a5d-ac96-774b-bcce-b302099a8057";
    for (name, value) in [("env", "staging"), ("paymentId", other)] {
        let mut shop = Shop::open().await;
        // The provider shows a success that nobody follows here.
        shop.server.leave_unproven();
        let (payment, _) = shop.begin(&shop.pix()).await;
        shop.server.run().await;
        let path =
            format!("/sandbox/v1/payment_intents/{}", payment["transactionId"].as_str().unwrap());
        let edit =
            reqwest::Client::new().post(shop.server.url(&path)).bearer_auth("sk_test_sandbox");
        let edited = answer(edit.form(&[(format!("metadata[{name}]"), value)])).await;
        assert_eq!(edited.status, 200, "{}", edited.text);
        shop.settle(&payment, "succeeded").await;
        // Long enough for the payment's own timer.
        shop.pass(61).await;
        let filed = "SELECT outcome FROM webhook_inbox WHERE type = 'payment_intent.succeeded'";
        assert_eq!(shop.texts(filed).await, ["foreign"], "{name}");
        let failed = "SELECT kind || ' ' || last_error FROM jobs WHERE last_error <> ''";
        assert_eq!(shop.texts(failed).await, [""; 0], "{name}");
        let timers = "SELECT count(*) FROM jobs WHERE kind = 'reconcile'";
        assert_eq!(shop.number(timers).await, 1, "the payment is open");
        assert_eq!(shop.texts("SELECT kind FROM alerts").await, ["payment.foreign_object"]);
        let path = format!("/api/payments/authenticate/{}", payment["id"].as_str().unwrap());
        let asked = shop.server.post_as(&shop.ana, &path, &json!({})).await;
        let shown = asked.data(200);
        assert_eq!(
            (&shown["payment"]["status"], &shown["client_secret"]),
            (&json!("PENDING"), &Value::Null)
        );
    }
}

#[actix_web::test]
async fn a_saved_card_that_changes_at_the_provider_changes_here_without_anybody_looking() {
    let shop = Shop::open().await;
    let card = shop.server.card("4242424242424242").await;
    let body = json!({"paymentMethodId": card});
    shop.server.post_as(&shop.ana, &shop.methods_path(), &body).await.data(201);
    shop.server.run().await;
    let at_provider = async |path: &str, fields: &[(&str, &str)]| {
        let url = shop.server.url(&format!("/sandbox/v1/payment_methods/{card}{path}"));
        let call = reqwest::Client::new().post(url).bearer_auth("sk_test_sandbox");
        let changed = answer(call.form(fields)).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
    };
    let receive = async |id: &str, kind: &str, card: &str| {
        let body = event(id, kind, json!({"id": card}));
        let received = shop.deliver(&body, Some(&shop.header(&body, 0))).await;
        assert_eq!(received.status, 200, "{}", received.text);
        shop.server.run().await;
    };
    let stored = "SELECT id || ' ' || exp_year || ' ' || is_declined FROM payment_methods";
    shop.owner.batch_execute("UPDATE payment_methods SET is_declined = true").await.unwrap();
    receive("evt_0", "payment_method.automatically_updated", &card).await;
    assert_eq!(shop.texts(stored).await, [format!("{card} 2030 true")], "nothing has changed");
    at_provider("", &[("card[exp_year]", "2033")]).await;
    receive("evt_1", "payment_method.automatically_updated", &card).await;
    let changed = [format!("{card} 2033 false")];
    assert_eq!(shop.texts(stored).await, changed, "its bank may let a renewal pass again");
    at_provider("/detach", &[]).await;
    shop.server.run().await;
    assert!(shop.texts(stored).await.is_empty(), "a renewal would have charged it");
    receive("evt_2", "payment_method.detached", &card).await;
    assert!(shop.inbox().await.contains(&"evt_2 ignored".to_owned()), "it is nobody's now");
}

#[actix_web::test]
async fn the_providers_list_is_followed_to_its_end_however_long_nobody_looked() {
    let mut shop = Shop::open().await;
    for hours in [0, 20, 30] {
        shop.pass(hours * 3600).await;
        let (payment, _) = shop.begin(&shop.pix()).await;
        shop.settle(&payment, "expired").await;
        shop.server.run().await;
    }
    let events = async || shop.texts("SELECT event_id FROM webhook_inbox ORDER BY 1").await;
    let known = events().await;
    assert!(known.len() >= 3, "{known:?}");
    shop.owner.batch_execute("DELETE FROM webhook_inbox").await.unwrap();
    shop.sweep().await;
    assert_eq!(events().await, known, "from the oldest on, span by span");
}

#[actix_web::test]
async fn what_one_run_left_of_the_providers_list_is_followed_by_the_next() {
    let mut shop = Shop::open().await;
    let pay_nothing = async |shop: &Shop| {
        let (payment, _) = shop.begin(&shop.pix()).await;
        shop.settle(&payment, "expired").await;
        shop.server.run().await;
        shop.texts("SELECT event_id FROM webhook_inbox ORDER BY 1").await
    };
    let left = pay_nothing(&shop).await;
    shop.pass(2 * 3600).await;
    assert!(pay_nothing(&shop).await.len() > left.len());
    let sweep = "DELETE FROM webhook_inbox; INSERT INTO jobs (id, kind, key, payload, run_at, created_at) \
        SELECT gen_random_uuid(), 'event_sweep', 'events', json_build_object('followed_until', created_at, 'rest', \
        json_build_object('until', created_at + interval '1 hour', 'span_end', created_at + interval '9 hours')), \
        created_at, created_at FROM companies";
    shop.owner.batch_execute(sweep).await.unwrap();
    shop.server.run().await;
    let followed = shop.texts("SELECT event_id FROM webhook_inbox ORDER BY 1").await;
    assert_eq!(followed, left, "the newer ones were followed before");
}

#[actix_web::test]
async fn an_event_that_was_given_up_is_handled_once_the_provider_answers_again() {
    let mut shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.pass(1).await;
    let outage = json!({"replies": {"status": 500, "reads": true, "times": 1_000}});
    shop.server.faults(outage).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    shop.owner.batch_execute("UPDATE jobs SET attempts = 11 WHERE kind = 'webhook'").await.unwrap();
    shop.pass(5).await;
    let dead = "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL";
    assert_eq!(shop.number(dead).await, 1, "after the twelfth failure");
    shop.server.faults(json!({})).await;
    shop.sweep().await;
    assert_eq!(shop.number("SELECT count(*) FROM jobs WHERE kind = 'webhook'").await, 0);
    let handled = "SELECT outcome FROM webhook_inbox WHERE type = 'payment_intent.succeeded'";
    assert_eq!(shop.texts(handled).await, ["handled"]);
    let report = payment_check::run(&shop.server.app.actors.directory).await.unwrap();
    assert_eq!(report.findings, []);
}
