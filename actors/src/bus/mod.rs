//! Where the relay receives committed events from. A single node (`Local`) receives the commits of its own process.
//! An event that the bus loses is found by the relay's head check, because the database keeps every event.

use bipe_core::event::Event;
use tokio::sync::mpsc;

#[derive(Debug)]
pub enum Bus {
    /// The commits of this process, as `Db::open` announces them, one `Vec` for each transaction.
    Local(mpsc::Receiver<Vec<Event>>),
}

/// Transactions that are received at once, at most.
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
