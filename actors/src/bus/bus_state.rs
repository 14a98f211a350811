//! What a node knows of the bus and of the other nodes, and how a message or a silence changes it. Pure: times are
//! arguments. Kept by `nodes.rs`, which locks it, wakes the relay and publishes the figures.
//!
//! Invariant: what is refused changes nothing but the trust and the count of what is refused.

use jiff::SignedDuration;
use tokio::time::Instant;
use uuid::Uuid;

use super::health::Health;
use super::message::Message;
use super::node_state::{OtherNodes, bounded};
use super::refusals::{Refusal, Refusals, StaleClock};

/// What one node knows of the bus and of the other nodes.
pub struct BusState {
    own: Uuid,
    pub health: Health,
    pub others: OtherNodes,
    pub refusals: Refusals,
    /// Messages that did not fit into a queue, or that NATS did not take.
    pub dropped: u64,
    pub is_connected: bool,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveOutcome {
    /// It was heard before.
    Repeated,
    New,
    /// Its node was not live before: it knows nothing of this one.
    FromNewNode,
}

impl BusState {
    pub fn new(own: Uuid, now: Instant) -> Self {
        Self {
            own,
            health: Health::new(own, now),
            others: OtherNodes::default(),
            refusals: Refusals::default(),
            dropped: 0,
            is_connected: false,
        }
    }

    pub fn receive(
        &mut self,
        message: &Message,
        clock_ahead: SignedDuration,
        now: Instant,
    ) -> ReceiveOutcome {
        if !self.health.receive(message.node, message.number, now) {
            return ReceiveOutcome::Repeated;
        }
        if message.leaving {
            self.health.remove(message.node);
            self.others.remove(message.node);
            return ReceiveOutcome::New;
        }
        let state = message.state.clone();
        if message.node != self.own && self.others.hear(message.node, clock_ahead, state, now) {
            return ReceiveOutcome::FromNewNode;
        }
        ReceiveOutcome::New
    }

    /// Counts a refused message; true when the log should name the reason now. None for one that is late because this
    /// node stood still: it says nothing of a clock, and is left without a word.
    pub fn refuse(&mut self, refusal: Refusal, now: Instant) -> Option<bool> {
        if refusal.may_hide_events() {
            self.health.suspect(now);
        }
        let age = refusal.stale().and_then(StaleClock::age);
        let is_late = age.is_some_and(|age| self.health.may_have_waited(age, now));
        (!is_late).then(|| self.refusals.count(refusal, now))
    }

    pub fn forget_silent(&mut self, now: Instant) {
        self.health.check_silence(now);
        self.others.forget_silent(now);
    }

    /// With this node.
    pub fn live(&self, now: Instant) -> u32 {
        bounded(self.others.live(now)).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;

    use super::super::health::{BEAT_EVERY, GONE_AFTER};
    use super::*;

    const OWN: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    fn hear(
        state: &mut BusState,
        (node, number): (Uuid, u64),
        leaving: bool,
        now: Instant,
    ) -> ReceiveOutcome {
        let message = Message {
            node,
            number,
            sent_at: Timestamp::UNIX_EPOCH,
            leaving,
            state: None,
            is_foreign: false,
            parts: Vec::new(),
        };
        state.receive(&message, SignedDuration::ZERO, now)
    }

    /// The time goes on, while this node hears itself alone.
    fn beat_on(state: &mut BusState, began: Instant, seconds: u64) -> Instant {
        let last = seconds * 1_000 / 300;
        let at = |number: u64| began + BEAT_EVERY * u32::try_from(number).unwrap();
        for number in 1..=last {
            hear(state, (OWN, number), false, at(number));
            state.forget_silent(at(number));
        }
        at(last)
    }

    #[test]
    fn a_node_that_vanished_counts_for_six_seconds_and_is_listed_for_a_minute() {
        let began = Instant::now();
        let mut state = BusState::new(OWN, began);
        assert_eq!(hear(&mut state, (OTHER, 1), false, began), ReceiveOutcome::FromNewNode);
        assert_eq!(hear(&mut state, (OTHER, 2), false, began), ReceiveOutcome::New);
        assert_eq!(hear(&mut state, (OTHER, 2), false, began), ReceiveOutcome::Repeated);
        assert_eq!(hear(&mut state, (OWN, 1), false, began), ReceiveOutcome::New);
        assert_eq!(state.live(began), 2, "this node is counted once");
        assert_eq!(state.live(began + GONE_AFTER / 2), 2);
        let now = beat_on(&mut state, began, 30);
        assert_eq!((state.live(now), state.others.list(now).len()), (1, 1));
        let now = beat_on(&mut state, began, 61);
        assert_eq!(state.others.list(now), []);
        assert_eq!(
            hear(&mut state, (OTHER, 3), false, now),
            ReceiveOutcome::FromNewNode,
            "it is back"
        );
        assert_eq!(hear(&mut state, (OTHER, 4), true, now), ReceiveOutcome::New);
        assert_eq!((state.live(now), state.others.list(now).len()), (1, 0));
    }

    #[test]
    fn a_refused_message_makes_the_bus_suspect_unless_its_positions_count() {
        for (refusal, is_trusted) in [
            (Refusal::Forged, false),
            (Refusal::Malformed, false),
            (Refusal::TooLong, false),
            (Refusal::Version, true),
        ] {
            let began = Instant::now();
            let mut state = BusState::new(OWN, began);
            let now = beat_on(&mut state, began, 31);
            assert!(state.health.is_trusted(now));
            assert_eq!(state.refuse(refusal, now), Some(true), "named in the log");
            assert_eq!(state.refuse(refusal, now), Some(false), "once");
            assert_eq!(state.health.is_trusted(now), is_trusted, "{refusal:?}");
            assert_eq!(state.refusals.list()[0].count, 2);
        }
    }

    #[test]
    fn what_waited_for_a_node_that_stood_still_says_nothing_of_a_clock() {
        let began = Instant::now();
        let mut state = BusState::new(OWN, began);
        let stale = |seconds| {
            let ahead = SignedDuration::from_secs(seconds);
            Refusal::Stale(StaleClock { node: OTHER, ahead })
        };
        let heard = beat_on(&mut state, began, 31);
        assert_eq!(state.refuse(stale(-90), heard), Some(true), "another clock");
        let awake = heard + Duration::from_mins(2);
        assert_eq!(state.refuse(stale(-120), awake), None, "said when this node stood still");
        assert_eq!(state.refuse(stale(-61), awake), None);
        assert_eq!(state.refuse(stale(-150), awake), Some(true), "said before");
        assert_eq!(state.refuse(stale(61), awake), Some(false), "of the future");
        assert_eq!(state.refusals.list()[0].count, 3);
        assert!(!state.health.is_trusted(awake));
    }
}
