//! Where the relay receives events from: the commits of this process, and with NATS those of the other nodes.
//!
//! Read by the relay; `boot` connects it; `Nodes` is read by the limits and the admin's page; `listen` is for
//! `bipe doctor`. The database is the truth and the bus only makes it fast: an event that the bus loses is found by the
//! relay's head check. Invariant: the relay never waits for NATS. Its events go into a bounded queue, and what does not
//! fit is dropped, counted and found by the others' head checks.

mod bus_state;
pub mod health;
pub mod message;
mod nats;
pub mod node_state;
pub mod nodes;
pub mod refusals;
mod repairs;

use bipe_core::clock::Clock;
use bipe_core::event::{Event, Head};
use tokio::sync::mpsc;
use tokio::time::Instant;

use health::Health;
use message::ChannelUpdate;
pub use nats::probe::{BusObservation, listen};
pub use nats::{NatsError, NatsSettings, check};
pub use nodes::Nodes;
use repairs::Repairs;

/// Transactions, or messages of other nodes, that are received at once, at most.
const BATCH: usize = 64;
/// Transactions that wait for the publisher, at most.
const PUBLISHER_QUEUE: usize = 4_096;
/// Messages of other nodes that wait for the relay, at most.
const REMOTE_QUEUE: usize = 4_096;

/// What came in at once.
#[derive(Debug, Default)]
pub struct Received {
    /// Commits of this process.
    pub local: Vec<Event>,
    /// What the other nodes told, in the order of each.
    pub remote: Vec<ChannelUpdate>,
    /// Messages may be missing: the heads of all channels are compared now.
    pub is_suspect: bool,
}

pub struct Bus {
    /// The commits of this process, as `Db::open` announces them, one `Vec` for each transaction.
    committed: mpsc::Receiver<Vec<Event>>,
    nodes: Nodes,
    remote: Option<Remote>,
}

/// The queues to and from the other nodes.
struct Remote {
    outgoing: mpsc::Sender<Vec<Event>>,
    incoming: mpsc::Receiver<Vec<ChannelUpdate>>,
    repairs: Repairs,
}

impl Remote {
    /// What came in was not lost.
    fn note_pushes(&mut self, received: &Received) {
        if self.repairs.is_empty() {
            return;
        }
        for Event { channel, epoch, seq, .. } in &received.local {
            self.repairs.bring(*channel, epoch, *seq);
        }
        for Head { channel, epoch, seq } in received.remote.iter().map(|update| &update.head) {
            self.repairs.bring(*channel, epoch, *seq);
        }
    }
}

impl Bus {
    /// The bus of a node that is alone, or learns of the others by the head check.
    pub fn local(committed: mpsc::Receiver<Vec<Event>>, clock: Clock) -> Self {
        Self { committed, nodes: Nodes::alone(clock), remote: None }
    }

    /// With the other nodes. A NATS that does not answer is tried again and again; the node works without it.
    ///
    /// # Errors
    /// `NatsError` for settings that can never connect.
    pub async fn connect(
        committed: mpsc::Receiver<Vec<Event>>,
        settings: NatsSettings,
    ) -> Result<Self, NatsError> {
        let (outgoing, publisher) = mpsc::channel(PUBLISHER_QUEUE);
        let (subscriber, incoming) = mpsc::channel(REMOTE_QUEUE);
        let (node, clock) = (settings.node, settings.clock.clone());
        let nodes = Nodes::on_bus(node, clock, outgoing.downgrade(), subscriber.downgrade());
        nats::start(settings, nodes.clone(), publisher, subscriber).await?;
        Ok(Self {
            committed,
            nodes,
            remote: Some(Remote { outgoing, incoming, repairs: Repairs::default() }),
        })
    }

    /// What is known of the other nodes.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Adds what came in to `received`; false when there will be no more. May be cancelled without losing anything.
    pub async fn next(&mut self, received: &mut Received) -> bool {
        let Some(remote) = &mut self.remote else {
            return next_commits(&mut self.committed, received).await;
        };
        let mut parts = Vec::new();
        let is_open = tokio::select! {
            open = next_commits(&mut self.committed, received) => {
                let is_full = || remote.outgoing.try_send(received.local.clone()).is_err();
                if !received.local.is_empty() && is_full() {
                    self.nodes.drop_message("out", Health::note_unsent);
                }
                open
            }
            1.. = remote.incoming.recv_many(&mut parts, BATCH) => {
                received.remote.extend(parts.into_iter().flatten());
                true
            }
            () = self.nodes.suspected() => {
                received.is_suspect = true;
                true
            }
        };
        remote.note_pushes(received);
        is_open
    }

    /// No other node's event can be missing unseen now: most heads need no comparison.
    pub fn is_trusted(&self) -> bool {
        self.nodes.update(|health, now| health.is_trusted(now))
    }

    /// This node committed something that it could not announce.
    pub fn note_unannounced(&self) {
        self.nodes.update(Health::note_unsent);
    }

    /// The head check found what no push has brought yet.
    pub fn note_repairs(&mut self, heads: Vec<Head>) {
        let Some(remote) = &mut self.remote else { return };
        for head in heads {
            remote.repairs.add(head, Instant::now());
        }
        self.nodes.update(Health::suspect);
    }

    /// Looks for pushes that did not come; called once a second.
    pub fn check_repairs(&mut self) {
        let Some(remote) = &mut self.remote else { return };
        if remote.repairs.take_lost(Instant::now()) {
            self.nodes.update(Health::note_lost_push);
        }
    }

    /// How many channels have a session now.
    pub fn set_channels(&self, count: usize) {
        self.nodes.set_channels(count);
    }
}

async fn next_commits(committed: &mut mpsc::Receiver<Vec<Event>>, received: &mut Received) -> bool {
    let mut batches = Vec::new();
    let count = committed.recv_many(&mut batches, BATCH).await;
    received.local.extend(batches.into_iter().flatten());
    count > 0
}
