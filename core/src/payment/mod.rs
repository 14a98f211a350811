//! A payment: one PaymentIntent at the provider, and its states here (docs/billing.md, "Payment states").
//!
//! Pure: `decide` moves states, `store` remembers them, `view` shows them. Called by the billing workflow. A payment
//! is shown as paid or as failed only when the provider said so.

pub mod admin;
pub mod admin_list;
pub mod admin_store;
pub mod answer;
pub mod check;
pub mod command;
pub mod decide;
mod failure_pt_br;
pub mod list;
pub mod lost;
pub mod measure;
pub mod reading;
pub mod refund;
pub mod renewal_consent;
mod renewal_consent_pt_br;
mod row;
pub mod saved_cards;
pub mod store;
pub mod timer;
pub mod trail;
pub mod view;

use jiff::Timestamp;

use crate::gateway::Action;
use crate::id::{CompanyId, PaymentId, QuoteId, UserId};
use crate::money::Cents;
use crate::payment_method::Method;
use crate::subscription::ChangeType;
use crate::words::words;

pub use decide::{AlertReason, Decision, Effect, Input, ReviewDecision, decide};
pub use view::{PaymentMetadata, PaymentStatus, PaymentView};

/// Where a payment stands, with what belongs to that state alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentState {
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

impl PaymentState {
    /// The name in `payments.state`.
    pub fn name(&self) -> &'static str {
        match self {
            PaymentState::Submitting => "submitting",
            PaymentState::Created => "created",
            PaymentState::RequiresAction(_) => "requires_action",
            PaymentState::Processing => "processing",
            PaymentState::Declined(_) => "declined",
            PaymentState::Succeeded { .. } => "succeeded",
            PaymentState::Failed(_) => "failed",
            PaymentState::Expired => "expired",
            PaymentState::Canceled => "canceled",
            PaymentState::Conflicted => "conflicted",
        }
    }

    /// Nothing but late money moves it.
    pub fn is_closed(&self) -> bool {
        matches!(self, PaymentState::Failed(_) | PaymentState::Expired | PaymentState::Canceled)
    }

    pub fn is_final(&self) -> bool {
        self.is_closed() || matches!(self, PaymentState::Succeeded { .. })
    }

    /// It waits as an issued boleto. The provider cancels none: one that is replaced gives its slot away instead.
    pub fn is_boleto(&self) -> bool {
        matches!(self, PaymentState::RequiresAction(Action::Boleto(_)))
    }

    /// The provider would cancel an intent in this state.
    pub fn can_be_canceled(&self) -> bool {
        match self {
            PaymentState::Created | PaymentState::Declined(_) => true,
            PaymentState::RequiresAction(_) => !self.is_boleto(),
            _ => false,
        }
    }
}

words! {
    /// Why a payment did not succeed, in the contract's codes.
    pub enum FailureCode {
        Declined = "declined",
        InsufficientFunds = "insufficient_funds",
        ExpiredCard = "expired_card",
        IncorrectCvc = "incorrect_cvc",
        IncorrectNumber = "incorrect_number",
        AuthenticationRequired = "authentication_required",
        ProcessingError = "processing_error",
        PaymentExpired = "payment_expired",
        UnderReview = "under_review",
        Other = "other",
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

    /// The failure, with what the bank advises behind its detail.
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

words! {
    /// Why we close a payment at the provider; kept until the provider has answered, also through a crash.
    pub enum CloseReason {
        /// The payer asked.
        Cancel = "cancel",
        /// Its time is over.
        Expire = "expire",
        /// Declined, and the payer went away.
        Fail = "fail",
        /// Another payment takes its place.
        Replace = "replace",
    }
}

/// Everything that `decide` looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    pub method: Method,
    /// Charged by a job: a decline is the end, because nobody is there to confirm with another card.
    pub off_session: bool,
    /// What the provider must have received.
    pub amount: Cents,
    pub state: PaymentState,
    /// The provider's id, once it answered.
    pub intent: Option<String>,
    /// A write to the provider is not answered yet; cleared by any authoritative read.
    pub unknown: bool,
    /// Since when that holds without a break; none where it does not.
    pub unknown_since: Option<Timestamp>,
    pub closing: Option<CloseReason>,
    /// A boleto that another payment replaced: it holds no slot, and if paid becomes credit.
    pub superseded: bool,
    /// What the provider received when that is not the amount: a person decides.
    pub received: Option<Cents>,
    /// What the provider gave back.
    pub refunded: Cents,
    pub disputed: bool,
    /// A platform admin decided on the money that differed from the amount.
    pub is_reviewed: bool,
    /// When the newest read that we followed began.
    pub read_started_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// When the state last changed.
    pub changed_at: Timestamp,
}

impl Situation {
    /// What came in: the amount, or what a platform admin accepted for it.
    pub fn came_in(&self) -> Cents {
        self.received.unwrap_or(self.amount)
    }

    /// The company's next payment may take its place: it was declined, or its payer asks for that.
    pub fn makes_room(&self, is_asked: bool) -> bool {
        is_asked || matches!(self.state, PaymentState::Declined(_))
    }

    /// Whether an event that says "the payer of `intent` has something to do" may be news. It is not if `intent` is
    /// this payment's and the payment has succeeded, or waits for its payer with no unanswered write and no closing
    /// under way.
    pub fn may_learn_of_action(&self, intent: &str) -> bool {
        let is_known = match self.state {
            PaymentState::RequiresAction(_) => !self.unknown && self.closing.is_none(),
            PaymentState::Succeeded { .. } => true,
            _ => false,
        };
        !is_known || self.intent.as_deref() != Some(intent)
    }
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
    /// The payer asked to keep the card for later.
    pub saves_card: bool,
    pub metadata: PaymentMetadata,
    /// The payer's own words.
    pub cancel_reason: Option<String>,
    /// Why a platform admin accepted or refused what the provider holds.
    pub review_reason: Option<String>,
    /// Another payment of the company is open, or was paid after this one began.
    pub overtaken: bool,
    /// It was paid when nothing could be bought with it any more: the money became credit.
    pub credited: bool,
    /// What its success does was done: it is done once in the life of a payment.
    pub is_applied: bool,
    pub version: i64,
}

impl Payment {
    /// Nobody has written it since it was stored.
    pub fn is_untouched(&self) -> bool {
        self.version == 1
    }
}
