//! One socket of the herd: its stream, what came of it and what it has still to send.

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::sync::atomic::Ordering;

use mio::net::TcpStream;
use rustix::io::Errno;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use tokio::time::Instant;

use super::log::{Entry, Kind, Log};
use super::speech::{Memory, Speech, Word};
use super::{Shared, wire};
use crate::Outcome;

/// Source addresses, so that ports never run out.
const SOURCES: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Closed,
    Connecting,
    Upgrading,
    Greeting,
    Live,
    Stalled,
}

pub struct Slot {
    pub stage: Stage,
    pub stream: Option<TcpStream>,
    pub memory: Memory,
    /// What came of a frame that is not whole.
    pub rest: Vec<u8>,
    /// What the kernel had no room for.
    pub unsent: Vec<u8>,
    /// Everything asked for was answered on this connection.
    pub ready: bool,
    /// When it was live last, while it is not.
    pub lost_at: Option<Instant>,
    /// Tries since it was live.
    pub attempts: u32,
    /// The server wants this connection elsewhere by then.
    pub leave_at: Option<Instant>,
    /// The server's verdict on this connection.
    pub close_code: u16,
}

impl Slot {
    pub fn new(memory: Memory) -> Self {
        Self {
            stage: Stage::Closed,
            stream: None,
            memory,
            rest: Vec::new(),
            unsent: Vec::new(),
            ready: false,
            lost_at: None,
            attempts: 0,
            leave_at: None,
            close_code: 0,
        }
    }

    pub fn is_opening(&self) -> bool {
        matches!(self.stage, Stage::Connecting | Stage::Upgrading | Stage::Greeting)
    }

    /// Sends what the kernel takes; the rest goes when the socket is writable again.
    pub fn flush(&mut self) -> Outcome<()> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        while !self.unsent.is_empty() {
            match stream.write(&self.unsent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // The read that follows finds out that it is over.
                Err(_over) => self.unsent.clear(),
            }
        }
        Ok(())
    }
}

/// A connection that is on its way.
pub fn dial(address: SocketAddr, at: usize) -> std::io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    socket.set_tcp_nodelay(true)?;
    if address.ip().is_loopback() {
        let last = u8::try_from(2 + at % SOURCES).unwrap_or(2);
        socket.bind(&SockAddr::from(SocketAddr::from(([127, 0, 0, last], 0))))?;
    }
    match socket.connect(&address.into()) {
        Err(error)
            if error.kind() != ErrorKind::WouldBlock
                && error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) =>
        {
            Err(error)
        }
        _ => Ok(socket),
    }
}

/// The frames of one read go to the counts and into the log.
pub struct Hearing<'a> {
    pub socket: u32,
    pub now: Instant,
    pub shared: &'a Shared,
    pub log: &'a mut Option<Log>,
    pub times: &'a mut Vec<u32>,
}

impl Hearing<'_> {
    pub fn frame(
        &mut self,
        (kind, payload): (u8, &[u8]),
        slot: &mut Slot,
        speech: Speech,
    ) -> Outcome<()> {
        match kind {
            wire::PING => wire::pong(payload, &mut slot.unsent),
            wire::CLOSE => {
                let code = payload.first_chunk::<2>().map_or(0, |code| u16::from_be_bytes(*code));
                slot.close_code = code;
                self.shared.close_code.store(code.into(), Ordering::Relaxed);
            }
            wire::TEXT => self.text(payload, slot, speech)?,
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, payload: &[u8], slot: &mut Slot, speech: Speech) -> Outcome<()> {
        let (mut told, mut ready) = (Vec::new(), false);
        slot.memory.hear(speech, payload, &mut slot.unsent, &mut |word| match word {
            Word::Ready => ready = true,
            Word::Leave { after } => slot.leave_at = Some(self.now + after),
            Word::Told { channel, kind, seq, cause } => told.push((channel, kind, seq, cause)),
        });
        if ready {
            slot.ready = true;
            // socket.io says nothing of where a newcomer stands: it stands at the head.
            if let (Speech::SocketIo, Some(held)) = (speech, slot.memory.held.first_mut())
                && held.epoch.is_empty()
            {
                held.epoch = "known".into();
                held.seq = i64::try_from(self.shared.head.load(Ordering::Relaxed))?;
                told.insert(0, (0, Kind::Snapshot, held.seq, None));
            }
        }
        for (channel, kind, seq, cause) in told {
            if kind == Kind::Event {
                self.shared.received.fetch_add(1, Ordering::Relaxed);
            }
            if let Some(cause) = cause {
                self.shared.arrive(cause, self.now, self.times);
            }
            if let Some(log) = self.log {
                let channel = u8::try_from(channel)?;
                log.add(Entry { socket: self.socket, channel, kind, seq })?;
            }
        }
        Ok(())
    }
}
