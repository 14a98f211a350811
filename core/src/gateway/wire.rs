//! The fields that we read of the provider's objects. Beside ids and kinds only status, amount and currency are
//! required: without them a payment cannot be judged. A field which the provider adds, drops or reshapes elsewhere cannot
//! break us. Called by the files of `gateway/` alone.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use miniserde::Deserialize;
use miniserde::json::{Number, Value};

use super::{
    Action, Boleto, Card, CardSetup, Intent, IntentError, IntentStatus, Pix, Refund, RefundStatus,
    Refusal, SetupStatus,
};
use crate::money::Cents;
use crate::payment_method::CardName;
use crate::secret::Secret;

#[derive(Deserialize)]
pub struct WireIntent {
    id: String,
    status: String,
    amount: i64,
    amount_received: Option<i64>,
    currency: String,
    client_secret: Option<String>,
    last_payment_error: Option<WireError>,
    next_action: Option<WireAction>,
    latest_charge: Option<Value>,
    payment_method: Option<Value>,
    metadata: Option<HashMap<String, String>>,
}

/// Why a call was refused, or why the last try of a payment failed. Not `Debug`: the payment in it has a client secret.
#[derive(Deserialize)]
pub struct WireError {
    #[serde(rename = "type")]
    kind: Option<String>,
    code: Option<String>,
    decline_code: Option<String>,
    advice_code: Option<String>,
    param: Option<String>,
    payment_intent: Option<Value>,
    request_log_url: Option<String>,
}

/// The body of an answer that is no success.
#[derive(Deserialize)]
pub struct WireFailure {
    pub error: WireError,
}

#[derive(Deserialize)]
struct WireAction {
    #[serde(rename = "type")]
    kind: String,
    pix_display_qr_code: Option<WirePix>,
    boleto_display_details: Option<WireBoleto>,
}

#[derive(Deserialize)]
struct WirePix {
    data: Option<String>,
    hosted_instructions_url: Option<String>,
    expires_at: Option<i64>,
}

#[derive(Deserialize)]
struct WireBoleto {
    number: Option<String>,
    hosted_voucher_url: Option<String>,
    pdf: Option<String>,
    expires_at: Option<i64>,
}

#[derive(Deserialize)]
pub struct WireList<T> {
    pub data: Vec<T>,
}

/// The name of a refund of ours among the metadata of the provider's.
pub const NAMED: &str = "refundId";
/// The name of the trace of a payment among its metadata.
pub const TRACEPARENT: &str = "traceparent";

#[derive(Deserialize)]
pub struct WireRefund {
    id: String,
    status: Option<String>,
    failure_reason: Option<String>,
    metadata: Option<HashMap<String, String>>,
}

impl From<WireRefund> for Refund {
    fn from(wire: WireRefund) -> Self {
        let status = match wire.status {
            Some(status) if matches!(status.as_str(), "failed" | "canceled") => {
                RefundStatus::Failed(wire.failure_reason.unwrap_or(status))
            }
            _ => RefundStatus::Given,
        };
        let named = wire.metadata.and_then(|metadata| metadata.get(NAMED).cloned());
        Refund { id: wire.id, status, named }
    }
}

#[derive(Deserialize)]
pub struct WireCustomer {
    pub id: String,
}

#[derive(Deserialize)]
pub struct WireSetup {
    id: String,
    status: String,
    client_secret: Option<String>,
    payment_method: Option<Value>,
}

impl From<WireSetup> for CardSetup {
    fn from(wire: WireSetup) -> Self {
        CardSetup {
            status: match wire.status.as_str() {
                "succeeded" => SetupStatus::Saved,
                "requires_payment_method" | "requires_confirmation" => SetupStatus::Failed,
                "canceled" => SetupStatus::Canceled,
                _ => SetupStatus::Waiting,
            },
            id: wire.id,
            client_secret: wire.client_secret.map(Secret::new),
            card: wire.payment_method.as_ref().and_then(id_of),
        }
    }
}

#[derive(Deserialize)]
pub struct WireMethod {
    id: String,
    customer: Option<Value>,
    card: Option<WireCard>,
}

#[derive(Deserialize)]
struct WireCard {
    brand: Option<String>,
    last4: Option<String>,
    exp_month: Option<i32>,
    exp_year: Option<i32>,
}

impl From<WireIntent> for Intent {
    fn from(wire: WireIntent) -> Self {
        let action = wire.next_action.and_then(WireAction::read);
        let error = wire.last_payment_error;
        let charge = wire.latest_charge.as_ref();
        Intent {
            status: match wire.status.as_str() {
                "requires_payment_method" => IntentStatus::RequiresPaymentMethod,
                "requires_confirmation" => IntentStatus::RequiresConfirmation,
                "requires_action" => {
                    action.map_or(IntentStatus::Unrecognised, IntentStatus::RequiresAction)
                }
                "processing" => IntentStatus::Processing,
                "requires_capture" => IntentStatus::RequiresCapture,
                "canceled" => IntentStatus::Canceled,
                "succeeded" => IntentStatus::Succeeded,
                _ => IntentStatus::Unrecognised,
            },
            id: wire.id,
            amount: Cents(wire.amount),
            amount_received: Cents(wire.amount_received.unwrap_or(0)),
            currency: wire.currency,
            client_secret: wire.client_secret.map(Secret::new),
            last_error: error.map(|e| IntentError {
                code: e.code,
                decline_code: e.decline_code,
                advice_code: e.advice_code,
            }),
            charged_at: charge.and_then(created),
            refunded: charge
                .and_then(|charge| number(charge, "amount_refunded"))
                .map_or(Cents::ZERO, Cents),
            disputed: charge.is_some_and(was_disputed),
            card: charge.and_then(card_of),
            payment_method: wire.payment_method.as_ref().and_then(id_of),
            metadata: wire.metadata.map(BTreeMap::from_iter).unwrap_or_default(),
        }
    }
}

impl WireError {
    /// Whether it has the provider's type, and names the payment that it is about. What an error without them left done
    /// is not known.
    pub fn is_readable(&self) -> bool {
        let is_named = |intent: &Value| id_of(intent).is_some();
        self.kind.is_some() && self.payment_intent.as_ref().is_none_or(is_named)
    }

    /// With the HTTP status of the answer.
    pub fn refusal(self, status: u16) -> Refusal {
        Refusal {
            kind: self.kind.unwrap_or_default(),
            missing: status == 404 || self.code.as_deref() == Some("resource_missing"),
            code: self.code,
            decline_code: self.decline_code,
            param: self.param,
            intent: self.payment_intent.as_ref().and_then(id_of),
            request: self.request_log_url.as_deref().and_then(request_of),
        }
    }
}

/// `req_…` of the address of the provider's own log.
fn request_of(url: &str) -> Option<String> {
    let last = url.rsplit('/').next()?.split('?').next()?;
    last.starts_with("req_").then(|| last.to_owned())
}

impl WireAction {
    /// None for an action that this version does not know.
    fn read(self) -> Option<Action> {
        match (self.kind.as_str(), self.pix_display_qr_code, self.boleto_display_details) {
            ("use_stripe_sdk" | "redirect_to_url", ..) => Some(Action::ThreeDSecure),
            ("pix_display_qr_code", pix, _) => {
                Some(Action::Pix(pix.map(Pix::from).unwrap_or_default()))
            }
            ("boleto_display_details", _, boleto) => {
                Some(Action::Boleto(boleto.map(Boleto::from).unwrap_or_default()))
            }
            _ => None,
        }
    }
}

impl From<WirePix> for Pix {
    fn from(wire: WirePix) -> Self {
        Pix {
            code: wire.data,
            hosted_url: wire.hosted_instructions_url,
            expires_at: wire.expires_at.and_then(instant),
        }
    }
}

impl From<WireBoleto> for Boleto {
    fn from(wire: WireBoleto) -> Self {
        Boleto {
            line: wire.number,
            hosted_url: wire.hosted_voucher_url,
            pdf: wire.pdf,
            expires_at: wire.expires_at.and_then(instant),
        }
    }
}

impl WireMethod {
    /// None when it is no card.
    pub fn card(self) -> Option<Card> {
        let card = self.card?;
        Some(Card {
            id: self.id,
            customer: self.customer.as_ref().and_then(id_of),
            brand: card.brand.unwrap_or_else(|| "unknown".into()),
            last4: card.last4?,
            exp_month: card.exp_month?,
            exp_year: card.exp_year?,
        })
    }
}

/// The id, whether the object was expanded or not.
pub fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) => Some(id.clone()),
        Value::Object(object) => match object.get("id") {
            Some(Value::String(id)) => Some(id.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The card that an expanded charge names.
fn card_of(charge: &Value) -> Option<CardName> {
    let card = field(field(charge, "payment_method_details")?, "card")?;
    let text = |name| match field(card, name) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    Some(CardName { brand: text("brand")?, last4: text("last4")? })
}

fn field<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    let Value::Object(fields) = object else { return None };
    fields.get(name)
}

fn created(charge: &Value) -> Option<Timestamp> {
    number(charge, "created").and_then(instant)
}

/// Stays so when the dispute has ended: `stripe_disputes` tells how.
fn was_disputed(charge: &Value) -> bool {
    matches!(field(charge, "disputed"), Some(Value::Bool(true)))
}

/// An integer field of an expanded object.
fn number(object: &Value, name: &str) -> Option<i64> {
    match field(object, name) {
        Some(Value::Number(Number::I64(value))) => Some(*value),
        Some(Value::Number(Number::U64(value))) => i64::try_from(*value).ok(),
        _ => None,
    }
}

fn instant(seconds: i64) -> Option<Timestamp> {
    Timestamp::from_second(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_payment_and_the_request_whatever_else_the_provider_sends() {
        let declined = r#"{"error": {"type": "card_error", "code": "card_declined", "decline_code": "new_reason",
            "message": "…", "payment_intent": {"id": "pi_1", "object": "payment_intent", "status": 7, "more": {}},
            "request_log_url": "https://dashboard.stripe.com/test/logs/req_A1b2C3?t=1700000000"}}"#;
        let WireFailure { error } = miniserde::json::from_str(declined).expect("an error");
        let refusal = Refusal {
            kind: "card_error".to_owned(),
            code: Some("card_declined".to_owned()),
            decline_code: Some("new_reason".to_owned()),
            intent: Some("pi_1".to_owned()),
            request: Some("req_A1b2C3".to_owned()),
            ..Refusal::default()
        };
        assert_eq!(error.refusal(402), refusal);
        assert_eq!(request_of("https://dashboard.stripe.com/test/logs"), None);
    }
}
