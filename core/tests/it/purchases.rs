//! A payment pays for a stored quote: the row while it is open, the change when it succeeded, the ledgers.

use bipe_core::Error;
use bipe_core::company::lock;
use bipe_core::db::CompanyTx;
use bipe_core::event::{CommittedName, EventName};
use bipe_core::id::{CompanyId, PlanId, QuoteId};
use bipe_core::money::Cents;
use bipe_core::payment;
use bipe_core::plan::{self, BillingCycle};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::subscription::command::{self, PlanChoice};
use bipe_core::subscription::current_view;
use bipe_core::subscription::decide::{EndAt, Endpoint};
use bipe_core::subscription::purchase::{
    PurchaseOutcome, SuccessfulPayment, apply_paid, close_unpaid, open_pending, paid_choice,
    price_for,
};
use bipe_core::subscription::quote::Quote;
use bipe_core::subscription::store;
use bipe_core::subscription::view::SubscriptionView;
use bipe_core::testing::{self, TestDb};
use jiff::Timestamp;
use serde_json::{Value, json};

/// One company on a database with the default catalogue.
struct Shop {
    test: TestDb,
    company: CompanyId,
}

impl Shop {
    async fn open() -> Self {
        let test = TestDb::new().await;
        test.load_plans().await;
        let company =
            testing::company(&test.owner().await, test.db.clock(), "Ponto Norte").await.id;
        Self { test, company }
    }

    fn scope(&self) -> CompanyScope {
        CompanyScope::of_job(&JobScope::of_test(), self.company)
    }

    async fn tx(&self) -> CompanyTx {
        self.test.db.company_tx(&self.scope()).await.unwrap()
    }

    fn advance(&self, seconds: u32) {
        self.test.db.clock().advance(seconds);
    }

    fn now(&self) -> Timestamp {
        self.test.db.clock().now_seconds()
    }

    async fn plan(&self, name: &str) -> PlanId {
        let tx = self.test.db.tx().await.unwrap();
        let plans = plan::store::on_sale(&tx).await.unwrap();
        plans.into_iter().find(|plan| plan.display_name == name).unwrap().id
    }

    async fn choice(&self, name: &str) -> PlanChoice {
        PlanChoice { plan_id: self.plan(name).await, cycle: BillingCycle::Monthly }
    }

    async fn priced(&self, name: &str, quote_id: Option<QuoteId>) -> Result<Quote, Error> {
        let choice = self.choice(name).await;
        let mut tx = self.tx().await;
        let priced = price_for(&mut lock(&mut tx).await.unwrap(), choice, quote_id).await?;
        open_pending(&mut lock(&mut tx).await.unwrap(), priced.clone()).await?;
        tx.commit().await?;
        Ok(priced.quote)
    }

    async fn settled(&self, priced: &Quote, amount: Cents, settles_later: bool) -> PurchaseOutcome {
        self.advance(1);
        let mut tx = self.tx().await;
        let paid = SuccessfulPayment {
            means: testing::means(self.test.db.clock(), settles_later),
            quote_id: priced.id,
            amount,
            by: None,
            succeeded_at: self.now(),
        };
        let mut locked = lock(&mut tx).await.unwrap();
        let choice = paid_choice(&locked, priced.id).await.unwrap();
        let (outcome, receipt) = apply_paid(&mut locked, &paid, choice).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(self.announced().await, self.view().await);
        assert_eq!(receipt.total(), amount, "the lines of a document add up");
        assert_eq!(receipt.became_credit, outcome == PurchaseOutcome::Credited);
        outcome
    }

    async fn buy(&self, name: &str) -> PurchaseOutcome {
        let priced = self.priced(name, None).await.unwrap();
        self.settled(&priced, priced.amount_due, false).await
    }

    /// The same by a transaction and by a single round trip.
    async fn view(&self) -> Option<Value> {
        let view = current_view::read(&self.tx().await).await.unwrap().map(wire);
        let (db, scope) = (&self.test.db, self.scope());
        let (alone, _) = payment::store::view_with_subscription(db, &scope).await.unwrap();
        assert_eq!(alone.map(wire), view);
        view
    }

    /// As the newest event shows it.
    async fn announced(&self) -> Option<Value> {
        let newest =
            "SELECT data FROM events WHERE name = 'subscription.updated' ORDER BY seq DESC LIMIT 1";
        serde_json::from_str(&self.ask(newest).await).unwrap()
    }

    async fn choose(&self, endpoint: Endpoint, name: &str) -> Result<Value, Error> {
        let choice = self.choice(name).await;
        // the clock of a test stands still; two commands of one instant have no order
        self.advance(1);
        let mut tx = self.tx().await;
        let view = command::choose(&mut tx, endpoint, Some(choice), None).await?;
        tx.commit().await?;
        Ok(wire(view))
    }

    async fn cancel(&self, when: EndAt) -> Value {
        let mut tx = self.tx().await;
        let view = command::cancel(&mut tx, when, Some("Fechamos")).await.unwrap();
        tx.commit().await.unwrap();
        wire(view)
    }

    /// One column of one row, as text.
    async fn ask(&self, sql: &str) -> String {
        let sql = format!("SELECT ({sql})::text AS answer");
        let row = self.test.owner().await.query_one(&sql, &[]).await.unwrap();
        row.get::<_, Option<String>>("answer").unwrap_or_default()
    }

    async fn history(&self) -> Vec<String> {
        let tx = self.tx().await;
        let (lines, total) = store::history(&tx, 50, 0).await.unwrap();
        assert_eq!(i64::try_from(lines.len()).unwrap(), total);
        lines.iter().map(|line| line.kind.as_str().to_owned()).collect()
    }
}

fn wire(view: SubscriptionView) -> Value {
    serde_json::to_value(view).unwrap()
}

#[tokio::test]
async fn a_first_payment_shows_pending_and_its_success_starts_the_period() {
    let shop = Shop::open().await;
    let priced = shop.priced("Profissional", None).await.unwrap();
    assert_eq!(priced.amount_due, Cents(9_990));
    assert_eq!(shop.view().await.unwrap()["status"], "pending");
    assert_eq!(shop.announced().await, shop.view().await);
    shop.advance(3_600);
    let applied = shop.settled(&priced, Cents(9_990), true).await;
    assert_eq!(applied, PurchaseOutcome::Executed);
    let view = shop.view().await.unwrap();
    assert_eq!(view["status"], "active");
    assert_eq!(view["price"], json!(99.9));
    assert_eq!(view["currentPeriodStart"], "2026-11-21T16:00:01Z");
    assert_eq!(view["nextBillingDate"], "2026-12-21T16:00:01Z");
    assert_eq!(view["daysUntilExpiry"], 30);
    assert_eq!(view["plan"]["limits"]["maxUsers"], 50);
    assert_eq!(shop.history().await, ["activated"]);
    assert_eq!(shop.ask("SELECT max_users FROM companies").await, "50");
    assert_eq!(shop.ask("SELECT kind || ' ' || arr_cents FROM movements").await, "new 119880");
    assert_eq!(shop.ask("SELECT paid_cents FROM debit_segments").await, "9990");
    assert_eq!(shop.ask("SELECT count(*) FROM credit_entries").await, "0");
}

#[tokio::test]
async fn a_first_payment_that_closes_unpaid_leaves_nothing() {
    let mut shop = Shop::open().await;
    shop.priced("Essencial", None).await.unwrap();
    let mut tx = shop.tx().await;
    close_unpaid(&mut lock(&mut tx).await.unwrap()).await.unwrap();
    close_unpaid(&mut lock(&mut tx).await.unwrap()).await.unwrap();
    tx.commit().await.unwrap();
    assert!(shop.view().await.is_none());
    let mut statuses = Vec::new();
    while let Ok(events) = shop.test.committed.try_recv() {
        for event in events {
            let data: Value = serde_json::from_str(&event.data).unwrap();
            statuses.push((event.name, data["status"].clone()));
        }
    }
    let updated = CommittedName::from(EventName::SubscriptionUpdated);
    assert_eq!(statuses, [(updated.clone(), json!("pending")), (updated, Value::Null)]);
}

#[tokio::test]
async fn a_quote_outlives_a_plan_edit_and_dies_with_its_time() {
    let shop = Shop::open().await;
    let tx = shop.tx().await;
    let preview = command::preview(&tx, shop.choice("Essencial").await).await.unwrap();
    tx.commit().await.unwrap();
    let owner = shop.test.owner().await;
    owner
        .batch_execute("UPDATE plans SET monthly_cents = 5990 WHERE name = 'essencial'")
        .await
        .unwrap();
    let quoted = shop.priced("Essencial", Some(preview.quote_id)).await.unwrap();
    assert_eq!((quoted.amount_due, quoted.id), (Cents(4_990), preview.quote_id));
    shop.advance(15 * 60);
    let later = shop.priced("Essencial", Some(preview.quote_id)).await.unwrap();
    assert_eq!(later.amount_due, Cents(5_990));
    assert_ne!(later.id, preview.quote_id);
}

#[tokio::test]
async fn a_quote_outlives_that_its_plan_becomes_free() {
    let shop = Shop::open().await;
    let choice = PlanChoice { plan_id: shop.plan("Essencial").await, cycle: BillingCycle::Yearly };
    let mut tx = shop.tx().await;
    let quoted = price_for(&mut lock(&mut tx).await.unwrap(), choice, None).await.unwrap();
    tx.commit().await.unwrap();
    let give_away = "UPDATE plans SET is_free = true, monthly_cents = 0, quarterly_cents = 0, \
         yearly_cents = 0 WHERE name = 'essencial'";
    shop.test.owner().await.batch_execute(give_away).await.unwrap();
    let mut tx = shop.tx().await;
    let again = Some(quoted.id);
    let priced = price_for(&mut lock(&mut tx).await.unwrap(), choice, again).await.unwrap();
    assert_eq!((priced.amount_due, priced.cycle), (Cents(44_910), BillingCycle::Yearly));
}

#[tokio::test]
async fn a_quote_of_another_company_is_no_quote() {
    let shop = Shop::open().await;
    let foreign = shop.priced("Essencial", None).await.unwrap();
    let owner = shop.test.owner().await;
    let other = testing::company(&owner, shop.test.db.clock(), "Ponto Sul").await.id;
    let give = format!("UPDATE quotes SET company_id = '{other}'");
    owner.batch_execute(&give).await.unwrap();
    let priced = shop.priced("Essencial", Some(foreign.id)).await.unwrap();
    assert_ne!(priced.id, foreign.id);
}

#[tokio::test]
async fn an_upgrade_inside_the_period_credits_what_was_debited() {
    let shop = Shop::open().await;
    shop.buy("Essencial").await;
    shop.advance(15 * 86_400);
    let upgrade = shop.priced("Profissional", None).await.unwrap();
    assert_eq!(upgrade.amount_due, Cents(2_500));
    let refused = shop.choose(Endpoint::Upgrade, "Profissional").await.unwrap_err();
    assert!(matches!(refused, Error::PaymentRequired { expected: Cents(2_500) }), "{refused}");
    shop.settled(&upgrade, Cents(2_500), false).await;
    let view = shop.view().await.unwrap();
    assert_eq!(view["price"], json!(99.9));
    assert_eq!(view["nextBillingDate"], "2026-12-21T15:00:01Z");
    let segments = "SELECT string_agg(paid_cents || '-' || credited_cents, ' ' ORDER BY from_at) FROM debit_segments";
    assert_eq!(shop.ask(segments).await, "4990-2495 4995-0");
    assert_eq!(shop.history().await, ["upgraded", "activated"]);
    let moved = "SELECT string_agg(kind || ' ' || arr_cents, ', ' ORDER BY at) FROM movements";
    assert_eq!(shop.ask(moved).await, "new 59880, expansion 60000");
}

#[tokio::test]
async fn the_command_after_a_payment_finds_it_done() {
    let shop = Shop::open().await;
    let refused = shop.choose(Endpoint::Create, "Essencial").await.unwrap_err();
    assert!(matches!(refused, Error::PaymentRequired { expected: Cents(4_990) }), "{refused}");
    shop.buy("Essencial").await;
    let before = shop.view().await.unwrap();
    assert_eq!(shop.choose(Endpoint::Create, "Essencial").await.unwrap(), before);
    shop.advance(86_400 + 1);
    let late = shop.choose(Endpoint::Create, "Essencial").await.unwrap_err();
    assert_eq!(late.code().as_str(), "SUBSCRIPTION_EXISTS");
}

#[tokio::test]
async fn money_that_becomes_credit_wakes_what_waited_for_it() {
    let shop = Shop::open().await;
    shop.buy("Essencial").await;
    let pix = shop.priced("Profissional", None).await.unwrap();
    shop.advance(50 * 86_400);
    // The last look at an unpaid period sets no other one: the payment that is open wakes it.
    let looked = "DELETE FROM jobs WHERE kind = 'renewal'";
    shop.test.owner().await.batch_execute(looked).await.unwrap();
    let applied = shop.settled(&pix, pix.amount_due, true).await;
    assert_eq!(applied, PurchaseOutcome::Credited);
    assert_eq!(shop.ask("SELECT count(*) FROM jobs WHERE kind = 'renewal'").await, "1");
}

#[tokio::test]
async fn money_for_what_is_not_there_any_more_becomes_credit() {
    let shop = Shop::open().await;
    shop.buy("Essencial").await;
    shop.advance(5 * 86_400);
    let pix = shop.priced("Profissional", None).await.unwrap();
    shop.cancel(EndAt::Now).await;
    let applied = shop.settled(&pix, pix.amount_due, true).await;
    assert_eq!(applied, PurchaseOutcome::Credited);
    let view = shop.view().await.unwrap();
    assert_eq!(view["status"], "expired");
    let kinds = "SELECT string_agg(kind, ' ' ORDER BY kind) FROM credit_entries";
    assert_eq!(shop.ask(kinds).await, "early_end unapplied_payment");
    let balance: i64 =
        shop.ask("SELECT sum(amount_cents) FROM credit_entries").await.parse().unwrap();
    let shown = bipe_core::money::Reais(Cents(balance)).to_string();
    assert_eq!(view["creditBalance"].to_string(), shown);
    assert_eq!(shop.ask("SELECT max_users FROM companies").await, "5");
    assert_eq!(shop.history().await, ["credited", "canceled", "activated"]);
    let named = "SELECT plan_name FROM subscription_history WHERE type = 'credited'";
    assert_eq!(shop.ask(named).await, "Profissional");
}

#[tokio::test]
async fn what_a_late_payment_lacks_is_forgiven_and_a_surplus_is_kept() {
    let shop = Shop::open().await;
    shop.buy("Essencial").await;
    shop.advance(10 * 86_400);
    let pix = shop.priced("Profissional", None).await.unwrap();
    shop.advance(86_400);
    // a day later the upgrade costs less than what was quoted
    shop.settled(&pix, pix.amount_due, true).await;
    let credit = "SELECT string_agg(kind || ' ' || sign(amount_cents), ' ') FROM credit_entries";
    assert_eq!(shop.ask(credit).await, "overpayment 1");
    let all = "SELECT (SELECT sum(paid_cents - credited_cents) FROM debit_segments) \
         + (SELECT sum(amount_cents) FROM credit_entries)";
    let paid = Cents(4_990) + pix.amount_due;
    assert_eq!(shop.ask(all).await, paid.0.to_string(), "every centavo is debited or credited");
}

#[tokio::test]
async fn a_free_plan_starts_at_once_and_leads_to_a_paid_one() {
    let shop = Shop::open().await;
    let view = shop.choose(Endpoint::Create, "Grátis").await.unwrap();
    assert_eq!((&view["status"], &view["nextBillingDate"]), (&json!("active"), &Value::Null));
    let again = shop.choose(Endpoint::Create, "Grátis").await.unwrap_err();
    assert_eq!(again.code().as_str(), "SUBSCRIPTION_EXISTS");
    let contact = shop.choose(Endpoint::Upgrade, "Enterprise").await.unwrap_err();
    assert_eq!(contact.code().as_str(), "PLAN_NOT_AVAILABLE");
    shop.buy("Essencial").await;
    assert_eq!(shop.history().await, ["upgraded", "created"]);
    assert_eq!(shop.ask("SELECT count(*) FROM subscriptions").await, "1");
    assert_eq!(shop.ask("SELECT count(*) FROM debit_segments").await, "1");
}

#[tokio::test]
async fn a_downgrade_waits_is_withdrawn_and_takes_over_at_the_end() {
    let shop = Shop::open().await;
    shop.buy("Profissional").await;
    let view = shop.choose(Endpoint::Downgrade, "Grátis").await.unwrap();
    assert_eq!(view["pendingChange"]["planName"], "Grátis");
    assert_eq!(view["pendingChange"]["effectiveDate"], "2026-12-21T15:00:01Z");
    let repeated = shop.choose(Endpoint::Downgrade, "Grátis").await.unwrap();
    assert_eq!(repeated, view);
    shop.advance(1);
    let mut tx = shop.tx().await;
    let withdrawn = wire(command::withdraw(&mut tx).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(withdrawn["pendingChange"], Value::Null);
    shop.choose(Endpoint::Downgrade, "Grátis").await.unwrap();
    shop.advance(31 * 86_400);
    let free = shop.view().await.unwrap();
    assert_eq!((&free["status"], &free["price"]), (&json!("active"), &json!(0)));
    // the next command writes down what the clock has decided
    shop.buy("Essencial").await;
    assert_eq!(
        shop.history().await,
        [
            "upgraded",
            "downgraded",
            "downgrade_scheduled",
            "pending_change_withdrawn",
            "downgrade_scheduled",
            "activated"
        ]
    );
    let kinds = "SELECT string_agg(kind, ' ' ORDER BY at) FROM movements";
    assert_eq!(shop.ask(kinds).await, "new churn reactivation");
}

#[tokio::test]
async fn a_canceled_subscription_runs_to_its_end_and_can_be_taken_back() {
    let shop = Shop::open().await;
    shop.buy("Essencial").await;
    let canceled = shop.cancel(EndAt::PeriodEnd).await;
    assert_eq!(
        (&canceled["status"], &canceled["endDate"]),
        (&json!("canceled"), &json!("2026-12-21T15:00:01Z"))
    );
    assert_eq!(canceled["cancelReason"], "Fechamos");
    let back = shop.choose(Endpoint::Renew, "Essencial").await.unwrap();
    assert_eq!((&back["status"], &back["canceledAt"]), (&json!("active"), &Value::Null));
    shop.cancel(EndAt::PeriodEnd).await;
    shop.advance(31 * 86_400);
    assert_eq!(shop.view().await.unwrap()["status"], "expired");
    shop.buy("Negócio").await;
    assert_eq!(shop.ask("SELECT count(*) FROM subscriptions").await, "2");
    let kinds = "SELECT string_agg(kind, ' ' ORDER BY at) FROM movements";
    assert_eq!(shop.ask(kinds).await, "new churn reactivation");
}
