//! Ten thousand sockets on one epoll thread: opened, cut, stalled and listened to on order.
//!
//! `Herd` is the handle for the modes, `run` the thread, `speech` what a socket says, `log` what it was told,
//! `comeback` when one that was lost returns.

pub mod comeback;
pub mod log;
mod run;
mod slot;
pub mod speech;
pub mod wire;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::Outcome;
use speech::{Memory, Speech};

/// Events whose scheduled instants are remembered.
const REMEMBERED: usize = 1 << 16;

enum Command {
    /// Sockets with these memories join the herd; their numbers follow on.
    Open(Vec<Memory>),
    /// Every socket is cut without a word.
    Cut,
    /// All come back at once.
    Return,
    /// So many of the herd stop reading.
    Stall(usize),
    Stop,
}

/// What the thread counts and the modes read.
pub struct Shared {
    started: Instant,
    pub live: AtomicUsize,
    /// Sockets that ended though nobody asked.
    pub lost: AtomicUsize,
    pub received: AtomicU64,
    /// Latencies of events that are due from here on are kept.
    measured_from: AtomicU64,
    /// The last event that was published.
    pub head: AtomicU64,
    scheduled: Vec<AtomicU64>,
    arrived: Vec<AtomicUsize>,
    /// When each event reached a socket for the last time, in nanoseconds since `started`.
    latest: Vec<AtomicU64>,
    times: Mutex<Vec<u32>>,
    /// After each batch of arrivals.
    pub moved: Notify,
    resumes: Mutex<HashMap<u32, String>>,
    /// When the last socket became live.
    last_live: AtomicU64,
    returns: Mutex<Returns>,
    /// The last verdict that a server gave.
    pub close_code: AtomicUsize,
    /// Why the thread ended before its time.
    failure: OnceLock<String>,
}

impl Shared {
    fn new() -> Self {
        Self {
            started: Instant::now(),
            live: AtomicUsize::default(),
            lost: AtomicUsize::default(),
            received: AtomicU64::default(),
            measured_from: AtomicU64::new(u64::MAX),
            head: AtomicU64::default(),
            scheduled: (0..REMEMBERED).map(|_| AtomicU64::default()).collect(),
            arrived: (0..REMEMBERED).map(|_| AtomicUsize::default()).collect(),
            latest: (0..REMEMBERED).map(|_| AtomicU64::default()).collect(),
            times: Mutex::default(),
            moved: Notify::new(),
            resumes: Mutex::default(),
            last_live: AtomicU64::default(),
            returns: Mutex::default(),
            close_code: AtomicUsize::default(),
            failure: OnceLock::new(),
        }
    }

    /// # Errors
    /// Why the thread has ended, if it failed: nothing more will come.
    pub fn check(&self) -> Outcome<()> {
        self.failure.get().map_or(Ok(()), |failure| Err(failure.as_str().into()))
    }

    fn place(n: u64) -> usize {
        usize::try_from(n).unwrap_or_default() % REMEMBERED
    }

    fn nanos(&self, at: Instant) -> u64 {
        u64::try_from(at.duration_since(self.started).as_nanos()).unwrap_or(u64::MAX)
    }

    /// Event `n` is due at the instant.
    pub fn schedule(&self, n: u64, at: Instant) {
        let nanos = self.nanos(at);
        if let (Some(due), Some(arrived)) =
            (self.scheduled.get(Self::place(n)), self.arrived.get(Self::place(n)))
        {
            arrived.store(0, Ordering::Relaxed);
            due.store(nanos, Ordering::Release);
        }
        self.head.fetch_max(n, Ordering::Relaxed);
    }

    /// At how many sockets event `n` has arrived.
    pub fn arrivals(&self, n: u64) -> usize {
        self.arrived.get(Self::place(n)).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// How long after the instant event `n` reached the last of its sockets; zero where it came before.
    pub fn last_arrival_after(&self, n: u64, at: Instant) -> Duration {
        let latest = self.latest.get(Self::place(n)).map(|nanos| nanos.load(Ordering::Relaxed));
        Duration::from_nanos(latest.unwrap_or_default().saturating_sub(self.nanos(at)))
    }

    fn arrive(&self, n: u64, now: Instant, times: &mut Vec<u32>) {
        let place = Self::place(n);
        if let Some(latest) = self.latest.get(place) {
            latest.store(self.nanos(now), Ordering::Relaxed);
        }
        if let Some(count) = self.arrived.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let due = self.scheduled.get(place).map_or(0, |due| due.load(Ordering::Acquire));
        if due >= self.measured_from.load(Ordering::Relaxed) {
            let late = Duration::from_nanos(self.nanos(now).saturating_sub(due));
            times.push(u32::try_from(late.as_micros()).unwrap_or(u32::MAX));
        }
    }

    /// A socket has everything that it asked for.
    fn note_live(&self, memory: &Memory, lost_at: Option<Instant>) {
        let now = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.last_live.store(now, Ordering::Relaxed);
        self.live.fetch_add(1, Ordering::Relaxed);
        if let Some(lost_at) = lost_at {
            self.lock_returns().absences.push(lost_at.elapsed());
        }
        if !memory.ticket.is_empty() {
            let mut resumes = self.resumes.lock().unwrap_or_else(PoisonError::into_inner);
            resumes.insert(memory.group, memory.resume.clone());
        }
    }

    fn lock_returns(&self) -> std::sync::MutexGuard<'_, Returns> {
        self.returns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What came back since the last call.
    pub fn take_returns(&self) -> Returns {
        std::mem::take(&mut self.lock_returns())
    }

    fn add_times(&self, times: &mut Vec<u32>) {
        if !times.is_empty() {
            self.times.lock().unwrap_or_else(PoisonError::into_inner).append(times);
        }
        self.moved.notify_waiters();
    }

    /// A resume token that any further socket of the same session may use.
    fn resume(&self, group: u32) -> String {
        let resumes = self.resumes.lock().unwrap_or_else(PoisonError::into_inner);
        resumes.get(&group).cloned().unwrap_or_default()
    }
}

/// Sockets that were lost, or left when they were told to, and are live again.
#[derive(Debug, Default)]
pub struct Returns {
    /// From the loss until everything was live again.
    pub absences: Vec<Duration>,
    /// When they began to connect again, also those who were refused.
    pub dials: Vec<Instant>,
}

/// PostgreSQL shares the generator's core and goes ahead of it: otherwise each of its answers would wait some
/// milliseconds for the generator to count, and that would be measured as the server's time.
const NICE: i32 = 10;

pub struct Herd {
    commands: mpsc::Sender<Command>,
    waker: mio::Waker,
    pub shared: Arc<Shared>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Where the sockets go and what they speak.
pub struct Place {
    pub address: SocketAddr,
    pub path: &'static str,
    pub speech: Speech,
    /// What every socket is told is written here.
    pub log: Option<PathBuf>,
    /// A socket that is lost or told to leave comes back by itself.
    pub comes_back: bool,
}

impl Herd {
    pub fn start(place: Place) -> Outcome<Self> {
        let shared = Arc::new(Shared::new());
        let (commands, receiver) = mpsc::channel();
        let poll = mio::Poll::new()?;
        let waker = mio::Waker::new(poll.registry(), run::WAKE)?;
        let counted = shared.clone();
        let thread = std::thread::Builder::new().name("herd".into()).spawn(move || {
            let ended = run::Run::new(place, poll, receiver, counted.clone()).and_then(|run| {
                // Of this thread alone.
                rustix::process::nice(NICE)?;
                run.go()
            });
            if let Err(error) = ended {
                counted.failure.set(error.to_string()).ok();
            }
        })?;
        Ok(Self { commands, waker, shared, thread: Some(thread) })
    }

    fn order(&self, command: Command) -> Outcome<()> {
        self.shared.check()?;
        self.commands.send(command).map_err(|_ended| "the herd has ended")?;
        Ok(self.waker.wake()?)
    }

    /// Opens sockets and waits until all of the herd are live.
    pub async fn open(&self, memories: Vec<Memory>) -> Outcome<()> {
        let wanted = self.shared.live.load(Ordering::Relaxed) + memories.len();
        self.order(Command::Open(memories))?;
        self.until_live(wanted).await
    }

    pub fn cut(&self) -> Outcome<()> {
        self.order(Command::Cut)
    }

    /// From the order to come back until the last of all is live.
    pub async fn come_back(&self, all: usize) -> Outcome<Duration> {
        let from = self.shared.started.elapsed();
        self.order(Command::Return)?;
        self.until_live(all).await?;
        let last = Duration::from_nanos(self.shared.last_live.load(Ordering::Relaxed));
        Ok(last.saturating_sub(from))
    }

    pub fn stall(&self, count: usize) -> Outcome<()> {
        self.order(Command::Stall(count))
    }

    pub async fn until_live(&self, wanted: usize) -> Outcome<()> {
        let until = Instant::now() + Duration::from_secs(120);
        while self.shared.live.load(Ordering::Relaxed) < wanted {
            self.shared.check()?;
            let next =
                tokio::time::timeout(Duration::from_millis(100), self.shared.moved.notified());
            next.await.ok();
            if Instant::now() > until {
                let live = self.shared.live.load(Ordering::Relaxed);
                return Err(format!("only {live} of {wanted} sockets are live").into());
            }
        }
        Ok(())
    }

    /// Latencies are kept of the events that are due from that instant on.
    pub fn measure(&self, from: Instant) {
        self.times();
        self.shared.measured_from.store(self.shared.nanos(from), Ordering::Relaxed);
    }

    /// No more; microseconds from the scheduled instant, sorted.
    pub fn measured(&self) -> Vec<u32> {
        self.shared.measured_from.store(u64::MAX, Ordering::Relaxed);
        let mut times = self.times();
        times.sort_unstable();
        times
    }

    fn times(&self) -> Vec<u32> {
        std::mem::take(&mut self.shared.times.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Closes everything; the log is whole afterwards.
    pub async fn stop(mut self) -> Outcome<()> {
        // One that has failed takes no orders; why is answered below.
        self.order(Command::Stop).ok();
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let joined = tokio::task::spawn_blocking(move || thread.join()).await?;
        joined.map_err(|_panic| "the herd panicked")?;
        self.shared.check()
    }
}

impl Drop for Herd {
    fn drop(&mut self) {
        // An error means that it has ended.
        self.order(Command::Stop).ok();
    }
}
