//! What became of the rows of a run, and how a row is run again.

use std::time::Duration;

use crate::figures::Figures;
use crate::row::Row;

/// The whole short run, on two cores.
const WHOLE: Duration = Duration::from_secs(600);

/// What became of a row.
pub struct Found {
    pub row: &'static Row,
    pub figures: Figures,
    /// Empty when the promise held and enough was tried.
    pub wrong: Vec<String>,
    pub seconds: f64,
}

/// A run, as the report tells it.
pub struct Run {
    pub seed: u64,
    pub hours: u64,
    pub found: Vec<Found>,
    pub seconds: f64,
}

impl Run {
    pub fn again(&self, row: &Row) -> String {
        let of = if self.hours == 0 {
            "make reliability".to_owned()
        } else {
            format!("make reliability-long HOURS={}", self.hours)
        };
        format!("{of} ONLY={} SEED={}", row.id, self.seed)
    }

    pub fn failed(&self) -> usize {
        self.found.iter().filter(|found| !found.wrong.is_empty()).count()
    }

    pub fn is_late(&self) -> bool {
        self.hours == 0 && self.seconds > WHOLE.as_secs_f64()
    }
}
