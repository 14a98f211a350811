//! `LiveSocket`: the context of one connection. Reads frames one after another, writes what its inbox allows.
//!
//! It awaits nothing itself: database work runs in tasks of its own, because a context freezes with its peer
//! and would keep a connection of the pool. While such work runs, further frames wait their turn.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, StreamHandler, WrapFuture};
use actix_http::ws::Item;
use actix_web::web::Bytes;
use actix_web_actors::ws::{CloseCode, CloseReason, Message, ProtocolError, WebsocketContext};
use bipe_actors::envelope::{ErrorFrame, Since};
use bipe_actors::hub::Subscription;
use bipe_actors::inbox::{Inbox, Out, WINDOW_FRAMES};
use bipe_actors::live::SocketId;
use bipe_core::Code;
use bipe_core::event::Channel;
use bipe_core::scope::{Access, SignedIn};
use futures_util::Stream;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::Worker;
use super::access::{View, view};
use super::frame::{ClientFrame, IN_LIMIT, Retry, ServerFrame, Wanted, channel_of, close, parse};
use super::limits::{Bucket, Seat};
use super::sweeper::{Watched, jittered};

/// A ticket or resume token carries a socket this long; `refresh` carries it on.
const LIFETIME: SignedDuration = SignedDuration::from_mins(15);
const RETRY: Retry = Retry { base_ms: 500, cap_ms: 30_000, spread_ms: 5_000 };
/// Channels of one socket.
const MOST_CHANNELS: usize = 32;
/// Frames that wait while one is worked on.
const MOST_WAITING: usize = 64;

type Ctx = WebsocketContext<LiveSocket>;

pub struct LiveSocket {
    worker: Rc<Worker>,
    watched: Rc<Watched>,
    seat: Seat,
    /// Known after the hello.
    person: Option<(SocketId, SignedIn)>,
    greeting: bool,
    busy: bool,
    waiting: VecDeque<ClientFrame>,
    fragments: Option<Vec<u8>>,
    frames: Bucket,
    syncs: HashMap<Channel, Bucket>,
}

/// What database work comes back with.
type Outcome<T> = Result<T, u16>;

impl LiveSocket {
    pub fn new(worker: Rc<Worker>, watched: Rc<Watched>, seat: Seat) -> Self {
        let frames = Bucket::of_frames(worker.app.live.rate);
        Self {
            worker,
            watched,
            seat,
            person: None,
            greeting: false,
            busy: false,
            waiting: VecDeque::new(),
            fragments: None,
            frames,
            syncs: HashMap::new(),
        }
    }

    fn inbox(&self) -> &Inbox {
        &self.watched.inbox
    }

    fn now(&self) -> Timestamp {
        self.worker.app.clock.now()
    }

    /// Writes what the window allows, and the verdict when there is one.
    fn flush(&self, ctx: &mut Ctx) {
        while let Some(out) = self.inbox().take() {
            match out {
                Out::Text(text) => ctx.text(text),
                Out::Close(code) => {
                    ctx.close(Some(CloseReason {
                        code: CloseCode::Other(code),
                        description: None,
                    }));
                    ctx.stop();
                    return;
                }
            }
        }
    }

    fn text(&mut self, text: &str, ctx: &mut Ctx) {
        if !self.frames.take(Instant::now()) {
            return self.inbox().close(close::RATE_LIMITED);
        }
        let Some(frames) = parse(text) else { return self.inbox().close(close::BAD_FRAME) };
        for frame in frames {
            match frame {
                // These wait for nobody: a slow answer must not look like a slow reader.
                ClientFrame::Pong { .. } => {}
                ClientFrame::Ack { frames } if self.person.is_some() => {
                    if !self.inbox().acknowledge(frames) {
                        self.inbox().close(close::PROTOCOL);
                    }
                }
                frame => self.waiting.push_back(frame),
            }
        }
        if self.waiting.len() > MOST_WAITING {
            return self.inbox().close(close::RATE_LIMITED);
        }
        self.work(ctx);
    }

    /// Takes the waiting frames until one needs the database.
    fn work(&mut self, ctx: &mut Ctx) {
        while !self.busy && self.inbox().closing().is_none() {
            let Some(frame) = self.waiting.pop_front() else { return };
            match (frame, self.person) {
                (ClientFrame::Hello { id, ticket, resume, subscriptions }, None)
                    if !self.greeting =>
                {
                    self.hello(id, (ticket, resume), subscriptions, ctx);
                }
                (ClientFrame::Subscribe { id, channel, since }, Some(person)) => {
                    self.ask(id, vec![Wanted { channel, since }], person, ctx);
                }
                (ClientFrame::Sync { id, channel, since }, Some(person)) => {
                    self.sync(id, Wanted { channel, since }, person, ctx);
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

    /// Runs database work beside the context and goes on with its outcome.
    fn beside<T: 'static>(
        &mut self,
        ctx: &mut Ctx,
        work: impl Future<Output = Outcome<T>> + 'static,
        then: impl FnOnce(&mut Self, T) + 'static,
    ) {
        self.busy = true;
        let done = actix_web::rt::spawn(work).into_actor(self).map(|outcome, socket, ctx| {
            socket.busy = false;
            match outcome.unwrap_or(Err(close::UNAVAILABLE)) {
                Ok(value) => then(socket, value),
                Err(code) => socket.inbox().close(code),
            }
            socket.work(ctx);
        });
        ctx.spawn(done);
    }

    fn hello(
        &mut self,
        id: u64,
        credentials: (Option<String>, Option<String>),
        wanted: Vec<Wanted>,
        ctx: &mut Ctx,
    ) {
        self.greeting = true;
        self.watched.mark_changes(self.worker.app.live.access.changes());
        let worker = self.worker.clone();
        let companies = wanted.iter().any(|wanted| wanted.channel.contains('/'));
        let work = async move {
            let who = worker.identify(credentials).await?;
            let access = if companies { Some(worker.access(who).await?) } else { None };
            Ok((who, access))
        };
        self.beside(ctx, work, move |socket, (who, access)| {
            let person = socket.welcome(id, who);
            for wanted in wanted {
                socket.read(id, wanted, person, access.as_deref());
            }
        });
    }

    fn welcome(&mut self, id: u64, who: SignedIn) -> (SocketId, SignedIn) {
        let (app, hub) = (&self.worker.app, &self.worker.hub);
        let socket = hub.enter(who.user_id, who.session_id, self.watched.inbox.clone());
        if let Some((hub, oldest)) = self.seat.greet(who.user_id, (hub.id(), socket)) {
            let live = app.live.live.clone();
            actix_web::rt::spawn(async move { live.close(hub, oldest, close::TOO_MANY).await });
        }
        let expires_at = self.expiry();
        let heartbeat = app.live.timing.heartbeat;
        let first_ping = Instant::now() + jittered(heartbeat, &app.clock);
        self.watched.greet(socket, who, expires_at, first_ping);
        let welcome = ServerFrame::Welcome {
            id,
            connection: format!("{:x}-{socket:x}", hub.id()),
            server_time: self.now(),
            expires_at,
            resume: app.auth.issue_resume(who, self.now()),
            heartbeat_ms: u64::try_from(heartbeat.as_millis()).unwrap_or(u64::MAX),
            window: WINDOW_FRAMES,
            retry: RETRY,
        };
        self.inbox().control(welcome.envelope());
        self.person = Some((socket, who));
        self.worker.clone().catch_up(who.user_id, false);
        (socket, who)
    }

    fn expiry(&self) -> Timestamp {
        self.now().checked_add(LIFETIME).unwrap_or(Timestamp::MAX)
    }

    fn ask(&mut self, id: u64, wanted: Vec<Wanted>, person: (SocketId, SignedIn), ctx: &mut Ctx) {
        let worker = self.worker.clone();
        let work = async move { worker.access(person.1).await };
        self.beside(ctx, work, move |socket, access| {
            for wanted in wanted {
                socket.read(id, wanted, person, Some(&access));
            }
        });
    }

    fn sync(&mut self, id: u64, wanted: Wanted, person: (SocketId, SignedIn), ctx: &mut Ctx) {
        let channel = channel_of(&wanted.channel, person.1.user_id);
        let rate = self.worker.app.live.rate;
        if let Some(channel) =
            channel.filter(|channel| self.worker.hub.reads(person.0, *channel).is_some())
        {
            let bucket = self.syncs.entry(channel).or_insert_with(|| Bucket::of_syncs(rate));
            if !bucket.take(Instant::now()) {
                return self.refuse(id, &wanted.channel, Code::RateLimited);
            }
        }
        self.ask(id, vec![wanted], person, ctx);
    }

    /// Subscribes to a channel that the person may read.
    fn read(
        &mut self,
        id: u64,
        Wanted { channel: name, since }: Wanted,
        (socket, who): (SocketId, SignedIn),
        access: Option<&Access>,
    ) {
        let Some(channel) = channel_of(&name, who.user_id) else {
            return self.refuse(id, &name, Code::NotFound);
        };
        let seen = match (access, channel) {
            (Some(access), channel) => view(access, channel),
            (None, Channel::User(_) | Channel::Plans) => View::Full,
            (None, _) => View::Nothing,
        };
        if seen == View::Nothing {
            return self.refuse(id, &name, Code::Forbidden);
        }
        let known = self.worker.hub.channels(socket);
        let is_new = !known.contains(&channel);
        let company = channel.company();
        if is_new && known.len() >= MOST_CHANNELS || !company.is_none_or(|id| self.seat.read(id)) {
            return self.refuse(id, &name, Code::RateLimited);
        }
        let since: Option<Since> = since;
        let wanted = Subscription { channel, since, finance: seen == View::Full, request: id };
        if !self.worker.hub.subscribe(socket, wanted) {
            self.refuse(id, &name, Code::ServiceUnavailable);
        }
    }

    fn refuse(&self, id: u64, channel: &str, code: Code) {
        let retry = matches!(code, Code::RateLimited | Code::ServiceUnavailable);
        let channel = Some(channel.to_owned());
        self.inbox().control(ErrorFrame { id, code, retry, channel }.envelope());
    }

    fn unsubscribe(&mut self, id: u64, name: &str, (socket, who): (SocketId, SignedIn)) {
        let channel = channel_of(name, who.user_id);
        let Some(channel) = channel.filter(|channel| self.worker.hub.unsubscribe(socket, *channel))
        else {
            return self.refuse(id, name, Code::NotFound);
        };
        if let Some(company) = channel.company() {
            self.seat.unread(company);
        }
        self.syncs.remove(&channel);
        self.inbox().control(ServerFrame::Ok { id }.envelope());
    }

    fn refresh(&mut self, id: u64, ticket: String, (_, who): (SocketId, SignedIn), ctx: &mut Ctx) {
        let worker = self.worker.clone();
        let work = async move { worker.identify((Some(ticket), None)).await };
        self.beside(ctx, work, move |socket, again| {
            if again.user_id != who.user_id {
                return socket.inbox().close(close::PROTOCOL);
            }
            let expires_at = socket.expiry();
            socket.watched.extend(expires_at);
            let resume = socket.worker.app.auth.issue_resume(again, socket.now());
            let refreshed = ServerFrame::Refreshed { id, expires_at, resume };
            socket.inbox().control(refreshed.envelope());
        });
    }

    /// Joins fragments under the bound of one text (k6 sends above 4 KiB in parts).
    fn fragment(&mut self, part: &Bytes, is_last: bool, ctx: &mut Ctx) {
        let Some(mut whole) = self.fragments.take() else {
            return self.inbox().close(close::BAD_FRAME);
        };
        whole.extend_from_slice(part);
        if whole.len() > IN_LIMIT {
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
        if let Some((socket, _)) = self.person {
            self.worker.hub.leave(socket);
        }
        self.watched.end();
    }
}

/// The inbox has something to write.
pub struct Wake;

/// Ready whenever the inbox is; ends never.
struct Wakes(Rc<Watched>);

impl Stream for Wakes {
    type Item = Wake;
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Wake>> {
        self.0.inbox.poll_ready(cx).map(|()| Some(Wake))
    }
}

impl Actor for LiveSocket {
    type Context = Ctx;
    fn started(&mut self, ctx: &mut Ctx) {
        ctx.add_stream(Wakes(self.watched.clone()));
    }
}

impl StreamHandler<Wake> for LiveSocket {
    fn handle(&mut self, _: Wake, ctx: &mut Ctx) {
        self.flush(ctx);
    }
}

impl StreamHandler<Result<Message, ProtocolError>> for LiveSocket {
    fn handle(&mut self, message: Result<Message, ProtocolError>, ctx: &mut Ctx) {
        self.watched.hear(Instant::now());
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
            // A pong is written past the window, so pings count like any other frame.
            Ok(Message::Ping(payload)) => {
                if self.frames.take(Instant::now()) {
                    ctx.pong(&payload);
                } else {
                    self.inbox().close(close::RATE_LIMITED);
                }
            }
            Ok(Message::Pong(_) | Message::Nop) => {}
            Ok(Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Ok(Message::Binary(_)) | Err(_) => self.inbox().close(close::BAD_FRAME),
        }
        // The verdict must not wait for another turn: after an error of the codec there may be none.
        self.flush(ctx);
    }
}
