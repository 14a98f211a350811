//! Companies as platform admins see and change them: the list's rows, one company, the fields of an edit.
//!
//! Pure; `admin_store` remembers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CompanyName, CompanyStatus};
use crate::brazil::tax_id::TaxId;
use crate::error::{FieldCode, FieldErrors, Result};
use crate::id::{CompanyId, PlanId, UserId};
use crate::money::{Decimal, Reais};
use crate::search;
use crate::user::parse_note;
use crate::words::words;

words! {
    /// A subscription as the list tells it: a suspended one reads as expired.
    pub enum AdminSubscriptionStatus {
        Active = "active", Cancelled = "cancelled", Expired = "expired", Pending = "pending",
    }
}

words! {
    /// The order of the list; a minus turns it.
    pub enum CompanySort {
        Name = "name", NameDown = "-name", CreatedAt = "createdAt", CreatedAtDown = "-createdAt",
        Mrr = "mrr", MrrDown = "-mrr", Users = "users", UsersDown = "-users",
        Plan = "plan", PlanDown = "-plan", Subscription = "subscription",
        SubscriptionDown = "-subscription", Revenue = "revenue", RevenueDown = "-revenue",
    }
}

/// Which companies are asked for.
#[derive(Clone, Debug, Default)]
pub struct CompanyFilter {
    pub search: Option<CompanySearch>,
    pub status: Option<CompanyStatus>,
    /// The slug of the plan that the list shows, also of an ended subscription, or `none`.
    pub plan: Option<String>,
}

/// What was typed into a search of companies or of payments, in each form that a statement compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanySearch {
    pub(crate) pattern: String,
    /// As a whole, in small letters: an e-mail, an id of ours or one of the provider.
    pub(crate) text: String,
    pub(crate) tax_id: Option<String>,
}

impl CompanySearch {
    /// # Errors
    /// As [`search::pattern`].
    pub fn parse(raw: Option<&str>) -> Result<Option<Self>> {
        let Some(pattern) = search::pattern(raw)? else { return Ok(None) };
        let text = raw.unwrap_or_default().trim().to_ascii_lowercase();
        let tax_id = TaxId::parse(&text).map(|tax_id| tax_id.as_str().to_owned());
        Ok(Some(Self { pattern, text, tax_id }))
    }
}

/// A row of the admin's list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminCompany {
    pub id: CompanyId,
    pub name: String,
    /// The creator's.
    pub email: String,
    pub description: Option<String>,
    pub status: CompanyStatus,
    /// Null without a subscription.
    pub subscription: Option<AdminSubscription>,
    pub users: AdminCompanyUsers,
    pub metrics: AdminCompanyMetrics,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminSubscription {
    pub plan_id: PlanId,
    pub plan: String,
    pub status: AdminSubscriptionStatus,
    /// Reais a month; 0 when nothing is paid.
    pub mrr: Reais,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct AdminCompanyUsers {
    pub total: i64,
    pub active: i64,
    pub admins: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AdminCompanyMetrics {
    /// Null until there is a module of orders.
    pub orders: Option<i64>,
    /// What the company paid in the last 30 days and was not given back.
    pub revenue: Reais,
    /// Percent against the 30 days before; null when nothing was paid then.
    #[schema(value_type = Option<f64>)]
    pub growth: Option<Decimal>,
}

/// All companies, whatever the filter shows.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct CompanySummary {
    pub total: i64,
    pub active: i64,
    pub suspended: i64,
    pub mrr: Reais,
}

/// One company, and what only a platform admin knows of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminCompanyStanding {
    #[serde(flatten)]
    pub company: AdminCompany,
    pub created_by: UserId,
    /// Why a platform admin changed the status last.
    pub status_reason: Option<String>,
    /// The last twelve, the running one included, oldest first.
    pub months: Vec<AdminCompanyMonth>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AdminCompanyMonth {
    /// `2026-11`
    pub month: String,
    /// At the month's end; of the running month: now.
    pub mrr: Reais,
    /// Payments that succeeded in the month, without what was given back.
    pub revenue: Reais,
}

/// The body of the admin's edit; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompanyEditRequest {
    #[schema(min_length = 2, max_length = 100)]
    name: Option<String>,
    /// Empty is none.
    #[schema(max_length = 500)]
    description: Option<String>,
    status: Option<CompanyStatus>,
    /// Required when a company is suspended.
    #[schema(max_length = 500)]
    reason: Option<String>,
}

/// An edit whose fields are proven.
#[derive(Clone, Debug, Default)]
pub struct CompanyEdit {
    pub name: Option<CompanyName>,
    pub description: Option<Option<String>>,
    pub status: Option<CompanyStatus>,
    pub reason: Option<String>,
}

impl CompanyEditRequest {
    /// # Errors
    /// `Invalid` with every field that is wrong.
    pub fn parse(&self) -> Result<CompanyEdit> {
        let mut errors = FieldErrors::default();
        let name = self.name.as_deref().map(CompanyName::parse);
        let name = name.and_then(|name| errors.take("name", name));
        let description = self.description.as_deref().map(|text| parse_note(Some(text)));
        let description = description.and_then(|text| errors.take("description", text));
        let reason = errors.take("reason", parse_note(self.reason.as_deref())).flatten();
        if self.status == Some(CompanyStatus::Suspended) && reason.is_none() {
            errors.add("reason", FieldCode::Required);
        }
        errors.into_result(Some(CompanyEdit { name, description, status: self.status, reason }))
    }
}
