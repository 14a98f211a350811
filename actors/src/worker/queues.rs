//! The queues of the hubs of all workers. `Live` adds one for each hub; the relay finds the hub of a request here, and
//! tells all of them that a session is lost.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bipe_core::event::Channel;
use parking_lot::Mutex;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

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

    fn ids(&self) -> Vec<HubId> {
        self.0.lock().keys().copied().collect()
    }

    /// Adds a hub and drops those whose worker has ended.
    pub fn add(&self, hub: HubId, queue: Sender<Delivery>) {
        let mut hubs = self.0.lock();
        hubs.retain(|_, queue| !queue.is_closed());
        hubs.insert(hub, queue);
    }
}

/// The hubs that were not told yet that the session of a channel is lost, because their queue was full. Each pair is
/// held once: at most the channels times the hubs.
#[derive(Default)]
pub struct LostSessions(HashSet<(HubId, Channel)>);

impl LostSessions {
    /// Tells every hub to join the channel's next session.
    pub fn add(&mut self, channel: Channel, hubs: &HubQueues) {
        self.0.extend(hubs.ids().into_iter().map(|hub| (hub, channel)));
        self.tell(hubs);
    }

    /// Tells the hubs that have room by now.
    pub fn tell(&mut self, hubs: &HubQueues) {
        self.0.retain(|(hub, channel)| {
            let Some(queue) = hubs.get(*hub) else { return false };
            let told = queue.try_send(Delivery::SessionLost { channel: *channel });
            matches!(told, Err(TrySendError::Full(_)))
        });
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    #[test]
    fn a_hub_whose_queue_is_full_is_told_of_every_lost_session_once_it_has_room() {
        let (hubs, mut lost) = (HubQueues::default(), LostSessions::default());
        let (queue, mut deliveries) = mpsc::channel(1);
        hubs.add(1, queue.clone());
        queue.try_send(Delivery::Close { socket: 1, code: 4000 }).unwrap();
        for channel in [Channel::Plans, Channel::AdminMetrics, Channel::Plans] {
            lost.add(channel, &hubs);
        }
        let mut told = HashSet::new();
        while let Ok(delivery) = deliveries.try_recv() {
            if let Delivery::SessionLost { channel } = delivery {
                assert!(told.insert(channel), "{channel:?} is told once");
            }
            lost.tell(&hubs);
        }
        assert_eq!(told, HashSet::from([Channel::Plans, Channel::AdminMetrics]));
        assert!(lost.0.is_empty());
    }

    #[test]
    fn a_hub_whose_worker_has_ended_is_not_remembered() {
        let (hubs, mut lost) = (HubQueues::default(), LostSessions::default());
        let (queue, deliveries) = mpsc::channel(1);
        hubs.add(1, queue.clone());
        queue.try_send(Delivery::SessionLost { channel: Channel::Plans }).unwrap();
        lost.add(Channel::Plans, &hubs);
        assert_eq!(lost.0.len(), 1);
        drop(deliveries);
        lost.tell(&hubs);
        assert!(lost.0.is_empty());
    }

    #[test]
    fn a_hub_whose_worker_has_ended_is_dropped_when_the_next_one_comes() {
        let hubs = HubQueues::default();
        let (first, ending) = mpsc::channel(1);
        let (second, _running) = mpsc::channel(1);
        let (third, _new) = mpsc::channel(1);
        hubs.add(1, first);
        hubs.add(2, second);
        assert_eq!(hubs.all().len(), 2);
        drop(ending);
        hubs.add(3, third);
        assert_eq!([1, 2, 3].map(|hub| hubs.get(hub).is_some()), [false, true, true]);
        assert_eq!(hubs.all().len(), 2);
    }
}
