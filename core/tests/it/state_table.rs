//! Every state × input of the table in docs/billing.md, "Subscription states", printed row by row.

use bipe_core::error::Error;
use bipe_core::id::{CompanyId, PaymentId, PlanId, SubscriptionId};
use bipe_core::money::Cents;
use bipe_core::plan::{BillingCycle, Limits};
use bipe_core::subscription::change::{self, ExecutionFacts, execute};
use bipe_core::subscription::decide::{Cancellation, EndAt, Endpoint, cancel, choose, withdraw};
use bipe_core::subscription::period::Anchor;
use bipe_core::subscription::preview::{PricingInput, Transition, price};
use bipe_core::subscription::projection::{Projection, project};
use bipe_core::subscription::proration::Segment;
use bipe_core::subscription::target::Target;
use bipe_core::subscription::{OpenPayment, Phase, PricedPlan, Status, Subscription, Term};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

pub const FREE: u128 = 1;
pub const BASIC: u128 = 2;
pub const PRO: u128 = 3;

pub fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn target(plan: u128) -> Target {
    let cents = Cents(match plan {
        FREE => 0,
        BASIC => 4_990,
        _ => 9_990,
    });
    Target {
        plan_id: PlanId(Uuid::from_u128(plan)),
        cycle: BillingCycle::Monthly,
        price: cents,
        monthly: cents,
        is_free: plan == FREE,
        is_on_sale: true,
        limits: Limits::UNLIMITED,
    }
}

/// 2026-08-10 to 2026-09-10 on the basic plan.
fn paid_row(status: Status) -> Subscription {
    let anchor = Anchor("2026-08-10T00:00:00".parse().unwrap());
    Subscription {
        id: SubscriptionId(Uuid::from_u128(9)),
        company_id: CompanyId(Uuid::from_u128(8)),
        plan_id: PlanId(Uuid::from_u128(BASIC)),
        cycle: BillingCycle::Monthly,
        price: Cents(4_990),
        status,
        term: Some(Term { anchor, month: 0, paid_until: 1 }),
        end_at: None,
        canceled_at: None,
        cancel_reason: None,
        pending_change: None,
        started_at: instant("2026-08-10T03:00:00Z"),
        version: 1,
    }
}

/// The company in a state, and an instant at which it is in it.
pub fn company(state: &str) -> (PricingInput, Option<OpenPayment>, Timestamp) {
    let inside = instant("2026-08-22T18:30:00Z");
    let free = Subscription {
        plan_id: target(FREE).plan_id,
        price: Cents(0),
        term: None,
        ..paid_row(Status::Active)
    };
    let canceled = Subscription {
        end_at: Some(instant("2026-09-10T03:00:00Z")),
        canceled_at: Some(inside),
        ..paid_row(Status::Canceled)
    };
    let (row, now) = match state {
        "none" => (None, inside),
        "pending" => (Some(Subscription { term: None, ..paid_row(Status::Pending) }), inside),
        "free" => (Some(free), inside),
        "active" => (Some(paid_row(Status::Active)), inside),
        "active in the window" => (Some(paid_row(Status::Active)), instant("2026-09-05T12:00:00Z")),
        "due" => (Some(paid_row(Status::Active)), instant("2026-09-11T12:00:00Z")),
        "canceled" => (Some(canceled), inside),
        "suspended" => (Some(paid_row(Status::Active)), instant("2026-09-18T12:00:00Z")),
        _ => (Some(paid_row(Status::Active)), instant("2026-10-20T12:00:00Z")),
    };
    let open = (state == "pending").then(|| OpenPayment {
        payment_id: PaymentId(Uuid::from_u128(7)),
        plan_id: target(BASIC).plan_id,
        cycle: BillingCycle::Monthly,
        amount: Cents(4_990),
        opened_at: inside,
    });
    let paid = row.as_ref().is_some_and(|row| row.term.is_some());
    let segment = Segment {
        from: instant("2026-08-10T03:00:00Z"),
        to: instant("2026-09-10T03:00:00Z"),
        paid: Cents(4_990),
        credited: Cents(0),
        returned: Cents(0),
    };
    let situation = PricingInput {
        current_monthly: row.as_ref().map_or(Cents(0), |row| row.price),
        current: row.map(|row| project(row, now, None)),
        segments: if paid { vec![segment] } else { Vec::new() },
        balance: Cents(0),
        own_limits: None,
        seats: 1,
    };
    (situation, open, now)
}

fn name(row: &Subscription, now: Timestamp) -> String {
    let at = project(row.clone(), now, None);
    let phase = format!("{:?}", at.phase).to_lowercase();
    match at.row.pending_change {
        Some(_) => format!("{phase} + pendingChange"),
        None => phase,
    }
}

fn code(error: &Error) -> String {
    match error.code().as_str() {
        "SUBSCRIPTION_NOT_ACTIVE" => "NA".into(),
        "NOT_FOUND" => "NF".into(),
        "SUBSCRIPTION_EXISTS" => "EX".into(),
        "CHANGE_NOT_ALLOWED" => "CNA".into(),
        "VALIDATION_ERROR" => "VE".into(),
        "PAYMENT_IN_PROGRESS" => "PIP".into(),
        other => other.into(),
    }
}

/// "402 → state" is the refusal, and the state once its payment executed the very same price.
fn chosen(state: &str, endpoint: Endpoint, plan: u128) -> String {
    let (mut situation, open, now) = company(state);
    let target = target(plan);
    let facts = |paid| ExecutionFacts {
        company_id: CompanyId(Uuid::from_u128(8)),
        new_id: SubscriptionId(Uuid::from_u128(6)),
        at: now,
        paid,
        has_paid: true,
    };
    match choose(&situation, endpoint, &target, open, now) {
        Ok(pricing) => name(&execute(&situation, &target, &pricing, &facts(Cents(0))).after, now),
        Err(Error::PaymentRequired { expected }) => {
            // the credit balance stands in for the money, so that the same price is executed
            situation.balance = expected;
            let pricing = price(&situation, &target, now).unwrap();
            let after = execute(&situation, &target, &pricing, &facts(Cents(0))).after;
            format!("402 → {}", name(&after, now))
        }
        Err(error) => code(&error),
    }
}

fn canceled(state: &str, when: EndAt) -> String {
    let (situation, _, now) = company(state);
    match cancel(situation.current.as_ref(), when, None, now) {
        Err(error) => code(&error),
        Ok(Cancellation::Unchanged) => "same answer".into(),
        Ok(Cancellation::Scheduled(row)) => {
            let end = row.end_at.unwrap();
            let at_p = row.term.is_some_and(|term| term.paid_end() == end);
            format!("{} to {}", name(&row, now), if at_p { "P".into() } else { end.to_string() })
        }
        Ok(Cancellation::Ends) => {
            let row = &situation.current.as_ref().unwrap().row;
            let ended = change::end_now(&situation, row, now);
            let credit: Cents = ended.ledger.values().copied().sum();
            let credited = if credit > Cents(0) { ", credited" } else { "" };
            format!("{}{credited}", name(&ended.after, now))
        }
    }
}

fn withdrawn(state: &str) -> String {
    let (mut situation, _, now) = company(state);
    if let Some(Projection { row, phase: Phase::Active, .. }) = &mut situation.current {
        let next = target(FREE);
        row.pending_change =
            Some(PricedPlan { plan_id: next.plan_id, cycle: next.cycle, price: next.price });
    }
    match withdraw(situation.current.as_ref()) {
        Err(error) => code(&error),
        Ok(Some(row)) => name(&row, now),
        Ok(None) => name(&situation.current.unwrap().row, now),
    }
}

/// The state that time alone leads to by an instant, or that has been there longer.
fn clocked(state: &str, days: i64) -> String {
    let (situation, _, now) = company(state);
    let Some(Projection { row, .. }) = situation.current else { return "none".into() };
    let p = row.term.map_or(now, |term| term.paid_end());
    name(&row, now.max(p + SignedDuration::from_hours(24 * days)))
}

type Row = (&'static str, fn(&str) -> String, [&'static str; 9]);

const STATES: [&str; 9] = [
    "none",
    "pending",
    "free",
    "active",
    "active in the window",
    "due",
    "canceled",
    "suspended",
    "expired",
];

#[rustfmt::skip]
const TABLE: [Row; 17] = [
    ("create free", |s| chosen(s, Endpoint::Create, FREE),
     ["free", "PIP", "EX", "EX", "EX", "EX", "EX", "EX", "free"]),
    ("create paid", |s| chosen(s, Endpoint::Create, BASIC),
     ["402 → active", "402 → active", "EX", "EX", "EX", "EX", "EX", "EX", "402 → active"]),
    ("create another while one is paid", |s| chosen(s, Endpoint::Create, PRO),
     ["402 → active", "PIP", "EX", "EX", "EX", "EX", "EX", "EX", "402 → active"]),
    ("upgrade", |s| chosen(s, Endpoint::Upgrade, PRO),
     ["NA", "PIP", "402 → active", "402 → active", "402 → active", "402 → active", "402 → active", "402 → active",
      "NA"]),
    ("same plan and cycle", |s| chosen(s, Endpoint::Upgrade, BASIC),
     ["NA", "402 → active", "402 → active", "CNA", "402 → active", "402 → active", "active", "402 → active",
      "402 → active"]),
    ("upgrade to a lower plan", |s| chosen(s, Endpoint::Upgrade, FREE),
     ["NA", "PIP", "CNA", "CNA", "CNA", "CNA", "CNA", "CNA", "NA"]),
    ("downgrade", |s| chosen(s, Endpoint::Downgrade, FREE),
     ["NA", "NA", "CNA", "active + pendingChange", "active + pendingChange", "free", "active + pendingChange", "free",
      "NA"]),
    ("downgrade to a higher plan", |s| chosen(s, Endpoint::Downgrade, PRO),
     ["NA", "NA", "CNA", "CNA", "CNA", "CNA", "CNA", "CNA", "NA"]),
    ("withdraw", withdrawn,
     ["NF", "NA", "free", "active", "active", "due", "canceled", "suspended", "expired"]),
    ("cancel", |s| canceled(s, EndAt::PeriodEnd),
     ["NF", "NA", "expired", "canceled to P", "canceled to P", "expired", "same answer", "expired", "NA"]),
    ("cancel now", |s| canceled(s, EndAt::Now),
     ["NF", "NA", "expired", "expired, credited", "expired, credited", "expired", "expired, credited", "expired",
      "NA"]),
    ("cancel on a day", |s| canceled(s, EndAt::Day("2026-09-08".parse().unwrap())),
     ["NF", "NA", "VE", "canceled to 2026-09-09T02:59:59Z", "canceled to 2026-09-09T02:59:59Z", "VE",
      "canceled to 2026-09-09T02:59:59Z", "VE", "NA"]),
    ("cancel after P", |s| canceled(s, EndAt::Day("2026-09-11".parse().unwrap())),
     ["NF", "NA", "VE", "VE", "VE", "VE", "VE", "VE", "NA"]),
    ("renew", |s| chosen(s, Endpoint::Renew, BASIC),
     ["NF", "402 → active", "CNA", "CNA", "402 → active", "402 → active", "active", "402 → active", "402 → active"]),
    ("clock P, endDate", |s| clocked(s, 0),
     ["none", "pending", "free", "due", "due", "due", "expired", "suspended", "expired"]),
    ("clock P + 3 d", |s| clocked(s, 3),
     ["none", "pending", "free", "suspended", "suspended", "suspended", "expired", "suspended", "expired"]),
    ("clock P + 15 d", |s| clocked(s, 15),
     ["none", "pending", "free", "expired", "expired", "expired", "expired", "expired", "expired"]),
];

#[test]
fn every_state_answers_every_input_as_the_table_says() {
    let mut wrong = Vec::new();
    for (input, answer, expected) in TABLE {
        for (state, expected) in STATES.into_iter().zip(expected) {
            let got = answer(state);
            println!("{input:34} {state:22} {got}");
            if got != expected {
                wrong.push(format!("{input} / {state}: {got} instead of {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_cancellation_is_taken_back_whatever_payment_is_open() {
    let (situation, _, now) = company("canceled");
    let open = company("pending").1;
    for endpoint in [Endpoint::Renew, Endpoint::Upgrade] {
        let pricing = choose(&situation, endpoint, &target(BASIC), open, now).unwrap();
        assert_eq!(pricing.transition, Transition::UndoCancellation);
    }
    let other = choose(&situation, Endpoint::Upgrade, &target(PRO), open, now).unwrap_err();
    assert_eq!(code(&other), "PIP");
    let (running, _, now) = company("active in the window");
    let unpaid = choose(&running, Endpoint::Renew, &target(BASIC), open, now).unwrap_err();
    assert_eq!(code(&unpaid), "PAYMENT_REQUIRED");
}

fn at(row: &Subscription, after_p: i64) -> Projection {
    let p = row.term.unwrap().paid_end();
    project(row.clone(), p + SignedDuration::from_secs(after_p), None)
}

const DAY: i64 = 86_400;

#[test]
fn an_unpaid_subscription_walks_from_due_to_suspended_to_expired() {
    let row = paid_row(Status::Active);
    let walk: Vec<Phase> = [-1, 0, 3 * DAY - 1, 3 * DAY, 15 * DAY - 1, 15 * DAY]
        .map(|after| at(&row, after).phase)
        .to_vec();
    use Phase::{Active, Due, Expired, Suspended};
    assert_eq!(walk, [Active, Due, Due, Suspended, Suspended, Expired]);
}

#[test]
fn suspension_and_expiry_wait_while_a_payment_is_open() {
    let p = paid_row(Status::Active).term.unwrap().paid_end();
    let with_payment_since = |opened: i64, now: i64| {
        let after = |seconds| p + SignedDuration::from_secs(seconds);
        project(paid_row(Status::Active), after(now), Some(after(opened))).phase
    };
    assert_eq!(with_payment_since(2 * DAY, 4 * DAY), Phase::Due);
    assert_eq!(with_payment_since(5 * DAY, 20 * DAY), Phase::Suspended);
    // one that was opened too late finds what had come by then
    assert_eq!(with_payment_since(16 * DAY, 16 * DAY), Phase::Expired);
}

#[test]
fn the_clock_books_each_step_once_however_late_it_is_written_down() {
    let row = paid_row(Status::Active);
    let steps: Vec<String> = at(&row, 40 * DAY)
        .passed
        .iter()
        .map(|step| {
            format!("{} {:?}", step.history.as_str(), step.movement.map(|m| m.kind.as_str()))
        })
        .collect();
    assert_eq!(steps, ["suspended Some(\"churn\")", "expired None"]);
    let written = at(&row, 4 * DAY).row;
    let later: Vec<&str> =
        at(&written, 40 * DAY).passed.iter().map(|step| step.history.as_str()).collect();
    assert_eq!(later, ["expired"]);
}

#[test]
fn a_scheduled_downgrade_takes_over_at_the_end_of_what_is_paid() {
    let mut row = paid_row(Status::Active);
    row.pending_change = Some(PricedPlan {
        plan_id: target(FREE).plan_id,
        cycle: BillingCycle::Monthly,
        price: Cents(0),
    });
    assert_eq!(at(&row, -1).phase, Phase::Active);
    let free = at(&row, 0);
    assert_eq!((free.phase, free.row.plan_id), (Phase::Free, target(FREE).plan_id));
    assert_eq!(free.passed.len(), 1);
    // to a paid plan its period is due; taking it back leaves the plan as it was
    let cheaper = PricedPlan { price: Cents(2_990), ..row.pending_change.unwrap() };
    row.pending_change = Some(cheaper);
    let due = at(&row, 0);
    assert_eq!(
        (due.phase, due.row.price, due.row.pending_change),
        (Phase::Due, Cents(2_990), None)
    );
}

#[test]
fn a_canceled_subscription_keeps_its_plan_until_the_end_and_credits_what_it_cut_off() {
    let mut row = paid_row(Status::Canceled);
    let end = row.term.unwrap().paid_end() - SignedDuration::from_hours(240);
    row.end_at = Some(end);
    let before = project(row.clone(), end - SignedDuration::from_secs(1), None);
    assert_eq!(before.row.entitlement(), Some((target(BASIC).plan_id, BillingCycle::Monthly)));
    let after = project(row, end, None);
    assert_eq!((after.phase, after.row.entitlement()), (Phase::Expired, None));
    assert!(after.passed[0].credits_rest);
}

#[test]
fn a_free_plan_that_was_given_a_price_can_be_bought_by_those_who_have_it() {
    let (situation, open, now) = company("free");
    let priced = Target { plan_id: target(FREE).plan_id, ..target(BASIC) };
    let asked = choose(&situation, Endpoint::Upgrade, &priced, open, now).unwrap_err();
    assert!(matches!(asked, Error::PaymentRequired { expected: Cents(4_990) }), "{asked}");
    let renewed = choose(&situation, Endpoint::Renew, &priced, open, now).unwrap_err();
    assert_eq!(code(&renewed), "CNA", "nothing was bought that goes on");
}
