//! The platform's figures on the wire. An undefined figure is null with its reason, never 0.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::money::{Decimal, Reais};
use crate::words::words;

words! {
    /// The direction of a change; what stays is no decrease.
    pub enum MetricChange {
        Increase = "increase",
        Decrease = "decrease",
    }
}

words! {
    /// Why a figure has no value.
    pub enum NoValue {
        /// Nobody paid when the window began (churn), or nobody pays (LTV).
        NoPayingCompanies = "NO_PAYING_COMPANIES",
        /// Nobody left in the last 30 days, so that a lifetime has no end (LTV).
        NobodyLeft = "NOBODY_LEFT",
        /// Nobody began to pay in the window (CAC).
        NoNewCompanies = "NO_NEW_COMPANIES",
    }
}

/// A figure beside its earlier value. Money in reais, rates in percent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metric {
    #[schema(value_type = Option<f64>)]
    pub value: Option<Decimal>,
    /// Percent of the earlier value; null when there is none or it was 0.
    #[schema(value_type = Option<f64>)]
    pub change: Option<Decimal>,
    pub change_type: MetricChange,
    /// The earlier value itself: a percentage of very little says nothing, and rates are compared in points.
    #[schema(value_type = Option<f64>)]
    pub previous: Option<Decimal>,
    /// `7d`, `30d`, `90d`, `1y`, or the days `2026-11-01/2026-11-15`.
    pub period: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<NoValue>,
}

/// The cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardMetrics {
    /// Verified and active people.
    pub total_users: Metric,
    /// Active ones.
    pub total_companies: Metric,
    /// Active ones, free included.
    pub total_subscriptions: Metric,
    pub mrr: Metric,
    pub arr: Metric,
    pub churn: Metric,
    pub mau: Metric,
    pub ltv: Metric,
    pub cac: Metric,
}

/// All cards: an answer, a file, and `data` of `metrics.updated` and of the snapshot of `admin/metrics`.
#[derive(Serialize, ToSchema)]
pub struct Dashboard {
    pub metrics: DashboardMetrics,
}

/// A month of revenue, in reais; a day, where days are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevenueRow {
    /// `2026-11`, or `2026-11-21`
    pub month: String,
    /// At the month's end; of the running month: now.
    pub mrr: Reais,
    /// New, won back and expanded.
    pub new_revenue: Reais,
    /// Left and contracted.
    pub churned_revenue: Reais,
}

/// A month of churn, or a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChurnRow {
    /// `2026-11`, or `2026-11-21`
    pub month: String,
    /// Percent; null when nobody paid at the month's start.
    #[schema(value_type = Option<f64>)]
    pub churn_rate: Option<Decimal>,
    /// Companies that paid at the month's start and not at its end.
    pub canceled_subscriptions: i64,
    /// Companies that paid at the month's start.
    pub total_subscriptions: i64,
}

/// A month of people, or a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRow {
    /// `2026-11`, or `2026-11-21`
    pub month: String,
    /// People who did something in the 30 days before the month's end; of the running month: before now.
    pub mau: i64,
    /// Accounts verified in the month.
    pub new_users: i64,
    /// Verified and active accounts at the month's end.
    pub active_users: i64,
}

/// What happened lately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Activity {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ActivityType,
    pub status: ActivityStatus,
    /// A sentence in Portuguese.
    pub message: String,
    pub timestamp: Timestamp,
}

/// The newest activities: an answer, and `data` of the snapshot of `admin/activity`.
#[derive(Serialize, ToSchema)]
pub struct Activities {
    pub activities: Vec<Activity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActivityType {
    Subscription,
    User,
    Payment,
    Cancellation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActivityStatus {
    Success,
    Warning,
    Error,
    Info,
}

/// What was spent on winning customers in a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AcquisitionCost {
    /// `2026-11`
    pub month: String,
    pub amount: Reais,
}
