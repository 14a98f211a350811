//! One company's life with the product: what its people do, and what the test reads back.

use std::collections::BTreeMap;

use bipe_actors::{payment_check, saved_cards};
use bipe_core::Error;
use bipe_core::id::PlanId;
use bipe_core::money::Cents;
use bipe_core::payment::PaymentView;
use bipe_core::payment::command::StartPayment;
use bipe_core::payment_method::{Method, MethodDetails};
use bipe_core::plan::BillingCycle;
use bipe_core::plan::store::on_sale;
use bipe_core::subscription::command::{self, PlanChoice};
use bipe_core::subscription::current_view;
use bipe_core::subscription::decide::{EndAt, Endpoint};
use jiff::Timestamp;
use serde_json::Value;

use crate::support::{Buyer, World, view};

pub const DAY: u32 = 86_400;
pub const GOOD_CARD: &str = "4242424242424242";
/// Attaches, and every charge fails.
pub const FAILING_CARD: &str = "4000000000000341";
/// Off session the bank asks for its holder every time.
pub const ASKING_CARD: &str = "4000002760003184";
pub const ESSENCIAL: (&str, BillingCycle) = ("Essencial", BillingCycle::Monthly);
/// Of Essencial for a month.
pub const PRICE: i64 = 4_990;
/// From the purchase on 21 November to its first renewal.
pub const FIRST: u32 = 30 * DAY;

pub struct Life<'a> {
    pub world: &'a World,
    pub buyer: Buyer,
    keys: std::cell::Cell<u32>,
}

impl<'a> Life<'a> {
    pub async fn begin(world: &'a World) -> Self {
        Self { world, buyer: world.company().await, keys: std::cell::Cell::new(0) }
    }

    pub fn now(&self) -> Timestamp {
        self.world.app.db.clock().now_seconds()
    }

    async fn plan(&self, name: &str) -> PlanId {
        let tx = self.world.app.db.tx().await.unwrap();
        let plans = on_sale(&tx).await.unwrap();
        plans.iter().find(|plan| plan.display_name == name).unwrap().id
    }

    pub async fn choice(&self, plan: &str, cycle: BillingCycle) -> PlanChoice {
        PlanChoice { plan_id: self.plan(plan).await, cycle }
    }

    /// Begins a payment; the amount must be what the server computes.
    pub async fn open(
        &self,
        (plan, cycle): (&str, BillingCycle),
        amount: i64,
        details: Option<MethodDetails>,
        method: Method,
    ) -> (PaymentView, Option<String>) {
        self.keys.set(self.keys.get() + 1);
        let key = format!("key-{}", self.keys.get());
        let usual = self.world.start(self.buyer, method, &key).await;
        let start = StartPayment {
            amount: Cents(amount),
            plan_id: self.plan(plan).await,
            cycle,
            details: details.unwrap_or(usual.details.clone()),
            ..usual
        };
        let outcome = self.world.app.actors.directory.start(start, None).await.unwrap();
        let secret = match &outcome {
            bipe_actors::billing_workflow::PaymentOutcome::Payment { secret, .. } => {
                secret.as_ref().map(|secret| secret.expose().to_owned())
            }
            _ => None,
        };
        (view(&outcome), secret)
    }

    /// Pays by a card that is saved with it.
    pub async fn pay_by_card(&self, choice: (&str, BillingCycle), amount: i64, number: &str) {
        let card = self.world.card(number).await;
        let details = MethodDetails::Card { payment_method: card, save: true };
        let (payment, secret) = self.open(choice, amount, Some(details), Method::CreditCard).await;
        self.world.confirm(&payment.transaction_id.unwrap(), &secret.unwrap(), None).await;
        self.world.pass(0).await;
    }

    /// Pays a PIX or boleto at once.
    pub async fn pay(&self, choice: (&str, BillingCycle), amount: i64, method: Method) {
        let (payment, _) = self.open(choice, amount, None, method).await;
        self.settle(&payment).await;
    }

    pub async fn settle(&self, payment: &PaymentView) {
        self.world.settle(payment.transaction_id.as_ref().unwrap(), "succeeded").await;
        self.world.pass(0).await;
    }

    /// Saves another card, to which its holder's bank agrees, and makes it the default one.
    pub async fn change_card(&self, number: &str) {
        let (scope, card) = (self.world.scope(self.buyer).await, self.world.card(number).await);
        let directory = &self.world.app.actors.directory;
        let saved = saved_cards::save(directory.steps(), scope, card.clone(), None, None).await;
        if let Some(secret) = saved.unwrap().secret {
            self.world.authenticate_card(secret.expose(), "succeeded").await;
            self.world.pass(0).await;
        }
        saved_cards::prefer(directory.steps(), &scope, card, None).await.unwrap();
        self.world.pass(0).await;
    }

    pub async fn choose(&self, endpoint: Endpoint, choice: Option<PlanChoice>) -> Value {
        self.try_choose(endpoint, choice).await.unwrap()
    }

    pub async fn try_choose(
        &self,
        endpoint: Endpoint,
        choice: Option<PlanChoice>,
    ) -> Result<Value, Error> {
        let scope = self.world.scope(self.buyer).await;
        let mut tx = self.world.app.db.company_tx(&scope).await?;
        let view = command::choose(&mut tx, endpoint, choice, None).await?;
        tx.commit().await?;
        Ok(serde_json::to_value(view).unwrap())
    }

    pub async fn cancel(&self, when: EndAt) -> Value {
        let scope = self.world.scope(self.buyer).await;
        let mut tx = self.world.app.db.company_tx(&scope).await.unwrap();
        let view = command::cancel(&mut tx, when, None).await.unwrap();
        tx.commit().await.unwrap();
        serde_json::to_value(view).unwrap()
    }

    pub async fn subscription(&self) -> Value {
        let scope = self.world.scope(self.buyer).await;
        let tx = self.world.app.db.company_tx(&scope).await.unwrap();
        let view = current_view::read(&tx).await.unwrap();
        serde_json::to_value(view).unwrap()
    }

    /// One text column of many rows; `$1` is the company.
    pub async fn list(&self, sql: &str) -> Vec<String> {
        let rows = self.world.owner.query(sql, &[&self.buyer.company]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Amounts of the payments that succeeded, oldest first.
    pub async fn paid(&self) -> Vec<i64> {
        let sql = "SELECT amount_cents FROM payments WHERE company_id = $1 AND state = 'succeeded' \
             ORDER BY created_at, id";
        let rows = self.world.owner.query(sql, &[&self.buyer.company]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    pub async fn history(&self) -> Vec<String> {
        self.list(
            "SELECT type FROM subscription_history WHERE company_id = $1 ORDER BY at, line_number",
        )
        .await
    }

    pub async fn max_users(&self) -> i32 {
        let sql = "SELECT max_users FROM companies WHERE id = $1";
        self.world.owner.query_one(sql, &[&self.buyer.company]).await.unwrap().get(0)
    }

    /// Subjects of the mails to the company's admin, with how often each came.
    pub async fn mails(&self) -> BTreeMap<String, i64> {
        let sql = "SELECT regexp_replace(subject, '( em)? [0-9/]+$', '') AS subject, count(*) FROM mailbox \
             WHERE recipient = $1 GROUP BY 1";
        let address = format!("{}@example.com", self.buyer.user);
        let rows = self.world.owner.query(sql, &[&address]).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }
}

/// What must hold of every company, whatever happened: P1 to P12, and the limits that follow the state.
pub async fn check_books(world: &World) {
    let report = payment_check::run(&world.app.actors.directory).await.unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let none = async |what: &str, sql: &str| {
        let rows = world.owner.query(sql, &[]).await.unwrap();
        let found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        assert!(found.is_empty(), "{what}: {found:?}");
    };
    none(
        "history told twice",
        // periods that are caught up are renewed at one instant of a clock that stands still
        "SELECT subscription_id || ' ' || type || ' ' || at FROM subscription_history \
         WHERE type <> 'renewed' GROUP BY subscription_id, type, at HAVING count(*) > 1",
    )
    .await;
    none(
        "a company whose limits are not those of its state",
        "SELECT c.id::text FROM companies c CROSS JOIN (SELECT max_users FROM plans WHERE is_free \
           AND status = 'active' ORDER BY hierarchy, name LIMIT 1) free LEFT JOIN LATERAL \
           (SELECT p.max_users FROM subscriptions s JOIN plans p ON p.id = s.plan_id WHERE s.company_id = c.id \
            AND s.status IN ('active', 'canceled')) held ON true \
         WHERE c.max_users <> coalesce(held.max_users, free.max_users)",
    )
    .await;
}
