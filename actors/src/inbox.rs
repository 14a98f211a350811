//! The bounded queue of one socket and its window of unacknowledged envelopes (invariant I7).
//!
//! The hub puts envelopes in, the socket takes frames out, the sweeper watches; all on one worker. A put wakes
//! the socket once, however many follow. Nothing here waits for the reader: full, the largest channel is reset.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::task::{Context, Poll, Waker};

use bipe_core::event::Channel;
use bytestring::ByteString;

use crate::envelope::{Envelope, ResetReason, reset};

/// Unacknowledged data envelopes and their bytes; below the send buffer, so that a healthy reader never
/// blocks the socket's context.
pub const WINDOW_FRAMES: usize = 128;
pub const WINDOW_BYTES: usize = 48 * 1024;
pub const OUTBOX_BYTES: usize = 256 * 1024;
/// Envelopes joined in one text frame, and their bytes; a larger one travels alone.
const JOIN_ENVELOPES: usize = 64;
const JOIN_BYTES: usize = 16 * 1024;
/// Answers and pings that wait; a client that asks without reading is at fault.
const CONTROL_ENVELOPES: usize = 128;

/// Entries whose room a queue keeps once it is empty; a burst must not weigh on a silent socket.
const KEPT_ENTRIES: usize = 16;

/// What the socket is to write next.
#[derive(Debug, PartialEq, Eq)]
pub enum Out {
    Text(ByteString),
    /// The last thing; the code carries the verdict.
    Close(u16),
}

/// One data envelope. `prev` is set for latest-value channels, whose entries may merge.
#[derive(Clone, Debug)]
struct Entry {
    channel: Channel,
    seq: i64,
    /// What the envelope continues; none for a snapshot, reset or live.
    prev: Option<i64>,
    latest: bool,
    envelope: Envelope,
}

#[derive(Debug, Default)]
pub struct Inbox(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    control: VecDeque<Envelope>,
    data: VecDeque<Entry>,
    data_bytes: usize,
    /// Bytes of each envelope sent and not yet acknowledged, oldest first.
    unacknowledged: VecDeque<usize>,
    unacknowledged_bytes: usize,
    acknowledged: u64,
    /// `control` leaves with the next data, or when it is let go.
    held: bool,
    close: Option<u16>,
    closed: bool,
    waker: Option<Waker>,
}

impl Inbox {
    /// An answer or a ping; never acknowledged, goes ahead of data. False when too many wait.
    pub fn control(&self, envelope: Envelope) -> bool {
        let mut state = self.0.borrow_mut();
        if state.control.len() >= CONTROL_ENVELOPES {
            return false;
        }
        state.control.push_back(envelope);
        state.wake();
        true
    }

    /// Answers wait from here on, until data leaves or they are let go: both are one frame then.
    pub fn hold(&self) {
        self.0.borrow_mut().held = true;
    }

    /// Answers wait for nothing any more.
    pub fn let_go(&self) {
        let mut state = self.0.borrow_mut();
        state.held = false;
        state.wake();
    }

    /// The answer of a subscription, in order: reset, snapshot or events, live.
    /// Returns the channel that had to be reset because the queue is full.
    pub fn answer(&self, channel: Channel, envelopes: Vec<Envelope>) -> Option<Channel> {
        let mut state = self.0.borrow_mut();
        for envelope in envelopes {
            state.put(Entry { channel, seq: 0, prev: None, latest: false, envelope });
        }
        state.settle()
    }

    /// An event; `latest` says that a newer one replaces it.
    /// Returns the channel that had to be reset because the queue is full.
    pub fn event(
        &self,
        channel: Channel,
        seq: i64,
        latest: bool,
        envelope: Envelope,
    ) -> Option<Channel> {
        let mut state = self.0.borrow_mut();
        state.put(Entry { channel, seq, prev: Some(seq - 1), latest, envelope });
        state.settle()
    }

    /// Forgets what waits of the channel and tells the reader why.
    pub fn reset(&self, channel: Channel, reason: ResetReason) {
        let mut state = self.0.borrow_mut();
        state.reset(channel, reason);
        state.wake();
    }

    /// Forgets what waits of the channel.
    pub fn forget(&self, channel: Channel) {
        self.0.borrow_mut().forget(channel);
    }

    /// Ends the socket after what stands in `control`. The first verdict stays.
    pub fn close(&self, code: u16) {
        let mut state = self.0.borrow_mut();
        state.close.get_or_insert(code);
        state.wake();
    }

    /// The verdict, once there is one.
    pub fn closing(&self) -> Option<u16> {
        self.0.borrow().close
    }

    /// Envelopes received in all since the welcome. False when the client claims more than was sent.
    pub fn acknowledge(&self, frames: u64) -> bool {
        let mut state = self.0.borrow_mut();
        let newly =
            usize::try_from(frames.saturating_sub(state.acknowledged)).unwrap_or(usize::MAX);
        if newly > state.unacknowledged.len() {
            return false;
        }
        let bytes: usize = state.unacknowledged.drain(..newly).sum();
        relax(&mut state.unacknowledged);
        state.unacknowledged_bytes -= bytes;
        state.acknowledged = state.acknowledged.max(frames);
        state.wake();
        true
    }

    /// How many envelopes the client acknowledged: grows while the reader makes progress.
    pub fn acknowledged(&self) -> u64 {
        self.0.borrow().acknowledged
    }

    /// Data waits and the window is used up.
    pub fn is_blocked(&self) -> bool {
        let state = self.0.borrow();
        state.data.front().is_some_and(|entry| !state.fits(entry.envelope.len()))
    }

    /// Something of the channel waits: its head would be news before its time.
    pub fn holds(&self, channel: Channel) -> bool {
        self.0.borrow().data.iter().any(|entry| entry.channel == channel)
    }

    /// Bytes that wait.
    pub fn queued_bytes(&self) -> usize {
        self.0.borrow().data_bytes
    }

    /// The next frame, if the window allows one.
    pub fn take(&self) -> Option<Out> {
        let mut state = self.0.borrow_mut();
        if !state.is_ready() {
            return None;
        }
        state.held = false;
        let (mut parts, mut bytes) = (Vec::new(), 0);
        while parts.len() < JOIN_ENVELOPES {
            let Some(next) = state.next(bytes) else { break };
            bytes += next.len() + 1;
            parts.push(next);
        }
        if !parts.is_empty() {
            relax(&mut state.control);
            relax(&mut state.data);
            return Some(Out::Text(join(&parts, bytes)));
        }
        let code = state.close?;
        state.closed = true;
        Some(Out::Close(code))
    }

    /// Ready when `take` would give something.
    pub fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.borrow_mut();
        if state.is_ready() {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl State {
    fn wake(&mut self) {
        if self.is_ready()
            && let Some(waker) = self.waker.take()
        {
            waker.wake();
        }
    }

    fn is_ready(&self) -> bool {
        let data = || self.data.front().is_some_and(|entry| self.fits(entry.envelope.len()));
        let control = !self.control.is_empty() && !self.held;
        !self.closed && (self.close.is_some() || control || data())
    }

    fn fits(&self, bytes: usize) -> bool {
        self.unacknowledged.is_empty()
            || (self.unacknowledged.len() < WINDOW_FRAMES
                && self.unacknowledged_bytes + bytes <= WINDOW_BYTES)
    }

    /// The next envelope that may join a frame of `bytes` so far. With a verdict only answers still go out.
    fn next(&mut self, bytes: usize) -> Option<Envelope> {
        let joins = |len: usize| bytes == 0 || bytes + len < JOIN_BYTES;
        if let Some(front) = self.control.front() {
            return if joins(front.len()) { self.control.pop_front() } else { None };
        }
        let len = self.data.front()?.envelope.len();
        if self.close.is_some() || !joins(len) || !self.fits(len) {
            return None;
        }
        self.unacknowledged.push_back(len);
        self.unacknowledged_bytes += len;
        self.data_bytes -= len;
        self.data.pop_front().map(|entry| entry.envelope)
    }

    fn put(&mut self, mut entry: Entry) {
        if entry.latest && self.data_bytes > OUTBOX_BYTES / 2 {
            self.conflate(&mut entry);
        }
        self.data_bytes += entry.envelope.len();
        self.data.push_back(entry);
    }

    /// Drops the waiting event that `entry` replaces; `prev` proves that nothing is missing.
    fn conflate(&mut self, entry: &mut Entry) {
        let same = |old: &Entry| old.channel == entry.channel;
        let Some(at) = self.data.iter().rposition(same) else { return };
        let Some(prev) = self.data.get(at).filter(|old| old.latest).and_then(|old| old.prev) else {
            return;
        };
        if let Some(old) = self.data.remove(at) {
            self.data_bytes -= old.envelope.len();
        }
        entry.envelope = entry.envelope.continuing(entry.seq, prev);
        entry.prev = Some(prev);
    }

    /// Wakes the socket, and resets the largest channel when the queue is over its bound.
    fn settle(&mut self) -> Option<Channel> {
        let largest = if self.data_bytes > OUTBOX_BYTES { self.largest() } else { None };
        if let Some(channel) = largest {
            self.reset(channel, ResetReason::Lagged);
        }
        self.wake();
        largest
    }

    fn largest(&self) -> Option<Channel> {
        let mut bytes: HashMap<Channel, usize> = HashMap::new();
        for entry in &self.data {
            *bytes.entry(entry.channel).or_default() += entry.envelope.len();
        }
        bytes.into_iter().max_by_key(|(_, bytes)| *bytes).map(|(channel, _)| channel)
    }

    fn reset(&mut self, channel: Channel, reason: ResetReason) {
        self.forget(channel);
        match reset(channel, reason) {
            Ok(envelope) => {
                self.put(Entry { channel, seq: 0, prev: None, latest: false, envelope });
            }
            Err(error) => tracing::error!(error = %error, "a reset cannot be written"),
        }
    }

    fn forget(&mut self, channel: Channel) {
        self.data.retain(|entry| entry.channel != channel);
        self.data_bytes = self.data.iter().map(|entry| entry.envelope.len()).sum();
    }
}

/// Gives back what a burst has taken.
fn relax<T>(queue: &mut VecDeque<T>) {
    if queue.is_empty() && queue.capacity() > KEPT_ENTRIES {
        *queue = VecDeque::new();
    }
}

/// One envelope is an object, several are an array.
fn join(parts: &[Envelope], bytes: usize) -> ByteString {
    if let [one] = parts {
        return one.shared();
    }
    let mut text = String::with_capacity(bytes + 1);
    for part in parts {
        text.push(if text.is_empty() { '[' } else { ',' });
        text.push_str(part.text());
    }
    text.push(']');
    text.into()
}

#[cfg(test)]
mod tests;
