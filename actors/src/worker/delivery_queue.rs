//! The deliveries to one hub, in their order. The hub alone reads them.

use bipe_core::event::{Channel, CommittedName};
use tokio::sync::mpsc::Receiver;

use crate::envelope::EventForms;
use crate::messages::{Delivery, Push};

/// An event as it is delivered.
pub type DeliveredEvent = (i64, CommittedName, EventForms, Option<Push>);

pub struct DeliveryQueue {
    deliveries: Receiver<Delivery>,
    /// The next delivery, after `next_event` looked at it and did not take it.
    ahead: Option<Delivery>,
}

impl DeliveryQueue {
    pub fn new(deliveries: Receiver<Delivery>) -> Self {
        Self { deliveries, ahead: None }
    }

    /// None when there will be no more.
    pub async fn next(&mut self) -> Option<Delivery> {
        match self.ahead.take() {
            Some(delivery) => Some(delivery),
            None => self.deliveries.recv().await,
        }
    }

    /// The next delivery, if one waits and it is an event of the channel.
    pub fn next_event(&mut self, channel: Channel) -> Option<DeliveredEvent> {
        match self.ahead.take().or_else(|| self.deliveries.try_recv().ok()) {
            Some(Delivery::Event { channel: of, seq, name, forms, push }) if of == channel => {
                Some((seq, name, forms, push))
            }
            other => {
                self.ahead = other;
                None
            }
        }
    }
}
