//! The deliveries to one hub, in their order. The hub alone reads them.

use bipe_core::event::{Channel, CommittedName};
use tokio::sync::mpsc::Receiver;

use crate::envelope::EventForms;
use crate::messages::{Delivery, Push};

/// An event as it is delivered.
pub struct DeliveredEvent {
    pub seq: i64,
    pub name: CommittedName,
    pub forms: EventForms,
    pub push: Option<Push>,
}

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
            Some(Delivery::Event { channel: its, seq, name, forms, push }) if its == channel => {
                Some(DeliveredEvent { seq, name, forms, push })
            }
            other => {
                self.ahead = other;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::event::EventName;
    use futures_util::FutureExt;
    use tokio::sync::mpsc;

    use super::*;
    use crate::envelope::Envelope;

    fn event(channel: Channel, seq: i64) -> Delivery {
        let forms = EventForms { full: Envelope::of(&seq).unwrap(), restricted: None };
        Delivery::Event { channel, seq, name: EventName::PlanUpdated.into(), forms, push: None }
    }

    #[test]
    fn only_an_event_of_the_channel_is_taken_early_and_what_else_waits_keeps_its_place() {
        let (queue, deliveries) = mpsc::channel(9);
        let mut deliveries = DeliveryQueue::new(deliveries);
        let close = Delivery::Close { socket: 1, code: 4000 };
        let (plans, metrics) = (Channel::Plans, Channel::AdminMetrics);
        for delivery in [event(plans, 1), event(plans, 2), event(metrics, 3), close] {
            queue.try_send(delivery).unwrap();
        }
        let mut next_event = |channel| deliveries.next_event(channel).map(|event| event.seq);
        let taken = [plans, plans, plans, metrics, metrics].map(&mut next_event);
        assert_eq!(taken, [Some(1), Some(2), None, Some(3), None]);
        let next = deliveries.next().now_or_never().flatten();
        assert!(matches!(next, Some(Delivery::Close { .. })), "{next:?}");
        assert!(deliveries.next_event(plans).is_none(), "nothing waits any more");
    }
}
