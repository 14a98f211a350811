//! What a channel's session remembers: the newest events in a ring, the head, and what a reader is answered.
//!
//! Pure: no clock, no database. Invariant: the ring holds every sequence number from its first to the head,
//! so whatever is read out of it is gapless.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::envelope::{ResetReason, Since};

/// Bounds of the ring; a busy channel forgets sooner, the database keeps a day.
pub const RING_EVENTS: usize = 256;
pub const RING_BYTES: usize = 256 * 1024;
/// A reader that missed more than this is better off with a snapshot.
pub const REPLAY_LIMIT: usize = 256;

#[derive(Debug)]
pub struct ChannelLog<T> {
    epoch: Arc<str>,
    head: i64,
    ring: VecDeque<(i64, usize, T)>,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    Next,
    /// At or below the head.
    Duplicate,
    /// Something between the head and this one is missing: nothing was appended.
    Gap,
    /// Another history: nothing was appended.
    OtherEpoch,
}

/// What a reader is answered, before the closing `live`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The events after this sequence number.
    Replay { after: i64 },
    /// The state, preceded by a reset when the reader held something else.
    Snapshot { reset: Option<ResetReason> },
    /// The database knows more than the ring: read what follows, then ask again with `Asked::Done`.
    ReadBack { after: i64 },
    /// The reader claims more than we know: read the head, then ask again with `Asked::Done`.
    ReadHead,
}

/// Whether the database was asked for this reader already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    NotYet,
    /// It was; older events that it still has begin after this sequence number.
    Done {
        reaches: Option<i64>,
    },
}

impl<T> ChannelLog<T> {
    pub fn new(epoch: Arc<str>, head: i64) -> Self {
        Self { epoch, head, ring: VecDeque::new(), bytes: 0 }
    }

    pub fn epoch(&self) -> &Arc<str> {
        &self.epoch
    }

    pub fn head(&self) -> i64 {
        self.head
    }

    /// Takes the next event; `bytes` is what it weighs in the ring.
    pub fn append(&mut self, epoch: &str, seq: i64, bytes: usize, item: T) -> Appended {
        if *epoch != *self.epoch {
            return Appended::OtherEpoch;
        }
        if seq <= self.head {
            return Appended::Duplicate;
        }
        if seq != self.head + 1 {
            return Appended::Gap;
        }
        self.head = seq;
        self.bytes += bytes;
        self.ring.push_back((seq, bytes, item));
        while self.ring.len() > RING_EVENTS || (self.bytes > RING_BYTES && self.ring.len() > 1) {
            self.bytes -= self.ring.pop_front().map_or(0, |(_, bytes, _)| bytes);
        }
        Appended::Next
    }

    /// The ring holds everything after this sequence number.
    pub fn reaches(&self) -> i64 {
        self.ring.front().map_or(self.head, |(seq, ..)| seq - 1)
    }

    /// The events after `seq`, oldest first; none when the ring no longer reaches back to it.
    pub fn after(&self, seq: i64) -> Option<impl Iterator<Item = (i64, &T)>> {
        let skip = usize::try_from(seq.saturating_sub(self.reaches())).ok()?;
        Some(self.ring.iter().skip(skip).map(|(seq, _, item)| (*seq, item)))
    }

    /// Decides what a reader is answered who holds `since`.
    pub fn answer(&self, since: Option<&Since>, asked: Asked) -> Answer {
        let Some(since) = since else { return Answer::Snapshot { reset: None } };
        let reset = |reason| Answer::Snapshot { reset: Some(reason) };
        if *since.epoch != *self.epoch {
            return reset(ResetReason::Epoch);
        }
        let Ok(missed) = usize::try_from(self.head.saturating_sub(since.seq)) else {
            return if asked == Asked::NotYet {
                Answer::ReadHead
            } else {
                reset(ResetReason::Ahead)
            };
        };
        if missed > REPLAY_LIMIT || since.seq < 0 {
            return reset(ResetReason::Expired);
        }
        match asked {
            _ if since.seq >= self.reaches() => Answer::Replay { after: since.seq },
            Asked::NotYet => Answer::ReadBack { after: since.seq },
            Asked::Done { reaches: Some(reaches) } if since.seq >= reaches => {
                Answer::Replay { after: since.seq }
            }
            Asked::Done { .. } => reset(ResetReason::Expired),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn log(head: i64, events: i64) -> ChannelLog<i64> {
        let mut log = ChannelLog::new("e1".into(), head - events);
        for seq in head - events + 1..=head {
            assert_eq!(log.append("e1", seq, 10, seq), Appended::Next);
        }
        log
    }

    fn since(epoch: &str, seq: i64) -> Option<Since> {
        Some(Since { epoch: epoch.into(), seq })
    }

    #[test]
    fn what_a_reader_is_answered_follows_the_table() {
        use Answer::{ReadBack, ReadHead, Replay, Snapshot};
        use ResetReason::{Ahead, Epoch, Expired};
        let log = log(1_000, 100);
        let done = |reaches| Asked::Done { reaches };
        let table = [
            (None, Asked::NotYet, Snapshot { reset: None }),
            (since("e1", 1_000), Asked::NotYet, Replay { after: 1_000 }),
            (since("e1", 950), Asked::NotYet, Replay { after: 950 }),
            (since("e1", 900), Asked::NotYet, Replay { after: 900 }),
            (since("e1", 899), Asked::NotYet, ReadBack { after: 899 }),
            (since("e1", 899), done(Some(899)), Replay { after: 899 }),
            (since("e1", 899), done(Some(950)), Snapshot { reset: Some(Expired) }),
            (since("e1", 899), done(None), Snapshot { reset: Some(Expired) }),
            (since("e1", 500), Asked::NotYet, Snapshot { reset: Some(Expired) }),
            (since("e1", -1), Asked::NotYet, Snapshot { reset: Some(Expired) }),
            (since("e1", i64::MIN), Asked::NotYet, Snapshot { reset: Some(Expired) }),
            (since("e1", 1_001), Asked::NotYet, ReadHead),
            (since("e1", i64::MAX), Asked::NotYet, ReadHead),
            (since("e1", 1_001), done(None), Snapshot { reset: Some(Ahead) }),
            (since("e2", 1_000), Asked::NotYet, Snapshot { reset: Some(Epoch) }),
            (since("e2", 5_000), done(None), Snapshot { reset: Some(Epoch) }),
        ];
        for (since, asked, expected) in table {
            assert_eq!(log.answer(since.as_ref(), asked), expected, "{since:?} {asked:?}");
        }
    }

    #[test]
    fn a_gap_a_repeat_and_another_epoch_append_nothing() {
        let mut log = log(10, 5);
        assert_eq!(log.append("e1", 12, 1, 12), Appended::Gap);
        assert_eq!(log.append("e1", 10, 1, 10), Appended::Duplicate);
        assert_eq!(log.append("e2", 11, 1, 11), Appended::OtherEpoch);
        assert_eq!(log.head(), 10);
        assert_eq!(log.append("e1", 11, 1, 11), Appended::Next);
    }

    #[test]
    fn the_ring_is_bounded_in_bytes_too_and_keeps_the_newest() {
        let mut log = ChannelLog::new("e1".into(), 0);
        for seq in 1..=20 {
            log.append("e1", seq, RING_BYTES / 4, seq);
        }
        assert_eq!(log.reaches(), 16);
        log.append("e1", 21, RING_BYTES * 2, 21);
        assert_eq!(log.reaches(), 20);
    }

    proptest! {
        #[test]
        fn a_reader_that_follows_the_answers_never_has_a_gap(
            arrivals in prop::collection::vec((0_i64..40, 1_usize..60_000), 0..400),
            held in 0_i64..60,
        ) {
            let mut log = ChannelLog::new("e1".into(), 0);
            for (ahead, bytes) in arrivals {
                // Mostly the next one, now and then a repeat or one from ahead.
                let seq = if ahead < 36 { log.head() + 1 } else { log.head() + ahead - 37 };
                let before = log.head();
                match log.append("e1", seq, bytes, seq) {
                    Appended::Next => prop_assert_eq!(log.head(), before + 1),
                    _ => prop_assert_eq!(log.head(), before),
                }
                let all: Vec<i64> = log.after(log.reaches()).unwrap().map(|(seq, _)| seq).collect();
                prop_assert_eq!(all, (log.reaches() + 1..=log.head()).collect::<Vec<_>>());
                let weight: usize = log.ring.iter().map(|(_, bytes, _)| bytes).sum();
                prop_assert!(weight == log.bytes && (weight <= RING_BYTES || log.ring.len() == 1));
            }
            let since = Since { epoch: "e1".into(), seq: held };
            match log.answer(Some(&since), Asked::NotYet) {
                Answer::Replay { after } => {
                    let seen: Vec<i64> = log.after(after).unwrap().map(|(seq, _)| seq).collect();
                    prop_assert_eq!(seen, (held + 1..=log.head()).collect::<Vec<_>>());
                }
                Answer::ReadBack { after } => {
                    prop_assert_eq!(after, held);
                    prop_assert!(held < log.reaches());
                    prop_assert!(log.after(held).is_none());
                }
                Answer::ReadHead => prop_assert!(held > log.head()),
                Answer::Snapshot { reset } => {
                    prop_assert_eq!(reset, Some(ResetReason::Expired));
                    prop_assert!(log.head() - held > 256);
                }
            }
        }
    }
}
