//! A card by which a renewal was declined for good renews no later period either, until it pays, changes or is chosen.

use bipe_actors::saved_cards;
use bipe_core::payment::saved_cards::PaymentMethodView;
use bipe_core::payment_method::{Method, MethodDetails};
use serde_json::json;

use crate::life::{
    ASKING_CARD, DAY, ESSENCIAL, FAILING_CARD, FIRST, GOOD_CARD, Life, PRICE, check_books,
};
use crate::support::World;

/// From there to the second one.
const SECOND: u32 = 31 * DAY;
/// No test card can be saved and is then declined for good: here every one that is declined was stolen.
const STOLEN: &str = "CREATE FUNCTION stolen() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN NEW.failure_detail := ''stolen_card do_not_try_again''; RETURN NEW; END'; \
    CREATE TRIGGER stolen BEFORE UPDATE ON payments FOR EACH ROW WHEN (NEW.failure_detail IS NOT NULL) \
      EXECUTE FUNCTION stolen()";

/// The first renewal was declined for good.
async fn declined<'a>(world: &'a World, card: &str) -> Life<'a> {
    world.owner.batch_execute(STOLEN).await.unwrap();
    let life = Life::begin(world).await;
    life.pay_by_card(ESSENCIAL, PRICE, GOOD_CARD).await;
    life.change_card(card).await;
    world.pass(FIRST).await;
    assert_eq!(charges(&life).await, ["2026-12-21"]);
    life
}

/// The days on which a renewal was charged, or was to be.
async fn charges(life: &Life<'_>) -> Vec<String> {
    let sql = "SELECT at::date::text FROM renewal_steps WHERE company_id = $1 AND payment_id IS NOT NULL \
         ORDER BY at";
    life.list(sql).await
}

async fn state(life: &Life<'_>) -> String {
    life.subscription().await["state"]["kind"].as_str().unwrap().to_owned()
}

/// As the provider has it now.
async fn default_card(life: &Life<'_>) -> PaymentMethodView {
    let (scope, actors) = (life.world.scope(life.buyer).await, &life.world.app.actors);
    saved_cards::list(actors.directory.steps(), &scope).await.unwrap().remove(0)
}

#[actix_web::test]
async fn who_has_paid_by_hand_is_reminded_of_the_next_period_and_not_charged() {
    let world = World::new().await;
    let life = declined(&world, FAILING_CARD).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    let view = life.subscription().await;
    assert_eq!((&view["status"], &view["state"]["kind"]), (&json!("active"), &json!("runs")));
    assert_eq!(view["state"]["card"]["last4"], "0341", "it is still saved");
    for _ in 0..SECOND / DAY {
        world.pass(DAY).await;
    }
    assert_eq!((charges(&life).await.len(), state(&life).await), (1, "due".to_owned()));
    let kinds = "SELECT kind FROM renewal_steps WHERE company_id = $1 AND period_start > '2027-01-01' \
         ORDER BY at";
    assert_eq!(life.list(kinds).await, ["ahead_7", "ahead_3", "ahead_1", "due"]);
    let mails = life.mails().await;
    assert_eq!(mails["Sua assinatura do plano Essencial vence"], 3, "{mails:?}");
    // To read the same card again changes nothing; to choose it again does.
    let card = default_card(&life).await;
    assert!(card.is_declined);
    let scope = world.scope(life.buyer).await;
    let steps = world.app.actors.directory.steps();
    saved_cards::prefer(steps, &scope, card.id, None).await.unwrap();
    world.pass(0).await;
    assert_eq!(charges(&life).await, ["2026-12-21", "2027-01-21"]);
    check_books(&world).await;
}

#[actix_web::test]
async fn a_card_that_has_changed_at_the_provider_is_charged_again() {
    let world = World::new().await;
    let life = declined(&world, FAILING_CARD).await;
    life.pay(ESSENCIAL, PRICE, Method::Pix).await;
    world.pass(SECOND + 4 * DAY).await;
    assert_eq!((charges(&life).await.len(), state(&life).await), (1, "suspended".to_owned()));
    world.owner.batch_execute("UPDATE payment_methods SET exp_year = 2027").await.unwrap();
    assert!(!default_card(&life).await.is_declined);
    world.pass(0).await;
    assert_eq!(charges(&life).await, ["2026-12-21", "2027-01-25"]);
    assert!(default_card(&life).await.is_declined, "and was declined again");
}

#[actix_web::test]
async fn a_card_by_which_its_holder_has_paid_renews_again() {
    let world = World::new().await;
    let life = declined(&world, ASKING_CARD).await;
    let card = default_card(&life).await;
    assert!(card.is_declined);
    let details = MethodDetails::Card { payment_method: card.id, save: false };
    let (payment, secret) = life.open(ESSENCIAL, PRICE, Some(details), Method::CreditCard).await;
    world.confirm(payment.transaction_id.as_ref().unwrap(), &secret.unwrap(), None).await;
    life.settle(&payment).await;
    assert_eq!((life.paid().await, state(&life).await), (vec![PRICE; 2], "renews".to_owned()));
    let newest = "SELECT data::json->'state'->>'kind' FROM events WHERE name = 'subscription.updated' \
         ORDER BY seq DESC LIMIT 1";
    let announced: String = world.owner.query_one(newest, &[]).await.unwrap().get(0);
    assert_eq!(announced, "renews");
    world.pass(SECOND).await;
    assert_eq!(charges(&life).await, ["2026-12-21", "2027-01-21"]);
    check_books(&world).await;
}
