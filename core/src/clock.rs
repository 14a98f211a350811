//! Time and randomness, handed to everything that needs them (invariant I6).
//!
//! `Clock` is cheap to clone; clones share one offset, so `POST /dev/clock` moves the server, its jobs
//! and its tokens together. The lints ban every other source of time and randomness.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use aws_lc_rs::digest;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// Where "now" and random bytes come from.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Source,
    /// Seconds that the development clock was moved ahead.
    offset: AtomicI64,
}

#[derive(Debug)]
enum Source {
    System,
    /// A clock that stands still until it is advanced, with bytes derived from a seed.
    Fixed {
        start: Timestamp,
        seed: u64,
        drawn: AtomicU64,
    },
}

impl Clock {
    /// The machine's clock and random bytes.
    pub fn system() -> Self {
        Self(Arc::new(Inner { source: Source::System, offset: AtomicI64::new(0) }))
    }

    /// A clock for tests and seeded data: it stands at `start` and draws the same bytes for the same seed.
    pub fn fixed(start: Timestamp, seed: u64) -> Self {
        let source = Source::Fixed { start, seed, drawn: AtomicU64::new(0) };
        Self(Arc::new(Inner { source, offset: AtomicI64::new(0) }))
    }

    /// The current instant, in microseconds as PostgreSQL keeps them.
    pub fn now(&self) -> Timestamp {
        let base = match &self.0.source {
            #[expect(clippy::disallowed_methods, reason = "the one place that reads the time")]
            Source::System => Timestamp::now(),
            Source::Fixed { start, .. } => *start,
        };
        let offset = SignedDuration::from_secs(self.0.offset.load(Ordering::Relaxed));
        let moved = base.checked_add(offset).unwrap_or(Timestamp::MAX);
        Timestamp::from_microsecond(moved.as_microsecond()).unwrap_or(moved)
    }

    /// The current instant in whole seconds: billing knows nothing finer.
    pub fn now_seconds(&self) -> Timestamp {
        let now = self.now();
        Timestamp::from_second(now.as_second()).unwrap_or(now)
    }

    /// Moves the clock forward; it never goes back. Returns the seconds it is ahead in all.
    pub fn advance(&self, seconds: u32) -> i64 {
        let seconds = i64::from(seconds);
        self.0.offset.fetch_add(seconds, Ordering::Relaxed).saturating_add(seconds)
    }

    /// Fills `bytes` with random bytes fit for secrets.
    ///
    /// # Panics
    /// When the operating system has no randomness: nothing secret can be made then.
    #[expect(
        clippy::expect_used,
        clippy::disallowed_methods,
        reason = "the one source of randomness"
    )]
    pub fn fill(&self, bytes: &mut [u8]) {
        match &self.0.source {
            Source::System => aws_lc_rs::rand::fill(bytes).expect("the system has randomness"),
            Source::Fixed { seed, drawn, .. } => {
                for chunk in bytes.chunks_mut(32) {
                    let count = drawn.fetch_add(1, Ordering::Relaxed);
                    let input = [seed.to_be_bytes(), count.to_be_bytes()].concat();
                    let block = digest::digest(&digest::SHA256, &input);
                    for (byte, random) in chunk.iter_mut().zip(block.as_ref()) {
                        *byte = *random;
                    }
                }
            }
        }
    }

    /// `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// A uniformly random number below `bound` (rejection sampling, so that no value is favoured).
    pub fn below(&self, bound: u32) -> u32 {
        let bound = bound.max(1);
        let limit = u32::MAX - u32::MAX % bound;
        loop {
            let value = u32::from_be_bytes(self.bytes());
            if value < limit {
                return value % bound;
            }
        }
    }

    /// A new UUIDv7 of this instant.
    pub fn uuid(&self) -> Uuid {
        let millis = u64::try_from(self.now().as_millisecond()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &self.bytes()).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_repeats_itself_and_moves_only_forward() {
        let start: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let (one, two) = (Clock::fixed(start, 7), Clock::fixed(start, 7));
        assert_eq!(one.uuid(), two.uuid());
        assert_ne!(one.uuid(), one.uuid());
        one.clone().advance(60);
        assert_eq!(one.now().to_string(), "2026-11-21T12:01:00Z");
    }
}
