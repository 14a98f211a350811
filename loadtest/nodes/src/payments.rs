//! Payments by PIX from the request to the payer's bank, each command under a key of its own until it is answered.

use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::account::Account;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::sandbox::Sandbox;

/// A command is sent again for so long.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(250);
const TRY: Duration = Duration::from_secs(15);

/// A company that was paid for.
#[derive(Clone, Debug)]
pub struct Paid {
    pub company: String,
    /// Commands that had to be sent again.
    pub retried: usize,
}

/// The plan that is bought.
pub async fn plan(url: &str) -> Outcome<String> {
    let answer = reqwest::get(format!("{url}/api/subscriptions/plans")).await?;
    let answer: Value = answer.json().await?;
    let plans = answer.pointer("/data/plans").and_then(Value::as_array).ok_or("no plans")?;
    let wanted = plans.iter().find(|plan| plan.get("name") == Some(&json!("profissional")));
    let id = wanted.and_then(|plan| plan.get("id")).and_then(Value::as_str);
    Ok(id.ok_or("no plan to buy")?.to_owned())
}

/// Begins a PIX for the company and pays it at the provider.
pub async fn pay(payer: &Account, sandbox: &Sandbox, company: &str, plan: &str) -> Outcome<Paid> {
    let body = json!({
        "amount": 9990, "currency": "brl", "paymentMethod": {"type": "PIX"},
        "customer": {"name": "Enxame", "email": "fill_never@example.com"},
        "metadata": {"companyId": company, "planId": plan, "billingCycle": "monthly"},
    });
    let (begun, mut retried) = (Instant::now(), 0);
    let intent = loop {
        let command = payer.post_once("/api/payments/process", &body, company);
        let answer = match tokio::time::timeout(TRY, command).await {
            Ok(answer) => answer.map_err(|error| error.to_string()),
            Err(_late) => Err("no answer in time".to_owned()),
        };
        let intent = |data: &Value| {
            data.pointer("/payment/transactionId").and_then(Value::as_str).map(str::to_owned)
        };
        match answer {
            // Until the provider has answered, the payment has no intent.
            Ok(data) if intent(&data).is_some() => break intent(&data).unwrap_or_default(),
            Ok(data) if begun.elapsed() > PATIENCE => {
                return Err(format!("{company} got no intent: {data}").into());
            }
            Err(error) if begun.elapsed() > PATIENCE => return Err(error.into()),
            _ => retried += 1,
        }
        sleep(PAUSE).await;
    };
    sandbox.settle(&intent).await?;
    Ok(Paid { company: company.to_owned(), retried })
}
