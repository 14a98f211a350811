//! Two notices fall due at one moment, and the payer gets one.

use bipe_core::payment::Method;
use bipe_core::plan::BillingCycle::Monthly;

use crate::life::{DAY, Life};
use crate::support::World;

const ESSENCIAL: (&str, bipe_core::plan::BillingCycle) = ("Essencial", Monthly);
const PRICE: i64 = 4_990;
/// From the purchase on 21 November to its first renewal.
const FIRST: u32 = 30 * DAY;
const TOLD: &str = "SELECT topic FROM notifications WHERE company_id = $1 AND topic LIKE ANY \
     (ARRAY['renewal.%', 'subscription.%']) ORDER BY at";

#[actix_web::test]
async fn a_suspension_that_a_downtime_made_late_comes_without_a_reminder() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.pass(FIRST + 8 * DAY).await;
    let mails = life.mails().await;
    assert_eq!(mails["Assinatura do plano Essencial suspensa"], 1, "{mails:?}");
    assert!(!mails.contains_key("Assinatura do plano Essencial expira"), "{mails:?}");
    assert_eq!(life.list(TOLD).await, ["subscription.suspended"]);
    world.pass(6 * DAY).await;
    assert_eq!(life.mails().await["Assinatura do plano Essencial expira"], 1);
    assert_eq!(life.list(TOLD).await, ["subscription.suspended", "subscription.expiring"]);
}
