//! `LiveSocket`: the context of one connection. Handles the client's frames one after another, and writes the frames
//! that its inbox allows.
//!
//! Database work runs in tasks beside the context: a context freezes while its peer does not read, and would keep a
//! connection of the pool for so long. While such a task runs, further frames wait.

mod commands;

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, StreamHandler, WrapFuture};
use actix_http::ws::Item;
use actix_web::web::Bytes;
use actix_web_actors::ws::{CloseCode, Message, ProtocolError, WebsocketContext};
use bipe_actors::messages::SocketId;
use bipe_actors::worker::inbox::{Inbox, SocketOutput};
use bipe_core::event::Channel;
use bipe_core::scope::SignedIn;
use futures_util::{FutureExt, Stream};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::live::Worker;
use crate::live::frame::{ClientFrame, MESSAGE_LIMIT, RequestedChannel, Retry, close, parse};
use crate::live::identity::Credential;
use crate::live::limits::{Bucket, SocketPermit};
use crate::live::sweeper::SocketState;

/// How long a socket lives with one ticket or resume token; `refresh` extends it.
const LIFETIME: SignedDuration = SignedDuration::from_mins(15);
const RETRY: Retry = Retry { base_ms: 500, cap_ms: 30_000, spread_ms: 5_000 };
/// Channels of one socket, at most.
const MAX_CHANNELS: usize = 32;
/// Frames that may wait for the task of another.
const MAX_WAITING: usize = 64;

type Ctx = WebsocketContext<LiveSocket>;

/// Whom a socket belongs to, and its number at the hub.
#[derive(Clone, Copy)]
struct Person {
    socket: SocketId,
    who: SignedIn,
}

pub struct LiveSocket {
    worker: Rc<Worker>,
    state: Rc<SocketState>,
    permit: Rc<SocketPermit>,
    /// None before the hello was accepted.
    person: Option<Person>,
    /// A hello has come.
    said_hello: bool,
    /// A task runs for a frame.
    is_busy: bool,
    waiting: VecDeque<ClientFrame>,
    fragments: Option<Vec<u8>>,
    frames: Bucket,
    syncs: HashMap<Channel, Bucket>,
}

/// An error is the code to close the socket with.
type CloseResult<T> = Result<T, u16>;

impl LiveSocket {
    pub fn new(worker: Rc<Worker>, state: Rc<SocketState>, permit: Rc<SocketPermit>) -> Self {
        let frames = Bucket::of_frames(worker.app.live.rate);
        Self {
            worker,
            state,
            permit,
            person: None,
            said_hello: false,
            is_busy: false,
            waiting: VecDeque::new(),
            fragments: None,
            frames,
            syncs: HashMap::new(),
        }
    }

    fn inbox(&self) -> &Inbox {
        &self.state.inbox
    }

    fn now(&self) -> Timestamp {
        self.worker.app.clock.now()
    }

    /// Writes the frames that the window allows, and the close frame when there is one.
    fn flush(&self, ctx: &mut Ctx) {
        while let Some(out) = self.inbox().take() {
            match out {
                SocketOutput::Text(text) => ctx.text(text),
                SocketOutput::Close(code) => {
                    ctx.close(Some(CloseCode::Other(code).into()));
                    ctx.stop();
                    return;
                }
            }
        }
    }

    fn text(&mut self, text: &str, ctx: &mut Ctx) {
        let Some(frames) = parse(text) else { return self.inbox().close(close::BAD_FRAME) };
        for frame in frames {
            match frame {
                // Handled at once: a client whose frames wait for a task must not look like one that does not read.
                ClientFrame::Pong { n } => self.state.pong(n),
                ClientFrame::Ack { frames } if self.person.is_some() => {
                    if !self.inbox().acknowledge(frames) {
                        self.inbox().close(close::PROTOCOL);
                    }
                }
                frame => self.waiting.push_back(frame),
            }
        }
        if self.waiting.len() > MAX_WAITING {
            return self.inbox().close(close::RATE_LIMITED);
        }
        self.handle_waiting(ctx);
    }

    /// Handles the waiting frames until one needs a task.
    fn handle_waiting(&mut self, ctx: &mut Ctx) {
        while !self.is_busy && self.inbox().close_code().is_none() {
            let Some(frame) = self.waiting.pop_front() else { return };
            match (frame, self.person) {
                (ClientFrame::Hello { id, ticket, resume, subscriptions }, None)
                    if !self.said_hello =>
                {
                    self.hello(id, Credential::of_hello(ticket, resume), subscriptions, ctx);
                }
                (ClientFrame::Subscribe { id, channel, since }, Some(person)) => {
                    self.subscribe(id, RequestedChannel { channel, since }, person, ctx);
                }
                (ClientFrame::Sync { id, channel, since }, Some(person)) => {
                    self.sync(id, RequestedChannel { channel, since }, person, ctx);
                }
                (ClientFrame::Unsubscribe { id, channel }, Some(person)) => {
                    self.unsubscribe(id, &channel, person);
                }
                (ClientFrame::Refresh { id, ticket }, Some(person)) => {
                    self.refresh(id, ticket, person, ctx);
                }
                _ => self.inbox().close(close::PROTOCOL),
            }
        }
    }

    /// Calls `then` with the result of the work. Work that needs no database is done at once, other work in a task
    /// beside the context.
    fn run_beside<T: 'static>(
        &mut self,
        ctx: &mut Ctx,
        work: impl Future<Output = CloseResult<T>> + 'static,
        then: impl FnOnce(&mut Self, T) + 'static,
    ) {
        let mut work = Box::pin(work);
        if let Some(result) = work.as_mut().now_or_never() {
            return self.finish(result, then);
        }
        self.is_busy = true;
        let done = actix_web::rt::spawn(work).into_actor(self).map(|result, socket, ctx| {
            socket.is_busy = false;
            socket.finish(result.unwrap_or(Err(close::UNAVAILABLE)), then);
            socket.handle_waiting(ctx);
        });
        ctx.spawn(done);
    }

    fn finish<T>(&mut self, result: CloseResult<T>, then: impl FnOnce(&mut Self, T)) {
        match result {
            Ok(value) => then(self, value),
            Err(code) => self.inbox().close(code),
        }
    }

    /// Joins the fragments of a text, up to the bound of one text. k6 sends a text above 4 KiB in fragments.
    fn fragment(&mut self, part: &Bytes, is_last: bool, ctx: &mut Ctx) {
        let Some(mut whole) = self.fragments.take() else {
            return self.inbox().close(close::BAD_FRAME);
        };
        whole.extend_from_slice(part);
        if whole.len() > MESSAGE_LIMIT {
            return self.inbox().close(close::BAD_FRAME);
        }
        if !is_last {
            self.fragments = Some(whole);
            return;
        }
        match std::str::from_utf8(&whole) {
            Ok(text) => self.text(text, ctx),
            Err(_broken) => self.inbox().close(close::BAD_FRAME),
        }
    }
}

impl Drop for LiveSocket {
    fn drop(&mut self) {
        if let Some(Person { socket, who }) = self.person {
            self.worker.hub.remove_socket(socket);
            self.worker.people.remove(who.user_id, socket);
        }
        self.state.mark_ended();
    }
}

/// Ready whenever the inbox has a frame to write; never ends.
struct InboxWrites(Rc<SocketState>);

impl Stream for InboxWrites {
    type Item = ();
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<()>> {
        self.0.inbox.poll_ready(cx).map(Some)
    }
}

impl Actor for LiveSocket {
    type Context = Ctx;
    fn started(&mut self, ctx: &mut Ctx) {
        ctx.add_stream(InboxWrites(self.state.clone()));
    }
}

impl StreamHandler<()> for LiveSocket {
    fn handle(&mut self, (): (), ctx: &mut Ctx) {
        self.flush(ctx);
    }
}

impl StreamHandler<Result<Message, ProtocolError>> for LiveSocket {
    fn handle(&mut self, message: Result<Message, ProtocolError>, ctx: &mut Ctx) {
        // Every frame is counted, pongs and fragments included.
        let is_free = matches!(message, Ok(Message::Close(_)) | Err(_));
        if !is_free && !self.frames.take(Instant::now()) {
            self.inbox().close(close::RATE_LIMITED);
            return self.flush(ctx);
        }
        match message {
            Ok(Message::Text(text)) => self.text(&text, ctx),
            Ok(Message::Continuation(item)) => match item {
                Item::FirstText(part) => {
                    self.fragments = Some(Vec::new());
                    self.fragment(&part, false, ctx);
                }
                Item::Continue(part) => self.fragment(&part, false, ctx),
                Item::Last(part) => self.fragment(&part, true, ctx),
                Item::FirstBinary(_) => self.inbox().close(close::BAD_FRAME),
            },
            Ok(Message::Ping(payload)) => ctx.pong(&payload),
            Ok(Message::Pong(_) | Message::Nop) => {}
            Ok(Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Ok(Message::Binary(_)) | Err(_) => self.inbox().close(close::BAD_FRAME),
        }
        // Write a close frame now: after an error of the codec the context is not polled again.
        self.flush(ctx);
    }
}
