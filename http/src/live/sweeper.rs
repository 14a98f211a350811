//! Liveness of the sockets of one worker, watched from outside their contexts, which freeze while a peer does
//! not read (actix-web issue 2441).
//!
//! Once a second it pings, and gives the verdicts of the contract: no hello, no pong, no progress, expired.
//! A socket that does not end by itself after its verdict is reset. Everything here takes the instant as an
//! argument; the largest sum of `Timing` is how long a stalled reader can stay.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use bipe_actors::inbox::Inbox;
use bipe_actors::live::SocketId;
use bipe_core::auth::session::resume::Admitted;
use bipe_core::clock::Clock;
use jiff::Timestamp;
use tokio::time::Instant;

use super::frame::{ServerFrame, close};
use crate::connection::Connection;

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    pub sweep: Duration,
    /// For the first frame.
    pub hello: Duration,
    /// Between pings, give or take a tenth.
    pub heartbeat: Duration,
    /// For the pong after its ping; nothing else that the client sends stands for it.
    pub pong: Duration,
    /// For an acknowledgement while data waits behind a used-up window.
    pub progress: Duration,
    /// For the end of a socket after its verdict.
    pub grace: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            sweep: Duration::from_secs(1),
            hello: Duration::from_secs(5),
            heartbeat: Duration::from_secs(20),
            pong: Duration::from_secs(15),
            progress: Duration::from_secs(30),
            grace: Duration::from_secs(2),
        }
    }
}

impl Timing {
    /// After this a peer that stopped reading is gone, whatever it was doing.
    pub fn longest_stall(&self) -> Duration {
        let silent = self.heartbeat + self.heartbeat / 10 + self.pong;
        silent.max(self.progress) + self.grace + self.sweep * 3
    }
}

/// Every third ping brings heads and a fresh resume token.
const RICH_PING: u64 = 3;

/// One socket, shared with its context.
pub struct Watched {
    pub inbox: Rc<Inbox>,
    connection: Weak<Connection>,
    opened: Instant,
    greeted: Cell<Option<(SocketId, Admitted)>>,
    expires: Cell<Timestamp>,
    /// The count of changes of access before the hello was checked.
    changes: Cell<u64>,
    /// The context is gone.
    over: Cell<bool>,
    pings: Cell<u64>,
    pinged: Cell<Option<Instant>>,
    next_ping: Cell<Instant>,
    /// The last acknowledgement that was new, and when.
    progress: Cell<(u64, Instant)>,
    condemned: Cell<Option<Instant>>,
}

impl Watched {
    pub fn new(inbox: Rc<Inbox>, connection: Weak<Connection>, now: Instant) -> Self {
        Self {
            inbox,
            connection,
            opened: now,
            greeted: Cell::new(None),
            expires: Cell::new(Timestamp::MAX),
            changes: Cell::new(0),
            over: Cell::new(false),
            pings: Cell::new(0),
            pinged: Cell::new(None),
            next_ping: Cell::new(now),
            progress: Cell::new((0, now)),
            condemned: Cell::new(None),
        }
    }

    /// The client answered a ping; another one than the last says nothing.
    pub fn answered(&self, ping: u64) {
        if ping == self.pings.get() {
            self.pinged.set(None);
        }
    }

    /// The hello was good; the first ping is due later.
    pub fn greet(
        &self,
        socket: SocketId,
        admitted: Admitted,
        expires: Timestamp,
        first_ping: Instant,
    ) {
        self.greeted.set(Some((socket, admitted)));
        self.expires.set(expires);
        self.next_ping.set(first_ping);
    }

    pub fn greeted(&self) -> Option<(SocketId, Admitted)> {
        self.greeted.get()
    }

    /// By the database the session lives until then, unless it is used again.
    pub fn last_until(&self, until: Timestamp) {
        let admitted = |(socket, admitted)| (socket, Admitted { until, ..admitted });
        self.greeted.set(self.greeted.get().map(admitted));
    }

    /// Access is decided from here on; a change that is counted later may have been overlooked.
    pub fn mark_changes(&self, changes: u64) {
        self.changes.set(changes);
    }

    pub fn has_missed_changes(&self, changes: u64) -> bool {
        self.changes.get() != changes
    }

    /// A new ticket was redeemed, perhaps of another session of the person.
    pub fn extend(&self, again: Admitted, expires: Timestamp) {
        self.greeted.set(self.greeted.get().map(|(socket, _)| (socket, again)));
        self.expires.set(expires);
    }

    pub fn end(&self) {
        self.over.set(true);
    }

    /// The verdict on a socket at this instant, if it deserves one.
    fn verdict(&self, timing: &Timing, now: Instant, time: Timestamp) -> Option<u16> {
        let Some((_, Admitted { until, .. })) = self.greeted.get() else {
            return (now.duration_since(self.opened) >= timing.hello).then_some(close::EXPIRED);
        };
        if self.pinged.get().is_some_and(|at| now.duration_since(at) >= timing.pong) {
            return Some(close::NO_PONG);
        }
        let (known, since) = self.progress.get();
        let acknowledged = self.inbox.acknowledged();
        if acknowledged != known || !self.inbox.is_blocked() {
            self.progress.set((acknowledged, now));
        } else if now.duration_since(since) >= timing.progress {
            return Some(close::SLOW);
        }
        (time >= self.expires.get().min(until)).then_some(close::EXPIRED)
    }
}

/// What every third ping brings along: a fresh resume token and the heads of the socket's channels.
pub type Rich<'a> = &'a dyn Fn(SocketId, Admitted) -> (String, Vec<(String, String, i64)>);

/// The sockets of one worker.
#[derive(Default)]
pub struct Sweeper(RefCell<Vec<Rc<Watched>>>);

impl Sweeper {
    pub fn watch(&self, socket: Rc<Watched>) {
        self.0.borrow_mut().push(socket);
    }

    pub fn all(&self) -> Vec<Rc<Watched>> {
        self.0.borrow().clone()
    }

    /// One round.
    pub fn sweep(&self, timing: &Timing, now: Instant, clock: &Clock, rich: Rich<'_>) {
        let time = clock.now();
        for socket in self.all() {
            if let Some(code) = socket
                .inbox
                .closing()
                .is_none()
                .then(|| socket.verdict(timing, now, time))
                .flatten()
            {
                metrics::counter!("bipe_live_closed_total", "code" => code.to_string())
                    .increment(1);
                socket.inbox.close(code);
            }
            if socket.over.get() || socket.inbox.closing().is_some() {
                bury(&socket, timing, now);
            } else {
                ping(&socket, timing, now, clock, rich);
            }
        }
        self.0.borrow_mut().retain(|socket| socket.connection.strong_count() > 0);
    }
}

/// Resets the connection of a socket that does not go by itself.
fn bury(socket: &Watched, timing: &Timing, now: Instant) {
    let since = socket.condemned.get().unwrap_or(now);
    socket.condemned.set(Some(since));
    if now.duration_since(since) >= timing.grace
        && let Some(connection) = socket.connection.upgrade()
    {
        metrics::counter!("bipe_live_reset_total").increment(1);
        connection.kill();
    }
}

fn ping(socket: &Watched, timing: &Timing, now: Instant, clock: &Clock, rich: Rich<'_>) {
    let Some((id, admitted)) = socket.greeted() else { return };
    if now < socket.next_ping.get() || socket.pinged.get().is_some() {
        return;
    }
    let n = socket.pings.get() + 1;
    socket.pings.set(n);
    socket.pinged.set(Some(now));
    socket.next_ping.set(now + jittered(timing.heartbeat, clock));
    let (resume, heads) = n.is_multiple_of(RICH_PING).then(|| rich(id, admitted)).unzip();
    socket.inbox.control(ServerFrame::Ping { n, resume }.envelope());
    if let Some(heads) = heads.filter(|heads| !heads.is_empty()) {
        socket.inbox.control(ServerFrame::Heads { heads }.envelope());
    }
}

/// The period, give or take a tenth, so that sockets opened together do not beat together.
pub fn jittered(period: Duration, clock: &Clock) -> Duration {
    let percent = 90 + clock.below(21);
    period * percent / 100
}

#[cfg(test)]
mod tests {
    use bipe_core::event::Channel;
    use bipe_core::id::{SessionId, UserId};
    use bipe_core::scope::SignedIn;

    use super::*;

    fn rich(_: SocketId, _: Admitted) -> (String, Vec<(String, String, i64)>) {
        ("fresh".into(), vec![("plans".into(), "e1".into(), 3)])
    }

    #[test]
    fn a_stalled_reader_is_gone_within_45_seconds() {
        assert!(Timing::default().longest_stall() <= Duration::from_secs(45));
    }

    fn socket(clock: &Clock, now: Instant) -> (Sweeper, Rc<Watched>) {
        let watched = Rc::new(Watched::new(Rc::default(), Weak::new(), now));
        let who = SignedIn { user_id: UserId::new(clock), session_id: SessionId::new(clock) };
        let expires = clock.now().checked_add(jiff::SignedDuration::from_mins(15)).unwrap();
        let until = clock.now().checked_add(jiff::SignedDuration::from_mins(60)).unwrap();
        watched.greet(1, Admitted { who, until }, expires, now + Duration::from_secs(20));
        (Sweeper::default(), watched)
    }

    /// Sweeps every second until there is a verdict; the socket answers as `each` says.
    fn verdict(each: impl Fn(&Watched, Instant)) -> (Option<u16>, u64) {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let start = Instant::now();
        let (sweeper, watched) = socket(&clock, start);
        for second in 1..120 {
            let now = start + Duration::from_secs(second);
            // Without a connection the sweeper forgets the socket after each round.
            sweeper.watch(watched.clone());
            each(&watched, now);
            sweeper.sweep(&Timing::default(), now, &clock, &rich);
            if let Some(code) = watched.inbox.closing() {
                return (Some(code), second);
            }
        }
        (None, 120)
    }

    fn answer(watched: &Watched, _: Instant) {
        watched.answered(watched.pings.get());
    }

    #[test]
    fn silence_after_a_ping_ends_a_socket() {
        let (code, second) = verdict(|_, _| {});
        assert_eq!(code, Some(close::NO_PONG));
        assert!((33..=38).contains(&second), "{second}");
        let (another, _) = verdict(|watched, _| watched.answered(watched.pings.get() + 1));
        assert_eq!(another, Some(close::NO_PONG), "another ping's answer is none");
    }

    #[test]
    fn a_client_that_answers_stays() {
        assert_eq!(verdict(answer).0, None);
    }

    #[test]
    fn a_reader_without_progress_ends_even_if_it_talks() {
        let (code, second) = verdict(|watched, now| {
            answer(watched, now);
            for seq in 0..200 {
                let envelope = ServerFrame::Ok { id: 1 }.envelope();
                watched.inbox.event(Channel::Plans, seq, false, envelope);
            }
            while watched.inbox.take().is_some() {}
        });
        assert_eq!(code, Some(close::SLOW));
        assert!((30..=32).contains(&second), "{second}");
    }

    #[test]
    fn a_socket_without_hello_ends_after_five_seconds() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let opened = Instant::now();
        let watched = Watched::new(Rc::default(), Weak::new(), opened);
        let timing = Timing::default();
        let at = |seconds| opened + Duration::from_secs(seconds);
        assert_eq!(watched.verdict(&timing, at(4), clock.now()), None);
        assert_eq!(watched.verdict(&timing, at(5), clock.now()), Some(close::EXPIRED));
    }

    #[test]
    fn no_ticket_carries_a_socket_past_the_end_of_its_session() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let (timing, now) = (Timing::default(), Instant::now());
        let (_, watched) = socket(&clock, now);
        let (_, admitted) = watched.greeted().unwrap();
        watched.extend(admitted, Timestamp::MAX);
        clock.advance(3_599);
        assert_eq!(watched.verdict(&timing, now, clock.now()), None);
        clock.advance(1);
        assert_eq!(watched.verdict(&timing, now, clock.now()), Some(close::EXPIRED));
        watched.extend(admitted, Timestamp::MAX);
        watched.last_until(clock.now().checked_add(jiff::SignedDuration::from_mins(1)).unwrap());
        assert_eq!(watched.verdict(&timing, now, clock.now()), None, "used again");
    }

    #[test]
    fn access_ends_with_its_time_and_every_third_ping_is_rich() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let start = Instant::now();
        let (sweeper, watched) = socket(&clock, start);
        let mut text = String::new();
        for second in 1..=70 {
            let now = start + Duration::from_secs(second);
            answer(&watched, now);
            sweeper.watch(watched.clone());
            sweeper.sweep(&Timing::default(), now, &clock, &rich);
            while let Some(bipe_actors::inbox::Out::Text(more)) = watched.inbox.take() {
                text.push_str(&more);
            }
        }
        assert_eq!(text.matches(r#""type":"ping""#).count(), 3);
        assert_eq!(text.matches(r#""resume":"fresh""#).count(), 1);
        assert_eq!(text.matches(r#""heads":[["plans","e1",3]]"#).count(), 1);
        clock.advance(900);
        sweeper.watch(watched.clone());
        let now = start + Duration::from_secs(71);
        sweeper.sweep(&Timing::default(), now, &clock, &rich);
        assert_eq!(watched.inbox.closing(), Some(close::EXPIRED));
    }
}
