//! The permits of the transactions that store a new payment: one for each core, because each keeps a core busy most of
//! its time. The others wait before they begin, so that they do not slow the payments that were made already.
//!
//! Invariant: nobody waits longer than `PERMIT_TIMEOUT`, so a company whose transactions wait for its lock holds nobody
//! up.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// How long a transaction waits for a permit at most.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(500);

pub struct OpeningPermits(Semaphore);

impl OpeningPermits {
    pub fn new(count: usize) -> Self {
        Self(Semaphore::new(count))
    }

    /// In the order of the calls; ends when it is dropped. None when the wait was too long.
    pub async fn take(&self) -> Option<SemaphorePermit<'_>> {
        timeout(PERMIT_TIMEOUT, self.0.acquire()).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn whoever_comes_waits_for_a_permit_but_not_for_long() {
        let permits = OpeningPermits::new(2);
        let (first, second) = (permits.take().await, permits.take().await);
        assert!(first.is_some() && second.is_some());
        let mut third = Box::pin(permits.take());
        assert!((&mut third).now_or_never().is_none(), "both permits are taken");
        drop(first);
        assert!(third.await.is_some());
        assert!(permits.take().await.is_some(), "of the third, which has ended");
        let held = permits.take().await;
        assert!(held.is_some());
        assert!(permits.take().await.is_none(), "both are held for longer than anybody waits");
    }
}
