//! The database forgot a payment that the provider holds, as after a failover without the last commits.

use bipe_core::gateway::{Intent, NewIntent, Payer, key};
use bipe_core::id::PaymentId;
use bipe_core::money::Cents;
use bipe_core::payment_method::MethodDetails;
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::ChangeType;
use serde_json::{Value, json};

use super::shop::{PRICE, Shop};

impl Shop {
    /// A payment by PIX that the provider alone knows.
    async fn forgotten(&self, environment: &str) -> (PaymentId, Intent) {
        let id = PaymentId::new(&self.server.app.clock);
        (id, self.intent(id, "create", environment).await)
    }

    /// An intent of that payment, made by a key of this purpose.
    async fn intent(&self, payment_id: PaymentId, purpose: &str, environment: &str) -> Intent {
        let gateway = self.server.app.actors.directory.steps().gateway();
        let customer = gateway.create_customer(self.company, &key(self.company, "customer")).await;
        let (customer, clock) = (customer.done().unwrap(), &self.server.app.clock);
        let body = gateway.body(&NewIntent {
            payment_id,
            company_id: self.company,
            subscription: "none".into(),
            plan_id: self.plan.parse().unwrap(),
            cycle: BillingCycle::Monthly,
            change_type: ChangeType::Creation,
            amount: Cents(PRICE),
            customer: &customer,
            payer: &Payer { name: "Ana Souza".into(), email: "fill_never@example.com".into() },
            details: &MethodDetails::Pix,
            at: clock.now(),
            environment,
            trace: None,
        });
        gateway.create(&body, &key(payment_id, purpose)).await.done().unwrap()
    }

    /// The invariants that the check finds broken now.
    async fn broken(&self) -> Vec<String> {
        let report =
            bipe_actors::payment_check::run(&self.server.app.actors.directory).await.unwrap();
        report.findings.into_iter().map(|finding| finding.invariant).collect()
    }

    async fn shown(&self, id: PaymentId) -> Value {
        self.status(&json!({"id": id})).await
    }
}

#[actix_web::test]
async fn a_paid_one_comes_back_as_credit_and_is_not_asked_for_again() {
    let shop = Shop::open().await;
    let (id, intent) = shop.forgotten("development").await;
    shop.server.settle(&intent.id, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.shown(id).await["status"], "SUCCESS");
    assert_eq!(shop.credit().await, PRICE);
    assert_eq!(
        shop.number("SELECT count(*) FROM payments").await,
        1,
        "however many events told of it"
    );
    let path = format!("/api/subscriptions/company/{}/preview-change", shop.company);
    let choice = json!({"planId": shop.plan, "billingCycle": "monthly"});
    let preview = shop.server.post_as(&shop.ana, &path, &choice).await;
    assert_eq!(preview.data(200)["preview"]["billing"]["amountDue"], 0);
    assert!(
        shop.mail().await.iter().any(|subject| subject.contains("crédito")),
        "{:?}",
        shop.mail().await
    );
    let audited =
        "SELECT count(*) FROM audit_entries WHERE action IN ('payment.adopt', 'payment.succeed')";
    assert_eq!(shop.number(audited).await, 2);
}

#[actix_web::test]
async fn an_open_one_is_cancelled_at_the_provider_and_holds_no_slot() {
    let mut shop = Shop::open().await;
    let (id, intent) = shop.forgotten("development").await;
    shop.pass(1).await;
    assert_eq!(shop.shown(id).await["status"], "CANCELLED");
    let gateway = shop.server.app.actors.directory.steps().gateway();
    let asked = gateway.read(&intent.id).await.done().unwrap();
    assert_eq!(asked.status, bipe_core::gateway::IntentStatus::Canceled);
    let (again, _) = shop.begin(&shop.pix()).await;
    shop.settle(&again, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.status(&again).await["status"], "SUCCESS");
    assert_eq!(
        (shop.credit().await, shop.subscriptions().await),
        (0, vec![format!("active {PRICE}")])
    );
}

#[actix_web::test]
async fn the_payment_of_another_environment_stays_there() {
    let shop = Shop::open().await;
    let (_, intent) = shop.forgotten("staging").await;
    shop.server.settle(&intent.id, "succeeded").await;
    shop.server.run().await;
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 0);
    assert_eq!(shop.credit().await, 0);
}

#[actix_web::test]
async fn a_paid_one_of_which_no_event_came_is_found_by_the_check() {
    let shop = Shop::open().await;
    let (first, _) = shop.begin(&shop.pix()).await;
    shop.settle(&first, "succeeded").await;
    shop.server.run().await;
    let (id, intent) = shop.forgotten("development").await;
    shop.server.settle(&intent.id, "succeeded").await;
    shop.owner.batch_execute("DELETE FROM jobs WHERE kind = 'webhook'").await.unwrap();
    let report = bipe_actors::payment_check::run(&shop.server.app.actors.directory).await.unwrap();
    assert!(
        report.findings.iter().all(|finding| finding.invariant != "P2"),
        "{:?}",
        report.findings
    );
    assert_eq!(shop.shown(id).await["status"], "SUCCESS");
    assert_eq!(shop.credit().await, PRICE);
}

/// As by a defect of ours.
const REFUSE: &str = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN RAISE EXCEPTION ''refused''; END'; \
    CREATE TRIGGER refuse BEFORE UPDATE ON payments FOR EACH ROW WHEN (NEW.state = 'succeeded') \
      EXECUTE FUNCTION refuse()";

#[actix_web::test]
async fn a_success_that_cannot_be_stored_is_found_by_the_check_and_hides_nothing_else() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.owner.batch_execute(REFUSE).await.unwrap();
    shop.settle(&payment, "succeeded").await;
    shop.owner.batch_execute("DELETE FROM jobs WHERE kind = 'reconcile'").await.unwrap();
    let found = shop.broken().await;
    assert!(found.contains(&"P2".to_owned()), "the money is at the provider alone: {found:?}");
    assert!(found.contains(&"P10".to_owned()), "nothing wakes the payment: {found:?}");
    shop.owner.batch_execute("DROP TRIGGER refuse ON payments").await.unwrap();
    assert_eq!(shop.broken().await, Vec::<String>::new());
    assert_eq!(shop.status(&payment).await["status"], "SUCCESS");
    shop.server.run().await;
}

#[actix_web::test]
async fn a_lost_one_that_cannot_be_stored_is_found_by_the_check() {
    let shop = Shop::open().await;
    let (first, _) = shop.begin(&shop.pix()).await;
    shop.settle(&first, "succeeded").await;
    shop.server.run().await;
    let (id, intent) = shop.forgotten("development").await;
    shop.server.settle(&intent.id, "succeeded").await;
    shop.owner.batch_execute("DELETE FROM jobs WHERE kind = 'webhook'").await.unwrap();
    let refuse = REFUSE.replace("BEFORE UPDATE", "BEFORE INSERT").replace("= 'succeeded'", "<> ''");
    shop.owner.batch_execute(&refuse).await.unwrap();
    let found = shop.broken().await;
    assert!(found.contains(&"P2".to_owned()), "the money is at the provider alone: {found:?}");
    shop.owner.batch_execute("DROP TRIGGER refuse ON payments").await.unwrap();
    assert!(!shop.broken().await.contains(&"P2".to_owned()));
    assert_eq!(shop.shown(id).await["status"], "SUCCESS");
}

#[actix_web::test]
async fn what_the_provider_holds_otherwise_is_found_by_the_check() {
    let more = "ALTER TABLE payments DISABLE TRIGGER guard_payment; UPDATE payments SET";
    for (broken, sql) in [
        ("P1", String::new()),
        ("P3", format!("{more} received_cents = amount_cents + 1")),
        ("P5", format!("{more} state = 'succeeded', succeeded_at = updated_at")),
    ] {
        let shop = Shop::open().await;
        shop.server.leave_unproven();
        let (payment, _) = shop.begin(&shop.pix()).await;
        if broken != "P5" {
            shop.settle(&payment, "succeeded").await;
            shop.server.run().await;
        }
        assert!(!shop.broken().await.contains(&broken.to_owned()), "{broken}");
        if broken == "P1" {
            let id = PaymentId::new(&shop.server.app.clock);
            for purpose in ["create", "again"] {
                let intent = shop.intent(id, purpose, "development").await;
                shop.server.settle(&intent.id, "succeeded").await;
            }
        }
        shop.owner.batch_execute(&sql).await.unwrap();
        let found = shop.broken().await;
        assert!(found.contains(&broken.to_owned()), "{broken}: {found:?}");
    }
}
