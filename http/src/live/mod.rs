//! The live protocol rt.v1 (docs/contract.md, "Live protocol"). `boot.rs` starts the `Node`, `routes.rs` mounts
//! `connect`. No other folder uses actix-web-actors, which is deprecated upstream and required by the product's owner.
//!
//! Invariant: a client that does not read holds up its own context alone, and is reset in bounded time (I7).
//!
//! `Node` is shared by all workers, a `Worker` lives on the thread of one. A socket's context (`session`) moves bytes
//! between its inbox and the wire; the `sweeper` watches whether the client is alive, and ends the socket.

mod access;
pub mod frame;
mod identity;
pub mod length;
mod limits;
mod people;
mod session;
pub mod snapshot;
pub mod sweeper;
pub mod upgrade;
mod welcomes;

use std::rc::Rc;
use std::time::Duration;

use actix_web::http::header::{ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use actix_web::{HttpRequest, get, web};
use actix_web_actors::ws::WsResponseBuilder;
use bipe_actors::bus::{Bus, Nodes};
use bipe_actors::live::Live;
use bipe_actors::pulse::Pulse;
use bipe_actors::sources::Sources;
use bipe_actors::worker::hub::{Hub, HubNotice};
use bipe_actors::worker::inbox::Inbox;
use bipe_core::auth::Auth;
use bipe_core::config::RateLimits;
use bipe_core::db::Db;
use bipe_core::id::UserId;
use bipe_core::scope::JobScope;
use bipe_core::{Code, Error};
use tokio::time::{Instant, MissedTickBehavior};

use crate::connection::{Connection, Connections};
use crate::error::{ApiError, Reply};
use crate::extract::ClientIp;
use crate::{App, Shutdown};
use access::{AccessCache, audience_of};
use frame::{MESSAGE_LIMIT, PROTOCOL, ServerFrame, close};
pub use limits::SocketCounts;
use people::People;
use session::LiveSocket;
use sweeper::{SocketState, Sweeper, Timing};
use welcomes::Welcomes;

/// At the shutdown the clients are asked to move at moments that are spread over this time.
const DRAIN_WINDOW: Duration = Duration::from_secs(8);
/// How long a socket is served after its moment: its client opens the next socket before it leaves this one.
const MOVE_OVERLAP: Duration = Duration::from_secs(4);
/// How long the shutdown waits until the other nodes know that this one leaves.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);
/// From one read of the sessions that other nodes revoked to the next.
const READ_REVOCATIONS_EVERY: Duration = Duration::from_secs(1);

/// The live part of the server; one for all workers.
pub struct Node {
    /// Of the relay.
    handle: Live,
    access: AccessCache,
    counts: SocketCounts,
    rate: RateLimits,
    arbiter: actix::ArbiterHandle,
    nodes: Nodes,
    pub timing: Timing,
}

impl Node {
    /// Starts the relay on an arbiter of its own. The set of revoked sessions is read before anybody connects.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn start(
        db: Db,
        proof: JobScope,
        bus: Bus,
        auth: &Auth,
        rate: RateLimits,
    ) -> Result<Self, Error> {
        auth.revocations.refresh(&db).await?;
        let access = AccessCache::new(proof.clone(), auth.admins_need_second_factor);
        let (stale, snapshot_db, snapshot_proof) = (access.clone(), db.clone(), proof.clone());
        let (revocations, clock) = (auth.revocations.clone(), db.clock().clone());
        let sources = Sources::new(
            db.clone(),
            proof,
            Box::new(move |channel| {
                let (db, proof) = (snapshot_db.clone(), snapshot_proof.clone());
                Box::pin(async move { snapshot::of(&db, &proof, channel).await })
            }),
            Box::new(move |person, ended| {
                if let Some(session) = ended {
                    revocations.note(session, clock.now());
                }
                stale.forget(person);
            }),
        );
        let arbiter = actix::Arbiter::new();
        let arbiter = arbiter.handle();
        let nodes = bus.nodes().clone();
        let counts = SocketCounts::new(rate, nodes.live().clone());
        let handle = Live::start(&arbiter, bus, sources);
        let revocations = auth.revocations.clone();
        arbiter.spawn(async move {
            let mut tick = tokio::time::interval(READ_REVOCATIONS_EVERY);
            // A slow database is not asked again for each second that it took.
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tick.tick().await;
                if let Err(error) = revocations.refresh(&db).await {
                    tracing::warn!(%error, "the revoked sessions cannot be read");
                }
            }
        });
        Ok(Self { handle, access, counts, rate, arbiter, nodes, timing: Timing::default() })
    }

    /// The open sockets of this node.
    pub fn sockets(&self) -> SocketCounts {
        self.counts.clone()
    }

    /// The pulse of the relay's loop.
    pub fn pulse(&self) -> Pulse {
        self.handle.pulse()
    }

    /// Asks all clients to move, spread over `DRAIN_WINDOW`, and waits until their sockets are closed.
    pub async fn drain(&self) {
        let within = DRAIN_WINDOW.as_millis();
        self.handle.drain(u64::try_from(within).unwrap_or(u64::MAX)).await;
        let started = Instant::now();
        let longest = DRAIN_WINDOW + MOVE_OVERLAP + self.timing.grace;
        while self.counts.open_sockets() > 0 && started.elapsed() < longest {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends the relay, which tells the other nodes that this one leaves. What is committed here afterwards reaches them
    /// late.
    pub async fn end(&self) {
        self.arbiter.stop();
        self.nodes.left(LEAVE_TIMEOUT).await;
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.arbiter.stop();
    }
}

/// The live part of one worker thread.
pub struct Worker {
    app: web::Data<App>,
    hub: Rc<Hub>,
    sweeper: Sweeper,
    /// All connections of this worker, live or not.
    pub connections: Connections,
    people: People,
    welcomes: Welcomes,
}

impl Worker {
    /// Called on the worker's thread.
    pub fn start(app: web::Data<App>) -> Rc<Self> {
        let (hub, deliveries) = Hub::new(app.live.handle.clone());
        let worker = Rc::new(Self {
            app,
            hub: hub.clone(),
            sweeper: Sweeper::default(),
            connections: Connections::default(),
            people: People::default(),
            welcomes: Welcomes::default(),
        });
        let (listener, welcoming) = (worker.clone(), worker.clone());
        actix_web::rt::spawn(async move { welcoming.welcomes.run().await });
        actix_web::rt::spawn(hub.run(deliveries, move |notice| listener.clone().notice(notice)));
        actix_web::rt::spawn(worker.clone().sweep());
        worker
    }

    async fn sweep(self: Rc<Self>) {
        let timing = self.app.live.timing;
        let mut tick = tokio::time::interval(timing.sweep);
        loop {
            tick.tick().await;
            self.connections.sweep(&self.app.bounds, Instant::now());
            self.sweeper.sweep(&timing, Instant::now(), &self.app.clock, &|socket, owner| {
                let resume = self.app.auth.issue_resume(owner, self.app.clock.now());
                (resume, self.hub.heads(socket))
            });
        }
    }

    fn notice(self: Rc<Self>, notice: HubNotice) {
        match notice {
            HubNotice::AccessChanged(person) => drop(actix_web::rt::spawn(self.recheck(person))),
            HubNotice::Listening { person, just_started } => self.catch_up(person, just_started),
            HubNotice::Drain { within_ms } => self.drain(within_ms),
        }
    }

    /// The hub listens to the person's channel from now on: checks again what may have changed between the check of a
    /// hello and now. With `just_started`, this node may not have heard of such a change, and the cached access may be
    /// out of date.
    fn catch_up(self: Rc<Self>, person: UserId, just_started: bool) {
        let changes = self.app.live.access.changes();
        let own = self.people.sockets(person);
        if own.iter().any(|(_, socket)| just_started || socket.has_missed_changes(changes)) {
            if just_started {
                self.app.live.access.forget(person);
            }
            actix_web::rt::spawn(self.recheck(person));
        }
    }

    /// `changes`: the count before the person's access was read. What was read may be older than a change since then,
    /// whose own check came too early for what is read by it.
    fn recheck_if_changed(self: &Rc<Self>, person: UserId, changes: u64) {
        if self.app.live.access.changes() != changes {
            actix_web::rt::spawn(self.clone().recheck(person));
        }
    }

    /// Decides anew what the person may read, socket by socket. A change that was heard has dropped the cached access
    /// already. A socket that is welcomed meanwhile compares the count of changes itself.
    async fn recheck(self: Rc<Self>, person: UserId) {
        for (id, socket) in self.people.sockets(person) {
            let Some((_, owner)) = socket.owner() else { continue };
            let access = match self.access(owner.who).await {
                Ok(access) => access,
                // Also without an answer the socket is closed: the client reconnects and is checked then.
                Err(code) => {
                    socket.inbox.close(code);
                    continue;
                }
            };
            socket.set_session_end(access.until);
            for channel in self.hub.channels(id) {
                match (audience_of(&access, channel), self.hub.audience(id, channel)) {
                    (None, _) => {
                        self.hub.unsubscribe(id, channel);
                        socket.leave(channel);
                        let channel = bipe_actors::envelope::wire_name(channel);
                        let gone = ServerFrame::Unsubscribed { channel, code: Code::Forbidden };
                        socket.inbox.put_control(gone.envelope());
                    }
                    (Some(now), Some(before)) if now != before => {
                        // The new role sees another state: the client starts the channel anew.
                        self.hub.change_audience(id, channel, now);
                    }
                    _ => {}
                }
            }
        }
    }

    fn drain(self: Rc<Self>, within_ms: u64) {
        let within = u32::try_from(within_ms).unwrap_or(u32::MAX);
        let sockets = self.sweeper.all();
        let count = u64::try_from(sockets.len()).unwrap_or(u64::MAX).max(1);
        for (place, socket) in (0..).zip(sockets) {
            // Each socket draws within a part of the window that is its own, so the moves are spread evenly.
            let after_ms = (place * within_ms + u64::from(self.app.clock.below(within))) / count;
            let after = Duration::from_millis(after_ms) + MOVE_OVERLAP;
            socket.inbox.put_control(ServerFrame::Drain { after_ms }.envelope());
            actix_web::rt::spawn(async move {
                tokio::time::sleep(after).await;
                socket.inbox.close(close::SHUTTING_DOWN);
            });
        }
    }
}

/// The live protocol rt.v1: a WebSocket with subprotocol `rt.v1`. Its frames are the schemas `ClientFrame`,
/// `ServerFrame` and the envelopes `EventEnvelope`, `SnapshotEnvelope`, `LiveEnvelope`, `ResetEnvelope`, `ErrorFrame`.
#[utoipa::path(tag = "live", responses(
    (status = 101, description = "the connection speaks rt.v1 from here on"), (status = 403)))]
#[get("/api/live")]
pub async fn connect(
    app: web::Data<App>,
    worker: web::ThinData<Rc<Worker>>,
    request: HttpRequest,
    body: web::Payload,
) -> Reply {
    if !has_known_origin(&app, &request) {
        return Err(Error::Denied(Code::Forbidden).into());
    }
    if *app.shutdown.borrow() == Shutdown::Draining {
        return Err(Error::unavailable(2).into());
    }
    let ip = ClientIp::of(&request).ok_or(ApiError::Malformed)?;
    if !offers_protocol(&request) {
        return Err(ApiError::Malformed);
    }
    let permit = app.live.counts.open(ip.network_address());
    let permit = Rc::new(permit.ok_or(Error::TooMany { retry_after: 5 })?);
    let connection = request.conn_data::<Rc<Connection>>().map(Rc::downgrade).unwrap_or_default();
    let inbox = Rc::new(Inbox::of_connection(connection.clone()));
    let (own, now) = (Rc::downgrade(&permit), Instant::now());
    let state = Rc::new(SocketState::new(inbox, connection, own, now));
    let socket = LiveSocket::new(worker.0.clone(), state.clone(), permit);
    let response = WsResponseBuilder::new(socket, &request, body)
        .protocols(&[PROTOCOL])
        .frame_size(MESSAGE_LIMIT)
        .start()
        .map_err(|_no_handshake| ApiError::Malformed)?;
    // Not before: without a handshake the connection is not the socket's, and may carry further requests.
    worker.sweeper.watch(state);
    Ok(response)
}

/// Scripts send no `Origin`; a browser always does.
fn has_known_origin(app: &App, request: &HttpRequest) -> bool {
    let Some(origin) = request.headers().get(ORIGIN) else { return true };
    origin.to_str().is_ok_and(|origin| app.config.origins().iter().any(|known| known == origin))
}

fn offers_protocol(request: &HttpRequest) -> bool {
    let offered = request.headers().get_all(SEC_WEBSOCKET_PROTOCOL);
    offered
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.split(',').any(|protocol| protocol.trim() == PROTOCOL))
}
