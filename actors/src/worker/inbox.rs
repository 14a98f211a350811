//! The bounded queue of one socket, and its window of unacknowledged envelopes (invariant I7).
//!
//! The hub puts envelopes in, the socket takes frames out, the sweeper watches; all on one worker. Several puts before
//! the socket runs wake it once. Events need no wake-up while the socket has nothing else to write: they go straight to
//! its connection. Nothing here waits for the client: a full queue resets its largest channel.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Weak;
use std::task::{Context, Poll, Waker};

use bipe_core::event::Channel;
use bytestring::ByteString;

use crate::envelope::{Envelope, ResetReason, reset};

/// Data envelopes that may be sent and not yet acknowledged.
pub const WINDOW_FRAMES: usize = 128;
/// Their bytes. Less than the send buffer of the socket, so that writing to a client that reads never blocks.
const WINDOW_BYTES: usize = 48 * 1024;
/// Bytes of data envelopes that may wait.
pub const OUTBOX_BYTES: usize = 256 * 1024;
/// The largest answer that counts among them. One that is larger does not: the state of a company with a thousand
/// members would be reset each time it comes. All readers share its bytes.
const MAX_COUNTED_ANSWER: usize = OUTBOX_BYTES / 2;
/// Envelopes in one text frame.
const JOIN_ENVELOPES: usize = 64;
/// Bytes of one text frame; a larger envelope travels alone.
const JOIN_BYTES: usize = 16 * 1024;
/// Answers and pings that may wait. A client that asks more without reading is at fault.
const CONTROL_ENVELOPES: usize = 128;
/// The capacity that an empty queue keeps. More is given back, so that a burst takes no memory afterwards.
const KEPT_ENTRIES: usize = 16;

/// What the socket writes next.
#[derive(Debug, PartialEq, Eq)]
pub enum SocketOutput {
    Text(ByteString),
    /// The close frame with its code, always the last one.
    Close(u16),
}

/// The connection of a socket, for frames that its task need not write.
pub trait FrameWriter {
    /// The task has written everything that it was given.
    fn is_idle(&self) -> bool;

    /// Writes a text frame at once; called only while idle. False when the task must be woken, to write the rest of it or
    /// to meet the error.
    fn write(&self, text: &str) -> bool;
}

/// One data envelope that waits.
#[derive(Clone, Debug)]
struct Entry {
    channel: Channel,
    seq: i64,
    /// The sequence number that the envelope continues; none for a snapshot, reset or live.
    prev: Option<i64>,
    /// A newer value of the channel replaces it.
    is_replaceable: bool,
    envelope: Envelope,
}

#[derive(Default)]
pub struct Inbox(RefCell<Queues>);

#[derive(Default)]
struct Queues {
    /// Answers and pings: sent before data, never acknowledged.
    control: VecDeque<Envelope>,
    data: VecDeque<Entry>,
    data_bytes: usize,
    /// Bytes of each envelope sent and not yet acknowledged, oldest first.
    unacknowledged: VecDeque<usize>,
    unacknowledged_bytes: usize,
    /// Envelopes in all.
    acknowledged: u64,
    /// `control` waits for the next data envelope or for `release_answers`.
    are_answers_held: bool,
    close: Option<u16>,
    closed: bool,
    waker: Option<Waker>,
    writer: Option<Weak<dyn FrameWriter>>,
}

impl Inbox {
    /// An inbox whose events go straight to the connection when they can.
    pub fn of_connection(writer: Weak<dyn FrameWriter>) -> Self {
        Self(RefCell::new(Queues { writer: Some(writer), ..Queues::default() }))
    }

    /// Puts an answer or a ping in. One too many is dropped: whoever reads so little answers no ping either.
    pub fn put_control(&self, envelope: Envelope) {
        let mut queues = self.0.borrow_mut();
        if queues.control.len() < CONTROL_ENVELOPES {
            queues.control.push_back(envelope);
            queues.wake();
        }
    }

    /// Keeps answers back until data is sent or `release_answers` is called, so that both travel in one frame.
    pub fn hold_answers(&self) {
        self.0.borrow_mut().are_answers_held = true;
    }

    pub fn release_answers(&self) {
        let mut queues = self.0.borrow_mut();
        queues.are_answers_held = false;
        queues.wake();
    }

    /// Puts the answer of a subscription in: reset, snapshot or events, live.
    /// Returns the channel that was reset because the queue was full.
    pub fn put_answer(&self, channel: Channel, envelopes: Vec<Envelope>) -> Option<Channel> {
        let mut queues = self.0.borrow_mut();
        for envelope in envelopes {
            queues.put(Entry { channel, seq: 0, prev: None, is_replaceable: false, envelope });
        }
        let reset = queues.bound();
        queues.wake();
        reset
    }

    /// Puts an event in, which `send` sends; with `is_replaceable`, a newer event of the channel may replace it.
    /// Returns the channel that was reset because the queue was full.
    pub fn put_event(
        &self,
        channel: Channel,
        seq: i64,
        is_replaceable: bool,
        envelope: Envelope,
    ) -> Option<Channel> {
        let mut queues = self.0.borrow_mut();
        queues.put(Entry { channel, seq, prev: Some(seq - 1), is_replaceable, envelope });
        queues.bound()
    }

    /// Sends what the window allows: by the connection itself where that is idle, else by waking the socket.
    pub fn send(&self) {
        let mut queues = self.0.borrow_mut();
        if let Some(writer) = queues.writer.as_ref().and_then(Weak::upgrade) {
            while queues.close.is_none() && queues.is_ready() && writer.is_idle() {
                let Some(text) = queues.next_text() else { break };
                if !writer.write(&text) {
                    return queues.wake_task();
                }
            }
        }
        queues.wake();
    }

    /// Drops the envelopes of the channel that wait, and puts a reset in.
    pub fn reset(&self, channel: Channel, reason: ResetReason) {
        let mut queues = self.0.borrow_mut();
        queues.reset(channel, reason);
        queues.wake();
    }

    /// Drops the envelopes of the channel that wait.
    pub fn drop_channel(&self, channel: Channel) {
        self.0.borrow_mut().drop_channel(channel);
    }

    /// Closes the socket after the answers that wait. A second code is ignored.
    pub fn close(&self, code: u16) {
        let mut queues = self.0.borrow_mut();
        queues.close.get_or_insert(code);
        queues.wake();
    }

    /// The code of `close`, once it was called.
    pub fn close_code(&self) -> Option<u16> {
        self.0.borrow().close
    }

    /// The client has received so many data envelopes since the welcome. False when more than were sent.
    pub fn acknowledge(&self, frames: u64) -> bool {
        let mut queues = self.0.borrow_mut();
        let newly =
            usize::try_from(frames.saturating_sub(queues.acknowledged)).unwrap_or(usize::MAX);
        if newly > queues.unacknowledged.len() {
            return false;
        }
        let bytes: usize = queues.unacknowledged.drain(..newly).sum();
        shrink_if_empty(&mut queues.unacknowledged);
        queues.unacknowledged_bytes -= bytes;
        queues.acknowledged = queues.acknowledged.max(frames);
        queues.wake();
        true
    }

    /// Data envelopes that the client has acknowledged since the welcome.
    pub fn acknowledged(&self) -> u64 {
        self.0.borrow().acknowledged
    }

    /// Data waits and does not fit into the window.
    pub fn is_blocked(&self) -> bool {
        let queues = self.0.borrow();
        queues.data.front().is_some_and(|entry| !queues.fits(entry.envelope.bytes()))
    }

    /// Envelopes of the channel wait. Its head must not be sent before them.
    pub fn has_waiting(&self, channel: Channel) -> bool {
        self.0.borrow().data.iter().any(|entry| entry.channel == channel)
    }

    /// The next frame, if the window allows one.
    pub fn take(&self) -> Option<SocketOutput> {
        let mut queues = self.0.borrow_mut();
        if !queues.is_ready() {
            return None;
        }
        if let Some(text) = queues.next_text() {
            return Some(SocketOutput::Text(text));
        }
        let code = queues.close?;
        queues.closed = true;
        Some(SocketOutput::Close(code))
    }

    /// Ready when `take` returns a frame.
    pub fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut queues = self.0.borrow_mut();
        if queues.is_ready() {
            return Poll::Ready(());
        }
        queues.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Queues {
    fn wake(&mut self) {
        if self.is_ready() {
            self.wake_task();
        }
    }

    fn wake_task(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn is_ready(&self) -> bool {
        let data = || self.data.front().is_some_and(|entry| self.fits(entry.envelope.bytes()));
        let control = !self.control.is_empty() && !self.are_answers_held;
        !self.closed && (self.close.is_some() || control || data())
    }

    /// The next text frame of envelopes that may be sent.
    fn next_text(&mut self) -> Option<ByteString> {
        self.are_answers_held = false;
        let (mut parts, mut bytes) = (Vec::new(), 0);
        while parts.len() < JOIN_ENVELOPES {
            let Some(next) = self.next(bytes) else { break };
            bytes += next.bytes() + 1;
            parts.push(next);
        }
        if parts.is_empty() {
            return None;
        }
        shrink_if_empty(&mut self.control);
        shrink_if_empty(&mut self.data);
        Some(join(&parts, bytes))
    }

    fn fits(&self, bytes: usize) -> bool {
        self.unacknowledged.is_empty()
            || (self.unacknowledged.len() < WINDOW_FRAMES
                && self.unacknowledged_bytes + bytes <= WINDOW_BYTES)
    }

    /// The next envelope that may join a frame of `bytes` so far. Before a close only answers are sent.
    fn next(&mut self, bytes: usize) -> Option<Envelope> {
        // Each has a comma or the last bracket behind it, and the first bracket is before all.
        let joins = |len: usize| bytes == 0 || bytes + len + 2 <= JOIN_BYTES;
        if let Some(front) = self.control.front() {
            return if joins(front.bytes()) { self.control.pop_front() } else { None };
        }
        let len = self.data.front()?.envelope.bytes();
        if self.close.is_some() || !joins(len) || !self.fits(len) {
            return None;
        }
        self.unacknowledged.push_back(len);
        self.unacknowledged_bytes += len;
        self.data_bytes -= len;
        self.data.pop_front().map(|entry| entry.envelope)
    }

    fn put(&mut self, mut entry: Entry) {
        if entry.is_replaceable && self.data_bytes > OUTBOX_BYTES / 2 {
            self.conflate(&mut entry);
        }
        self.data_bytes += entry.envelope.bytes();
        self.data.push_back(entry);
    }

    /// Drops the waiting event that `entry` replaces. Its `prev` then tells the client that no event is missing.
    fn conflate(&mut self, entry: &mut Entry) {
        let same = |old: &Entry| old.channel == entry.channel;
        let Some(at) = self.data.iter().rposition(same) else { return };
        let Some(prev) =
            self.data.get(at).filter(|old| old.is_replaceable).and_then(|old| old.prev)
        else {
            return;
        };
        if let Some(old) = self.data.remove(at) {
            self.data_bytes -= old.envelope.bytes();
        }
        entry.envelope = entry.envelope.continuing(entry.seq, prev);
        entry.prev = Some(prev);
    }

    /// Resets the largest channel when more bytes wait than may.
    fn bound(&mut self) -> Option<Channel> {
        let largest = if self.is_full() { self.largest() } else { None };
        if let Some(channel) = largest {
            self.reset(channel, ResetReason::Lagged);
        }
        largest
    }

    fn is_full(&self) -> bool {
        if self.data_bytes <= OUTBOX_BYTES {
            return false;
        }
        let answers = self.data.iter().filter(|entry| entry.prev.is_none());
        let largest = answers.map(|entry| entry.envelope.bytes()).max().unwrap_or_default();
        let uncounted = if largest > MAX_COUNTED_ANSWER { largest } else { 0 };
        self.data_bytes - uncounted > OUTBOX_BYTES
    }

    fn largest(&self) -> Option<Channel> {
        let mut bytes: HashMap<Channel, usize> = HashMap::new();
        for entry in &self.data {
            *bytes.entry(entry.channel).or_default() += entry.envelope.bytes();
        }
        bytes.into_iter().max_by_key(|(_, bytes)| *bytes).map(|(channel, _)| channel)
    }

    fn reset(&mut self, channel: Channel, reason: ResetReason) {
        self.drop_channel(channel);
        match reset(channel, reason) {
            Ok(envelope) => {
                self.put(Entry { channel, seq: 0, prev: None, is_replaceable: false, envelope });
            }
            Err(error) => tracing::error!(error = %error, "a reset cannot be written"),
        }
    }

    fn drop_channel(&mut self, channel: Channel) {
        self.data.retain(|entry| entry.channel != channel);
        self.data_bytes = self.data.iter().map(|entry| entry.envelope.bytes()).sum();
    }
}

/// Gives back the memory of a burst.
fn shrink_if_empty<T>(queue: &mut VecDeque<T>) {
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
