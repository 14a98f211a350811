//! Payments by PIX from the request to the payer's bank, each command under a key of its own until it is answered.

use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::payments::{PROCESS, pix};
use reqwest::Method;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use crate::caller::Caller;
use crate::ledger::Payment;

const PAUSE: Duration = Duration::from_millis(100);

/// Repeats the command until it is answered; the provider's intent.
pub async fn begin(
    caller: &Caller,
    (company, plan): (&str, &str),
    key: &str,
    patience: Duration,
) -> Outcome<String> {
    let body = pix(company, plan);
    let answer = caller.until_answered((Method::POST, PROCESS), Some(&body), key, patience).await?;
    // 202: the provider's answer was still out.
    let payment = answer.text("/data/payment/id").to_owned();
    let mut intent = answer.text("/data/payment/transactionId").to_owned();
    let late = Instant::now() + patience;
    while answer.is_done() && intent.is_empty() && Instant::now() < late {
        sleep(PAUSE).await;
        let path = format!("/api/payments/status/{payment}");
        let shown = caller.read(&path, "/data/payment/transactionId", patience).await?;
        intent = shown.as_str().unwrap_or_default().to_owned();
    }
    if intent.is_empty() {
        return Err(format!("no payment: {:?} {}", answer.status, answer.body).into());
    }
    Ok(intent)
}

/// All rows, asked by a superuser.
pub async fn stored(database: &Client) -> Outcome<Vec<Payment>> {
    let mut payments = Vec::new();
    for row in database.query(STORED, &[]).await? {
        let (company, intent, is_paid) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        payments.push(Payment { company, intent, is_paid });
    }
    Ok(payments)
}

const STORED: &str = "SELECT company_id::text, provider_intent, state = 'succeeded' FROM payments";

/// Has a node run the check of the payment invariants now; answers its findings, `[]` when all hold.
///
/// # Errors
/// When no node has run it after `patience`.
pub async fn check(database: &Client, patience: Duration) -> Outcome<String> {
    let count = async || -> Outcome<i64> {
        Ok(database.query_one("SELECT count(*) FROM payment_checks", &[]).await?.try_get(0)?)
    };
    let (before, late) = (count().await?, Instant::now() + patience);
    database.execute(CHECK_NOW, &[]).await?;
    while count().await? == before {
        if Instant::now() > late {
            return Err(format!("no check of the payments after {patience:?}").into());
        }
        sleep(PAUSE).await;
    }
    Ok(database.query_one(LAST_CHECK, &[]).await?.try_get(0)?)
}

const CHECK_NOW: &str =
    "UPDATE jobs SET run_at = now(), leased_until = NULL WHERE kind = 'payment_check'";
const LAST_CHECK: &str = "SELECT findings FROM payment_checks ORDER BY at DESC, id DESC LIMIT 1";
