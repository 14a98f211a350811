//! Refunds of platform admins: in full and in part, twice at once, refused, lost on the way, and through a crash.

use bipe_actors::refunds::{self, OpenedRefund, RefundOutcome};
use bipe_core::Code;
use bipe_core::id::PaymentId;
use bipe_core::payment::refund::{RefundCommand, RefundRequest};
use bipe_core::scope::{AdminScope, CompanyScope, JobScope};
use bipe_testkit::{Answer, Person, answer, caller};
use futures_util::future::join;
use serde_json::{Value, json};

use super::{admin, audited};
use crate::payments::shop::{PRICE, Shop};

pub struct Console {
    pub shop: Shop,
    root: Person,
    payment: Value,
}

impl Console {
    /// A company that paid by PIX.
    async fn open() -> Self {
        let shop = Shop::open().await;
        let root = admin(&shop.server).await;
        let (payment, _) = shop.begin(&shop.pix()).await;
        shop.settle(&payment, "succeeded").await;
        shop.server.run().await;
        Self { shop, root, payment }
    }

    /// A company that paid by this card.
    pub async fn of_card(number: &str) -> Self {
        let shop = Shop::open().await;
        let root = admin(&shop.server).await;
        let (payment, secret) = shop.begin(&shop.card(number).await).await;
        shop.confirm(&payment, &secret.unwrap(), None).await;
        shop.server.run().await;
        Self { shop, root, payment }
    }

    fn id(&self) -> &str {
        self.payment["id"].as_str().unwrap()
    }

    fn path(&self) -> String {
        format!("/api/admin/payments/{}", self.id())
    }

    pub async fn refund(&self, amount: i64, key: &str) -> Answer {
        let body = json!({"amount": amount, "reason": "Pedido do cliente"});
        let path = format!("{}/refunds", self.path());
        self.shop.server.post_with_key(&self.root, &path, key, &body).await
    }

    /// A refund that was asked for by who was a platform admin then.
    async fn proven(&self) -> (RefundCommand, CompanyScope) {
        let server = &self.shop.server;
        let who = server.session(&self.root).await;
        let proven = AdminScope::prove(&server.database.db, who).await.unwrap();
        let body: RefundRequest =
            serde_json::from_value(json!({"amount": 990, "reason": "Pedido do cliente"})).unwrap();
        let payment: PaymentId = self.id().parse().unwrap();
        let command = body.parse(payment, Some("k".into()), proven, &caller()).unwrap();
        (command, CompanyScope::of_job(&JobScope::of_test(), self.shop.company))
    }

    pub async fn read(&self) -> Value {
        let read = self.shop.server.get_as(&self.root, &self.path()).await;
        read.data(200)["payment"].clone()
    }

    /// What the provider gave back, newest first.
    async fn given(&self) -> Vec<i64> {
        let intent = self.payment["transactionId"].as_str().unwrap();
        let url = self.shop.server.url(&format!("/sandbox/v1/refunds?payment_intent={intent}"));
        let list = answer(reqwest::Client::new().get(url).bearer_auth("sk_test_sandbox")).await;
        let list = list.body["data"].as_array().unwrap().clone();
        list.iter().map(|refund| refund["amount"].as_i64().unwrap()).collect()
    }

    pub async fn stored(&self) -> Vec<String> {
        let sql = "SELECT state || ' ' || amount_cents FROM refunds ORDER BY created_at, id";
        self.shop.texts(sql).await
    }

    pub async fn noted(&self) -> i64 {
        self.shop.number("SELECT refunded_cents FROM payments WHERE state = 'succeeded'").await
    }

    pub async fn open_alerts(&self) -> Vec<String> {
        self.shop.texts("SELECT kind FROM alerts WHERE closed_at IS NULL ORDER BY kind").await
    }

    /// Open ones and closed ones.
    async fn raised_alerts(&self) -> Vec<String> {
        self.shop.texts("SELECT kind FROM alerts ORDER BY kind").await
    }

    pub async fn jobs(&self) -> i64 {
        self.shop.number("SELECT count(*) FROM jobs WHERE kind = 'refund'").await
    }
}

#[actix_web::test]
async fn a_part_and_then_the_rest_go_back_and_the_company_sees_and_has_documents_of_both() {
    let console = Console::open().await;
    let first = console.refund(990, "k1").await;
    let refund = first.data(201)["refund"].clone();
    assert_eq!(
        [&refund["state"], &refund["amount"], &refund["reason"], &refund["requestedBy"]],
        [&json!("accepted"), &json!(990), &json!("Pedido do cliente"), &json!("root")]
    );
    assert!(refund["providerRefund"].as_str().unwrap().starts_with("re_"));
    assert_eq!(console.noted().await, 990, "noted before the answer");
    assert_eq!(console.shop.status(&console.payment).await["refunded"], 990);
    let read = console.read().await;
    assert_eq!((&read["refundable"], &read["refundBlock"]), (&json!(PRICE - 990), &Value::Null));
    assert_eq!(read["refunds"][0], refund);
    assert_eq!(read["documents"][1]["kind"], "refund");

    console.refund(PRICE - 990, "k2").await.data(201);
    console.shop.server.run().await;
    assert_eq!(console.given().await, [PRICE - 990, 990]);
    let read = console.read().await;
    assert_eq!((&read["refundable"], &read["refundBlock"]), (&json!(0), &json!("NOTHING_LEFT")));
    assert_eq!(console.shop.subscriptions().await, ["active 9990"], "a refund takes no plan away");
    let events = "SELECT count(*) FROM events WHERE name = 'payment.updated' AND data LIKE '%\"refunded\":9%'";
    assert_eq!(console.shop.number(events).await, 2, "pages of the company hear of each");
    assert_eq!(console.raised_alerts().await, Vec::<String>::new(), "who asked needs no alert");
    let entry = (console.id().to_owned(), vec!["amount".to_owned(), "reason".to_owned()]);
    assert_eq!(audited(&console.shop.owner, "payment.ask_refund").await, [entry.clone(), entry]);
    assert_eq!(console.jobs().await, 0);
    let seen = console.shop.status(&console.payment).await.to_string();
    assert!(!seen.contains("Pedido do cliente"), "the reason is not for the company");
    let list = format!("/api/payments/company/{}", console.shop.company);
    let listed = console.shop.server.get_as(&console.shop.ana, &list).await;
    assert_eq!(listed.data(200)["totalPaid"], PRICE, "what was paid, as each row says");
}

#[actix_web::test]
async fn what_went_back_is_not_credited_for_the_time_left_too() {
    for (refunded, credited) in [(PRICE, 0), (990, PRICE - 990)] {
        let console = Console::open().await;
        console.refund(refunded, "k").await.data(201);
        let (server, ana) = (&console.shop.server, &console.shop.ana);
        let path = format!("/api/subscriptions/company/{}/cancel-robust", console.shop.company);
        let ended = server.post_as(ana, &path, &json!({"effectiveDate": "immediate"})).await;
        assert_eq!(ended.data(200)["subscription"]["status"], "expired");
        assert_eq!(console.shop.credit().await, credited);
    }
}

#[actix_web::test]
async fn what_went_back_after_the_end_is_taken_from_the_credits_of_the_next_subscription() {
    let console = Console::open().await;
    let (server, ana) = (&console.shop.server, &console.shop.ana);
    let path = format!("/api/subscriptions/company/{}", console.shop.company);
    let end = json!({"effectiveDate": "immediate"});
    let cancel = format!("{path}/cancel-robust");
    server.post_as(ana, &cancel, &end).await.data(200);
    console.refund(PRICE, "k").await.data(201);
    assert_eq!(console.shop.credit().await, PRICE, "a refund leaves the credit alone");
    let again = json!({"planId": console.shop.plan, "billingCycle": "monthly"});
    server.post_as(ana, &path, &again).await.data(201);
    assert_eq!(console.shop.credit().await, 0);
    server.post_as(ana, &cancel, &end).await.data(200);
    assert_eq!(console.shop.credit().await, 0, "the money is with the company already");
    server.is_sound().await;
}

#[actix_web::test]
async fn the_same_key_gives_back_once_and_another_body_is_refused() {
    let console = Console::open().await;
    let first = console.refund(990, "k").await;
    let again = console.refund(990, "k").await;
    assert_eq!(again.headers["idempotent-replayed"], "true");
    assert_eq!(again.data(201)["refund"], first.data(201)["refund"]);
    console.refund(991, "k").await.refused(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(console.given().await, [990]);
    let over = console.refund(PRICE, "over").await;
    over.refused(409, "REFUND_EXCEEDS_PAYMENT");
    assert_eq!(over.body["error"]["fields"]["expected"], PRICE - 990);
    let over = console.refund(PRICE, "over").await;
    assert_eq!(over.headers["idempotent-replayed"], "true", "a refusal is kept too");
    over.refused(409, "REFUND_EXCEEDS_PAYMENT");
}

#[actix_web::test]
async fn of_two_at_once_that_are_too_much_one_wins_and_two_that_fit_both_do() {
    let console = Console::open().await;
    let (one, other) = join(console.refund(6000, "a"), console.refund(6000, "b")).await;
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "{} {}", one.text, other.text);
    console.shop.server.run().await;
    assert_eq!((console.given().await, console.noted().await), (vec![6000], 6000));
    let (one, other) = join(console.refund(900, "c"), console.refund(1000, "d")).await;
    assert_eq!((one.status, other.status), (201, 201), "{} {}", one.text, other.text);
    console.shop.server.run().await;
    assert_eq!(console.noted().await, 7900);
}

#[actix_web::test]
async fn a_time_out_leaves_it_pending_and_the_repeat_gives_back_once() {
    let console = Console::open().await;
    // Both tries do the work, and both answers are lost.
    console
        .shop
        .server
        .faults(json!({"replies": {"lose": true, "times": 2}, "webhooks": {"drop": true}}))
        .await;
    let unclear = console.refund(990, "k").await;
    assert_eq!(unclear.data(202)["refund"]["state"], "pending");
    assert_eq!(console.given().await, [990], "it was made all the same");
    console.refund(PRICE - 989, "other").await.refused(409, "REFUND_EXCEEDS_PAYMENT");
    console.shop.server.faults(json!({})).await;
    let resolution = console.refund(990, "k").await;
    assert_eq!(resolution.data(201)["refund"]["state"], "accepted");
    assert_eq!((console.given().await, console.noted().await), (vec![990], 990));
    assert_eq!(console.jobs().await, 0);
}

#[actix_web::test]
async fn nobody_is_called_to_a_refund_whose_webhook_comes_before_its_answer() {
    let console = Console::open().await;
    console.shop.server.faults(json!({"replies": {"lose": true, "times": 2}})).await;
    console.refund(990, "k").await.data(202);
    console.shop.server.run().await;
    assert_eq!((console.stored().await, console.noted().await), (vec!["pending 990".into()], 990));
    console.refund(990, "k").await.data(201);
    assert_eq!(console.raised_alerts().await, Vec::<String>::new());
}

#[actix_web::test]
async fn what_nobody_repeats_is_ended_by_its_job_also_after_the_provider_forgot_the_key() {
    for wait in [60, 24 * 3600] {
        let mut console = Console::open().await;
        let faults = json!({"replies": {"lose": true, "times": 2}, "webhooks": {"drop": true}});
        console.shop.server.faults(faults).await;
        console.refund(990, "k").await.data(202);
        if wait > 60 {
            // The server is down for a day: nothing runs before the provider has forgotten the key.
            console.shop.server.database.db.clock().advance(wait);
        }
        console.shop.server.faults(json!({})).await;
        console.shop.pass(60).await;
        assert_eq!(console.stored().await, ["accepted 990"]);
        assert_eq!((console.given().await, console.noted().await), (vec![990], 990));
        assert_eq!(console.jobs().await, 0);
    }
}

#[actix_web::test]
async fn a_crash_between_the_intention_and_the_provider_loses_nothing_and_doubles_nothing() {
    let mut console = Console::open().await;
    let (command, scope) = console.proven().await;
    let payment: PaymentId = console.id().parse().unwrap();
    let directory = &console.shop.server.app.actors.directory;
    let opened = refunds::open(directory, &scope, payment, &command).await.unwrap();
    assert!(matches!(opened, OpenedRefund::New(_)));
    // Here the node dies.
    assert_eq!(
        (console.stored().await, console.given().await),
        (vec!["pending 990".to_owned()], vec![])
    );
    console.shop.pass(31).await;
    assert_eq!(console.stored().await, ["accepted 990"]);
    assert_eq!((console.given().await, console.noted().await), (vec![990], 990));
    assert_eq!(console.jobs().await, 0);
}

#[actix_web::test]
async fn an_admin_who_was_demoted_while_the_command_waited_gives_nothing_back() {
    let console = Console::open().await;
    let (command, scope) = console.proven().await;
    console.shop.owner.batch_execute("UPDATE users SET role = 'user'").await.unwrap();
    let directory = &console.shop.server.app.actors.directory;
    let payment: PaymentId = console.id().parse().unwrap();
    let opened = refunds::open(directory, &scope, payment, &command).await.unwrap();
    let OpenedRefund::Answered(RefundOutcome::Refused { error, .. }) = opened else {
        panic!("it was opened")
    };
    assert_eq!(error.code(), Code::Forbidden);
    assert_eq!(console.stored().await, Vec::<String>::new());
}

#[actix_web::test]
async fn a_provider_that_cannot_be_reached_gives_nothing_back_and_frees_the_key() {
    let console = Console::open().await;
    console.shop.server.faults(json!({"replies": {"status": 401, "times": 2}})).await;
    console.refund(990, "k").await.refused(503, "PROVIDER_UNAVAILABLE");
    assert_eq!((console.stored().await, console.jobs().await), (vec!["refused 990".to_owned()], 0));
    console.shop.server.faults(json!({})).await;
    console.refund(990, "k").await.data(201);
    assert_eq!(console.given().await, [990]);
}

#[actix_web::test]
async fn what_the_provider_refuses_says_so_and_leaves_the_money_refundable() {
    let console = Console::open().await;
    let faults = json!({"replies": {"status": 400, "code": "charge_not_refundable"}});
    console.shop.server.faults(faults).await;
    console.refund(990, "k").await.refused(409, "PAYMENT_NOT_REFUNDABLE");
    let read = console.read().await;
    assert_eq!(read["refunds"][0]["refusal"], "charge_not_refundable");
    assert_eq!(read["refundable"], PRICE);
    let again = console.refund(990, "k").await;
    assert_eq!(again.headers["idempotent-replayed"], "true");
    again.refused(409, "PAYMENT_NOT_REFUNDABLE");
    assert_eq!((console.given().await, console.noted().await), (vec![], 0));
}

#[actix_web::test]
async fn only_what_was_paid_and_can_go_back_is_given_back() {
    let mut console = Console::open().await;
    let refund = async |console: &Console, payment: &Value| -> Answer {
        let path = format!("/api/admin/payments/{}/refunds", payment["id"].as_str().unwrap());
        let body = json!({"amount": 500, "reason": "Teste"});
        console.shop.server.post_as(&console.root, &path, &body).await
    };
    for unknown in ["019e0000-0000-7000-8000-000000000000", "nothing"] {
        refund(&console, &json!({"id": unknown})).await.refused(404, "NOT_FOUND");
    }
    console.shop.pass(91 * 24 * 3600).await;
    console.root.token = console.shop.server.token(&console.root).await;
    refund(&console, &console.payment).await.refused(409, "PAYMENT_NOT_REFUNDABLE");
    assert_eq!(console.read().await["refundBlock"], "TOO_LATE");

    let shop = Shop::open().await;
    let root = admin(&shop.server).await;
    let (payment, _) = shop.begin(&shop.boleto()).await;
    let console = Console { shop, root, payment };
    refund(&console, &console.payment).await.refused(409, "PAYMENT_NOT_REFUNDABLE");
    assert_eq!(console.read().await["refundBlock"], "NOT_PAID");
    console.shop.settle(&console.payment, "succeeded").await;
    console.shop.server.run().await;
    refund(&console, &console.payment).await.refused(409, "PAYMENT_NOT_REFUNDABLE");
    assert_eq!(console.read().await["refundBlock"], "METHOD");
}

#[actix_web::test]
async fn a_refund_needs_an_amount_a_reason_and_a_platform_admin() {
    let console = Console::open().await;
    let path = format!("{}/refunds", console.path());
    let server = &console.shop.server;
    for (body, field, code) in [
        (json!({"amount": 0, "reason": "x"}), "amount", "INVALID"),
        (json!({"amount": -1, "reason": "x"}), "amount", "INVALID"),
        (json!({"amount": 100_000_000, "reason": "x"}), "amount", "INVALID"),
        (json!({"amount": 1, "reason": " \n "}), "reason", "REQUIRED"),
        (json!({"amount": 1, "reason": "x".repeat(501)}), "reason", "TOO_LONG"),
        (json!({"amount": 1, "reason": "a\u{202e}b"}), "reason", "INVALID"),
    ] {
        let refused = server.post_as(&console.root, &path, &body).await;
        refused.refused(422, "VALIDATION_ERROR");
        assert_eq!(refused.body["error"]["fields"], json!({field: code}));
    }
    let body = json!({"amount": 500, "reason": "Teste", "all": true});
    server.post_as(&console.root, &path, &body).await.refused(422, "VALIDATION_ERROR");
    let body = json!({"amount": 500, "reason": "Teste"});
    server.post_as(&console.shop.ana, &path, &body).await.refused(403, "FORBIDDEN");
    assert_eq!(console.stored().await, Vec::<String>::new());
}

#[actix_web::test]
async fn people_whose_accounts_were_erased_are_not_named_any_more() {
    let console = Console::open().await;
    console.refund(990, "k").await.data(201);
    let read = console.read().await;
    assert_eq!(read["payer"]["email"], "ana@example.com");
    assert!(read["refunds"][0]["requestedBy"].is_string(), "{}", read["refunds"]);
    let erase = "UPDATE users SET anonymised_at = created_at WHERE email = 'ana@example.com'; \
        UPDATE refunds SET requested_by = (SELECT id FROM users WHERE email = 'ana@example.com')";
    console.shop.owner.batch_execute(erase).await.unwrap();
    let read = console.read().await;
    assert_eq!((&read["payer"], &read["refunds"][0]["requestedBy"]), (&Value::Null, &Value::Null));
    assert!(read["payerId"].is_string(), "it was no charge by a job");
}
