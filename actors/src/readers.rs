//! Which socket of one worker reads which channel; the hub's memory, without its queues.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use bipe_core::event::Channel;
use bipe_core::id::UserId;

use crate::envelope::{Envelope, Since};
use crate::inbox::Inbox;
use crate::live::{Command, Reader, SocketId};

#[derive(Default)]
pub struct State {
    pub next_socket: SocketId,
    pub next_generation: u32,
    pub sockets: HashMap<SocketId, Socket>,
    pub channels: HashMap<Channel, Side>,
    /// On their way to the relay.
    pub orders: VecDeque<Command>,
}

pub struct Socket {
    pub user: UserId,
    pub inbox: Rc<Inbox>,
    pub reads: HashMap<Channel, Reading>,
}

/// One subscription.
pub struct Reading {
    pub generation: u32,
    pub finance: bool,
    pub request: u64,
    pub told: Told,
    /// What the client held when it asked.
    pub since: Option<Since>,
}

/// What a reader was told of its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing yet: the answer is under way. `again` after an earlier one.
    Nothing { again: bool },
    /// Answered, and not reset since.
    Everything,
    /// That it lagged: nothing follows until it asks, and heads go on naming the channel.
    Lagged,
}

/// One channel on this worker.
#[derive(Default)]
pub struct Side {
    /// Subscriptions and the sockets of the person itself; at none the hub leaves.
    pub interest: usize,
    pub members: BTreeMap<SocketId, (Rc<Inbox>, bool)>,
    pub head: Option<(Arc<str>, i64)>,
}

impl State {
    pub fn answer(
        &mut self,
        (socket, generation): (SocketId, u32),
        channel: Channel,
        envelopes: Vec<Envelope>,
        head: (Arc<str>, i64),
    ) {
        let Some(entry) = self.sockets.get_mut(&socket) else { return };
        let reading = entry.reads.get_mut(&channel);
        let Some(reading) = reading.filter(|reading| reading.generation == generation) else {
            return;
        };
        reading.told = Told::Everything;
        reading.since = None;
        let lost = entry.inbox.answer(channel, envelopes);
        let side = self.channels.entry(channel).or_default();
        side.head = Some(head);
        side.members.insert(socket, (entry.inbox.clone(), reading.finance));
        if let Some(lost) = lost {
            self.lag(socket, lost);
        }
    }

    /// Where the channel stands; the events that follow continue it.
    pub fn stands(&mut self, channel: Channel, head: (Arc<str>, i64)) {
        if let Some(side) = self.channels.get_mut(&channel) {
            side.head = Some(head);
        }
    }

    /// The socket was told to start the channel anew.
    pub fn lag(&mut self, socket: SocketId, channel: Channel) {
        metrics::counter!("bipe_live_lagged_total").increment(1);
        if let Some(side) = self.channels.get_mut(&channel) {
            side.members.remove(&socket);
        }
        let reads = self.sockets.get_mut(&socket).map(|entry| &mut entry.reads);
        if let Some(reading) = reads.and_then(|reads| reads.get_mut(&channel)) {
            reading.told = Told::Lagged;
        }
    }
}

impl Reading {
    pub fn was_answered(&self) -> bool {
        self.told != Told::Nothing { again: false }
    }

    pub fn reader(&self, socket: SocketId) -> Reader {
        let (generation, finance) = (self.generation, self.finance);
        Reader { socket, generation, since: self.since.clone(), finance }
    }
}

impl Side {
    /// True for the first one.
    pub fn claim(&mut self) -> bool {
        self.interest += 1;
        self.interest == 1
    }
}
