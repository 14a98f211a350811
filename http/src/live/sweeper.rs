//! Watches whether the clients of one worker are alive. It runs outside the sockets' contexts, because these freeze
//! while a peer does not read (actix-web issue 2441).
//!
//! Once a second it pings, and closes sockets as the contract says: without hello, pong or progress, or expired. A
//! socket that does not end after its close frame is reset. `Timing::longest_stall` bounds how long a stalled socket
//! stays. Time is an argument everywhere.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use bipe_actors::messages::SocketId;
use bipe_actors::worker::inbox::Inbox;
use bipe_core::auth::session::resume::SocketOwner;
use bipe_core::clock::Clock;
use bipe_core::event::{Channel, Head};
use jiff::Timestamp;
use tokio::time::Instant;

use super::frame::{ServerFrame, close};
use super::limits::SocketPermit;
use crate::connection::Connection;

/// How long to wait for each sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    pub sweep: Duration,
    /// For the hello.
    pub hello: Duration,
    /// Between pings, give or take a tenth.
    pub heartbeat: Duration,
    /// For the pong after a ping; no other frame replaces it.
    pub pong: Duration,
    /// For an acknowledgement while data waits and the window is full.
    pub progress: Duration,
    /// For the end of a socket after its close frame.
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
    /// A socket whose peer stopped reading is gone after this time, in every case.
    pub fn longest_stall(&self) -> Duration {
        let silent = self.heartbeat + self.heartbeat / 10 + self.pong;
        silent.max(self.progress) + self.grace + self.sweep * 3
    }
}

/// Every so many pings, one carries heads and a fresh resume token.
const PINGS_TO_EXTRAS: u64 = 3;

/// One socket, shared with its context.
pub struct SocketState {
    pub inbox: Rc<Inbox>,
    connection: Weak<Connection>,
    /// The context's; gone with it.
    permit: Weak<SocketPermit>,
    opened: Instant,
    owner: Cell<Option<(SocketId, SocketOwner)>>,
    expires: Cell<Timestamp>,
    /// `AccessCache::changes` before the hello was checked.
    changes: Cell<u64>,
    /// The context has ended.
    ended: Cell<bool>,
    pings: Cell<u64>,
    pinged: Cell<Option<Instant>>,
    next_ping: Cell<Instant>,
    /// The newest acknowledgement, and when it was seen.
    progress: Cell<(u64, Instant)>,
    /// When the sweeper first saw that the socket is closing.
    closing_since: Cell<Option<Instant>>,
}

impl SocketState {
    pub fn new(
        inbox: Rc<Inbox>,
        connection: Weak<Connection>,
        permit: Weak<SocketPermit>,
        now: Instant,
    ) -> Self {
        Self {
            inbox,
            connection,
            permit,
            opened: now,
            owner: Cell::new(None),
            expires: Cell::new(Timestamp::MAX),
            changes: Cell::new(0),
            ended: Cell::new(false),
            pings: Cell::new(0),
            pinged: Cell::new(None),
            next_ping: Cell::new(now),
            progress: Cell::new((0, now)),
            closing_since: Cell::new(None),
        }
    }

    /// The client answered a ping. An answer to another than the last one is ignored.
    pub fn pong(&self, ping: u64) {
        if ping == self.pings.get() {
            self.pinged.set(None);
        }
    }

    /// The hello was accepted.
    pub fn admit(
        &self,
        socket: SocketId,
        owner: SocketOwner,
        expires: Timestamp,
        first_ping: Instant,
    ) {
        self.owner.set(Some((socket, owner)));
        self.expires.set(expires);
        self.next_ping.set(first_ping);
    }

    pub fn owner(&self) -> Option<(SocketId, SocketOwner)> {
        self.owner.get()
    }

    /// The socket reads the channel no longer: its company has room for another one.
    pub fn leave(&self, channel: Channel) {
        if let (Some(company), Some(permit)) = (channel.company(), self.permit.upgrade()) {
            permit.discount_reader(company);
        }
    }

    /// Notes the end of the session, as the database has it now.
    pub fn set_session_end(&self, until: Timestamp) {
        let owner = |(socket, owner)| (socket, SocketOwner { until, ..owner });
        self.owner.set(self.owner.get().map(owner));
    }

    /// Notes the count of changes before access is read: a change that is counted later may be missing in the answer.
    pub fn mark_changes(&self, changes: u64) {
        self.changes.set(changes);
    }

    pub fn has_missed_changes(&self, changes: u64) -> bool {
        self.changes.get() != changes
    }

    /// A new ticket was redeemed, perhaps of another session of the person.
    pub fn extend(&self, again: SocketOwner, expires: Timestamp) {
        self.owner.set(self.owner.get().map(|(socket, _)| (socket, again)));
        self.expires.set(expires);
    }

    pub fn mark_ended(&self) {
        self.ended.set(true);
    }

    /// The code to close the socket with at this instant, if it is to be closed.
    fn due_close(&self, timing: &Timing, now: Instant, time: Timestamp) -> Option<u16> {
        let Some((_, SocketOwner { until, .. })) = self.owner.get() else {
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

/// Reads what every third ping carries: a fresh resume token and the heads of the socket's channels.
pub type ReadPingExtras<'a> = &'a dyn Fn(SocketId, SocketOwner) -> (String, Vec<Head>);

/// The sockets of one worker.
#[derive(Default)]
pub struct Sweeper(RefCell<Vec<Rc<SocketState>>>);

impl Sweeper {
    pub fn watch(&self, socket: Rc<SocketState>) {
        self.0.borrow_mut().push(socket);
    }

    pub fn all(&self) -> Vec<Rc<SocketState>> {
        self.0.borrow().clone()
    }

    /// Closes, resets or pings every socket that is due.
    pub fn sweep(
        &self,
        timing: &Timing,
        now: Instant,
        clock: &Clock,
        read_extras: ReadPingExtras<'_>,
    ) {
        let time = clock.now();
        for socket in self.all() {
            if socket.inbox.close_code().is_none()
                && let Some(code) = socket.due_close(timing, now, time)
            {
                metrics::counter!("bipe_live_closed_total", "code" => code.to_string())
                    .increment(1);
                socket.inbox.close(code);
            }
            if socket.ended.get() || socket.inbox.close_code().is_some() {
                reset_if_overdue(&socket, timing, now);
            } else {
                ping(&socket, timing, now, clock, read_extras);
            }
        }
        self.0.borrow_mut().retain(|socket| socket.connection.strong_count() > 0);
    }
}

/// Resets the connection of a closing socket that has not ended within the grace time.
fn reset_if_overdue(socket: &SocketState, timing: &Timing, now: Instant) {
    let since = socket.closing_since.get().unwrap_or(now);
    socket.closing_since.set(Some(since));
    if now.duration_since(since) >= timing.grace
        && let Some(connection) = socket.connection.upgrade()
    {
        metrics::counter!("bipe_live_reset_total").increment(1);
        connection.kill();
    }
}

fn ping(
    socket: &SocketState,
    timing: &Timing,
    now: Instant,
    clock: &Clock,
    read_extras: ReadPingExtras<'_>,
) {
    let Some((id, owner)) = socket.owner() else { return };
    if now < socket.next_ping.get() || socket.pinged.get().is_some() {
        return;
    }
    let n = socket.pings.get() + 1;
    socket.pings.set(n);
    socket.pinged.set(Some(now));
    socket.next_ping.set(now + jittered(timing.heartbeat, clock));
    let (resume, heads) = n.is_multiple_of(PINGS_TO_EXTRAS).then(|| read_extras(id, owner)).unzip();
    socket.inbox.put_control(ServerFrame::Ping { n, resume }.envelope());
    if let Some(heads) = heads.filter(|heads| !heads.is_empty()) {
        socket.inbox.put_control(ServerFrame::of_heads(heads).envelope());
    }
}

/// The period, give or take a tenth, so that sockets opened together are not pinged together.
pub fn jittered(period: Duration, clock: &Clock) -> Duration {
    let percent = 90 + clock.below(21);
    period * percent / 100
}

#[cfg(test)]
mod tests {
    use bipe_core::id::{SessionId, UserId};
    use bipe_core::scope::SignedIn;

    use super::*;

    fn extras(_: SocketId, _: SocketOwner) -> (String, Vec<Head>) {
        ("fresh".into(), vec![Head { channel: Channel::Plans, epoch: "e1".into(), seq: 3 }])
    }

    #[test]
    fn a_stalled_reader_is_gone_within_45_seconds() {
        assert!(Timing::default().longest_stall() <= Duration::from_secs(45));
    }

    fn socket(clock: &Clock, now: Instant) -> (Sweeper, Rc<SocketState>) {
        let state = Rc::new(SocketState::new(Rc::default(), Weak::new(), Weak::new(), now));
        let who = SignedIn { user_id: UserId::new(clock), session_id: SessionId::new(clock) };
        let expires = clock.now().checked_add(jiff::SignedDuration::from_mins(15)).unwrap();
        let until = clock.now().checked_add(jiff::SignedDuration::from_mins(60)).unwrap();
        state.admit(1, SocketOwner { who, until }, expires, now + Duration::from_secs(20));
        (Sweeper::default(), state)
    }

    /// Sweeps every second until there is a verdict; the socket answers as `each` says.
    fn verdict(each: impl Fn(&SocketState, Instant)) -> (Option<u16>, u64) {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let start = Instant::now();
        let (sweeper, state) = socket(&clock, start);
        for second in 1..120 {
            let now = start + Duration::from_secs(second);
            // Without a connection the sweeper forgets the socket after each round.
            sweeper.watch(state.clone());
            each(&state, now);
            sweeper.sweep(&Timing::default(), now, &clock, &extras);
            if let Some(code) = state.inbox.close_code() {
                return (Some(code), second);
            }
        }
        (None, 120)
    }

    fn answer(state: &SocketState, _: Instant) {
        state.pong(state.pings.get());
    }

    #[test]
    fn silence_after_a_ping_ends_a_socket() {
        let (code, second) = verdict(|_, _| {});
        assert_eq!(code, Some(close::NO_PONG));
        assert!((33..=38).contains(&second), "{second}");
        let (another, _) = verdict(|state, _| state.pong(state.pings.get() + 1));
        assert_eq!(another, Some(close::NO_PONG), "another ping's answer is none");
    }

    #[test]
    fn a_client_that_answers_stays() {
        assert_eq!(verdict(answer).0, None);
    }

    #[test]
    fn a_reader_without_progress_ends_even_if_it_talks() {
        let (code, second) = verdict(|state, now| {
            answer(state, now);
            for seq in 0..200 {
                let envelope = ServerFrame::Ok { id: 1 }.envelope();
                state.inbox.put_event(Channel::Plans, seq, false, envelope);
            }
            while state.inbox.take().is_some() {}
        });
        assert_eq!(code, Some(close::SLOW));
        assert!((30..=32).contains(&second), "{second}");
    }

    #[test]
    fn a_socket_without_hello_ends_after_five_seconds() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let opened = Instant::now();
        let state = SocketState::new(Rc::default(), Weak::new(), Weak::new(), opened);
        let timing = Timing::default();
        let at = |seconds| opened + Duration::from_secs(seconds);
        assert_eq!(state.due_close(&timing, at(4), clock.now()), None);
        assert_eq!(state.due_close(&timing, at(5), clock.now()), Some(close::EXPIRED));
    }

    #[test]
    fn no_ticket_carries_a_socket_past_the_end_of_its_session() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let (timing, now) = (Timing::default(), Instant::now());
        let (_, state) = socket(&clock, now);
        let (_, owner) = state.owner().unwrap();
        state.extend(owner, Timestamp::MAX);
        clock.advance(3_599);
        assert_eq!(state.due_close(&timing, now, clock.now()), None);
        clock.advance(1);
        assert_eq!(state.due_close(&timing, now, clock.now()), Some(close::EXPIRED));
        state.extend(owner, Timestamp::MAX);
        state.set_session_end(clock.now().checked_add(jiff::SignedDuration::from_mins(1)).unwrap());
        assert_eq!(state.due_close(&timing, now, clock.now()), None, "used again");
    }

    #[test]
    fn access_ends_with_its_time_and_every_third_ping_carries_extras() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap(), 7);
        let start = Instant::now();
        let (sweeper, state) = socket(&clock, start);
        let mut text = String::new();
        for second in 1..=70 {
            let now = start + Duration::from_secs(second);
            answer(&state, now);
            sweeper.watch(state.clone());
            sweeper.sweep(&Timing::default(), now, &clock, &extras);
            while let Some(bipe_actors::worker::inbox::SocketOutput::Text(more)) =
                state.inbox.take()
            {
                text.push_str(&more);
            }
        }
        assert_eq!(text.matches(r#""type":"ping""#).count(), 3);
        assert_eq!(text.matches(r#""resume":"fresh""#).count(), 1);
        assert_eq!(text.matches(r#""heads":[["plans","e1",3]]"#).count(), 1);
        clock.advance(900);
        sweeper.watch(state.clone());
        let now = start + Duration::from_secs(71);
        sweeper.sweep(&Timing::default(), now, &clock, &extras);
        assert_eq!(state.inbox.close_code(), Some(close::EXPIRED));
    }
}
