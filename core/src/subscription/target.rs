//! The chosen plan: a cycle of the catalogue at its list price, or the company's own paid subscription again.
//!
//! Pure; made by previews, payments and commands, priced by `preview`. A paid subscription that is chosen again keeps
//! its own price, even if the catalogue has changed (docs/billing.md, "Plans and prices").

use super::projection::Projection;
use super::{PricedPlan, Subscription};
use crate::id::PlanId;
use crate::money::Cents;
use crate::plan::{BillingCycle, Limits, Plan};

/// The plan that was chosen.
#[derive(Clone, Debug)]
pub struct Target {
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
    pub price: Cents,
    /// The monthly list price, for the direction.
    pub monthly: Cents,
    pub is_free: bool,
    pub is_on_sale: bool,
    pub limits: Limits,
}

impl Target {
    /// What choosing a plan means for a company: its own paid subscription again, else the plan at its
    /// list price of now.
    pub fn chosen(current: Option<&Projection>, plan: &Plan, cycle: BillingCycle) -> Self {
        let running = current.filter(|current| current.phase.is_running_paid());
        match running.map(|current| Self::again(&current.row)) {
            Some(again) if again.is_for(plan.id, cycle) => Self { limits: plan.limits, ..again },
            _ => Self::of(plan, cycle),
        }
    }

    pub fn is_for(&self, plan_id: PlanId, cycle: BillingCycle) -> bool {
        self.plan_id == plan_id && self.cycle == cycle
    }

    /// The plan at a price.
    pub fn priced(&self, price: Cents) -> PricedPlan {
        PricedPlan { plan_id: self.plan_id, cycle: self.cycle, price }
    }

    /// A paid subscription again, at its own price, even if the catalogue has changed.
    pub fn again(row: &Subscription) -> Self {
        Self {
            plan_id: row.plan_id,
            cycle: row.cycle,
            price: row.price,
            monthly: Cents::ZERO,
            is_free: false,
            is_on_sale: true,
            limits: Limits::UNLIMITED,
        }
    }

    /// A plan at its list price of now.
    pub fn of(plan: &Plan, cycle: BillingCycle) -> Self {
        let cycle = plan.stored_cycle(cycle);
        Self {
            plan_id: plan.id,
            cycle,
            price: plan.price(cycle),
            monthly: plan.monthly,
            is_free: plan.is_free,
            is_on_sale: plan.sells(cycle),
            limits: plan.limits,
        }
    }
}
