//! That the seeds break no rule, that planted defects are found, and that the web app has the same traces.

use bipe_simulator::assertions::{
    assert_is_found, assert_no_seed_breaks_a_rule, assert_seeds_of_environment,
};
use bipe_simulator::chance::Chance;
use bipe_simulator::search::{Simulation, Story};

use super::world::World;
use super::{LiveOrder, Planted};

/// `make reliability` and `make simulate` run more.
const SEEDS: u64 = 2_000;
/// Some defects need a rare order of things; the search ends where it finds one.
const PLANTED_SEEDS: u64 = 10_000;
/// The kept traces are those of the first twelve of these that are short and tell enough.
const TRACED_SEEDS: u64 = 8_000;

#[test]
fn no_seed_breaks_a_rule() {
    let floors = [
        ("committed", 5_300),
        ("connected", 5_300),
        ("event was shown", 6_000),
        ("snapshot was shown", 2_600),
        ("browser asked for what it missed", 90),
        ("reset: lagged", 90),
        ("reset: other", 240),
        ("message was lost", 800),
        ("head check found a gap", 30),
        ("failover", 640),
    ];
    assert_no_seed_breaks_a_rule(&LiveOrder(Planted::Nothing), SEEDS, &floors);
}

#[test]
fn what_is_broken_on_purpose_is_found_and_told_in_a_few_lines() {
    for planted in [
        Planted::NoHeadCheck,
        Planted::OneEpoch,
        Planted::OldEventsNewEpoch,
        Planted::SilentLoss,
        Planted::NoSecondRead,
    ] {
        assert_is_found(planted, &LiveOrder(planted), PLANTED_SEEDS);
    }
}

#[test]
#[ignore = "as many seeds as the environment says, by `make simulate`"]
fn the_seeds_of_the_environment_break_no_rule() {
    assert_seeds_of_environment(&LiveOrder(Planted::Nothing));
}

/// What the first browser of a seed received, and what it did.
fn trace(seed: u64) -> Vec<serde_json::Value> {
    let mut story = Story::default();
    let mut world = World::new(Planted::Nothing, &mut story);
    world.trace = Some(Vec::new());
    for act in LiveOrder(Planted::Nothing).operations(&mut Chance::of(seed)) {
        world.play(act).unwrap();
    }
    world.rest().unwrap();
    world.trace.take().unwrap()
}

/// Otherwise nobody could repeat what a seed has found.
#[test]
fn a_seed_does_the_same_every_time() {
    for seed in 0..200 {
        assert_eq!(trace(seed), trace(seed), "seed {seed}");
    }
}

/// `web/src/live/apply-event.test.ts` feeds the same frames to the real browser's side.
#[test]
fn the_web_has_the_traces_of_the_simulation() {
    let told = |trace: &[serde_json::Value], word: &str| {
        trace.iter().filter(|step| step["frame"]["type"] == word).count()
    };
    let traces: Vec<Vec<serde_json::Value>> = (0..TRACED_SEEDS)
        .map(trace)
        // A refused request is the connection's business.
        .filter(|trace| told(trace, "error") == 0 && told(trace, "event") > 1)
        .filter(|trace| told(trace, "reset") + told(trace, "heads") > 0)
        .filter(|trace| trace.iter().all(|step| step.to_string().len() < 2_000))
        .take(12)
        .collect();
    let known = include_str!("../../../../web/test/vectors/live_traces.json");
    if serde_json::from_str::<serde_json::Value>(known).unwrap() != serde_json::json!(traces) {
        let lines: Vec<String> =
            traces.iter().map(|trace| serde_json::json!(trace).to_string()).collect();
        let path = std::env::temp_dir().join("live_traces.json");
        std::fs::write(&path, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
        panic!("the traces changed: copy {} to web/test/vectors", path.display());
    }
}
