//! A company that buys Profissional for a month, its person, and the payer's side of the sandbox.

use bipe_core::id::CompanyId;
use bipe_core::mailer;
use bipe_testkit::{Answer, Person};
use serde_json::{Value, json};
use tokio_postgres::Client;

use crate::app::{TestApp, spawn_app_with};

pub const PRICE: i64 = 9990;
pub const PROCESS: &str = "/api/payments/process";

pub struct Shop {
    pub server: TestApp,
    pub ana: Person,
    pub company: CompanyId,
    pub plan: String,
    pub owner: Client,
}

impl Shop {
    pub async fn open() -> Self {
        Self::open_with(&[]).await
    }

    /// The same with further flags of the server.
    pub async fn open_with(flags: &[&str]) -> Self {
        let server = spawn_app_with(flags).await;
        let ana = server.person("ana@example.com").await;
        let company = server.company(&ana, "Ponto Central").await;
        let plans = server.get("/api/subscriptions/plans").await;
        let plans = plans.data(200)["plans"].as_array().unwrap();
        let plan = plans.iter().find(|plan| plan["displayName"] == "Profissional").unwrap();
        let plan = plan["id"].as_str().unwrap().to_owned();
        let owner = server.database.owner().await;
        Self { server, ana, company, plan, owner }
    }

    /// The same with the plan paid by a card that is saved and renews it.
    pub async fn renewing() -> Self {
        let shop = Self::open().await;
        let mut body = shop.card("4242424242424242").await;
        body["saveMethod"] = json!(true);
        let (payment, secret) = shop.begin(&body).await;
        shop.confirm(&payment, &secret.unwrap(), None).await;
        shop.server.run().await;
        shop
    }

    fn body(&self) -> Value {
        json!({
            "amount": PRICE, "currency": "brl",
            "customer": {"id": self.ana.id, "name": "Ana Souza", "email": "fill_never@example.com"},
            "metadata": {"companyId": self.company, "planId": self.plan, "billingCycle": "monthly",
                "changeType": "creation"},
        })
    }

    pub fn pix(&self) -> Value {
        let mut body = self.body();
        body["paymentMethod"] = json!({"type": "PIX"});
        body
    }

    pub fn boleto(&self) -> Value {
        let mut body = self.body();
        body["paymentMethod"] = json!({"type": "BANK_SLIP"});
        let address = json!({"line1": "Rua São João, 3", "city": "São Paulo", "state": "SP",
            "postalCode": "01310-100"});
        body["billing"] = json!({"taxId": "000.000.000-00", "address": address});
        body
    }

    pub async fn card(&self, number: &str) -> Value {
        let mut body = self.body();
        body["payment_method"] = json!(self.server.card(number).await);
        body["metadata"]["source"] = json!("sandbox-card");
        body
    }

    pub async fn process(&self, body: &Value) -> Answer {
        self.server.post_as(&self.ana, PROCESS, body).await
    }

    /// The payment of an answer that must be 201.
    pub async fn begin(&self, body: &Value) -> (Value, Option<String>) {
        let answer = self.process(body).await;
        let data = answer.data(201);
        (data["payment"].clone(), data["client_secret"].as_str().map(str::to_owned))
    }

    pub async fn status(&self, payment: &Value) -> Value {
        let path = format!("/api/payments/status/{}", payment["id"].as_str().unwrap());
        self.server.get_as(&self.ana, &path).await.data(200)["payment"].clone()
    }

    pub async fn cancel(&self, payment: &Value) -> Answer {
        let path = format!("/api/payments/cancel/{}", payment["id"].as_str().unwrap());
        self.server.post_as(&self.ana, &path, &json!({})).await
    }

    /// The payer confirms in the browser, with another card if one is named.
    pub async fn confirm(&self, payment: &Value, secret: &str, card: Option<&str>) -> Answer {
        self.server.confirm(payment["transactionId"].as_str().unwrap(), secret, card).await
    }

    /// The payer pays or lets expire; at 3-D Secure, agrees or refuses.
    pub async fn settle(&self, payment: &Value, outcome: &str) {
        self.server.settle(payment["transactionId"].as_str().unwrap(), outcome).await;
    }

    /// Time passes; the session is renewed, because tokens live by the same clock.
    pub async fn pass(&mut self, seconds: u32) {
        self.server.pass(seconds).await;
        self.ana.token = self.server.token(&self.ana).await;
    }

    /// One number of the database.
    pub async fn number(&self, sql: &str) -> i64 {
        self.owner.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// The balance of the one company.
    pub async fn credit(&self) -> i64 {
        self.number("SELECT coalesce(sum(amount_cents), 0)::bigint FROM credit_entries").await
    }

    /// The one text column of all rows.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        self.owner.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    }

    pub async fn subscriptions(&self) -> Vec<String> {
        self.texts("SELECT status || ' ' || price_cents FROM subscriptions ORDER BY created_at")
            .await
    }

    /// Subjects of the mail that the person got, oldest first.
    pub async fn mail(&self) -> Vec<String> {
        let db = &self.server.database.db;
        let mut mail = mailer::mailbox(db, Some(&self.ana.email)).await.unwrap();
        mail.reverse();
        mail.into_iter().map(|mail| mail.subject).collect()
    }
}
