//! Where a company's subscription stands: its row, and the facts that decide about its end and its renewal. Enough to
//! show a subscription; `billing_account` adds the facts that a change needs.
//!
//! Called inside a company's transaction. Decides nothing about plans. Reads the open payment, because suspension and
//! expiry wait for it.

use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::ladder::{self, Attempt};
use super::projection::{Projection, project};
use super::row::latest;
use super::{OpenPayment, Status, Subscription};
use crate::db::{CompanyTx, Params};
use crate::error::{Error, Result};
use crate::id::SubscriptionId;
use crate::money::Cents;
use crate::payment_method::{CardName, Instrument, Method};
use crate::plan::Limits;
use crate::row::from_row;

/// The newest row, the open payment and what else decides, all of one moment. `$facts` asks for more.
macro_rules! summary {
    ($facts:literal) => {
        concat!(
            "SELECT s.*, o.*, m.*, \
             (SELECT coalesce(sum(amount_cents), 0)::bigint FROM credit_entries WHERE company_id = $1) AS balance, \
             c.status = 'active' AS is_active, c.max_users, c.max_beeping",
            $facts,
            " FROM companies c LEFT JOIN LATERAL (",
            latest!(),
            ") s ON true LEFT JOIN LATERAL (\
             SELECT id AS open_id, plan_id AS open_plan_id, billing_cycle AS open_cycle, amount_cents AS open_cents, \
             created_at AS opened_at, created_by IS NULL AS by_job, method FROM payments \
             WHERE company_id = $1 AND NOT superseded AND payment_is_open(state)) o ON true LEFT JOIN LATERAL (\
             SELECT CASE WHEN NOT is_declined THEN id END AS card, brand, last4 FROM payment_methods \
             WHERE company_id = $1 AND is_default) m ON true \
             WHERE c.id = $1"
        )
    };
}
pub(super) use summary;

pub(super) const SUMMARY: &str = summary!("");
/// Charges for the period of a subscription that began at `$3`.
pub(super) const ATTEMPTS: &str = "SELECT s.kind, s.card, p.failure_detail FROM renewal_steps s \
     JOIN payments p ON p.company_id = s.company_id AND p.id = s.payment_id \
     WHERE s.company_id = $1 AND s.subscription_id = $2 AND s.period_start = $3";

/// One company's subscription and what it waits for.
#[derive(Clone, Debug)]
pub struct AccountSummary {
    /// The running row, else the newest ended one.
    pub stored: Option<Subscription>,
    /// The limits that the company keeps from its row. `None` where the limits of a free plan apply, and after a write
    /// of this transaction that grants another plan or cycle: then the present limits of that plan apply.
    pub own_limits: Option<Limits>,
    pub balance: Cents,
    /// The saved instrument that is charged for a renewal; none where the default card was declined for good.
    pub instrument: Option<Instrument>,
    /// The default card.
    pub card: Option<CardName>,
    /// Not suspended by the platform: only then is anything charged unasked.
    pub is_active: bool,
    pub open: Option<OpenPayment>,
    /// The open payment is a charge of ours.
    pub open_by_job: bool,
    /// Until when the open payment is waited for, even if the provider keeps it open longer.
    pub open_until: Option<Timestamp>,
    /// Charges for the period that is due.
    pub attempts: Vec<Attempt>,
}

impl AccountSummary {
    pub async fn read(tx: &CompanyTx) -> Result<Self> {
        let (summary, _) = Self::read_with(tx, SUMMARY, &[&tx.company_id()]).await?;
        Ok(summary)
    }

    /// As `read`, with a statement that answers more than these facts; with its row.
    pub(super) async fn read_with(
        tx: &CompanyTx,
        sql: &str,
        params: Params<'_>,
    ) -> Result<(Self, Row)> {
        let facts = tx.query_one(sql, params).await?;
        let mut summary = Self::try_from(&facts)?;
        summary.read_attempts(tx).await?;
        Ok((summary, facts))
    }

    async fn read_attempts(&mut self, tx: &CompanyTx) -> Result<()> {
        self.attempts = match self.passed_period(tx.now()) {
            Some((id, due_at)) => tx.all(ATTEMPTS, &[&tx.company_id(), &id, &due_at]).await?,
            None => Vec::new(),
        };
        Ok(())
    }

    /// The summary after its transaction has written the row and has moved the balance by so much.
    pub(super) async fn after(
        mut self,
        tx: &CompanyTx,
        row: &Subscription,
        moved: Cents,
    ) -> Result<Self> {
        self.note_written(row);
        self.balance += moved;
        self.read_attempts(tx).await?;
        Ok(self)
    }

    /// Takes over a row that the transaction has written.
    pub(super) fn note_written(&mut self, row: &Subscription) {
        self.own_limits = self.limits_of(row);
        self.stored = Some(row.clone());
    }

    /// The limits that the company keeps with the row; none where the plan's of now take their place.
    pub(super) fn limits_of(&self, row: &Subscription) -> Option<Limits> {
        let stored = self.stored.as_ref().and_then(Subscription::entitlement);
        self.own_limits.filter(|_| stored == row.entitlement())
    }

    /// The period that has begun after the paid one: the subscription, and when it began. Its charges are the attempts.
    pub(super) fn passed_period(&self, now: Timestamp) -> Option<(SubscriptionId, Timestamp)> {
        let row = self.stored.as_ref()?;
        let due_at = row.term?.paid_end();
        (due_at <= now).then_some((row.id, due_at))
    }

    /// The subscription at an instant.
    pub fn projection(&self, at: Timestamp, open_since: Option<Timestamp>) -> Option<Projection> {
        self.stored.clone().map(|row| project(row, at, open_since))
    }

    /// Since when suspension and expiry wait: a payment is open, or the renewal is ours to settle from
    /// the credit or by the saved instrument. Being late with that is our delay and nobody's delinquency.
    pub fn waits_since(&self, now: Timestamp) -> Option<Timestamp> {
        let due_at = self.due_at(now);
        match (self.open, due_at) {
            (Some(_), _) if self.open_until.is_some_and(|until| now >= until) => None,
            (Some(_), Some(due_at)) if self.open_by_job => Some(due_at),
            (Some(open), _) => Some(open.opened_at),
            (None, Some(due_at)) => self.settles_itself(now).then_some(due_at),
            (None, None) => None,
        }
    }

    /// When the period began that is unpaid now.
    pub fn due_at(&self, now: Timestamp) -> Option<Timestamp> {
        let row = self.stored.as_ref()?;
        let runs = matches!(row.status, Status::Active | Status::Suspended);
        row.term.map(|term| term.paid_end()).filter(|due_at| runs && *due_at <= now)
    }

    /// The credit pays the whole period, or all but what is too little to charge.
    pub fn is_covered(&self) -> bool {
        let row = self.stored.as_ref().filter(|row| row.next_price() > Cents::ZERO);
        let is_covered = row.is_some_and(|row| row.owed(self.balance) == Cents::ZERO);
        self.is_active && self.open.is_none() && is_covered
    }

    /// The charge that we owe now: its name and what it is charged to.
    pub fn charge(&self, now: Timestamp) -> Option<(String, &Instrument)> {
        let (due_at, instrument) = (self.due_at(now)?, self.instrument.as_ref()?);
        let price = self.stored.as_ref()?.next_price();
        let may = self.is_active && self.open.is_none() && price > Cents::ZERO;
        let name = ladder::charge(due_at, now, instrument, &self.attempts)?;
        may.then_some((name, instrument))
    }

    /// The next renewal, or the one that is due, is paid from the credit or by the saved instrument.
    pub fn settles_itself(&self, now: Timestamp) -> bool {
        match self.due_at(now) {
            Some(_) => self.is_covered() || self.charge(now).is_some(),
            None => self.is_covered() || self.is_active && self.renews_automatically(),
        }
    }

    /// A saved instrument will pay for what falls due.
    pub fn renews_automatically(&self) -> bool {
        let instrument = self.instrument.as_ref();
        instrument.is_some_and(|instrument| !ladder::is_barred(instrument, &self.attempts))
    }
}

/// Without the attempts.
impl TryFrom<&Row> for AccountSummary {
    type Error = Error;

    fn try_from(facts: &Row) -> Result<Self> {
        let is_there = |id: &str| facts.try_get::<_, Option<Uuid>>(id).map(|id| id.map(|_| facts));
        let open = is_there("open_id")?;
        let instrument = facts.try_get::<_, Option<_>>("card")?.map(Instrument::Card);
        let default: Option<String> = facts.try_get("last4")?;
        let open_by_job = open.map(|row| row.try_get("by_job")).transpose()?;
        let method: Option<Method> = open.map(|row| row.try_get("method")).transpose()?;
        let closes_at = method.and_then(|method| method.rules().closes_at);
        let open = open.map(OpenPayment::try_from).transpose()?;
        let stored = is_there("id")?.map(Subscription::try_from).transpose()?;
        let is_entitled = stored.as_ref().is_some_and(|row| row.entitlement().is_some());
        Ok(Self {
            own_limits: is_entitled.then(|| Limits::try_from(facts)).transpose()?,
            stored,
            balance: facts.try_get("balance")?,
            card: default.map(|_| CardName::try_from(facts)).transpose()?,
            instrument,
            is_active: facts.try_get("is_active")?,
            open_until: open.zip(closes_at).map(|(open, closes_at)| closes_at(open.opened_at)),
            open_by_job: open_by_job.unwrap_or(false),
            attempts: Vec::new(),
            open,
        })
    }
}

impl TryFrom<&Row> for Attempt {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            kind: row.try_get("kind")?,
            instrument: Instrument::Card(row.try_get("card")?),
            decline: ladder::decline(row.try_get("failure_detail")?),
        })
    }
}

from_row!(OpenPayment {
    payment_id: "open_id",
    plan_id: "open_plan_id",
    cycle: "open_cycle",
    amount: "open_cents",
    opened_at,
});
