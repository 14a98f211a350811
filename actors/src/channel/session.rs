//! `CompanySession`: one actor for each channel that has readers on this node. It owns the channel's log, answers hubs
//! that join, and sends every event once to each hub that reads the channel.
//!
//! A company's channel, a person's own, the plans and the admins' all run this actor. The relay starts it; it stops
//! after two minutes without hubs. It may be lost at any moment (invariant I1): the relay starts another from the
//! database, and the hubs join that one at the position that they have reached.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};
use bipe_core::Result;
use bipe_core::event::{Channel, CommittedName};
use parking_lot::Mutex;
use tokio::sync::mpsc::Sender;

use super::answer::{Answer, SNAPSHOT_LIFE, SessionMemory};
use super::catch_up::{self, Read, RequiredReads, Snapshot};
use super::log::{ChannelLog, DatabaseRead};
use super::newer;
use super::sequencer::{History, Sequencer};
use crate::envelope::{EventForms, ResetReason};
use crate::messages::{
    AppendEvents, CompareHead, Delivery, HubId, Join, Position, Reader, ServeRequests,
    SessionRequest,
};
use crate::sources::Sources;

/// Without hubs for this long, the session stops.
const IDLE: Duration = Duration::from_secs(120);
/// How long to wait before a delivery is tried again after a hub's queue was full.
const RETRY: Duration = Duration::from_millis(20);
/// How long an early event waits for the one it follows before the session reads the database.
const EARLY_EVENT_WAIT: Duration = Duration::from_millis(20);

/// The head that a session has reached, shared with the relay's head check; none until it was read.
pub type SharedHead = Arc<Mutex<Option<Position>>>;

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

pub struct CompanySession {
    channel: Channel,
    sources: Arc<Sources>,
    shared_head: SharedHead,
    events: Sequencer,
    hubs: HashMap<HubId, HubProgress>,
    /// Joins without an answer yet, and whether the database was read for them.
    waiting: Vec<(Join, DatabaseRead)>,
    /// A read of the database is under way.
    reading: bool,
    /// The database is known to be ahead of the log.
    behind: bool,
    snapshot: Option<Snapshot>,
    retrying: bool,
    /// Counts what happened, so that an idle timer knows whether anything happened since it was set.
    activity: u64,
}

impl CompanySession {
    pub fn new(channel: Channel, sources: Arc<Sources>, shared_head: SharedHead) -> Self {
        Self {
            channel,
            sources,
            shared_head,
            events: Sequencer::default(),
            hubs: HashMap::new(),
            waiting: Vec::new(),
            reading: false,
            behind: false,
            snapshot: None,
            retrying: false,
            activity: 0,
        }
    }

    /// Sends new events to the hubs, answers every join that can be answered, and reads what is missing.
    fn settle(&mut self, ctx: &mut Context<Self>) {
        self.activity += 1;
        let mut retry = self.send_events();
        let mut needs: Option<RequiredReads> = None;
        for (join, mut database) in std::mem::take(&mut self.waiting) {
            match self.serve(&join, database, &[]) {
                Served::Done => continue,
                Served::Later => retry = true,
                Served::Read(need) if !self.reading => {
                    needs.get_or_insert_default().add(need);
                    database = DatabaseRead::Done { reaches: None };
                }
                // It is served when the read under way has ended.
                Served::Read(_) => {}
            }
            self.waiting.push((join, database));
        }
        if self.behind && !self.reading {
            let after = self.events.log().map(ChannelLog::head);
            needs.get_or_insert_default().add(RequiredReads { after, snapshot: false });
        }
        if let Some(needs) = needs {
            self.read(needs, ctx);
        }
        if retry && !self.retrying {
            self.retrying = true;
            ctx.run_later(RETRY, |session, ctx| {
                session.retrying = false;
                session.settle(ctx);
            });
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
                if hub.queue.try_send(Delivery::Event { channel, seq, name, forms }).is_err() {
                    is_full = true;
                    break;
                }
                hub.sent = seq;
            }
        }
        is_full
    }

    fn serve(
        &mut self,
        join: &Join,
        database: DatabaseRead,
        older: &[(i64, EventForms)],
    ) -> Served {
        let channel = self.channel;
        let Some(log) = self.events.log() else {
            let since = join.reader.as_ref().map(|reader| reader.since.as_ref());
            return Served::Read(RequiredReads {
                after: since.flatten().map(|since| since.seq),
                snapshot: since.is_some_and(|since| since.is_none()),
            });
        };
        // The answer ends at the head, so every event up to it is sent to the hub before.
        if self.hubs.get(&join.hub).is_some_and(|hub| hub.sent != log.head()) {
            return Served::Later;
        }
        let head = log.position().clone();
        let Some(reader) = &join.reader else {
            let just_started = database != DatabaseRead::NotYet;
            return self.admit(join, Delivery::Listening { channel, just_started, head });
        };
        let now = self.sources.db.clock().now();
        let known = SessionMemory { channel, log, snapshot: self.snapshot.as_ref(), older, now };
        match known.answer(reader, database) {
            Ok(Answer::Read(needs)) => Served::Read(needs),
            Ok(Answer::Envelopes(envelopes)) => {
                let Reader { socket, generation, .. } = *reader;
                self.admit(
                    join,
                    Delivery::Subscribed { channel, socket, generation, envelopes, head },
                )
            }
            Err(error) => {
                tracing::error!(error = %error, "a subscription cannot be answered");
                self.refuse(join);
                Served::Done
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

    fn refuse(&self, join: &Join) {
        if let Some(reader) = &join.reader {
            let (socket, generation) = (reader.socket, reader.generation);
            let refused = Delivery::Refused { channel: self.channel, socket, generation };
            join.queue.try_send(refused).ok();
        }
    }

    fn read(&mut self, needs: RequiredReads, ctx: &mut Context<Self>) {
        self.reading = true;
        self.behind = false;
        let reading = catch_up::read(self.sources.clone(), self.channel, needs);
        let done = reading.into_actor(self).map(|read, session, ctx| {
            session.reading = false;
            session.finish_read(read, ctx);
        });
        ctx.spawn(done);
    }

    /// Takes in what was read and answers every join that waited for it.
    fn finish_read(&mut self, read: Result<Read>, ctx: &mut Context<Self>) {
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!(error = %error, "a channel cannot be read");
                for (join, _) in std::mem::take(&mut self.waiting) {
                    self.refuse(&join);
                }
                return;
            }
        };
        let older = match read.forms() {
            Ok(older) => older,
            Err(error) => return tracing::error!(error = %error, "an event is not JSON"),
        };
        self.take_read(read, ctx);
        self.send_events();
        let reaches = older.first().map(|(seq, _)| seq - 1);
        for (join, database) in std::mem::take(&mut self.waiting) {
            // A join that came during the read did not ask for it: `settle` serves it.
            let now = match database {
                DatabaseRead::NotYet => DatabaseRead::NotYet,
                DatabaseRead::Done { .. } => DatabaseRead::Done { reaches },
            };
            if !matches!(self.serve(&join, now, &older), Served::Done) {
                self.waiting.push((join, database));
            }
        }
        self.settle(ctx);
    }

    fn take_read(&mut self, read: Read, ctx: &mut Context<Self>) {
        if let Some(snapshot) = read.snapshot {
            self.snapshot = Some(snapshot);
            // Thousands of channels are read once and then only listened to: none keeps its snapshot for long.
            ctx.run_later(SNAPSHOT_LIFE, |session, _| {
                let now = session.sources.db.clock().now();
                session.snapshot.take_if(|snapshot| snapshot.is_older(SNAPSHOT_LIFE, now));
            });
        }
        let head = Position { epoch: read.head.epoch.clone(), seq: read.head.seq };
        let (history, appended) = self.events.take_read(read.head, read.events);
        if history == History::Replaced {
            self.reset_hubs(ResetReason::Epoch, &head);
        }
        self.after_append(&appended);
    }

    fn reset_hubs(&mut self, reason: ResetReason, head: &Position) {
        for hub in self.hubs.values_mut() {
            let reset = Delivery::Reset { channel: self.channel, reason, head: head.clone() };
            // After a full queue `send_events` resets the hub: no log reaches back to the smallest number.
            hub.sent = if hub.queue.try_send(reset).is_ok() { head.seq } else { i64::MIN };
        }
    }

    /// Publishes the head for the relay, and a person's changed access.
    fn after_append(&mut self, appended: &[CommittedName]) {
        let position = self.events.log().map(|log| log.position().clone());
        *self.shared_head.lock() = position;
        newer::note(appended, self.sources.db.clock());
        if let Channel::User(person) = self.channel
            && appended.iter().any(CommittedName::changes_access)
        {
            self.sources.access_changed(person, None);
        }
    }

    fn stop_when_idle(&mut self, ctx: &mut Context<Self>) {
        let activity = self.activity;
        ctx.run_later(IDLE, move |session, ctx| {
            let is_unused = session.hubs.is_empty() && session.waiting.is_empty();
            if is_unused && session.activity == activity {
                ctx.stop();
            }
        });
    }
}

impl Actor for CompanySession {
    type Context = Context<Self>;
}

impl Handler<AppendEvents> for CompanySession {
    type Result = ();
    fn handle(&mut self, AppendEvents(events): AppendEvents, ctx: &mut Context<Self>) {
        if self.events.log().is_none() && !self.reading {
            return; // Nobody has joined yet; the first join reads the head.
        }
        let appended = self.events.take(events);
        self.after_append(&appended);
        if self.events.log().is_some() && self.events.has_early() && !self.reading {
            ctx.run_later(EARLY_EVENT_WAIT, |session, ctx| {
                session.behind |= session.events.has_early();
                session.settle(ctx);
            });
        }
        self.settle(ctx);
    }
}

impl Handler<ServeRequests> for CompanySession {
    type Result = ();
    fn handle(&mut self, ServeRequests(requests): ServeRequests, ctx: &mut Context<Self>) {
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
        self.settle(ctx);
        if left && self.hubs.is_empty() {
            self.stop_when_idle(ctx);
        }
    }
}

impl Handler<CompareHead> for CompanySession {
    type Result = ();
    fn handle(&mut self, CompareHead(head): CompareHead, ctx: &mut Context<Self>) {
        if self.events.log().is_some_and(|log| log.position().is_behind(&head)) {
            self.behind = true;
            self.settle(ctx);
        }
    }
}
