//! The provider's objects as the journal stores them, without the constant fields of Stripe's JSON, which `wire.rs`
//! adds. Instants are whole Unix seconds, amounts minor units.

use bipe_core::money::Cents;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cards::Behaviour;
use crate::form::Metadata;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Address {
    pub city: Option<String>,
    pub country: Option<String>,
    pub line1: Option<String>,
    pub line2: Option<String>,
    pub postal_code: Option<String>,
    pub state: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BillingDetails {
    pub address: Address,
    pub email: Option<String>,
    pub name: Option<String>,
    pub phone: Option<String>,
    pub tax_id: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Customer {
    pub id: String,
    pub created: i64,
    pub address: Option<Address>,
    pub default_payment_method: Option<String>,
    pub description: Option<String>,
    pub email: Option<String>,
    pub metadata: Metadata,
    pub name: Option<String>,
    pub phone: Option<String>,
    #[serde(default)]
    pub preferred_locales: Vec<String>,
}

/// A test card: the last four digits, and how it behaves instead of its number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Card {
    pub behaviour: Behaviour,
    pub brand: String,
    pub country: String,
    pub exp_month: i64,
    pub exp_year: i64,
    pub fingerprint: String,
    pub funding: String,
    pub last4: String,
    /// The payer agreed once, with authentication where it was asked, to charges without being present.
    pub set_up: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MethodKind {
    Card(Card),
    Pix,
    Boleto { tax_id: String },
}

impl MethodKind {
    pub const NAMES: [&str; 3] = ["card", "pix", "boleto"];

    pub fn name(&self) -> &'static str {
        match self {
            Self::Card(_) => "card",
            Self::Pix => "pix",
            Self::Boleto { .. } => "boleto",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PaymentMethod {
    pub id: String,
    pub created: i64,
    pub billing: BillingDetails,
    pub customer: Option<String>,
    pub kind: MethodKind,
    pub metadata: Metadata,
    /// Paid without a customer, or detached: may never be used again.
    pub spent: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentStatus {
    #[default]
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction,
    Succeeded,
    Canceled,
}

impl IntentStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::RequiresPaymentMethod => "requires_payment_method",
            Self::RequiresConfirmation => "requires_confirmation",
            Self::RequiresAction => "requires_action",
            Self::Succeeded => "succeeded",
            Self::Canceled => "canceled",
        }
    }
}

/// How a waiting intent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Succeeded,
    Expired,
    Failed,
}

/// The outcome that a waiting intent will have without a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    pub at: i64,
    pub outcome: Outcome,
}

/// What the payer has to do while the intent is `requires_action`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Waiting {
    ThreeDSecure { return_url: Option<String> },
    Pix { data: String, expires_at: i64 },
    Boleto { line: String, barcode: String, expires_at: i64 },
}

/// The expiry parameters of `payment_method_options`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Expiry {
    pub pix_seconds: Option<i64>,
    pub pix_at: Option<i64>,
    pub boleto_days: Option<i64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Intent {
    pub id: String,
    pub created: i64,
    pub amount: Cents,
    /// `automatic_payment_methods[enabled]`
    pub automatic: bool,
    pub canceled_at: Option<i64>,
    pub cancellation_reason: Option<String>,
    pub client_secret: String,
    pub currency: String,
    pub customer: Option<String>,
    pub description: Option<String>,
    pub due: Option<Due>,
    pub expiry: Expiry,
    pub last_error: Option<Value>,
    pub latest_charge: Option<String>,
    pub metadata: Metadata,
    pub method: Option<String>,
    pub method_types: Vec<String>,
    pub receipt_email: Option<String>,
    /// Allows methods that redirect the payer to another page.
    #[serde(default)]
    pub redirects: bool,
    pub request_three_d_secure: bool,
    pub setup_future_usage: Option<String>,
    pub statement_descriptor: Option<String>,
    pub status: IntentStatus,
    pub waiting: Option<Waiting>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SetupIntent {
    pub id: String,
    pub created: i64,
    pub cancellation_reason: Option<String>,
    pub client_secret: String,
    pub customer: Option<String>,
    pub description: Option<String>,
    pub last_error: Option<Value>,
    pub metadata: Metadata,
    pub method: Option<String>,
    pub method_types: Vec<String>,
    /// Allows methods that redirect the payer to another page.
    #[serde(default)]
    pub redirects: bool,
    pub return_url: Option<String>,
    pub status: IntentStatus,
    pub usage: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Charge {
    pub id: String,
    pub created: i64,
    pub amount: Cents,
    pub amount_refunded: Cents,
    pub authenticated: bool,
    pub billing: BillingDetails,
    pub currency: String,
    pub customer: Option<String>,
    pub disputed: bool,
    /// `(code, decline_code, message)` of a charge that failed.
    pub failure: Option<(String, String, String)>,
    pub intent: String,
    pub metadata: Metadata,
    pub method: String,
    pub kind: MethodKind,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub created: i64,
    pub amount: Cents,
    pub charge: String,
    pub currency: String,
    /// When it will fail by itself.
    #[serde(default)]
    pub fails_at: Option<i64>,
    #[serde(default)]
    pub has_failed: bool,
    pub intent: String,
    pub metadata: Metadata,
    pub method_type: String,
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    WarningNeedsResponse,
    WarningClosed,
    NeedsResponse,
    Won,
    Lost,
}

impl DisputeStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::WarningNeedsResponse => "warning_needs_response",
            Self::WarningClosed => "warning_closed",
            Self::NeedsResponse => "needs_response",
            Self::Won => "won",
            Self::Lost => "lost",
        }
    }

    pub fn holds_money(self) -> bool {
        matches!(self, Self::NeedsResponse | Self::Lost)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dispute {
    pub id: String,
    pub created: i64,
    pub amount: Cents,
    pub charge: String,
    pub currency: String,
    pub intent: String,
    pub reason: String,
    pub status: DisputeStatus,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    pub id: String,
    pub created: i64,
    #[serde(rename = "type")]
    pub kind: String,
    /// The object as it was, in the wire's shape: JSON text, a tenth of the memory of its tree.
    pub object: String,
    pub request: Option<String>,
    pub idempotency_key: Option<String>,
}

/// An event on its way to the webhook endpoint. Instants are Unix milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Delivery {
    pub event: String,
    /// The endpoint that a call made; none: the one of the settings.
    #[serde(default)]
    pub endpoint: Option<String>,
    pub attempts: u32,
    pub first_at: i64,
    pub next_at: i64,
    /// Copies still to be sent; more than one only when a test asks for duplicates.
    pub copies: u32,
}

impl Delivery {
    /// One an event and endpoint.
    pub fn key(&self) -> String {
        Self::key_of(&self.event, self.endpoint.as_deref())
    }

    pub fn key_of(event: &str, endpoint: Option<&str>) -> String {
        endpoint.map_or_else(|| event.to_owned(), |endpoint| format!("{event} {endpoint}"))
    }
}

/// An endpoint that a call made, beside the one of the settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Endpoint {
    pub id: String,
    pub created: i64,
    pub url: String,
    /// Types of events; `*` is every one.
    pub enabled_events: Vec<String>,
    pub secret: String,
    pub description: Option<String>,
    pub metadata: Metadata,
    pub disabled: bool,
}

impl Endpoint {
    pub fn wants(&self, kind: &str) -> bool {
        !self.disabled && self.enabled_events.iter().any(|wanted| wanted == "*" || wanted == kind)
    }
}

/// The kept answer of an idempotency key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptAnswer {
    pub key: String,
    pub created: i64,
    /// SHA-256 of method, path and parameters, in hex.
    pub fingerprint: String,
    pub request: String,
    pub status: u16,
    pub body: String,
}
