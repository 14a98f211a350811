//! The confirmation of an intent, and the payer's answer to 3-D Secure.

use serde_json::Value;

use crate::cards::{ChargeTerms, Decline, Verdict};
use crate::charges::{self, unexpected_state, wait};
use crate::fault::Fault;
use crate::objects::{Card, Intent, MethodKind, PaymentMethod, Waiting};
use crate::payment_methods::usable;
use crate::store::Tx;
use crate::{vouchers, wire};

/// How a confirmation was asked for.
#[derive(Debug, Default)]
pub struct Terms {
    pub off_session: bool,
    pub return_url: Option<String>,
}

/// Refuses a method that cannot pay this intent, before anything is stored.
pub fn check(intent: &Intent, method: &PaymentMethod) -> Result<(), Fault> {
    usable(method)?;
    let kind = method.kind.name();
    if !intent.method_types.iter().any(|allowed| allowed == kind) {
        let message = format!(
            "The PaymentMethod provided ({kind}) is not allowed for this PaymentIntent. Please attach a \
             PaymentMethod of one of the following types: {}.",
            intent.method_types.join(", ")
        );
        return Err(Fault::param("payment_method", message));
    }
    match (&method.customer, &intent.customer) {
        (Some(owner), Some(payer)) if owner == payer => {}
        (None, _) => {}
        (Some(_), _) => {
            let message = "The provided PaymentMethod belongs to a Customer. Please include the Customer in the \
                           `customer` parameter on the PaymentIntent.";
            return Err(Fault::param("payment_method", message));
        }
    }
    vouchers::check(intent, method)
}

/// Confirms an intent with a method that passed `check`; the caller has checked the intent's state.
pub fn confirm(
    tx: &mut Tx<'_>,
    intent: Intent,
    method: PaymentMethod,
    terms: Terms,
) -> Result<Value, Fault> {
    match method.kind.clone() {
        MethodKind::Card(card) => confirm_card(tx, intent, method, &card, terms),
        MethodKind::Pix => vouchers::open_pix(tx, intent, method),
        MethodKind::Boleto { .. } => vouchers::open_boleto(tx, intent, method),
    }
}

fn confirm_card(
    tx: &mut Tx<'_>,
    intent: Intent,
    method: PaymentMethod,
    card: &Card,
    terms: Terms,
) -> Result<Value, Fault> {
    let charge_terms = ChargeTerms {
        off_session: terms.off_session,
        is_set_up: card.set_up,
        requests_three_d_secure: intent.request_three_d_secure,
    };
    match card.behaviour.on_charge(charge_terms) {
        Verdict::Pays => Ok(charges::pay(tx, intent, method, false)),
        Verdict::Declines(why) => Err(charges::decline(tx, intent, &method, why)),
        Verdict::Authenticate => {
            let waiting = Waiting::ThreeDSecure { return_url: terms.return_url };
            Ok(wait(tx, intent, method, waiting))
        }
    }
}

/// The payer proved who they are, or did not. Answers the intent as it stands then.
pub fn authenticated(tx: &mut Tx<'_>, intent: Intent, succeeded: bool) -> Result<Value, Fault> {
    let waits = matches!(intent.waiting, Some(Waiting::ThreeDSecure { .. }));
    let method = tx.method(intent.method.as_ref());
    let (true, Some(method)) = (waits, method) else {
        return Err(unexpected_state(&intent, "authenticate", tx.base_url));
    };
    let id = intent.id.clone();
    let verdict = match &method.kind {
        MethodKind::Card(card) if succeeded => card.behaviour.after_authentication(),
        _ => Verdict::Declines(Decline::AuthenticationRequired),
    };
    match verdict {
        Verdict::Pays | Verdict::Authenticate => return Ok(charges::pay(tx, intent, method, true)),
        Verdict::Declines(why) if succeeded => charges::decline(tx, intent, &method, why),
        Verdict::Declines(_) => charges::fail(tx, intent, &method, refused("payment_intent")),
    };
    tx.state.find(&id).map(|row| wire::intent(row, tx.base_url))
}

/// The payer refused at their bank's page.
pub fn refused(noun: &str) -> Fault {
    Fault::state(
        &format!("{noun}_authentication_failure"),
        "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new \
         PaymentMethod to attempt to fulfill this intent again.",
    )
}
