//! A paid subscription keeps its own price when its plan is given away: it is charged, paid by hand, suspended and
//! left like any other, and no period is one that nobody ends. It keeps its limits, too, when those of its plan change.

use bipe_core::Error;
use bipe_core::payment_method::Method;
use bipe_core::plan::BillingCycle::{Monthly, Quarterly};
use bipe_core::subscription::command;
use bipe_core::subscription::decide::{EndAt, Endpoint};
use serde_json::json;

use crate::life::{DAY, ESSENCIAL, FIRST, GOOD_CARD, Life, PRICE, check_books};
use crate::support::World;

async fn give_away(world: &World, plan: &str) {
    let sql = "UPDATE plans SET is_free = true, monthly_cents = 0, quarterly_cents = 0, yearly_cents = 0 \
         WHERE display_name = $1";
    assert_eq!(world.owner.execute(sql, &[&plan]).await.unwrap(), 1);
}

async fn limit(world: &World, plan: &str, users: i32) {
    let sql = "UPDATE plans SET max_users = $2 WHERE display_name = $1";
    assert_eq!(world.owner.execute(sql, &[&plan, &users]).await.unwrap(), 1);
}

fn due(answer: Result<serde_json::Value, Error>) -> i64 {
    match answer {
        Err(Error::PaymentRequired { expected }) => expected.0,
        other => panic!("nothing is asked for: {other:?}"),
    }
}

#[actix_web::test]
async fn a_plan_that_became_free_charges_its_subscribers_their_own_price() {
    let world = World::new().await;
    let (monthly, quarterly) = (Life::begin(&world).await, Life::begin(&world).await);
    monthly.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    quarterly.pay_by_card(("Essencial", Quarterly), 12_725, GOOD_CARD).await;
    give_away(&world, "Essencial").await;
    world.pass(FIRST).await;
    assert_eq!(monthly.paid().await, [PRICE; 2]);
    let view = monthly.subscription().await;
    assert_eq!(
        (&view["status"], &view["price"], &view["nextBillingDate"]),
        (&json!("active"), &json!(49.9), &json!("2027-01-21T15:00:00Z"))
    );
    world.pass(62 * DAY).await;
    assert_eq!(monthly.paid().await, [PRICE; 4]);
    assert_eq!(quarterly.paid().await, [12_725; 2]);
    check_books(&world).await;
}

#[actix_web::test]
async fn a_renewal_of_a_plan_that_became_free_asks_for_the_own_price() {
    let world = World::new().await;
    let (payer, idle) = (Life::begin(&world).await, Life::begin(&world).await);
    for life in [&payer, &idle] {
        life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    }
    give_away(&world, "Essencial").await;
    world.pass(FIRST).await;
    assert_eq!(due(payer.try_choose(Endpoint::Renew, None).await), PRICE);
    payer.pay(ESSENCIAL, PRICE, Method::Pix).await;
    assert_eq!(payer.subscription().await["nextBillingDate"], "2027-01-21T15:00:00Z");
    world.pass(16 * DAY).await;
    assert_eq!(idle.history().await, ["activated", "suspended", "expired"]);
    check_books(&world).await;
}

#[actix_web::test]
async fn a_downgrade_to_a_plan_that_became_free_is_charged_its_frozen_price() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(("Profissional", Monthly), 9_990, GOOD_CARD).await;
    world.pass(DAY).await;
    let down = life.choice("Essencial", Monthly).await;
    life.choose(Endpoint::Downgrade, Some(down)).await;
    give_away(&world, "Essencial").await;
    world.pass(FIRST).await;
    assert_eq!(life.paid().await, [9_990, PRICE]);
    assert_eq!(life.subscription().await["nextBillingDate"], "2027-01-21T15:00:00Z");
    check_books(&world).await;
}

#[actix_web::test]
async fn the_way_from_a_plan_that_became_free_to_a_free_one_waits_for_the_end_of_the_period() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    give_away(&world, "Essencial").await;
    world.pass(DAY).await;
    let free = life.choice("Grátis", Monthly).await;
    let view = life.choose(Endpoint::Downgrade, Some(free)).await;
    assert_eq!(
        (&view["price"], &view["pendingChange"]["effectiveDate"]),
        (&json!(49.9), &json!("2026-12-21T15:00:00Z"))
    );
    check_books(&world).await;
    world.pass(FIRST).await;
    let view = life.subscription().await;
    assert_eq!((&view["status"], &view["price"]), (&json!("active"), &json!(0)));
    assert_eq!(life.paid().await, [PRICE]);
    assert_eq!(life.max_users().await, 5);
    let moved = "SELECT kind FROM movements WHERE company_id = $1 ORDER BY at";
    assert_eq!(life.list(moved).await, ["new", "churn"]);
    check_books(&world).await;
}

#[actix_web::test]
async fn a_running_subscription_keeps_its_limits_until_it_changes_or_comes_back() {
    let world = World::new().await;
    let (life, idle) = (Life::begin(&world).await, Life::begin(&world).await);
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    idle.pay(ESSENCIAL, PRICE, Method::Pix).await;
    let has = async |life: &Life<'_>, users: i32| {
        let view = life.subscription().await;
        assert_eq!(
            (life.max_users().await, &view["plan"]["limits"]["maxUsers"]),
            (users, &json!(users))
        );
    };
    limit(&world, "Essencial", 12).await;
    has(&life, 10).await;
    life.cancel(EndAt::PeriodEnd).await;
    has(&life, 10).await;
    limit(&world, "Essencial", 8).await;
    life.choose(Endpoint::Renew, None).await;
    has(&life, 10).await;
    let down = life.choice("Grátis", Monthly).await;
    life.choose(Endpoint::Downgrade, Some(down)).await;
    has(&life, 10).await;
    let scope = world.scope(life.buyer).await;
    let mut tx = world.app.db.company_tx(&scope).await.unwrap();
    command::withdraw(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    world.pass(FIRST).await;
    assert_eq!(life.paid().await, [PRICE; 2]);
    has(&life, 10).await;
    // Another cycle is another purchase, and so is the way back from a suspension.
    let quarterly = life.choice("Essencial", Quarterly).await;
    let amount = due(life.try_choose(Endpoint::Upgrade, Some(quarterly)).await);
    life.pay_by_card(("Essencial", Quarterly), amount, GOOD_CARD).await;
    has(&life, 8).await;
    has(&idle, 10).await;
    world.pass(3 * DAY).await;
    assert_eq!(idle.subscription().await["status"], "suspended");
    assert_eq!(idle.max_users().await, 5);
    idle.pay(ESSENCIAL, PRICE, Method::Pix).await;
    has(&idle, 8).await;
}
