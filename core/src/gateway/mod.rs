//! The port to the payment provider: the trait of its calls, and the types of its answers.
//!
//! Called by the billing workflow, never while a transaction is open (invariant I2). Only an answer that the provider
//! gave for certain is `Done` or `Refused`. Everything else is `Unknown`, and a later read settles it; it is never
//! taken for a failure.

pub mod stripe;
mod stripe_answers;
mod stripe_disputes;
mod stripe_events;
mod stripe_requests;
mod stripe_transport;
pub mod webhook;
mod wire;

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::id::{CompanyId, PaymentId, PlanId, RefundId};
use crate::money::Cents;
use crate::payment_method::{CardName, Method, MethodDetails};
use crate::plan::BillingCycle;
use crate::secret::Secret;
use crate::subscription::ChangeType;
use crate::trace::Traceparent;
use webhook::Event;

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderAnswer<T> {
    /// The provider did it, or had done it under the same key, and this is the object as it stands.
    Done(T),
    /// The provider looked at the request and will not do it; nothing was made or moved.
    Refused(Refusal),
    /// The request may or may not have been carried out: time-out, broken connection, 409, 429, 5xx, an
    /// answer that cannot be read. Only a read tells.
    Unknown,
    /// No connection was made: nothing was sent.
    Unreachable,
}

impl<T> ProviderAnswer<T> {
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> ProviderAnswer<U> {
        self.and_then(|value| ProviderAnswer::Done(f(value)))
    }

    pub fn and_then<U>(self, f: impl FnOnce(T) -> ProviderAnswer<U>) -> ProviderAnswer<U> {
        match self {
            ProviderAnswer::Done(value) => f(value),
            ProviderAnswer::Refused(refusal) => ProviderAnswer::Refused(refusal),
            ProviderAnswer::Unknown => ProviderAnswer::Unknown,
            ProviderAnswer::Unreachable => ProviderAnswer::Unreachable,
        }
    }

    /// What the provider has decided: the object, or why it refused.
    ///
    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)` for everything that may pass.
    pub fn certain(self) -> Result<Result<T, Refusal>> {
        match self {
            ProviderAnswer::Done(value) => Ok(Ok(value)),
            ProviderAnswer::Refused(refusal) => Ok(Err(refusal)),
            ProviderAnswer::Unknown | ProviderAnswer::Unreachable => {
                Err(Error::provider_unavailable())
            }
        }
    }

    /// For a job: what was not done, as its log shall say it.
    ///
    /// # Errors
    /// `Internal` for a refusal, `Unavailable(PROVIDER_UNAVAILABLE)` for everything that may pass.
    pub fn done(self) -> Result<T> {
        self.certain()?.map_err(|refusal| refusal.error())
    }
}

/// Why the provider refused, by its own codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The provider's type of the error, such as `card_error`.
    pub kind: String,
    pub code: Option<String>,
    pub decline_code: Option<String>,
    /// The request parameter at fault.
    pub param: Option<String>,
    /// The provider does not know the object.
    pub missing: bool,
    /// The intent that the refused call left behind (a card declined while confirming).
    pub intent: Option<String>,
    /// The provider's id of the request, for its own log.
    pub request: Option<String>,
}

/// Codes that say that a kind of payment is switched off for the account, whoever pays.
const NOT_ENABLED: [&str; 5] = [
    "capability_not_active",
    "payment_intent_incompatible_payment_method",
    "payment_method_not_available",
    "payment_method_unactivated",
    "payment_method_unsupported_type",
];
/// Parameters that name a kind of payment and nothing else.
const KINDS: [&str; 2] = ["payment_method_data[type]", "payment_method_types"];

impl Refusal {
    /// The kind of payment itself is refused, whoever would pay by it.
    pub fn is_about(&self, method: Method) -> bool {
        let code = self.code.as_deref().is_some_and(|code| NOT_ENABLED.contains(&code));
        let param = self.param.as_deref().unwrap_or_default();
        // A request by another method than a card names none, so that its kind is meant.
        let is_kind = param == "payment_method" && !method.rules().takes_a_card;
        code || is_kind || KINDS.iter().any(|kind| param.starts_with(kind))
    }

    /// The provider does not know the company's customer, or not any more.
    pub fn is_about_the_customer(&self) -> bool {
        self.missing && self.param.as_deref() == Some("customer")
    }

    /// As the log of a job shows it.
    pub fn error(&self) -> Error {
        let text = |part: &Option<String>| part.clone().unwrap_or_else(|| "-".to_owned());
        let (kind, code, param) = (&self.kind, text(&self.code), text(&self.param));
        let request = text(&self.request);
        Error::internal(format!(
            "the payment provider refused: {kind}, code {code}, param {param}, request {request}"
        ))
    }

    /// The card was looked at and is no good, as opposed to a request that is wrong.
    pub fn is_decline(&self) -> bool {
        self.kind == "card_error"
    }
}

/// A PaymentIntent as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    pub id: String,
    pub status: IntentStatus,
    pub amount: Cents,
    pub amount_received: Cents,
    /// Lowercase.
    pub currency: String,
    /// Goes to its payer only; never stored, never logged.
    pub client_secret: Option<Secret>,
    pub last_error: Option<IntentError>,
    /// The provider's instant of the charge that succeeded.
    pub charged_at: Option<Timestamp>,
    /// What went back to the payer.
    pub refunded: Cents,
    /// The payer's bank disputes the charge and has its money.
    pub disputed: bool,
    pub payment_method: Option<String>,
    /// The card of the charge that succeeded.
    pub card: Option<CardName>,
    pub metadata: BTreeMap<String, String>,
}

impl Intent {
    /// The intent names no other payment and no other company.
    pub fn is_of(&self, payment: PaymentId, company: CompanyId) -> bool {
        let is = |key: &str, value: String| self.metadata.get(key).is_none_or(|v| *v == value);
        is("paymentId", payment.to_string()) && is("companyId", company.to_string())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntentStatus {
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction(Action),
    Processing,
    RequiresCapture,
    Canceled,
    Succeeded,
    /// A status or action that this version does not know: it changes nothing.
    Unrecognised,
}

/// What the payer has to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    ThreeDSecure,
    Pix(Pix),
    Boleto(Boleto),
}

/// Every field of the provider's object is optional: without a code the hosted page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pix {
    pub code: Option<String>,
    pub hosted_url: Option<String>,
    pub expires_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boleto {
    pub line: Option<String>,
    pub hosted_url: Option<String>,
    pub pdf: Option<String>,
    pub expires_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentError {
    pub code: Option<String>,
    pub decline_code: Option<String>,
    /// What the bank advises, such as never to try this card again.
    pub advice_code: Option<String>,
}

/// A saved or just made card at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub id: String,
    pub customer: Option<String>,
    pub brand: String,
    pub last4: String,
    pub exp_month: i32,
    pub exp_year: i32,
}

/// A card that is prepared for charges while its holder is away, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSetup {
    pub id: String,
    pub status: SetupStatus,
    /// Goes to who saves the card only; never stored, never logged.
    pub client_secret: Option<Secret>,
    pub card: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupStatus {
    /// The bank asks for the holder. A status that this version does not know reads the same: it changes nothing.
    Waiting,
    /// The customer has the card.
    Saved,
    /// The bank refused; whoever has the secret may try another card.
    Failed,
    Canceled,
}

/// Money given back, as the provider has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    pub id: String,
    pub status: RefundStatus,
    /// The refund of ours that its metadata name.
    pub named: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundStatus {
    /// Given, or on its way.
    Given,
    /// It came to nothing, by the provider's code.
    Failed(String),
}

/// The newest part of a list of events, each with its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventPart {
    /// Newest first.
    pub events: Vec<(Event, String)>,
    /// The older events of the list were made before this instant; none: there are no others.
    pub rest_until: Option<Timestamp>,
}

/// What one payment asks of the provider. `body` renders it once; the stored text is what is sent, every time.
#[derive(Clone, Debug)]
pub struct NewIntent<'a> {
    pub payment_id: PaymentId,
    pub company_id: CompanyId,
    pub subscription: String,
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
    pub change_type: ChangeType,
    pub amount: Cents,
    pub customer: &'a str,
    pub payer: &'a Payer,
    pub details: &'a MethodDetails,
    /// When the payment is opened: a boleto is due some business days later.
    pub at: Timestamp,
    pub environment: &'a str,
    /// The payment's events of the provider go on with it.
    pub trace: Option<Traceparent>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payer {
    pub name: String,
    pub email: String,
}

/// The key of a provider write: one per intention, so that a repeat after a crash has one effect.
pub fn key(subject: impl std::fmt::Display, operation: &str) -> String {
    format!("v1:{subject}:{operation}")
}

pub trait Gateway: Send + Sync {
    /// The name in `payments.provider`.
    fn name(&self) -> &'static str;
    /// The request of `create`, rendered once and stored before it is sent.
    fn body(&self, charge: &NewIntent<'_>) -> String;
    /// Creates the PaymentIntent; PIX, boleto and a saved instrument are confirmed with it, any other card by the
    /// payer's browser.
    fn create<'a>(&'a self, body: &'a str, key: &'a str) -> BoxFuture<'a, ProviderAnswer<Intent>>;
    fn read<'a>(&'a self, intent: &'a str) -> BoxFuture<'a, ProviderAnswer<Intent>>;
    /// Done also when it was canceled before, so that no key is needed: a key would repeat a failure.
    fn cancel<'a>(&'a self, intent: &'a str) -> BoxFuture<'a, ProviderAnswer<Intent>>;
    /// The request of `refund`, rendered once and stored before it is sent.
    fn refund_body(&self, intent: &str, amount: Cents, refund: RefundId) -> String;
    /// Gives a part of a payment back to its payer.
    fn refund<'a>(&'a self, body: &'a str, key: &'a str) -> BoxFuture<'a, ProviderAnswer<Refund>>;
    /// The refunds of an intent, for finding one whose key the provider has forgotten.
    fn refunds_of<'a>(&'a self, intent: &'a str) -> BoxFuture<'a, ProviderAnswer<Vec<Refund>>>;
    /// The customer's newest intents, for finding one whose creation was never answered.
    fn intents_of<'a>(&'a self, customer: &'a str) -> BoxFuture<'a, ProviderAnswer<Vec<Intent>>>;
    /// Creates the company's customer, always with the same parameters, so that the key may be sent again by
    /// whichever command needs it; answers its id.
    fn create_customer<'a>(
        &'a self,
        company: CompanyId,
        key: &'a str,
    ) -> BoxFuture<'a, ProviderAnswer<String>>;
    fn card<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<Card>>;
    /// Gives a card to the customer, prepared for charges while its holder is away.
    fn set_up_card<'a>(
        &'a self,
        card: &'a str,
        customer: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, ProviderAnswer<CardSetup>>;
    fn card_setup<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<CardSetup>>;
    /// From now on its secret takes no card.
    fn cancel_card_setup<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<CardSetup>>;
    fn detach<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ProviderAnswer<Card>>;
    fn cards_of<'a>(&'a self, customer: &'a str) -> BoxFuture<'a, ProviderAnswer<Vec<Card>>>;
    /// The events from an instant to another, or to now, that a webhook could have brought; of many the newest part.
    /// Whole seconds: the first one is in it, the last one is not.
    fn events_between(
        &self,
        since: Timestamp,
        until: Option<Timestamp>,
    ) -> BoxFuture<'_, ProviderAnswer<EventPart>>;
    /// Whether it answers at all.
    fn is_alive(&self) -> BoxFuture<'_, bool>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_is_switched_off_is_told_from_a_card_that_is_no_good() {
        let refusal = |code: Option<&str>, param: &str| Refusal {
            code: code.map(str::to_owned),
            param: Some(param.to_owned()),
            ..Refusal::default()
        };
        let incompatible = refusal(Some("payment_intent_incompatible_payment_method"), "");
        for (refusal, about_pix, about_cards) in [
            (incompatible, true, true),
            (refusal(None, "payment_method_data[type]"), true, true),
            (refusal(None, "payment_method"), true, false),
            (refusal(Some("resource_missing"), "customer"), false, false),
        ] {
            let about = (refusal.is_about(Method::Pix), refusal.is_about(Method::CreditCard));
            assert_eq!(about, (about_pix, about_cards), "{refusal:?}");
        }
    }
}
