//! The queues of the hubs of all workers. `Live` adds one for each hub; the relay finds the hub of a request here.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::mpsc::Sender;

use crate::messages::{Delivery, HubId};

/// Cheap to clone.
#[derive(Clone, Default)]
pub struct HubQueues(Arc<Mutex<HashMap<HubId, Sender<Delivery>>>>);

impl HubQueues {
    pub fn get(&self, hub: HubId) -> Option<Sender<Delivery>> {
        self.0.lock().get(&hub).cloned()
    }

    pub fn all(&self) -> Vec<Sender<Delivery>> {
        self.0.lock().values().cloned().collect()
    }

    /// Adds a hub and drops those whose worker has ended.
    pub fn add(&self, hub: HubId, queue: Sender<Delivery>) {
        let mut hubs = self.0.lock();
        hubs.retain(|_, queue| !queue.is_closed());
        hubs.insert(hub, queue);
    }
}
