//! The signature of the provider's webhooks, checked over the raw bytes before anything is parsed, and the few fields
//! that are read of an event. Called by `http/src/api/webhooks.rs`, by the job runner, and by `bipe doctor` and the
//! sandbox, which sign.
//!
//! Format: <https://docs.stripe.com/webhooks#verify-manually>. A webhook is only a hint: its handler reads the object
//! from the provider.

use std::ops::Not;

use aws_lc_rs::hmac;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::wire::TRACEPARENT;
use crate::id::{CompanyId, PaymentId};
use crate::secret::{Secret, equal, hex};
use crate::trace::Traceparent;

/// How old, or how far ahead, a signed time may be.
pub const TOLERANCE_SECONDS: i64 = 300;
/// Largest body that is read.
pub const BODY_LIMIT: usize = 256 * 1024;
/// Longest id or type of an event that is kept, in bytes; Stripe's own are at most 255.
const NAME_MAX: usize = 255;
/// Most `v1` entries that are compared; a rotation has two.
const MAX_SIGNATURES: usize = 16;

/// Why a delivery is refused; the answer is 400 without this detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("malformed header")]
    Malformed,
    #[error("no v1 signature")]
    NoV1,
    #[error("no signature matches")]
    BadSignature,
    #[error("signed too long ago")]
    TooOld,
    #[error("signed in the future")]
    TooNew,
}

/// Any `v1` may match any configured secret (a secret being rolled gives one `v1` per secret). The time
/// counts only after a signature matched: a forger learns nothing about our clock.
///
/// # Errors
/// What is wrong with the delivery.
pub fn verify(
    header: &str,
    body: &[u8],
    secrets: &[Secret],
    now: Timestamp,
) -> Result<(), SignatureError> {
    let (mut times, mut signatures) = (Vec::new(), Vec::new());
    for part in header.split(',') {
        match part.trim().split_once('=') {
            Some(("t", time)) => times.push(time),
            Some(("v1", signature)) => signatures.push(signature),
            _ => {}
        }
    }
    let [time] = times.as_slice() else { return Err(SignatureError::Malformed) };
    let signed_at: i64 = time.parse().map_err(|_no_number| SignatureError::Malformed)?;
    if signatures.is_empty() {
        return Err(SignatureError::NoV1);
    }
    let signed = [time.as_bytes(), b".", body].concat();
    let keys = secrets.iter().filter(|secret| !secret.expose().is_empty());
    // Once, however many signatures there are: anybody may send a long body with many.
    let macs: Vec<String> = keys.map(|secret| mac(secret, &signed)).collect();
    let matches = |signature: &&str| {
        let signature = signature.to_ascii_lowercase();
        macs.iter().any(|mac| equal(mac.as_bytes(), signature.as_bytes()))
    };
    if !signatures.iter().take(MAX_SIGNATURES).any(matches) {
        return Err(SignatureError::BadSignature);
    }
    match now.as_second().saturating_sub(signed_at) {
        age if age > TOLERANCE_SECONDS => Err(SignatureError::TooOld),
        age if age < -TOLERANCE_SECONDS => Err(SignatureError::TooNew),
        _ => Ok(()),
    }
}

/// The hexadecimal HMAC of `t.body`, as the provider signs.
pub fn sign(secret: &Secret, time: i64, body: &[u8]) -> String {
    mac(secret, &[format!("{time}.").as_bytes(), body].concat())
}

fn mac(secret: &Secret, signed: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
    hex(hmac::sign(&key, signed).as_ref())
}

/// What we read of an event; everything else of it is stored and left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: String,
    pub kind: String,
    /// The PaymentIntent behind the object, or the object's own id.
    pub object: Option<String>,
    /// When the provider made the event, to the second.
    pub created: Option<Timestamp>,
    /// The company that the object's metadata name.
    pub company: Option<CompanyId>,
    /// The payment that they name: it finds the row of a creation that was never answered.
    pub payment: Option<PaymentId>,
    /// The trace of the payment.
    pub trace: Option<Traceparent>,
}

#[derive(Deserialize)]
struct Raw {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    created: serde_json::Value,
    #[serde(default)]
    data: serde_json::Value,
}

impl Event {
    /// None when the body has no `id` and `type` that a row can hold: signed, but nothing that can be kept under a key.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let raw: Raw = serde_json::from_slice(body).ok()?;
        let object = raw.data.get("object");
        let text = |name: &str| object.and_then(|o| o.get(name)).and_then(|v| v.as_str());
        let object = text("payment_intent").or_else(|| text("id"));
        let object = object.filter(|id| is_name(id)).map(str::to_owned);
        let metadata = raw.data.pointer("/object/metadata");
        let named = |name: &str| metadata.and_then(|names| names.get(name)?.as_str());
        let is_keepable = is_name(&raw.id) && is_name(&raw.kind);
        is_keepable.then(|| Self {
            object,
            created: raw.created.as_i64().and_then(|at| Timestamp::from_second(at).ok()),
            company: named("companyId").and_then(|id| id.parse().ok()),
            payment: named("paymentId").and_then(|id| id.parse().ok()),
            trace: named(TRACEPARENT).and_then(Traceparent::parse),
            id: raw.id,
            kind: raw.kind,
        })
    }

    /// `None` for an event that names no payment. `None` for a decline as well: its job reads the stored event, because
    /// a decline also counts against the payer's limits.
    pub fn hint(&self) -> Option<PaymentHint> {
        if !is_payment_event(&self.kind) || is_decline_event(&self.kind) {
            return None;
        }
        Some(PaymentHint {
            company: self.company?,
            payment: self.payment?,
            intent: self.object.clone()?,
            tells_action: is_action_event(&self.kind),
        })
    }
}

/// Names of the provider are short and visible. PostgreSQL keeps no NUL, and no long text under a key.
fn is_name(text: &str) -> bool {
    (1..=NAME_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// What an endpoint subscribes to (docs/billing.md, "Webhooks"), and what the sweep asks for.
pub const SUBSCRIBED: &[&str] = &[
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.dispute.funds_reinstated",
    "charge.dispute.funds_withdrawn",
    "charge.refunded",
    "payment_intent.canceled",
    "payment_intent.payment_failed",
    "payment_intent.processing",
    "payment_intent.requires_action",
    "payment_intent.succeeded",
    "payment_method.attached",
    "payment_method.automatically_updated",
    "payment_method.detached",
    "refund.created",
    "refund.failed",
    "refund.updated",
    "setup_intent.setup_failed",
    "setup_intent.succeeded",
];

/// The type of an event that no provider sends. `bipe doctor` signs one to learn that webhooks arrive, and which address
/// the server takes them from. It is answered and kept nowhere.
pub const SELF_TEST: &str = "bipe.self_test";
/// The answer's header with that address.
pub const SEEN_ADDRESS: &str = "x-seen-address";

/// Events about money of a payment; everything else is kept and left alone. Nothing is derived from a mere
/// creation.
pub fn is_payment_event(kind: &str) -> bool {
    let of_intent = kind.starts_with("payment_intent.") && kind != "payment_intent.created";
    of_intent || kind.starts_with("charge.") || kind.starts_with("refund.")
}

/// A try was declined; several of one payment may look the same when it is read.
pub fn is_decline_event(kind: &str) -> bool {
    kind == "payment_intent.payment_failed"
}

/// What becomes of a card that is saved without a payment.
pub fn is_card_setup_event(kind: &str) -> bool {
    kind.starts_with("setup_intent.")
}

/// The provider took a card from its customer, or has its new number or expiry from the bank.
pub fn is_saved_card_event(kind: &str) -> bool {
    matches!(kind, "payment_method.automatically_updated" | "payment_method.detached")
}

/// The payer has something to do, as the answer to a creation says too.
fn is_action_event(kind: &str) -> bool {
    kind == "payment_intent.requires_action"
}

/// What an event says of the payment that it is about: enough to read the payment at the provider, and to find our own
/// row, which decides whether it is true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentHint {
    pub company: CompanyId,
    pub payment: PaymentId,
    pub intent: String,
    /// The event says only that the payer has something to do. Builds before this field read the payment all the same.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub tells_action: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_event_shape_is_read_as_far_as_it_goes() {
        let event = Event::parse(br#"{"id":"evt_1","type":"new.thing","data":7}"#).unwrap();
        assert_eq!((event.kind.as_str(), event.object), ("new.thing", None));
        let charge = br#"{"id":"e","type":"charge.refunded","data":{"object":{"id":"ch_1","payment_intent":"pi_1"}}}"#;
        assert_eq!(Event::parse(charge).unwrap().object.as_deref(), Some("pi_1"));
        assert_eq!(Event::parse(b"[]"), None);
    }

    #[test]
    fn an_event_is_kept_under_a_short_visible_name_alone() {
        let parsed = |id: &str, kind: &str| {
            let body = serde_json::json!({ "id": id, "type": kind }).to_string();
            Event::parse(body.as_bytes()).is_some()
        };
        let longest = "e".repeat(255);
        assert!(parsed("evt_1", "charge.refunded") && parsed(&longest, &longest));
        for bad in ["", "evt 1", "evt\0", "évt", &format!("{longest}e")] {
            assert!(!parsed(bad, "charge.refunded"), "{bad:?}");
            assert!(!parsed("evt_1", bad), "{bad:?}");
        }
        let nameless = br#"{"id":"e","type":"k","data":{"object":{"id":"ch 1"}}}"#;
        assert_eq!(Event::parse(nameless).unwrap().object, None);
    }

    #[test]
    fn what_moves_a_payment_or_a_card_is_told_by_the_type_of_an_event() {
        let concerning: Vec<&str> =
            SUBSCRIBED.iter().copied().filter(|kind| is_payment_event(kind)).collect();
        assert_eq!(
            concerning,
            [
                "charge.dispute.closed",
                "charge.dispute.created",
                "charge.dispute.funds_reinstated",
                "charge.dispute.funds_withdrawn",
                "charge.refunded",
                "payment_intent.canceled",
                "payment_intent.payment_failed",
                "payment_intent.processing",
                "payment_intent.requires_action",
                "payment_intent.succeeded",
                "refund.created",
                "refund.failed",
                "refund.updated",
            ]
        );
        assert!(!is_payment_event("payment_intent.created") && !is_payment_event(SELF_TEST));
        let declining: Vec<&str> =
            SUBSCRIBED.iter().copied().filter(|kind| is_decline_event(kind)).collect();
        assert_eq!(declining, ["payment_intent.payment_failed"]);
        let of_setups: Vec<&str> =
            SUBSCRIBED.iter().copied().filter(|kind| is_card_setup_event(kind)).collect();
        assert_eq!(of_setups, ["setup_intent.setup_failed", "setup_intent.succeeded"]);
        let of_saved: Vec<&str> =
            SUBSCRIBED.iter().copied().filter(|kind| is_saved_card_event(kind)).collect();
        let changed = ["payment_method.automatically_updated", "payment_method.detached"];
        assert_eq!(of_saved, changed);
    }

    #[test]
    fn the_payment_and_its_trace_are_read_from_the_metadata_of_an_object() {
        let id = "01990000-0000-7000-8000-000000000001";
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let body = |metadata: &str| {
            format!(r#"{{"id":"e","type":"k","data":{{"object":{{"metadata":{metadata}}}}}}}"#)
        };
        let both = |metadata: &str| {
            let event = Event::parse(body(metadata).as_bytes()).unwrap();
            (event.payment, event.trace)
        };
        let known = both(&format!(r#"{{"paymentId":"{id}","traceparent":"{trace}"}}"#));
        assert_eq!(known, (Some(id.parse().unwrap()), Traceparent::parse(trace)));
        assert_eq!(both(r#"{"paymentId":"pi_1","traceparent":"pi_1"}"#), (None, None));
        assert_eq!(both("{}"), (None, None));
    }

    #[test]
    fn what_is_paid_is_hinted_at_and_a_decline_or_an_event_without_names_is_not() {
        let id = "01990000-0000-7000-8000-000000000001";
        let names = format!(r#"{{"companyId":"{id}","paymentId":"{id}"}}"#);
        let hinted = |kind: &str, metadata: &str| {
            let object = format!(r#"{{"id":"pi_1","metadata":{metadata}}}"#);
            let body = format!(r#"{{"id":"e","type":"{kind}","data":{{"object":{object}}}}}"#);
            Event::parse(body.as_bytes()).unwrap().hint()
        };
        let (company, payment) = (id.parse().unwrap(), id.parse().unwrap());
        let paid = PaymentHint { company, payment, intent: "pi_1".into(), tells_action: false };
        assert_eq!(hinted("payment_intent.succeeded", &names), Some(paid.clone()));
        let waits = PaymentHint { tells_action: true, ..paid };
        assert_eq!(hinted("payment_intent.requires_action", &names), Some(waits));
        assert_eq!(hinted("payment_intent.payment_failed", &names), None);
        assert_eq!(hinted("setup_intent.succeeded", &names), None);
        assert_eq!(hinted("payment_intent.succeeded", "{}"), None);
    }

    #[test]
    fn an_event_tells_when_it_was_made_or_not_at_all() {
        let created = |at: &str| {
            let body = format!(r#"{{"id":"e","type":"k","created":{at}}}"#);
            Event::parse(body.as_bytes()).unwrap().created.map(Timestamp::as_second)
        };
        assert_eq!(created("1795824000"), Some(1_795_824_000));
        for other in ["\"now\"", "1e300", "{}", "null"] {
            assert_eq!(created(other), None, "{other}");
        }
    }
}
