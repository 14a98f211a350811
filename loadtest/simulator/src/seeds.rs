//! Which seeds somebody wants to run, from flags or the environment, and their long run with its progress.

use std::num::NonZero;

use clap::Parser;

use crate::search::{Finding, Simulation, examine, search};

/// Seeds between two lines of progress.
const TOLD_EVERY: u64 = 50_000;

#[derive(Parser)]
#[command(about = "Bipe's rules in virtual time, from seeds")]
pub struct Seeds {
    /// How many seeds
    #[arg(long, env = "SEEDS", default_value_t = 1_000_000)]
    seeds: u64,
    /// The first seed
    #[arg(long, env = "FROM", default_value_t = 0)]
    from: u64,
    /// Runs this seed alone
    #[arg(long, env = "SEED")]
    seed: Option<u64>,
}

/// How many seeds a test runs: its own number, or what `make reliability` asks for.
///
/// # Panics
/// When the environment has something else than a number there.
#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
pub fn count(own: u64) -> u64 {
    let asked = std::env::var("BIPE_SEEDS").ok();
    asked.map_or(own, |text| text.parse().expect("BIPE_SEEDS is a number"))
}

impl Seeds {
    pub fn of_environment() -> Self {
        Self::parse_from([""])
    }

    /// Runs them; answers the first that breaks a rule.
    pub fn run<S: Simulation>(&self, simulation: &S) -> Option<Finding> {
        if let Some(seed) = self.seed {
            let found = examine(simulation, seed);
            if found.is_none() {
                println!("{}: seed {seed} breaks no rule", simulation.name());
            }
            return found;
        }
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let (mut from, end) = (self.from, self.from.saturating_add(self.seeds));
        while from < end {
            let to = end.min(from.saturating_add(TOLD_EVERY));
            match search(simulation, from..to, threads) {
                Ok(counts) => {
                    println!(
                        "{}: seeds {from} to {to} break no rule. {counts:?}",
                        simulation.name()
                    );
                }
                Err(found) => return Some(*found),
            }
            from = to;
        }
        None
    }
}
