//! What the head check found before a push brought it. A push that still comes was slow, as on a busy machine; one that
//! does not was lost, and the bus may be split. Pure: times are arguments. Kept by `Bus`.

use std::collections::HashMap;

use bipe_core::event::{Channel, Head};
use tokio::time::Instant;

use super::health::GONE_AFTER;

/// Channels that are remembered, at most.
const MAX_CHANNELS: usize = 4_096;

/// By channel the first head whose push is awaited, and since when.
#[derive(Debug, Default)]
pub struct Repairs(HashMap<Channel, (Head, Instant)>);

impl Repairs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn add(&mut self, head: Head, now: Instant) {
        if self.0.len() < MAX_CHANNELS {
            self.0.entry(head.channel).or_insert((head, now));
        }
    }

    /// A push has brought the channel up to here.
    pub fn bring(&mut self, channel: Channel, epoch: &str, seq: i64) {
        let is_awaited = |(head, _): &(Head, Instant)| *head.epoch == *epoch && head.seq <= seq;
        if self.0.get(&channel).is_some_and(is_awaited) {
            self.0.remove(&channel);
        }
    }

    /// Forgets the pushes that have not come for as long as a silent node counts; whether there was one.
    pub fn take_lost(&mut self, now: Instant) -> bool {
        let before = self.0.len();
        self.0.retain(|_, (_, since)| now.duration_since(*since) < GONE_AFTER);
        self.0.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(channel: Channel, seq: i64) -> Head {
        Head { channel, epoch: "one".into(), seq }
    }

    #[test]
    fn a_push_that_comes_late_was_slow_and_one_that_never_comes_was_lost() {
        let (mut repairs, now) = (Repairs::default(), Instant::now());
        for channel in [Channel::Plans, Channel::AdminActivity] {
            repairs.add(head(channel, 5), now);
        }
        repairs.bring(Channel::Plans, "one", 4);
        repairs.bring(Channel::Plans, "another", 5);
        repairs.bring(Channel::AdminActivity, "one", 6);
        assert!(!repairs.take_lost(now + GONE_AFTER / 2), "they may still come");
        assert!(repairs.take_lost(now + GONE_AFTER), "what was said of plans");
        assert!(repairs.is_empty() && !repairs.take_lost(now + GONE_AFTER));
    }

    #[test]
    fn a_second_repair_does_not_prolong_the_wait_for_the_first() {
        let (mut repairs, now) = (Repairs::default(), Instant::now());
        repairs.add(head(Channel::Plans, 5), now);
        repairs.add(head(Channel::Plans, 6), now + GONE_AFTER / 2);
        assert!(repairs.take_lost(now + GONE_AFTER));
        assert!(repairs.is_empty());
    }
}
