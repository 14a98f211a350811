//! How an attempt to pay goes on, whatever the method: the payer is awaited, the money moved, or the attempt failed.
//! Each one stores the intent and emits its events. Also the calls that read charges.

use bipe_core::money::Cents;
use serde_json::Value;

use crate::cards::{Behaviour, Decline, DisputeKind};
use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::objects::{Card, Charge, Intent, IntentStatus, MethodKind, PaymentMethod, Waiting};
use crate::payment_methods::attach_to;
use crate::pipeline::Call;
use crate::store::{Record, Tx};
use crate::{customers, disputes, wire};

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["created", "customer", "payment_intent"]].concat())?;
    let customer = customers::named(tx.state, &call.params)?;
    let intent = call.params.text("payment_intent");
    let keep = |row: &Charge| {
        (customer.is_none() || row.customer == customer) && intent.is_none_or(|id| id == row.intent)
    };
    expand::list(tx, &call.params, "/v1/charges", keep)
}

/// The intent waits for the payer.
pub fn wait(tx: &mut Tx<'_>, mut intent: Intent, method: PaymentMethod, waiting: Waiting) -> Value {
    intent.status = IntentStatus::RequiresAction;
    (intent.method, intent.waiting, intent.last_error) = (Some(method.id), Some(waiting), None);
    tx.save(intent, "payment_intent.requires_action")
}

/// The money is there: `succeeded`, with its charge.
pub fn pay(
    tx: &mut Tx<'_>,
    mut intent: Intent,
    method: PaymentMethod,
    authenticated: bool,
) -> Value {
    let mut charge = new_charge(tx, &intent, &method);
    charge.authenticated = authenticated;
    charge.disputed = dispute_of(&method).is_some();
    intent.latest_charge = Some(charge.id.clone());
    intent.status = IntentStatus::Succeeded;
    intent.method = Some(method.id.clone());
    (intent.waiting, intent.due, intent.last_error) = (None, None, None);
    keep_method(tx, &intent, method.clone());
    tx.save(charge.clone(), "charge.succeeded");
    let value = tx.save(intent, "payment_intent.succeeded");
    if let Some(kind) = dispute_of(&method) {
        disputes::open(tx, &charge, kind);
    }
    value
}

/// The card was charged and refused: back to `requires_payment_method`, with the failed charge.
pub fn decline(tx: &mut Tx<'_>, mut intent: Intent, method: &PaymentMethod, why: Decline) -> Fault {
    let mut charge = new_charge(tx, &intent, method);
    charge.failure = Some(why.failure());
    intent.latest_charge = Some(charge.id.clone());
    let fault = why.fault().with("charge", charge.id.clone().into());
    tx.save(charge, "charge.failed");
    fail(tx, intent, method, fault)
}

/// The attempt came to nothing: back to `requires_payment_method`. Returns the fault as a caller sees it.
pub fn fail(tx: &mut Tx<'_>, mut intent: Intent, method: &PaymentMethod, fault: Fault) -> Fault {
    let fault = fault.with("payment_method", wire::payment_method(method));
    intent.last_error = Some(fault.object());
    intent.status = IntentStatus::RequiresPaymentMethod;
    (intent.method, intent.waiting, intent.due) = (None, None, None);
    let value = tx.save(intent, "payment_intent.payment_failed");
    fault.with("payment_intent", value)
}

/// 400 with the intent, which shows the caller where it stands.
pub fn unexpected_state(intent: &Intent, verb: &str, base_url: &str) -> Fault {
    let message = format!(
        "You cannot {verb} this PaymentIntent because it has a status of {}.",
        intent.status.name()
    );
    Fault::state("payment_intent_unexpected_state", message)
        .with("payment_intent", wire::intent(intent, base_url))
}

fn new_charge(tx: &Tx<'_>, intent: &Intent, method: &PaymentMethod) -> Charge {
    Charge {
        id: tx.id("ch"),
        created: tx.now,
        amount: intent.amount,
        amount_refunded: Cents::ZERO,
        authenticated: false,
        billing: method.billing.clone(),
        currency: intent.currency.clone(),
        customer: intent.customer.clone(),
        disputed: false,
        failure: None,
        intent: intent.id.clone(),
        metadata: intent.metadata.clone(),
        method: method.id.clone(),
        kind: method.kind.clone(),
    }
}

fn dispute_of(method: &PaymentMethod) -> Option<DisputeKind> {
    match &method.kind {
        MethodKind::Card(Card { behaviour: Behaviour::PaysThenDisputed(kind), .. }) => Some(*kind),
        _ => None,
    }
}

/// `setup_future_usage` keeps a card at its customer; any other method without a customer is used up.
fn keep_method(tx: &mut Tx<'_>, intent: &Intent, mut method: PaymentMethod) {
    let off_session = intent.setup_future_usage.as_deref() == Some("off_session");
    if let MethodKind::Card(card) = &mut method.kind {
        card.set_up = card.set_up || off_session;
        let keeper = intent.customer.clone().filter(|_| intent.setup_future_usage.is_some());
        if let Some(customer) = keeper.filter(|_| method.customer.is_none()) {
            attach_to(tx, method, customer);
            return;
        }
    }
    method.spent = method.customer.is_none();
    tx.put(Record::Method(method));
}
