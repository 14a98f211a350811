//! The desk at which the calls of `state_table.rs` are made: a company, its plans, and a checksum of all of its rows.

use bipe_core::id::CompanyId;
use bipe_testkit::Answer;
use serde_json::{Value, json};
use tokio_postgres::Statement;

use super::shop::Shop;
use crate::isolation::world::rows_of_a_company;

/// Tables that a refusal may write: the kept answer and the limits.
const KEPT: [&str; 2] = ["idempotency_keys", "rate_buckets"];

pub struct Desk {
    pub shop: Shop,
    plans: Value,
    /// What `checksum` asks.
    rows: Statement,
}

/// One call and what it has to answer. `PLAN:…` in a body stands for the id of that plan.
pub type Case<'a> = (&'a str, &'a str, Value, u16, &'a str);

impl Desk {
    pub async fn open() -> Self {
        let shop = Shop::open().await;
        let plans = shop.server.get("/api/subscriptions/plans").await;
        let plans = plans.data(200)["plans"].clone();
        let rows = rows_of_a_company(&shop.owner, &KEPT).await;
        Self { shop, plans, rows }
    }

    fn plan(&self, name: &str) -> String {
        let plans = self.plans.as_array().unwrap();
        let plan = plans.iter().find(|plan| plan["displayName"] == name);
        plan.unwrap_or_else(|| panic!("{name}"))["id"].as_str().unwrap().to_owned()
    }

    pub fn choice(&self, plan: &str, cycle: &str) -> Value {
        json!({"planId": self.plan(plan), "billingCycle": cycle})
    }

    pub fn path(&self, tail: &str) -> String {
        format!("/api/subscriptions/company/{}{tail}", self.shop.company)
    }

    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let server = &self.shop.server;
        match method {
            "DELETE" => server.delete_as(&self.shop.ana, path).await,
            _ => server.post_as(&self.shop.ana, path, body).await,
        }
    }

    /// A checksum of every row that belongs to the company, table by table.
    pub async fn checksum(&self, company: CompanyId) -> Vec<String> {
        let sums = self.shop.owner.query(&self.rows, &[&company.to_string()]).await.unwrap();
        sums.iter().map(|row| row.get(0)).collect()
    }

    /// Sends all of them, and tells of every one that was answered otherwise or left a trace.
    pub async fn refuses(&self, state: &str, cases: &[Case<'_>]) {
        let mut wrong = Vec::new();
        for (method, tail, body, status, code) in cases {
            let path = if tail.starts_with("/api") { (*tail).to_owned() } else { self.path(tail) };
            let before = self.checksum(self.shop.company).await;
            let answer = self.send(method, &path, body).await;
            let stays = self.checksum(self.shop.company).await == before;
            if (answer.status, answer.code()) != (*status, *code) || !stays {
                wrong.push(format!("{method} {tail} {body}: {status} {code}, but {}", answer.text));
            }
        }
        assert!(wrong.is_empty(), "{state}:\n{}", wrong.join("\n"));
    }

    /// Buys by PIX what the body asks for.
    pub async fn buy(&self, plan: &str, amount: i64) {
        let mut body = self.shop.pix();
        body["amount"] = json!(amount);
        body["metadata"]["planId"] = json!(self.plan(plan));
        let (payment, _) = self.shop.begin(&body).await;
        self.shop.settle(&payment, "succeeded").await;
        self.shop.server.run().await;
        assert_eq!(self.shop.status(&payment).await["status"], "SUCCESS");
    }

    pub fn pay(&self, plan: &str, cycle: &str, amount: Value) -> Value {
        let mut body = self.shop.pix();
        body["amount"] = amount;
        body["metadata"]["planId"] = json!(self.plan(plan));
        body["metadata"]["billingCycle"] = json!(cycle);
        body
    }

    pub fn with(&self, change: &[(&str, Value)], mut body: Value) -> Value {
        for (field, value) in change {
            body[*field] = value.clone();
        }
        body
    }
}
