//! The payer's side of the sandbox, as the browser's form and the payer's bank call it.

use bipe_core::id::CompanyId;
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

    /// Orders failures at the provider.
    pub async fn faults(&self, orders: Value) {
        let ordered = self.post("/sandbox/v1/test/faults", &orders).await;
        assert_eq!(ordered.status, 200, "{}", ordered.text);
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
