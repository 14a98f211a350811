//! Runs seeds on all threads, and makes the story of the one that breaks a rule as short as it gets. Knows nothing of
//! what is simulated.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::chance::Chance;

/// A rule that does not hold, and what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    pub rule: &'static str,
    pub detail: String,
}

/// Ends a run when the rule does not hold.
///
/// # Errors
/// The broken rule.
pub fn holds(
    is_so: bool,
    rule: &'static str,
    detail: impl FnOnce() -> String,
) -> Result<(), Broken> {
    if is_so { Ok(()) } else { Err(Broken { rule, detail: detail() }) }
}

/// What happened in a run: how often each thing that matters, and in words when a person will read it.
#[derive(Default)]
pub struct Story {
    pub counts: BTreeMap<&'static str, u64>,
    lines: Option<Vec<String>>,
}

impl Story {
    pub fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    pub fn tell(&mut self, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            lines.push(line());
        }
    }
}

/// A world that a list of operations drives. Any part of a list is a list that can be run, so that a story can be made
/// shorter by leaving operations out.
pub trait Simulation: Sync {
    type Operation: Clone + Send;

    fn name(&self) -> &'static str;

    fn operations(&self, chance: &mut Chance) -> Vec<Self::Operation>;

    /// # Errors
    /// The first rule that does not hold.
    fn run(&self, operations: &[Self::Operation], story: &mut Story) -> Result<(), Broken>;
}

/// A seed that breaks a rule, with the fewest operations that still break it.
pub struct Finding {
    pub simulation: &'static str,
    pub seed: u64,
    pub broken: Broken,
    /// Operations of the seed, and those that are left.
    pub operations: (usize, usize),
    pub story: Vec<String>,
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { simulation, seed, broken, operations: (all, left), story } = self;
        writeln!(f, "\n{simulation}: {}\n  {}\n", broken.rule, broken.detail)?;
        writeln!(f, "Seed {seed}, {left} of its {all} operations:")?;
        for line in story {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "\nRepeat it: SEED={seed} make simulate")
    }
}

fn tried<S: Simulation>(
    simulation: &S,
    operations: &[S::Operation],
    story: &mut Story,
) -> Result<(), Broken> {
    let run = AssertUnwindSafe(|| simulation.run(operations, story));
    catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Broken { rule: "nothing panics", detail: text.unwrap_or_default() })
    })
}

/// Runs the seeds; answers what happened in all of them.
///
/// # Errors
/// The lowest seed found to break a rule, made short.
pub fn search<S: Simulation>(
    simulation: &S,
    seeds: Range<u64>,
    threads: usize,
) -> Result<BTreeMap<&'static str, u64>, Box<Finding>> {
    let (next, end) = (AtomicU64::new(seeds.start), AtomicU64::new(seeds.end));
    let counts = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut story = Story::default();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end.load(Ordering::Relaxed) {
                        break;
                    }
                    let operations = simulation.operations(&mut Chance::of(seed));
                    if tried(simulation, &operations, &mut story).is_err() {
                        end.fetch_min(seed, Ordering::Relaxed);
                    }
                }
                for (what, count) in story.counts {
                    *counts.lock().unwrap().entry(what).or_default() += count;
                }
            });
        }
    });
    match end.into_inner() {
        none if none == seeds.end => Ok(counts.into_inner().unwrap()),
        seed => Err(Box::new(examine(simulation, seed).expect("a seed repeats what it did"))),
    }
}

/// Runs one seed; none when every rule holds.
pub fn examine<S: Simulation>(simulation: &S, seed: u64) -> Option<Finding> {
    let all = simulation.operations(&mut Chance::of(seed));
    let broken = tried(simulation, &all, &mut Story::default()).err()?;
    let left = shortest(simulation, all.clone(), broken.rule);
    let mut story = Story { lines: Some(Vec::new()), ..Story::default() };
    let broken = tried(simulation, &left, &mut story).err()?;
    Some(Finding {
        simulation: simulation.name(),
        seed,
        broken,
        operations: (all.len(), left.len()),
        story: story.lines.unwrap_or_default(),
    })
}

/// Leaves out operations, first many together and at last one by one, while the same rule is still broken.
fn shortest<S: Simulation>(
    simulation: &S,
    mut operations: Vec<S::Operation>,
    rule: &'static str,
) -> Vec<S::Operation> {
    let mut step = operations.len().div_ceil(2).max(1);
    loop {
        let (mut at, before) = (0, operations.len());
        while at < operations.len() {
            let mut fewer = operations.clone();
            fewer.drain(at..(at + step).min(operations.len()));
            let found = tried(simulation, &fewer, &mut Story::default());
            if found.is_err_and(|broken| broken.rule == rule) {
                operations = fewer;
            } else {
                at += step;
            }
        }
        match step {
            1 if operations.len() == before => return operations,
            1 => {}
            _ => step = step.div_ceil(2),
        }
    }
}
