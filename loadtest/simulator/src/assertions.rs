//! What the tests of every simulation assert: that its seeds break no rule while enough happens in them, and that a
//! defect which is planted is found and told in a few lines. Called by the tests of each simulation.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::search::{Simulation, search};
use crate::seeds::{Seeds, count};

const THREADS: usize = 2;
/// The story of a defect is at most so many operations long.
const MAX_OPERATIONS: usize = 16;

/// Runs the seeds from 0 on, as many as named unless the environment asks for others, and says how many.
///
/// # Panics
/// When a seed breaks a rule, or something happened less often than its floor.
pub fn assert_no_seed_breaks_a_rule<S: Simulation>(
    simulation: &S,
    seeds: u64,
    floors: &[(&str, u64)],
) {
    let seeds = count(seeds);
    let counts = match search(simulation, 0..seeds, THREADS) {
        Ok(counts) => counts,
        Err(finding) => panic!("{finding}"),
    };
    assert_floors(&counts, floors);
    println!("figures: seeds={seeds}");
}

/// A world in which little happens proves little.
fn assert_floors(counts: &BTreeMap<&'static str, u64>, floors: &[(&str, u64)]) {
    println!("{counts:?}");
    for (what, least) in floors {
        let count = counts.get(what).copied().unwrap_or_default();
        assert!(count >= *least, "{what}: {count} of {least}");
    }
}

/// The search ends at the first seed that finds the planted defect.
///
/// # Panics
/// When none of the seeds does, or its story is long.
pub fn assert_is_found<S: Simulation>(planted: impl Debug, simulation: &S, seeds: u64) {
    let finding = search(simulation, 0..seeds, THREADS).expect_err("a planted defect is found");
    println!("{planted:?}{finding}");
    assert!(finding.operations.1 <= MAX_OPERATIONS, "{planted:?}{finding}");
}

/// For `make simulate`.
///
/// # Panics
/// When one of the environment's seeds breaks a rule.
pub fn assert_seeds_of_environment<S: Simulation>(simulation: &S) {
    if let Some(finding) = Seeds::of_environment().run(simulation) {
        panic!("{finding}");
    }
}
