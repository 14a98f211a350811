//! Tells the service manager (systemd, `Type=notify`) when the server is ready, alive and stopping. Called by `cli.rs`.
//! Without `NOTIFY_SOCKET` nothing is told.
//!
//! Invariant: each sign of life stands for a turn of the relay's loop since the one before. When the loop stands still,
//! the service manager hears nothing and starts the process anew.

use std::time::Duration;

use bipe_actors::pulse::Pulse;
use sd_notify::NotifyState;

/// How often the pulse is read within the time after which the service manager gives up.
const READS_PER_LIMIT: u32 = 4;

/// Requests are served.
pub fn ready() {
    tell(&NotifyState::Ready);
}

/// The shutdown has begun.
pub fn stopping() {
    tell(&NotifyState::Stopping);
}

/// Passes the relay's pulse on, if the service manager waits for it.
pub async fn stay_alive(pulse: Pulse) {
    if let Some(limit) = sd_notify::watchdog_enabled() {
        feed(limit, || pulse.beats(), || tell(&NotifyState::Watchdog)).await;
    }
}

async fn feed(limit: Duration, beats: impl Fn() -> u64, alive: impl Fn()) {
    // A limit of nothing would make an interval that panics.
    let mut ticks = tokio::time::interval((limit / READS_PER_LIMIT).max(Duration::from_millis(1)));
    let mut known = 0;
    loop {
        ticks.tick().await;
        let now = beats();
        if std::mem::replace(&mut known, now) != now {
            alive();
        }
    }
}

fn tell(state: &NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(std::slice::from_ref(state)) {
        tracing::warn!(%error, "the service manager was not told");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_loop_that_stands_still_gives_no_sign_of_life() {
        let (beats, signs) = (AtomicU64::new(0), AtomicU64::new(0));
        let feeding = feed(
            Duration::from_millis(8),
            || beats.load(Ordering::Relaxed),
            || {
                signs.fetch_add(1, Ordering::Relaxed);
            },
        );
        let turning = async {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            let mut before = 0;
            for _ in 0..5 {
                tick.tick().await;
                before = signs.load(Ordering::Relaxed);
                beats.fetch_add(1, Ordering::Relaxed);
            }
            // The last turn is seen, with those before it that were not, then nothing is.
            while signs.load(Ordering::Relaxed) == before {
                tick.tick().await;
            }
            let seen = signs.load(Ordering::Relaxed);
            for _ in 0..5 {
                tick.tick().await;
            }
            assert_eq!(signs.load(Ordering::Relaxed), seen);
            assert!((1..=5).contains(&seen), "{seen}");
        };
        tokio::select! {
            () = feeding => {}
            () = turning => {}
        }
    }
}
