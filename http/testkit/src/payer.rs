//! The payer's side of the sandbox, as the browser's form and the payer's bank call it; and a purchase without them.

use bipe_core::company::lock;
use bipe_core::id::{CompanyId, PlanId};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use bipe_core::scope::CompanyScope;
use bipe_core::subscription::command::PlanChoice;
use bipe_core::subscription::purchase::{
    SuccessfulPayment, apply_paid, open_pending, paid_choice, price_for,
};
use bipe_core::testing;
use serde_json::{Value, json};

use crate::{Answer, TestServer, answer};

/// The form of a card that is good until 2030.
pub fn card_form(number: &str) -> [(&str, &str); 5] {
    [
        ("type", "card"),
        ("card[number]", number),
        ("card[exp_month]", "12"),
        ("card[exp_year]", "2030"),
        ("card[cvc]", "123"),
    ]
}

impl TestServer {
    /// A call with the publishable key.
    pub async fn sandbox(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let request = reqwest::Client::new().post(self.url(&format!("/sandbox/v1/{path}")));
        answer(request.bearer_auth("pk_test_sandbox").form(fields)).await
    }

    /// A card as the browser makes it; its id at the provider.
    pub async fn card(&self, number: &str) -> String {
        let made = self.sandbox("payment_methods", &card_form(number)).await;
        made.body["id"].as_str().unwrap_or_else(|| panic!("{}", made.text)).to_owned()
    }

    /// A customer with a card of its own, as the provider keeps them.
    pub async fn saved_card(&self, number: &str) -> (String, String) {
        let call = async |path: &str, fields: &[(&str, &str)]| -> Value {
            let request = reqwest::Client::new().post(self.url(&format!("/sandbox/v1/{path}")));
            answer(request.bearer_auth("sk_test_sandbox").form(fields)).await.body
        };
        let customer = call("customers", &[]).await["id"].as_str().unwrap().to_owned();
        let card = self.card(number).await;
        call(&format!("payment_methods/{card}/attach"), &[("customer", &customer)]).await;
        (customer, card)
    }

    /// The payer confirms in the browser, with another card if one is named.
    pub async fn confirm(&self, intent: &str, secret: &str, card: Option<&str>) -> Answer {
        let mut fields = vec![("client_secret", secret)];
        fields.extend(card.map(|card| ("payment_method", card)));
        self.sandbox(&format!("payment_intents/{intent}/confirm"), &fields).await
    }

    /// The payer pays or lets expire; at 3-D Secure, agrees or refuses.
    pub async fn settle(&self, intent: &str, outcome: &str) {
        let path = format!("test/payment_intents/{intent}/settle");
        let settled = self.sandbox(&path, &[("outcome", outcome)]).await;
        assert_eq!(settled.status, 200, "{}", settled.text);
    }

    /// The holder of a card that is saved without a payment answers the bank.
    pub async fn authenticate_card(&self, secret: &str, outcome: &str) {
        let setup = secret.split("_secret_").next().unwrap();
        let path = format!("test/setup_intents/{setup}/authenticate");
        let fields = [("client_secret", secret), ("outcome", outcome)];
        let answered = self.sandbox(&path, &fields).await;
        assert_eq!(answered.status, 200, "{}", answered.text);
    }

    /// Injects faults at the provider.
    pub async fn faults(&self, faults: Value) {
        let injected = self.post("/sandbox/v1/test/faults", &faults).await;
        assert_eq!(injected.status, 200, "{}", injected.text);
    }

    /// What the provider holds for the company.
    pub async fn intents(&self, company: CompanyId) -> Vec<Value> {
        let owner = self.database.owner().await;
        let find = "SELECT customer_id FROM provider_customers WHERE company_id = $1";
        let Some(row) = owner.query_opt(find, &[&company]).await.unwrap() else {
            return Vec::new();
        };
        let customer: String = row.get(0);
        let url = self.url(&format!("/sandbox/v1/payment_intents?customer={customer}"));
        let list = answer(reqwest::Client::new().get(url).bearer_auth("sk_test_sandbox")).await;
        list.body["data"].as_array().unwrap().clone()
    }

    /// What the payment side does when a payment is opened, and when it succeeds at once. Answers its amount.
    pub async fn buy(&self, company: CompanyId, plan_id: PlanId, cycle: BillingCycle) -> Cents {
        let scope = CompanyScope::of_job(&self.database.proof, company);
        let mut tx = self.database.db.company_tx(&scope).await.unwrap();
        let mut locked = lock(&mut tx).await.unwrap();
        let choice = PlanChoice { plan_id, cycle };
        let priced = price_for(&mut locked, choice, None).await.unwrap();
        open_pending(&mut locked, priced.clone()).await.unwrap();
        let paid = SuccessfulPayment {
            means: testing::means(locked.clock(), false),
            quote_id: priced.id,
            amount: priced.amount_due,
            by: None,
            succeeded_at: locked.now(),
        };
        let choice = paid_choice(&locked, priced.id).await.unwrap();
        drop(apply_paid(&mut locked, &paid, choice).await.unwrap());
        tx.commit().await.unwrap();
        priced.amount_due
    }

    /// Everything that is due is done: deliveries, webhooks, timers, mail.
    pub async fn run(&self) {
        let ran = self.post("/dev/jobs/run", &json!({})).await;
        assert_eq!(ran.status, 200, "{}", ran.text);
    }

    /// Time passes, and everything that falls due is done, here and at the provider.
    pub async fn pass(&self, seconds: u32) {
        self.database.db.clock().advance(seconds);
        self.run().await;
    }
}
