//! Disputes of cards as platform admins see them: what the bank has cannot be given back, what it returned can. The
//! company sees and hears that a payment is disputed.

use bipe_testkit::{Answer, Person, answer};
use serde_json::{Value, json};

use super::admin;
use crate::payments::shop::{PRICE, Shop};

const DISPUTED: &str = "4000000000000259";
const INQUIRY: &str = "4000000000001976";

struct Case {
    shop: Shop,
    root: Person,
    payment: Value,
}

impl Case {
    /// A company that paid by this card.
    async fn open(card: &str) -> Self {
        let shop = Shop::open().await;
        let root = admin(&shop.server).await;
        let (payment, secret) = shop.begin(&shop.card(card).await).await;
        shop.confirm(&payment, &secret.unwrap(), None).await;
        shop.server.run().await;
        Self { shop, root, payment }
    }

    /// The evidence at which the bank decides.
    async fn hand_in(&self, evidence: &str) {
        let intent = self.payment["transactionId"].as_str().unwrap();
        let disputes = self.shop.server.url("/sandbox/v1/disputes");
        let client = reqwest::Client::new();
        let list = client.get(format!("{disputes}?payment_intent={intent}"));
        let list = answer(list.bearer_auth("sk_test_sandbox")).await.body;
        let url = format!("{disputes}/{}", list["data"][0]["id"].as_str().unwrap());
        let fields = [("evidence[uncategorized_text]", evidence)];
        let sent = client.post(url).bearer_auth("sk_test_sandbox").form(&fields);
        assert_eq!(answer(sent).await.status, 200);
        self.shop.server.run().await;
    }

    /// What can be given back, and why not.
    async fn refundable(&self) -> (Value, Value) {
        let path = format!("/api/admin/payments/{}", self.payment["id"].as_str().unwrap());
        let read = self.shop.server.get_as(&self.root, &path).await;
        let read = read.data(200)["payment"].clone();
        assert_eq!(read["disputed"] == true, read["refundBlock"] == "DISPUTED");
        (read["refundable"].clone(), read["refundBlock"].clone())
    }

    /// Whether the company reads that it is disputed, as its pages were told last.
    async fn is_shown_disputed(&self) -> bool {
        let told = "SELECT data FROM events WHERE name = 'payment.updated' ORDER BY seq";
        let told: Value =
            serde_json::from_str(&self.shop.texts(told).await.pop().unwrap()).unwrap();
        let read = self.shop.status(&self.payment).await["disputed"].clone();
        assert_eq!(told["disputed"], read);
        read == true
    }

    async fn refund(&self) -> Answer {
        let path = format!("/api/admin/payments/{}/refunds", self.payment["id"].as_str().unwrap());
        let body = json!({"amount": 990, "reason": "Pedido do cliente"});
        self.shop.server.post_as(&self.root, &path, &body).await
    }

    async fn alerts(&self) -> i64 {
        self.shop.number("SELECT count(*) FROM alerts WHERE kind = 'payment.disputed'").await
    }
}

#[actix_web::test]
async fn a_dispute_that_was_won_leaves_the_money_refundable_and_the_time_left_creditable() {
    let case = Case::open(DISPUTED).await;
    assert_eq!(case.refundable().await, (json!(0), json!("DISPUTED")));
    case.refund().await.refused(409, "PAYMENT_NOT_REFUNDABLE");
    assert!(case.is_shown_disputed().await);
    case.hand_in("winning_evidence").await;
    assert!(!case.is_shown_disputed().await);
    assert_eq!(case.refundable().await, (json!(PRICE), Value::Null));
    case.refund().await.data(201);
    let path = format!("/api/subscriptions/company/{}/cancel-robust", case.shop.company);
    let now = json!({"effectiveDate": "immediate"});
    case.shop.server.post_as(&case.shop.ana, &path, &now).await.data(200);
    assert_eq!(case.shop.credit().await, PRICE - 990);
}

#[actix_web::test]
async fn an_inquiry_takes_nothing_until_it_becomes_a_dispute_and_a_lost_one_stays() {
    let case = Case::open(INQUIRY).await;
    assert_eq!(case.refundable().await, (json!(PRICE), Value::Null));
    case.refund().await.data(201);
    assert_eq!(case.alerts().await, 0);
    assert!(!case.is_shown_disputed().await);
    case.hand_in("escalate_inquiry_evidence").await;
    assert_eq!((case.refundable().await.1, case.alerts().await), (json!("DISPUTED"), 1));
    assert!(case.is_shown_disputed().await);
    case.hand_in("losing_evidence").await;
    assert_eq!(case.refundable().await.1, json!("DISPUTED"));
    assert!(case.is_shown_disputed().await);
    case.refund().await.refused(409, "PAYMENT_NOT_REFUNDABLE");
}
