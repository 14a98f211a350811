//! People who rename, invite and pay at the same companies at once, and others who look. Each operation is sent and
//! logged once; a payment is repeated with its key until it is answered, and taken back so that the next one may begin.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bipe_nodes::caller::Answer;
use bipe_nodes::ledger::Ended;
use bipe_simulator::chance::Chance;
use bipe_swarm::Outcome;
use bipe_swarm::payments::{PROCESS, pix};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::log::{Kind, Log, Shown};
use crate::driver::payer::{By, Life, Shop, TIMEOUT, set};

/// Seats of the plan that is bought, without its founder and with some to spare.
const SEATS: usize = 45;
/// A list shows a hundred payments.
const PAYMENTS: usize = 90;
/// Between two operations of one person at most, in milliseconds, and after one that was not answered.
const REST: i64 = 60;
const PAUSE: Duration = Duration::from_millis(100);

pub struct People<'a> {
    pub shop: &'a Shop,
    pub log: Arc<Log>,
}

impl People<'_> {
    fn is_over(&self) -> bool {
        self.shop.is_over.load(Ordering::Relaxed)
    }

    /// Creates a company; the name is the first of its names.
    pub async fn create_company(&self, name: &str) -> Outcome<String> {
        let invoked = self.log.now();
        let founded = self.shop.done("/api/companies", &json!({"companyName": name}), "").await?;
        let id = founded.text("/data/company/id").to_owned();
        let ended = Ended::Ok(self.log.now());
        self.log.append(Kind::Names.of(&id), name.to_owned(), invoked, ended);
        Ok(id)
    }

    /// Buys the plan whose seats the invitations take: a boleto, and a PIX in its place. Both are paid, so that the money
    /// of the boleto becomes credit.
    pub async fn buy(&self, company: &str) -> Outcome<Life> {
        let mut life = Life { company: company.to_owned(), ..Life::default() };
        let [slip, mut pix] =
            [self.shop.body(company, By::Boleto).await?, self.shop.body(company, By::Pix).await?];
        set(&mut pix, "replace", json!(true));
        let mut intents = Vec::new();
        for (word, body) in [("slip", slip), ("seats", pix)] {
            let (invoked, key) = (self.log.now(), format!("{word}-{company}"));
            let begun = self.shop.begin(&mut life, key, body).await?;
            intents.push(begun.ok_or("the payer does not see what to pay")?.0);
            let payment = life.purchases.last().map(|last| last.payment.clone());
            let ended = Ended::Ok(self.log.now());
            let list = Kind::Payments.of(company);
            self.log.append(list, payment.unwrap_or_default(), invoked, ended);
        }
        for intent in intents.iter().rev() {
            self.shop.sandbox.settle(intent).await?;
            life.paid += 1;
            if !self.shop.is_active_soon(company).await? {
                return Err("the plan is not active".into());
            }
        }
        Ok(life)
    }

    pub async fn rename(&self, company: &str, name: &str, seed: u64) -> Outcome<()> {
        let (mut chance, mut count) = (Chance::of(seed), 0);
        let path = format!("/api/companies/{company}");
        while !self.is_over() {
            count += 1;
            let value = format!("{name} {count}");
            let body = json!({"companyName": value});
            let (invoked, call) = (self.log.now(), (Method::PUT, path.as_str()));
            let answer = self.shop.caller.call(call, Some(&body), "").await;
            self.log.append(Kind::Names.of(company), value, invoked, answer.ended(self.log.now()));
            rest(&mut chance, &answer).await;
        }
        Ok(())
    }

    pub async fn invite(&self, company: &str, name: &str, seed: u64) -> Outcome<()> {
        let mut chance = Chance::of(seed);
        let path = format!("/api/companies/{company}/invite");
        for count in 0..SEATS {
            if self.is_over() {
                break;
            }
            let value = format!("{name}-{count}@example.com");
            let body = json!({"userEmail": value, "role": "finance"});
            let (invoked, call) = (self.log.now(), (Method::POST, path.as_str()));
            let answer = self.shop.caller.call(call, Some(&body), "").await;
            let ended = answer.ended(self.log.now());
            self.log.append(Kind::Invites.of(company), value, invoked, ended);
            rest(&mut chance, &answer).await;
            sleep(PAUSE).await;
        }
        Ok(())
    }

    pub async fn pay(&self, company: &str, name: &str, seed: u64) -> Outcome<()> {
        let mut chance = Chance::of(seed);
        let [plan, _] = &self.shop.plans;
        let body = pix(company, plan);
        for count in 0..PAYMENTS / 2 {
            if self.is_over() {
                break;
            }
            let (key, list) = (format!("{name}-{count}"), Kind::Payments.of(company));
            let (invoked, call) = (self.log.now(), (Method::POST, PROCESS));
            let answer = self.shop.caller.until_answered(call, Some(&body), &key, TIMEOUT).await?;
            let open = if answer.is_done() {
                let payment = answer.text("/data/payment/id").to_owned();
                self.log.append(list, payment.clone(), invoked, Ended::Ok(self.log.now()));
                payment
            } else {
                self.log.append(list, key, invoked, Ended::Failed);
                answer.text("/error/fields/paymentId").to_owned()
            };
            if !open.is_empty() {
                self.shop.withdraw(&open).await?;
            }
            rest(&mut chance, &answer).await;
        }
        Ok(())
    }

    /// Looks at the company and its payments again and again.
    pub async fn look(&self, company: &str, seed: u64) -> Outcome<()> {
        let mut chance = Chance::of(seed);
        while !self.is_over() {
            let answer = self.look_once(company, Duration::ZERO).await?;
            rest(&mut chance, &answer).await;
        }
        Ok(())
    }

    /// Looks until it is answered: what is there in the end.
    pub async fn look_at_last(&self, company: &str) -> Outcome<()> {
        self.look_once(company, TIMEOUT).await.map(drop)
    }

    async fn look_once(&self, company: &str, patience: Duration) -> Outcome<Answer> {
        let detail = format!("/api/companies/{company}");
        let payments = format!("/api/payments/company/{company}?limit=100");
        let invoked = self.log.now();
        let answer = self.get(&detail, patience).await?;
        if answer.is_done() {
            let name = answer.text("/data/company/companyName").to_owned();
            self.log.read(Kind::Names.of(company), Shown::Newest(name), invoked);
            let invites = texts(&answer.body, "/data/company/invites", "userEmail");
            self.log.read(Kind::Invites.of(company), Shown::All(invites), invoked);
        }
        let invoked = self.log.now();
        let answer = self.get(&payments, patience).await?;
        if answer.is_done() {
            let payments = texts(&answer.body, "/data/payments", "id");
            self.log.read(Kind::Payments.of(company), Shown::All(payments), invoked);
        }
        Ok(answer)
    }

    /// Once, or until it is answered.
    async fn get(&self, path: &str, patience: Duration) -> Outcome<Answer> {
        let caller = &self.shop.caller;
        if patience.is_zero() {
            return Ok(caller.call((Method::GET, path), None, "").await);
        }
        caller.until_answered((Method::GET, path), None, "", patience).await
    }
}

fn texts(body: &Value, list: &str, field: &str) -> Vec<String> {
    let all = body.pointer(list).and_then(Value::as_array).into_iter().flatten();
    let texts = all.filter_map(|one| one.get(field).and_then(Value::as_str));
    texts.map(str::to_owned).collect()
}

async fn rest(chance: &mut Chance, answer: &Answer) {
    let moment = u64::try_from(chance.below(REST)).unwrap_or_default();
    sleep(Duration::from_millis(moment)).await;
    if answer.status.is_none() {
        sleep(PAUSE).await;
    }
}
