//! The server on rows in memory. What its transactions decide is the product's; what they write stands where the
//! product's stores write it. The constraints of the schema are rules here: one that a history breaks is a finding.
//!
//! `payments` and `subscriptions` have the transactions, `steps` what is between them.

use std::sync::LazyLock;

use bipe_core::id::{PlanId, QuoteId};
use bipe_core::money::Cents;
use bipe_core::plan::{BillingCycle, Limits, Plan, PlanStatus};
use bipe_core::subscription::billing_account::BillingAccount;
use bipe_core::subscription::period::whole_seconds;
use bipe_core::subscription::preview::PricingInput;
use bipe_core::subscription::projection::Projection;
use bipe_core::subscription::quote::Quote;
use bipe_simulator::search::Story;
use jiff::Timestamp;
use uuid::Uuid;

use crate::Planted;
use crate::rows::Rows;

/// A free plan, three by price, and one that costs as much a month as the second of them.
const PRICES: [[i64; 3]; 5] = [
    [0, 0, 0],
    [4_990, 12_725, 44_910],
    [9_990, 25_475, 89_910],
    [19_990, 50_975, 179_910],
    [9_990, 26_000, 95_000],
];
pub const PLAN_COUNT: usize = PRICES.len();

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let plan = |(number, [monthly, quarterly, yearly]): (usize, [i64; 3])| Plan {
        id: PlanId(Uuid::from_u128(u128::try_from(number).unwrap())),
        name: number.to_string(),
        display_name: number.to_string(),
        description: String::new(),
        features: Vec::new(),
        is_free: number == 0,
        is_popular: false,
        monthly: Cents(monthly),
        quarterly: Cents(quarterly),
        yearly: Cents(yearly),
        limits: Limits::UNLIMITED,
        hierarchy: 1,
        status: PlanStatus::Active,
    };
    PRICES.into_iter().enumerate().map(plan).collect()
});

pub fn plan(id: PlanId) -> &'static Plan {
    &PLANS[usize::try_from(id.0.as_u128()).unwrap()]
}

pub struct Server<'a> {
    pub rows: Rows,
    pub now: Timestamp,
    pub planted: Planted,
    pub story: &'a mut Story,
    last_id: u128,
}

impl<'a> Server<'a> {
    pub fn new(now: Timestamp, planted: Planted, story: &'a mut Story) -> Self {
        Self { rows: Rows::default(), now, planted, story, last_id: 100 }
    }

    pub fn id(&mut self) -> Uuid {
        self.last_id += 1;
        Uuid::from_u128(self.last_id)
    }

    pub fn seconds(&self) -> Timestamp {
        whole_seconds(self.now)
    }

    pub fn account(&self) -> BillingAccount {
        let mut account = self.rows.account(self.now);
        if self.planted == Planted::CreditsRefunded {
            account.segments.iter_mut().for_each(|(_, segment)| segment.returned = Cents::ZERO);
        }
        account
    }

    pub fn current(&self) -> Option<Projection> {
        let (account, now) = (self.account(), self.seconds());
        account.projection(now, account.waits_since(now))
    }

    pub fn input(
        &self,
        account: &BillingAccount,
        (at, since): (Timestamp, Option<Timestamp>),
    ) -> PricingInput {
        let current = account.projection(at, since);
        let monthly = current.as_ref().map_or(Cents::ZERO, |s| plan(s.row.plan_id).monthly);
        account.input(current, monthly)
    }

    /// A preview: the quote of a choice is stored. None when pricing refuses it.
    pub fn quote(&mut self, plan_id: PlanId, cycle: BillingCycle) -> Option<Quote> {
        let (account, now) = (self.account(), self.seconds());
        let input = self.input(&account, (now, account.waits_since(now)));
        self.quote_at(&input, (plan_id, cycle), now)
    }

    pub fn quote_at(
        &mut self,
        input: &PricingInput,
        (plan_id, cycle): (PlanId, BillingCycle),
        at: Timestamp,
    ) -> Option<Quote> {
        let id = QuoteId(self.id());
        let (quote, _) = Quote::of_choice(id, input, (plan(plan_id), cycle), at).ok()?;
        self.rows.quotes.insert(id, quote.clone());
        Some(quote)
    }
}
