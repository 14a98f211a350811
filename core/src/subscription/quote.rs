//! Quotes: a preview that binds for 15 minutes. Every payment is for one quote.
//!
//! Called by `preview-change`, by payments and when a payment is applied. A quote is priced again at its frozen
//! instant with its frozen prices. The price holds while the basis of the quote is the same.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::billing_account::BillingAccount;
use super::preview::{Pricing, PricingInput, price};
use super::projection::Projection;
use super::target::Target;
use super::{ChangeType, Phase, PricedPlan};
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::id::{PlanId, QuoteId, SubscriptionId};
use crate::money::Cents;
use crate::plan::{BillingCycle, Plan};
use crate::row::from_row;

/// A quote binds this long.
const LIFE: SignedDuration = SignedDuration::from_mins(15);

/// The facts that a price depends on. While they are equal, the frozen price holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Basis {
    subscription: Option<SubscriptionId>,
    plan: Option<PlanId>,
    cycle: Option<BillingCycle>,
    price: Option<Cents>,
    period_start: Option<Timestamp>,
    canceled: bool,
    /// Absent for a renewal: paying it before or after `P` is the same purchase.
    due: Option<bool>,
}

impl Basis {
    fn of(current: Option<&Projection>, change_type: ChangeType) -> Self {
        let due = |due| (change_type != ChangeType::Renewal).then_some(due);
        let Some(Projection { row, phase, .. }) = current else {
            return Self { due: due(false), ..Self::default() };
        };
        match phase {
            Phase::Pending | Phase::Expired => Self { due: due(false), ..Self::default() },
            Phase::Free | Phase::Active | Phase::Due | Phase::Canceled | Phase::Suspended => Self {
                subscription: Some(row.id),
                plan: Some(row.plan_id),
                cycle: Some(row.cycle),
                price: Some(row.price),
                period_start: row.term.map(|term| term.anchor.boundary(term.month)),
                canceled: *phase == Phase::Canceled,
                due: due(matches!(phase, Phase::Due | Phase::Suspended)),
            },
        }
    }

    /// As it is stored and compared.
    fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

/// A stored quote.
#[derive(Clone, Debug)]
pub struct Quote {
    pub id: QuoteId,
    pub basis: String,
    pub change_type: ChangeType,
    pub plan_id: PlanId,
    pub cycle: BillingCycle,
    /// The price that the subscription has afterwards.
    pub price: Cents,
    /// Zero: nothing to pay, the command itself executes the choice.
    pub amount_due: Cents,
    /// Monthly list prices of the chosen and of the current plan.
    pub list_monthly: Cents,
    pub current_monthly: Cents,
    pub frozen_at: Timestamp,
    pub expires_at: Timestamp,
}

const INSERT: &str = "INSERT INTO quotes (id, company_id, basis, change_type, plan_id, billing_cycle, \
     price_cents, amount_due_cents, list_monthly_cents, current_monthly_cents, frozen_at, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
const BY_ID: &str = "SELECT id, basis, change_type, plan_id, billing_cycle, price_cents, \
     amount_due_cents, list_monthly_cents, current_monthly_cents, frozen_at, expires_at \
     FROM quotes WHERE company_id = $1 AND id = $2";

from_row!(Quote {
    id,
    basis,
    change_type,
    plan_id,
    cycle: "billing_cycle",
    price: "price_cents",
    amount_due: "amount_due_cents",
    list_monthly: "list_monthly_cents",
    current_monthly: "current_monthly_cents",
    frozen_at,
    expires_at,
});

impl Quote {
    /// Prices a choice now and stores the quote.
    ///
    /// # Errors
    /// Those of [`price`].
    pub async fn make(
        tx: &CompanyTx,
        account: &BillingAccount,
        plan: &Plan,
        cycle: BillingCycle,
    ) -> Result<(Self, PricingInput, Pricing)> {
        let now = tx.clock().now_seconds();
        Self::make_at(tx, account, plan, cycle, (now, account.waits_since(now))).await
    }

    /// Prices a choice at another instant: a due renewal counts from the instant at which it fell due.
    ///
    /// # Errors
    /// Those of [`price`].
    pub async fn make_at(
        tx: &CompanyTx,
        account: &BillingAccount,
        plan: &Plan,
        cycle: BillingCycle,
        (now, open_since): (Timestamp, Option<Timestamp>),
    ) -> Result<(Self, PricingInput, Pricing)> {
        let input = account.pricing_input(tx, now, open_since).await?;
        let id = QuoteId::new(tx.clock());
        let (quote, pricing) = Self::of_choice(id, &input, (plan, cycle), now)?;
        quote.insert(tx).await?;
        Ok((quote, input, pricing))
    }

    /// The quote of a choice at an instant, and its price.
    ///
    /// # Errors
    /// Those of [`price`].
    pub fn of_choice(
        id: QuoteId,
        input: &PricingInput,
        (plan, cycle): (&Plan, BillingCycle),
        now: Timestamp,
    ) -> Result<(Self, Pricing)> {
        let target = Target::chosen(input.current.as_ref(), plan, cycle);
        let pricing = price(input, &target, now)?;
        let quote = Self {
            id,
            basis: Basis::of(input.current.as_ref(), pricing.change_type).text()?,
            change_type: pricing.change_type,
            plan_id: target.plan_id,
            cycle: target.cycle,
            price: pricing.price,
            amount_due: pricing.amount_due(),
            list_monthly: target.monthly,
            current_monthly: input.current_monthly,
            frozen_at: now,
            expires_at: now + LIFE,
        };
        Ok((quote, pricing))
    }

    /// The quote of a payment that was lost and comes back: it has no basis, so it never holds.
    pub async fn of_lost(
        tx: &CompanyTx,
        (plan_id, cycle): (PlanId, BillingCycle),
        change_type: ChangeType,
        amount: Cents,
    ) -> Result<Self> {
        let now = tx.clock().now_seconds();
        let quote = Self {
            id: QuoteId::new(tx.clock()),
            basis: String::new(),
            change_type,
            plan_id,
            cycle,
            price: amount,
            amount_due: amount,
            list_monthly: Cents::ZERO,
            current_monthly: Cents::ZERO,
            frozen_at: now,
            expires_at: now,
        };
        quote.insert(tx).await?;
        Ok(quote)
    }

    async fn insert(&self, tx: &CompanyTx) -> Result<()> {
        tx.execute(
            INSERT,
            &[
                &self.id,
                &tx.company_id(),
                &self.basis,
                &self.change_type,
                &self.plan_id,
                &self.cycle,
                &self.price,
                &self.amount_due,
                &self.list_monthly,
                &self.current_monthly,
                &self.frozen_at,
                &self.expires_at,
            ],
        )
        .await?;
        Ok(())
    }

    /// The company's own quote.
    pub async fn find(tx: &CompanyTx, id: QuoteId) -> Result<Option<Self>> {
        tx.find(BY_ID, &[&tx.company_id(), &id]).await
    }

    /// What is bought.
    pub fn plan(&self) -> PricedPlan {
        PricedPlan { plan_id: self.plan_id, cycle: self.cycle, price: self.price }
    }

    /// Whether its basis is still the same.
    pub fn holds(&self, current: Option<&Projection>) -> Result<bool> {
        Ok(Basis::of(current, self.change_type).text()? == self.basis)
    }

    /// Whether it is for this choice, lives, and still has the price of now.
    pub fn binds(
        &self,
        account: &BillingAccount,
        (plan, cycle): (&Plan, BillingCycle),
        now: Timestamp,
    ) -> Result<bool> {
        // A free plan is quoted as monthly, even if another cycle was asked for.
        let same_cycle = self.cycle == cycle || self.price == Cents::ZERO;
        let same = self.plan_id == plan.id && same_cycle;
        let current = account.projection(now, account.waits_since(now));
        if !same || now >= self.expires_at || !self.holds(current.as_ref())? {
            return Ok(false);
        }
        // the credit balance is no part of the basis, yet a part of the amount
        let again = self.reprice(account, plan, self.frozen_at);
        Ok(again.is_ok_and(|(_, _, pricing)| pricing.amount_due() == self.amount_due))
    }

    /// The choice with its frozen prices. It counts as on sale, even if the plan is no longer sold.
    pub fn target(&self, plan: &Plan) -> Target {
        Target {
            plan_id: self.plan_id,
            cycle: self.cycle,
            price: self.price,
            monthly: self.list_monthly,
            is_free: self.price == Cents::ZERO,
            is_on_sale: true,
            limits: plan.limits,
        }
    }

    /// Prices it again at `t`, by the direction that was frozen.
    ///
    /// # Errors
    /// Those of [`price`].
    pub fn reprice(
        &self,
        account: &BillingAccount,
        plan: &Plan,
        t: Timestamp,
    ) -> Result<(PricingInput, Target, Pricing)> {
        // what the clock would have done since the quote waited for its payment
        let current = account.projection(t, Some(self.frozen_at));
        let input = account.input(current, self.current_monthly);
        let target = self.target(plan);
        let pricing = price(&input, &target, t)?;
        Ok((input, target, pricing))
    }
}
