//! Takes the events of one channel to all of its current readers, some readers at a time. Driven by the hub.
//!
//! A round visits the readers in the order of their ids and starts again at the lowest. An event that is added while
//! others are under way begins at the next reader to be visited and is done when the round is back there. A reader
//! that is visited once gets all of them in one frame. Invariant: every reader gets every event once and in order.

use std::collections::VecDeque;

use bipe_core::event::{Audience, Channel};

use super::inbox::Inbox;
use super::readers::{ChannelReaders, CurrentReader};
use crate::envelope::EventForms;
use crate::messages::{Position, Push, SocketId};

/// Events that may be under way at once; the next one waits in the hub's queue.
const MAX_EVENTS: usize = 64;

struct InFlight {
    seq: i64,
    forms: EventForms,
    /// Dropped when the event is done.
    _push: Option<Push>,
    /// The reader at which its visits began.
    from: SocketId,
    /// Every reader from `from` on was visited; those before it are not.
    is_past_end: bool,
}

pub struct DeliveryRound {
    channel: Channel,
    /// Oldest first; the oldest is the first to be done.
    events: VecDeque<InFlight>,
    /// The next visit is to this reader, or to the first one after it.
    at: SocketId,
}

impl DeliveryRound {
    pub fn new(channel: Channel) -> Self {
        Self { channel, events: VecDeque::new(), at: 0 }
    }

    pub fn has_room(&self) -> bool {
        self.events.len() < MAX_EVENTS
    }

    pub fn add(&mut self, seq: i64, forms: EventForms, push: Option<Push>) {
        let (from, is_past_end) = (self.at, false);
        self.events.push_back(InFlight { seq, forms, _push: push, from, is_past_end });
    }

    /// Every reader was visited with every event.
    pub fn is_over(&self) -> bool {
        self.events.is_empty()
    }

    /// Visits at most so many readers. Returns the sockets whose inbox was full, each with the channel that was reset.
    pub fn step(&mut self, readers: &mut ChannelReaders, most: usize) -> Vec<(SocketId, Channel)> {
        let (mut lagging, mut visited) = (Vec::new(), 0);
        for (socket, CurrentReader { inbox, audience }) in
            readers.current.range(self.at..).take(most)
        {
            self.at = *socket;
            finish(&mut self.events, self.at, &mut readers.head);
            for reset in self.visit(inbox, *audience) {
                lagging.push((*socket, reset));
            }
            self.at = socket + 1;
            visited += 1;
        }
        if visited < most {
            for event in &mut self.events {
                // At the end for the second time: the readers before `from` are gone, so none is missing.
                event.from = if event.is_past_end { 0 } else { event.from };
                event.is_past_end = true;
            }
            self.at = 0;
        }
        finish(&mut self.events, self.at, &mut readers.head);
        lagging
    }

    /// Puts the events into one inbox. Once this channel is reset there, later events must not follow the reset.
    fn visit(&self, inbox: &Inbox, audience: Audience) -> Vec<Channel> {
        let is_replaceable = self.channel == Channel::AdminMetrics;
        let mut resets = Vec::new();
        for InFlight { seq, forms, .. } in &self.events {
            let envelope = forms.seen_by(audience).clone();
            resets.extend(inbox.put_event(self.channel, *seq, is_replaceable, envelope));
            if resets.contains(&self.channel) {
                break;
            }
        }
        inbox.send();
        resets
    }
}

/// Removes the events that every reader has, and moves the head up to them.
fn finish(events: &mut VecDeque<InFlight>, at: SocketId, head: &mut Option<Position>) {
    while let Some(event) = events.front()
        && event.is_past_end
        && event.from <= at
    {
        if let Some(head) = head {
            head.seq = event.seq;
        }
        events.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use bipe_core::event::{Event, EventName, OperatorData};

    use super::*;
    use crate::worker::inbox::SocketOutput;

    fn forms(seq: i64) -> EventForms {
        EventForms::of_event(&Event {
            channel: Channel::Plans,
            epoch: "e1".into(),
            seq,
            name: EventName::PlanUpdated.into(),
            key: "k".into(),
            data: "{}".into(),
            operator_data: OperatorData::Same,
            cause: None,
            trace: None,
            at: "2026-11-21T12:00:00Z".parse().unwrap(),
        })
        .unwrap()
    }

    fn readers(count: u64) -> ChannelReaders {
        let reader = || CurrentReader { inbox: Rc::default(), audience: Audience::Finance };
        let current = (1..=count).map(|id| (id, reader())).collect();
        let head = Some(Position { epoch: "e1".into(), seq: 0 });
        ChannelReaders { current, head, ..ChannelReaders::default() }
    }

    /// The sequence numbers in an inbox, and the number of frames.
    fn received(inbox: &Inbox) -> (Vec<i64>, usize) {
        let (mut seqs, mut frames) = (Vec::new(), 0);
        while let Some(SocketOutput::Text(text)) = inbox.take() {
            let whole = if text.starts_with('[') { text.to_string() } else { format!("[{text}]") };
            let all: Vec<serde_json::Value> = serde_json::from_str(&whole).unwrap();
            seqs.extend(all.iter().filter_map(|envelope| envelope["seq"].as_i64()));
            frames += 1;
        }
        (seqs, frames)
    }

    #[test]
    fn an_event_added_under_way_reaches_every_reader_once_and_in_order() {
        for (at_second, at_third) in [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3), (1, 3), (3, 3)] {
            let (mut readers, mut round) = (readers(10), DeliveryRound::new(Channel::Plans));
            round.add(1, forms(1), None);
            for step in 0.. {
                for (at, seq) in [(at_second, 2), (at_third, 3)] {
                    if at == step {
                        round.add(seq, forms(seq), None);
                    }
                }
                if round.is_over() {
                    break;
                }
                round.step(&mut readers, 3);
            }
            for CurrentReader { inbox, .. } in readers.current.values() {
                assert_eq!(received(inbox).0, [1, 2, 3], "added at {at_second} and {at_third}");
            }
            assert_eq!(readers.head.as_ref().unwrap().seq, 3);
        }
    }

    #[test]
    fn a_reader_that_is_visited_once_gets_everything_in_one_frame() {
        let (mut readers, mut round) = (readers(4), DeliveryRound::new(Channel::Plans));
        (1..=3).for_each(|seq| round.add(seq, forms(seq), None));
        round.step(&mut readers, 256);
        assert!(round.is_over());
        let frames = readers.current.values().map(|CurrentReader { inbox, .. }| received(inbox));
        assert!(frames.into_iter().all(|received| received == (vec![1, 2, 3], 1)));
    }

    #[test]
    fn the_head_moves_only_when_every_reader_has_the_event() {
        let (mut readers, mut round) = (readers(6), DeliveryRound::new(Channel::Plans));
        round.add(1, forms(1), None);
        round.step(&mut readers, 3);
        assert_eq!(readers.head.as_ref().unwrap().seq, 0);
        round.step(&mut readers, 3);
        round.step(&mut readers, 3);
        assert_eq!(readers.head.as_ref().unwrap().seq, 1);
    }

    #[test]
    fn a_round_ends_although_its_readers_have_gone() {
        let (mut readers, mut round) = (readers(6), DeliveryRound::new(Channel::Plans));
        round.add(1, forms(1), None);
        round.step(&mut readers, 3);
        round.add(2, forms(2), None);
        readers.current.clear();
        for _ in 0..3 {
            round.step(&mut readers, 3);
        }
        assert!(round.is_over());
    }

    #[test]
    fn a_reader_that_was_reset_gets_no_more_of_the_round() {
        let (mut readers, mut round) = (readers(1), DeliveryRound::new(Channel::Plans));
        let inbox = readers.current[&1].inbox.clone();
        let full = "x".repeat(crate::worker::inbox::OUTBOX_BYTES - 400);
        let envelope = crate::envelope::Envelope::of(&full).unwrap();
        inbox.put_event(Channel::Plans, 0, false, envelope);
        (1..=9).for_each(|seq| round.add(seq, forms(seq), None));
        assert_eq!(round.step(&mut readers, 256), [(1, Channel::Plans)]);
        let Some(SocketOutput::Text(text)) = inbox.take() else { panic!("nothing is written") };
        assert!(text.contains(r#""type":"reset""#) && !text.contains(r#""seq""#), "{text}");
    }
}
