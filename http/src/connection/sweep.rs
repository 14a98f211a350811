//! Time limits of a connection. actix-http limits the first head and an idle connection only. It sets no limit for a
//! later head, for the rest of a refused body, or for a peer that reads its answer slowly.
//!
//! The worker's sweeper looks at each connection once a second and resets those that exceed a limit. A live socket
//! leaves this list, because `live/sweeper.rs` has rules of its own for it.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use bipe_core::config::Config;
use tokio::time::Instant;

use super::Connection;

/// A hundred people behind one address need 700: six connections and a live socket each. One address alone cannot take
/// all descriptors of the server.
const PER_ADDRESS: usize = 1_000;
/// actix-http ends an idle connection by itself, so long before the sweeper would reset it.
const BEYOND_KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The most connections of an address, and the time limits of each one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub per_address: usize,
    /// From the first byte of a head to its last.
    pub head: Duration,
    /// Without a request under way.
    pub silence: Duration,
    /// From the head of a request to the last byte of its answer.
    pub exchange: Duration,
    /// For a handler; then the answer is 503. A payment command continues in its actor.
    pub handler: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            per_address: PER_ADDRESS,
            head: Duration::from_secs(5),
            silence: Duration::from_secs(20),
            exchange: Duration::from_secs(60),
            handler: Duration::from_secs(14),
        }
    }
}

impl Bounds {
    /// A proxy decides how long a connection has to stay.
    pub fn of(config: &Config) -> Self {
        let keep_alive = Duration::from_secs(config.keep_alive.into());
        Self { silence: keep_alive + BEYOND_KEEP_ALIVE, ..Self::default() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionActivity {
    /// Nothing since then: a head is awaited.
    Nothing(Instant),
    /// A request whose head was whole then.
    Exchange(Instant),
    /// The answer of that request was handed over; some of it may still have to be written.
    Answer(Instant),
    /// A live socket.
    Live,
}

/// The activity of a connection and when it began. `exchange.rs`, reads and writes keep it up to date.
pub struct Progress {
    activity: Cell<ConnectionActivity>,
    /// When the first byte came that belongs to no request under way.
    head_began: Cell<Option<Instant>>,
    /// The last write found no room.
    is_write_blocked: Cell<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Fine,
    Live,
    /// Its time for this activity is over.
    Over(&'static str),
}

impl Progress {
    pub fn new(now: Instant) -> Self {
        let activity = Cell::new(ConnectionActivity::Nothing(now));
        Self { activity, head_began: Cell::new(None), is_write_blocked: Cell::new(false) }
    }

    /// The head of a request has arrived. While an answer still waits to be read, the time of the earlier request
    /// goes on.
    pub fn request_began(&self, now: Instant) {
        let since = match self.activity.get() {
            ConnectionActivity::Answer(since) if self.is_write_blocked.get() => since,
            _ => now,
        };
        self.head_began.set(None);
        self.activity.set(ConnectionActivity::Exchange(since));
    }

    pub fn answer_handed_over(&self) {
        if let ConnectionActivity::Exchange(since) = self.activity.get() {
            self.activity.set(ConnectionActivity::Answer(since));
        }
    }

    pub fn go_live(&self) {
        self.activity.set(ConnectionActivity::Live);
    }

    /// Something was read.
    pub fn bytes_read(&self) {
        let is_between = matches!(
            self.activity.get(),
            ConnectionActivity::Nothing(_) | ConnectionActivity::Answer(_)
        );
        if is_between && self.head_began.get().is_none() {
            self.head_began.set(Some(Instant::now()));
        }
    }

    /// Whether the last write found no room.
    pub fn set_write_blocked(&self, is_write_blocked: bool) {
        self.is_write_blocked.set(is_write_blocked);
    }

    fn check(&self, bounds: &Bounds, now: Instant) -> Verdict {
        let is_answered = matches!(self.activity.get(), ConnectionActivity::Answer(_));
        if is_answered && !self.is_write_blocked.get() {
            self.activity.set(ConnectionActivity::Nothing(now));
        }
        let is_over = |since: Instant, time: Duration| now.duration_since(since) >= time;
        match self.activity.get() {
            ConnectionActivity::Live => Verdict::Live,
            ConnectionActivity::Exchange(since) | ConnectionActivity::Answer(since)
                if is_over(since, bounds.exchange) =>
            {
                Verdict::Over("exchange")
            }
            ConnectionActivity::Nothing(since) if is_over(since, bounds.silence) => {
                Verdict::Over("silence")
            }
            ConnectionActivity::Nothing(_)
                if self.head_began.get().is_some_and(|at| is_over(at, bounds.head)) =>
            {
                Verdict::Over("head")
            }
            _ => Verdict::Fine,
        }
    }
}

/// The connections of one worker.
#[derive(Default)]
pub struct Connections(RefCell<Vec<Weak<Connection>>>);

impl Connections {
    pub fn watch(&self, connection: &Rc<Connection>) {
        self.0.borrow_mut().push(Rc::downgrade(connection));
    }

    /// One round.
    pub fn sweep(&self, bounds: &Bounds, now: Instant) {
        self.0.borrow_mut().retain(|connection| {
            let Some(connection) = connection.upgrade() else { return false };
            match connection.progress.check(bounds, now) {
                Verdict::Fine => true,
                Verdict::Live => false,
                Verdict::Over(what) => {
                    metrics::counter!("bipe_connections_reset_total", "over" => what).increment(1);
                    connection.kill();
                    false
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use bipe_core::testing::config;

    use super::*;

    /// The second in which a sweep of every second ends it.
    fn ended(progress: &Progress, start: Instant, each: impl Fn(u64)) -> Option<(u64, Verdict)> {
        (1..=120).find_map(|second| {
            each(second);
            let now = start + Duration::from_secs(second);
            let verdict = progress.check(&Bounds::default(), now);
            (verdict != Verdict::Fine).then_some((second, verdict))
        })
    }

    #[test]
    fn a_connection_that_asks_for_nothing_ends_after_twenty_seconds() {
        let start = Instant::now();
        let progress = Progress::new(start);
        assert_eq!(ended(&progress, start, |_| {}), Some((20, Verdict::Over("silence"))));
    }

    #[test]
    fn a_connection_that_the_proxy_keeps_for_long_is_kept_for_longer() {
        assert_eq!(Bounds::of(&config(&[])), Bounds::default());
        let bounds = Bounds::of(&config(&["--keep-alive", "620"]));
        let start = Instant::now();
        let progress = Progress::new(start);
        let at = |second| progress.check(&bounds, start + Duration::from_secs(second));
        assert_eq!(at(620), Verdict::Fine);
        assert_eq!(at(625), Verdict::Over("silence"));
    }

    #[test]
    fn a_second_head_that_drips_ends_after_five_seconds() {
        let start = Instant::now();
        let progress = Progress::new(start);
        progress.request_began(start);
        progress.answer_handed_over();
        let (second, verdict) = ended(&progress, start, |_| progress.bytes_read()).unwrap();
        assert!((5..=6).contains(&second), "{second}");
        assert_eq!(verdict, Verdict::Over("head"));
    }

    #[test]
    fn bytes_of_a_body_are_no_head() {
        let start = Instant::now();
        let progress = Progress::new(start);
        progress.request_began(start);
        let (second, verdict) = ended(&progress, start, |_| progress.bytes_read()).unwrap();
        assert_eq!((second, verdict), (60, Verdict::Over("exchange")));
    }

    #[test]
    fn an_answer_that_is_read_slowly_ends_with_its_minute_however_often_more_is_asked() {
        let start = Instant::now();
        let progress = Progress::new(start);
        progress.request_began(start);
        progress.set_write_blocked(true);
        let again = |second: u64| {
            progress.answer_handed_over();
            if second.is_multiple_of(7) {
                progress.request_began(start + Duration::from_secs(second));
            }
        };
        assert_eq!(ended(&progress, start, again), Some((60, Verdict::Over("exchange"))));
    }

    #[test]
    fn who_asks_and_reads_stays_and_a_live_socket_is_left_alone() {
        let start = Instant::now();
        let progress = Progress::new(start);
        let busy = |second: u64| {
            progress.bytes_read();
            progress.request_began(start + Duration::from_secs(second));
            progress.answer_handed_over();
        };
        assert_eq!(ended(&progress, start, busy), None);
        progress.go_live();
        assert_eq!(
            progress.check(&Bounds::default(), start + Duration::from_secs(9_000)),
            Verdict::Live
        );
    }
}
