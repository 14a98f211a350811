//! A payment: one PaymentIntent at the provider, and the states it passes here (docs/billing.md, "Payment states").
//!
//! Pure: `decide` moves states, `store` remembers them, `view` is what the wire shows. Called by the billing
//! workflow. Money is never shown as paid, nor as failed, on anything but the provider's word.

pub mod admin;
pub mod admin_store;
pub mod check;
pub mod command;
pub mod decide;
mod failure_pt_br;
pub mod reading;
mod row;
pub mod store;
pub mod timer;
pub mod view;
pub mod wallet;

use jiff::Timestamp;

use crate::gateway::{Boleto, Pix};
use crate::id::{CompanyId, PaymentId, QuoteId, UserId};
use crate::subscription::ChangeType;

pub use decide::{Concern, Decision, Effect, Input, Verdict, decide};
pub use view::{PaymentMetadata, PaymentStatus, PaymentView};

/// What one payment may ask for, in centavos: the provider's smallest and largest amount.
pub const MIN_AMOUNT: i64 = 50;
pub const MAX_AMOUNT: i64 = 99_999_999;
/// The bank's limits for a boleto.
pub const BOLETO_AMOUNTS: std::ops::RangeInclusive<i64> = 500..=4_999_999;

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Method {
    CreditCard,
    Pix,
    BankSlip,
}

impl Method {
    pub const ALL: [Method; 3] = [Method::CreditCard, Method::Pix, Method::BankSlip];

    pub fn as_str(self) -> &'static str {
        match self {
            Method::CreditCard => "CREDIT_CARD",
            Method::Pix => "PIX",
            Method::BankSlip => "BANK_SLIP",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Method::ALL.into_iter().find(|method| method.as_str() == text)
    }

    /// The money arrives long after the payer decided, so the price is looked at again when it does.
    pub fn settles_later(self) -> bool {
        self != Method::CreditCard
    }
}

/// Where a payment stands, with what belongs to that state alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Provider key and parameters are stored, the call is not answered yet.
    Submitting,
    /// The payer has not confirmed.
    Created,
    RequiresAction(Action),
    Processing,
    /// Declined, but the intent is open: the payer may confirm again with another card.
    Declined(Failure),
    Succeeded {
        at: Timestamp,
    },
    Failed(Failure),
    Expired,
    Canceled,
    /// The provider's amount or currency is not ours: nothing is applied until a person decided.
    Conflicted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    ThreeDSecure,
    Pix(Pix),
    Boleto(Boleto),
}

impl State {
    /// The name in `payments.state`.
    pub fn name(&self) -> &'static str {
        match self {
            State::Submitting => "submitting",
            State::Created => "created",
            State::RequiresAction(_) => "requires_action",
            State::Processing => "processing",
            State::Declined(_) => "declined",
            State::Succeeded { .. } => "succeeded",
            State::Failed(_) => "failed",
            State::Expired => "expired",
            State::Canceled => "canceled",
            State::Conflicted => "conflicted",
        }
    }

    /// Nothing but late money moves it.
    pub fn is_closed(&self) -> bool {
        matches!(self, State::Failed(_) | State::Expired | State::Canceled)
    }

    pub fn is_final(&self) -> bool {
        self.is_closed() || matches!(self, State::Succeeded { .. })
    }

    /// The provider would cancel an intent in this state.
    pub fn can_be_canceled(&self) -> bool {
        match self {
            State::Created | State::Declined(_) => true,
            State::RequiresAction(action) => !matches!(action, Action::Boleto(_)),
            _ => false,
        }
    }
}

/// Why a payment did not succeed, in the contract's codes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    Declined,
    InsufficientFunds,
    ExpiredCard,
    IncorrectCvc,
    IncorrectNumber,
    AuthenticationRequired,
    ProcessingError,
    PaymentExpired,
    UnderReview,
    Other,
}

impl FailureCode {
    pub const ALL: [FailureCode; 10] = [
        FailureCode::Declined,
        FailureCode::InsufficientFunds,
        FailureCode::ExpiredCard,
        FailureCode::IncorrectCvc,
        FailureCode::IncorrectNumber,
        FailureCode::AuthenticationRequired,
        FailureCode::ProcessingError,
        FailureCode::PaymentExpired,
        FailureCode::UnderReview,
        FailureCode::Other,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            FailureCode::Declined => "declined",
            FailureCode::InsufficientFunds => "insufficient_funds",
            FailureCode::ExpiredCard => "expired_card",
            FailureCode::IncorrectCvc => "incorrect_cvc",
            FailureCode::IncorrectNumber => "incorrect_number",
            FailureCode::AuthenticationRequired => "authentication_required",
            FailureCode::ProcessingError => "processing_error",
            FailureCode::PaymentExpired => "payment_expired",
            FailureCode::UnderReview => "under_review",
            FailureCode::Other => "other",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        FailureCode::ALL.into_iter().find(|code| code.as_str() == text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: FailureCode,
    /// The provider's own code, and its advice where it gave one, for dunning and support; never shown:
    /// it would tell lost from stolen.
    pub detail: Option<String>,
}

impl Failure {
    pub fn of(code: FailureCode) -> Self {
        Self { code, detail: None }
    }

    /// The same with what the bank advises.
    pub fn advised(self, advice: Option<&str>) -> Self {
        let Some(advice) = advice else { return self };
        let detail = self.detail.map_or_else(|| advice.into(), |code| format!("{code} {advice}"));
        Self { detail: Some(detail), ..self }
    }

    /// The provider's codes to ours. Lost, stolen and fraud read as a plain decline.
    pub fn of_provider(code: Option<&str>, decline_code: Option<&str>) -> Self {
        let detail = decline_code.or(code).map(str::to_owned);
        let code = match (code.unwrap_or(""), decline_code.unwrap_or("")) {
            ("payment_intent_payment_attempt_expired", _) => FailureCode::PaymentExpired,
            (_, "insufficient_funds") => FailureCode::InsufficientFunds,
            ("expired_card", _) | (_, "expired_card") => FailureCode::ExpiredCard,
            ("incorrect_cvc" | "invalid_cvc", _) | (_, "incorrect_cvc" | "invalid_cvc") => {
                FailureCode::IncorrectCvc
            }
            ("incorrect_number" | "invalid_number", _) | (_, "incorrect_number") => {
                FailureCode::IncorrectNumber
            }
            ("authentication_required" | "payment_intent_authentication_failure", _)
            | (_, "authentication_required") => FailureCode::AuthenticationRequired,
            ("processing_error", _) | (_, "processing_error") => FailureCode::ProcessingError,
            ("card_declined", _) => FailureCode::Declined,
            _ => FailureCode::Other,
        };
        Self { code, detail }
    }
}

/// Why we close a payment at the provider; kept until the provider has answered, also through a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The payer asked.
    Cancel,
    /// Its time is over.
    Expire,
    /// Declined, and the payer went away.
    Fail,
    /// Another payment takes its place.
    Replace,
}

impl Closing {
    pub fn as_str(self) -> &'static str {
        match self {
            Closing::Cancel => "cancel",
            Closing::Expire => "expire",
            Closing::Fail => "fail",
            Closing::Replace => "replace",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Closing::Cancel, Closing::Expire, Closing::Fail, Closing::Replace]
            .into_iter()
            .find(|closing| closing.as_str() == text)
    }
}

/// Everything that `decide` looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    pub method: Method,
    /// Charged by a job: a decline is the end, because nobody is there to confirm with another card.
    pub off_session: bool,
    /// Centavos; what the provider must have received.
    pub amount: i64,
    pub state: State,
    /// The provider's id, once it answered.
    pub intent: Option<String>,
    /// A write to the provider is not answered yet; cleared by any authoritative read.
    pub unknown: bool,
    pub closing: Option<Closing>,
    /// A boleto that another payment replaced: it holds no slot, and if paid becomes credit.
    pub superseded: bool,
    /// What the provider received when that is not the amount, in centavos: a person decides.
    pub received: Option<i64>,
    /// Centavos that the provider gave back.
    pub refunded: i64,
    pub disputed: bool,
    /// When the newest read that we followed began.
    pub read_started_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// When the state last changed.
    pub changed_at: Timestamp,
}

/// A stored payment.
#[derive(Clone, Debug)]
pub struct Payment {
    pub id: PaymentId,
    pub company_id: CompanyId,
    /// The person who pays; none for a charge by a job.
    pub created_by: Option<UserId>,
    pub situation: Situation,
    pub change_type: ChangeType,
    pub quote_id: QuoteId,
    pub provider: String,
    /// The key and the very text of the creation, stored before it was sent.
    pub provider_key: String,
    pub provider_request: String,
    pub metadata: PaymentMetadata,
    /// The payer's own words.
    pub cancel_reason: Option<String>,
    /// Why a platform admin accepted or refused what the provider holds.
    pub review_reason: Option<String>,
    /// Another payment of the company is open, or was paid after this one began.
    pub overtaken: bool,
    pub version: i64,
}
