//! People who buy, pay, upgrade, cancel and invite, one company after the other, and repeat every command with its key
//! until it is answered. What they were answered is kept: it has to be true in the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bipe_nodes::caller::{Answer, Caller};
use bipe_nodes::sandbox::Sandbox;
use bipe_simulator::chance::Chance;
use bipe_swarm::Outcome;
use bipe_swarm::payments::{PROCESS, pix};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

/// For one answer, however often the server is away meanwhile.
pub const TIMEOUT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(100);
/// A payer who does not see code or subscription by then comes back another day: the provider's word may be lost, and
/// the sweep that finds it runs each hour.
const SOON: Duration = Duration::from_secs(10);

/// What a company was answered.
#[derive(Clone, Debug, Default)]
pub struct Life {
    pub company: String,
    pub purchases: Vec<Purchase>,
    /// Of the purchases, how many the payer paid for at the provider.
    pub paid: usize,
    pub is_canceled: bool,
    /// The payer took the one payment back before it was paid.
    pub is_withdrawn: bool,
    pub invited: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Purchase {
    pub key: String,
    pub body: Value,
    /// The payment's id in the first answer.
    pub payment: String,
}

/// What all payers share.
pub struct Shop {
    pub url: String,
    pub caller: Arc<Caller>,
    pub sandbox: Sandbox,
    /// Ids of the plan that is bought and of the one above it.
    pub plans: [String; 2],
    /// Between two companies of one payer: what is tried is not load.
    pub pause: Duration,
    pub is_over: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Card,
    Pix,
    Boleto,
}

/// One company after the other until it is over; the answers of all of them.
pub async fn live(shop: &Shop, name: &str, seed: u64) -> Outcome<Vec<Life>> {
    let (mut chance, mut lives) = (Chance::of(seed), Vec::new());
    while !shop.is_over.load(Ordering::Relaxed) {
        let name = format!("{name}-{}", lives.len());
        let life = one(shop, &name, &mut chance).await;
        lives.push(life.map_err(|error| format!("{name}: {error}"))?);
        sleep(shop.pause).await;
    }
    Ok(lives)
}

async fn one(shop: &Shop, name: &str, chance: &mut Chance) -> Outcome<Life> {
    let founded = shop.done("/api/companies", &json!({"companyName": name}), "").await?;
    let mut life = Life { company: founded.text("/data/company/id").to_owned(), ..Life::default() };
    let by = chance.pick(&[By::Card, By::Pix, By::Boleto]);
    let body = shop.body(&life.company, by).await?;
    let begun = shop.begin(&mut life, format!("{name}-buy"), body).await?;
    let Some((intent, secret)) = begun else { return Ok(life) };
    if by == By::Pix && chance.one_in(4) {
        let payment = life.purchases.first().map(|first| first.payment.clone());
        shop.withdraw(&payment.unwrap_or_default()).await?;
        life.is_withdrawn = true;
        return Ok(life);
    }
    match by {
        By::Card => shop.confirm(&intent, &secret).await?,
        By::Pix | By::Boleto => shop.sandbox.settle(&intent).await?,
    }
    life.paid = 1;
    if chance.one_in(3) {
        // Nobody waits here: the money arrives on its own.
        return Ok(life);
    }
    if !shop.is_active_soon(&life.company).await? {
        return Ok(life);
    }
    let subscription = format!("/api/subscriptions/company/{}", life.company);
    match chance.index(3) {
        0 => shop.upgrade(&mut life, &subscription, name).await?,
        1 => {
            let body = json!({"reason": "fim"});
            shop.done(&format!("{subscription}/cancel"), &body, &format!("{name}-cancel")).await?;
            life.is_canceled = true;
        }
        _ => {
            let email = format!("{name}@example.com");
            let path = format!("/api/companies/{}/invite", life.company);
            shop.done(&path, &json!({"userEmail": email, "role": "finance"}), "").await?;
            life.invited = Some(email);
        }
    }
    Ok(life)
}

impl Shop {
    /// A command that has to succeed, however often it is sent.
    pub async fn done(&self, path: &str, body: &Value, key: &str) -> Outcome<Answer> {
        let answer =
            self.caller.until_answered((Method::POST, path), Some(body), key, TIMEOUT).await?;
        if answer.is_done() {
            return Ok(answer);
        }
        Err(format!("{path}: {:?} {}", answer.status, answer.body).into())
    }

    pub async fn body(&self, company: &str, by: By) -> Outcome<Value> {
        let [plan, _] = &self.plans;
        let mut body = pix(company, plan);
        match by {
            By::Pix => {}
            By::Card => {
                set(&mut body, "payment_method", json!(self.card().await?));
                if let Some(fields) = body.as_object_mut() {
                    fields.remove("paymentMethod");
                }
            }
            By::Boleto => {
                set(&mut body, "paymentMethod", json!({"type": "BANK_SLIP"}));
                let address = json!({"line1": "Rua A, 3", "city": "Santos", "state": "SP",
                    "postalCode": "11010100"});
                let billing = json!({"taxId": "00000000000", "address": address});
                set(&mut body, "billing", billing);
            }
        }
        Ok(body)
    }

    /// Until the provider's answer is in ours: its intent, and the secret of a card. Nothing when the payer does not see
    /// it soon, and goes away.
    pub async fn begin(
        &self,
        life: &mut Life,
        key: String,
        body: Value,
    ) -> Outcome<Option<(String, String)>> {
        let late = Instant::now() + SOON;
        let mut payment = String::new();
        loop {
            let answer = self.done(PROCESS, &body, &key).await?;
            let shown = answer.text("/data/payment/id").to_owned();
            if !payment.is_empty() && shown != payment {
                return Err(format!("key {key} answered {payment}, then {shown}").into());
            }
            payment = shown;
            let intent = answer.text("/data/payment/transactionId").to_owned();
            if !intent.is_empty() || Instant::now() > late {
                let secret = answer.text("/data/client_secret").to_owned();
                life.purchases.push(Purchase { key, body, payment });
                return Ok((!intent.is_empty()).then_some((intent, secret)));
            }
            sleep(PAUSE).await;
        }
    }

    /// A card, however often the provider fails.
    async fn card(&self) -> Outcome<String> {
        let late = Instant::now() + TIMEOUT;
        loop {
            match self.sandbox.card().await {
                Err(_fault) if Instant::now() < late => sleep(PAUSE).await,
                card => return card,
            }
        }
    }

    /// The payer confirms until the provider says that the money is taken. A lost answer is no answer.
    async fn confirm(&self, intent: &str, secret: &str) -> Outcome<()> {
        let late = Instant::now() + TIMEOUT;
        loop {
            let confirmed = self.sandbox.confirm(intent, secret).await;
            let shown = self.sandbox.get(&format!("payment_intents/{intent}")).await;
            if shown.is_ok_and(|shown| shown.get("status") == Some(&json!("succeeded"))) {
                return Ok(());
            }
            if Instant::now() > late {
                return confirmed;
            }
            sleep(PAUSE).await;
        }
    }

    /// A repeat whose first answer was lost hears that it is too late. What counts is how the payment ends.
    pub async fn withdraw(&self, payment: &str) -> Outcome<()> {
        let path = format!("/api/payments/cancel/{payment}");
        let call = (Method::POST, path.as_str());
        let answer = self.caller.until_answered(call, Some(&json!({})), "", TIMEOUT).await?;
        if answer.is_done() || answer.code() == "PAYMENT_NOT_CANCELLABLE" {
            return Ok(());
        }
        Err(format!("{path}: {:?} {}", answer.status, answer.body).into())
    }

    pub async fn is_active_soon(&self, company: &str) -> Outcome<bool> {
        let late = Instant::now() + SOON;
        let path = format!("/api/subscriptions/company/{company}");
        while Instant::now() < late {
            let shown = self.caller.read(&path, "/data/subscription", TIMEOUT).await?;
            if shown.get("status") == Some(&json!("active")) {
                return Ok(true);
            }
            sleep(PAUSE).await;
        }
        Ok(false)
    }

    /// To the plan above, for what the preview says, by PIX.
    async fn upgrade(&self, life: &mut Life, subscription: &str, name: &str) -> Outcome<()> {
        let [_, above] = &self.plans;
        let choice = json!({"planId": above, "billingCycle": "monthly"});
        let preview = self.done(&format!("{subscription}/preview-change"), &choice, "").await?;
        let preview = preview.body.pointer("/data/preview").cloned().unwrap_or_default();
        let due = preview.pointer("/billing/amountDue").and_then(Value::as_f64).unwrap_or_default();
        let cents: i64 = format!("{:.0}", due * 100.0).parse()?;
        let mut body = pix(&life.company, above);
        set(&mut body, "amount", json!(cents));
        let quote = preview.get("quoteId").cloned().unwrap_or_default();
        if let Some(metadata) = body.get_mut("metadata") {
            set(metadata, "quoteId", quote);
        }
        if let Some((intent, _)) = self.begin(life, format!("{name}-upgrade"), body).await? {
            self.sandbox.settle(&intent).await?;
            life.paid += 1;
        }
        Ok(())
    }
}

pub fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}
