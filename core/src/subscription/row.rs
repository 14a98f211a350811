//! Between a subscription and its row, and the text that finds a company's newest one.

use tokio_postgres::Row;

use super::period::Anchor;
use super::{PricedPlan, Subscription, Term};
use crate::error::{Error, Result};

/// The company's running row, else its newest ended one. `$1` is the company.
macro_rules! latest {
    () => {
        "SELECT id, company_id, plan_id, billing_cycle, price_cents, status, anchor_local, month, paid_until_month, \
         end_at, canceled_at, cancel_reason, pending_plan_id, pending_cycle, pending_price_cents, started_at, version \
         FROM subscriptions WHERE company_id = $1 ORDER BY status <> 'expired' DESC, created_at DESC, id DESC LIMIT 1"
    };
}
pub(super) use latest;

impl TryFrom<&Row> for Subscription {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let pending_change = match (
            row.try_get::<_, Option<_>>("pending_plan_id")?,
            row.try_get::<_, Option<_>>("pending_cycle")?,
            row.try_get::<_, Option<_>>("pending_price_cents")?,
        ) {
            (Some(plan_id), Some(cycle), Some(price)) => Some(PricedPlan { plan_id, cycle, price }),
            _ => None,
        };
        let term = match (
            row.try_get::<_, Option<_>>("anchor_local")?,
            row.try_get::<_, Option<_>>("month")?,
            row.try_get::<_, Option<_>>("paid_until_month")?,
        ) {
            (Some(anchor), Some(month), Some(paid_until)) => {
                Some(Term { anchor: Anchor(anchor), month, paid_until })
            }
            _ => None,
        };
        Ok(Self {
            id: row.try_get("id")?,
            company_id: row.try_get("company_id")?,
            plan_id: row.try_get("plan_id")?,
            cycle: row.try_get("billing_cycle")?,
            price: row.try_get("price_cents")?,
            status: row.try_get("status")?,
            term,
            end_at: row.try_get("end_at")?,
            canceled_at: row.try_get("canceled_at")?,
            cancel_reason: row.try_get("cancel_reason")?,
            pending_change,
            started_at: row.try_get("started_at")?,
            version: row.try_get("version")?,
        })
    }
}
