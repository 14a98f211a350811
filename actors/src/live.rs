//! Starts the live part and holds the handle to it: the hubs of the workers reach the relay through `Live`, and the
//! server closes and drains sockets through it.
//!
//! Made once by the server or a test and passed down; cheap to clone, and the same on every worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::bus::Bus;
use crate::messages::{ChannelRequest, Delivery, HubId, SocketId};
use crate::pulse::Pulse;
use crate::relay::Relay;
use crate::sources::Sources;
use crate::worker::queues::HubQueues;

/// Requests of all hubs that wait for the relay. When it is full, requests wait in the hubs.
const REQUESTS: usize = 8 * 1024;
/// Deliveries that wait for one hub. When it is full, the session remembers what the hub was sent and tries again.
const DELIVERIES: usize = 8 * 1024;
/// How long a drain waits for room in the queue of one hub.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Live(Arc<Inner>);

struct Inner {
    requests: mpsc::Sender<ChannelRequest>,
    hubs: HubQueues,
    next_hub: AtomicU32,
    pulse: Pulse,
}

impl Live {
    /// Starts the relay on the arbiter; the relay starts the sessions there.
    pub fn start(arbiter: &actix::ArbiterHandle, bus: Bus, sources: Sources) -> Self {
        let (requests, receiver) = mpsc::channel(REQUESTS);
        let (hubs, pulse) = (HubQueues::default(), Pulse::default());
        let relay = Relay::new(Arc::new(sources), hubs.clone(), pulse.clone());
        arbiter.spawn_fn(move || drop(actix::spawn(relay.run(bus, receiver))));
        Self(Arc::new(Inner { requests, hubs, next_hub: AtomicU32::new(0), pulse }))
    }

    /// Whether the relay's loop goes on.
    pub fn pulse(&self) -> Pulse {
        self.0.pulse.clone()
    }

    /// The id of a new hub, and the queue that it reads.
    pub(crate) fn add_hub(&self) -> (HubId, mpsc::Receiver<Delivery>) {
        let id = self.0.next_hub.fetch_add(1, Ordering::Relaxed);
        let (queue, receiver) = mpsc::channel(DELIVERIES);
        self.0.hubs.add(id, queue);
        (id, receiver)
    }

    /// Waits for room in the relay's queue.
    pub(crate) async fn request(&self, request: ChannelRequest) {
        // An error means that the relay has ended, and with it the live part.
        self.0.requests.send(request).await.ok();
    }

    /// Closes a socket on whatever worker it lives.
    pub async fn close(&self, hub: HubId, socket: SocketId, code: u16) {
        if let Some(queue) = self.0.hubs.get(hub) {
            queue.send(Delivery::Close { socket, code }).await.ok();
        }
    }

    /// Closes every socket within the time; the hubs spread the closes over it. No hub waits for one that hangs.
    pub async fn drain(&self, within_ms: u64) {
        let hubs = self.0.hubs.all();
        let told = hubs
            .iter()
            .map(|queue| timeout(DRAIN_TIMEOUT, queue.send(Delivery::Drain { within_ms })));
        join_all(told).await;
    }
}

#[cfg(test)]
impl Live {
    /// Without a relay: whoever made it reads the hubs' requests and fills their queues.
    pub(crate) fn without_relay() -> (Self, mpsc::Receiver<ChannelRequest>, HubQueues) {
        let (requests, receiver) = mpsc::channel(REQUESTS);
        let hubs = HubQueues::default();
        let next_hub = AtomicU32::new(0);
        let inner = Inner { requests, hubs: hubs.clone(), next_hub, pulse: Pulse::default() };
        (Self(Arc::new(inner)), receiver, hubs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_worker_that_hangs_keeps_no_other_one_from_draining() {
        let (live, _requests, queues) = Live::without_relay();
        let (hub, _hangs) = live.add_hub();
        let (_, mut deliveries) = live.add_hub();
        let queue = queues.get(hub).unwrap();
        while queue.try_send(Delivery::Close { socket: 1, code: 4000 }).is_ok() {}
        timeout(Duration::from_secs(20), live.drain(1_000)).await.unwrap();
        assert!(matches!(deliveries.try_recv(), Ok(Delivery::Drain { within_ms: 1_000 })));
    }
}
