//! SetupIntents: a card is prepared for charges while its holder is away.

use serde_json::Value;

use crate::cards::Verdict;
use crate::confirm::refused;
use crate::customers;
use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::form::Metadata;
use crate::intent_params::{self, Methods, check_return};
use crate::objects::{IntentStatus, MethodKind, PaymentMethod, SetupIntent};
use crate::payment_methods::{attach_to, usable};
use crate::pipeline::Call;
use crate::store::{Object, Record, State, Tx};
use crate::wire;

const CREATE: &[&str] = &[
    "automatic_payment_methods",
    "confirm",
    "customer",
    "description",
    "mandate_data",
    "metadata",
    "payment_method",
    "payment_method_types",
    "return_url",
    "usage",
    "use_stripe_sdk",
];
const CONFIRM: &[&str] = &[
    "client_secret",
    "mandate_data",
    "payment_method",
    "payment_method_data",
    "return_url",
    "use_stripe_sdk",
];

pub fn create(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let params = &call.params;
    params.only(CREATE)?;
    let id = tx.id("seti");
    let usage = params.one_of("usage", &["off_session", "on_session"])?.unwrap_or("off_session");
    let methods = Methods::read(params)?;
    let mut metadata = Metadata::new();
    params.merge_metadata(&mut metadata)?;
    let mut row = SetupIntent {
        client_secret: tx.secret(&id),
        id,
        created: tx.now,
        customer: customers::named(tx.state, params)?,
        description: params.owned("description"),
        metadata,
        method_types: if methods.automatic { vec!["card".to_owned()] } else { methods.types },
        redirects: methods.redirects,
        return_url: params.owned("return_url"),
        usage: usage.to_owned(),
        ..SetupIntent::default()
    };
    let confirms = params.flag("confirm")?;
    if confirms {
        check_return(row.redirects, params, false)?;
    } else if params.has("return_url") {
        let message = "You cannot send return_url unless you also confirm the SetupIntent.";
        return Err(Fault::param("return_url", message));
    }
    let method = intent_params::method(tx, params)?;
    if let Some(method) = &method {
        check(&row, method)?;
        row.method = Some(method.id.clone());
        row.status = IntentStatus::RequiresConfirmation;
    } else if confirms {
        return Err(Fault::missing("payment_method"));
    }
    tx.put_new(method.as_ref());
    let value = tx.save(row.clone(), "setup_intent.created");
    match method {
        Some(method) if confirms => proceed(tx, row, method),
        _ => Ok(value),
    }
}

pub fn retrieve(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    permitted(tx.state, call).map(|row| wire::setup_intent(row, tx.base_url))
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["created", "customer", "payment_method"]].concat())?;
    let customer = customers::named(tx.state, &call.params)?;
    let method = call.params.text("payment_method");
    let keep = |row: &SetupIntent| {
        (customer.is_none() || row.customer == customer)
            && method.is_none_or(|id| row.method.as_deref() == Some(id))
    };
    expand::list(tx, &call.params, "/v1/setup_intents", keep)
}

pub fn confirm(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(CONFIRM)?;
    let mut row = permitted(tx.state, call)?.clone();
    if matches!(row.status, IntentStatus::Succeeded | IntentStatus::Canceled) {
        return Err(unexpected_state(&row, tx.base_url));
    }
    check_return(row.redirects, &call.params, false)?;
    row.return_url = call.params.owned("return_url").or(row.return_url);
    let named = intent_params::method(tx, &call.params)?;
    let method = named.or_else(|| tx.method(row.method.as_ref()));
    let method = method.ok_or_else(|| Fault::missing("payment_method"))?;
    check(&row, &method)?;
    tx.put_new(Some(&method));
    tx.put(row.clone().record());
    proceed(tx, row, method)
}

pub fn cancel(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["cancellation_reason"])?;
    let reasons = ["abandoned", "duplicate", "requested_by_customer"];
    let reason = call.params.one_of("cancellation_reason", &reasons)?;
    let mut row = tx.state.find::<SetupIntent>(&call.id)?.clone();
    if matches!(row.status, IntentStatus::Succeeded | IntentStatus::Canceled) {
        return Err(unexpected_state(&row, tx.base_url));
    }
    row.status = IntentStatus::Canceled;
    row.cancellation_reason = reason.map(str::to_owned);
    Ok(tx.save(row, "setup_intent.canceled"))
}

/// The payer's answer at their bank's page.
pub fn authenticate(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["client_secret", "outcome"])?;
    let succeeded = call.params.one_of("outcome", &["succeeded", "failed"])?;
    let succeeded = succeeded.ok_or_else(|| Fault::missing("outcome"))? == "succeeded";
    let row = permitted(tx.state, call)?.clone();
    let method = tx.method(row.method.as_ref());
    let (IntentStatus::RequiresAction, Some(method)) = (row.status, method) else {
        return Err(unexpected_state(&row, tx.base_url));
    };
    if succeeded {
        return Ok(succeed(tx, row, method));
    }
    let id = row.id.clone();
    fail(tx, row, &method, refused("setup_intent"));
    tx.state.find(&id).map(|row| wire::setup_intent(row, tx.base_url))
}

/// Refuses what cannot be set up, before anything is stored: only cards can.
fn check(row: &SetupIntent, method: &PaymentMethod) -> Result<(), Fault> {
    usable(method)?;
    let owned = method.customer.is_none() || method.customer == row.customer;
    if !matches!(method.kind, MethodKind::Card(_)) || !owned {
        return Err(Fault::param(
            "payment_method",
            "This PaymentMethod cannot be set up with this SetupIntent.",
        ));
    }
    Ok(())
}

fn proceed(tx: &mut Tx<'_>, mut row: SetupIntent, method: PaymentMethod) -> Result<Value, Fault> {
    let MethodKind::Card(card) = &method.kind else { return Err(Fault::missing("payment_method")) };
    match card.behaviour.on_setup() {
        Verdict::Pays => Ok(succeed(tx, row, method)),
        Verdict::Declines(why) => Err(fail(tx, row, &method, why.fault())),
        Verdict::Authenticate => {
            row.status = IntentStatus::RequiresAction;
            row.method = Some(method.id);
            row.last_error = None;
            Ok(tx.save(row, "setup_intent.requires_action"))
        }
    }
}

fn succeed(tx: &mut Tx<'_>, mut row: SetupIntent, mut method: PaymentMethod) -> Value {
    row.status = IntentStatus::Succeeded;
    row.method = Some(method.id.clone());
    row.last_error = None;
    if let MethodKind::Card(card) = &mut method.kind {
        card.set_up = card.set_up || row.usage == "off_session";
    }
    match row.customer.clone().filter(|_| method.customer.is_none()) {
        Some(customer) => {
            attach_to(tx, method, customer);
        }
        None => tx.put(Record::Method(method)),
    }
    tx.save(row, "setup_intent.succeeded")
}

fn fail(tx: &mut Tx<'_>, mut row: SetupIntent, method: &PaymentMethod, fault: Fault) -> Fault {
    let fault = fault.with("payment_method", wire::payment_method(method));
    row.status = IntentStatus::RequiresPaymentMethod;
    row.method = None;
    row.last_error = Some(fault.object());
    let value = tx.save(row, "setup_intent.setup_failed");
    fault.with("setup_intent", value)
}

fn permitted<'a>(state: &'a State, call: &Call) -> Result<&'a SetupIntent, Fault> {
    let row: &SetupIntent = state.find(&call.id)?;
    call.may_see(&row.client_secret)
        .then_some(row)
        .ok_or_else(|| Fault::no_such(SetupIntent::NAME, &call.id))
}

fn unexpected_state(row: &SetupIntent, base_url: &str) -> Fault {
    let message =
        format!("This SetupIntent has a status of {}, which forbids this.", row.status.name());
    Fault::state("setup_intent_unexpected_state", message)
        .with("setup_intent", wire::setup_intent(row, base_url))
}
