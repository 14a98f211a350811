//! The messages between the hubs of the workers, the relay and the channels' sessions, and the ids they carry.
//!
//! Their way: a hub sends a `ChannelRequest` to the relay, the relay passes it to the session of that channel, and
//! the session sends `Delivery`s to the queue of the hub. Every queue on the way is bounded (invariant I7).

use std::sync::Arc;

use bipe_core::event::{Audience, Channel, CommittedName, Event, Head};
use bipe_core::trace::Span;
use tokio::sync::mpsc::Sender;

use crate::envelope::{Envelope, EventForms, ResetReason, Since};

/// The span of an event's way from its session to the inboxes of this node. It ends when the last hub drops it.
pub type Push = Arc<Span>;

/// One web worker's hub. Never used twice in a process.
pub type HubId = u32;
/// One socket of one hub. Never used twice by that hub.
pub type SocketId = u64;

/// A sequence number in one history of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Names the history; numbers of two epochs cannot be compared.
    pub epoch: Arc<str>,
    pub seq: i64,
}

impl Position {
    /// The channel has gone on, or has another history.
    pub fn is_behind(&self, head: &Head) -> bool {
        self.epoch != head.epoch || self.seq < head.seq
    }
}

/// A socket that subscribes to a channel.
#[derive(Clone, Debug)]
pub struct Reader {
    pub socket: SocketId,
    /// Grows with every request of the hub, so that an answer to an older request is recognised and dropped.
    pub generation: u32,
    /// Where the client stands; without it the client needs the state first.
    pub since: Option<Since>,
    pub audience: Audience,
}

/// From a hub to the relay.
#[derive(Clone, Debug)]
pub enum ChannelRequest {
    /// Send the hub the channel's events from now on, after an answer for the reader. Without a reader the hub
    /// itself listens.
    Join { channel: Channel, hub: HubId, reader: Option<Reader> },
    /// No socket of the hub reads the channel any more.
    Leave { channel: Channel, hub: HubId },
}

/// A `ChannelRequest` on its way from the relay to the session of its channel.
#[derive(Clone)]
pub enum SessionRequest {
    Join(Join),
    Leave(HubId),
}

/// A hub that joins a channel, and the queue that leads to it.
#[derive(Clone)]
pub struct Join {
    pub hub: HubId,
    pub queue: Sender<Delivery>,
    pub reader: Option<Reader>,
}

/// To a session: append these committed events of its channel, in the order in which the relay received them.
pub struct AppendEvents(pub Vec<Event>);

/// To a session: serve these requests, in the order in which the hubs made them.
pub struct ServeRequests(pub Vec<SessionRequest>);

/// To a session: this is the channel's head in the database; read what is missing.
pub struct CompareHead(pub Head);

impl actix::Message for AppendEvents {
    type Result = ();
}
impl actix::Message for ServeRequests {
    type Result = ();
}
impl actix::Message for CompareHead {
    type Result = ();
}

/// From a session, or the server's shutdown, to a hub.
#[derive(Clone, Debug)]
pub enum Delivery {
    /// The answer to a reader: everything up to `head`. The events that follow continue it.
    Subscribed {
        channel: Channel,
        socket: SocketId,
        generation: u32,
        envelopes: Vec<Envelope>,
        head: Position,
    },
    /// The hub itself receives the channel's events after `head`. With `just_started` the session had to read the
    /// head first: events that were committed shortly before may have reached no hub of this node.
    Listening {
        channel: Channel,
        just_started: bool,
        head: Position,
    },
    /// The channel cannot be read now; the client asks again.
    Refused {
        channel: Channel,
        socket: SocketId,
        generation: u32,
    },
    Event {
        channel: Channel,
        seq: i64,
        name: CommittedName,
        forms: EventForms,
        push: Option<Push>,
    },
    /// All readers of the channel on the hub start anew; the events that follow continue `head`.
    Reset {
        channel: Channel,
        reason: ResetReason,
        head: Position,
    },
    /// The channel's session crashed or stopped: the hub joins its successor.
    SessionLost {
        channel: Channel,
    },
    /// Close one socket with this code.
    Close {
        socket: SocketId,
        code: u16,
    },
    /// The server shuts down: every socket is closed within this time.
    Drain {
        within_ms: u64,
    },
}
