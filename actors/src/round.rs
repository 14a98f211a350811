//! One channel's events on their way round its members, some members at a time. Called by the hub alone.
//!
//! An event that comes while others are under way joins where they are and goes round from there, so that a
//! socket that is visited once is told all of them in one frame. Invariant: a member is told every event once and
//! in order, whatever joined in between.

use std::collections::VecDeque;
use std::sync::Arc;

use bipe_core::event::Channel;

use crate::envelope::Forms;
use crate::inbox::Inbox;
use crate::live::SocketId;
use crate::readers::Side;

/// Events that may be under way at once; the next one waits in the hub's queue.
const MOST_EVENTS: usize = 64;

/// An event, and the member with which its round began.
struct InFlight {
    seq: i64,
    forms: Forms,
    from: SocketId,
    /// Every member from `from` on was told; the ones before it are missing.
    is_past_end: bool,
}

pub struct Round {
    channel: Channel,
    /// Oldest first; the oldest is the first to have been everywhere.
    events: VecDeque<InFlight>,
    /// The next member to be visited: this one or the first behind it.
    at: SocketId,
}

impl Round {
    pub fn new(channel: Channel) -> Self {
        Self { channel, events: VecDeque::new(), at: 0 }
    }

    pub fn has_room(&self) -> bool {
        self.events.len() < MOST_EVENTS
    }

    pub fn add(&mut self, seq: i64, forms: Forms) {
        self.events.push_back(InFlight { seq, forms, from: self.at, is_past_end: false });
    }

    /// Every event has been everywhere.
    pub fn is_over(&self) -> bool {
        self.events.is_empty()
    }

    /// Visits at most so many members. Returns whose queue was full, each with the channel that was reset.
    pub fn step(&mut self, side: &mut Side, most: usize) -> Vec<(SocketId, Channel)> {
        let (mut lagging, mut visited) = (Vec::new(), 0);
        for (socket, (inbox, finance)) in side.members.range(self.at..).take(most) {
            self.at = *socket;
            land(&mut self.events, self.at, &mut side.head);
            for lost in self.visit(inbox, *finance) {
                lagging.push((*socket, lost));
            }
            self.at = socket + 1;
            visited += 1;
        }
        if visited < most {
            for event in &mut self.events {
                // Past the end a second time: whoever stood before `from` is gone.
                event.from = if event.is_past_end { 0 } else { event.from };
                event.is_past_end = true;
            }
            self.at = 0;
        }
        land(&mut self.events, self.at, &mut side.head);
        lagging
    }

    /// Tells one member; once the channel itself is reset, the rest would be news after the end.
    fn visit(&self, inbox: &Inbox, finance: bool) -> Vec<Channel> {
        let latest = self.channel == Channel::AdminMetrics;
        let mut lost = Vec::new();
        for InFlight { seq, forms, .. } in &self.events {
            let envelope = forms.seen_by(finance).clone();
            lost.extend(inbox.event(self.channel, *seq, latest, envelope));
            if lost.contains(&self.channel) {
                break;
            }
        }
        lost
    }
}

/// Lets go of what has been everywhere; only then is it the head that sockets are told of.
fn land(events: &mut VecDeque<InFlight>, at: SocketId, head: &mut Option<(Arc<str>, i64)>) {
    while let Some(event) = events.front()
        && event.is_past_end
        && event.from <= at
    {
        if let Some((_, head)) = head {
            *head = event.seq;
        }
        events.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use bipe_core::event::{Event, EventName};

    use super::*;
    use crate::inbox::Out;

    fn forms(seq: i64) -> Forms {
        Forms::of_event(&Event {
            channel: Channel::Plans,
            epoch: "e1".into(),
            seq,
            name: EventName::PlanUpdated,
            key: "k".into(),
            data: "{}".into(),
            finance_only: false,
            cause: None,
            at: "2026-11-21T12:00:00Z".parse().unwrap(),
        })
        .unwrap()
    }

    fn side(members: u64) -> Side {
        let members = (1..=members).map(|id| (id, (Rc::default(), true))).collect();
        Side { members, head: Some(("e1".into(), 0)), ..Side::default() }
    }

    /// The sequence numbers that a member was told, and in how many frames.
    fn told(inbox: &Inbox) -> (Vec<i64>, usize) {
        let (mut seqs, mut frames) = (Vec::new(), 0);
        while let Some(Out::Text(text)) = inbox.take() {
            let whole = if text.starts_with('[') { text.to_string() } else { format!("[{text}]") };
            let all: Vec<serde_json::Value> = serde_json::from_str(&whole).unwrap();
            seqs.extend(all.iter().filter_map(|envelope| envelope["seq"].as_i64()));
            frames += 1;
        }
        (seqs, frames)
    }

    #[test]
    fn who_joins_under_way_comes_to_everybody_once_and_in_order() {
        for (at_second, at_third) in [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3), (1, 3), (3, 3)] {
            let (mut side, mut round) = (side(10), Round::new(Channel::Plans));
            round.add(1, forms(1));
            for step in 0.. {
                for (at, seq) in [(at_second, 2), (at_third, 3)] {
                    if at == step {
                        round.add(seq, forms(seq));
                    }
                }
                if round.is_over() {
                    break;
                }
                round.step(&mut side, 3);
            }
            for (inbox, _) in side.members.values() {
                assert_eq!(told(inbox).0, [1, 2, 3], "joined at {at_second} and {at_third}");
            }
            assert_eq!(side.head.as_ref().unwrap().1, 3);
        }
    }

    #[test]
    fn a_member_that_is_visited_once_is_told_everything_in_one_frame() {
        let (mut side, mut round) = (side(4), Round::new(Channel::Plans));
        (1..=3).for_each(|seq| round.add(seq, forms(seq)));
        round.step(&mut side, 256);
        assert!(round.is_over());
        let frames = side.members.values().map(|(inbox, _)| told(inbox));
        assert!(frames.into_iter().all(|told| told == (vec![1, 2, 3], 1)));
    }

    #[test]
    fn the_head_is_told_only_when_everybody_has_it() {
        let (mut side, mut round) = (side(6), Round::new(Channel::Plans));
        round.add(1, forms(1));
        round.step(&mut side, 3);
        assert_eq!(side.head.as_ref().unwrap().1, 0);
        round.step(&mut side, 3);
        round.step(&mut side, 3);
        assert_eq!(side.head.as_ref().unwrap().1, 1);
    }

    #[test]
    fn a_round_ends_although_its_members_have_gone() {
        let (mut side, mut round) = (side(6), Round::new(Channel::Plans));
        round.add(1, forms(1));
        round.step(&mut side, 3);
        round.add(2, forms(2));
        side.members.clear();
        for _ in 0..3 {
            round.step(&mut side, 3);
        }
        assert!(round.is_over());
    }

    #[test]
    fn a_member_that_was_reset_hears_no_more_of_the_round() {
        let (mut side, mut round) = (side(1), Round::new(Channel::Plans));
        let inbox = side.members.get(&1).unwrap().0.clone();
        let full = "x".repeat(crate::inbox::OUTBOX_BYTES - 400);
        let envelope = crate::envelope::Envelope::of(&full).unwrap();
        inbox.answer(Channel::Plans, vec![envelope]);
        (1..=9).for_each(|seq| round.add(seq, forms(seq)));
        assert_eq!(round.step(&mut side, 256), [(1, Channel::Plans)]);
        let Some(Out::Text(text)) = inbox.take() else { panic!("nothing is written") };
        assert!(text.contains(r#""type":"reset""#) && !text.contains(r#""seq""#), "{text}");
    }
}
