//! The pulse of the relay's loop: how often the loop has come round. It stands still when the loop does, and then the
//! service manager is told nothing any more. Beaten by `relay`; read by the binary.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Default)]
pub struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// The loop has come round.
    pub(crate) fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("bipe_relay_rounds_total").increment(1);
    }

    /// How often it has. While the loop runs, the number grows each second.
    pub fn beats(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
