//! Everything that a rule needs to know about one company: its subscription, its ledgers and its seats, read in one
//! place.
//!
//! Called inside a company's transaction by quotes, purchases and commands. Decides nothing.

use derive_more::{Deref, DerefMut};
use jiff::Timestamp;
use uuid::Uuid;

use super::account_summary::{AccountSummary, summary};
use super::preview::PricingInput;
use super::projection::Projection;
use super::proration::Segment;
use super::row::latest;
use super::{Status, Subscription};
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::money::Cents;
use crate::plan::{self, Plan};
use crate::row::from_row;

/// The bank has taken disputed money, or is about to: it counts as gone. Of an ended subscription, whose segments were
/// credited, the money may have gone back since. Found by subscription: that is their index.
const SEGMENTS: &str = "SELECT d.id, d.from_at, d.to_at, d.paid_cents, d.credited_cents, \
     CASE WHEN p.disputed THEN d.paid_cents ELSE coalesce(p.refunded_cents, 0) END AS returned_cents \
     FROM subscriptions s JOIN debit_segments d ON d.company_id = s.company_id AND d.subscription_id = s.id \
     LEFT JOIN payments p ON p.company_id = d.company_id AND p.id = d.payment_id \
     WHERE s.company_id = $1 AND (s.id = $2 \
       OR d.credited_cents > 0 AND (p.disputed OR p.refunded_cents > 0)) ORDER BY d.from_at, d.id";
/// Seats: members and open invites both take one.
const ACCOUNT: &str = summary!(
    ", (SELECT count(*) FROM members WHERE company_id = $1) \
     + (SELECT count(*) FROM invites WHERE company_id = $1 AND closed_at IS NULL AND expires_at > $2) AS seats, \
     EXISTS (SELECT 1 FROM movements WHERE company_id = $1) AS has_paid"
);

/// One company's subscription and everything around it.
#[derive(Clone, Debug, Deref, DerefMut)]
pub struct BillingAccount {
    #[deref]
    #[deref_mut]
    pub summary: AccountSummary,
    /// The ledger of the running row, else of the newest ended one, and what was credited of others and went back.
    pub segments: Vec<(Uuid, Segment)>,
    pub seats: i64,
    /// Whether the company ever had a paid interval.
    pub has_paid: bool,
}

impl BillingAccount {
    pub async fn read(tx: &CompanyTx) -> Result<Self> {
        let company = tx.company_id();
        let (summary, facts) =
            AccountSummary::read_with(tx, ACCOUNT, &[&company, &tx.now()]).await?;
        let segments = match &summary.stored {
            // One whose first payment is open was never debited.
            Some(stored) if stored.status != Status::Pending => {
                let rows = tx.query(SEGMENTS, &[&company, &stored.id]).await?;
                rows.iter()
                    .map(|row| Ok((row.try_get("id")?, row.try_into()?)))
                    .collect::<Result<_>>()?
            }
            Some(_) | None => Vec::new(),
        };
        let (seats, has_paid) = (facts.try_get("seats")?, facts.try_get("has_paid")?);
        Ok(Self { summary, segments, seats, has_paid })
    }

    /// What the company brings to a choice at an instant.
    pub async fn pricing_input(
        &self,
        tx: &CompanyTx,
        at: Timestamp,
        open_since: Option<Timestamp>,
    ) -> Result<PricingInput> {
        let current = self.projection(at, open_since);
        let current_monthly = match &current {
            Some(current) => plan_of(tx, &current.row).await?.monthly,
            None => Cents::ZERO,
        };
        Ok(self.input(current, current_monthly))
    }

    /// As `pricing_input`, from what is known already.
    pub fn input(&self, current: Option<Projection>, current_monthly: Cents) -> PricingInput {
        PricingInput {
            own_limits: current.as_ref().and_then(|current| self.limits_of(&current.row)),
            current,
            current_monthly,
            segments: self.segments.iter().map(|(_, segment)| *segment).collect(),
            balance: self.balance,
            seats: self.seats,
        }
    }
}

/// The plan of a row; plans are never deleted.
pub async fn plan_of(tx: &CompanyTx, row: &Subscription) -> Result<Plan> {
    let plan = plan::store::find(tx, row.plan_id).await?;
    plan.ok_or_else(|| without_plan(row))
}

pub(super) fn without_plan(row: &Subscription) -> Error {
    Error::internal(format!("subscription {} names no plan", row.id))
}

from_row!(Segment {
    from: "from_at",
    to: "to_at",
    paid: "paid_cents",
    credited: "credited_cents",
    returned: "returned_cents",
});
