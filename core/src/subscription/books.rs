//! What a rule needs to know about one company, read in one place: its subscription, ledgers and seats.
//!
//! Called inside a company's transaction by quotes, purchases and commands. It decides nothing; the open
//! payment is read here, because every choice of a plan waits for it.

use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::clock::{Standing, standing};
use super::preview::Situation;
use super::proration::Segment;
use super::store::LATEST;
use super::{OpenPayment, Subscription};
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::money::Cents;
use crate::plan::{self, BillingCycle, Plan};

const LOCK: &str = "SELECT id FROM companies WHERE id = $1 FOR UPDATE";
const SEGMENTS: &str = "SELECT id, from_at, to_at, paid_cents, credited_cents FROM debit_segments \
     WHERE company_id = $1 AND subscription_id = $2 ORDER BY from_at, id";
/// Members and open invites both take a seat.
const FACTS: &str = "SELECT \
     (SELECT coalesce(sum(amount_cents), 0)::bigint FROM credit_entries WHERE company_id = $1) AS balance, \
     (SELECT count(*) FROM members WHERE company_id = $1) \
     + (SELECT count(*) FROM invites WHERE company_id = $1 AND closed_at IS NULL AND expires_at > $2) AS seats, \
     EXISTS (SELECT 1 FROM movements WHERE company_id = $1) AS has_paid, \
     EXISTS (SELECT 1 FROM payment_methods WHERE company_id = $1 AND is_default) AS renews_by_card";
/// The states of the index `payments_one_open`.
const OPEN_PAYMENT: &str = "SELECT id, plan_id, billing_cycle, amount_cents, created_at FROM payments \
     WHERE company_id = $1 AND NOT superseded AND state IN \
     ('submitting', 'created', 'requires_action', 'processing', 'declined', 'conflicted')";

pub const STATEMENTS: &[&str] = &[LOCK, SEGMENTS, FACTS, OPEN_PAYMENT];

/// One company's subscription and everything around it.
#[derive(Clone, Debug)]
pub struct Books {
    /// The running row, else the newest ended one.
    pub stored: Option<Subscription>,
    /// The ledger of that row.
    pub segments: Vec<(Uuid, Segment)>,
    pub balance: Cents,
    pub seats: i64,
    /// Whether the company ever had a paid interval.
    pub has_paid: bool,
    pub renews_by_card: bool,
    pub open: Option<OpenPayment>,
}

/// Puts the commands and payments of one company in line. Taken before any row of a payment, so that no
/// two transactions wait for each other.
///
/// # Errors
/// `NotFound` for a company that is gone.
pub async fn lock(tx: &CompanyTx) -> Result<()> {
    tx.query_opt(LOCK, &[&tx.company_id()]).await?.ok_or_else(Error::not_found)?;
    Ok(())
}

impl Books {
    pub async fn read(tx: &CompanyTx) -> Result<Self> {
        let company = tx.company_id();
        let row = tx.query_opt(LATEST, &[&company]).await?;
        let stored = row.as_ref().map(Subscription::try_from).transpose()?;
        let segments = match &stored {
            Some(stored) => {
                let rows = tx.query(SEGMENTS, &[&company, &stored.id]).await?;
                rows.iter().map(segment).collect::<Result<_>>()?
            }
            None => Vec::new(),
        };
        let facts = tx.query_one(FACTS, &[&company, &tx.now()]).await?;
        let open = tx.query_opt(OPEN_PAYMENT, &[&company]).await?;
        Ok(Self {
            stored,
            segments,
            balance: facts.try_get("balance")?,
            seats: facts.try_get("seats")?,
            has_paid: facts.try_get("has_paid")?,
            renews_by_card: facts.try_get("renews_by_card")?,
            open: open.as_ref().map(open_payment).transpose()?,
        })
    }

    /// The subscription at an instant.
    pub fn standing(&self, at: Timestamp, open_since: Option<Timestamp>) -> Option<Standing> {
        self.stored.clone().map(|row| standing(row, at, open_since))
    }

    /// Since when a payment is open.
    pub fn open_since(&self) -> Option<Timestamp> {
        self.open.map(|open| open.opened_at)
    }

    /// What the company brings to a choice at an instant.
    pub async fn situation(
        &self,
        tx: &CompanyTx,
        at: Timestamp,
        open_since: Option<Timestamp>,
    ) -> Result<Situation> {
        let standing = self.standing(at, open_since);
        let current_monthly = match &standing {
            Some(standing) => plan_of(tx, &standing.row).await?.monthly,
            None => Cents::ZERO,
        };
        Ok(Situation {
            standing,
            current_monthly,
            segments: self.segments.iter().map(|(_, segment)| *segment).collect(),
            balance: self.balance,
            seats: self.seats,
        })
    }
}

/// The plan of a row; plans are never deleted.
pub async fn plan_of(tx: &CompanyTx, row: &Subscription) -> Result<Plan> {
    plan::store::find(tx, row.plan_id).await?.ok_or_else(|| {
        Error::internal(format!("subscriptions.plan_id of {} names no plan", row.id))
    })
}

fn segment(row: &Row) -> Result<(Uuid, Segment)> {
    let segment = Segment {
        from: row.try_get("from_at")?,
        to: row.try_get("to_at")?,
        paid: row.try_get("paid_cents")?,
        credited: row.try_get("credited_cents")?,
    };
    Ok((row.try_get("id")?, segment))
}

fn open_payment(row: &Row) -> Result<OpenPayment> {
    Ok(OpenPayment {
        payment_id: row.try_get("id")?,
        plan_id: row.try_get("plan_id")?,
        cycle: BillingCycle::parse(row.try_get("billing_cycle")?)
            .ok_or_else(|| Error::internal("payments.billing_cycle is unknown"))?,
        amount: row.try_get("amount_cents")?,
        opened_at: row.try_get("created_at")?,
    })
}
