//! What was measured, and whether it meets the goals below.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::page::Lines;

/// Frames may be this much later than the commit at the median, and this late at the 99th percentile.
const MEDIAN_AFTER_COMMIT: Duration = Duration::from_millis(3);
const P99: Duration = Duration::from_millis(15);
/// Of an idle server, without its database.
const IDLE_MEMORY: u64 = 60 * 1024;

/// Shared by the commands and the sockets.
#[derive(Default)]
pub struct Times(Mutex<Measured>);

#[derive(Default)]
struct Measured {
    /// When command `n` was due.
    scheduled: HashMap<u64, Instant>,
    commits: Vec<Duration>,
    frames: Vec<Duration>,
    counted: usize,
    failed: usize,
    gaps: usize,
}

impl Times {
    fn lock(&self) -> std::sync::MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Command `n` is due at the instant, and counts.
    pub fn schedule(&self, n: u64, at: Instant) {
        let mut measured = self.lock();
        measured.scheduled.insert(n, at);
        measured.counted += 1;
    }

    pub fn answered(&self, at: Instant, counts: bool, is_good: bool) {
        let mut measured = self.lock();
        if counts && is_good {
            measured.commits.push(at.elapsed());
        }
        measured.failed += usize::from(!is_good);
    }

    /// The event of command `n` is at a socket.
    pub fn arrived(&self, n: u64) {
        let mut measured = self.lock();
        if let Some(at) = measured.scheduled.get(&n).copied() {
            measured.frames.push(at.elapsed());
        }
    }

    pub fn tally(&self) -> Tally {
        let measured = self.lock();
        Tally {
            counted: measured.counted,
            failed: measured.failed,
            frames: measured.frames.len(),
            gaps: measured.gaps,
        }
    }

    /// A socket saw something else than the next sequence number.
    pub fn gap(&self) {
        self.lock().gaps += 1;
    }
}

/// Commands that were counted or failed, the frames that came of them, and what the sockets missed.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub counted: usize,
    pub failed: usize,
    pub frames: usize,
    pub gaps: usize,
}

pub struct Report<'a> {
    /// Kilobytes resident, before anybody connected.
    pub idle: u64,
    pub connected: u64,
    pub loaded: u64,
    pub times: &'a Times,
    pub sockets: usize,
    pub rate: u64,
}

impl Report<'_> {
    /// Says the numbers and holds them against the goals.
    pub fn print(&self, lines: &mut Lines) {
        let mut measured = self.times.lock();
        measured.commits.sort_unstable();
        measured.frames.sort_unstable();
        let (commits, frames) = (&measured.commits, &measured.frames);
        lines.say(format!("{} commits/s, times from the scheduled instant", self.rate));
        for (what, times) in [("command answered", commits), ("frame at a socket", frames)] {
            let [p50, p90, p99, most] = [500, 900, 990, 1000].map(|p| millis(percentile(times, p)));
            let count = times.len();
            lines.say(format!(
                "{what:<18} n {count:>7}  p50 {p50}  p90 {p90}  p99 {p99}  max {most} ms"
            ));
        }
        let [idle, connected, loaded] =
            [self.idle, self.connected, self.loaded].map(|kb| kb / 1024);
        lines.say(format!(
            "memory  idle {idle} MiB  all connected {connected} MiB  after the load {loaded} MiB"
        ));
        let expected = measured.counted * self.sockets;
        let budget = percentile(commits, 500) + MEDIAN_AFTER_COMMIT;
        let goals = [
            (measured.failed == 0, format!("{} commands failed", measured.failed)),
            (measured.gaps == 0, format!("{} gaps", measured.gaps)),
            (frames.len() == expected, format!("{} of {expected} frames", frames.len())),
            (percentile(frames, 500) <= budget, "the median is over commit + 3 ms".into()),
            (percentile(frames, 990) <= P99, "p99 is over 15 ms".into()),
            (self.idle <= IDLE_MEMORY, "more than 60 MiB idle".into()),
        ];
        for (holds, otherwise) in goals {
            lines.goal(holds, otherwise);
        }
    }
}

pub fn percentile<T: Copy + Default>(sorted: &[T], per_mille: usize) -> T {
    let at = (sorted.len() * per_mille).div_ceil(1000).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}

/// Of sorted microseconds, in milliseconds.
pub fn percentile_ms(sorted: &[u32], per_mille: usize) -> f64 {
    f64::from(percentile(sorted, per_mille)) / 1_000.0
}

fn millis(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1_000.0)
}
