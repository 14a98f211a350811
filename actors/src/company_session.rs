//! One session per channel with readers on this node: a company's, a person's own, or the plans. It owns the
//! channel's ring and sequence, answers who joins, and hands every event once to each hub that reads it.
//!
//! Started by the relay, stops after two idle minutes. It may be lost at any moment (invariant I1): the relay
//! starts another from the database, and the hubs join it where they stand.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};
use bipe_core::Result;
use bipe_core::event::{Channel, Event, EventName, Head};
use jiff::Timestamp;
use tokio::sync::mpsc::Sender;

use crate::answering::Verdict;
use crate::catch_up::{self, Needs, Read, Snapshot};
use crate::channel_log::{Appended, Asked, ChannelLog, RING_EVENTS};
use crate::envelope::{Forms, ResetReason};
use crate::live::{Delivery, HubId, Reader, Sources};
use crate::relay::Standing;

const IDLE: Duration = Duration::from_secs(120);
/// A hub whose queue is full is tried again after this.
const RETRY: Duration = Duration::from_millis(20);
/// Commits overtake each other on their way from the pool: wait this long before calling it a gap.
const OVERTAKEN: Duration = Duration::from_millis(20);
/// A snapshot serves everybody who joins within this time of the server's clock and this many events: what it
/// says of days is as old as it is.
pub const SNAPSHOT_LIFE: Duration = Duration::from_secs(5);
pub const SNAPSHOT_EVENTS: i64 = 64;
/// What people change of themselves is told by no event: a snapshot that outlived the change would bring back what was
/// there before. It serves those alone who asked while it was being read.
pub const OWN_SNAPSHOT_LIFE: Duration = Duration::from_millis(50);

/// Committed events of the channel, in the order in which the relay heard of them.
pub struct Committed(pub Vec<Event>);
/// What hubs want of the channel, in the order in which they said so.
pub struct Orders(pub Vec<Order>);
#[derive(Clone)]
pub enum Order {
    Join(Join),
    /// The hub's last reader has left.
    Leave(HubId),
}
/// A hub joins; with a reader it is answered first.
#[derive(Clone)]
pub struct Join {
    pub hub: HubId,
    pub queue: Sender<Delivery>,
    pub reader: Option<Reader>,
}
/// What the database says; we are behind it.
pub struct Stands(pub Head);

impl actix::Message for Committed {
    type Result = ();
}
impl actix::Message for Orders {
    type Result = ();
}
impl actix::Message for Stands {
    type Result = ();
}

/// What the ring keeps of an event.
pub struct Kept {
    pub name: EventName,
    pub key: Arc<str>,
    pub forms: Forms,
}

/// How far a hub was served.
pub struct HubSide {
    pub queue: Sender<Delivery>,
    pub sent: i64,
}

pub struct CompanySession {
    pub channel: Channel,
    sources: Arc<Sources>,
    standing: Standing,
    /// None until the head was read.
    pub log: Option<ChannelLog<Kept>>,
    /// Events that came before the ones they follow.
    early: BTreeMap<i64, Event>,
    pub hubs: HashMap<HubId, HubSide>,
    /// Who is not answered yet, and whether the database was asked for it.
    waiting: Vec<(Join, Asked)>,
    reading: bool,
    /// The database is known to be ahead of the log.
    behind: bool,
    pub snapshot: Option<(Snapshot, Timestamp)>,
    retrying: bool,
    /// Counts what happened, so that an idle timer knows whether anything did.
    busy: u64,
}

impl CompanySession {
    pub fn new(channel: Channel, sources: Arc<Sources>, standing: Standing) -> Self {
        Self {
            channel,
            sources,
            standing,
            log: None,
            early: BTreeMap::new(),
            hubs: HashMap::new(),
            waiting: Vec::new(),
            reading: false,
            behind: false,
            snapshot: None,
            retrying: false,
            busy: 0,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.sources.db.clock().now()
    }

    /// Appends what continues the log, keeps what is early, and says whether something is missing.
    fn take(&mut self, events: Vec<Event>) -> bool {
        for event in events {
            self.early.insert(event.seq, event);
        }
        while self.early.len() > RING_EVENTS * 2 {
            self.early.pop_last();
        }
        let Some(log) = &mut self.log else { return false };
        while let Some((_, event)) = self.early.pop_first() {
            match append(log, &event, &self.sources) {
                Ok(Appended::Gap | Appended::OtherEpoch) => {
                    self.early.insert(event.seq, event);
                    break;
                }
                Ok(Appended::Next | Appended::Duplicate) => {}
                Err(error) => tracing::error!(error = %error, "an event is not JSON"),
            }
        }
        let standing = (log.epoch().clone(), log.head());
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = Some(standing);
        !self.early.is_empty()
    }

    /// Hands on what is new, answers who can be answered, reads what is missing.
    fn settle(&mut self, ctx: &mut Context<Self>) {
        self.busy += 1;
        let mut owing = self.pump();
        let waiting = std::mem::take(&mut self.waiting);
        let mut needs: Option<Needs> = None;
        for (join, asked) in waiting {
            let mut asked = asked;
            match self.try_answer(&join, asked, &[]) {
                Verdict::Done => continue,
                Verdict::Later => owing = true,
                Verdict::Read(need) if !self.reading => {
                    needs.get_or_insert_default().add(need);
                    asked = Asked::Done { reaches: None };
                }
                Verdict::Read(_) => {}
            }
            self.waiting.push((join, asked));
        }
        if self.behind && !self.reading {
            let after = self.log.as_ref().map(ChannelLog::head);
            needs.get_or_insert_default().add(Needs { after, snapshot: false });
        }
        if let Some(needs) = needs {
            self.read(needs, ctx);
        }
        if owing && !self.retrying {
            self.retrying = true;
            ctx.run_later(RETRY, |session, ctx| {
                session.retrying = false;
                session.settle(ctx);
            });
        }
    }

    /// Gives every hub what it has not got. True when a queue was full.
    fn pump(&mut self) -> bool {
        let Some(log) = &self.log else { return false };
        let mut owing = false;
        for hub in self.hubs.values_mut() {
            let Some(events) = log.after(hub.sent) else {
                let (epoch, head) = (log.epoch().clone(), log.head());
                let (channel, reason) = (self.channel, ResetReason::Lagged);
                match hub.queue.try_send(Delivery::Reset { channel, reason, epoch, head }) {
                    Ok(()) => hub.sent = log.head(),
                    Err(_full) => owing = true,
                }
                continue;
            };
            for (seq, kept) in events {
                let delivery = Delivery::Event {
                    channel: self.channel,
                    seq,
                    name: kept.name,
                    key: kept.key.clone(),
                    forms: kept.forms.clone(),
                };
                if hub.queue.try_send(delivery).is_err() {
                    owing = true;
                    break;
                }
                hub.sent = seq;
            }
        }
        owing
    }

    fn read(&mut self, needs: Needs, ctx: &mut Context<Self>) {
        self.reading = true;
        self.behind = false;
        let reading = catch_up::read(self.sources.clone(), self.channel, needs);
        let done = reading.into_actor(self).map(|read, session, ctx| {
            session.reading = false;
            session.finish(read, ctx);
        });
        ctx.spawn(done);
    }

    /// Takes in what was read and answers everybody who waited for it.
    fn finish(&mut self, read: Result<Read>, ctx: &mut Context<Self>) {
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
        if read.snapshot.is_some() {
            // Thousands of channels are read once and then watched: none keeps what it has answered.
            ctx.run_later(SNAPSHOT_LIFE, |session, _| {
                let now = session.now();
                session.snapshot.take_if(|(_, made)| is_older(*made, now, SNAPSHOT_LIFE));
            });
        }
        self.take_read(read);
        self.pump();
        let reaches = older.first().map(|(seq, _)| seq - 1);
        for (join, asked) in std::mem::take(&mut self.waiting) {
            // Who came while it was read is looked at by `settle`.
            let now = if asked == Asked::NotYet { asked } else { Asked::Done { reaches } };
            if !matches!(self.try_answer(&join, now, &older), Verdict::Done) {
                self.waiting.push((join, asked));
            }
        }
        self.settle(ctx);
    }

    fn take_read(&mut self, read: Read) {
        if let Some(snapshot) = read.snapshot {
            self.snapshot = Some((snapshot, self.now()));
        }
        let Head { epoch, seq: head, .. } = read.head;
        let other = self.log.as_ref().is_some_and(|log| *log.epoch() != epoch);
        if self.log.is_none() || other {
            // What was read warms the ring when it leads up to the head.
            let first = read.events.first().map_or(head, |event| event.seq - 1);
            let whole = read.events.last().is_none_or(|event| event.seq >= head);
            self.log = Some(ChannelLog::new(epoch.clone(), if whole { first } else { head }));
        }
        if other {
            self.early.clear();
            self.reset_all(ResetReason::Epoch, (epoch.clone(), head));
        }
        self.take(read.events);
        if self.log.as_ref().is_some_and(|log| log.head() < head) {
            // Too much was missed to read it one by one: the hubs are reset, the log starts at the head.
            self.early.retain(|seq, _| *seq > head);
            self.log = Some(ChannelLog::new(epoch, head));
            self.take(Vec::new());
        }
    }

    fn reset_all(&mut self, reason: ResetReason, (epoch, head): (Arc<str>, i64)) {
        for hub in self.hubs.values_mut() {
            let reset =
                Delivery::Reset { channel: self.channel, reason, epoch: epoch.clone(), head };
            // A full queue is reset by `pump`, because nothing in the new log reaches back to it.
            hub.sent = if hub.queue.try_send(reset).is_ok() { head } else { i64::MIN };
        }
    }

    fn rest(&mut self, ctx: &mut Context<Self>) {
        let busy = self.busy;
        ctx.run_later(IDLE, move |session, ctx| {
            let idle = session.hubs.is_empty() && session.waiting.is_empty();
            if idle && session.busy == busy {
                ctx.stop();
            }
        });
    }
}

/// Whether what was made then has outlived its time.
pub fn is_older(made: Timestamp, now: Timestamp, life: Duration) -> bool {
    Duration::try_from(now.duration_since(made)).is_ok_and(|age| age >= life)
}

fn append(
    log: &mut ChannelLog<Kept>,
    event: &Event,
    sources: &Sources,
) -> serde_json::Result<Appended> {
    if event.seq <= log.head() && *event.epoch == **log.epoch() {
        return Ok(Appended::Duplicate);
    }
    let forms = Forms::of_event(event)?;
    let (bytes, key) = (forms.len(), Arc::from(event.key.as_str()));
    let appended =
        log.append(&event.epoch, event.seq, bytes, Kept { name: event.name, key, forms });
    if let (Appended::Next, Channel::User(person)) = (appended, event.channel)
        && event.name.changes_access()
    {
        (sources.person_changed)(person);
    }
    Ok(appended)
}

impl Actor for CompanySession {
    type Context = Context<Self>;
}

impl Handler<Committed> for CompanySession {
    type Result = ();
    fn handle(&mut self, Committed(events): Committed, ctx: &mut Context<Self>) {
        if self.log.is_none() && !self.reading {
            return; // Nobody reads yet; who joins reads the head.
        }
        if self.take(events) && !self.reading {
            ctx.run_later(OVERTAKEN, |session, ctx| {
                session.behind |= !session.early.is_empty();
                session.settle(ctx);
            });
        }
        self.settle(ctx);
    }
}

impl Handler<Orders> for CompanySession {
    type Result = ();
    fn handle(&mut self, Orders(orders): Orders, ctx: &mut Context<Self>) {
        let mut left = false;
        for order in orders {
            match order {
                Order::Join(join) => self.waiting.push((join, Asked::NotYet)),
                Order::Leave(hub) => {
                    self.hubs.remove(&hub);
                    self.waiting.retain(|(join, _)| join.hub != hub);
                    left = true;
                }
            }
        }
        self.settle(ctx);
        if left && self.hubs.is_empty() {
            self.rest(ctx);
        }
    }
}

impl Handler<Stands> for CompanySession {
    type Result = ();
    fn handle(&mut self, Stands(head): Stands, ctx: &mut Context<Self>) {
        let behind = |log: &ChannelLog<Kept>| *log.epoch() != head.epoch || log.head() < head.seq;
        if self.log.as_ref().is_some_and(behind) {
            self.behind = true;
            self.settle(ctx);
        }
    }
}
