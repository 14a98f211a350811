//! Why messages are refused, how often, and when the log should name a reason. Pure: times are arguments. Kept by
//! `bus_state.rs`.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::time::Instant;
use uuid::Uuid;

use crate::last_logged::LastLogged;

/// Why a message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The code is not of any of our keys.
    Forged,
    Malformed,
    /// The message is proven, and its time is not now.
    Stale(StaleClock),
    TooLong,
    /// The message is proven and of another version: its positions count, its events are left.
    Version,
}

/// What a message whose time is not now says of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleClock {
    pub node: Uuid,
    /// How far the message's time is ahead of this node's; negative when it is behind.
    pub ahead: SignedDuration,
}

impl StaleClock {
    /// None for a message from the future.
    pub fn age(self) -> Option<Duration> {
        self.ahead.is_negative().then(|| self.ahead.unsigned_abs())
    }
}

impl Refusal {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Forged => "forged",
            Self::Malformed => "malformed",
            Self::Stale(_) => "stale",
            Self::TooLong => "too_long",
            Self::Version => "version",
        }
    }

    /// The clock of the message's node, where the message is proven and only its time is wrong.
    pub fn stale(self) -> Option<StaleClock> {
        match self {
            Self::Stale(clock) => Some(clock),
            _ => None,
        }
    }

    /// A message of ours may be among those that are refused.
    pub fn may_hide_events(self) -> bool {
        self != Self::Version
    }

    /// For a person, without a capital and a full stop.
    pub fn meaning(self) -> String {
        match self {
            Self::Forged => "another BIPE_SECRET, or somebody else publishes on our subject".into(),
            Self::Malformed => "it is no message of Bipe".into(),
            Self::Stale(StaleClock { node, ahead }) => format!(
                "node {node} said it {} s {}: one of the clocks is wrong, or an old message is repeated",
                ahead.unsigned_abs().as_secs(),
                if ahead.is_negative() { "ago" } else { "in the future" }
            ),
            Self::TooLong => "it is longer than any message of Bipe".into(),
            Self::Version => "a newer build speaks: its events are read from the database".into(),
        }
    }
}

/// The messages of one reason since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    pub count: u64,
    /// When the last one came.
    pub last: Instant,
    /// The last one.
    pub refusal: Refusal,
    logged: LastLogged,
}

#[derive(Debug, Default)]
pub struct Refusals(BTreeMap<&'static str, Refused>);

impl Refusals {
    /// Counts one; true when the log should name it now.
    pub fn count(&mut self, refusal: Refusal, now: Instant) -> bool {
        let none = Refused { count: 0, last: now, refusal, logged: LastLogged::NEVER };
        let known = self.0.entry(refusal.as_str()).or_insert(none);
        (known.count, known.last, known.refusal) = (known.count + 1, now, refusal);
        known.logged.is_due(now)
    }

    /// By reason, in the order of the alphabet.
    pub fn list(&self) -> Vec<Refused> {
        self.0.values().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::last_logged::LOG_EVERY;

    #[test]
    fn each_reason_is_logged_once_a_minute_and_counted_every_time() {
        let (mut refusals, now) = (Refusals::default(), Instant::now());
        let clock = StaleClock { node: Uuid::from_u128(7), ahead: SignedDuration::from_mins(10) };
        let stale = Refusal::Stale(clock);
        assert!(refusals.count(Refusal::Forged, now));
        assert!(refusals.count(stale, now), "another reason");
        assert!(!refusals.count(Refusal::Forged, now + LOG_EVERY / 2));
        assert!(refusals.count(Refusal::Forged, now + LOG_EVERY));
        let list = refusals.list();
        let short = list.iter().map(|refused| (refused.refusal.as_str(), refused.count));
        assert_eq!(short.collect::<Vec<_>>(), [("forged", 3), ("stale", 1)]);
        let clocks = (list[0].refusal.stale(), list[1].refusal.stale());
        assert_eq!(clocks, (None, Some(clock)));
        assert_eq!(list[0].last, now + LOG_EVERY);
    }

    #[test]
    fn the_log_names_the_node_whose_clock_differs_and_by_how_much() {
        for (minutes, when) in [(10, "600 s in the future"), (-10, "600 s ago")] {
            let (node, ahead) = (Uuid::from_u128(7), SignedDuration::from_mins(minutes));
            let meaning = Refusal::Stale(StaleClock { node, ahead }).meaning();
            assert!(meaning.starts_with(&format!("node {node} said it {when}: ")), "{meaning}");
        }
    }
}
