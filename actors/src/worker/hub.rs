//! The hub of one web worker: takes the deliveries of the channels' sessions to the inboxes of the worker's sockets,
//! and sends their subscriptions to the relay. `http/src/live` adds the sockets.
//!
//! Lives on the worker's thread. Invariant: a reader gets a channel's events only after its answer, and every one of
//! them or a reset.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use bipe_core::Code;
use bipe_core::event::{Audience, Channel, Head};
use bipe_core::id::UserId;
use tokio::sync::Notify;
use tokio::sync::mpsc::Receiver;

use super::delivery_queue::DeliveryQueue;
use super::inbox::Inbox;
use super::readers::{Progress, Readers, Socket, Subscription};
use super::round::DeliveryRound;
use crate::envelope::{ErrorFrame, ResetReason, Since, wire_name};
use crate::live::Live;
use crate::messages::{ChannelRequest, Delivery, HubId, Position, Reader, SocketId};

/// Sockets that are visited before the worker does its other work.
const YIELD_AFTER: usize = 64;
/// Requests that may wait for the relay's queue. When they are too many, a subscription is refused and asked again.
const MAX_REQUESTS: usize = 8 * 1024;

/// What the hub reports to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubNotice {
    /// A membership or session of the person changed: check the person's sockets again.
    AccessChanged(UserId),
    /// The hub receives the events of the person's channel from now on. With `just_started`, changes that were
    /// committed shortly before may have reached nobody on this node; a reset says the same.
    Listening { person: UserId, just_started: bool },
    /// Close every socket within the time.
    Drain { within_ms: u64 },
}

/// A socket's request to read a channel.
#[derive(Clone, Debug)]
pub struct SubscribeRequest {
    pub channel: Channel,
    pub since: Option<Since>,
    pub audience: Audience,
    /// The client's id of the request.
    pub request: u64,
}

pub struct Hub {
    id: HubId,
    live: Live,
    readers: RefCell<Readers>,
    /// Woken when there are requests for the relay.
    requested: Notify,
}

impl Hub {
    /// The hub, and the queue that `run` reads.
    pub fn new(live: Live) -> (Rc<Self>, Receiver<Delivery>) {
        let (id, deliveries) = live.add_hub();
        let (readers, requested) = (RefCell::default(), Notify::new());
        (Rc::new(Self { id, live, readers, requested }), deliveries)
    }

    pub fn id(&self) -> HubId {
        self.id
    }

    /// Adds a socket. From now on the hub listens to the person's own channel, where revocations are announced.
    pub fn add_socket(&self, user: UserId, inbox: Rc<Inbox>) -> SocketId {
        let mut readers = self.readers.borrow_mut();
        readers.last_socket += 1;
        let id = readers.last_socket;
        readers.sockets.insert(id, Socket { user, inbox, subscriptions: HashMap::new() });
        let channel = Channel::User(user);
        if readers.channels.entry(channel).or_default().add_use() {
            self.join(&mut readers.requests, channel, None);
        }
        id
    }

    pub fn remove_socket(&self, socket: SocketId) {
        let mut readers = self.readers.borrow_mut();
        let Some(gone) = readers.sockets.remove(&socket) else { return };
        for channel in gone.subscriptions.into_keys().chain([Channel::User(gone.user)]) {
            self.remove_use(&mut readers, channel, socket);
        }
    }

    /// Subscribes once or again. False when too many requests wait for the relay; nothing has changed then.
    pub fn subscribe(&self, socket: SocketId, wanted: SubscribeRequest) -> bool {
        let mut guard = self.readers.borrow_mut();
        let readers = &mut *guard;
        if !readers.sockets.contains_key(&socket) {
            return true;
        }
        if readers.requests.len() >= MAX_REQUESTS {
            return false;
        }
        let generation = readers.next_generation();
        let Some(entry) = readers.sockets.get_mut(&socket) else { return true };
        let SubscribeRequest { channel, since, audience, request } = wanted;
        let known = entry.subscriptions.get(&channel);
        let answered_before = known.is_some_and(Subscription::was_answered);
        let progress = Progress::Waiting { answered_before };
        let subscription = Subscription { generation, audience, request, progress, since };
        let reader = subscription.reader(socket);
        let channel_readers = readers.channels.entry(channel).or_default();
        if entry.subscriptions.insert(channel, subscription).is_none() {
            channel_readers.add_use();
        }
        // The answer covers the envelopes that wait.
        channel_readers.current.remove(&socket);
        entry.inbox.drop_channel(channel);
        self.join(&mut readers.requests, channel, Some(reader));
        true
    }

    /// False when the channel was not subscribed.
    pub fn unsubscribe(&self, socket: SocketId, channel: Channel) -> bool {
        let mut readers = self.readers.borrow_mut();
        let Some(entry) = readers.sockets.get_mut(&socket) else { return false };
        if entry.subscriptions.remove(&channel).is_none() {
            return false;
        }
        entry.inbox.drop_channel(channel);
        self.remove_use(&mut readers, channel, socket);
        true
    }

    /// The reader's role has changed: it is told, once, to subscribe again. An answer under way is for the other
    /// audience and is dropped when it arrives.
    pub fn change_audience(&self, socket: SocketId, channel: Channel, audience: Audience) {
        let mut guard = self.readers.borrow_mut();
        let readers = &mut *guard;
        let generation = readers.next_generation();
        let Some(entry) = readers.sockets.get_mut(&socket) else { return };
        if let Some(subscription) = entry.subscriptions.get_mut(&channel) {
            (subscription.generation, subscription.audience) = (generation, audience);
        }
        entry.inbox.reset(channel, ResetReason::Lagged);
        readers.lag(socket, channel);
    }

    /// As whom the socket reads the channel; none when it does not.
    pub fn audience(&self, socket: SocketId, channel: Channel) -> Option<Audience> {
        let readers = self.readers.borrow();
        let subscriptions = &readers.sockets.get(&socket)?.subscriptions;
        subscriptions.get(&channel).map(|subscription| subscription.audience)
    }

    /// The channels that a socket reads.
    pub fn channels(&self, socket: SocketId) -> Vec<Channel> {
        let readers = self.readers.borrow();
        let entry = readers.sockets.get(&socket);
        entry.map(|entry| entry.subscriptions.keys().copied().collect()).unwrap_or_default()
    }

    /// Where the socket's channels stand: those that it was told everything of, and those that it was told to start
    /// anew.
    pub fn heads(&self, socket: SocketId) -> Vec<Head> {
        let readers = self.readers.borrow();
        let Some(entry) = readers.sockets.get(&socket) else { return Vec::new() };
        let told = entry
            .subscriptions
            .iter()
            .filter(|(_, known)| !matches!(known.progress, Progress::Waiting { .. }))
            .filter(|(channel, _)| !entry.inbox.has_waiting(**channel));
        told.filter_map(|(channel, _)| {
            let Position { epoch, seq } = readers.channels.get(channel)?.head.as_ref()?;
            Some(Head { channel: *channel, epoch: epoch.clone(), seq: *seq })
        })
        .collect()
    }

    /// Takes requests to the relay and deliveries to the sockets until the live part ends.
    pub async fn run(self: Rc<Self>, deliveries: Receiver<Delivery>, notify: impl Fn(HubNotice)) {
        tokio::select! {
            // Without it the two would be polled in random order. Neither waits for the other.
            biased;
            () = self.deliver(deliveries, notify) => {}
            () = self.send_requests() => {}
        }
    }

    /// Sends all requests of one turn of the worker to the relay together, because each wake-up of the relay's thread
    /// costs more than a request. Waits for room in the relay's queue.
    async fn send_requests(&self) {
        loop {
            self.requested.notified().await;
            while let Some(request) = self.next_request() {
                self.live.request(request).await;
            }
        }
    }

    fn next_request(&self) -> Option<ChannelRequest> {
        self.readers.borrow_mut().requests.pop_front()
    }

    async fn deliver(&self, deliveries: Receiver<Delivery>, notify: impl Fn(HubNotice)) {
        let mut queue = DeliveryQueue::new(deliveries);
        while let Some(delivery) = queue.next().await {
            match delivery {
                Delivery::Event { channel, seq, name, forms, push } => {
                    let mut round = DeliveryRound::new(channel);
                    round.add(seq, forms, push);
                    let changes_access = self.go_round(round, channel, &mut queue).await;
                    if let Channel::User(person) = channel
                        && (changes_access || name.changes_access())
                    {
                        notify(HubNotice::AccessChanged(person));
                    }
                }
                Delivery::Drain { within_ms } => notify(HubNotice::Drain { within_ms }),
                Delivery::Listening { channel, just_started, head } => {
                    self.readers.borrow_mut().set_head(channel, head);
                    if let Channel::User(person) = channel {
                        notify(HubNotice::Listening { person, just_started });
                    }
                }
                other => {
                    // Events that change access may be among those that a reset passes over.
                    if let Delivery::Reset { channel: Channel::User(person), .. } = other {
                        notify(HubNotice::Listening { person, just_started: true });
                    }
                    self.take(other);
                }
            }
        }
    }

    /// Takes the events of one channel to its readers, with those that arrive meanwhile. True when one of the latter
    /// changes what a person may see.
    async fn go_round(
        &self,
        mut round: DeliveryRound,
        channel: Channel,
        queue: &mut DeliveryQueue,
    ) -> bool {
        let mut changes_access = false;
        loop {
            while round.has_room()
                && let Some(event) = queue.next_event(channel)
            {
                changes_access |= event.name.changes_access();
                round.add(event.seq, event.forms, event.push);
            }
            self.step(channel, &mut round);
            if round.is_over() {
                return changes_access;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Visits some readers. A round whose channel has no reader any more is over.
    fn step(&self, channel: Channel, round: &mut DeliveryRound) {
        let mut readers = self.readers.borrow_mut();
        let Some(channel_readers) = readers.channels.get_mut(&channel) else {
            *round = DeliveryRound::new(channel);
            return;
        };
        for (socket, reset) in round.step(channel_readers, YIELD_AFTER) {
            readers.lag(socket, reset);
        }
    }

    fn take(&self, delivery: Delivery) {
        match delivery {
            Delivery::Subscribed { channel, socket, generation, envelopes, head } => {
                let mut readers = self.readers.borrow_mut();
                readers.answer(channel, (socket, generation), envelopes, head);
            }
            Delivery::Refused { channel, socket, generation } => {
                self.refuse(channel, socket, generation);
            }
            Delivery::Reset { channel, reason, head } => self.reset(channel, reason, head),
            Delivery::SessionLost { channel } => self.rejoin(channel),
            Delivery::Close { socket, code } => {
                if let Some(entry) = self.readers.borrow().sockets.get(&socket) {
                    entry.inbox.close(code);
                }
            }
            // `deliver` handles these.
            Delivery::Event { .. } | Delivery::Listening { .. } | Delivery::Drain { .. } => {}
        }
    }

    /// Tells the client to ask again. A reader that was answered before stays subscribed and asks with `sync`.
    fn refuse(&self, channel: Channel, socket: SocketId, generation: u32) {
        let mut readers = self.readers.borrow_mut();
        let Some(entry) = readers.sockets.get_mut(&socket) else { return };
        let known = entry.subscriptions.get_mut(&channel);
        let Some(subscription) = known.filter(|known| known.generation == generation) else {
            return;
        };
        let (id, code, name) =
            (subscription.request, Code::ServiceUnavailable, Some(wire_name(channel)));
        entry.inbox.put_control(ErrorFrame { id, code, retry: true, channel: name }.envelope());
        entry.inbox.release_answers();
        if subscription.was_answered() {
            subscription.progress = Progress::Lagged;
        } else {
            entry.subscriptions.remove(&channel);
            self.remove_use(&mut readers, channel, socket);
        }
    }

    /// Resets all current readers of the channel. After `Lagged` each client asks again with `sync`; after the other
    /// reasons the hub asks for it.
    fn reset(&self, channel: Channel, reason: ResetReason, head: Position) {
        let mut guard = self.readers.borrow_mut();
        let readers = &mut *guard;
        let Some(channel_readers) = readers.channels.get_mut(&channel) else { return };
        channel_readers.head = Some(head);
        for (socket, reader) in std::mem::take(&mut channel_readers.current) {
            reader.inbox.reset(channel, reason);
            let entry = readers.sockets.get_mut(&socket);
            let subscription = entry.and_then(|entry| entry.subscriptions.get_mut(&channel));
            let Some(subscription) = subscription else { continue };
            subscription.progress = Progress::Lagged;
            subscription.since = None;
            if reason != ResetReason::Lagged {
                subscription.progress = Progress::Waiting { answered_before: true };
                self.join(&mut readers.requests, channel, Some(subscription.reader(socket)));
            }
        }
    }

    /// The session is gone: the hub and its readers join the next one at the position that they have reached. A reader
    /// that lagged joins when it asks.
    fn rejoin(&self, channel: Channel) {
        let mut guard = self.readers.borrow_mut();
        let readers = &mut *guard;
        let Some(channel_readers) = readers.channels.get_mut(&channel) else { return };
        let head = channel_readers.head.as_ref();
        let reached = head.map(|head| Since { epoch: head.epoch.to_string(), seq: head.seq });
        channel_readers.current.clear();
        self.join(&mut readers.requests, channel, None);
        // Who came first asks first, so that the same happens in every run.
        let mut sockets: Vec<_> = readers.sockets.iter_mut().collect();
        sockets.sort_unstable_by_key(|(socket, _)| **socket);
        for (socket, entry) in sockets {
            let Some(subscription) = entry.subscriptions.get_mut(&channel) else { continue };
            match subscription.progress {
                Progress::Lagged => continue,
                Progress::Current => {
                    subscription.progress = Progress::Waiting { answered_before: true };
                    subscription.since.clone_from(&reached);
                }
                Progress::Waiting { .. } => {}
            }
            self.join(&mut readers.requests, channel, Some(subscription.reader(*socket)));
        }
    }

    /// The socket no longer uses the channel; after the last use the hub leaves it.
    fn remove_use(&self, readers: &mut Readers, channel: Channel, socket: SocketId) {
        let Some(channel_readers) = readers.channels.get_mut(&channel) else { return };
        channel_readers.current.remove(&socket);
        channel_readers.uses = channel_readers.uses.saturating_sub(1);
        if channel_readers.uses == 0 {
            readers.channels.remove(&channel);
            self.request(&mut readers.requests, ChannelRequest::Leave { channel, hub: self.id });
        }
    }

    fn join(
        &self,
        requests: &mut VecDeque<ChannelRequest>,
        channel: Channel,
        reader: Option<Reader>,
    ) {
        self.request(requests, ChannelRequest::Join { channel, hub: self.id, reader });
    }

    fn request(&self, requests: &mut VecDeque<ChannelRequest>, request: ChannelRequest) {
        requests.push_back(request);
        self.requested.notify_one();
    }
}

#[cfg(test)]
mod tests;
