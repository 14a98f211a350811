//! How long the news of a payment takes from its settlement at the provider to a socket of its company, with so many
//! payments at once. Called by the payments benchmark.

use std::time::Duration;

use futures_util::future::try_join_all;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Shop, millis};
use crate::Outcome;
use crate::account::Account;
use crate::page::Lines;
use crate::report::percentile;
use crate::socket::{self, Connection};

/// One after the other, on one socket that reads all their companies.
const PAYMENTS_OF_A_SOCKET: usize = 30;
const P99: Duration = Duration::from_millis(60);

/// Each of the people pays for companies of their own. Nobody pays before everybody reads.
pub async fn measure(lines: &mut Lines, shop: &Shop<'_>) -> Outcome<()> {
    let alone =
        |payer| Shop { payers: std::slice::from_ref(payer), plan: shop.plan.clone(), ..*shop };
    let reading = shop.payers.iter().map(|payer| Buyer::of(payer, alone(payer)));
    let buyers = try_join_all(reading).await?;
    let mut times = try_join_all(buyers.into_iter().map(Buyer::pay_each)).await?.concat();
    times.sort_unstable();
    let [middle, p99] = [500, 990].map(|share| percentile(&times, share));
    // A miss does not fail the run: sixteen payments at once on two cores wait for a processor most of the time.
    let missed = if p99 > P99 {
        lines.excuse();
        ", missed"
    } else {
        ""
    };
    lines.say(format!(
        "settled until seen p50 {:.1}  p99 {:.1} ms of {}, {} at once (goal p99 60 ms{missed})",
        millis(middle),
        millis(p99),
        times.len(),
        shop.payers.len()
    ));
    Ok(())
}

/// A person with companies that have paid for nothing yet, and the socket that reads them.
struct Buyer<'a> {
    payer: &'a Account,
    shop: Shop<'a>,
    companies: Vec<String>,
    reader: Connection,
}

impl<'a> Buyer<'a> {
    async fn of(payer: &'a Account, shop: Shop<'a>) -> Outcome<Self> {
        let companies = shop.companies(PAYMENTS_OF_A_SOCKET).await?;
        let channels: Vec<String> = companies.iter().map(|company| channel_of(company)).collect();
        let ticket = payer.ticket().await?;
        let mut reader = socket::connect(shop.url, &ticket, &channels).await?;
        let mut live = 0;
        while live < channels.len() {
            let frames = reader.next(|_| {}).await?;
            live += frames.iter().filter(|frame| is(frame, "/type", "live")).count();
        }
        Ok(Self { payer, shop, companies, reader })
    }

    async fn pay_each(mut self) -> Outcome<Vec<Duration>> {
        let mut times = Vec::new();
        for company in &self.companies {
            let channel = channel_of(company);
            let intent = self.shop.begin(self.payer, company).await?;
            // Counted from the request: the provider settles before it answers.
            let settled = Instant::now();
            let is_paid = |frame: &Value| {
                is(frame, "/channel", &channel)
                    && is(frame, "/name", "payment.updated")
                    && is(frame, "/data/status", "SUCCESS")
            };
            let reader = &mut self.reader;
            let seen = async {
                while !reader.next(|_| {}).await?.iter().any(is_paid) {}
                Outcome::Ok(settled.elapsed())
            };
            let (seen, answered) = tokio::join!(seen, self.shop.settle(&intent));
            answered?;
            times.push(seen?);
        }
        Ok(times)
    }
}

fn channel_of(company: &str) -> String {
    format!("company/{company}")
}

fn is(frame: &Value, pointer: &str, wanted: &str) -> bool {
    frame.pointer(pointer) == Some(&json!(wanted))
}
