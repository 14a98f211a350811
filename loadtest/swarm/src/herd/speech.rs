//! What a socket says and understands: rt.v1, the plain recovery of the small peers, or socket.io's packets.
//!
//! Nothing is parsed that need not be: an envelope is found by its first words, a number by its name.

use std::time::Duration;

use memchr::memmem;

use super::log::Kind;
use super::wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    Bipe,
    /// `since N`, answered by the missed events and `live`.
    Plain,
    SocketIo,
}

/// Acknowledged after so many envelopes, as the web app does; the window is 128.
const ACKNOWLEDGE_AFTER: usize = 32;

/// A channel and how much of it the socket holds.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub channel: String,
    pub epoch: String,
    pub seq: i64,
    pub live: bool,
}

/// What a socket keeps, also between two connections.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub held: Vec<Held>,
    /// Sockets of one session.
    pub group: u32,
    /// For a first hello.
    pub ticket: String,
    /// The resume token of rt.v1, or socket.io's private id.
    pub resume: String,
    /// socket.io's place in the stream.
    offset: String,
    received: usize,
    /// The next acknowledgement is sent after so many envelopes.
    acknowledge_at: usize,
    first_acknowledgement: usize,
}

/// What was understood of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Told {
        channel: usize,
        kind: Kind,
        seq: i64,
        cause: Option<u64>,
    },
    /// Every channel is live.
    Ready,
    /// The server shuts down and wants the socket elsewhere by then.
    Leave {
        after: Duration,
    },
}

impl Memory {
    pub fn reading(channels: &[String]) -> Self {
        let held = |channel: &String| Held { channel: channel.clone(), ..Held::default() };
        let held = channels.iter().map(held).collect();
        Self {
            held,
            acknowledge_at: ACKNOWLEDGE_AFTER,
            first_acknowledgement: ACKNOWLEDGE_AFTER,
            ..Self::default()
        }
    }

    /// Readers who came one after the other do not all acknowledge the same event. Those of a benchmark come together,
    /// before the first event: their places in the herd keep them apart.
    pub fn acknowledging_in_turn(mut self, place: usize) -> Self {
        self.first_acknowledgement = 1 + place % ACKNOWLEDGE_AFTER;
        self
    }

    /// The first text of a connection, and the state of a new one.
    pub fn greet(&mut self, speech: Speech, out: &mut Vec<u8>) {
        (self.received, self.acknowledge_at) = (0, self.first_acknowledgement);
        for held in &mut self.held {
            held.live = false;
        }
        match speech {
            Speech::Bipe => wire::text(&self.hello(), out),
            Speech::Plain => {
                let held = self.held.first().map_or(0, |held| held.seq);
                wire::text(&format!("since {held}"), out);
            }
            // The server opens.
            Speech::SocketIo => {}
        }
    }

    fn hello(&self) -> String {
        let wanted = self.held.iter().map(|held| {
            let Held { channel, epoch, seq, .. } = held;
            if epoch.is_empty() {
                return format!(r#"{{"channel":"{channel}"}}"#);
            }
            format!(r#"{{"channel":"{channel}","since":{{"epoch":"{epoch}","seq":{seq}}}}}"#)
        });
        let wanted: Vec<String> = wanted.collect();
        let (name, value) = if self.resume.is_empty() {
            ("ticket", &self.ticket)
        } else {
            ("resume", &self.resume)
        };
        let wanted = wanted.join(",");
        format!(r#"{{"type":"hello","id":1,"{name}":"{value}","subscriptions":[{wanted}]}}"#)
    }

    pub fn hear(
        &mut self,
        speech: Speech,
        text: &[u8],
        out: &mut Vec<u8>,
        told: &mut impl FnMut(Word),
    ) {
        match speech {
            Speech::SocketIo => self.hear_socket_io(text, out, told),
            Speech::Bipe | Speech::Plain => {
                let mut starts = memmem::find_iter(text, b"{\"type\":\"").peekable();
                while let Some(from) = starts.next() {
                    let end = starts.peek().copied().unwrap_or(text.len());
                    self.envelope(text.get(from + 9..end).unwrap_or_default(), out, told);
                }
                if speech == Speech::Bipe && self.received >= self.acknowledge_at {
                    self.acknowledge_at = self.received + ACKNOWLEDGE_AFTER;
                    wire::text(&format!(r#"{{"type":"ack","frames":{}}}"#, self.received), out);
                }
            }
        }
    }

    /// One envelope from its type on.
    fn envelope(&mut self, text: &[u8], out: &mut Vec<u8>, told: &mut impl FnMut(Word)) {
        let kind = match text.split(|byte| *byte == b'"').next().unwrap_or_default() {
            b"event" => Kind::Event,
            b"snapshot" => Kind::Snapshot,
            b"live" => Kind::Live,
            b"reset" => Kind::Reset,
            b"welcome" => return self.resume = word(text, b"\"resume\":\""),
            b"ping" => {
                let n = number(text, b"\"n\":").unwrap_or_default();
                wire::text(&format!(r#"{{"type":"pong","n":{n}}}"#), out);
                let fresh = word(text, b"\"resume\":\"");
                if !fresh.is_empty() {
                    self.resume = fresh;
                }
                return;
            }
            b"drain" => {
                let millis = number(text, b"\"afterMs\":").and_then(|ms| u64::try_from(ms).ok());
                return told(Word::Leave { after: Duration::from_millis(millis.unwrap_or(0)) });
            }
            _ => return,
        };
        self.received += 1;
        let name = after(text, b"\"channel\":\"").unwrap_or_default();
        let is_named = |held: &Held| name.starts_with(held.channel.as_bytes());
        let Some(channel) = self.held.iter().position(is_named) else { return };
        let Some(held) = self.held.get_mut(channel) else { return };
        let seq = number(text, b"\"seq\":").unwrap_or(held.seq);
        let mut cause = None;
        match kind {
            Kind::Event => {
                held.seq = seq;
                cause = cause_of(text);
            }
            Kind::Snapshot => (held.seq, held.epoch) = (seq, word(text, b"\"epoch\":\"")),
            Kind::Reset => (held.seq, held.epoch) = (0, String::new()),
            Kind::Live => {
                held.live = true;
                held.seq = seq;
            }
        }
        told(Word::Told { channel, kind, seq, cause });
        if kind == Kind::Live && self.held.iter().all(|held| held.live) {
            told(Word::Ready);
        }
    }

    fn hear_socket_io(&mut self, text: &[u8], out: &mut Vec<u8>, told: &mut impl FnMut(Word)) {
        match text {
            [b'0', ..] if self.resume.is_empty() => wire::text("40", out),
            [b'0', ..] => {
                let (pid, offset) = (&self.resume, &self.offset);
                wire::text(&format!(r#"40{{"pid":"{pid}","offset":"{offset}"}}"#), out);
            }
            [b'2', ..] => wire::text("3", out),
            [b'4', b'0', rest @ ..] => {
                self.resume = word(rest, b"\"pid\":\"");
                told(Word::Ready);
            }
            [b'4', b'2', rest @ ..] => {
                let Some(seq) = number(rest, b"\"seq\":") else { return };
                // The last of the arguments is the place in the stream.
                let mut parts = rest.rsplit(|byte| *byte == b'"');
                let offset = parts.nth(1).unwrap_or_default();
                self.offset = String::from_utf8_lossy(offset).into_owned();
                if let Some(held) = self.held.first_mut() {
                    held.seq = seq;
                }
                told(Word::Told { channel: 0, kind: Kind::Event, seq, cause: cause_of(rest) });
            }
            _ => {}
        }
    }
}

fn after<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    text.get(memmem::find(text, name)? + name.len()..)
}

fn number(text: &[u8], name: &[u8]) -> Option<i64> {
    let digits = after(text, name)?.iter().take_while(|byte| byte.is_ascii_digit());
    let digit = |value: i64, byte: &u8| value * 10 + i64::from(*byte - b'0');
    Some(digits.fold(0, digit))
}

fn word(text: &[u8], name: &[u8]) -> String {
    let word = after(text, name).and_then(|rest| rest.split(|byte| *byte == b'"').next());
    String::from_utf8_lossy(word.unwrap_or_default()).into_owned()
}

/// The number of the command that caused the event; it stands near the end.
fn cause_of(text: &[u8]) -> Option<u64> {
    let name = b"\"cause\":\"swarm-";
    let from = memmem::rfind(text, name)? + name.len();
    let digits = text.get(from..)?.iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |value, byte| value * 10 + u64::from(*byte - b'0')))
}
