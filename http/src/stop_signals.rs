//! SIGTERM, SIGINT and SIGHUP, heard from the moment of `listen` on: also by the first process of a container, which
//! dies of no signal that it does not listen to. Called by the commands that have something to put in order before they
//! end.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    /// The terminal was closed. None where whoever started the process had it ignored, as `nohup` does.
    hang_up: Option<Signal>,
}

impl StopSignals {
    /// # Errors
    /// When the process may listen to no signal.
    pub fn listen() -> std::io::Result<Self> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let hang_up = SignalKind::hangup();
        let is_ignored = ignores(&status, hang_up);
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: if is_ignored { None } else { Some(signal(hang_up)?) },
        })
    }

    /// Resolves at the next of them, also at one that came since `listen`.
    pub async fn next(&mut self) {
        let Self { terminate, interrupt, hang_up } = self;
        let hung_up = async {
            match hang_up {
                Some(signal) => signal.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hung_up => {}
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

/// Whether the kernel's account of a process (`/proc/PID/status`) says that it ignores the signal.
fn ignores(status: &str, kind: SignalKind) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    // The first bit is that of signal 1.
    let place = u32::try_from(kind.as_raw_value().saturating_sub(1));
    place.is_ok_and(|place| mask.checked_shr(place).is_some_and(|rest| rest & 1 == 1))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, id};

    use super::*;

    #[tokio::test]
    async fn a_terminal_that_is_closed_stops_the_process() {
        let mut signals = StopSignals::listen().unwrap();
        // These tests themselves may run under `nohup`.
        if signals.hang_up.is_some() {
            let told = Command::new("kill").args(["-HUP", &id().to_string()]).status().unwrap();
            assert!(told.success());
            signals.next().await;
        }
    }

    #[test]
    fn a_process_that_nohup_started_is_not_stopped_by_its_terminal() {
        let ignores = |mask: &str, kind| {
            super::ignores(&format!("SigBlk:\t0000000000000001\nSigIgn:\t{mask}\n"), kind)
        };
        let (hang_up, terminate) = (SignalKind::hangup(), SignalKind::terminate());
        assert!(ignores("0000000000001001", hang_up) && !ignores("0000000000001000", hang_up));
        assert!(ignores("0000000000004000", terminate) && !ignores("0000000000001001", terminate));
        assert!(!super::ignores("", hang_up));
    }
}
