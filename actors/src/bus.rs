//! Where committed events come from. One node alone (`local`) hears its own commits; the database stays the
//! truth, and the relay's head check repairs whatever the bus loses.

use bipe_core::event::Event;
use tokio::sync::mpsc;

#[derive(Debug)]
pub enum Bus {
    /// The commits of this process, as `Db::open` announces them.
    Local(mpsc::Receiver<Vec<Event>>),
}

/// Transactions that one wake-up of the relay takes at most.
const BATCH: usize = 64;

impl Bus {
    /// Appends the next committed events to `events`; false when there will be no more.
    pub async fn next(&mut self, events: &mut Vec<Event>) -> bool {
        match self {
            Bus::Local(receiver) => {
                let mut batches = Vec::new();
                let count = receiver.recv_many(&mut batches, BATCH).await;
                events.extend(batches.into_iter().flatten());
                count > 0
            }
        }
    }
}
