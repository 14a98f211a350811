//! The database of the simulation: one channel's committed events, and the histories that failovers have left behind.

use std::sync::Arc;

use bipe_core::event::{Event, EventName, Head, OperatorData};
use jiff::Timestamp;

use super::node::CHANNEL;
use crate::channel::catch_up::{Read, RequiredReads, Snapshot};
use crate::channel::log::REPLAY_LIMIT;
use crate::envelope::{EventForms, snapshot};

struct Committed {
    id: u64,
    bytes: usize,
}

pub struct Table {
    /// The committed events of each history; the last one is the database's.
    histories: Vec<Vec<Committed>>,
    last_id: u64,
    /// Broken on purpose: the epoch does not contain the history.
    pub has_one_epoch: bool,
}

impl Table {
    pub fn new(has_one_epoch: bool) -> Self {
        Self { histories: vec![Vec::new()], last_id: 0, has_one_epoch }
    }

    fn newest(&self) -> &Vec<Committed> {
        self.histories.last().unwrap()
    }

    pub fn ids(&self) -> Vec<u64> {
        self.newest().iter().map(|committed| committed.id).collect()
    }

    /// The events of the history that an epoch names.
    pub fn ids_of(&self, epoch: &str) -> Vec<u64> {
        if self.has_one_epoch {
            return self.ids();
        }
        let history: usize = epoch[1..].parse().unwrap();
        self.histories[history].iter().map(|committed| committed.id).collect()
    }

    pub fn epoch(&self) -> Arc<str> {
        let history = if self.has_one_epoch { 0 } else { self.histories.len() - 1 };
        format!("e{history}").into()
    }

    pub fn head(&self) -> Head {
        let seq = i64::try_from(self.newest().len()).unwrap();
        Head { channel: CHANNEL, epoch: self.epoch(), seq }
    }

    pub fn fail_over(&mut self, forgotten: usize) {
        let kept = self.newest().len().saturating_sub(forgotten);
        let copied = |committed: &Committed| Committed { ..*committed };
        self.histories.push(self.newest().iter().take(kept).map(copied).collect());
    }

    /// So many events in one transaction, as they leave it.
    pub fn commit(&mut self, events: usize, bytes: usize, now: Timestamp) -> Vec<Event> {
        let before = self.head().seq;
        for _ in 0..events {
            self.last_id += 1;
            let id = self.last_id;
            self.histories.last_mut().unwrap().push(Committed { id, bytes });
        }
        self.since(before, now)
    }

    fn since(&self, after: i64, now: Timestamp) -> Vec<Event> {
        (after + 1..=self.head().seq).map(|seq| self.event(seq, now)).collect()
    }

    fn event(&self, seq: i64, at: Timestamp) -> Event {
        let Committed { id, bytes } = &self.newest()[usize::try_from(seq - 1).unwrap()];
        let data = format!(r#"{{"id":{id},"x":"{}"}}"#, "x".repeat(*bytes));
        Event {
            channel: CHANNEL,
            epoch: self.epoch(),
            seq,
            name: EventName::PlanUpdated.into(),
            key: id.to_string(),
            data: data.into(),
            operator_data: OperatorData::Same,
            cause: None,
            trace: None,
            at,
        }
    }

    /// As `catch_up::read` reads it.
    pub fn read(&self, needs: RequiredReads, now: Timestamp) -> Read {
        self.read_after(self.head(), needs, now)
    }

    /// What is read after the head may be newer.
    pub fn read_after(&self, head: Head, needs: RequiredReads, now: Timestamp) -> Read {
        let limit = i64::try_from(REPLAY_LIMIT).unwrap();
        let after = needs.after.map(|after| after.max(head.seq - limit).max(0));
        let events = after.map(|after| self.since(after, now)).unwrap_or_default();
        let snapshot = needs.snapshot.then(|| self.snapshot(&head, now));
        Read { head, events, snapshot }
    }

    fn snapshot(&self, head: &Head, read_at: Timestamp) -> Snapshot {
        let data = format!(r#"{{"ids":{:?}}}"#, self.ids());
        let full = snapshot(head.channel, &head.epoch, head.seq, &data).unwrap();
        let forms = EventForms { full, restricted: None };
        Snapshot { epoch: head.epoch.clone(), seq: head.seq, forms, read_at }
    }
}
