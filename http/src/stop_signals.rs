//! SIGTERM and SIGINT, heard from the moment of `listen` on: also by the first process of a container, which dies of no
//! signal that it does not listen to. Called by the commands that have something to put in order before they end.

use tokio::signal::unix::{Signal, SignalKind, signal};

pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// # Errors
    /// When the process may listen to no signal.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Resolves at the next of them, also at one that came since `listen`.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// The work's outcome; none where a signal came first, which drops the work.
    pub async fn or_end<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.next() => None,
            done = work => Some(done),
        }
    }
}
