//! The live part of `Actors`: what the hubs of the workers hold to reach the relay, and the relay to reach them.
//!
//! Made once in `main` or a test and passed down. Every queue between the parts is bounded (invariant I7).

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bipe_core::Result;
use bipe_core::db::Db;
use bipe_core::event::{Channel, EventName};
use bipe_core::id::UserId;
use bipe_core::scope::JobScope;
use futures_util::future::BoxFuture;
use tokio::sync::{Semaphore, mpsc};

use crate::bus::Bus;
use crate::envelope::{Envelope, Forms, ResetReason, Since};
use crate::relay::Relay;

/// Orders of all hubs waiting for the relay; full, they wait in the hubs.
const COMMANDS: usize = 8 * 1024;
/// Deliveries waiting for one worker; full, the session keeps its place in the ring and goes on later.
const DELIVERIES: usize = 8 * 1024;

/// Of the six connections of jobs and relay.
const READS: usize = 2;

pub type HubId = u32;
pub type SocketId = u64;

/// The state that a reader starts from, as JSON.
#[derive(Clone, Debug)]
pub struct SnapshotData {
    pub full: String,
    /// What operators get; absent: the same.
    pub restricted: Option<String>,
}

pub type SnapshotOf = dyn Fn(Channel) -> BoxFuture<'static, Result<SnapshotData>> + Send + Sync;
pub type PersonChanged = dyn Fn(UserId) + Send + Sync;

/// What the live part needs of the rest.
pub struct Sources {
    pub db: Db,
    pub proof: JobScope,
    /// Reads the state of a channel from the stores that own it.
    pub snapshot: Box<SnapshotOf>,
    /// A membership or session of the person changed: what was cached of it is stale.
    pub person_changed: Box<PersonChanged>,
    /// Reads at once, so that the jobs keep a connection.
    pub(crate) reads: Semaphore,
}

impl Sources {
    pub fn new(
        (db, proof): (Db, JobScope),
        snapshot: Box<SnapshotOf>,
        person_changed: Box<PersonChanged>,
    ) -> Self {
        Self { db, proof, snapshot, person_changed, reads: Semaphore::new(READS) }
    }
}

/// A socket that wants to read a channel.
#[derive(Clone, Debug)]
pub struct Reader {
    pub socket: SocketId,
    /// Tells a newer request of the same socket from an older one.
    pub generation: u32,
    pub since: Option<Since>,
    /// May see finance data.
    pub finance: bool,
}

/// From a hub to the relay.
#[derive(Clone, Debug)]
pub enum Command {
    /// The hub gets the channel's events from now on; a reader is answered first. Without one the hub only
    /// watches, for itself.
    Join { channel: Channel, hub: HubId, reader: Option<Reader> },
    /// The hub has no reader of the channel left.
    Leave { channel: Channel, hub: HubId },
}

/// From a session to a hub.
#[derive(Clone, Debug)]
pub enum Delivery {
    /// The answer of a subscription: everything up to `head`. Events that follow continue it.
    Answer {
        channel: Channel,
        socket: SocketId,
        generation: u32,
        envelopes: Vec<Envelope>,
        epoch: Arc<str>,
        head: i64,
    },
    /// The hub hears the channel from `head` on. `fresh`: what came shortly before may have gone unheard.
    Watching {
        channel: Channel,
        fresh: bool,
        epoch: Arc<str>,
        head: i64,
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
        name: EventName,
        key: Arc<str>,
        forms: Forms,
    },
    /// All readers of the channel on the hub have to start anew; what follows continues `head`.
    Reset {
        channel: Channel,
        reason: ResetReason,
        epoch: Arc<str>,
        head: i64,
    },
    /// The channel's session crashed or stopped: readers on the hub join another one.
    Lost {
        channel: Channel,
    },
    /// One socket ends.
    Close {
        socket: SocketId,
        code: u16,
    },
    /// The node is going down: every socket ends within the time.
    Drain {
        within_ms: u64,
    },
}

/// The handle; cheap to clone, and the same on every worker.
#[derive(Clone)]
pub struct Live(Arc<Inner>);

struct Inner {
    commands: mpsc::Sender<Command>,
    hubs: Hubs,
    checked: Arc<AtomicI64>,
    next_hub: AtomicU32,
    db: Db,
}

/// The queues of the workers' hubs.
#[derive(Clone, Default)]
pub struct Hubs(Arc<Mutex<HashMap<HubId, mpsc::Sender<Delivery>>>>);

impl Hubs {
    pub fn get(&self, hub: HubId) -> Option<mpsc::Sender<Delivery>> {
        let hubs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hubs.get(&hub).cloned()
    }

    pub fn all(&self) -> Vec<mpsc::Sender<Delivery>> {
        let hubs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hubs.values().cloned().collect()
    }

    fn add(&self, hub: HubId, queue: mpsc::Sender<Delivery>) {
        let mut hubs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hubs.retain(|_, queue| !queue.is_closed());
        hubs.insert(hub, queue);
    }
}

impl Live {
    /// Starts the relay and its sessions on the arbiter.
    pub fn start(arbiter: &actix::ArbiterHandle, bus: Bus, sources: Sources) -> Self {
        let (commands, receiver) = mpsc::channel(COMMANDS);
        let (hubs, checked) = (Hubs::default(), Arc::new(AtomicI64::new(0)));
        let db = sources.db.clone();
        let relay = Relay::new(Arc::new(sources), hubs.clone(), checked.clone());
        arbiter.spawn_fn(move || drop(actix::spawn(relay.run(bus, receiver))));
        Self(Arc::new(Inner { commands, hubs, checked, next_hub: AtomicU32::new(0), db }))
    }

    /// The queue of a new hub.
    pub(crate) fn add_hub(&self) -> (HubId, mpsc::Receiver<Delivery>) {
        let id = self.0.next_hub.fetch_add(1, Ordering::Relaxed);
        let (queue, receiver) = mpsc::channel(DELIVERIES);
        self.0.hubs.add(id, queue);
        (id, receiver)
    }

    /// Waits for room in the relay's queue.
    pub(crate) async fn command(&self, command: Command) {
        // Without a relay the live part has ended.
        self.0.commands.send(command).await.ok();
    }

    /// Ends a socket on whatever worker it lives.
    pub async fn close(&self, hub: HubId, socket: SocketId, code: u16) {
        if let Some(queue) = self.0.hubs.get(hub) {
            queue.send(Delivery::Close { socket, code }).await.ok();
        }
    }

    /// Tells every socket to go within the time, spread over it.
    pub async fn drain(&self, within_ms: u64) {
        for queue in self.0.hubs.all() {
            queue.send(Delivery::Drain { within_ms }).await.ok();
        }
    }

    /// Seconds since the database was last asked for heads, so since revocations elsewhere are known.
    pub fn feed_age(&self) -> i64 {
        self.0.db.clock().now().as_second() - self.0.checked.load(Ordering::Relaxed)
    }
}
