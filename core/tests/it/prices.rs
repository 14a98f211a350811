//! What the golden quotes do not say of a price: its lines, its limits, and what is no longer sold. The companies are
//! those of the state table.

use bipe_core::error::{Code, Error};
use bipe_core::id::PlanId;
use bipe_core::invoice::LineKind;
use bipe_core::money::Cents;
use bipe_core::payment_method::Method;
use bipe_core::subscription::preview::{Transition, Warning, price};
use bipe_core::subscription::price_lines::lines;
use bipe_core::subscription::projection::project;
use bipe_core::subscription::proration::Settlement;
use bipe_core::subscription::target::Target;
use bipe_core::subscription::{ChangeType, Status, Subscription};
use uuid::Uuid;

use crate::state_table::{BASIC, FREE, PRO, company, target};

fn code(refused: Option<Error>) -> Option<Code> {
    refused.map(|error| error.code())
}

#[test]
fn the_rest_of_a_period_is_shown_as_a_part_and_a_whole_one_as_the_plan() {
    for (state, plan, kind) in [
        ("none", BASIC, LineKind::Plan),
        ("due", PRO, LineKind::Plan),
        ("active", PRO, LineKind::Prorated),
    ] {
        let (input, _, now) = company(state);
        let lines = price(&input, &target(plan), now).unwrap().lines();
        assert_eq!(lines[0].kind, kind, "{state}");
    }
}

#[test]
fn each_part_of_an_amount_due_has_a_line() {
    use LineKind::{Carried, CarriedOver, CreditKept, CreditUsed, Prorated, ProratedCredit};
    for (debit, credit, balance, expected) in [
        (0, 0, 0, &[][..]),
        (50, 0, 0, &[(Prorated, 50)]),
        (49, 0, 0, &[(Prorated, 49), (Carried, -49)]),
        (3_000, 0, -700, &[(Prorated, 3_000), (CarriedOver, 700)]),
        (3_000, 1_000, 500, &[(Prorated, 3_000), (ProratedCredit, -1_000), (CreditUsed, -500)]),
        (3_000, 1_000, 5_000, &[(Prorated, 3_000), (ProratedCredit, -1_000), (CreditUsed, -2_000)]),
        (1_000, 3_000, 700, &[(Prorated, 1_000), (ProratedCredit, -3_000), (CreditKept, 2_000)]),
    ] {
        let settlement = Settlement::of(Cents(debit), Cents(credit), Cents(balance));
        let shown = lines(Prorated, Cents(debit), Cents(credit), &settlement);
        let shown: Vec<_> = shown.iter().map(|line| (line.kind, line.amount.0)).collect();
        assert_eq!(shown, expected, "{debit} - {credit}, balance {balance}");
    }
}

#[test]
fn a_boleto_is_offered_from_its_smallest_amount_on() {
    let smallest = *Method::BankSlip.rules().amounts.start();
    let (input, _, now) = company("none");
    for (cents, is_warned) in [(smallest - Cents(1), true), (smallest, false)] {
        let choice = Target { price: cents, ..target(BASIC) };
        let pricing = price(&input, &choice, now).unwrap();
        assert_eq!(pricing.amount_due(), cents);
        assert_eq!(pricing.warnings.contains(&Warning::BoletoUnavailable), is_warned, "{cents}");
    }
}

#[test]
fn another_free_plan_takes_the_place_of_a_free_one_and_the_same_one_is_refused() {
    let (input, _, now) = company("free");
    let other = Target { plan_id: PlanId(Uuid::from_u128(99)), ..target(FREE) };
    let pricing = price(&input, &other, now).unwrap();
    assert_eq!((pricing.change_type, pricing.transition), (ChangeType::Other, Transition::Lateral));
    let again = price(&input, &target(FREE), now);
    assert_eq!(code(again.err()), Some(Code::ChangeNotAllowed));
}

#[test]
fn what_is_no_longer_sold_can_be_renewed_and_not_bought() {
    let withdrawn = |plan| Target { is_on_sale: false, ..target(plan) };
    for state in ["due", "suspended", "active in the window"] {
        let (input, _, now) = company(state);
        assert!(price(&input, &withdrawn(BASIC), now).is_ok(), "{state}");
        let other = price(&input, &withdrawn(PRO), now);
        assert_eq!(code(other.err()), Some(Code::PlanNotAvailable), "{state}");
    }
    let (input, _, now) = company("none");
    let first = price(&input, &withdrawn(BASIC), now);
    assert_eq!(code(first.err()), Some(Code::PlanNotAvailable));
}

#[test]
fn a_suspended_row_that_is_paid_again_is_active() {
    let (input, _, now) = company("active");
    let row = input.current.unwrap().row;
    let stored = Subscription { status: Status::Suspended, ..row.clone() };
    assert_eq!(project(stored, now, None).row, row);
}
