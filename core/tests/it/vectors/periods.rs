//! Billing periods match the golden cases, and touch each other for every anchor.

use bipe_core::brazil;
use bipe_core::plan::BillingCycle;
use bipe_core::subscription::period::Anchor;
use jiff::Timestamp;
use jiff::civil::DateTime;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::run;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Input {
    Boundaries { anchor: DateTime, cycle: BillingCycle, from: i32, count: i32 },
    Period { anchor: DateTime, cycle: BillingCycle, index: i32 },
    Locate { anchor: DateTime, cycle: BillingCycle, at: Timestamp },
    Switch { anchor: DateTime, from: BillingCycle, index: i32, to: BillingCycle, count: i32 },
}

fn boundaries(anchor: Anchor, months: impl Iterator<Item = i32>) -> Value {
    let utc: Vec<Timestamp> = months.map(|month| anchor.boundary(month)).collect();
    let local: Vec<DateTime> = utc.iter().map(|at| brazil::local(*at)).collect();
    json!({"local": local, "utc": utc})
}

/// The index of the first period of `step` months that ends after the instant.
fn located(anchor: Anchor, step: i32, at: Timestamp) -> i32 {
    (-60..).find(|index| at < anchor.boundary((index + 1) * step)).unwrap()
}

#[test]
fn periods_match_the_vectors() {
    run(include_str!("../../vectors/periods.json"), 64, |input: Input| match input {
        Input::Boundaries { anchor, cycle, from, count } => {
            boundaries(Anchor(anchor), (from..from + count).map(|k| k * cycle.months()))
        }
        Input::Period { anchor, cycle, index } => {
            let step = cycle.months();
            let period = Anchor(anchor).period(index * step, step);
            json!({
                "startLocal": brazil::local(period.start), "endLocal": brazil::local(period.end),
                "startUtc": period.start, "endUtc": period.end, "seconds": period.seconds(),
            })
        }
        Input::Locate { anchor, cycle, at } => {
            let step = cycle.months();
            let index = located(Anchor(anchor), step, at);
            let period = Anchor(anchor).period(index * step, step);
            json!({"index": index, "startUtc": period.start, "endUtc": period.end})
        }
        Input::Switch { anchor, from, index, to, count } => {
            let end = (index + 1) * from.months();
            boundaries(Anchor(anchor), (0..count).map(|k| end + k * to.months()))
        }
    });
}

fn anchors() -> impl Strategy<Value = Anchor> {
    // 2000 to 2060, every second: through the years with daylight saving time
    (946_684_800_i64..2_840_140_800)
        .prop_map(|second| Anchor::at(Timestamp::from_second(second).unwrap()))
}

proptest! {
    #[test]
    fn periods_of_every_anchor_tile_without_gap_or_overlap(
        anchor in anchors(), step in prop::sample::select(vec![1, 3, 12]), first in 0_i32..120,
    ) {
        let mut last = anchor.period(first * step, step);
        for index in first + 1..first + 24 {
            let next = anchor.period(index * step, step);
            prop_assert_eq!(last.end, next.start);
            prop_assert!(next.start < next.end);
            let days = next.seconds() / 86_400;
            prop_assert!((27..=367).contains(&days));
            last = next;
        }
    }

    #[test]
    fn every_instant_lies_in_exactly_the_period_that_is_found(
        anchor in anchors(), step in prop::sample::select(vec![1, 3, 12]), after in 0_i64..500_000_000,
    ) {
        let start = anchor.boundary(0).as_second();
        let at = Timestamp::from_second(start + after).unwrap();
        let index = located(anchor, step, at);
        let period = anchor.period(index * step, step);
        prop_assert!(period.start <= at && at < period.end);
    }

    #[test]
    fn a_boundary_keeps_the_anchor_day_or_the_last_of_the_month(anchor in anchors(), months in 0_i32..600) {
        let wall = brazil::local(anchor.boundary(months));
        let shift = wall.day() != anchor.0.day().min(wall.date().days_in_month());
        // a skipped midnight moves the wall time by the length of the gap, never to another day
        prop_assert!(!shift, "{} + {months} months = {wall}", anchor.0);
    }
}
