//! The connection to the other nodes over NATS: one task publishes, one receives. Started by `Bus::connect`.
//!
//! One subject carries the messages of all nodes; each node takes all and leaves what nobody reads there. Invariant:
//! whatever may have lost a message makes the bus suspect.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event as NatsEvent, ServerAddr, Subject};
use bipe_core::clock::Clock;
use bipe_core::event::Event;
use bipe_core::secret::{KeyRing, Secret};
use futures_util::StreamExt;
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use uuid::Uuid;

use super::health::{BEAT_EVERY, Health};
use super::message::{self, ChannelUpdate, Outgoing};
use super::refusals::Refusal;
use super::{BATCH, Nodes};
use crate::last_logged::LastLogged;

pub mod probe;

/// Every seventh check for silent nodes, one each 300 ms, also sends this node's state: about every two seconds.
const STATE_EVERY: u64 = 7;
/// From one ping of the server to the next. A server that answers nothing for twice as long is left.
const PING_EVERY: Duration = Duration::from_secs(2);
/// How long one message may take to get into the client's buffer. A frozen server lets the client's buffer run full.
const PUBLISH_TIMEOUT: Duration = Duration::from_millis(200);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest pause before another try to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// How the other nodes are reached.
pub struct NatsSettings {
    /// One or several servers, separated by commas. `user:password@` or `token@` in front of a host holds for all.
    pub url: Secret,
    /// A file with the credentials of a NATS account.
    pub credentials: Option<PathBuf>,
    /// A PEM file with the authorities of the servers' certificates.
    pub authorities: Option<PathBuf>,
    /// Nodes of one installation share it.
    pub installation: String,
    /// Of this process.
    pub node: Uuid,
    pub keys: KeyRing,
    pub clock: Clock,
    /// Drives the connection.
    pub runtime: Handle,
}

#[derive(Debug, thiserror::Error)]
pub enum NatsError {
    #[error("NATS_CREDENTIALS cannot be read: {0}")]
    Credentials(io::Error),
    #[error("NATS_CA cannot be read: {0}")]
    Authorities(io::Error),
    #[error("NATS_URL cannot be read: {0}")]
    Url(io::Error),
    #[error("NATS_URL cannot be used: {0}")]
    Connect(#[from] async_nats::ConnectError),
    #[error("NATS takes no subscription: {0}")]
    Subscribe(#[from] async_nats::SubscribeError),
    #[error("no NATS server has answered within {} s", .0.as_secs())]
    Silent(Duration),
    /// In the words of the server.
    #[error("NATS refuses the subscription: {0}")]
    Refused(String),
    #[error("the runtime of the connection has ended")]
    Stopped(#[from] tokio::task::JoinError),
}

/// What both tasks work with.
struct NatsBus {
    client: Client,
    subject: Subject,
    node: Uuid,
    keys: KeyRing,
    clock: Clock,
    nodes: Nodes,
}

/// Connects in the background and starts both tasks.
///
/// # Errors
/// `NatsError` for settings that can never connect.
pub async fn start(
    settings: NatsSettings,
    nodes: Nodes,
    outgoing: mpsc::Receiver<Vec<Event>>,
    incoming: mpsc::Sender<Vec<ChannelUpdate>>,
) -> Result<(), NatsError> {
    let runtime = settings.runtime.clone();
    let starting = async move {
        let client = connect(&settings, nodes.clone()).await?;
        let subject = subject(&settings);
        let messages = client.subscribe(subject.clone()).await?;
        let NatsSettings { node, keys, clock, .. } = settings;
        let bus = Arc::new(NatsBus { client, subject, node, keys, clock, nodes });
        tokio::spawn(publish(bus.clone(), outgoing));
        tokio::spawn(receive(bus, messages, incoming));
        Ok(())
    };
    runtime.spawn(starting).await?
}

async fn connect(settings: &NatsSettings, nodes: Nodes) -> Result<Client, NatsError> {
    let clock = settings.clock.clone();
    let (options, servers) = options(settings).await?;
    let failures = Mutex::new(LastLogged::NEVER);
    let options = options
        .retry_on_initial_connect()
        .reconnect_delay_callback(move |tries| pause(tries, &clock))
        .event_callback(move |event| {
            on_event(&event, &nodes, &failures);
            async {}
        });
    Ok(options.connect(servers).await?)
}

/// How every connection of Bipe reaches the servers, and which they are.
async fn options(settings: &NatsSettings) -> Result<(ConnectOptions, Vec<ServerAddr>), NatsError> {
    let mut options = ConnectOptions::new()
        .name("bipe")
        .ping_interval(PING_EVERY)
        .connection_timeout(CONNECT_TIMEOUT);
    if let Some(file) = &settings.credentials {
        options = options.credentials_file(file).await.map_err(NatsError::Credentials)?;
    }
    if let Some(file) = &settings.authorities {
        // The client reads it at each connection, and names no reason where it cannot.
        tokio::fs::File::open(file).await.map_err(NatsError::Authorities)?;
        options = options.add_root_certificates(file.clone());
    }
    let servers = servers(&settings.url)?;
    // The client itself ignores them in the address.
    if let Some(server) = servers.iter().find(|server| server.has_user_pass()) {
        options = match (decoded(server.username()), decoded(server.password())) {
            (user, Some(password)) => options.user_and_password(user.unwrap_or_default(), password),
            (user, None) => options.token(user.unwrap_or_default()),
        };
    }
    let servers = servers.into_iter().map(without_login).collect::<Result<Vec<_>, _>>();
    Ok((options, servers.map_err(NatsError::Url)?))
}

/// The client writes the addresses that it tries to the log.
fn without_login(server: ServerAddr) -> io::Result<ServerAddr> {
    let mut url = server.into_inner();
    // Both fail only for an address without a host, which has no login.
    url.set_username("").ok();
    url.set_password(None).ok();
    ServerAddr::from_url(url)
}

fn servers(url: &Secret) -> Result<Vec<ServerAddr>, NatsError> {
    let servers = url.expose().split(',').map(|server| server.trim().parse());
    servers.collect::<Result<_, _>>().map_err(NatsError::Url)
}

/// Whether `start` can read the servers and the file of credentials. Connects to nobody. Blocking.
///
/// # Errors
/// `Url` or `Credentials`; neither repeats a password.
pub fn check(url: &Secret, credentials: Option<&Path>) -> Result<(), NatsError> {
    servers(url)?;
    let Some(file) = credentials else { return Ok(()) };
    let text = std::fs::read_to_string(file).map_err(NatsError::Credentials)?;
    ConnectOptions::with_credentials(&text).map(drop).map_err(NatsError::Credentials)
}

/// One for all nodes of an installation.
fn subject(settings: &NatsSettings) -> Subject {
    Subject::from(format!("bipe.{}.ev", settings.installation))
}

/// A part of an address, where `%40` stands for `@`.
fn decoded(part: Option<&str>) -> Option<String> {
    part.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned())
}

/// Before another try: longer each time, and never the same for all nodes.
fn pause(tries: usize, clock: &Clock) -> Duration {
    let doubled = Duration::from_millis(100 << tries.min(6));
    let longest = doubled.min(LONGEST_PAUSE);
    longest / 2 + longest * clock.below(1_000) / 2_000
}

/// `failures`: while NATS is away each try to connect is a failure of the client, every few seconds.
fn on_event(event: &NatsEvent, nodes: &Nodes, failures: &Mutex<LastLogged>) {
    match event {
        NatsEvent::Connected => {
            tracing::info!("NATS is connected");
            *failures.lock() = LastLogged::NEVER;
            nodes.set_connected(true);
        }
        // The client is never closed but by the end of this node.
        NatsEvent::Closed => tracing::info!("NATS is left"),
        NatsEvent::ClientError(_) if !failures.lock().is_due(Instant::now()) => {}
        other => tracing::warn!(event = %other, "NATS may lose messages"),
    }
    if matches!(event, NatsEvent::Disconnected | NatsEvent::Closed) {
        nodes.set_connected(false);
    }
    nodes.update(Health::suspect);
}

/// Sends the commits of this node, and a beat after each 300 ms without one. While NATS is away the commits wait in
/// their queue, and are sealed with the time at which they are sent. Ends with the relay.
async fn publish(bus: Arc<NatsBus>, mut outgoing: mpsc::Receiver<Vec<Event>>) {
    let [mut beat, mut silence_check] = [interval(BEAT_EVERY), interval(BEAT_EVERY)];
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    silence_check.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut number, mut checks, mut commits) = (0, 0, Vec::new());
    loop {
        // What the client held back while NATS is away would be old when it arrives.
        let can_send = bus.is_connected() || outgoing.is_closed();
        let messages = tokio::select! {
            count = outgoing.recv_many(&mut commits, BATCH), if can_send => {
                if count == 0 {
                    bus.send(bus.number_after(number), Outgoing::Leaving).await;
                    bus.client.flush().await.ok();
                    bus.nodes.note_left();
                    return;
                }
                let messages = message::pack(commits.drain(..).flatten().collect());
                messages.map(|messages| messages.into_iter().map(Outgoing::Parts).collect())
            }
            _ = silence_check.tick() => {
                bus.nodes.check_silence();
                checks += 1;
                if checks % STATE_EVERY != 0 || !can_send {
                    continue;
                }
                Ok(vec![bus.beat(true)])
            }
            _ = beat.tick(), if can_send => Ok(vec![bus.beat(false)]),
            () = bus.nodes.asked(), if can_send => Ok(vec![bus.beat(true)]),
        };
        let messages = messages.unwrap_or_else(|error| {
            tracing::error!(%error, "an event is not JSON");
            bus.nodes.update(Health::note_unsent);
            Vec::new()
        });
        for outgoing in messages {
            number = bus.number_after(number);
            if bus.send(number, outgoing).await.is_none() {
                bus.nodes.drop_message("nats", Health::suspect);
            }
        }
        beat.reset();
    }
}

impl NatsBus {
    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// The number of the next message. A commit that was not sent takes a number, so that the others notice.
    fn number_after(&self, last: u64) -> u64 {
        last + 1 + self.nodes.update(|health, _| health.take_unsent())
    }

    /// None when the message was not sent.
    async fn send(&self, number: u64, outgoing: Outgoing) -> Option<()> {
        let now = self.clock.now();
        let bytes = message::seal(&self.keys, self.node, number, now, outgoing).ok()?;
        metrics::counter!("bipe_bus_messages_total", "direction" => "out").increment(1);
        let sent = self.client.publish(self.subject.clone(), bytes.into());
        timeout(PUBLISH_TIMEOUT, sent).await.ok()?.ok()
    }

    fn beat(&self, tells_state: bool) -> Outgoing {
        Outgoing::Beat(self.nodes.own().filter(|_| tells_state).map(Box::new))
    }

    /// The parts of another node's new message.
    fn accept(&self, bytes: &[u8]) -> Option<Vec<ChannelUpdate>> {
        let opened = message::open(&self.keys, bytes, self.clock.now());
        let message = opened.map_err(|refusal| self.nodes.refuse(refusal)).ok()?;
        if message.is_foreign {
            self.nodes.refuse(Refusal::Version);
        }
        let is_new = self.nodes.receive(&message);
        (is_new && message.node != self.node).then_some(message.parts)
    }
}

/// Takes the messages of all nodes. Ends with the relay.
async fn receive(
    bus: Arc<NatsBus>,
    mut messages: async_nats::Subscriber,
    incoming: mpsc::Sender<Vec<ChannelUpdate>>,
) {
    while let Some(message) = messages.next().await {
        metrics::counter!("bipe_bus_messages_total", "direction" => "in").increment(1);
        let Some(parts) = bus.accept(&message.payload).filter(|parts| !parts.is_empty()) else {
            continue;
        };
        match incoming.try_send(parts) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(_)) => {
                bus.nodes.drop_message("in", Health::suspect);
            }
            Err(mpsc::error::TrySendError::Closed(_)) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_named_once_a_minute_and_again_after_a_connection() {
        let (nodes, failures) = (Nodes::alone(Clock::system()), Mutex::new(LastLogged::NEVER));
        let failed = NatsEvent::ClientError(async_nats::ClientError::Other("away".to_owned()));
        on_event(&failed, &nodes, &failures);
        assert!(!failures.lock().is_due(Instant::now()), "it was named");
        on_event(&NatsEvent::Connected, &nodes, &failures);
        assert_eq!(*failures.lock(), LastLogged::NEVER);
    }
}
