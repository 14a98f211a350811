//! The relay: passes committed events and the hubs' requests to the sessions of their channels, and starts those
//! sessions.
//!
//! One task on the arbiter of the sessions, started by `Live`. Once a second it compares the heads of the channels that
//! have a session with the database, so that an event lost on the way is late by that second at most. While the bus is
//! trusted it compares a tenth of them each time. Requests that wait together reach each session together, because
//! thousands of sockets rejoin after a network outage.
//! Invariant: a channel's requests reach its session in the order in which the relay received them.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, Addr};
use bipe_core::Result;
use bipe_core::event::{Channel, Event, EventName, Head, store};
use futures_util::future::{FusedFuture, FutureExt};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::bus::message::ChannelUpdate;
use crate::bus::{Bus, Received};
use crate::channel::session::{ChannelSession, SharedHead};
use crate::messages::{
    AppendEvents, ChannelRequest, CompareHead, Delivery, Join, Reader, ServeRequests,
    SessionRequest,
};
use crate::metrics_stream::StreamReaders;
use crate::pulse::Pulse;
use crate::sources::Sources;
use crate::worker::queues::{HubQueues, LostSessions};

/// From one head check to the next.
const HEAD_CHECK: Duration = Duration::from_secs(1);
/// With a trusted bus each channel is compared once in so many checks.
const ROUNDS: u64 = 10;
/// How long an event may be on its way before it counts as lost.
const ON_THE_WAY: Duration = Duration::from_millis(50);
/// How long to wait for a session to take a message. It never waits for anything while it handles one, so a longer
/// silence means that it crashed.
const SESSION_TIMEOUT: Duration = Duration::from_secs(2);
/// Channels in one statement of the head check.
const HEADS_AT_ONCE: usize = 1_000;
/// Requests that are taken from the queue at once.
const REQUESTS_AT_ONCE: usize = 512;

pub struct Relay {
    sources: Arc<Sources>,
    hubs: HubQueues,
    pulse: Pulse,
    sessions: HashMap<Channel, RunningSession>,
    lost: LostSessions,
    stream_readers: StreamReaders,
    /// Spreads the channels over the rounds of the head check, on each node in another way.
    spread: RandomState,
    round: u64,
    /// Commits of this node that nobody announced, as far as the relay knows.
    unannounced: u64,
}

struct RunningSession {
    address: Addr<ChannelSession>,
    /// The head that it has reached.
    head: SharedHead,
}

impl Relay {
    pub fn new(sources: Arc<Sources>, hubs: HubQueues, pulse: Pulse) -> Self {
        Self {
            sources,
            hubs,
            pulse,
            sessions: HashMap::new(),
            lost: LostSessions::default(),
            stream_readers: StreamReaders::default(),
            spread: RandomState::new(),
            round: 0,
            unannounced: 0,
        }
    }

    /// Runs until the bus ends.
    pub async fn run(mut self, mut bus: Bus, mut queue: mpsc::Receiver<ChannelRequest>) {
        let mut tick = tokio::time::interval(HEAD_CHECK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (found, mut heads) = mpsc::channel::<Vec<Head>>(4);
        let mut checking = futures_util::future::Fuse::terminated();
        let (mut received, mut requests) = (Received::default(), Vec::new());
        loop {
            tokio::select! {
                open = bus.next(&mut received) => {
                    if !open {
                        return;
                    }
                    let Received { local, remote, is_suspect } = std::mem::take(&mut received);
                    self.pass_events(local).await;
                    self.pass_remote(remote).await;
                    if is_suspect && checking.is_terminated() {
                        checking = self.read_heads(self.channels(), found.clone()).boxed_local().fuse();
                    }
                }
                1.. = queue.recv_many(&mut requests, REQUESTS_AT_ONCE) => {
                    self.pass_requests(std::mem::take(&mut requests)).await;
                }
                Some(heads) = heads.recv() => {
                    let repairs = self.compare_heads(heads).await;
                    if !repairs.is_empty() {
                        let count = u64::try_from(repairs.len()).unwrap_or(u64::MAX);
                        metrics::counter!("bipe_live_head_repairs_total").increment(count);
                        bus.note_repairs(repairs);
                    }
                }
                () = &mut checking => {}
                _ = tick.tick() => {
                    self.pulse.beat();
                    self.stream_readers.ensure_running(&self.sources);
                    self.drop_stopped_sessions();
                    self.lost.tell(&self.hubs);
                    bus.set_channels(self.sessions.len());
                    bus.check_repairs();
                    let unannounced = self.sources.db.unannounced();
                    if std::mem::replace(&mut self.unannounced, unannounced) != unannounced {
                        bus.note_unannounced();
                    }
                    if checking.is_terminated() {
                        let channels =
                            if bus.is_trusted() { self.next_round() } else { self.channels() };
                        checking = self.read_heads(channels, found.clone()).boxed_local().fuse();
                    }
                }
            }
        }
    }

    /// Events of other nodes: read where somebody here reads the channel, or where they may change access.
    async fn pass_remote(&mut self, parts: Vec<ChannelUpdate>) {
        let (mut events, mut heads) = (Vec::new(), Vec::new());
        for part in parts {
            let channel = part.head.channel;
            if !self.sessions.contains_key(&channel) && !matches!(channel, Channel::User(_)) {
                continue;
            }
            match part.events() {
                Some(some) => events.extend(some),
                None => {
                    // The events may change access: what is cached of the person is dropped before they are read.
                    if let Channel::User(person) = channel {
                        self.sources.access_changed(person, None);
                    }
                    heads.push(part.head);
                }
            }
        }
        self.pass_events(events).await;
        self.compare_heads(heads).await;
    }

    async fn pass_events(&mut self, events: Vec<Event>) {
        let mut by_channel: Vec<(Channel, Vec<Event>)> = Vec::new();
        for event in events {
            let channel = event.channel;
            if let Channel::User(person) = channel
                && event.name.changes_access()
            {
                let has_ended = event.name == EventName::SessionRevoked.into();
                let ended = has_ended.then(|| event.key.parse().ok()).flatten();
                self.sources.access_changed(person, ended);
            }
            match by_channel.iter_mut().find(|(known, _)| *known == channel) {
                Some((_, events)) => events.push(event),
                None => by_channel.push((channel, vec![event])),
            }
        }
        for (channel, events) in by_channel {
            let Some(session) = self.sessions.get(&channel) else { continue };
            let sent = session.address.send(AppendEvents(events)).timeout(SESSION_TIMEOUT).await;
            if sent.is_err() {
                self.drop_session(channel);
            }
        }
    }

    async fn pass_requests(&mut self, requests: Vec<ChannelRequest>) {
        let mut by_channel: HashMap<Channel, Vec<SessionRequest>> = HashMap::new();
        for request in requests {
            let (channel, request) = match request {
                ChannelRequest::Join { channel, hub, reader } => {
                    self.stream_readers.add(channel, hub, &self.sources);
                    let Some(queue) = self.hubs.get(hub) else { continue };
                    (channel, SessionRequest::Join(Join { hub, queue, reader }))
                }
                ChannelRequest::Leave { channel, hub } => {
                    self.stream_readers.remove(channel, hub).await;
                    (channel, SessionRequest::Leave(hub))
                }
            };
            by_channel.entry(channel).or_default().push(request);
        }
        for (channel, requests) in by_channel {
            self.pass_to_session(channel, requests).await;
        }
    }

    async fn pass_to_session(&mut self, channel: Channel, requests: Vec<SessionRequest>) {
        let is_leave = |request: &SessionRequest| matches!(request, SessionRequest::Leave(_));
        // The session may stop, being idle, before the message arrives: then another is started, once.
        for _ in 0..2 {
            if requests.iter().all(is_leave) && !self.sessions.contains_key(&channel) {
                return;
            }
            let session = self.session(channel);
            let message = ServeRequests(requests.clone());
            if session.send(message).timeout(SESSION_TIMEOUT).await.is_ok() {
                return;
            }
            self.drop_session(channel);
        }
        for request in requests {
            let SessionRequest::Join(Join { queue, reader: Some(reader), .. }) = request else {
                continue;
            };
            let Reader { socket, generation, .. } = reader;
            // A full queue loses this. Its hub will be told of the lost session, and the reader joins the next one.
            queue.try_send(Delivery::Refused { channel, socket, generation }).ok();
        }
    }

    /// The session of the channel, started if none runs.
    fn session(&mut self, channel: Channel) -> Addr<ChannelSession> {
        let session = self.sessions.entry(channel).or_insert_with(|| {
            let head = SharedHead::default();
            let session = ChannelSession::new(channel, self.sources.clone(), head.clone());
            RunningSession { address: session.start(), head }
        });
        session.address.clone()
    }

    /// Drops a session that stopped or crashed, and tells every hub to join its successor.
    fn drop_session(&mut self, channel: Channel) {
        self.sessions.remove(&channel);
        self.lost.add(channel, &self.hubs);
    }

    fn drop_stopped_sessions(&mut self) {
        let stopped = self.sessions.iter().filter(|(_, session)| !session.address.connected());
        let stopped: Vec<Channel> = stopped.map(|(channel, _)| *channel).collect();
        for channel in stopped {
            self.drop_session(channel);
        }
    }

    /// All that have a session.
    fn channels(&self) -> Vec<Channel> {
        self.sessions.keys().copied().collect()
    }

    /// A tenth of them, another one each time.
    fn next_round(&mut self) -> Vec<Channel> {
        self.round += 1;
        let is_due =
            |channel: &Channel| self.spread.hash_one(channel) % ROUNDS == self.round % ROUNDS;
        self.sessions.keys().copied().filter(is_due).collect()
    }

    /// Reads the heads of the channels and sends them to `found`.
    fn read_heads(
        &self,
        channels: Vec<Channel>,
        found: mpsc::Sender<Vec<Head>>,
    ) -> impl Future<Output = ()> + 'static {
        let compared = u64::try_from(channels.len()).unwrap_or(u64::MAX);
        metrics::counter!("bipe_live_heads_compared_total").increment(compared);
        let sources = self.sources.clone();
        async move {
            match heads_of(&sources, &channels).await {
                Ok(heads) => {
                    tokio::time::sleep(ON_THE_WAY).await;
                    drop(found.send(heads).await);
                }
                Err(error) => tracing::warn!(error = %error, "the head check failed"),
            }
        }
    }

    /// Tells each session that is behind the database to catch up; returns the heads of these.
    async fn compare_heads(&mut self, heads: Vec<Head>) -> Vec<Head> {
        let mut behind = Vec::new();
        for head in heads {
            let Some(session) = self.sessions.get(&head.channel) else { continue };
            let known = session.head.lock().clone();
            if known.is_some_and(|known| known.is_behind(&head)) {
                behind.push(head.clone());
                session.address.send(CompareHead(head)).timeout(SESSION_TIMEOUT).await.ok();
            }
        }
        behind
    }
}

async fn heads_of(sources: &Sources, channels: &[Channel]) -> Result<Vec<Head>> {
    let mut heads = Vec::new();
    if channels.is_empty() {
        return Ok(heads);
    }
    let tx = sources.db.platform_tx(&sources.proof).await?;
    for some in channels.chunks(HEADS_AT_ONCE) {
        heads.extend(store::heads(&tx, some).await?);
    }
    Ok(heads)
}
