//! When sockets come back that were lost or told to leave: as the browser does (`web/src/live/reconnect.ts`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::time::Instant;

/// The longest pause after the first loss.
pub const BASE: Duration = Duration::from_millis(500);
/// No pause is longer.
pub const CAP: Duration = Duration::from_secs(30);
const SPREAD: Duration = Duration::from_secs(5);
/// Close codes of a server that shuts down: everybody leaves at once, so everybody waits for a share of the spread.
const SHUTTING_DOWN: std::ops::Range<u16> = 4200..4300;

/// Sockets by the time of their next connection.
#[derive(Default)]
pub struct Comeback {
    due: BinaryHeap<Reverse<(Instant, usize)>>,
    random: RandomState,
    drawn: u64,
}

impl Comeback {
    /// A socket that ended; so many tries failed before.
    pub fn after_loss(&mut self, at: usize, close_code: u16, attempts: u32, now: Instant) {
        let longest = if SHUTTING_DOWN.contains(&close_code) {
            SPREAD
        } else {
            (BASE * 2_u32.pow(attempts.min(16))).min(CAP)
        };
        self.drawn += 1;
        let share = u32::try_from(self.random.hash_one(self.drawn) % 1_000).unwrap_or_default();
        self.due.push(Reverse((now + longest * share / 1_000, at)));
    }

    /// A socket that the server told to leave.
    pub fn after_notice(&mut self, at: usize, when: Instant) {
        self.due.push(Reverse((when, at)));
    }

    /// The next socket whose time has come.
    pub fn next(&mut self, now: Instant) -> Option<usize> {
        let Reverse((when, at)) = *self.due.peek()?;
        if when > now {
            return None;
        }
        self.due.pop();
        Some(at)
    }
}
