//! Which socket of one worker reads which channel, and how far each was told. The memory of the hub, which alone
//! changes it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use bipe_core::event::{Audience, Channel};
use bipe_core::id::UserId;

use super::inbox::Inbox;
use crate::envelope::{Envelope, Since};
use crate::messages::{ChannelRequest, Position, Reader, SocketId};

#[derive(Default)]
pub struct Readers {
    /// The id that was given last.
    pub last_socket: SocketId,
    /// The generation that was given last.
    pub last_generation: u32,
    pub sockets: HashMap<SocketId, Socket>,
    pub channels: HashMap<Channel, ChannelReaders>,
    /// Requests on their way to the relay.
    pub requests: VecDeque<ChannelRequest>,
}

pub struct Socket {
    pub user: UserId,
    pub inbox: Rc<Inbox>,
    pub subscriptions: HashMap<Channel, Subscription>,
}

/// One channel that one socket reads.
pub struct Subscription {
    /// Of the newest request; an answer to another generation is dropped.
    pub generation: u32,
    pub audience: Audience,
    /// The client's id of the newest request.
    pub request: u64,
    pub progress: Progress,
    /// Where the client stood when it asked; cleared by the answer.
    pub since: Option<Since>,
}

/// How far a reader was told of its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Its answer is under way.
    Waiting { answered_before: bool },
    /// It was answered and gets every event.
    Current,
    /// It was told to start anew and gets nothing until it asks. `heads` go on naming the channel.
    Lagged,
}

/// One channel on this worker.
#[derive(Default)]
pub struct ChannelReaders {
    /// Subscriptions, and sockets of the person whose own channel this is. At zero the hub leaves the channel.
    pub uses: usize,
    /// The readers whose progress is `Current`.
    pub current: BTreeMap<SocketId, CurrentReader>,
    /// The channel's newest position of which every current reader was told; none before the first answer.
    pub head: Option<Position>,
}

pub struct CurrentReader {
    pub inbox: Rc<Inbox>,
    pub audience: Audience,
}

impl Readers {
    pub fn next_generation(&mut self) -> u32 {
        self.last_generation = self.last_generation.wrapping_add(1);
        self.last_generation
    }

    /// Puts the answer of a subscription into the socket's inbox. Drops an answer to an older request.
    pub fn answer(
        &mut self,
        channel: Channel,
        reader: (SocketId, u32),
        envelopes: Vec<Envelope>,
        head: Position,
    ) {
        let (socket, generation) = reader;
        let Some(entry) = self.sockets.get_mut(&socket) else { return };
        let subscription = entry.subscriptions.get_mut(&channel);
        let Some(subscription) = subscription.filter(|known| known.generation == generation) else {
            return;
        };
        subscription.progress = Progress::Current;
        subscription.since = None;
        let reset = entry.inbox.put_answer(channel, envelopes);
        let readers = self.channels.entry(channel).or_default();
        readers.head = Some(head);
        let current = CurrentReader { inbox: entry.inbox.clone(), audience: subscription.audience };
        readers.current.insert(socket, current);
        if let Some(reset) = reset {
            self.lag(socket, reset);
        }
    }

    /// Notes the channel's head; the events that follow continue it.
    pub fn set_head(&mut self, channel: Channel, head: Position) {
        if let Some(readers) = self.channels.get_mut(&channel) {
            readers.head = Some(head);
        }
    }

    /// Notes that the socket was told to start the channel anew.
    pub fn lag(&mut self, socket: SocketId, channel: Channel) {
        metrics::counter!("bipe_live_lagged_total").increment(1);
        if let Some(readers) = self.channels.get_mut(&channel) {
            readers.current.remove(&socket);
        }
        let subscriptions = self.sockets.get_mut(&socket).map(|entry| &mut entry.subscriptions);
        if let Some(subscription) = subscriptions.and_then(|all| all.get_mut(&channel)) {
            subscription.progress = Progress::Lagged;
        }
    }
}

impl Subscription {
    pub fn was_answered(&self) -> bool {
        self.progress != Progress::Waiting { answered_before: false }
    }

    pub fn reader(&self, socket: SocketId) -> Reader {
        let (generation, audience) = (self.generation, self.audience);
        Reader { socket, generation, since: self.since.clone(), audience }
    }
}

impl ChannelReaders {
    /// Counts one more use; true for the first.
    pub fn add_use(&mut self) -> bool {
        self.uses += 1;
        self.uses == 1
    }
}
