//! The queues of the hubs of all workers. `Live` adds one for each hub; the relay finds the hub of a request here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::Sender;

use crate::messages::{Delivery, HubId};

/// Cheap to clone.
#[derive(Clone, Default)]
pub struct HubQueues(Arc<Mutex<HashMap<HubId, Sender<Delivery>>>>);

impl HubQueues {
    pub fn get(&self, hub: HubId) -> Option<Sender<Delivery>> {
        self.lock().get(&hub).cloned()
    }

    pub fn all(&self) -> Vec<Sender<Delivery>> {
        self.lock().values().cloned().collect()
    }

    /// Adds a hub and drops those whose worker has ended.
    pub fn add(&self, hub: HubId, queue: Sender<Delivery>) {
        let mut hubs = self.lock();
        hubs.retain(|_, queue| !queue.is_closed());
        hubs.insert(hub, queue);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<HubId, Sender<Delivery>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
