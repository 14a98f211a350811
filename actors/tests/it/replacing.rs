//! Several tabs pay at once, each in the place of the payment that is open.

use bipe_actors::billing_workflow::{PaymentCommand, PaymentDraft, PaymentOutcome, Step, Steps};
use bipe_core::error::{Code, Detail, Error};
use bipe_core::id::PaymentId;
use bipe_core::payment::command::StartPayment;
use bipe_core::payment_method::Method;

use crate::support::{Buyer, World, view};

async fn replacing(world: &World, payer: Buyer, key: &str) -> PaymentCommand {
    let start = StartPayment { replace: true, ..world.start(payer, Method::Pix, key).await };
    let id = PaymentId::new(world.app.db.clock());
    PaymentCommand::StartPayment(Box::new(PaymentDraft::new(start, id)))
}

/// Walks on until the command has an outcome.
async fn end_of(node: &Steps, mut step: Step) -> PaymentOutcome {
    loop {
        match step {
            Step::Done(outcome) => return *outcome,
            next => step = node.advance(next).await.unwrap(),
        }
    }
}

#[actix_web::test]
async fn a_payment_that_opened_meanwhile_is_not_replaced() {
    let world = World::new().await;
    let (node, payer) = (world.node(), world.company().await);
    node.run(replacing(&world, payer, "first").await).await.unwrap();
    let late = Step::from(replacing(&world, payer, "late").await);
    let late = node.advance(late).await.unwrap();
    assert!(matches!(late, Step::CloseFirst { .. }), "{late:?}");
    let other = view(&node.run(replacing(&world, payer, "other").await).await.unwrap());
    match end_of(&node, late).await {
        PaymentOutcome::Refused {
            error: Error::Conflict(code, Detail::PaymentId(open)), ..
        } => {
            assert_eq!((code, open), (Code::PaymentInProgress, other.id));
        }
        outcome => panic!("{outcome:?}"),
    }
    let mut intents = world.intents(payer.company).await;
    intents.sort();
    assert_eq!(intents, ["canceled", "requires_action"]);
}
