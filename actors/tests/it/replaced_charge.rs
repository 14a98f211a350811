//! A renewal was declined or never answered, and before the provider has closed its charge the payer ends it.

use bipe_actors::billing_workflow::{PaymentCommand, Step, Task};
use bipe_core::id::PaymentId;
use bipe_core::payment_method::Method;
use bipe_core::scope::{CompanyScope, JobScope};
use serde_json::json;

use crate::life::{DAY, ESSENCIAL, FAILING_CARD, GOOD_CARD, Life, PRICE, check_books};
use crate::support::World;

/// A charge that was declined, and whose cancellation has no answer.
async fn declined(world: &World) -> Life<'_> {
    let life = Life::begin(world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    life.change_card(FAILING_CARD).await;
    world.app.db.clock().advance(30 * DAY);
    world.faults(json!({"replies": {"status": 500, "times": 2}})).await;
    world.app.actors.directory.renew(life.buyer.company).await.unwrap();
    // It is sent again by a node that dies before it cancels.
    let scope = CompanyScope::of_job(&JobScope::of_test(), life.buyer.company);
    let charge = Task::of(scope, only(&life, "submitting").await);
    let node = world.node();
    let mut step = Step::from(PaymentCommand::SubmitPayment(charge));
    for _ in 0..4 {
        step = node.advance(step).await.unwrap();
    }
    let closing = "SELECT state || ' ' || closing FROM payments WHERE company_id = $1 AND unknown";
    assert_eq!(life.list(closing).await, ["declined fail"], "{step:?}");
    life
}

async fn only(life: &Life<'_>, state: &str) -> PaymentId {
    let of_state =
        format!("SELECT id::text FROM payments WHERE company_id = $1 AND state = '{state}'");
    life.list(&of_state).await[0].parse().unwrap()
}

#[actix_web::test]
async fn who_pays_in_place_of_a_declined_charge_gets_no_mail_that_it_failed() {
    let world = World::new().await;
    let life = declined(&world).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    assert_eq!(life.paid().await, [PRICE; 2]);
    told_nobody(&life).await;
    check_books(&world).await;
}

#[actix_web::test]
async fn who_cancels_a_declined_charge_gets_no_mail_that_it_failed() {
    let world = World::new().await;
    let life = declined(&world).await;
    let task = Task::of(world.scope(life.buyer).await, only(&life, "declined").await);
    world.app.actors.directory.cancel(task, None).await.unwrap();
    told_nobody(&life).await;
}

/// No test card can be saved and is then declined for good: here this one was stolen.
#[actix_web::test]
async fn a_card_that_was_declined_for_good_is_not_charged_again_though_its_charge_was_cancelled() {
    let world = World::new().await;
    let life = declined(&world).await;
    let stolen = "UPDATE payments SET failure_detail = 'stolen_card', version = version + 1 \
         WHERE state = 'declined'";
    world.owner.batch_execute(stolen).await.unwrap();
    let charge = only(&life, "declined").await;
    let task = Task::of(world.scope(life.buyer).await, charge);
    world.app.actors.directory.cancel(task, None).await.unwrap();
    assert_eq!(only(&life, "canceled").await, charge);
    world.pass(2 * DAY).await;
    let charges = "SELECT kind FROM renewal_steps WHERE company_id = $1 AND payment_id IS NOT NULL";
    assert_eq!(life.list(charges).await, ["charge_0"]);
    let cards = "SELECT last4 FROM payment_methods WHERE company_id = $1 AND is_declined";
    assert_eq!(life.list(cards).await, ["0341"]);
}

/// Nobody knows whether the charge has reached the provider. It has not.
#[actix_web::test]
async fn who_cancels_a_charge_that_was_never_answered_is_not_charged() {
    let world = World::new().await;
    let life = Life::begin(&world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    world.app.db.clock().advance(30 * DAY);
    world.faults(json!({"replies": {"status": 500, "times": 2}})).await;
    world.app.actors.directory.renew(life.buyer.company).await.unwrap();
    let charge = only(&life, "submitting").await;
    let task = Task::of(world.scope(life.buyer).await, charge);
    world.app.actors.directory.cancel(task, None).await.unwrap();
    assert_eq!(only(&life, "submitting").await, charge);
    world.pass(15 * 60).await;
    assert_eq!(only(&life, "canceled").await, charge);
    assert_eq!(world.intents(life.buyer.company).await, ["succeeded"], "the first period alone");
    told_nobody(&life).await;
    check_books(&world).await;
}

async fn told_nobody(life: &Life<'_>) {
    let history = life.history().await;
    assert!(history.contains(&"renewal_failed".to_owned()), "{history:?}");
    let mails = life.mails().await;
    assert!(!mails.contains_key("Não conseguimos renovar o plano Essencial"), "{mails:?}");
}
