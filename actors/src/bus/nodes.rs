//! The handle to what this process knows of the bus and of the other nodes (`bus_state.rs`). Shared by the relay, the
//! publisher and the subscriber, and read by the limits and the admin's page.
//!
//! Invariant: whoever makes the bus worse wakes the relay, which compares all heads then.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::event::Event;
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use uuid::Uuid;

use super::bus_state::{BusState, ReceiveOutcome};
use super::health::Health;
use super::message::{ChannelUpdate, Message};
use super::node_state::{NodeQueues, NodeState, OtherNode, bounded};
use super::refusals::{Refusal, Refused};

/// Cheap to clone.
#[derive(Clone)]
pub struct Nodes(Arc<Inner>);

struct Inner {
    /// Of this process.
    id: Uuid,
    clock: Clock,
    /// None without NATS.
    bus: Option<BusParts>,
    /// What this node says of itself; set once the server is assembled.
    own: OnceLock<Box<OwnState>>,
    /// Channels with a session.
    channels: AtomicU32,
    live: LiveNodes,
}

/// How many nodes of the installation are heard, with this one. Cheap to clone; the limits divide by it.
#[derive(Clone, Debug)]
pub struct LiveNodes(Arc<AtomicU32>);

impl Default for LiveNodes {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(1)))
    }
}

impl LiveNodes {
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    pub fn set(&self, count: u32) {
        self.0.store(count.max(1), Ordering::Relaxed);
    }
}

/// Composes what this node says of itself. The bus adds its own queues.
pub type OwnState = dyn Fn() -> Option<NodeState> + Send + Sync;

struct BusParts {
    state: Mutex<BusState>,
    /// Wakes the relay when the bus becomes suspect.
    suspected: Notify,
    /// Wakes the publisher to tell this node's state at once.
    asked: Notify,
    /// The publisher has told the others that this node leaves.
    left: Notify,
    outgoing: mpsc::WeakSender<Vec<Event>>,
    incoming: mpsc::WeakSender<Vec<ChannelUpdate>>,
}

/// The bus as the admin's page shows it.
#[derive(Clone, Debug)]
pub struct BusReport {
    pub is_connected: bool,
    /// How long the bus has been suspect; none while it is trusted.
    pub suspect_for: Option<Duration>,
    pub suspicions: u64,
    pub dropped: u64,
    /// By reason.
    pub refused: Vec<Refused>,
}

impl Nodes {
    /// A node without a bus.
    pub fn alone(clock: Clock) -> Self {
        Self::new(clock.uuid(), clock, None)
    }

    pub(super) fn on_bus(
        id: Uuid,
        clock: Clock,
        outgoing: mpsc::WeakSender<Vec<Event>>,
        incoming: mpsc::WeakSender<Vec<ChannelUpdate>>,
    ) -> Self {
        let state = Mutex::new(BusState::new(id, Instant::now()));
        let [suspected, asked, left] = std::array::from_fn(|_| Notify::new());
        Self::new(id, clock, Some(BusParts { state, suspected, asked, left, outgoing, incoming }))
    }

    fn new(id: Uuid, clock: Clock, bus: Option<BusParts>) -> Self {
        metrics::gauge!("bipe_nodes").set(1.0);
        let (own, channels, live) = (OnceLock::new(), AtomicU32::new(0), LiveNodes::default());
        Self(Arc::new(Inner { id, clock, bus, own, channels, live }))
    }

    /// The id of this node.
    pub fn id(&self) -> Uuid {
        self.0.id
    }

    /// Stays 1 without a bus.
    pub fn live(&self) -> &LiveNodes {
        &self.0.live
    }

    /// Sets who composes the state of this node; the first one stays.
    pub fn set_own_state(&self, own: Box<OwnState>) {
        self.0.own.set(own).ok();
        self.tell_state();
    }

    /// Tells the others the state of this node at once.
    pub fn tell_state(&self) {
        if let Some(bus) = &self.0.bus {
            bus.asked.notify_one();
        }
    }

    pub(super) fn note_left(&self) {
        if let Some(bus) = &self.0.bus {
            bus.left.notify_one();
        }
    }

    /// Resolves once the others know that this node has left, which it does when the relay ends; without a word of NATS
    /// after the timeout.
    pub async fn left(&self, timeout: Duration) {
        if let Some(bus) = &self.0.bus {
            tokio::time::timeout(timeout, bus.left.notified()).await.ok();
        }
    }

    /// The state of this node; none before the server is assembled.
    pub fn own(&self) -> Option<NodeState> {
        let own = self.0.own.get()?()?;
        let (bus_out, bus_in) = self.0.bus.as_ref().map_or((0, 0), BusParts::waiting);
        let queues = NodeQueues { bus_out, bus_in, ..own.queues };
        Some(NodeState { channels: self.0.channels.load(Ordering::Relaxed), queues, ..own })
    }

    /// The others that were heard within the last minute, the longest running first.
    pub fn others(&self) -> Vec<OtherNode> {
        let list = |bus: &BusParts| bus.state.lock().others.list(Instant::now());
        self.0.bus.as_ref().map(list).unwrap_or_default()
    }

    /// None without NATS.
    pub fn bus(&self) -> Option<BusReport> {
        let state = self.0.bus.as_ref()?.state.lock();
        let suspect_since = state.health.suspect_since(Instant::now());
        Some(BusReport {
            is_connected: state.is_connected,
            suspect_for: suspect_since.map(|since| since.elapsed()),
            suspicions: state.health.suspicions(),
            dropped: state.dropped,
            refused: state.refusals.list(),
        })
    }

    pub(super) fn set_channels(&self, count: usize) {
        self.0.channels.store(bounded(count), Ordering::Relaxed);
    }

    /// Changes the health of the bus, and wakes the relay where it got worse. The default without a bus.
    pub(super) fn update<T: Default>(&self, change: impl FnOnce(&mut Health, Instant) -> T) -> T {
        self.0
            .bus
            .as_ref()
            .map(|bus| bus.update(|state, now| change(&mut state.health, now)))
            .unwrap_or_default()
    }

    /// A message could not be passed on.
    pub(super) fn drop_message(&self, queue: &'static str, change: fn(&mut Health, Instant)) {
        metrics::counter!("bipe_bus_dropped_total", "queue" => queue).increment(1);
        if let Some(bus) = &self.0.bus {
            bus.update(|state, now| {
                state.dropped += 1;
                change(&mut state.health, now);
            });
        }
    }

    pub(super) fn refuse(&self, refusal: Refusal) {
        let Some(bus) = &self.0.bus else { return };
        let counted = bus.update(|state, now| state.refuse(refusal, now));
        let (Some(is_named), reason) = (counted, refusal.as_str()) else { return };
        metrics::counter!("bipe_bus_refused_total", "reason" => reason).increment(1);
        if is_named {
            tracing::warn!(reason, "a message on the bus is refused: {}", refusal.meaning());
        }
    }

    pub(super) fn set_connected(&self, is_connected: bool) {
        if let Some(bus) = &self.0.bus {
            bus.state.lock().is_connected = is_connected;
        }
    }

    /// Counts a proven message; whether it is new.
    pub(super) fn receive(&self, message: &Message) -> bool {
        let Some(bus) = &self.0.bus else { return false };
        let clock_ahead = message.sent_at.duration_since(self.0.clock.now());
        let received = bus.update(|state, now| {
            let received = state.receive(message, clock_ahead, now);
            if message.leaving || received == ReceiveOutcome::FromNewNode {
                self.set_live(state.live(now));
            }
            received
        });
        if received == ReceiveOutcome::FromNewNode {
            self.tell_state();
        }
        received != ReceiveOutcome::Repeated
    }

    /// Finds who is silent and publishes the figures; called every 300 ms.
    pub(super) fn check_silence(&self) {
        let Some(bus) = &self.0.bus else { return };
        let is_trusted = bus.update(|state, now| {
            state.forget_silent(now);
            self.set_live(state.live(now));
            state.health.is_trusted(now)
        });
        metrics::gauge!("bipe_bus_trusted").set(if is_trusted { 1.0 } else { 0.0 });
    }

    fn set_live(&self, count: u32) {
        self.0.live.set(count);
        metrics::gauge!("bipe_nodes").set(f64::from(count));
    }

    /// Waits until the bus has become suspect; for ever without a bus.
    pub(super) async fn suspected(&self) {
        match &self.0.bus {
            Some(bus) => bus.suspected.notified().await,
            None => std::future::pending().await,
        }
    }

    /// Waits until somebody wants to hear the state of this node.
    pub(super) async fn asked(&self) {
        match &self.0.bus {
            Some(bus) => bus.asked.notified().await,
            None => std::future::pending().await,
        }
    }
}

impl BusParts {
    fn update<T>(&self, change: impl FnOnce(&mut BusState, Instant) -> T) -> T {
        let now = Instant::now();
        let mut state = self.state.lock();
        let before = state.health.suspicions();
        let answer = change(&mut state, now);
        let new = state.health.suspicions().saturating_sub(before);
        if new > 0 {
            metrics::counter!("bipe_bus_suspicions_total").increment(new);
            self.suspected.notify_one();
        }
        answer
    }

    /// How much waits in the outgoing and in the incoming queue.
    fn waiting(&self) -> (u32, u32) {
        (waiting(&self.outgoing), waiting(&self.incoming))
    }
}

fn waiting<T>(queue: &mpsc::WeakSender<T>) -> u32 {
    queue.upgrade().map_or(0, |queue| bounded(queue.max_capacity() - queue.capacity()))
}
