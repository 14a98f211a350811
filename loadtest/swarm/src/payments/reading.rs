//! What a company reads of its money: a document as PDF, and searches in a list of ten thousand payments. Called by the
//! payments benchmark.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::Shop;
use super::database::Database;
use crate::Outcome;
use crate::page::Lines;
use crate::report::percentile;

/// Payments of one company, each with its document.
const PAYMENTS: u32 = 10_000;
const PDF: Duration = Duration::from_millis(150);
const PDF_BYTES: usize = 100_000;
const SEARCH: Duration = Duration::from_millis(50);
/// What is searched for, and where. Each finds something.
const SEARCHES: [(&str, &str); 4] = [
    ("payments, by plan", "/api/payments/company/{}?search=profissional"),
    ("payments, by amount", "/api/payments/company/{}?search=99,90"),
    ("documents, by plan", "/api/companies/{}/invoices?search=profissional"),
    ("statement, by method", "/api/companies/{}/transactions?search=pix"),
];

pub async fn measure(
    lines: &mut Lines,
    shop: &Shop<'_>,
    database: &Database,
    count: usize,
) -> Outcome<()> {
    let company = shop.companies(1).await?.into_iter().next().ok_or("no company")?;
    shop.pay(shop.payer()?, &company).await?;
    let path = document(shop, &company).await?;
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..count {
        let begun = Instant::now();
        bytes = shop.payer()?.bytes(&path).await?.len();
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    let longest = percentile(&times, 1000);
    lines.say(format!(
        "document as PDF    p50 {:.1} ms, max {:.1} ms of {count}, {} kB (goal 150 ms, 100 kB)",
        super::millis(percentile(&times, 500)),
        super::millis(longest),
        bytes / 1_000
    ));
    lines.goal(longest <= PDF, "a document takes longer than 150 ms".into());
    lines.goal(bytes <= PDF_BYTES, "a document has more than 100 kB".into());

    database.copy_payment(&company, PAYMENTS).await?;
    for (what, path) in SEARCHES {
        let path = path.replace("{}", &company);
        let mut times = Vec::new();
        for _ in 0..count {
            let begun = Instant::now();
            let answer = shop.payer()?.get(&path).await?;
            times.push(begun.elapsed());
            let found = answer.get("total").and_then(Value::as_u64);
            if found.unwrap_or_default() < u64::from(PAYMENTS) {
                return Err(format!("{path} finds {found:?}").into());
            }
        }
        times.sort_unstable();
        let middle = percentile(&times, 500);
        lines.say(format!(
            "{what:<22} p50 {:.1} ms of {PAYMENTS} (goal 50 ms)",
            super::millis(middle)
        ));
        lines.goal(middle <= SEARCH, format!("{what}: a search takes longer than 50 ms"));
    }
    Ok(())
}

/// The path of the company's only document, once it is issued.
async fn document(shop: &Shop<'_>, company: &str) -> Outcome<String> {
    let list = format!("/api/companies/{company}/invoices");
    for _ in 0..200 {
        let answer = shop.payer()?.get(&list).await?;
        let id = answer.pointer("/invoices/0/id").and_then(Value::as_str);
        if let Some(id) = id {
            return Ok(format!("{list}/{id}/pdf"));
        }
        sleep(Duration::from_millis(50)).await;
    }
    Err("no document is issued".into())
}
