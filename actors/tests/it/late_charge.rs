//! The provider carries out a renewal's charge after everybody has given it up.

use serde_json::json;

use crate::life::{DAY, ESSENCIAL, GOOD_CARD, Life, PRICE, check_books};
use crate::support::World;

#[actix_web::test]
async fn a_charge_that_was_given_up_and_comes_after_all_renews_at_once_by_its_credit() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    world.faults(json!({"replies": {"status": 500, "times": 99}})).await;
    for seconds in [30 * DAY, 601, 301] {
        world.pass(seconds).await;
    }
    assert_eq!(life.history().await, ["activated", "renewal_failed"]);
    let mails = life.mails().await;
    let refusal = "Não conseguimos renovar o plano Essencial";
    assert!(!mails.contains_key(refusal), "nobody has refused the card: {mails:?}");
    let told = "SELECT topic FROM notifications WHERE company_id = $1 AND topic LIKE 'renewal.%'";
    assert_eq!(life.list(told).await, [""; 0]);
    world.faults(json!({})).await;
    let sent = async |column: &str| {
        let of_charge =
            format!("SELECT {column} FROM payments WHERE company_id = $1 AND state = 'failed'");
        life.list(&of_charge).await.remove(0)
    };
    let (body, key) = (sent("provider_request").await, sent("provider_key").await);
    let gateway = world.app.actors.directory.steps().gateway();
    gateway.create(&body, &key).await.done().unwrap();
    world.pass(0).await;
    let view = life.subscription().await;
    let next = &view["nextBillingDate"];
    assert_eq!((next, &view["creditBalance"]), (&json!("2027-01-21T15:00:00Z"), &json!(0)));
    assert_eq!(life.paid().await, [PRICE; 2]);
    check_books(&world).await;
}
