//! Random lives of a subscription: whatever is chosen, paid, canceled or left alone, the books balance.

use bipe_core::id::{CompanyId, PlanId, SubscriptionId};
use bipe_core::money::Cents;
use bipe_core::plan::{BillingCycle, Limits};
use bipe_core::subscription::change::{
    Change, ExecutionFacts, Ledger, end_now, execute, settle_passed,
};
use bipe_core::subscription::decide::{Cancellation, EndAt, cancel, withdraw};
use bipe_core::subscription::preview::{PricingInput, price};
use bipe_core::subscription::projection::{Projection, project};
use bipe_core::subscription::proration::Segment;
use bipe_core::subscription::target::Target;
use bipe_core::subscription::{CreditKind, Movement, MovementKind, Subscription};
use bipe_core::testing::{count, figures};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

#[derive(Clone, Debug)]
enum Act {
    Choose { plan: usize, cycle: BillingCycle, surplus: i64 },
    Cancel(EndAt),
    Withdraw,
    Wait,
}

/// Monthly, quarterly, yearly; two plans cost the same a month.
const PRICES: [[i64; 3]; 5] = [
    [0, 0, 0],
    [4_990, 12_725, 44_910],
    [9_990, 25_475, 89_910],
    [9_990, 26_000, 95_000],
    [19_990, 50_975, 179_910],
];

fn target(plan: usize, cycle: BillingCycle) -> Target {
    let is_free = plan == 0;
    let cycle = if is_free { BillingCycle::Monthly } else { cycle };
    let column = BillingCycle::ALL.iter().position(|c| *c == cycle).unwrap();
    Target {
        plan_id: PlanId(Uuid::from_u128(u128::try_from(plan).unwrap())),
        cycle,
        price: Cents(PRICES[plan][column]),
        monthly: Cents(PRICES[plan][0]),
        is_free,
        is_on_sale: true,
        limits: Limits::UNLIMITED,
    }
}

/// The rows of one company, as the store would keep them.
struct World {
    row: Option<Subscription>,
    segments: Vec<Segment>,
    /// Segments of subscriptions that have ended.
    old: Vec<Segment>,
    balance: Cents,
    paid: Cents,
    forgiven: Cents,
    arr: Cents,
    moved: bool,
    now: Timestamp,
}

impl World {
    fn new() -> Self {
        Self {
            row: None,
            segments: Vec::new(),
            old: Vec::new(),
            balance: Cents(0),
            paid: Cents(0),
            forgiven: Cents(0),
            arr: Cents(0),
            moved: false,
            now: "2026-01-31T13:15:00Z".parse().unwrap(),
        }
    }

    fn projection(&self) -> Option<Projection> {
        self.row.clone().map(|row| project(row, self.now, None))
    }

    fn credit(&mut self, ledger: &Ledger) {
        self.balance += ledger.values().copied().sum();
        self.forgiven += ledger.get(&CreditKind::Forgiven).copied().unwrap_or_default();
    }

    fn book(&mut self, movement: Option<Movement>) {
        let Some(Movement { kind, arr }) = movement else { return };
        self.moved = true;
        match kind {
            MovementKind::New | MovementKind::Reactivation | MovementKind::Expansion => {
                self.arr += arr;
            }
            MovementKind::Contraction | MovementKind::Churn => self.arr -= arr,
        }
    }

    /// What `store::write_passed` does.
    fn write_passed(&mut self) {
        let Some(current) = self.projection() else { return };
        for passed in &current.passed {
            let ledger = settle_passed(passed, &mut self.segments, self.balance);
            self.credit(&ledger);
            self.book(passed.movement);
        }
        self.row = Some(current.row);
    }

    fn situation(&self) -> PricingInput {
        let current = self.projection();
        let plan =
            current.as_ref().map_or(0, |s| usize::try_from(s.row.plan_id.0.as_u128()).unwrap());
        PricingInput {
            current,
            current_monthly: Cents(PRICES[plan][0]),
            segments: self.segments.clone(),
            balance: self.balance,
            own_limits: None,
            seats: 1,
        }
    }

    fn write(&mut self, change: Change) {
        let is_new = self.row.as_ref().is_none_or(|row| row.id != change.after.id);
        self.segments = change.segments;
        if is_new {
            self.old.append(&mut self.segments);
        }
        self.segments.extend(change.opened);
        self.credit(&change.ledger);
        self.book(change.movement);
        self.row = Some(change.after);
    }

    fn act(&mut self, act: &Act, step: usize) {
        self.write_passed();
        let situation = self.situation();
        match act {
            Act::Wait => {}
            Act::Choose { plan, cycle, surplus } => {
                let target = target(*plan, *cycle);
                let Ok(pricing) = price(&situation, &target, self.now) else { return };
                let due = pricing.amount_due();
                let paid =
                    if due == Cents(0) { due } else { (due + Cents(*surplus)).max(Cents(1)) };
                self.paid += paid;
                let facts = ExecutionFacts {
                    company_id: CompanyId(Uuid::from_u128(1)),
                    new_id: SubscriptionId(Uuid::from_u128(u128::try_from(step).unwrap() + 10)),
                    at: self.now,
                    paid,
                    has_paid: self.moved,
                };
                self.write(execute(&situation, &target, &pricing, &facts));
            }
            Act::Withdraw => {
                if let Ok(Some(row)) = withdraw(situation.current.as_ref()) {
                    self.row = Some(row);
                }
            }
            Act::Cancel(when) => match cancel(situation.current.as_ref(), *when, None, self.now) {
                Ok(Cancellation::Scheduled(row)) => self.row = Some(*row),
                Ok(Cancellation::Ends) => {
                    let row = situation.current.as_ref().unwrap().row.clone();
                    self.write(end_now(&situation, &row, self.now));
                }
                Ok(Cancellation::Unchanged) | Err(_) => {}
            },
        }
    }

    fn check(&self) -> Result<(), TestCaseError> {
        if let Some(current) = self.projection() {
            let again = project(current.row.clone(), self.now, None);
            prop_assert_eq!(again.row, current.row, "a row is written as it is read");
        }
        prop_assert!(self.balance > Cents(-50), "balance {:?}", self.balance);
        let all = || self.old.iter().chain(&self.segments);
        for segment in all() {
            prop_assert!(Cents(0) <= segment.credited && segment.credited <= segment.paid);
            prop_assert!(segment.from <= segment.to);
        }
        let debits: Cents = all().map(|s| s.paid).sum();
        let credits: Cents = all().map(|s| s.credited).sum();
        // what was forgiven of a payment was never debited; what was forgiven of a balance was
        prop_assert!(self.paid <= debits - credits + self.balance);
        prop_assert!(debits - credits + self.balance <= self.paid + self.forgiven);
        let mut spans: Vec<_> = self.segments.iter().filter(|s| s.from < s.to).collect();
        spans.sort_by_key(|s| s.from);
        for pair in spans.windows(2) {
            prop_assert!(pair[0].to <= pair[1].from, "debits overlap: {pair:?}");
        }
        let arr = match self.projection() {
            Some(current) if current.phase.is_paying() => current.row.arr(),
            _ => Cents(0),
        };
        prop_assert_eq!(self.arr, arr);
        Ok(())
    }
}

fn acts() -> impl Strategy<Value = (i64, Act)> {
    let cycle = prop::sample::select(BillingCycle::ALL.to_vec());
    let choose = (0..PRICES.len(), cycle, prop_oneof![8 => Just(0), 1 => -2_000_i64..2_000])
        .prop_map(|(plan, cycle, surplus)| Act::Choose { plan, cycle, surplus });
    let end = prop_oneof![
        Just(EndAt::PeriodEnd),
        Just(EndAt::Now),
        (0_i64..40).prop_map(|days| {
            let day: jiff::civil::Date = "2026-02-01".parse().unwrap();
            EndAt::Day(day.saturating_add(jiff::Span::new().days(days * 13)))
        }),
    ];
    let act = prop_oneof![
        6 => choose,
        2 => end.prop_map(Act::Cancel),
        1 => Just(Act::Withdraw),
        2 => Just(Act::Wait),
    ];
    (prop_oneof![Just(0), 1_i64..90_000, 1_i64..4_000_000], act)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(count("BIPE_LIVES", 1_000)))]
    #[test]
    fn the_books_balance_through_any_life(life in prop::collection::vec(acts(), 1..40)) {
        let mut world = World::new();
        for (step, (seconds, act)) in life.iter().enumerate() {
            world.now += SignedDuration::from_secs(*seconds);
            world.act(act, step);
            world.check()?;
        }
        figures(&[("lives", 1)]);
    }
}
