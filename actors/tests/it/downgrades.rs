//! A scheduled downgrade: what the people of the company are told before its day, and on it.

use bipe_core::payment_method::Method;
use bipe_core::plan::BillingCycle::{Monthly, Quarterly};
use bipe_core::subscription::decide::Endpoint;

use crate::life::{DAY, ESSENCIAL, GOOD_CARD, Life, PRICE, check_books};
use crate::support::World;

const STEPS: &str = "SELECT kind FROM renewal_steps WHERE company_id = $1 AND kind NOT IN ('paid', 'charge_0') \
     ORDER BY at";
const TOLD: &str = "SELECT topic || ' ' || coalesce(plan_name, '') FROM notifications WHERE company_id = $1 \
     AND topic IN ('renewal.announced', 'renewal.ahead', 'renewal.due', 'plan.downgraded') ORDER BY topic";

#[actix_web::test]
async fn nobody_is_asked_to_pay_before_the_day_from_which_it_can_be_paid() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay(("Profissional", Monthly), 9_990, Method::Pix).await;
    let down = life.choice("Essencial", Monthly).await;
    life.choose(Endpoint::Downgrade, Some(down)).await;
    world.pass(29 * DAY).await;
    assert_eq!(life.list(STEPS).await, [""; 0], "the day before");
    world.pass(DAY).await;
    assert_eq!(life.list(STEPS).await, ["due"]);
    assert_eq!(life.list(TOLD).await, ["plan.downgraded Essencial", "renewal.due Essencial"]);
    assert_eq!(life.mails().await["Pagamento em aberto: plano Essencial"], 1);
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    check_books(&world).await;
}

#[actix_web::test]
async fn a_charge_is_announced_by_the_plan_that_it_is_for() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(("Negócio", Quarterly), 50_975, GOOD_CARD).await;
    let down = life.choice("Profissional", Quarterly).await;
    life.choose(Endpoint::Downgrade, Some(down)).await;
    world.pass(86 * DAY).await;
    assert_eq!(life.list(STEPS).await, ["charge_notice"]);
    assert_eq!(life.list(TOLD).await, ["renewal.announced Profissional"]);
    assert_eq!(life.mails().await["Renovação do plano Profissional"], 1);
    world.pass(6 * DAY).await;
    assert_eq!(life.paid().await, [50_975, 25_475]);
    check_books(&world).await;
}

#[actix_web::test]
async fn everybody_is_told_when_a_free_plan_takes_its_place() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(("Profissional", Monthly), 9_990, GOOD_CARD).await;
    let free = life.choice("Grátis", Monthly).await;
    life.choose(Endpoint::Downgrade, Some(free)).await;
    world.pass(30 * DAY).await;
    assert_eq!(life.list(TOLD).await, ["plan.downgraded Grátis"]);
    assert_eq!(life.max_users().await, 5);
    check_books(&world).await;
}
