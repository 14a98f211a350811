//! The thread of a herd: one epoll, one read buffer, every socket a slot.
//!
//! A short read means that nothing more is there (epoll(7)), so a frame costs one read and no second one.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use memchr::memmem;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use tokio::time::Instant;

use super::comeback::Comeback;
use super::log::Log;
use super::slot::{Hearing, Slot, Stage, dial};
use super::speech::Speech;
use super::{Command, Place, Shared, wire};
use crate::Outcome;

pub const WAKE: Token = Token(usize::MAX);
/// Handshakes at once; more would only measure the backlog of the listener.
const OPENING: usize = 500;
const BUFFER: usize = 64 * 1024;

/// The herd, as its thread has it.
pub struct Run {
    place: Place,
    poll: Poll,
    commands: mpsc::Receiver<Command>,
    shared: Arc<Shared>,
    log: Option<Log>,
    slots: Vec<Slot>,
    queue: VecDeque<usize>,
    opening: usize,
    buffer: Vec<u8>,
    times: Vec<u32>,
    comeback: Option<Comeback>,
}

impl Run {
    pub fn new(
        place: Place,
        poll: Poll,
        commands: mpsc::Receiver<Command>,
        shared: Arc<Shared>,
    ) -> Outcome<Self> {
        let log = place.log.as_deref().map(Log::create).transpose()?;
        let comeback = place.comes_back.then(Comeback::default);
        Ok(Self {
            place,
            poll,
            commands,
            shared,
            log,
            slots: Vec::new(),
            queue: VecDeque::new(),
            opening: 0,
            buffer: vec![0; BUFFER],
            times: Vec::new(),
            comeback,
        })
    }

    pub fn go(mut self) -> Outcome<()> {
        let mut events = Events::with_capacity(1024);
        loop {
            match self.poll.poll(&mut events, Some(Duration::from_millis(20))) {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error.into()),
                _ => {}
            }
            for event in &events {
                if event.token() != WAKE {
                    self.serve(event.token().0)?;
                }
            }
            while let Ok(command) = self.commands.try_recv() {
                if self.obey(command)? {
                    return Ok(());
                }
            }
            self.call_back();
            while self.opening < OPENING
                && let Some(at) = self.queue.pop_front()
            {
                self.connect(at)?;
            }
            self.shared.add_times(&mut self.times);
        }
    }

    /// Those whose time has come join the queue; who was told to leave leaves now.
    fn call_back(&mut self) {
        let now = Instant::now();
        while let Some(at) = self.comeback.as_mut().and_then(|comeback| comeback.next(now)) {
            let Some(slot) = self.slots.get_mut(at) else { continue };
            match slot.stage {
                Stage::Live if slot.leave_at.is_some_and(|when| when <= now) => {
                    slot.lost_at = Some(now);
                    self.close(at);
                    self.shared.live.fetch_sub(1, Ordering::Relaxed);
                }
                Stage::Closed => {}
                _ => continue,
            }
            self.shared.lock_returns().dials.push(now);
            self.queue.push_back(at);
        }
    }

    /// True when the herd is to end.
    fn obey(&mut self, command: Command) -> Outcome<bool> {
        match command {
            Command::Open(memories) => {
                let from = self.slots.len();
                let placed = memories.into_iter().zip(from..);
                let placed = placed.map(|(memory, place)| memory.acknowledging_in_turn(place));
                self.slots.extend(placed.map(Slot::new));
                self.queue.extend(from..self.slots.len());
            }
            Command::Cut => {
                for at in 0..self.slots.len() {
                    self.close(at);
                }
                self.shared.live.store(0, Ordering::Relaxed);
            }
            Command::Return => self.queue.extend(0..self.slots.len()),
            Command::Stall(count) => self.stall(count)?,
            Command::Stop => {
                if let Some(log) = &mut self.log {
                    log.flush()?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Spread over the herd; they stay open and are read no more.
    fn stall(&mut self, count: usize) -> Outcome<()> {
        let step = (self.slots.len() / count.max(1)).max(1);
        for slot in self.slots.iter_mut().step_by(step).take(count) {
            if let Some(stream) = &mut slot.stream {
                self.poll.registry().deregister(stream)?;
                slot.stage = Stage::Stalled;
                self.shared.live.fetch_sub(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn connect(&mut self, at: usize) -> Outcome<()> {
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        let mut stream = TcpStream::from_std(dial(self.place.address, at)?.into());
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut stream, Token(at), interest)?;
        let host = self.place.address.to_string();
        let protocol = (self.place.speech == Speech::Bipe).then_some("rt.v1");
        slot.unsent = wire::upgrade(&host, self.place.path, protocol);
        slot.rest.clear();
        (slot.stream, slot.stage, slot.ready) = (Some(stream), Stage::Connecting, false);
        (slot.leave_at, slot.close_code) = (None, 0);
        if self.place.speech == Speech::Bipe && slot.memory.resume.is_empty() {
            slot.memory.resume = self.shared.resume(slot.memory.group);
        }
        self.opening += 1;
        Ok(())
    }

    /// Cut without a word: the server learns of it by the reset alone.
    fn close(&mut self, at: usize) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        if let Some(stream) = slot.stream.take() {
            socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO)).ok();
        }
        self.opening -= usize::from(slot.is_opening());
        slot.stage = Stage::Closed;
    }

    fn serve(&mut self, at: usize) -> Outcome<()> {
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        if slot.stage == Stage::Connecting {
            let Some(stream) = &slot.stream else { return Ok(()) };
            if let Ok(Some(error)) = stream.take_error() {
                if self.comeback.is_some() {
                    return self.lose(at);
                }
                return Err(format!("no connection: {error}").into());
            }
            if stream.peer_addr().is_err() {
                return Ok(());
            }
            slot.stage = Stage::Upgrading;
        }
        slot.flush()?;
        loop {
            let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
            let Some(stream) = &mut slot.stream else { return Ok(()) };
            if slot.stage == Stage::Stalled {
                return Ok(());
            }
            let read = match stream.read(&mut self.buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(_) | Ok(0) => return self.lose(at),
                Ok(read) => read,
            };
            self.take(at, read)?;
            if read < BUFFER {
                return Ok(());
            }
        }
    }

    fn lose(&mut self, at: usize) -> Outcome<()> {
        let stage = self.slots.get(at).map(|slot| slot.stage);
        self.close(at);
        match stage {
            Some(Stage::Live) => {
                self.shared.live.fetch_sub(1, Ordering::Relaxed);
                self.shared.lost.fetch_add(1, Ordering::Relaxed);
                self.come_back(at, Some(Instant::now()));
                Ok(())
            }
            _ if self.comeback.is_some() => {
                self.come_back(at, None);
                Ok(())
            }
            _ => {
                let code = self.shared.close_code.load(Ordering::Relaxed);
                Err(format!("the server ended a socket before it was live (last code {code})")
                    .into())
            }
        }
    }

    fn come_back(&mut self, at: usize, lost_at: Option<Instant>) {
        let (Some(comeback), Some(slot)) = (&mut self.comeback, self.slots.get_mut(at)) else {
            return;
        };
        slot.lost_at = lost_at.or(slot.lost_at);
        comeback.after_loss(at, slot.close_code, slot.attempts, Instant::now());
        slot.attempts += 1;
    }

    /// The bytes of one read.
    fn take(&mut self, at: usize, read: usize) -> Outcome<()> {
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        let fresh = self.buffer.get(..read).unwrap_or_default();
        let joined;
        let mut bytes: &[u8] = if slot.rest.is_empty() {
            fresh
        } else {
            slot.rest.extend(fresh);
            joined = std::mem::take(&mut slot.rest);
            &joined
        };
        if slot.stage == Stage::Upgrading {
            let Some(end) = memmem::find(bytes, b"\r\n\r\n") else {
                slot.rest = bytes.to_vec();
                return Ok(());
            };
            if !bytes.starts_with(b"HTTP/1.1 101") {
                if self.comeback.is_some() {
                    return self.lose(at);
                }
                return Err(String::from_utf8_lossy(bytes).into_owned().into());
            }
            bytes = bytes.get(end + 4..).unwrap_or_default();
            slot.stage = Stage::Greeting;
            slot.memory.greet(self.place.speech, &mut slot.unsent);
        }
        let (now, told_to_leave) = (Instant::now(), slot.leave_at);
        let mut hearing = Hearing {
            socket: u32::try_from(at)?,
            now,
            shared: &self.shared,
            log: &mut self.log,
            times: &mut self.times,
        };
        while let Some((kind, payload, end)) = wire::first(bytes) {
            hearing.frame((kind, payload), slot, self.place.speech)?;
            bytes = bytes.get(end..).unwrap_or_default();
        }
        slot.rest.extend(bytes);
        if slot.leave_at != told_to_leave
            && let (Some(when), Some(comeback)) = (slot.leave_at, &mut self.comeback)
        {
            comeback.after_notice(at, when);
        }
        if slot.ready && slot.stage == Stage::Greeting {
            let head = i64::try_from(self.shared.head.load(Ordering::Relaxed))?;
            let holds = slot.memory.held.first().map_or(0, |held| held.seq);
            if self.place.speech != Speech::SocketIo || holds >= head {
                slot.stage = Stage::Live;
                self.opening -= 1;
                self.shared.note_live(&slot.memory, slot.lost_at.take());
                slot.attempts = 0;
            }
        }
        slot.flush()
    }
}
