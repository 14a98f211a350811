//! Proration matches the golden cases, and never gives back more than was paid.

use bipe_core::invoice::LineKind;
use bipe_core::money::Cents;
use bipe_core::subscription::period::Period;
use bipe_core::subscription::price_lines::lines;
use bipe_core::subscription::proration::{Segment, Settlement, close_all, prorated};
use jiff::Timestamp;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::run;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Input {
    #[serde(rename_all = "camelCase")]
    Change { period: Period, segments: Vec<Segment>, new_price: Cents, at: Timestamp, mode: Mode },
    #[serde(rename_all = "camelCase")]
    Chain { period: Period, first_paid: Cents, changes: Vec<Step> },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    SameCycle,
    NewAnchor,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
struct Step {
    at: Timestamp,
    new_price: Cents,
}

/// One change inside a period; opens its segment and answers (credit, debit).
fn change(period: Period, segments: &mut Vec<Segment>, step: &Step) -> (Cents, Cents) {
    let credit: Cents = close_all(segments, step.at).into_iter().sum();
    let debit = prorated(step.new_price, period, step.at);
    segments.push(Segment::open(Period { start: step.at, end: period.end }, debit));
    (credit, debit)
}

#[test]
fn proration_matches_the_vectors() {
    run(include_str!("../../vectors/proration.json"), 69, |input: Input| match input {
        Input::Change { period, mut segments, new_price, at, mode } => {
            let credits = close_all(&mut segments, at);
            let credit: Cents = credits.iter().copied().sum();
            let debit = match mode {
                Mode::SameCycle => prorated(new_price, period, at),
                Mode::NewAnchor => new_price,
            };
            assert_lines_add_up(debit, credit);
            json!({
                "T": period.seconds(), "R": period.remaining(at),
                "credits": credits, "credit": credit, "debit": debit,
                "net": Settlement::of(debit, credit, Cents::ZERO).net, "segmentsAfter": segments,
            })
        }
        Input::Chain { period, first_paid, changes } => {
            let mut segments = vec![Segment::open(period, first_paid)];
            let mut total = first_paid;
            let steps: Vec<Value> = changes
                .iter()
                .map(|step| {
                    let (credit, debit) = change(period, &mut segments, step);
                    assert_lines_add_up(debit, credit);
                    total += debit - credit;
                    json!({"credit": credit, "debit": debit, "net": debit - credit})
                })
                .collect();
            json!({
                "steps": steps, "totalPaid": total, "exactUsage": exact_usage(period, first_paid, &changes),
            })
        }
    });
}

/// The lines that a person reads, of this change and any balance around the turning points, add up to the total.
fn assert_lines_add_up(debit: Cents, credit: Cents) {
    for near in [Cents::ZERO, debit - credit, credit - debit, debit, Cents(0) - credit] {
        for off in [-51, -50, -49, -1, 0, 1, 49, 50, 51] {
            let settlement = Settlement::of(debit, credit, near + Cents(off));
            let shown = lines(LineKind::Prorated, debit, credit, &settlement);
            let sum: Cents = shown.iter().map(|line| line.amount).sum();
            assert_eq!(
                sum, settlement.amount_due,
                "{debit:?} {credit:?} {settlement:?}: {shown:?}"
            );
        }
    }
}

/// The rational value of the time used at each price, as the vectors write it.
fn exact_usage(period: Period, first: Cents, changes: &[Step]) -> String {
    let (numerator, denominator) = usage(period, first, changes);
    let divisor = gcd(numerator.abs(), denominator);
    match denominator / divisor {
        1 => (numerator / divisor).to_string(),
        rest => format!("{}/{rest}", numerator / divisor),
    }
}

fn usage(period: Period, first: Cents, changes: &[Step]) -> (i128, i128) {
    let mut price = first;
    let mut from = period.start;
    let mut numerator = 0_i128;
    for step in changes {
        numerator += i128::from(price.0) * i128::from(step.at.as_second() - from.as_second());
        (price, from) = (step.new_price, step.at);
    }
    numerator += i128::from(price.0) * i128::from(period.end.as_second() - from.as_second());
    (numerator, i128::from(period.seconds()))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn instant(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

prop_compose! {
    fn chains()(
        start in 1_700_000_000_i64..1_900_000_000,
        length in 86_400_i64..31_700_000,
        first in 0_i64..1_000_000,
        cuts in prop::collection::vec((0_i64..1_000_000, 0_i64..1_000_000), 1..8),
    ) -> (Period, Cents, Vec<Step>) {
        let period = Period { start: instant(start), end: instant(start + length) };
        let mut steps: Vec<Step> = cuts
            .into_iter()
            .map(|(share, price)| Step {
                at: instant(start + length * share / 1_000_000),
                new_price: Cents(price),
            })
            .collect();
        steps.sort_by_key(|step| step.at);
        (period, Cents(first), steps)
    }
}

proptest! {
    #[test]
    fn a_second_upgrade_credits_what_was_really_debited((period, first, steps) in chains()) {
        let mut segments = vec![Segment::open(period, first)];
        let mut total = first;
        for step in &steps {
            let open = segments.last().unwrap().paid;
            let (credit, debit) = change(period, &mut segments, step);
            prop_assert!(Cents::ZERO <= credit && credit <= open);
            prop_assert!(Cents::ZERO <= debit && debit <= step.new_price);
            total += debit - credit;
        }
        for segment in &segments {
            prop_assert!(Cents::ZERO <= segment.credited && segment.credited <= segment.paid);
        }
        // Two lines a change, each off by half a centavo at most. A credit is a share of a debit that
        // was rounded before, so that earlier rounding counts once more, scaled down.
        let (numerator, denominator) = usage(period, first, &steps);
        let off = (i128::from(total.0) * denominator - numerator).abs();
        prop_assert!(off <= i128::try_from(2 * steps.len()).unwrap() * denominator / 2 + denominator);
    }

    #[test]
    fn a_clamped_start_never_shortens_the_denominator(
        (period, _, _) in chains(), price in 0_i64..1_000_000, share in 0_i64..1_000_000,
    ) {
        let at = instant(period.start.as_second() + period.seconds() * share / 1_000_000);
        let (left, whole) =
            (period.end.as_second() - at.as_second(), period.end.as_second() - period.start.as_second());
        let off = i128::from(prorated(Cents(price), period, at).0) * i128::from(whole)
            - i128::from(price) * i128::from(left);
        prop_assert!(2 * off.abs() <= i128::from(whole));
        prop_assert_eq!(prorated(Cents(price), period, period.start), Cents(price));
        prop_assert_eq!(prorated(Cents(price), period, period.end), Cents::ZERO);
    }

    #[test]
    fn the_same_price_again_costs_nothing((period, first, _) in chains(), share in 0_i64..1_000_000) {
        let at = instant(period.start.as_second() + period.seconds() * share / 1_000_000);
        let mut segments = vec![Segment::open(period, first)];
        let (credit, debit) = change(period, &mut segments, &Step { at, new_price: first });
        prop_assert_eq!(credit, debit);
    }

    #[test]
    fn the_balance_moves_by_credit_less_debit_plus_what_was_paid(
        debit in 0_i64..10_000_000, credit in 0_i64..10_000_000, balance in -49_i64..10_000_000,
    ) {
        let (debit, credit, balance) = (Cents(debit), Cents(credit), Cents(balance));
        let settled = Settlement::of(debit, credit, balance);
        prop_assert_eq!(settled.balance_after - balance, credit - debit + settled.amount_due);
        prop_assert!(settled.balance_after > Cents(-50));
        prop_assert!(settled.amount_due == Cents::ZERO || settled.amount_due >= Cents(50));
    }
}
