//! Keeps the log from naming the same thing more than once a minute. Pure: times are arguments. Each owner keeps one
//! for what it names: a reason to refuse messages of the bus, the failures of NATS, events of newer builds.

use std::time::Duration;

use tokio::time::Instant;

/// From one line about a thing to the next, at least.
pub const LOG_EVERY: Duration = Duration::from_mins(1);

/// When the log named a thing last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastLogged(Option<Instant>);

impl LastLogged {
    pub const NEVER: Self = Self(None);

    /// Whether the log is to name it now; notes that it does.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.0.is_none_or(|at| now.duration_since(at) >= LOG_EVERY);
        if is_due {
            self.0 = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_named_once_a_minute() {
        let (mut logged, began) = (LastLogged::NEVER, Instant::now());
        let named = [0, 59, 60, 61, 119, 120]
            .map(|seconds| logged.is_due(began + Duration::from_secs(seconds)));
        assert_eq!(named, [true, false, true, false, false, true]);
    }
}
