//! A payment as clients see it, the same by REST, in events and in snapshots (docs/contract.md, "Payments").

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::failure_pt_br::sentence;
use super::{Action, FailureCode, Method, Payment, PaymentState};
use crate::id::{CompanyId, PaymentId, PlanId, QuoteId, UserId};
use crate::money::{BRL, Cents};
use crate::plan::BillingCycle;
use crate::subscription::ChangeType;
use crate::words::words;

words! {
    pub enum PaymentStatus {
        Pending = "PENDING", Processing = "PROCESSING", Success = "SUCCESS", Failed = "FAILED",
        Cancelled = "CANCELLED",
    }
}

impl PaymentStatus {
    /// The stored states behind each status, for lists that are filtered.
    pub fn states(self) -> &'static [&'static str] {
        match self {
            PaymentStatus::Pending => &["created", "requires_action"],
            PaymentStatus::Processing => &["submitting", "processing", "conflicted"],
            PaymentStatus::Success => &["succeeded"],
            PaymentStatus::Failed => &["declined", "failed", "expired"],
            PaymentStatus::Cancelled => &["canceled"],
        }
    }

    pub fn of(state: &PaymentState) -> Self {
        match state {
            PaymentState::Created | PaymentState::RequiresAction(_) => PaymentStatus::Pending,
            PaymentState::Submitting | PaymentState::Processing | PaymentState::Conflicted => {
                PaymentStatus::Processing
            }
            PaymentState::Succeeded { .. } => PaymentStatus::Success,
            PaymentState::Declined(_) | PaymentState::Failed(_) | PaymentState::Expired => {
                PaymentStatus::Failed
            }
            PaymentState::Canceled => PaymentStatus::Cancelled,
        }
    }
}

/// What the payment is for. `changeType` is the server's own, not the client's hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentMetadata {
    pub company_id: CompanyId,
    pub plan_id: PlanId,
    pub billing_cycle: BillingCycle,
    pub change_type: ChangeType,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub quote_id: Option<QuoteId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub source: Option<String>,
    /// Why the payer cancelled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cancel_reason: Option<String>,
}

/// A payment. Amounts are integer minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Payment)]
pub struct PaymentView {
    pub id: PaymentId,
    pub company_id: CompanyId,
    pub status: PaymentStatus,
    #[schema(value_type = i64)]
    pub amount: Cents,
    pub currency: String,
    pub provider: String,
    pub payment_method: Method,
    /// Who began it, and alone may go on with the bank's authentication; absent for a charge by a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub payer_id: Option<UserId>,
    /// The provider's intent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub transaction_id: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pix_code: Option<String>,
    /// The provider's page with the code, where the provider gives no code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pix_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub bank_slip_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub bank_slip_line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub bank_slip_pdf: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub failure_code: Option<FailureCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub failure_message: Option<String>,
    /// FAILED, and nothing else is open or was paid later: a new payment makes sense.
    pub can_retry: bool,
    /// SUCCESS, but too late to buy anything: the money became the company's credit.
    #[serde(default)]
    pub credited: bool,
    /// What the provider received where that is not the amount; absent without money in our currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<i64>)]
    pub received: Option<Cents>,
    /// What went back to the payer.
    #[serde(default)]
    #[schema(value_type = i64)]
    pub refunded: Cents,
    /// The payer's bank disputes it.
    #[serde(default)]
    pub disputed: bool,
    pub metadata: PaymentMetadata,
    pub version: i64,
}

impl From<&Payment> for PaymentView {
    fn from(payment: &Payment) -> Self {
        let situation = &payment.situation;
        let status = PaymentStatus::of(&situation.state);
        let failure_code = match &situation.state {
            PaymentState::Declined(failure) | PaymentState::Failed(failure) => Some(failure.code),
            PaymentState::Expired => Some(FailureCode::PaymentExpired),
            PaymentState::Conflicted => Some(FailureCode::UnderReview),
            _ => None,
        };
        let mut view = Self {
            id: payment.id,
            company_id: payment.company_id,
            status,
            amount: situation.amount,
            currency: BRL.to_owned(),
            provider: payment.provider.clone(),
            payment_method: situation.method,
            payer_id: payment.created_by,
            transaction_id: situation.intent.clone(),
            created_at: situation.created_at,
            updated_at: situation.changed_at,
            expires_at: None,
            pix_code: None,
            pix_url: None,
            bank_slip_url: None,
            bank_slip_line: None,
            bank_slip_pdf: None,
            failure_code,
            failure_message: failure_code.map(|code| sentence(code).to_owned()),
            can_retry: status == PaymentStatus::Failed && !payment.overtaken,
            credited: payment.credited,
            received: situation.received,
            refunded: situation.refunded,
            disputed: situation.disputed,
            metadata: PaymentMetadata {
                cancel_reason: payment.cancel_reason.clone(),
                ..payment.metadata.clone()
            },
            version: payment.version,
        };
        match &situation.state {
            PaymentState::RequiresAction(Action::Pix(pix)) => {
                view.expires_at = pix.expires_at;
                view.pix_code.clone_from(&pix.code);
                if pix.code.is_none() {
                    view.pix_url.clone_from(&pix.hosted_url);
                }
            }
            PaymentState::RequiresAction(Action::Boleto(boleto)) => {
                view.expires_at = boleto.expires_at;
                view.bank_slip_url.clone_from(&boleto.hosted_url);
                view.bank_slip_line.clone_from(&boleto.line);
                view.bank_slip_pdf.clone_from(&boleto.pdf);
            }
            _ => {}
        }
        view
    }
}
