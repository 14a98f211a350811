//! What a payment costs the database, from the request to the running subscription: the statements of the first PIX of
//! a company, with the beginnings and the ends of their transactions, its two webhooks, its two mails and their jobs.
//!
//! What cleans a connection travels with its next use and is left out, and so is what the server asks beside payments.

use std::collections::BTreeMap;

use bipe_core::db::SentStatement;
use serde_json::json;

use super::shop::Shop;

const MAX_STATEMENTS: usize = 73;
/// A claim takes the jobs of many payments, so it is no statement of one. Here a round ends with one that finds nothing.
const MAX_CLAIMS: usize = 14;

#[actix_web::test]
async fn a_pix_payment_takes_no_more_statements_than_it_may() {
    let shop = Shop::open().await;
    // Whoever pays has read the price first; that a person was active is noted once an hour.
    let preview = json!({"planId": shop.plan, "billingCycle": "monthly"});
    let path = format!("/api/subscriptions/company/{}/preview-change", shop.company);
    shop.server.post_as(&shop.ana, &path, &preview).await.data(200);
    shop.server.run().await;
    let before = shop.server.app.db.take_statement_log();
    let (payment, _) = shop.begin(&shop.pix()).await;
    // The webhook of the code is handled when it is a second old.
    shop.server.pass(1).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let walk = Walk::of(&before, &shop.server.app.db.take_statement_log());
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
    assert_eq!(shop.mail().await.len(), 2);

    let Walk { count, claims, text } = walk;
    println!("{text}== {count} statements, {claims} claims");
    assert!(count <= MAX_STATEMENTS, "{count} statements");
    assert!(claims <= MAX_CLAIMS, "{claims} claims");
}

/// The statements, transaction by transaction in the order of their beginnings.
#[derive(Default)]
struct Walk {
    count: usize,
    claims: usize,
    text: String,
}

impl Walk {
    /// Leaves out what had begun before: the server may ask for ended sessions in the moment of a look at the log.
    fn of(before: &[SentStatement], log: &[SentStatement]) -> Self {
        let mut walk = Self::default();
        let mut transactions: BTreeMap<u64, Vec<&SentStatement>> = BTreeMap::new();
        for sent in log {
            transactions.entry(sent.transaction).or_default().push(sent);
        }
        for sent in before {
            transactions.remove(&sent.transaction);
        }
        // What has only begun does not answer anybody yet.
        transactions.retain(|_, sent| sent.iter().any(|sent| !sent.is_transaction_control));
        for sent in transactions.into_values() {
            walk.transaction(after_cleaning(sent.iter().map(|sent| &*sent.sql).collect()));
        }
        walk
    }

    fn transaction(&mut self, statements: Vec<&str>) {
        let has = |part: &str| statements.iter().any(|sql| sql.starts_with(part));
        // Sockets ask for the sessions that have ended.
        if has("SELECT id, revoked_at FROM sessions") {
            return;
        }
        if has("UPDATE jobs SET attempts = attempts + 1") {
            self.claims += 1;
            return;
        }
        self.count += statements.len();
        self.text += &format!("-- {}\n", statements.len());
        for sql in statements {
            self.text += &format!("   {}\n", sql.chars().take(110).collect::<String>());
        }
    }
}

fn after_cleaning(mut statements: Vec<&str>) -> Vec<&str> {
    let unlock = statements.iter().position(|sql| *sql == "SELECT pg_advisory_unlock_all()");
    // Its COMMIT follows.
    statements.split_off(unlock.map_or(0, |at| at + 2))
}
