//! Plans: their prices and limits, and the cycles in which they are sold.
//!
//! Pure; `store` remembers, `catalogue` has the plans of a new installation. An edit of a plan changes no running
//! subscription: a subscription keeps its own price (docs/billing.md, "Plans and prices").

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use utoipa::ToSchema;

use crate::company::{BEEPING_WITHOUT_PLAN, USERS_WITHOUT_PLAN};
use crate::id::PlanId;
use crate::money::{Cents, Reais};
use crate::words::words;

pub mod admin_store;
pub mod catalogue;
pub mod draft;
mod names_pt_br;
pub mod store;

words! {
    /// How often a subscription is charged.
    pub enum BillingCycle {
        Monthly = "monthly",
        Quarterly = "quarterly",
        Yearly = "yearly",
    }
}

impl BillingCycle {
    /// Months of one period (the `step` of a subscription).
    pub fn months(self) -> i32 {
        match self {
            Self::Monthly => 1,
            Self::Quarterly => 3,
            Self::Yearly => 12,
        }
    }
}

/// What a plan allows; `-1` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    pub max_users: i32,
    pub max_beeping: i32,
}

impl Limits {
    pub const UNLIMITED: Self = Self { max_users: -1, max_beeping: -1 };

    /// Without any free plan a company keeps its one user.
    pub const WITHOUT_PLAN: Self =
        Self { max_users: USERS_WITHOUT_PLAN, max_beeping: BEEPING_WITHOUT_PLAN };

    /// Whether that many members and open invites are too many.
    pub fn is_exceeded_by(self, seats: i64) -> bool {
        self.max_users >= 0 && seats > i64::from(self.max_users)
    }
}

words! {
    pub enum PlanStatus {
        Active = "active",
        Inactive = "inactive",
    }
}

/// A plan as it stands in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub id: PlanId,
    /// The slug.
    pub name: String,
    pub display_name: String,
    pub description: String,
    pub features: Vec<String>,
    pub is_free: bool,
    pub is_popular: bool,
    pub monthly: Cents,
    pub quarterly: Cents,
    pub yearly: Cents,
    pub limits: Limits,
    pub hierarchy: i32,
    pub status: PlanStatus,
}

impl Plan {
    pub fn price(&self, cycle: BillingCycle) -> Cents {
        match cycle {
            BillingCycle::Monthly => self.monthly,
            BillingCycle::Quarterly => self.quarterly,
            BillingCycle::Yearly => self.yearly,
        }
    }

    /// A free plan's cycle is always stored as monthly.
    pub fn stored_cycle(&self, cycle: BillingCycle) -> BillingCycle {
        if self.is_free { BillingCycle::Monthly } else { cycle }
    }

    /// Not free and without a price: sold by talking.
    fn is_contact(&self) -> bool {
        !self.is_free && self.monthly == Cents::ZERO
    }

    /// Whether the cycle can be bought now.
    pub fn sells(&self, cycle: BillingCycle) -> bool {
        let priced = self.is_free || (!self.is_contact() && self.price(cycle) > Cents::ZERO);
        priced && self.status == PlanStatus::Active
    }
}

/// The slug of a display name: lower case, spaces to hyphens, accents stripped.
pub fn slug(display_name: &str) -> String {
    let plain: String = display_name.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-")
}

/// A plan on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    pub id: PlanId,
    pub name: String,
    pub display_name: String,
    pub description: String,
    pub features: Vec<String>,
    pub is_free: bool,
    pub is_popular: bool,
    pub monthly_price: Reais,
    pub quarterly_price: Reais,
    pub yearly_price: Reais,
    pub limits: Limits,
    pub hierarchy: i32,
}

impl From<Plan> for PlanView {
    fn from(plan: Plan) -> Self {
        Self {
            id: plan.id,
            name: plan.name,
            display_name: plan.display_name,
            description: plan.description,
            features: plan.features,
            is_free: plan.is_free,
            is_popular: plan.is_popular,
            monthly_price: Reais(plan.monthly),
            quarterly_price: Reais(plan.quarterly),
            yearly_price: Reais(plan.yearly),
            limits: plan.limits,
            hierarchy: plan.hierarchy,
        }
    }
}

/// A plan as everybody hears that it changed: whoever has it on a list sees whether it is still sold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPlan {
    #[serde(flatten)]
    pub plan: PlanView,
    pub status: PlanStatus,
}

impl From<Plan> for ChangedPlan {
    fn from(plan: Plan) -> Self {
        Self { status: plan.status, plan: plan.into() }
    }
}

/// A plan as a platform admin sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminPlan {
    #[serde(flatten)]
    pub plan: ChangedPlan,
    /// Subscriptions of it whose status is active, free ones included.
    pub active_subscriptions: i64,
}

/// How many plans there are, whatever the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlanCounts {
    pub active: i64,
    pub total: i64,
}

impl PlanCounts {
    /// How many of them have that status.
    pub fn of(self, status: Option<PlanStatus>) -> i64 {
        match status {
            None => self.total,
            Some(PlanStatus::Active) => self.active,
            Some(PlanStatus::Inactive) => self.total - self.active,
        }
    }
}
