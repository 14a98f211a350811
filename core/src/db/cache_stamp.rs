//! How long an answer about access may be used again. Called by the two caches of such answers:
//! `auth::session::recent` and the access of live sockets.
//!
//! Invariant: an answer is void after any commit of this node that changes what somebody may see, and after one of
//! another node as soon as this node hears of it.

use std::time::Duration;

use tokio::time::Instant;

use super::Db;

/// The moment before a question: what is committed later may be missing in its answer.
#[derive(Clone, Copy, Debug)]
pub struct CacheStamp {
    at: Instant,
    changes: u64,
}

impl CacheStamp {
    pub fn now(db: &Db) -> Self {
        Self { at: Instant::now(), changes: db.access_changes() }
    }

    /// Whether the answer still holds at another moment, if it may be used for so long.
    pub fn holds(self, now: Self, kept: Duration) -> bool {
        now.at.duration_since(self.at) < kept && self.changes == now.changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_for_less_than_its_time_and_until_something_changes() {
        let kept = Duration::from_secs(1);
        let stamp = CacheStamp { at: Instant::now(), changes: 3 };
        let later =
            |millis, changes| CacheStamp { at: stamp.at + Duration::from_millis(millis), changes };
        assert!(stamp.holds(later(999, 3), kept));
        assert!(!stamp.holds(later(1_000, 3), kept));
        assert!(!stamp.holds(later(0, 4), kept));
    }
}
