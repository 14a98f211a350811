//! Between a payment and its row: the data of a state stand in columns of their own. Only `store` calls it.

use tokio_postgres::Row;

use super::{Action, Failure, FailureCode, Payment, PaymentState, PaymentView, Situation};
use crate::error::{Error, Result};
use crate::gateway::{Boleto, Pix};
use crate::id::UserId;

/// The columns that change with the state.
pub struct Columns<'a> {
    pub state: &'static str,
    pub action: Option<&'static str>,
    pub expires_at: Option<jiff::Timestamp>,
    pub pix_code: Option<&'a str>,
    pub hosted_url: Option<&'a str>,
    pub bank_slip_line: Option<&'a str>,
    pub bank_slip_pdf: Option<&'a str>,
    pub failure_code: Option<FailureCode>,
    pub failure_detail: Option<&'a str>,
    pub succeeded_at: Option<jiff::Timestamp>,
}

impl<'a> Columns<'a> {
    pub fn of(state: &'a PaymentState) -> Self {
        let mut columns = Self {
            state: state.name(),
            action: None,
            expires_at: None,
            pix_code: None,
            hosted_url: None,
            bank_slip_line: None,
            bank_slip_pdf: None,
            failure_code: None,
            failure_detail: None,
            succeeded_at: None,
        };
        match state {
            PaymentState::RequiresAction(Action::ThreeDSecure) => columns.action = Some("3ds"),
            PaymentState::RequiresAction(Action::Pix(pix)) => {
                columns.action = Some("pix");
                columns.expires_at = pix.expires_at;
                columns.pix_code = pix.code.as_deref();
                columns.hosted_url = pix.hosted_url.as_deref();
            }
            PaymentState::RequiresAction(Action::Boleto(boleto)) => {
                columns.action = Some("boleto");
                columns.expires_at = boleto.expires_at;
                columns.hosted_url = boleto.hosted_url.as_deref();
                columns.bank_slip_line = boleto.line.as_deref();
                columns.bank_slip_pdf = boleto.pdf.as_deref();
            }
            PaymentState::Declined(failure) | PaymentState::Failed(failure) => {
                columns.failure_code = Some(failure.code);
                columns.failure_detail = failure.detail.as_deref();
            }
            PaymentState::Succeeded { at } => columns.succeeded_at = Some(*at),
            _ => {}
        }
        columns
    }
}

impl TryFrom<&Row> for Payment {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let metadata: &str = row.try_get("metadata")?;
        let created_by: Option<UserId> = row.try_get("created_by")?;
        let review_reason: Option<String> = row.try_get("review_reason")?;
        Ok(Self {
            id: row.try_get("id")?,
            company_id: row.try_get("company_id")?,
            created_by,
            change_type: row.try_get("change_type")?,
            quote_id: row.try_get("quote_id")?,
            provider: row.try_get("provider")?,
            provider_key: row.try_get("provider_key")?,
            provider_request: row.try_get("provider_request")?,
            saves_card: row.try_get("saves_card")?,
            metadata: serde_json::from_str(metadata).map_err(Error::internal)?,
            cancel_reason: row.try_get("cancel_reason")?,
            overtaken: row.try_get("overtaken")?,
            credited: row.try_get("credited")?,
            is_applied: row.try_get("is_applied")?,
            version: row.try_get("version")?,
            situation: Situation {
                method: row.try_get("method")?,
                off_session: created_by.is_none(),
                amount: row.try_get("amount_cents")?,
                state: state_of(row)?,
                intent: row.try_get("provider_intent")?,
                unknown: row.try_get("unknown")?,
                unknown_since: row.try_get("unknown_at")?,
                closing: row.try_get("closing")?,
                superseded: row.try_get("superseded")?,
                received: row.try_get("received_cents")?,
                refunded: row.try_get("refunded_cents")?,
                disputed: row.try_get("disputed")?,
                is_reviewed: review_reason.is_some(),
                read_started_at: row.try_get("read_started_at")?,
                created_at: row.try_get("created_at")?,
                changed_at: row.try_get("updated_at")?,
            },
            review_reason,
        })
    }
}

impl TryFrom<&Row> for PaymentView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Payment::try_from(row).map(|payment| Self::from(&payment))
    }
}

fn state_of(row: &Row) -> Result<PaymentState> {
    let failure = || -> Result<Failure> {
        let code: Option<&str> = row.try_get("failure_code")?;
        Ok(Failure {
            code: code.and_then(FailureCode::parse).unwrap_or(FailureCode::Other),
            detail: row.try_get("failure_detail")?,
        })
    };
    let action: Option<&str> = row.try_get("action")?;
    Ok(match (row.try_get("state")?, action) {
        ("submitting", _) => PaymentState::Submitting,
        ("created", _) => PaymentState::Created,
        ("requires_action", Some("3ds")) => PaymentState::RequiresAction(Action::ThreeDSecure),
        ("requires_action", Some("pix")) => PaymentState::RequiresAction(Action::Pix(Pix {
            code: row.try_get("pix_code")?,
            hosted_url: row.try_get("hosted_url")?,
            expires_at: row.try_get("expires_at")?,
        })),
        ("requires_action", Some("boleto")) => {
            PaymentState::RequiresAction(Action::Boleto(Boleto {
                line: row.try_get("bank_slip_line")?,
                hosted_url: row.try_get("hosted_url")?,
                pdf: row.try_get("bank_slip_pdf")?,
                expires_at: row.try_get("expires_at")?,
            }))
        }
        ("processing", _) => PaymentState::Processing,
        ("declined", _) => PaymentState::Declined(failure()?),
        ("succeeded", _) => {
            let at: Option<jiff::Timestamp> = row.try_get("succeeded_at")?;
            PaymentState::Succeeded { at: at.unwrap_or(row.try_get("updated_at")?) }
        }
        ("failed", _) => PaymentState::Failed(failure()?),
        ("expired", _) => PaymentState::Expired,
        ("canceled", _) => PaymentState::Canceled,
        ("conflicted", _) => PaymentState::Conflicted,
        (state, _) => return Err(Error::internal(format!("payments.state {state} is unknown"))),
    })
}
