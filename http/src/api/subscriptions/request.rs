//! The bodies of the commands on a subscription: read as raw text first, so that all wrong fields are named at once.
//! A field that is not known is refused, because a typo could cost money.

use bipe_core::brazil::parse_day;
use bipe_core::error::{FieldCode, FieldErrors, Result};
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::command::PlanChoice;
use bipe_core::subscription::decide::EndAt;
use bipe_core::user::parse_note;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A plan and a cycle.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChoiceBody {
    #[schema(format = Uuid)]
    plan_id: String,
    #[schema(value_type = BillingCycle)]
    billing_cycle: String,
}

impl ChoiceBody {
    pub fn read(&self) -> Result<PlanChoice> {
        let mut errors = FieldErrors::default();
        let choice = choice(&mut errors, &self.plan_id, &self.billing_cycle);
        errors.into_result(choice)
    }
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpgradeBody {
    #[schema(format = Uuid)]
    plan_id: String,
    #[schema(value_type = BillingCycle)]
    billing_cycle: String,
    #[schema(max_length = 500)]
    reason: Option<String>,
}

impl UpgradeBody {
    /// The choice and its reason.
    pub fn read(&self) -> Result<(PlanChoice, Option<String>)> {
        let mut errors = FieldErrors::default();
        let choice = choice(&mut errors, &self.plan_id, &self.billing_cycle);
        let reason = reason(&mut errors, self.reason.as_deref());
        errors.into_result(choice.map(|choice| (choice, reason)))
    }
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DowngradeBody {
    #[schema(format = Uuid)]
    plan_id: String,
    #[schema(value_type = BillingCycle)]
    billing_cycle: String,
    #[schema(max_length = 500)]
    reason: Option<String>,
    /// The local day on which the paid period ends; another one is refused.
    #[schema(value_type = Option<String>, format = Date)]
    effective_date: Option<String>,
}

impl DowngradeBody {
    /// The choice, its reason and the day on which the paid period is said to end.
    pub fn read(&self) -> Result<(PlanChoice, Option<String>, Option<Date>)> {
        let mut errors = FieldErrors::default();
        let choice = choice(&mut errors, &self.plan_id, &self.billing_cycle);
        let reason = reason(&mut errors, self.reason.as_deref());
        let effective_date = self.effective_date.as_deref().and_then(|text| day(&mut errors, text));
        errors.into_result(choice.map(|choice| (choice, reason, effective_date)))
    }
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelBody {
    #[schema(max_length = 500)]
    reason: Option<String>,
}

impl CancelBody {
    pub fn read(&self) -> Result<(EndAt, Option<String>)> {
        let mut errors = FieldErrors::default();
        let reason = reason(&mut errors, self.reason.as_deref());
        errors.into_result(Some((EndAt::PeriodEnd, reason)))
    }
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelRobustBody {
    #[schema(max_length = 500)]
    reason: Option<String>,
    /// `immediate`, or a local day up to the end of what is paid.
    #[schema(pattern = r"^(immediate|[0-9]{4}-[0-9]{2}-[0-9]{2})$")]
    effective_date: Option<String>,
}

impl CancelRobustBody {
    pub fn read(&self) -> Result<(EndAt, Option<String>)> {
        let mut errors = FieldErrors::default();
        let reason = reason(&mut errors, self.reason.as_deref());
        let when = match self.effective_date.as_deref() {
            None => Some(EndAt::PeriodEnd),
            Some("immediate") => Some(EndAt::Now),
            Some(text) => day(&mut errors, text).map(EndAt::Day),
        };
        errors.into_result(when.map(|when| (when, reason)))
    }
}

fn choice(errors: &mut FieldErrors, plan_id: &str, cycle: &str) -> Option<PlanChoice> {
    let plan_id = errors.take("planId", plan_id.parse().map_err(|_| FieldCode::Invalid));
    let cycle = errors.take("billingCycle", BillingCycle::parse(cycle).ok_or(FieldCode::Invalid));
    plan_id.zip(cycle).map(|(plan_id, cycle)| PlanChoice { plan_id, cycle })
}

fn reason(errors: &mut FieldErrors, text: Option<&str>) -> Option<String> {
    errors.take("reason", parse_note(text)).flatten()
}

fn day(errors: &mut FieldErrors, text: &str) -> Option<Date> {
    errors.take("effectiveDate", parse_day(text).ok_or(FieldCode::Invalid))
}
