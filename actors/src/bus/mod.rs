//! Where the relay receives events from: the commits of this process, and with NATS those of the other nodes.
//!
//! Used by the relay alone. The database is the truth and the bus only makes it fast: an event that the bus loses is
//! found by the relay's head check. Invariant: the relay never waits for NATS. Its events go into a bounded queue, and
//! what does not fit is dropped, counted and found by the others' head checks.

pub mod health;
pub mod message;
mod nats;

use std::sync::Arc;

use bipe_core::event::Event;
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use health::Health;
use message::ChannelUpdate;
pub use nats::{NatsError, NatsSettings};

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
    /// Of the other nodes, in the order of each.
    pub remote: Vec<ChannelUpdate>,
    /// Messages may be missing: the heads of all channels are compared now.
    pub is_suspect: bool,
}

pub struct Bus {
    /// The commits of this process, as `Db::open` announces them, one `Vec` for each transaction.
    committed: mpsc::Receiver<Vec<Event>>,
    remote: Option<Remote>,
}

/// The other nodes.
struct Remote {
    outgoing: mpsc::Sender<Vec<Event>>,
    incoming: mpsc::Receiver<Vec<ChannelUpdate>>,
    shared: Arc<SharedHealth>,
}

/// Shared by the relay, the publisher and the subscriber.
pub(crate) struct SharedHealth {
    health: Mutex<Health>,
    /// Wakes the relay when the bus becomes suspect.
    suspected: Notify,
}

impl SharedHealth {
    /// Changes the health, and wakes the relay where it got worse.
    fn update<T>(&self, change: impl FnOnce(&mut Health, Instant) -> T) -> T {
        let now = Instant::now();
        let mut health = self.health.lock();
        let before = health.suspicions();
        let answer = change(&mut health, now);
        if health.suspicions() != before {
            self.suspected.notify_one();
        }
        answer
    }
}

impl Bus {
    /// Of a node that is alone, or learns of the others by the head check.
    pub fn local(committed: mpsc::Receiver<Vec<Event>>) -> Self {
        Self { committed, remote: None }
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
        let health = Mutex::new(Health::new(settings.node, Instant::now()));
        let shared = Arc::new(SharedHealth { health, suspected: Notify::new() });
        nats::start(settings, shared.clone(), publisher, subscriber).await?;
        Ok(Self { committed, remote: Some(Remote { outgoing, incoming, shared }) })
    }

    /// Adds what came in to `received`; false when there will be no more. May be cancelled without losing anything.
    pub async fn next(&mut self, received: &mut Received) -> bool {
        let Some(remote) = &mut self.remote else {
            return next_commits(&mut self.committed, received).await;
        };
        let mut parts = Vec::new();
        tokio::select! {
            open = next_commits(&mut self.committed, received) => {
                if !received.local.is_empty() {
                    remote.publish(&received.local);
                }
                open
            }
            1.. = remote.incoming.recv_many(&mut parts, BATCH) => {
                received.remote.extend(parts.into_iter().flatten());
                true
            }
            () = remote.shared.suspected.notified() => {
                received.is_suspect = true;
                true
            }
        }
    }

    /// No other node's event can be missing unseen now: most heads need no comparison.
    pub fn is_trusted(&self) -> bool {
        let is_trusted = |remote: &Remote| remote.shared.health.lock().is_trusted(Instant::now());
        self.remote.as_ref().is_some_and(is_trusted)
    }

    /// This node committed something that it could not announce.
    pub fn missed(&self) {
        if let Some(remote) = &self.remote {
            remote.shared.update(Health::dropped);
        }
    }

    /// The head check found what the bus should have brought.
    pub fn repaired(&self) {
        if let Some(remote) = &self.remote {
            remote.shared.update(Health::repaired);
        }
    }
}

impl Remote {
    fn publish(&self, events: &[Event]) {
        if self.outgoing.try_send(events.to_vec()).is_err() {
            metrics::counter!("bipe_bus_dropped_total", "queue" => "out").increment(1);
            self.shared.update(Health::dropped);
        }
    }
}

async fn next_commits(committed: &mut mpsc::Receiver<Vec<Event>>, received: &mut Received) -> bool {
    let mut batches = Vec::new();
    let count = committed.recv_many(&mut batches, BATCH).await;
    received.local.extend(batches.into_iter().flatten());
    count > 0
}
