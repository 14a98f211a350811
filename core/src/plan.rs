//! Plans: what is sold, at which price, with which limits.
//!
//! Pure. Read by subscriptions and shown to everyone. A plan edit changes no running subscription: those
//! keep their own price (`billing.md` section 1).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::money::{Cents, rh};

/// How often a subscription is charged.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum BillingCycle {
    Monthly,
    Quarterly,
    Yearly,
}

impl BillingCycle {
    pub const ALL: [Self; 3] = [Self::Monthly, Self::Quarterly, Self::Yearly];

    /// Months of one period (the `step` of a subscription).
    pub fn months(self) -> i32 {
        match self {
            Self::Monthly => 1,
            Self::Quarterly => 3,
            Self::Yearly => 12,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Monthly => "monthly",
            Self::Quarterly => "quarterly",
            Self::Yearly => "yearly",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cycle| cycle.as_str() == text)
    }
}

/// What a plan card says about a longer cycle beside paying monthly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saving {
    pub saving: Cents,
    /// Whole percent of the monthly sum.
    pub percent: i64,
    pub per_month: Cents,
}

/// The saving of a cycle's price over its months at the monthly price. `None` when the cycle of a paid
/// plan has no price: it is not sold.
pub fn saving(monthly: Cents, cycle: BillingCycle, cycle_price: Cents) -> Option<Saving> {
    if cycle_price == Cents::ZERO && monthly > Cents::ZERO {
        return None;
    }
    let months = i64::from(cycle.months());
    let full = monthly.times(months);
    let saving = (full - cycle_price).max(Cents::ZERO);
    let percent = match full {
        Cents::ZERO => 0,
        Cents(full) => {
            i64::try_from(rh(100 * i128::from(saving.0), i128::from(full))).unwrap_or(100)
        }
    };
    Some(Saving { saving, percent, per_month: cycle_price.share(1, months) })
}
