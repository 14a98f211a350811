//! What a change, a cancellation and an end leave behind: the row, the period that was paid for, the credit and what the
//! history tells. The companies are those of the state table.

use bipe_core::id::{CompanyId, SubscriptionId};
use bipe_core::money::Cents;
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::change::{
    Change, ExecutionFacts, Ledger, end_now, execute, forgive, settle_passed,
};
use bipe_core::subscription::decide::{Cancellation, EndAt, cancel, withdraw};
use bipe_core::subscription::preview::{Pricing, PricingInput, price};
use bipe_core::subscription::projection::{TimeStep, project};
use bipe_core::subscription::proration::Settlement;
use bipe_core::subscription::target::Target;
use bipe_core::subscription::{
    CreditKind, HistoryType, Movement, MovementKind, Status, Subscription,
};
use jiff::Timestamp;
use uuid::Uuid;

use crate::state_table::{BASIC, FREE, PRO, company, instant, target};

const KNOWN: SubscriptionId = SubscriptionId(Uuid::from_u128(9));
const NEW: SubscriptionId = SubscriptionId(Uuid::from_u128(6));

fn yearly(plan: u128) -> Target {
    let monthly = target(plan);
    Target { cycle: BillingCycle::Yearly, price: monthly.price.times(9), ..monthly }
}

/// Prices a choice and executes it, paid to the centavo.
fn changed(input: &PricingInput, choice: &Target, now: Timestamp) -> Change {
    let pricing = price(input, choice, now).unwrap();
    let facts = ExecutionFacts {
        company_id: CompanyId(Uuid::from_u128(8)),
        new_id: NEW,
        at: now,
        paid: pricing.amount_due(),
        has_paid: true,
    };
    execute(input, choice, &pricing, &facts)
}

/// The end of what the company has paid for.
fn paid_end() -> Timestamp {
    instant("2026-09-10T03:00:00Z")
}

/// A company with a downgrade that waits, and its row.
fn changing(state: &str) -> (PricingInput, Subscription, Timestamp) {
    let (mut input, _, now) = company(state);
    let row = &mut input.current.as_mut().unwrap().row;
    row.pending_change = Some(target(FREE).priced(Cents(0)));
    let row = row.clone();
    (input, row, now)
}

#[test]
fn whoever_chooses_again_is_neither_canceled_nor_about_to_change() {
    let (mut input, ..) = changing("canceled");
    let now = company("canceled").2;
    input.current.as_mut().unwrap().row.cancel_reason = Some("caro".into());
    for choice in [target(BASIC), target(PRO), yearly(PRO)] {
        let after = changed(&input, &choice, now).after;
        let chosen = (after.plan_id, after.cycle, after.price, after.status);
        assert_eq!(chosen, (choice.plan_id, choice.cycle, choice.price, Status::Active));
        assert_eq!((after.end_at, after.canceled_at), (None, None));
        assert_eq!((after.cancel_reason, after.pending_change), (None, None));
    }
    let after = changed(&input, &target(FREE), now).after;
    assert_eq!((after.end_at, after.canceled_at, after.cancel_reason), (None, None, None));
    assert_eq!(after.pending_change, Some(target(FREE).priced(Cents(0))));
}

#[test]
fn a_renewal_names_the_period_that_it_pays_for() {
    for (state, plan, renews) in [
        ("none", BASIC, None),
        ("active", PRO, None),
        ("active in the window", BASIC, Some(paid_end())),
        ("due", BASIC, Some(paid_end())),
        ("suspended", PRO, Some(paid_end())),
    ] {
        let (input, _, now) = company(state);
        assert_eq!(changed(&input, &target(plan), now).renews, renews, "{state}");
    }
}

#[test]
fn only_a_subscription_that_has_ended_is_followed_by_a_new_one() {
    let began = instant("2026-08-10T03:00:00Z");
    for (state, id, since) in [
        ("none", NEW, None),
        ("pending", KNOWN, None),
        ("expired", NEW, None),
        ("free", KNOWN, Some(began)),
        ("due", KNOWN, Some(began)),
    ] {
        let (input, _, now) = company(state);
        let after = changed(&input, &target(BASIC), now).after;
        assert_eq!((after.id, after.started_at), (id, since.unwrap_or(now)), "{state}");
    }
}

#[test]
fn the_history_tells_money_that_came_in_and_no_credit() {
    let (mut input, _, now) = company("none");
    assert_eq!(changed(&input, &target(BASIC), now).amount, Some(Cents(4_990)));
    input.balance = Cents(4_990);
    assert_eq!(changed(&input, &target(BASIC), now).amount, None);
}

#[test]
fn without_a_scheduled_downgrade_there_is_none_to_withdraw() {
    let (input, row, _) = changing("active");
    let withdrawn = withdraw(input.current.as_ref()).unwrap();
    assert_eq!(withdrawn, Some(Subscription { pending_change: None, ..row }));
    assert_eq!(withdraw(company("active").0.current.as_ref()).unwrap(), None);
}

/// The row after a cancellation that runs on; none where it is refused.
fn scheduled(
    input: &PricingInput,
    when: EndAt,
    reason: Option<&str>,
    now: Timestamp,
) -> Option<Subscription> {
    match cancel(input.current.as_ref(), when, reason, now) {
        Ok(Cancellation::Scheduled(row)) => Some(*row),
        _ => None,
    }
}

#[test]
fn a_cancellation_ends_today_at_the_earliest_and_on_the_last_paid_day_at_the_latest() {
    let (input, _, now) = company("active");
    let end = |day: &str| {
        scheduled(&input, EndAt::Day(day.parse().unwrap()), None, now).and_then(|row| row.end_at)
    };
    assert_eq!(end("2026-08-21"), None);
    assert_eq!(end("2026-08-22"), Some(instant("2026-08-23T02:59:59Z")));
    assert_eq!(end("2026-09-10"), Some(paid_end()));
    assert_eq!(end("2026-09-11"), None);
}

#[test]
fn a_second_cancellation_keeps_when_the_first_one_was_made_and_why() {
    let (mut input, row, first) = changing("active");
    let canceled = scheduled(&input, EndAt::PeriodEnd, Some("caro"), first).unwrap();
    let expected = Subscription {
        status: Status::Canceled,
        end_at: Some(paid_end()),
        canceled_at: Some(first),
        cancel_reason: Some("caro".into()),
        pending_change: None,
        ..row
    };
    assert_eq!(canceled, expected);
    let second = instant("2026-08-25T12:00:00Z");
    let end = Some(instant("2026-08-31T02:59:59Z"));
    input.current = Some(project(canceled.clone(), second, None));
    let day = EndAt::Day("2026-08-30".parse().unwrap());
    let again = scheduled(&input, day, None, second).unwrap();
    assert_eq!(again, Subscription { end_at: end, ..canceled.clone() });
    let told = scheduled(&input, day, Some("mudança"), second).unwrap().cancel_reason;
    assert_eq!(told.as_deref(), Some("mudança"));
}

#[test]
fn what_ends_at_once_gives_the_paid_time_back_and_counts_as_lost() {
    let (mut input, row, now) = changing("active");
    let ended = end_now(&input, &row, now);
    let expected = Subscription {
        status: Status::Expired,
        end_at: Some(now),
        canceled_at: Some(now),
        pending_change: None,
        ..row.clone()
    };
    assert_eq!(ended.after, expected);
    // 18 days and 8.5 hours of 31 days
    let rest = Cents(2_954);
    assert_eq!(ended.ledger, Ledger::from([(CreditKind::EarlyEnd, rest)]));
    assert_eq!((ended.amount, ended.segments[0].credited), (Some(rest), rest));
    let churn = Movement { kind: MovementKind::Churn, arr: Cents(59_880) };
    assert_eq!(ended.movement, Some(churn));
    // a debit that was carried is paid by the credit, and the rest of it is forgiven
    input.balance = Cents(-3_000);
    let both = [(CreditKind::EarlyEnd, rest), (CreditKind::Forgiven, Cents(46))];
    assert_eq!(end_now(&input, &row, now).ledger, Ledger::from(both));
    input.balance = Cents(-2_954);
    assert_eq!(end_now(&input, &row, now).ledger, Ledger::from([(CreditKind::EarlyEnd, rest)]));
}

#[test]
fn an_unpaid_subscription_that_ends_moves_nothing() {
    let (input, row, now) = changing("suspended");
    let canceled_at = Some(instant("2026-09-12T12:00:00Z"));
    let ended = end_now(&input, &Subscription { canceled_at, ..row }, now);
    assert_eq!((ended.ledger, ended.amount, ended.movement), (Ledger::new(), None, None));
    assert_eq!(ended.after.canceled_at, canceled_at);
}

/// A first period with this debit, credit and payment.
fn first_period(balance: i64, debit: i64, credit: i64, paid: i64) -> Change {
    let (mut input, _, now) = company("none");
    input.balance = Cents(balance);
    let (debit, credit) = (Cents(debit), Cents(credit));
    let settlement = Settlement::of(debit, credit, input.balance);
    let first = price(&input, &target(BASIC), now).unwrap();
    let pricing = Pricing { debit, credit, settlement, ..first };
    let facts = ExecutionFacts {
        company_id: CompanyId(Uuid::from_u128(8)),
        new_id: NEW,
        at: now,
        paid: Cents(paid),
        has_paid: true,
    };
    execute(&input, &target(BASIC), &pricing, &facts)
}

/// What the ledger says of it.
fn ledger(balance: i64, debit: i64, credit: i64, paid: i64) -> Vec<(CreditKind, i64)> {
    let written = first_period(balance, debit, credit, paid).ledger;
    written.into_iter().map(|(kind, amount)| (kind, amount.0)).collect()
}

#[test]
fn what_is_forgiven_is_not_debited_and_no_debit_is_below_zero() {
    let debited = |balance, paid| first_period(balance, 4_990, 0, paid).opened.unwrap().paid;
    assert_eq!(debited(0, 4_990), Cents(4_990));
    assert_eq!(debited(0, 20), Cents(20));
    assert_eq!(debited(-49, 5_039), Cents(4_990));
    assert_eq!(debited(-49, 49), Cents::ZERO);
    assert_eq!(debited(-49, 20), Cents::ZERO, "a part of what was carried is forgiven, too");
}

#[test]
fn each_movement_of_the_credit_is_written_down_under_its_reason() {
    use CreditKind::{Carried, Forgiven, Overpayment, Proration, Used};
    for (what, [balance, debit, credit, paid], expected) in [
        ("nothing moves", [0, 4_990, 0, 4_990], &[][..]),
        ("credit is left", [0, 1_000, 3_000, 0], &[(Proration, 2_000)]),
        (
            "it fills what was carried",
            [-500, 1_000, 3_000, 0],
            &[(Proration, 1_500), (Carried, 500)],
        ),
        ("and no more than that", [-5_000, 1_000, 3_000, 3_000], &[(Carried, 5_000)]),
        ("the balance pays a part", [1_000, 4_990, 0, 3_990], &[(Used, -1_000)]),
        ("the balance pays all", [9_000, 4_990, 0, 0], &[(Used, -4_990)]),
        ("too little to charge", [0, 49, 0, 0], &[(Carried, -49)]),
        ("too little beside a balance", [20, 60, 0, 0], &[(Used, -20), (Carried, -40)]),
        ("more came in", [0, 4_990, 0, 5_000], &[(Overpayment, 10)]),
        ("less came in", [0, 4_990, 0, 4_980], &[(Carried, -10), (Forgiven, 10)]),
        ("of a debt", [-500, 4_990, 0, 5_480], &[(Carried, 490), (Forgiven, 10)]),
    ] {
        assert_eq!(ledger(balance, debit, credit, paid), expected, "{what}");
    }
}

#[test]
fn only_the_end_forgives_a_debit_that_was_carried() {
    let (input, row, now) = changing("active");
    let settled = |history, credits_rest, balance| {
        let step = TimeStep { at: now, history, movement: None, credits_rest, row: row.clone() };
        settle_passed(&step, &mut input.segments.clone(), Cents(balance))
    };
    let forgiven = |amount| Ledger::from([(CreditKind::Forgiven, Cents(amount))]);
    assert_eq!(settled(HistoryType::Suspended, false, -100), Ledger::new());
    assert_eq!(settled(HistoryType::Expired, false, -100), forgiven(100));
    assert_eq!(settled(HistoryType::Expired, false, 100), Ledger::new());
    let mut both = forgiven(46);
    both.insert(CreditKind::EarlyEnd, Cents(2_954));
    assert_eq!(settled(HistoryType::Expired, true, -3_000), both);
    assert_eq!(forgive(Cents(-1)), forgiven(1));
    assert_eq!(forgive(Cents(0)), Ledger::new());
}

#[test]
fn a_cancellation_at_the_end_of_what_is_paid_cuts_nothing_off_and_is_dated_there() {
    let stored = company("canceled").0.current.unwrap().row;
    for end_at in [Some(paid_end()), None] {
        let ended = project(Subscription { end_at, ..stored.clone() }, paid_end(), None);
        assert_eq!((ended.row.status, ended.row.end_at), (Status::Expired, Some(paid_end())));
        assert!(!ended.passed[0].credits_rest, "{end_at:?}");
    }
}
