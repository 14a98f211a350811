//! Billing periods: every boundary is computed from one immutable anchor.
//!
//! Called by pricing, by the clock of a subscription and by the jobs. A boundary never comes from the boundary before
//! it. So periods follow each other without gap or overlap, and after February an anchor of 31 January is the 31st
//! again.

use jiff::civil::DateTime;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};

use crate::brazil;

/// The wall time in America/Sao_Paulo from which all boundaries of a paid subscription are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Anchor(pub DateTime);

impl Anchor {
    /// An anchor at an instant, in whole seconds.
    pub fn at(instant: Timestamp) -> Self {
        Self(brazil::local(whole_seconds(instant)))
    }

    /// The instant `months` after the anchor: the same wall time on the anchor's day, or on the last
    /// day of a shorter month.
    pub fn boundary(self, months: i32) -> Timestamp {
        let span = Span::new().try_months(months).unwrap_or_default();
        brazil::instant(self.0.saturating_add(span))
    }

    /// The period of `step` months that begins `month` months after the anchor.
    pub fn period(self, month: i32, step: i32) -> Period {
        Period { start: self.boundary(month), end: self.boundary(month.saturating_add(step)) }
    }
}

/// `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    pub start: Timestamp,
    pub end: Timestamp,
}

impl Period {
    /// The real length in seconds.
    pub fn seconds(self) -> i64 {
        self.end.as_second() - self.start.as_second()
    }

    /// Seconds left at `at`, between 0 and the whole period.
    pub fn remaining(self, at: Timestamp) -> i64 {
        (self.end.as_second() - at.as_second()).clamp(0, self.seconds())
    }
}

/// Billing instants are whole seconds: the fraction of a clock reading is dropped.
pub fn whole_seconds(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}

/// Whole days until an instant, rounded up; 0 once it has passed.
pub fn days_until(end: Timestamp, now: Timestamp) -> i64 {
    let left = (end.as_second() - now.as_second()).max(0);
    left.div_euclid(86_400) + i64::from(left % 86_400 > 0)
}
