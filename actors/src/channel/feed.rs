//! A channel's session without its actor: it owns the channel's log, answers hubs that join, and sends every event once
//! to each hub that reads the channel.
//!
//! Owned by the session. No clock, no timer, no database: `Todo` says what is to be done, and the session or the
//! simulation does it. Invariant: a hub gets every event after its answer, in order, or a reset.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;

use bipe_core::Result;
use bipe_core::event::{Channel, CommittedName, Event, Head};
use bipe_core::trace::Span;
use jiff::Timestamp;
use tokio::sync::mpsc::Sender;

use super::answer::{Answer, SNAPSHOT_LIFE, SessionMemory};
use super::catch_up::{Read, RequiredReads, Snapshot};
use super::log::{ChannelLog, DatabaseRead, RING_EVENTS};
use super::sequencer::{History, Sequencer};
use crate::envelope::{EventForms, ResetReason};
use crate::messages::{Delivery, HubId, Join, Position, Push, Reader, SessionRequest};

/// What the feed cannot do by itself.
#[derive(Debug)]
pub enum Todo {
    /// Read this from the database, then call `finish_read`.
    Read(RequiredReads),
    /// A hub's queue was full: call `retry` in a moment.
    Retry,
    /// A read failed: call `read_again` after a while.
    ReadAgain,
    /// An early event waits for the one it follows: call `end_wait` in a moment.
    WaitForEarlier,
    /// A snapshot was taken in: call `forget_snapshot` when it is old.
    ForgetSnapshot,
}

/// Called with the log's head and the names of its new events, before any hub is sent them.
pub type OnAppended = Box<dyn Fn(Option<&Position>, &[CommittedName])>;

/// The queue of a hub, and the last sequence number that was sent into it.
struct HubProgress {
    queue: Sender<Delivery>,
    sent: i64,
}

/// What became of a join.
enum Served {
    /// Answered or refused.
    Done,
    /// The hub's queue is full, or events before the answer are not yet sent.
    Later,
    /// The answer needs this from the database.
    Read(RequiredReads),
}

pub struct Feed {
    channel: Channel,
    on_appended: OnAppended,
    events: Sequencer,
    /// Of traced events that not every hub was sent, by sequence number.
    pushes: BTreeMap<i64, Push>,
    hubs: HashMap<HubId, HubProgress>,
    /// Joins without an answer yet, and whether the database was read for them.
    waiting: Vec<(Join, DatabaseRead)>,
    /// A read of the database is under way.
    reading: bool,
    /// The database is known to be ahead of the log.
    behind: bool,
    snapshot: Option<Snapshot>,
    /// `Todo::Retry` was asked for.
    retrying: bool,
    /// `Todo::ReadAgain` was asked for.
    reading_again: bool,
    /// Groups of requests so far.
    requests: u64,
    todo: Vec<Todo>,
}

impl Feed {
    pub fn new(channel: Channel, on_appended: OnAppended) -> Self {
        Self {
            channel,
            on_appended,
            events: Sequencer::default(),
            pushes: BTreeMap::new(),
            hubs: HashMap::new(),
            waiting: Vec::new(),
            reading: false,
            behind: false,
            snapshot: None,
            retrying: false,
            reading_again: false,
            requests: 0,
            todo: Vec::new(),
        }
    }

    /// What is to be done after any of the calls below.
    pub fn take_todo(&mut self) -> Vec<Todo> {
        mem::take(&mut self.todo)
    }

    /// The head that the log has reached; none until it was read.
    pub fn position(&self) -> Option<&Position> {
        self.events.log().map(ChannelLog::position)
    }

    /// Nobody reads the channel, and no hub asked for anything since `serve_requests` gave the number. Events do not
    /// count: a channel that nobody reads may have many.
    pub fn is_unused_since(&self, requests: u64) -> bool {
        self.hubs.is_empty() && self.waiting.is_empty() && self.requests == requests
    }

    /// Takes in committed events, in the order in which the relay received them.
    pub fn append(&mut self, events: Vec<Event>, now: Timestamp) {
        if self.events.log().is_none() && !self.reading {
            return; // Nobody has joined yet; the first join reads the head.
        }
        self.begin_pushes(&events);
        let appended = self.events.take(events);
        (self.on_appended)(self.position(), &appended);
        if self.events.log().is_some() && self.events.has_early() && !self.reading {
            self.todo.push(Todo::WaitForEarlier);
        }
        self.settle(now);
    }

    /// The early events have waited; those that still do are read from the database.
    pub fn end_wait(&mut self, now: Timestamp) {
        self.behind |= self.events.has_early();
        self.settle(now);
    }

    /// Serves the requests of hubs. A number for `is_unused_since` when the last hub has left.
    pub fn serve_requests(&mut self, requests: Vec<SessionRequest>, now: Timestamp) -> Option<u64> {
        self.requests += 1;
        let mut left = false;
        for request in requests {
            match request {
                SessionRequest::Join(join) => self.waiting.push((join, DatabaseRead::NotYet)),
                SessionRequest::Leave(hub) => {
                    self.hubs.remove(&hub);
                    self.waiting.retain(|(join, _)| join.hub != hub);
                    left = true;
                }
            }
        }
        self.settle(now);
        (left && self.hubs.is_empty()).then_some(self.requests)
    }

    /// This is the channel's head in the database.
    pub fn compare_head(&mut self, head: &Head, now: Timestamp) {
        if self.position().is_some_and(|position| position.is_behind(head)) {
            self.behind = true;
            self.settle(now);
        }
    }

    pub fn retry(&mut self, now: Timestamp) {
        self.retrying = false;
        self.settle(now);
    }

    /// Reads what the failed read was to bring, if somebody still waits for it.
    pub fn read_again(&mut self, now: Timestamp) {
        self.reading_again = false;
        self.behind |= self.events.log().is_some() && !self.hubs.is_empty();
        self.settle(now);
    }

    pub fn forget_snapshot(&mut self, now: Timestamp) {
        self.snapshot.take_if(|snapshot| snapshot.is_older(SNAPSHOT_LIFE, now));
    }

    /// Takes in what was read and answers every join that waited for it.
    pub fn finish_read(&mut self, read: Result<Read>, now: Timestamp) {
        self.reading = false;
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!(error = %error, "a channel cannot be read");
                return self.read_failed();
            }
        };
        let older = match read.forms() {
            Ok(older) => older,
            Err(error) => {
                tracing::error!(error = %error, "an event is not JSON");
                return self.read_failed();
            }
        };
        self.take_read(read);
        self.send_events();
        let reaches = older.first().map(|(seq, _)| seq - 1);
        for (join, database) in mem::take(&mut self.waiting) {
            // A join that came during the read did not ask for it: `settle` serves it.
            let database = match self.serve(&join, database.reaching(reaches), &older, now) {
                Served::Done => continue,
                // `older` is not kept: what the reader needs of it is read again when the queue has room.
                Served::Later if join.reader.is_some() => DatabaseRead::NotYet,
                Served::Later | Served::Read(_) => database,
            };
            self.waiting.push((join, database));
        }
        self.settle(now);
    }

    /// Refuses the readers that waited, so that their clients ask again. Who cannot be told is served by another read:
    /// a reader whose hub's queue is full, and a hub that only listens.
    fn read_failed(&mut self) {
        let mut waiting = mem::take(&mut self.waiting);
        waiting.retain_mut(|(join, database)| {
            *database = if join.reader.is_some() { DatabaseRead::NotYet } else { *database };
            !self.refuse(join)
        });
        self.waiting = waiting;
        if !self.reading_again {
            self.reading_again = true;
            self.todo.push(Todo::ReadAgain);
        }
    }

    /// Sends new events to the hubs, answers every join that can be answered, and asks for what is missing.
    fn settle(&mut self, now: Timestamp) {
        // A hub that has ended reads nothing any more: its queue would count as full for ever.
        self.hubs.retain(|_, hub| !hub.queue.is_closed());
        self.waiting.retain(|(join, _)| !join.queue.is_closed());
        let mut retry = self.send_events();
        let mut needs: Option<RequiredReads> = None;
        for (join, mut database) in mem::take(&mut self.waiting) {
            if self.reading && database != DatabaseRead::NotYet {
                // The read under way tells how far the database reaches: `finish_read` serves it.
                self.waiting.push((join, database));
                continue;
            }
            match self.serve(&join, database, &[], now) {
                Served::Done => continue,
                Served::Later => retry = true,
                Served::Read(need) if !self.reading => {
                    needs.get_or_insert_default().add(need);
                    database = DatabaseRead::Done { reaches: None };
                }
                // Served when the read under way has ended. The head, all that a hub alone asks for, comes with it.
                Served::Read(_) if join.reader.is_none() => {
                    database = DatabaseRead::Done { reaches: None };
                }
                Served::Read(_) => {}
            }
            self.waiting.push((join, database));
        }
        if self.behind && !self.reading {
            let after = self.events.log().map(ChannelLog::head);
            needs.get_or_insert_default().add(RequiredReads { after, snapshot: false });
        }
        if let Some(needs) = needs {
            self.reading = true;
            self.behind = false;
            self.todo.push(Todo::Read(needs));
        }
        if retry && !self.retrying {
            self.retrying = true;
            self.todo.push(Todo::Retry);
        }
    }

    /// Sends every hub the events that it has not been sent. True when a queue was full.
    fn send_events(&mut self) -> bool {
        let Some(log) = self.events.log() else { return false };
        let channel = self.channel;
        let mut is_full = false;
        for hub in self.hubs.values_mut() {
            let Some(events) = log.after(hub.sent) else {
                let (reason, head) = (ResetReason::Lagged, log.position().clone());
                match hub.queue.try_send(Delivery::Reset { channel, reason, head }) {
                    Ok(()) => hub.sent = log.head(),
                    Err(_full) => is_full = true,
                }
                continue;
            };
            for (seq, event) in events {
                let (name, forms) = (event.name.clone(), event.forms.clone());
                let push = self.pushes.get(&seq).cloned();
                let delivery = Delivery::Event { channel, seq, name, forms, push };
                if hub.queue.try_send(delivery).is_err() {
                    is_full = true;
                    break;
                }
                hub.sent = seq;
            }
        }
        if !is_full && !self.pushes.is_empty() {
            // Early events are yet to be sent.
            self.pushes = self.pushes.split_off(&log.head().saturating_add(1));
        }
        is_full
    }

    /// One span for each traced event, however many hubs and sockets it goes to.
    fn begin_pushes(&mut self, events: &[Event]) {
        let traced = events.iter().filter_map(|event| Some((event, event.trace?)));
        for (event, trace) in traced {
            if self.hubs.is_empty() || self.pushes.len() >= RING_EVENTS {
                return;
            }
            let push = Span::of_work("push", Some(trace));
            push.note_with("bipe.event", || event.name.as_str().to_owned());
            push.note_with("bipe.channel", || event.channel.stored());
            push.note("bipe.seq", event.seq);
            self.pushes.insert(event.seq, Arc::new(push));
        }
    }

    fn serve(
        &mut self,
        join: &Join,
        database: DatabaseRead,
        older: &[(i64, EventForms)],
        now: Timestamp,
    ) -> Served {
        let channel = self.channel;
        let Some(log) = self.events.log() else {
            let since = join.reader.as_ref().map(|reader| reader.since.as_ref());
            return Served::Read(RequiredReads {
                after: since.flatten().map(|since| since.seq),
                snapshot: since.is_some_and(|since| since.is_none()),
            });
        };
        // The answer ends at the head, so every event up to it is sent to the hub before. Without room nothing is read.
        let is_behind = self.hubs.get(&join.hub).is_some_and(|hub| hub.sent != log.head());
        if is_behind || join.queue.capacity() == 0 {
            return Served::Later;
        }
        let head = log.position().clone();
        let Some(reader) = &join.reader else {
            let just_started = database != DatabaseRead::NotYet;
            return self.admit(join, Delivery::Listening { channel, just_started, head });
        };
        let known = SessionMemory { channel, log, snapshot: self.snapshot.as_ref(), older, now };
        match known.answer(reader, database) {
            Ok(Answer::Read(needs)) => Served::Read(needs),
            Ok(Answer::Envelopes(envelopes)) => {
                let Reader { socket, generation, .. } = *reader;
                let answer = Delivery::Subscribed { channel, socket, generation, envelopes, head };
                self.admit(join, answer)
            }
            Err(error) => {
                tracing::error!(error = %error, "a subscription cannot be answered");
                if self.refuse(join) { Served::Done } else { Served::Later }
            }
        }
    }

    /// Sends the answer; from then on the hub gets the events that follow.
    fn admit(&mut self, join: &Join, answer: Delivery) -> Served {
        let Some(log) = self.events.log() else { return Served::Later };
        if join.queue.try_send(answer).is_err() {
            return Served::Later;
        }
        let progress = HubProgress { queue: join.queue.clone(), sent: log.head() };
        self.hubs.entry(join.hub).or_insert(progress);
        Served::Done
    }

    /// Tells the reader to ask again. False when the queue is full or there is no reader.
    fn refuse(&self, join: &Join) -> bool {
        let Some(Reader { socket, generation, .. }) = join.reader else { return false };
        let refused = Delivery::Refused { channel: self.channel, socket, generation };
        join.queue.try_send(refused).is_ok()
    }

    fn take_read(&mut self, read: Read) {
        if let Some(snapshot) = read.snapshot {
            self.snapshot = Some(snapshot);
            self.todo.push(Todo::ForgetSnapshot);
        }
        let head = Position { epoch: read.head.epoch.clone(), seq: read.head.seq };
        let (history, appended) = self.events.take_read(read.head, read.events);
        if history == History::Replaced {
            // Numbers of the new history are other events.
            self.pushes.clear();
            self.reset_hubs(&head);
        }
        (self.on_appended)(self.position(), &appended);
    }

    fn reset_hubs(&mut self, head: &Position) {
        let (channel, reason) = (self.channel, ResetReason::Epoch);
        for hub in self.hubs.values_mut() {
            let reset = Delivery::Reset { channel, reason, head: head.clone() };
            // After a full queue `send_events` resets the hub: no log reaches back to the smallest number.
            hub.sent = if hub.queue.try_send(reset).is_ok() { head.seq } else { i64::MIN };
        }
    }
}

#[cfg(test)]
mod tests;
