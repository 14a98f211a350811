//! Payments as platform admins see and settle them: the list's rows and the body of a decision on money that is
//! under review.
//!
//! Pure; `admin_store` remembers, the billing workflow carries a decision out.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PaymentStatus, PaymentView, ReviewDecision};
use crate::caller::Caller;
use crate::company::admin::parse_reason;
use crate::error::{Error, FieldCode, Result};
use crate::money::Cents;
use crate::scope::AdminScope;

/// Which payments are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaymentFilter {
    pub status: Option<PaymentStatus>,
    /// Those alone that wait for a person.
    pub review: bool,
}

/// A payment and what only a platform admin sees of it. Amounts are integer minor units.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminPayment {
    #[serde(flatten)]
    pub payment: PaymentView,
    pub company_name: String,
    /// The plan that it is for.
    pub plan_name: String,
    /// What the provider received when that is not the amount; null without money in our currency.
    #[schema(value_type = Option<i64>)]
    pub received: Option<Cents>,
    /// Why a platform admin accepted or refused it.
    pub review_reason: Option<String>,
}

/// The body of a decision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveRequest {
    outcome: ReviewDecision,
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// A decision whose fields are proven, and who made it.
#[derive(Clone, Debug)]
pub struct Review {
    pub verdict: ReviewDecision,
    pub reason: String,
    pub admin: AdminScope,
    pub caller: Caller,
}

impl ResolveRequest {
    /// # Errors
    /// `Invalid` for a reason that is empty, too long or deceptive.
    pub fn parse(&self, admin: AdminScope, caller: &Caller) -> Result<Review> {
        let reason = parse_reason(Some(&self.reason)).and_then(|it| it.ok_or(FieldCode::Required));
        let reason = reason.map_err(|code| Error::invalid("reason", code))?;
        Ok(Review { verdict: self.outcome, reason, admin, caller: caller.clone() })
    }
}
