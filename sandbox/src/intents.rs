//! PaymentIntents: create, read, change, confirm and cancel (https://docs.stripe.com/api/payment_intents).

use serde_json::Value;

use crate::charges::unexpected_state;
use crate::confirm::{self, Terms};
use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::intent_params::{self, CONFIRM, check_return};
use crate::objects::{Intent, IntentStatus, Waiting};
use crate::pipeline::{Access, Call};
use crate::store::{Object, State, Tx};
use crate::{customers, wire};

pub fn create(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let params = &call.params;
    let mut row = intent_params::new_intent(tx, params)?;
    let confirms = params.flag("confirm")?;
    let terms = terms(call)?;
    if !confirms && (params.has("off_session") || params.has("return_url")) {
        let message =
            "You cannot send off_session or return_url unless you also confirm the PaymentIntent.";
        return Err(Fault::invalid(message));
    }
    let method = intent_params::method(tx, params)?;
    if confirms {
        check_return(row.redirects, params, terms.off_session)?;
    }
    if let Some(method) = &method {
        confirm::check(&row, method)?;
        row.method = Some(method.id.clone());
        row.status = IntentStatus::RequiresConfirmation;
    } else if confirms {
        return Err(missing_method());
    }
    tx.put_new(method.as_ref());
    let value = tx.save(row.clone(), "payment_intent.created");
    match method {
        Some(method) if confirms => confirm::confirm(tx, row, method, terms),
        _ => Ok(value),
    }
}

pub fn retrieve(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    if call.access == Access::Publishable {
        call.params.only(&["client_secret"])?;
    }
    let row = permitted(tx.state, call)?;
    Ok(shown(call, wire::intent(row, tx.base_url)))
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["customer", "created"]].concat())?;
    let customer = customers::named(tx.state, &call.params)?;
    let keep = |row: &Intent| customer.is_none() || row.customer == customer;
    expand::list(tx, &call.params, "/v1/payment_intents", keep)
}

pub fn update(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let mut row = tx.state.find::<Intent>(&call.id)?.clone();
    let only_notes = call.params.only(&["description", "metadata"]).is_ok();
    let open = matches!(
        row.status,
        IntentStatus::RequiresPaymentMethod | IntentStatus::RequiresConfirmation
    );
    if !only_notes && !open {
        return Err(unexpected_state(&row, "update", tx.base_url));
    }
    intent_params::update(tx.state, &mut row, &call.params)?;
    let method = intent_params::method(tx, &call.params)?;
    if let Some(method) = &method {
        confirm::check(&row, method)?;
        row.method = Some(method.id.clone());
        row.status = IntentStatus::RequiresConfirmation;
    }
    tx.put_new(method.as_ref());
    tx.put(row.clone().record());
    Ok(wire::intent(&row, tx.base_url))
}

pub fn confirm(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(CONFIRM)?;
    let mut row = permitted(tx.state, call)?.clone();
    let terms = terms(call)?;
    if call.access == Access::Publishable && terms.off_session {
        return Err(Fault::param("off_session", "off_session needs a secret key."));
    }
    let open = match row.status {
        IntentStatus::RequiresPaymentMethod | IntentStatus::RequiresConfirmation => true,
        // Another card may be tried while the bank's page of the first one is open.
        IntentStatus::RequiresAction => matches!(row.waiting, Some(Waiting::ThreeDSecure { .. })),
        IntentStatus::Succeeded | IntentStatus::Canceled => false,
    };
    if !open {
        return Err(unexpected_state(&row, "confirm", tx.base_url));
    }
    check_return(row.redirects, &call.params, terms.off_session)?;
    intent_params::confirmable(&mut row, &call.params)?;
    let method = match intent_params::method(tx, &call.params)? {
        Some(method) => method,
        None => tx.method(row.method.as_ref()).ok_or_else(missing_method)?,
    };
    confirm::check(&row, &method)?;
    row.waiting = None;
    tx.put_new(Some(&method));
    tx.put(row.clone().record());
    confirm::confirm(tx, row, method, terms)
        .map(|value| shown(call, value))
        .map_err(|fault| fault.reshape("payment_intent", |value| shown(call, value)))
}

pub fn cancel(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&["cancellation_reason"])?;
    let reasons = ["duplicate", "fraudulent", "requested_by_customer", "abandoned"];
    let reason = call.params.one_of("cancellation_reason", &reasons)?;
    let mut row = tx.state.find::<Intent>(&call.id)?.clone();
    let ended = matches!(row.status, IntentStatus::Succeeded | IntentStatus::Canceled);
    if ended || matches!(row.waiting, Some(Waiting::Boleto { .. })) {
        return Err(unexpected_state(&row, "cancel", tx.base_url));
    }
    row.status = IntentStatus::Canceled;
    row.canceled_at = Some(tx.now);
    row.cancellation_reason = reason.map(str::to_owned);
    (row.waiting, row.due) = (None, None);
    Ok(tx.save(row, "payment_intent.canceled"))
}

/// The intent, where the caller holds the secret key or this intent's own secret.
pub fn permitted<'a>(state: &'a State, call: &Call) -> Result<&'a Intent, Fault> {
    let row: &Intent = state.find(&call.id)?;
    call.may_see(&row.client_secret)
        .then_some(row)
        .ok_or_else(|| Fault::no_such(Intent::NAME, &call.id))
}

/// What the holder of a `client_secret` alone may see.
pub fn shown(call: &Call, mut value: Value) -> Value {
    if let (Access::Publishable, Value::Object(fields)) = (call.access, &mut value) {
        for private in
            ["customer", "latest_charge", "metadata", "statement_descriptor", "transfer_data"]
        {
            fields.remove(private);
        }
    }
    value
}

fn terms(call: &Call) -> Result<Terms, Fault> {
    let return_url = call.params.owned("return_url");
    let is_web = |url: &String| url.starts_with("https://") || url.starts_with("http://");
    if return_url.as_ref().is_some_and(|url| !is_web(url)) {
        return Err(Fault::param("return_url", "Not a valid URL.").coded("url_invalid"));
    }
    let off_session = match call.params.text("off_session") {
        // The two words say why the payer is away, which is the same to a card.
        Some("one_off" | "recurring") => true,
        _ => call.params.flag("off_session")?,
    };
    Ok(Terms { off_session, return_url })
}

fn missing_method() -> Fault {
    let message = "You cannot confirm this PaymentIntent because it's missing a payment method. You can either \
                   update the PaymentIntent with a payment method and then confirm it again, or confirm it again \
                   directly with a payment method or ConfirmationToken.";
    Fault::invalid(message).coded("payment_intent_unexpected_state")
}
