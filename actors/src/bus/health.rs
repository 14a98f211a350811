//! Whether messages of other nodes may be missing. Pure: times are arguments.
//!
//! Every node sends a beat whenever it sent nothing for 300 ms, and numbers all its messages. It hears itself too. So a
//! lost message is noticed by the next one's number, a silent server by the missing message, and a server that is cut off
//! from the others by the silence of the others. Invariant: after anything that may have lost a message, the bus is suspect.
//!
//! A node that vanishes without a word may be dead, or alone with the readers behind another part of a split bus. So the
//! bus stays suspect for long then, and also when no push ever brought what the head check has found.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

/// From one message of a node to the next, at most; then it sends a beat.
pub const BEAT_EVERY: Duration = Duration::from_millis(300);
/// Without a message for this long a node is late.
const LATE_AFTER: Duration = Duration::from_millis(600);
/// Without a message for this long a node is gone.
pub const GONE_AFTER: Duration = Duration::from_secs(6);
/// How long the bus stays suspect after messages may have been lost.
const SUSPECT_FOR: Duration = Duration::from_secs(30);
/// How long the bus stays suspect after a sign that it is split.
const SPLIT_FOR: Duration = Duration::from_mins(10);
/// Clocks of healthy machines differ by less.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(2);
/// Nodes that are remembered, at most.
pub const MAX_NODES: usize = 256;

/// What is known of the other nodes and of the bus.
#[derive(Debug)]
pub struct Health {
    own: Uuid,
    nodes: HashMap<Uuid, LastMessage>,
    suspect_since: Instant,
    suspect_until: Instant,
    suspicions: u64,
    /// Commits that were to be sent and were not: the next one's number tells the others.
    unsent: u64,
}

/// The last message of a node.
#[derive(Clone, Copy, Debug)]
struct LastMessage {
    number: u64,
    at: Instant,
}

impl Health {
    /// Suspect until the bus has proven itself: nobody knows what was missed before.
    pub fn new(own: Uuid, now: Instant) -> Self {
        let nodes = HashMap::from([(own, LastMessage { number: 0, at: now })]);
        let suspect_until = now + SUSPECT_FOR;
        Self { own, nodes, suspect_since: now, suspect_until, suspicions: 1, unsent: 0 }
    }

    /// A message has come, in the order of its node; whether it is new.
    pub fn receive(&mut self, node: Uuid, number: u64, now: Instant) -> bool {
        let Some(known) = self.nodes.get_mut(&node) else {
            // What it sent before is not known.
            self.suspect(now);
            if self.nodes.len() < MAX_NODES {
                self.nodes.insert(node, LastMessage { number, at: now });
            }
            return true;
        };
        if number <= known.number {
            return false;
        }
        let is_next = number == known.number + 1 || known.number == 0;
        *known = LastMessage { number, at: now };
        if !is_next {
            self.suspect(now);
        }
        true
    }

    /// A node said that it ends.
    pub fn remove(&mut self, node: Uuid) {
        self.nodes.retain(|known, _| *known != node || node == self.own);
    }

    /// Looks for silence; called every 300 ms.
    pub fn check_silence(&mut self, now: Instant) {
        let silence = |known: &LastMessage| now.duration_since(known.at);
        if self.nodes.values().any(|known| silence(known) > LATE_AFTER) {
            self.suspect(now);
        }
        let (own, before) = (self.own, self.nodes.len());
        self.nodes.retain(|node, known| *node == own || silence(known) < GONE_AFTER);
        if self.nodes.len() < before {
            self.suspect_for(SPLIT_FOR, now);
        }
    }

    /// Whether a message may be as old as that only because it waited for this node, which has not even heard itself
    /// since: the process, or its machine, stood still.
    pub fn may_have_waited(&self, age: Duration, now: Instant) -> bool {
        let waited = |own: &LastMessage| now.duration_since(own.at) + CLOCK_TOLERANCE;
        self.nodes.get(&self.own).is_some_and(|own| age <= waited(own))
    }

    /// The bus never brought what the head check has found.
    pub fn note_lost_push(&mut self, now: Instant) {
        self.suspect_for(SPLIT_FOR, now);
    }

    /// Something may have lost messages, here or on the way.
    pub fn suspect(&mut self, now: Instant) {
        self.suspect_for(SUSPECT_FOR, now);
    }

    fn suspect_for(&mut self, time: Duration, now: Instant) {
        if self.is_trusted(now) {
            self.suspicions += 1;
            self.suspect_since = now;
        }
        self.suspect_until = self.suspect_until.max(now + time);
    }

    /// A commit of this node was not sent.
    pub fn note_unsent(&mut self, now: Instant) {
        self.unsent += 1;
        self.suspect(now);
    }

    /// How many numbers the next message skips, so that the others notice.
    pub fn take_unsent(&mut self) -> u64 {
        std::mem::take(&mut self.unsent)
    }

    /// No message is missing, as far as a node can know.
    pub fn is_trusted(&self, now: Instant) -> bool {
        now >= self.suspect_until
    }

    /// Since when messages may be missing; none while the bus is trusted.
    pub fn suspect_since(&self, now: Instant) -> Option<Instant> {
        (!self.is_trusted(now)).then_some(self.suspect_since)
    }

    /// How often the bus became suspect.
    pub fn suspicions(&self) -> u64 {
        self.suspicions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In slightly more than `SUSPECT_FOR`.
    const BEATS: u64 = 101;

    /// A node that has heard itself for long enough to be trusted, and the time.
    fn trusted() -> (Health, Instant) {
        let (own, mut now) = (Uuid::from_u128(1), Instant::now());
        let mut health = Health::new(own, now);
        assert!(!health.is_trusted(now));
        for number in 1..=BEATS {
            now += BEAT_EVERY;
            assert!(health.receive(own, number, now));
            health.check_silence(now);
        }
        assert!(health.is_trusted(now));
        (health, now)
    }

    #[test]
    fn a_lost_message_is_noticed_by_the_next_number() {
        let (mut health, now) = trusted();
        let other = Uuid::from_u128(2);
        assert!(health.receive(other, 10, now));
        let now = now + SUSPECT_FOR;
        assert!(health.receive(other, 11, now));
        assert!(health.is_trusted(now));
        assert!(health.receive(other, 13, now));
        assert!(!health.is_trusted(now));
    }

    #[test]
    fn a_repeated_message_is_not_taken_again() {
        let (mut health, now) = trusted();
        let other = Uuid::from_u128(2);
        assert!(health.receive(other, 10, now));
        assert!(!health.receive(other, 10, now));
        assert!(!health.receive(other, 9, now));
        assert!(health.receive(other, 11, now));
    }

    #[test]
    fn a_node_that_was_never_heard_may_have_said_more() {
        let (mut health, now) = trusted();
        assert!(health.receive(Uuid::from_u128(2), 1, now));
        assert!(!health.is_trusted(now));
    }

    #[test]
    fn silence_of_the_server_or_of_another_node_is_noticed_within_a_second() {
        let (mut health, now) = trusted();
        health.check_silence(now + LATE_AFTER);
        assert!(health.is_trusted(now + LATE_AFTER));
        let late = now + LATE_AFTER + Duration::from_millis(1);
        health.check_silence(late);
        assert!(!health.is_trusted(late));
        assert!(LATE_AFTER + BEAT_EVERY < Duration::from_secs(1));

        let (mut health, now) = trusted();
        health.receive(Uuid::from_u128(2), 1, now);
        let now = now + SUSPECT_FOR;
        health.receive(Uuid::from_u128(1), BEATS + 1, now);
        health.receive(Uuid::from_u128(2), 2, now);
        assert!(health.is_trusted(now));
        let late = now + LATE_AFTER + BEAT_EVERY;
        health.receive(Uuid::from_u128(1), BEATS + 2, late);
        health.check_silence(late);
        assert!(!health.is_trusted(late), "the other node is silent");
    }

    #[test]
    fn a_node_that_vanished_is_waited_for_longer_than_one_that_left() {
        for (leaves, trusted_after) in [(true, SUSPECT_FOR), (false, GONE_AFTER + SPLIT_FOR)] {
            let (mut health, began) = trusted();
            health.receive(Uuid::from_u128(2), 1, began);
            if leaves {
                health.remove(Uuid::from_u128(2));
            }
            let mut now = began;
            let mut number = BEATS;
            while !health.is_trusted(now) {
                now += BEAT_EVERY;
                number += 1;
                health.receive(Uuid::from_u128(1), number, now);
                health.check_silence(now);
            }
            let waited = now - began;
            assert!(
                waited >= trusted_after && waited < trusted_after + 2 * BEAT_EVERY,
                "{waited:?}"
            );
        }
    }

    #[test]
    fn a_lost_push_is_a_sign_of_a_split_bus() {
        let (mut health, now) = trusted();
        health.note_lost_push(now);
        health.suspect(now);
        assert!(
            !health.is_trusted(now + SPLIT_FOR / 2),
            "a shorter reason does not end a longer one"
        );
        assert!(health.is_trusted(now + SPLIT_FOR));
        let later = now + SPLIT_FOR / 2;
        health.suspect(later);
        assert_eq!(health.suspect_since(later), Some(now), "since the first of the reasons");
        assert_eq!(health.suspect_since(now + SPLIT_FOR), None);
    }

    #[test]
    fn the_others_hear_of_what_this_node_did_not_send() {
        let (mut health, now) = trusted();
        health.note_unsent(now);
        health.note_unsent(now);
        assert!(!health.is_trusted(now));
        assert_eq!((health.take_unsent(), health.take_unsent()), (2, 0));
    }
}
