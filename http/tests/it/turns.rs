//! Commands of one company take turns: what the giver of a waiting one may do is looked up when its turn comes.

use serde_json::json;

use crate::app::Answer;
use crate::payments::shop::Shop;

/// Lets a command wait for the company, demotes its giver, and gives it its turn.
async fn demoted_while_waiting(shop: &Shop, command: impl Future<Output = Answer>) -> Answer {
    let mut holder = shop.server.database.owner().await;
    let turn = holder.transaction().await.unwrap();
    let lock = "SELECT id FROM companies WHERE id = $1 FOR UPDATE";
    turn.query_one(lock, &[&shop.company]).await.unwrap();
    let demote = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND wait_event_type = 'Lock' AND query LIKE '%FROM companies%FOR UPDATE'";
        while shop.number(waiting).await == 0 {}
        shop.owner.execute("UPDATE members SET role = 'operator'", &[]).await.unwrap();
        turn.commit().await.unwrap();
    };
    let (answer, ()) = tokio::join!(command, demote);
    answer
}

#[actix_web::test]
async fn whoever_is_demoted_while_a_cancellation_waits_cancels_nothing() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    shop.settle(&payment, "succeeded").await;
    shop.run().await;
    let path = format!("/api/subscriptions/company/{}/cancel", shop.company);
    let body = json!({});
    let cancel = shop.server.post_as(&shop.ana, &path, &body);
    demoted_while_waiting(&shop, cancel).await.refused(403, "FORBIDDEN");
    assert_eq!(shop.subscriptions().await, ["active 9990"]);
}

#[actix_web::test]
async fn whoever_is_demoted_while_a_payment_waits_begins_none() {
    let shop = Shop::open().await;
    let body = shop.pix();
    demoted_while_waiting(&shop, shop.process(&body)).await.refused(403, "FORBIDDEN");
    assert_eq!(shop.number("SELECT count(*) FROM payments").await, 0);
}

#[actix_web::test]
async fn whoever_is_demoted_while_a_payments_cancellation_waits_leaves_it_open() {
    let shop = Shop::open().await;
    let (payment, _) = shop.begin(&shop.pix()).await;
    demoted_while_waiting(&shop, shop.cancel(&payment)).await.refused(403, "FORBIDDEN");
    assert_eq!(shop.texts("SELECT state FROM payments").await, ["requires_action"]);
}
