//! The price and the effect of a change match the golden cases, and what is previewed is what is billed.

use std::collections::{BTreeMap, BTreeSet};

use bipe_core::error::Error;
use bipe_core::id::{CompanyId, PlanId, SubscriptionId};
use bipe_core::money::Cents;
use bipe_core::plan::catalogue::default_plans;
use bipe_core::plan::{BillingCycle, Limits, Plan, PlanStatus, slug};
use bipe_core::subscription::change::{Change, ExecutionFacts, execute};
use bipe_core::subscription::period::Anchor;
use bipe_core::subscription::preview::{Pricing, PricingInput, price};
use bipe_core::subscription::projection::{Projection, project};
use bipe_core::subscription::proration::Segment;
use bipe_core::subscription::target::Target;
use bipe_core::subscription::{PricedPlan, Status, Subscription, Term};
use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{File, run};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    now: Timestamp,
    target: Choice,
    subscription: Option<Stored>,
    credit_balance: Cents,
    #[serde(default)]
    members: i64,
    new_max_users: Option<i32>,
    #[serde(default)]
    extra_plans: BTreeMap<String, Extra>,
}

#[derive(Deserialize)]
struct Choice {
    plan: String,
    cycle: BillingCycle,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    status: Status,
    plan: String,
    cycle: BillingCycle,
    price: Cents,
    anchor: Option<DateTime>,
    #[serde(default)]
    month: i32,
    paid_until_month: Option<i32>,
    #[serde(default)]
    segments: Vec<Segment>,
    pending_change: Option<Pending>,
    end_date: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Pending {
    plan: String,
    cycle: BillingCycle,
    price: Cents,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extra {
    is_free: bool,
    monthly: Cents,
    quarterly: Cents,
    yearly: Cents,
    hierarchy: i32,
    status: PlanStatus,
}

fn plan(index: usize, name: &str, extra: Extra, limits: Limits) -> Plan {
    Plan {
        id: PlanId(Uuid::from_u128(u128::try_from(index).unwrap() + 1)),
        name: slug(name),
        display_name: name.into(),
        description: String::new(),
        features: Vec::new(),
        is_free: extra.is_free,
        is_popular: false,
        monthly: extra.monthly,
        quarterly: extra.quarterly,
        yearly: extra.yearly,
        limits,
        hierarchy: extra.hierarchy,
        status: extra.status,
    }
}

fn catalogue(input: &mut Input) -> Vec<Plan> {
    let unlimited = Limits { max_users: input.new_max_users.unwrap_or(-1), ..Limits::UNLIMITED };
    let defaults = default_plans().into_iter().map(|plan| {
        let extra = Extra {
            is_free: plan.is_free,
            monthly: plan.monthly,
            quarterly: plan.quarterly,
            yearly: plan.yearly,
            hierarchy: plan.hierarchy,
            status: PlanStatus::Active,
        };
        (plan.display_name, extra)
    });
    defaults
        .chain(std::mem::take(&mut input.extra_plans))
        .enumerate()
        .map(|(index, (name, extra))| plan(index, &name, extra, unlimited))
        .collect()
}

fn row(stored: &Stored, plans: &[Plan]) -> Subscription {
    let id = |name: &str| plans.iter().find(|plan| plan.display_name == name).unwrap().id;
    let month = stored.month;
    let paid_until = stored.paid_until_month.unwrap_or(month + stored.cycle.months());
    Subscription {
        id: SubscriptionId(Uuid::from_u128(99)),
        company_id: CompanyId(Uuid::from_u128(98)),
        plan_id: id(&stored.plan),
        cycle: stored.cycle,
        price: stored.price,
        status: stored.status,
        term: stored.anchor.map(|anchor| Term { anchor: Anchor(anchor), month, paid_until }),
        end_at: stored.end_date,
        canceled_at: None,
        cancel_reason: None,
        pending_change: stored.pending_change.as_ref().map(|pending| PricedPlan {
            plan_id: id(&pending.plan),
            cycle: pending.cycle,
            price: pending.price,
        }),
        started_at: Timestamp::UNIX_EPOCH,
        version: 1,
    }
}

/// A case as the pricing function takes it; `None` for a plan that does not exist.
fn parts(mut input: Input) -> (PricingInput, Option<Target>, Timestamp) {
    let plans = catalogue(&mut input);
    let now = input.now;
    let current: Option<Projection> =
        input.subscription.as_ref().map(|stored| project(row(stored, &plans), now, None));
    let current_plan = current.as_ref().map(|s| s.row.plan_id);
    let situation = PricingInput {
        current_monthly: plans
            .iter()
            .find(|plan| Some(plan.id) == current_plan)
            .map_or(Cents::ZERO, |plan| plan.monthly),
        current,
        segments: input.subscription.map(|stored| stored.segments).unwrap_or_default(),
        balance: input.credit_balance,
        own_limits: None,
        seats: input.members,
    };
    let target = plans
        .iter()
        .find(|plan| plan.display_name == input.target.plan)
        .map(|plan| Target::of(plan, input.target.cycle));
    (situation, target, now)
}

/// Executes what was priced, paid to the centavo.
fn executed(
    situation: &PricingInput,
    target: &Target,
    pricing: &Pricing,
    now: Timestamp,
) -> Change {
    let facts = ExecutionFacts {
        company_id: CompanyId(Uuid::from_u128(98)),
        new_id: SubscriptionId(Uuid::from_u128(97)),
        at: now,
        paid: pricing.amount_due(),
        has_paid: false,
    };
    execute(situation, target, pricing, &facts)
}

fn balance_after(situation: &PricingInput, change: &Change) -> Cents {
    situation.balance + change.ledger.values().copied().sum()
}

fn answer(input: Input) -> Value {
    let (situation, target, now) = parts(input);
    let Some(target) = target else { return json!({"error": "NOT_FOUND"}) };
    let pricing = match price(&situation, &target, now) {
        Ok(pricing) => pricing,
        Err(error) => return json!({"error": Error::code(&error)}),
    };
    let change = executed(&situation, &target, &pricing, now);
    json!({
        "changeType": pricing.change_type,
        "proratedCharge": pricing.debit,
        "proratedCredit": pricing.credit,
        "proratedRefund": pricing.refund(),
        "amountDue": pricing.amount_due(),
        "effectiveDate": pricing.effective_at,
        "nextBillingDate": pricing.next_billing_at,
        "savings": {"annually": pricing.saved_a_year},
        "creditBalanceAfter": balance_after(&situation, &change),
        "warnings": pricing.warnings,
    })
}

#[test]
fn what_is_previewed_and_executed_matches_the_vectors() {
    run(include_str!("../../vectors/quotes.json"), 75, answer);
}

fn cases() -> Vec<(String, PricingInput, Target, Timestamp)> {
    let file: File<Input> =
        serde_json::from_str(include_str!("../../vectors/quotes.json")).unwrap();
    file.cases
        .into_iter()
        .filter_map(|case| {
            let (situation, target, now) = parts(case.input);
            target.map(|target| (case.name, situation, target, now))
        })
        .collect()
}

#[test]
fn what_was_previewed_is_what_is_billed() {
    let mut executions = 0;
    for (name, situation, target, now) in cases() {
        let Ok(pricing) = price(&situation, &target, now) else { continue };
        let sum: Cents = pricing.lines().iter().map(|line| line.amount).sum();
        assert_eq!(sum, pricing.amount_due(), "{name}: {:?}", pricing.lines());
        let change = executed(&situation, &target, &pricing, now);
        executions += 1;
        let after = project(change.after.clone(), now, None);
        if let Some(promised) = pricing.next_billing_at {
            assert_eq!(after.row.term.map(Term::paid_end), Some(promised), "{name}");
        }
        assert_eq!(balance_after(&situation, &change), pricing.settlement.balance_after, "{name}");
        if let Some(opened) = change.opened {
            assert_eq!(opened.paid, pricing.debit, "{name}");
            assert!(opened.from < opened.to, "{name}");
            let overlaps = change.segments.iter().any(|s| s.from < opened.to && opened.from < s.to);
            assert!(!overlaps, "{name}: a debit segment overlaps another");
        }
    }
    assert!(executions >= 60, "{executions} cases were executed");
}

#[test]
fn a_shortfall_of_a_late_payment_is_forgiven_and_a_surplus_becomes_credit() {
    for (name, situation, target, now) in cases() {
        let Ok(pricing) = price(&situation, &target, now) else { continue };
        if pricing.amount_due() == Cents::ZERO {
            continue;
        }
        for difference in [-10, 25] {
            let paid = pricing.amount_due() + Cents(difference);
            let facts = ExecutionFacts {
                company_id: CompanyId(Uuid::from_u128(98)),
                new_id: SubscriptionId(Uuid::from_u128(97)),
                at: now,
                paid,
                has_paid: true,
            };
            let change = execute(&situation, &target, &pricing, &facts);
            let surplus = Cents(difference.max(0));
            let expected = pricing.settlement.balance_after + surplus;
            assert_eq!(balance_after(&situation, &change), expected, "{name}");
            let debited = pricing.debit + Cents(difference.min(0));
            assert_eq!(change.opened.map(|s| s.paid), Some(debited), "{name}");
        }
    }
}

#[test]
fn a_change_that_costs_nothing_needs_no_payment() {
    let free: BTreeSet<String> = cases()
        .into_iter()
        .filter_map(|(name, situation, target, now)| {
            let pricing = price(&situation, &target, now).ok()?;
            (pricing.amount_due() == Cents::ZERO && pricing.debit > Cents::ZERO).then_some(name)
        })
        .collect();
    assert!(free.contains("upgrade covered by the credit balance"), "{free:?}");
    assert!(
        free.contains("what is left is below the provider's minimum and is carried"),
        "{free:?}"
    );
}
