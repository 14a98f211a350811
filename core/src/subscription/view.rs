//! A subscription, a preview and a line of history as the contract shows them.
//!
//! Money is decimal reais here. Called by `current_view`, `command` and `store`. The open payment is added only for a
//! reader who may see it.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::change_pt_br::describe;
use super::period::days_until;
use super::preview::{Pricing, Warning};
use super::projection::Projection;
use super::state::{StateFacts, StateView};
use super::{ChangeType, HistoryType, Phase, Status};
use crate::id::{CompanyId, PlanId, QuoteId, SubscriptionId};
use crate::invoice::{Line, LineKind};
use crate::money::{BRL, Reais};
use crate::plan::{BillingCycle, Limits, Plan, PlanView};
use crate::row::from_row;

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    pub id: SubscriptionId,
    pub company_id: CompanyId,
    pub status: Status,
    /// With the limits that the company has, which a plan edit does not change either.
    pub plan: PlanView,
    pub plan_id: PlanId,
    /// Its own price, which a plan edit does not change.
    pub price: Reais,
    pub billing_cycle: BillingCycle,
    pub current_period_start: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_billing_date: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub days_until_expiry: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub canceled_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cancel_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pending_change: Option<PendingChangeView>,
    /// Where it stands, which a page words and never decides. Nodes of older versions leave it out.
    #[schema(required = false)]
    pub state: StateView,
    /// Negative while some centavos are carried to the next amount due.
    pub credit_balance: Reais,
    pub version: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingChangeView {
    pub plan_id: PlanId,
    pub plan_name: String,
    pub billing_cycle: BillingCycle,
    pub effective_date: Timestamp,
    /// What the plan allows from then on. Nodes of older versions leave it out.
    #[schema(required = false)]
    pub limits: Limits,
}

/// What a view needs beside the projection.
#[derive(Clone, Debug)]
pub struct ViewFacts<'a> {
    pub plan: &'a Plan,
    /// What the company has instead of the plan's limits of now.
    pub own_limits: Option<Limits>,
    /// The plan of the scheduled downgrade.
    pub pending_plan: Option<&'a Plan>,
    pub payment_open: bool,
    pub state: StateFacts,
}

impl SubscriptionView {
    pub fn of(current: &Projection, facts: ViewFacts<'_>, now: Timestamp) -> Self {
        let Projection { row, phase, .. } = current;
        let paid_end = row.term.map(|term| term.paid_end());
        let (next_billing_date, end_date) = match phase {
            Phase::Pending | Phase::Free => (None, None),
            Phase::Active | Phase::Due => (paid_end, None),
            Phase::Canceled | Phase::Expired => (None, row.ends_at()),
            Phase::Suspended => (None, paid_end),
        };
        let days_until_expiry = match phase {
            Phase::Pending | Phase::Free => None,
            Phase::Active | Phase::Due if facts.state.settles_itself => None,
            Phase::Active | Phase::Canceled => {
                next_billing_date.or(end_date).map(|end| days_until(end, now))
            }
            Phase::Due => (!facts.payment_open).then_some(0),
            Phase::Suspended | Phase::Expired => Some(0),
        };
        let pending_change =
            row.pending_change.zip(facts.pending_plan).map(|(change, plan)| PendingChangeView {
                plan_id: change.plan_id,
                plan_name: plan.display_name.clone(),
                billing_cycle: change.cycle,
                effective_date: paid_end.unwrap_or(now),
                limits: plan.limits,
            });
        let limits = facts.own_limits.unwrap_or(facts.plan.limits);
        let plan = Plan { limits, ..facts.plan.clone() };
        Self {
            id: row.id,
            company_id: row.company_id,
            status: phase.status(),
            plan: plan.into(),
            plan_id: row.plan_id,
            price: Reais(row.price),
            billing_cycle: row.cycle,
            current_period_start: row
                .term
                .map_or(row.started_at, |term| term.anchor.boundary(term.month)),
            next_billing_date,
            end_date,
            days_until_expiry,
            canceled_at: row.canceled_at,
            cancel_reason: row.cancel_reason.clone(),
            pending_change,
            credit_balance: Reais(facts.state.balance),
            version: row.version,
            state: StateView::of(current, facts.state, now),
        }
    }

    /// As operators see it: the saved cards are for those who may pay.
    #[must_use]
    pub fn for_operators(mut self) -> Self {
        self.state.card = None;
        self
    }
}

/// The answer of `preview-change`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewView {
    pub quote_id: QuoteId,
    pub expires_at: Timestamp,
    pub change_type: ChangeType,
    pub description: String,
    pub currency: String,
    pub new_plan: NewPlanView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub current_plan: Option<CurrentPlanView>,
    pub billing: BillingView,
    pub savings: SavingsView,
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NewPlanView {
    pub id: PlanId,
    pub name: String,
    pub price: Reais,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CurrentPlanView {
    pub name: String,
    pub price: Reais,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingView {
    pub prorated_charge: Reais,
    pub prorated_credit: Reais,
    pub prorated_refund: Reais,
    pub amount_due: Reais,
    pub effective_date: Timestamp,
    /// Null for a free plan.
    pub next_billing_date: Option<Timestamp>,
    /// What `amountDue` is the sum of, in the reader's order. Nodes of older versions leave it out.
    #[schema(required = false)]
    pub lines: Vec<LineView>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = PriceLine)]
pub struct LineView {
    pub kind: LineKind,
    /// Negative where it lowers the total.
    pub amount: Reais,
}

impl From<Line> for LineView {
    fn from(line: Line) -> Self {
        Self { kind: line.kind, amount: Reais(line.amount) }
    }
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SavingsView {
    pub annually: Reais,
}

impl PreviewView {
    /// `current` is the plan of a subscription that is running; names are display names.
    pub fn of(
        quote_id: QuoteId,
        expires_at: Timestamp,
        plan: &Plan,
        current: Option<CurrentPlanView>,
        pricing: &Pricing,
    ) -> Self {
        let replaced = current.as_ref().map(|plan| plan.name.as_str());
        Self {
            quote_id,
            expires_at,
            change_type: pricing.change_type,
            description: describe(pricing.change_type, replaced, &plan.display_name),
            currency: BRL.to_owned(),
            new_plan: NewPlanView {
                id: plan.id,
                name: plan.display_name.clone(),
                price: Reais(pricing.price),
            },
            current_plan: current,
            billing: BillingView {
                prorated_charge: Reais(pricing.debit),
                prorated_credit: Reais(pricing.credit),
                prorated_refund: Reais(pricing.refund()),
                amount_due: Reais(pricing.amount_due()),
                effective_date: pricing.effective_at,
                next_billing_date: pricing.next_billing_at,
                lines: pricing.lines().into_iter().map(LineView::from).collect(),
            },
            savings: SavingsView { annually: Reais(pricing.saved_a_year) },
            warnings: pricing.warnings.iter().copied().collect(),
        }
    }
}

/// One line of the history.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryView {
    pub id: Uuid,
    #[serde(rename = "type")]
    pub kind: HistoryType,
    pub at: Timestamp,
    /// The person's name; null for what time or a payment did.
    pub by: Option<String>,
    pub plan_name: String,
    pub billing_cycle: BillingCycle,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub amount: Option<Reais>,
    pub detail: String,
}

from_row!(HistoryView {
    id,
    kind: "type",
    at,
    by: "by_name",
    plan_name,
    billing_cycle,
    amount: "amount_cents",
    detail,
});
