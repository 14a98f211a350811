//! Commands of one company run one after another. When a command starts, the current role of its sender is checked.

use std::pin::pin;

use bipe_testkit::Answer;
use serde_json::json;

use crate::payments::shop::Shop;

const TRIES: u32 = 20;

/// Lets a command wait for the company, demotes its giver, and gives it its turn. On a busy machine the command may
/// give up waiting before that: it is given again.
async fn demoted_while_waiting(shop: &Shop, command: impl AsyncFn() -> Answer) -> Answer {
    let mut holder = shop.server.database.owner().await;
    for _ in 0..TRIES {
        let turn = holder.transaction().await.unwrap();
        let lock = "SELECT id FROM companies WHERE id = $1 FOR UPDATE";
        turn.query_one(lock, &[&shop.company]).await.unwrap();
        let mut answer = pin!(command());
        let waits = async {
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                 AND wait_event_type = 'Lock' AND query LIKE '%FROM companies%FOR UPDATE'";
            while shop.number(waiting).await == 0 {}
        };
        let early = tokio::select! {
            early = &mut answer => Some(early),
            () = waits => None,
        };
        let answer = if let Some(early) = early {
            drop(turn);
            early
        } else {
            set_role(shop, "operator").await;
            turn.commit().await.unwrap();
            answer.await
        };
        if answer.status != 503 {
            return answer;
        }
        set_role(shop, "admin").await;
    }
    panic!("the command gives up waiting {TRIES} times");
}

async fn set_role(shop: &Shop, role: &str) {
    shop.owner.execute("UPDATE members SET role = $1", &[&role]).await.unwrap();
}

#[actix_web::test]
async fn whoever_is_demoted_while_a_cancellation_waits_cancels_nothing() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.server.run().await;
    let path = format!("/api/subscriptions/company/{}/cancel", shop.company);
    let body = json!({});
    let cancel = async || shop.server.post_as(&shop.ana, &path, &body).await;
    demoted_while_waiting(&shop, cancel).await.refused(403, "FORBIDDEN");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
}

#[actix_web::test]
async fn whoever_is_demoted_while_a_payment_waits_begins_none() {
    let shop = Shop::open().await;
    let body = shop.pix();
    let process = async || shop.process(&body).await;
    demoted_while_waiting(&shop, process).await.refused(403, "FORBIDDEN");
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 0);
}

#[actix_web::test]
async fn whoever_is_demoted_while_a_payments_cancellation_waits_leaves_it_open() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    let cancel = async || shop.cancel(&payment).await;
    demoted_while_waiting(&shop, cancel).await.refused(403, "FORBIDDEN");
    assert_eq!(shop.texts("SELECT state FROM payments").await, ["requires_action"]);
}
