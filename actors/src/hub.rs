//! The fan-out of one web worker: which of its sockets reads which channel, and the way from a session's queue
//! into their inboxes. Lives on the worker's thread; sockets are entered by `http/src/live`.
//!
//! Invariant: a reader gets a channel's events only after its answer, and every one of them, or a reset.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use bipe_core::Code;
use bipe_core::event::{Channel, EventName};
use bipe_core::id::UserId;
use tokio::sync::Notify;
use tokio::sync::mpsc::Receiver;

use crate::envelope::{ErrorFrame, Forms, ResetReason, Since, wire_name};
use crate::inbox::Inbox;
use crate::live::{Command, Delivery, HubId, Live, Reader, SocketId};
use crate::readers::{Reading, Socket, State, Told};
use crate::round::Round;

/// The worker looks after its other work after so many sockets.
const YIELD_AFTER: usize = 256;
/// Orders waiting for the relay's queue; full, a subscription is refused and asked again.
const MOST_ORDERS: usize = 8 * 1024;

/// What the owner of the hub has to see to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A membership or session of the person changed: its sockets are to be checked again.
    Person(UserId),
    /// The person's channel is heard from now on; with `fresh`, news of the last moments may be missing.
    Watching { person: UserId, fresh: bool },
    /// Every socket is to end within the time.
    Drain { within_ms: u64 },
}

/// What a socket asks for.
#[derive(Clone, Debug)]
pub struct Subscription {
    pub channel: Channel,
    pub since: Option<Since>,
    /// May see finance data.
    pub finance: bool,
    /// The client's id of the request.
    pub request: u64,
}

pub struct Hub {
    id: HubId,
    live: Live,
    state: RefCell<State>,
    /// There are orders for the relay.
    ordered: Notify,
}

impl Hub {
    pub fn new(live: Live) -> (Rc<Self>, Receiver<Delivery>) {
        let (id, deliveries) = live.add_hub();
        let (state, ordered) = (RefCell::default(), Notify::new());
        (Rc::new(Self { id, live, state, ordered }), deliveries)
    }

    pub fn id(&self) -> HubId {
        self.id
    }

    /// Enters a socket. The person's own channel is watched from now on, so that revocations are heard.
    pub fn enter(&self, user: UserId, inbox: Rc<Inbox>) -> SocketId {
        let mut state = self.state.borrow_mut();
        state.next_socket += 1;
        let id = state.next_socket;
        state.sockets.insert(id, Socket { user, inbox, reads: HashMap::new() });
        let channel = Channel::User(user);
        if state.channels.entry(channel).or_default().claim() {
            let watch = Command::Join { channel, hub: self.id, reader: None };
            self.order(&mut state, watch);
        }
        id
    }

    pub fn leave(&self, socket: SocketId) {
        let mut state = self.state.borrow_mut();
        let Some(gone) = state.sockets.remove(&socket) else { return };
        for channel in gone.reads.into_keys().chain([Channel::User(gone.user)]) {
            self.release(&mut state, channel, socket);
        }
    }

    /// Subscribes anew or again. False when the relay is far behind; nothing has changed then.
    pub fn subscribe(&self, socket: SocketId, wanted: Subscription) -> bool {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        let Some(entry) = state.sockets.get_mut(&socket) else { return true };
        if state.orders.len() >= MOST_ORDERS {
            return false;
        }
        state.next_generation = state.next_generation.wrapping_add(1);
        let generation = state.next_generation;
        let Subscription { channel, since, finance, request } = wanted;
        let reader = Reader { socket, generation, since: since.clone(), finance };
        let join = Command::Join { channel, hub: self.id, reader: Some(reader) };
        let again = entry.reads.get(&channel).is_some_and(Reading::was_answered);
        let told = Told::Nothing { again };
        let reading = Reading { generation, finance, request, told, since };
        let side = state.channels.entry(channel).or_default();
        if entry.reads.insert(channel, reading).is_none() {
            side.claim();
        }
        // What waits is covered by the answer.
        side.members.remove(&socket);
        entry.inbox.forget(channel);
        self.order(state, join);
        true
    }

    /// False when the channel was not subscribed.
    pub fn unsubscribe(&self, socket: SocketId, channel: Channel) -> bool {
        let mut state = self.state.borrow_mut();
        let Some(entry) = state.sockets.get_mut(&socket) else { return false };
        if entry.reads.remove(&channel).is_none() {
            return false;
        }
        entry.inbox.forget(channel);
        self.release(&mut state, channel, socket);
        true
    }

    /// The reader sees another form of the channel from now on: it is told, once, to ask again, and an answer in the
    /// former form that is still under way is not for it any more.
    pub fn start_anew(&self, socket: SocketId, channel: Channel, finance: bool) {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        state.next_generation = state.next_generation.wrapping_add(1);
        let Some(entry) = state.sockets.get_mut(&socket) else { return };
        if let Some(reading) = entry.reads.get_mut(&channel) {
            (reading.generation, reading.finance) = (state.next_generation, finance);
        }
        entry.inbox.reset(channel, ResetReason::Lagged);
        state.lag(socket, channel);
    }

    /// Whether the reader of the channel may see finance data; none when it does not read it.
    pub fn reads(&self, socket: SocketId, channel: Channel) -> Option<bool> {
        let state = self.state.borrow();
        state.sockets.get(&socket)?.reads.get(&channel).map(|reading| reading.finance)
    }

    /// The channels of a socket.
    pub fn channels(&self, socket: SocketId) -> Vec<Channel> {
        let state = self.state.borrow();
        let reads = state.sockets.get(&socket).map(|entry| entry.reads.keys().copied().collect());
        reads.unwrap_or_default()
    }

    /// Where the channels of a socket stand, as far as it was told everything, or that it lagged.
    pub fn heads(&self, socket: SocketId) -> Vec<(String, String, i64)> {
        let state = self.state.borrow();
        let Some(entry) = state.sockets.get(&socket) else { return Vec::new() };
        let told = entry
            .reads
            .iter()
            .filter(|(_, reading)| !matches!(reading.told, Told::Nothing { .. }))
            .filter(|(channel, _)| !entry.inbox.holds(**channel));
        told.filter_map(|(channel, _)| {
            let (epoch, seq) = state.channels.get(channel)?.head.as_ref()?;
            Some((wire_name(*channel), epoch.to_string(), *seq))
        })
        .collect()
    }

    /// Takes orders to the relay and deliveries to the sockets until the live part ends.
    pub async fn run(self: Rc<Self>, deliveries: Receiver<Delivery>, notify: impl Fn(Notice)) {
        tokio::select! {
            () = self.deliver(deliveries, notify) => {}
            () = self.pass_on() => {}
        }
    }

    /// Takes the orders of one turn of the worker to the relay together: each by itself would wake its thread. Waits
    /// for room there.
    async fn pass_on(&self) {
        loop {
            self.ordered.notified().await;
            while let Some(command) = self.next_order() {
                self.live.command(command).await;
            }
        }
    }

    fn next_order(&self) -> Option<Command> {
        self.state.borrow_mut().orders.pop_front()
    }

    async fn deliver(&self, deliveries: Receiver<Delivery>, notify: impl Fn(Notice)) {
        let mut queue = Queue { deliveries, ahead: None };
        while let Some(delivery) = queue.next().await {
            match delivery {
                Delivery::Event { channel, seq, name, forms, .. } => {
                    let mut round = Round::new(channel);
                    round.add(seq, forms);
                    let changed = self.go_round(channel, round, &mut queue).await;
                    if let Channel::User(person) = channel
                        && (changed || name.changes_access())
                    {
                        notify(Notice::Person(person));
                    }
                }
                Delivery::Drain { within_ms } => notify(Notice::Drain { within_ms }),
                Delivery::Watching { channel, fresh, epoch, head } => {
                    self.state.borrow_mut().stands(channel, (epoch, head));
                    if let Channel::User(person) = channel {
                        notify(Notice::Watching { person, fresh });
                    }
                }
                other => self.take(other),
            }
        }
    }

    /// Takes the events of one channel round, with those that come meanwhile. True when one of these changes what
    /// a person may see.
    async fn go_round(&self, channel: Channel, mut round: Round, queue: &mut Queue) -> bool {
        let mut changed = false;
        loop {
            while round.has_room()
                && let Some((seq, name, forms)) = queue.next_of(channel)
            {
                changed |= name.changes_access();
                round.add(seq, forms);
            }
            self.step(channel, &mut round);
            if round.is_over() {
                return changed;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Visits some members; a round whose channel nobody reads any more is over.
    fn step(&self, channel: Channel, round: &mut Round) {
        let mut guard = self.state.borrow_mut();
        let Some(side) = guard.channels.get_mut(&channel) else {
            *round = Round::new(channel);
            return;
        };
        for (socket, lost) in round.step(side, YIELD_AFTER) {
            guard.lag(socket, lost);
        }
    }

    fn take(&self, delivery: Delivery) {
        match delivery {
            Delivery::Answer { channel, socket, generation, envelopes, epoch, head } => {
                let mut state = self.state.borrow_mut();
                state.answer((socket, generation), channel, envelopes, (epoch, head));
            }
            Delivery::Refused { channel, socket, generation } => {
                self.refused(channel, socket, generation);
            }
            Delivery::Reset { channel, reason, epoch, head } => {
                self.reset(channel, reason, (epoch, head));
            }
            Delivery::Lost { channel } => self.rejoin(channel),
            Delivery::Close { socket, code } => {
                if let Some(entry) = self.state.borrow().sockets.get(&socket) {
                    entry.inbox.close(code);
                }
            }
            Delivery::Event { .. } | Delivery::Watching { .. } | Delivery::Drain { .. } => {}
        }
    }

    /// The client may ask the same again: who read the channel before reads it still, and asks with `sync`.
    fn refused(&self, channel: Channel, socket: SocketId, generation: u32) {
        let mut state = self.state.borrow_mut();
        let Some(entry) = state.sockets.get_mut(&socket) else { return };
        let known = entry.reads.get_mut(&channel);
        let Some(reading) = known.filter(|reading| reading.generation == generation) else {
            return;
        };
        let (code, name) = (Code::ServiceUnavailable, Some(wire_name(channel)));
        let refused = ErrorFrame { id: reading.request, code, retry: true, channel: name };
        entry.inbox.control(refused.envelope());
        entry.inbox.let_go();
        if reading.was_answered() {
            reading.told = Told::Lagged;
        } else {
            entry.reads.remove(&channel);
            self.release(&mut state, channel, socket);
        }
    }

    /// All readers of the channel start anew: by themselves after an epoch, by `sync` when we lagged.
    fn reset(&self, channel: Channel, reason: ResetReason, head: (Arc<str>, i64)) {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        let Some(side) = state.channels.get_mut(&channel) else { return };
        side.head = Some(head);
        let mut joins = Vec::new();
        for (socket, (inbox, _)) in std::mem::take(&mut side.members) {
            inbox.reset(channel, reason);
            let reads = state.sockets.get_mut(&socket).map(|entry| &mut entry.reads);
            let Some(reading) = reads.and_then(|reads| reads.get_mut(&channel)) else { continue };
            reading.told = Told::Lagged;
            reading.since = None;
            if reason != ResetReason::Lagged {
                reading.told = Told::Nothing { again: true };
                let reader = Some(reading.reader(socket));
                joins.push(Command::Join { channel, hub: self.id, reader });
            }
        }
        for join in joins {
            self.order(state, join);
        }
    }

    /// The session is gone: everybody goes on where the hub stands, with another one; who lagged is to ask first.
    fn rejoin(&self, channel: Channel) {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        let Some(side) = state.channels.get_mut(&channel) else { return };
        let held = side.head.as_ref();
        let held = held.map(|(epoch, seq)| Since { epoch: epoch.to_string(), seq: *seq });
        side.members.clear();
        let mut joins = vec![Command::Join { channel, hub: self.id, reader: None }];
        for (socket, entry) in &mut state.sockets {
            let Some(reading) = entry.reads.get_mut(&channel) else { continue };
            match reading.told {
                Told::Lagged => continue,
                Told::Everything => {
                    reading.told = Told::Nothing { again: true };
                    reading.since.clone_from(&held);
                }
                Told::Nothing { .. } => {}
            }
            joins.push(Command::Join {
                channel,
                hub: self.id,
                reader: Some(reading.reader(*socket)),
            });
        }
        for join in joins {
            self.order(state, join);
        }
    }

    fn release(&self, state: &mut State, channel: Channel, socket: SocketId) {
        let Some(side) = state.channels.get_mut(&channel) else { return };
        side.members.remove(&socket);
        side.interest = side.interest.saturating_sub(1);
        if side.interest == 0 {
            state.channels.remove(&channel);
            self.order(state, Command::Leave { channel, hub: self.id });
        }
    }

    fn order(&self, state: &mut State, command: Command) {
        state.orders.push_back(command);
        self.ordered.notify_one();
    }
}

/// Deliveries in their order; one that was looked at may stand ahead.
struct Queue {
    deliveries: Receiver<Delivery>,
    ahead: Option<Delivery>,
}

impl Queue {
    async fn next(&mut self) -> Option<Delivery> {
        match self.ahead.take() {
            Some(delivery) => Some(delivery),
            None => self.deliveries.recv().await,
        }
    }

    /// The next one, if it is there and an event of the channel.
    fn next_of(&mut self, channel: Channel) -> Option<(i64, EventName, Forms)> {
        match self.ahead.take().or_else(|| self.deliveries.try_recv().ok()) {
            Some(Delivery::Event { channel: of, seq, name, forms, .. }) if of == channel => {
                Some((seq, name, forms))
            }
            other => {
                self.ahead = other;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
