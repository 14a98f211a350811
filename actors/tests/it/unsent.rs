//! The node that has stored a payment cannot reach the provider, and another node sends it meanwhile.

use bipe_actors::billing_workflow::{
    PaymentCommand, PaymentDraft, PaymentOutcome, Step, Steps, Task,
};
use bipe_core::id::PaymentId;
use bipe_core::payment::PaymentStatus;
use bipe_core::payment_method::Method;
use bipe_core::scope::{CompanyScope, JobScope};

use crate::support::{World, view};

/// Nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:1/";

/// The steps up to the first call to the provider that follows a stored payment.
async fn until_call(node: &Steps, command: PaymentCommand) -> Step {
    let mut step = Step::from(command);
    loop {
        step = match node.advance(step).await.unwrap() {
            call @ Step::Call(..) => return call,
            Step::Done(outcome) => panic!("no call: {outcome:?}"),
            next => next,
        };
    }
}

async fn end(node: &Steps, mut step: Step) -> PaymentOutcome {
    loop {
        step = match node.advance(step).await.unwrap() {
            Step::Done(outcome) => return *outcome,
            next => next,
        };
    }
}

#[actix_web::test]
async fn what_one_node_could_not_send_and_another_one_did_is_no_failure() {
    let world = World::new().await;
    let (here, there) = (world.node_asking(Some(NOWHERE.into())), world.node());
    for is_answered_there_first in [true, false] {
        let payer = world.company().await;
        let start = world.start(payer, Method::Pix, "key").await;
        let id = PaymentId::new(world.app.db.clock());
        let open = PaymentCommand::StartPayment(Box::new(PaymentDraft::new(start.clone(), id)));
        let unsent = until_call(&world.node(), open).await;
        let scope = CompanyScope::of_job(&JobScope::of_test(), payer.company);
        let timer = PaymentCommand::WakePayment(Task::of(scope, id));
        let sent = until_call(&there, timer).await;
        let told = if is_answered_there_first {
            end(&there, sent).await;
            let told = end(&here, unsent).await;
            assert_eq!(view(&told).status, PaymentStatus::Pending);
            told
        } else {
            let told = end(&here, unsent).await;
            end(&there, sent).await;
            told
        };
        assert_eq!(view(&told).id, id);
        // The key belongs to the payment still: a repeat buys nothing else.
        let again = world.app.actors.directory.start(start, None).await.unwrap();
        assert_eq!((view(&again).id, view(&again).status), (id, PaymentStatus::Pending));
        assert_eq!(world.intents(payer.company).await, ["requires_action"]);
    }
}
