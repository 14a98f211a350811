//! A node dies after every single step of a payment, at its beginning and at its success, and the end is the
//! same: one intent at the provider, one subscription, one document, one entry in the history, no timer left behind.

use std::time::Duration;

use bipe_actors::billing_workflow::{PaymentCommand, PaymentDraft, PaymentOutcome, Step, Task};
use bipe_core::id::PaymentId;
use bipe_core::payment::command::StartPayment;
use bipe_core::payment_method::Method;
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::testing::figures;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::support::{Buyer, World, view};

/// More steps than any walk has.
const ENOUGH: usize = 12;

/// Walks so many steps and dies; true when the walk had ended before.
async fn die_after(world: &World, steps: usize, command: PaymentCommand) -> bool {
    let node = world.node();
    let mut step = Step::from(command);
    for _ in 0..steps {
        step = node.advance(step).await.unwrap();
        if matches!(step, Step::Done(_)) {
            return true;
        }
    }
    false
}

/// What is left when nothing is due any more.
#[derive(Debug, PartialEq, Eq)]
struct End {
    payments: Vec<String>,
    intents: Vec<String>,
    subscriptions: Vec<String>,
    history: Vec<String>,
    segments: i64,
    documents: i64,
    credit: i64,
    timers: i64,
    last_event: String,
}

async fn end(world: &World, payer: Buyer) -> End {
    let list = async |sql: &str| -> Vec<String> {
        let rows = world.owner.query(sql, &[&payer.company]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let number = async |sql: &str| -> i64 {
        world.owner.query_one(sql, &[&payer.company]).await.unwrap().get(0)
    };
    let channel = format!("company/{}", payer.company);
    let last = "SELECT name || ' ' || coalesce(data::json->>'status', '') FROM events \
         WHERE channel = $1 AND name <> 'invoice.issued' ORDER BY seq DESC LIMIT 1";
    let last = world.owner.query_opt(last, &[&channel]).await.unwrap();
    End {
        payments: list(
            "SELECT state || CASE WHEN effects_at IS NULL THEN '' ELSE ' applied' END \
             || CASE WHEN unknown THEN ' unknown' ELSE '' END FROM payments WHERE company_id = $1",
        )
        .await,
        intents: world.intents(payer.company).await,
        subscriptions: list(
            "SELECT status || ' ' || price_cents FROM subscriptions WHERE company_id = $1",
        )
        .await,
        history: list("SELECT type FROM subscription_history WHERE company_id = $1 ORDER BY line_number").await,
        segments: number("SELECT count(*) FROM debit_segments WHERE company_id = $1").await,
        documents: number("SELECT count(*) FROM invoices WHERE company_id = $1").await,
        credit: number(
            "SELECT coalesce(sum(amount_cents), 0)::bigint FROM credit_entries WHERE company_id = $1",
        )
        .await,
        timers: number(
            "SELECT count(*) FROM jobs WHERE kind IN ('reconcile', 'webhook') AND payload LIKE '%' || $1::uuid || '%'",
        )
        .await,
        last_event: last.map(|row| row.get(0)).unwrap_or_default(),
    }
}

fn open(world: &World, start: &StartPayment) -> PaymentCommand {
    let id = PaymentId::new(world.app.db.clock());
    PaymentCommand::StartPayment(Box::new(PaymentDraft::new(start.clone(), id)))
}

async fn only_payment(world: &World, payer: Buyer) -> Option<(PaymentId, Option<String>)> {
    let sql = "SELECT id, provider_intent FROM payments WHERE company_id = $1";
    let row = world.owner.query_opt(sql, &[&payer.company]).await.unwrap()?;
    Some((row.get("id"), row.get("provider_intent")))
}

/// The payer pays; the node that hears of it dies after so many steps.
async fn pay(world: &World, payer: Buyer, secret: Option<&str>, steps: usize) {
    let (payment, intent) = only_payment(world, payer).await.unwrap();
    let intent = intent.expect("the provider has answered by now");
    match secret {
        Some(secret) => drop(world.confirm(&intent, secret, None).await),
        None => world.settle(&intent, "succeeded").await,
    }
    let scope = CompanyScope::of_job(&JobScope::of_test(), payer.company);
    die_after(world, steps, PaymentCommand::ReadPayment(Task::of(scope, payment))).await;
    world.pass(1).await;
}

/// The client repeats its request with the same key.
async fn repeat(world: &World, start: &StartPayment) -> Option<String> {
    let outcome = world.app.actors.directory.start(start.clone(), None).await.unwrap();
    let shown = view(&outcome);
    assert!(shown.transaction_id.is_some(), "{shown:?}");
    match outcome {
        PaymentOutcome::Payment { secret, .. } | PaymentOutcome::Replay { secret, .. } => {
            secret.map(|secret| secret.expose().to_owned())
        }
        _ => None,
    }
}

async fn ends_alike_when_the_client_repeats(method: Method) {
    let world = World::new().await;
    let mut ends = Vec::new();
    for steps in 0..ENOUGH {
        let payer = world.company().await;
        let key = format!("key-{steps}");
        let start = world.start(payer, method, &key).await;
        let whole = die_after(&world, steps, open(&world, &start)).await;
        let secret = repeat(&world, &start).await;
        let again = repeat(&world, &start).await;
        assert_eq!(secret, again, "a replay reads the secret anew");
        assert_eq!(secret.is_some(), method == Method::CreditCard);
        pay(&world, payer, secret.as_deref(), steps % 4).await;
        ends.push(end(&world, payer).await);
        if whole {
            break;
        }
    }
    let last = ends.last().unwrap();
    assert_eq!(last.payments, ["succeeded applied"], "{last:?}");
    assert_eq!(last.intents, ["succeeded"]);
    assert_eq!(last.subscriptions, ["active 9990"]);
    assert_eq!((last.segments, last.documents, last.credit, last.timers), (1, 1, 0, 0));
    assert!(ends.len() >= 5, "each step was a place to die");
    figures(&[("deaths", ends.len())]);
    for (steps, end) in ends.iter().enumerate() {
        assert_eq!(end, last, "{method:?} after {steps} steps");
    }
}

/// The client never comes back: what was begun is found by its timer, and nothing else is left.
async fn ends_alike_when_the_client_is_gone(method: Method) {
    let world = World::new().await;
    let mut ends = Vec::new();
    for steps in 0..ENOUGH {
        let payer = world.company().await;
        let key = format!("key-{steps}");
        let start = world.start(payer, method, &key).await;
        let whole = die_after(&world, steps, open(&world, &start)).await;
        world.pass(20).await;
        if only_payment(&world, payer).await.is_some() {
            match method {
                // Nobody holds the secret: closed an hour later.
                Method::CreditCard => world.pass(2 * 3600).await,
                _ => pay(&world, payer, None, steps % 4).await,
            }
            ends.push(end(&world, payer).await);
        } else {
            assert!(world.intents(payer.company).await.is_empty(), "nothing was begun");
        }
        if whole {
            break;
        }
    }
    let last = ends.last().unwrap();
    let expected = match method {
        Method::CreditCard => ("expired", "canceled", 0),
        _ => ("succeeded applied", "succeeded", 1),
    };
    assert_eq!(last.payments, [expected.0], "{last:?}");
    assert_eq!(last.intents, [expected.1]);
    assert_eq!((last.segments, last.credit, last.timers), (expected.2, 0, 0));
    assert!(ends.len() >= 3, "each step after the first commit was a place to die");
    figures(&[("deaths", ends.len())]);
    for end in &ends {
        assert_eq!(end, last, "{method:?}");
    }
}

#[actix_web::test]
async fn a_card_payment_survives_a_death_after_every_step() {
    ends_alike_when_the_client_repeats(Method::CreditCard).await;
}

#[actix_web::test]
async fn a_pix_payment_survives_a_death_after_every_step() {
    ends_alike_when_the_client_repeats(Method::Pix).await;
}

#[actix_web::test]
async fn a_boleto_payment_survives_a_death_after_every_step() {
    ends_alike_when_the_client_repeats(Method::BankSlip).await;
}

#[actix_web::test]
async fn a_card_whose_payer_is_gone_is_closed_after_every_death() {
    ends_alike_when_the_client_is_gone(Method::CreditCard).await;
}

#[actix_web::test]
async fn a_pix_whose_client_is_gone_is_found_after_every_death() {
    ends_alike_when_the_client_is_gone(Method::Pix).await;
}

#[actix_web::test]
async fn a_boleto_whose_client_is_gone_is_found_after_every_death() {
    ends_alike_when_the_client_is_gone(Method::BankSlip).await;
}

/// How long the provider takes for each answer.
const ANSWER: Duration = Duration::from_secs(3);
/// Transactions that have been open for nearly as long without a statement: on a busy machine one may stand still, too.
const LONG: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
     AND state LIKE 'idle in transaction%' AND clock_timestamp() - state_change > interval '2.5 seconds'";

#[actix_web::test]
async fn no_transaction_is_open_while_the_provider_is_asked() {
    let world = World::new().await;
    let payer = world.company().await;
    let start = world.start(payer, Method::Pix, "key").await;
    let replies = json!({"delayMs": ANSWER.as_secs() * 1_000, "reads": true, "times": 100});
    world.faults(json!({"replies": replies})).await;
    let began = Instant::now();
    let walk = async {
        repeat(&world, &start).await;
        pay(&world, payer, None, 0).await;
    };
    let watcher = world.database.owner().await;
    let watch = async {
        loop {
            let open: i64 = watcher.query_one(LONG, &[]).await.unwrap().get(0);
            assert_eq!(open, 0, "a transaction waits for the provider");
            sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! { () = walk => {}, () = watch => {} }
    assert!(began.elapsed() >= 2 * ANSWER, "the provider made its payment and was read");
    assert_eq!(end(&world, payer).await.payments, ["succeeded applied"]);
}
