//! Refunds that come to nothing after the platform admin had gone: they say so, and a person is asked for.

use serde_json::{Value, json};

use super::refunds::Console;
use crate::payments::shop::PRICE;

const FAILED: &str = "payment.refund_failed";
/// A refund to it fails three minutes later.
const REFUND_FAILS: &str = "4000000000005126";

impl Console {
    /// What the audit says of the refunds, oldest first.
    async fn history(&self) -> Vec<String> {
        let sql = "SELECT action FROM audit_entries \
             WHERE action IN ('payment.refund', 'payment.refuse_refund') ORDER BY at, id";
        self.shop.texts(sql).await
    }

    /// The amount that the company reads beside the newest act of the kind.
    async fn told(&self, action: &str) -> Value {
        let log = format!("/api/companies/{}/audit?action={action}", self.shop.company);
        let log = self.shop.server.get_as(&self.shop.ana, &log).await;
        log.data(200)["entries"][0]["target"]["amount"].clone()
    }
}

#[actix_web::test]
async fn what_fails_after_it_was_given_back_is_refundable_again_and_told_once() {
    let mut console = Console::of_card(REFUND_FAILS).await;
    console.refund(990, "k1").await.data(201);
    console.shop.server.run().await;
    assert_eq!((console.noted().await, console.open_alerts().await), (990, vec![]));
    for act in ["payment.ask_refund", "payment.refund"] {
        assert_eq!(console.told(act).await, 990, "{act}: not what was paid");
    }
    console.shop.pass(180).await;
    assert_eq!((console.stored().await, console.noted().await), (vec!["refused 990".into()], 0));
    assert_eq!(console.told("payment.refuse_refund").await, 990);
    let read = console.read().await;
    let failed = &read["refunds"][0];
    assert_eq!(failed["refusal"], "expired_or_canceled_card");
    assert!(failed["providerRefund"].as_str().unwrap().starts_with("re_"), "it was accepted");
    assert_eq!((&read["refundable"], &read["refundBlock"]), (&json!(PRICE), &Value::Null));
    assert_eq!(read["documents"].as_array().unwrap().len(), 3, "both ways are documented");
    assert_eq!(console.history().await, ["payment.refund", "payment.refuse_refund"]);
    assert_eq!((console.open_alerts().await, console.jobs().await), (vec![FAILED.into()], 0));
    // What was asked for now is all that went back: only the failure needs a person.
    console.refund(PRICE, "k2").await.data(201);
    console.shop.server.run().await;
    assert_eq!(console.stored().await, ["refused 990".to_owned(), format!("accepted {PRICE}")]);
    assert_eq!(console.open_alerts().await, [FAILED]);
}

#[actix_web::test]
async fn what_fails_before_any_read_has_shown_it_is_told_too() {
    let mut console = Console::of_card(REFUND_FAILS).await;
    // It is given back, both answers are lost, and nothing runs until it has failed.
    let faults = json!({"replies": {"lose": true, "times": 2}, "webhooks": {"drop": true}});
    console.shop.server.faults(faults).await;
    console.refund(990, "k").await.data(202);
    console.shop.pass(180).await;
    assert_eq!((console.stored().await, console.noted().await), (vec!["refused 990".into()], 0));
    let read = console.read().await;
    assert_eq!(read["refunds"][0]["refusal"], "expired_or_canceled_card");
    assert_eq!(read["documents"].as_array().unwrap().len(), 1, "no money went anywhere");
    assert_eq!(console.history().await, ["payment.refuse_refund"]);
    assert_eq!((console.open_alerts().await, console.jobs().await), (vec![FAILED.into()], 0));
}

#[actix_web::test]
async fn what_is_refused_after_an_unclear_answer_is_told_and_what_is_refused_at_once_is_not() {
    let mut console = Console::of_card("4242424242424242").await;
    let refusal = json!({"replies": {"status": 400, "code": "charge_not_refundable"}});
    console.shop.server.faults(refusal.clone()).await;
    console.refund(990, "k1").await.refused(409, "PAYMENT_NOT_REFUNDABLE");
    assert_eq!(console.open_alerts().await, Vec::<String>::new(), "who asked has the answer");
    console.shop.server.faults(json!({"replies": {"status": 500, "times": 2}})).await;
    console.refund(990, "k2").await.data(202);
    console.shop.server.faults(refusal).await;
    console.shop.pass(60).await;
    assert_eq!(console.stored().await, ["refused 990", "refused 990"]);
    assert_eq!(console.told("payment.refuse_refund").await, 990, "not what was paid");
    assert_eq!((console.open_alerts().await, console.jobs().await), (vec![FAILED.into()], 0));
}
