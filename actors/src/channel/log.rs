//! The newest events of one channel, in order and without a gap, and which of them a reader still needs.
//!
//! Owned by the channel's session. Pure: no clock, no database. Invariant: the ring holds every sequence number from
//! its first to the head.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::envelope::{ResetReason, Since};
use crate::messages::Position;

/// Events in the ring at most. The oldest are dropped first; the database keeps them for a day.
pub const RING_EVENTS: usize = 256;
/// Bytes of all events in the ring at most, unless a single event is larger.
const RING_BYTES: usize = 256 * 1024;
/// A reader that missed more events than this gets a snapshot, which is smaller than the replay.
pub const REPLAY_LIMIT: usize = 256;

#[derive(Debug)]
pub struct ChannelLog<T> {
    head: Position,
    ring: VecDeque<Entry<T>>,
    /// The size of all entries in the ring.
    bytes: usize,
}

#[derive(Debug)]
struct Entry<T> {
    seq: i64,
    bytes: usize,
    item: T,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    Next,
    /// At or below the head: nothing was appended.
    Duplicate,
    /// An event between the head and this one is missing: nothing was appended.
    Gap,
    /// The event belongs to another epoch: nothing was appended.
    OtherEpoch,
}

/// How a reader catches up. `live` follows in each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUp {
    /// Send the events after this sequence number.
    Replay { after: i64 },
    /// Send the state, after a reset when the reader holds something that it must drop.
    Snapshot { reset: Option<ResetReason> },
    /// The ring does not reach back so far: read the events after this sequence number from the database, then decide
    /// again.
    ReadEvents { after: i64 },
    /// The reader claims a position ahead of the log: read the head from the database, then decide again.
    ReadHead,
}

/// Whether the database was read for this reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseRead {
    NotYet,
    /// It was. The events read begin after this sequence number; none when the database had no event.
    Done {
        reaches: Option<i64>,
    },
}

impl DatabaseRead {
    /// Where it was read: the events of that read begin after this sequence number.
    pub fn reaching(self, reaches: Option<i64>) -> Self {
        match self {
            Self::NotYet => Self::NotYet,
            Self::Done { .. } => Self::Done { reaches },
        }
    }
}

impl<T> ChannelLog<T> {
    /// An empty log whose next event follows `head`.
    pub fn new(head: Position) -> Self {
        Self { head, ring: VecDeque::new(), bytes: 0 }
    }

    pub fn epoch(&self) -> &Arc<str> {
        &self.head.epoch
    }

    /// The sequence number of the newest event.
    pub fn head(&self) -> i64 {
        self.head.seq
    }

    pub fn position(&self) -> &Position {
        &self.head
    }

    /// Appends the next event, which takes `bytes` of the ring.
    pub fn append(&mut self, epoch: &str, seq: i64, bytes: usize, item: T) -> Appended {
        if *epoch != *self.head.epoch {
            return Appended::OtherEpoch;
        }
        if seq <= self.head.seq {
            return Appended::Duplicate;
        }
        if seq != self.head.seq + 1 {
            return Appended::Gap;
        }
        self.head.seq = seq;
        self.bytes += bytes;
        self.ring.push_back(Entry { seq, bytes, item });
        while self.ring.len() > RING_EVENTS || (self.bytes > RING_BYTES && self.ring.len() > 1) {
            self.bytes -= self.ring.pop_front().map_or(0, |entry| entry.bytes);
        }
        Appended::Next
    }

    /// The ring holds every event after this sequence number.
    pub fn reaches(&self) -> i64 {
        self.ring.front().map_or(self.head.seq, |entry| entry.seq - 1)
    }

    /// The events after `seq`, oldest first; none when the ring does not reach back to it.
    pub fn after(&self, seq: i64) -> Option<impl Iterator<Item = (i64, &T)>> {
        let skip = usize::try_from(seq.saturating_sub(self.reaches())).ok()?;
        Some(self.ring.iter().skip(skip).map(|entry| (entry.seq, &entry.item)))
    }

    /// Decides how a reader that holds everything up to `since` catches up.
    pub fn catch_up(&self, since: Option<&Since>, database: DatabaseRead) -> CatchUp {
        let Some(since) = since else { return CatchUp::Snapshot { reset: None } };
        let reset = |reason| CatchUp::Snapshot { reset: Some(reason) };
        if *since.epoch != *self.head.epoch {
            return reset(ResetReason::Epoch);
        }
        let Ok(missed) = usize::try_from(self.head.seq.saturating_sub(since.seq)) else {
            return if database == DatabaseRead::NotYet {
                CatchUp::ReadHead
            } else {
                reset(ResetReason::Ahead)
            };
        };
        if missed > REPLAY_LIMIT || since.seq < 0 {
            return reset(ResetReason::Expired);
        }
        match database {
            _ if since.seq >= self.reaches() => CatchUp::Replay { after: since.seq },
            DatabaseRead::NotYet => CatchUp::ReadEvents { after: since.seq },
            DatabaseRead::Done { reaches: Some(reaches) } if since.seq >= reaches => {
                CatchUp::Replay { after: since.seq }
            }
            DatabaseRead::Done { .. } => reset(ResetReason::Expired),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn position(seq: i64) -> Position {
        Position { epoch: "e1".into(), seq }
    }

    fn log(head: i64, events: i64) -> ChannelLog<i64> {
        let mut log = ChannelLog::new(position(head - events));
        for seq in head - events + 1..=head {
            assert_eq!(log.append("e1", seq, 10, seq), Appended::Next);
        }
        log
    }

    fn since(epoch: &str, seq: i64) -> Option<Since> {
        Some(Since { epoch: epoch.into(), seq })
    }

    #[test]
    fn how_a_reader_catches_up_follows_the_table() {
        use CatchUp::{ReadEvents, ReadHead, Replay, Snapshot};
        use ResetReason::{Ahead, Epoch, Expired};
        let log = log(1_000, 100);
        let done = |reaches| DatabaseRead::Done { reaches };
        let table = [
            (None, DatabaseRead::NotYet, Snapshot { reset: None }),
            (since("e1", 1_000), DatabaseRead::NotYet, Replay { after: 1_000 }),
            (since("e1", 950), DatabaseRead::NotYet, Replay { after: 950 }),
            (since("e1", 900), DatabaseRead::NotYet, Replay { after: 900 }),
            (since("e1", 899), DatabaseRead::NotYet, ReadEvents { after: 899 }),
            (since("e1", 899), done(Some(899)), Replay { after: 899 }),
            (since("e1", 899), done(Some(950)), Snapshot { reset: Some(Expired) }),
            (since("e1", 899), done(None), Snapshot { reset: Some(Expired) }),
            (since("e1", 500), DatabaseRead::NotYet, Snapshot { reset: Some(Expired) }),
            (since("e1", -1), DatabaseRead::NotYet, Snapshot { reset: Some(Expired) }),
            (since("e1", i64::MIN), DatabaseRead::NotYet, Snapshot { reset: Some(Expired) }),
            (since("e1", 1_001), DatabaseRead::NotYet, ReadHead),
            (since("e1", i64::MAX), DatabaseRead::NotYet, ReadHead),
            (since("e1", 1_001), done(None), Snapshot { reset: Some(Ahead) }),
            (since("e2", 1_000), DatabaseRead::NotYet, Snapshot { reset: Some(Epoch) }),
            (since("e2", 5_000), done(None), Snapshot { reset: Some(Epoch) }),
        ];
        for (since, database, expected) in table {
            assert_eq!(log.catch_up(since.as_ref(), database), expected, "{since:?} {database:?}");
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
    fn the_ring_holds_256_events() {
        assert_eq!(log(1_000, 256).reaches(), 744);
        assert_eq!(log(1_000, 300).reaches(), 744);
    }

    #[test]
    fn the_ring_is_bounded_in_bytes_too_and_keeps_the_newest() {
        let mut log = ChannelLog::new(position(0));
        for seq in 1..=20 {
            log.append("e1", seq, RING_BYTES / 4, seq);
        }
        assert_eq!(log.reaches(), 16);
        log.append("e1", 21, RING_BYTES * 2, 21);
        assert_eq!(log.reaches(), 20);
    }

    proptest! {
        #[test]
        fn a_reader_that_catches_up_never_has_a_gap(
            arrivals in prop::collection::vec((0_i64..40, 1_usize..60_000), 0..400),
            held in 0_i64..60,
        ) {
            let mut log = ChannelLog::new(position(0));
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
                let weight: usize = log.ring.iter().map(|entry| entry.bytes).sum();
                prop_assert!(weight == log.bytes && (weight <= RING_BYTES || log.ring.len() == 1));
            }
            let since = Since { epoch: "e1".into(), seq: held };
            match log.catch_up(Some(&since), DatabaseRead::NotYet) {
                CatchUp::Replay { after } => {
                    let seen: Vec<i64> = log.after(after).unwrap().map(|(seq, _)| seq).collect();
                    prop_assert_eq!(seen, (held + 1..=log.head()).collect::<Vec<_>>());
                }
                CatchUp::ReadEvents { after } => {
                    prop_assert_eq!(after, held);
                    prop_assert!(held < log.reaches());
                    prop_assert!(log.after(held).is_none());
                }
                CatchUp::ReadHead => prop_assert!(held > log.head()),
                CatchUp::Snapshot { reset } => {
                    prop_assert_eq!(reset, Some(ResetReason::Expired));
                    prop_assert!(log.head() - held > 256);
                }
            }
        }
    }
}
