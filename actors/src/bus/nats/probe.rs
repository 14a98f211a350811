//! One more reader of the bus for a few seconds: which nodes speak, and which messages each of them refuses. Called by
//! `bipe doctor`.
//!
//! Invariant: it publishes nothing, so no node notices it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_nats::{Event, ServerError};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout, timeout_at};

use super::super::bus_state::BusState;
use super::super::message;
use super::super::node_state::OtherNode;
use super::super::refusals::{Refusal, Refused};
use super::{NatsError, NatsSettings, options, subject};

/// For all servers of `NATS_URL` together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Each node tells its state every two seconds.
const LISTENING: Duration = Duration::from_secs(3);

/// The nodes and refusals that [`listen`] has heard.
#[derive(Debug)]
pub struct BusObservation {
    /// Until the server had answered the first ping, behind TLS and the login.
    pub connected_after: Duration,
    /// The nodes of the installation, the longest running first.
    pub nodes: Vec<OtherNode>,
    /// By reason.
    pub refused: Vec<Refused>,
}

/// Listens for three seconds.
///
/// # Errors
/// `NatsError`, also for what a running node would try again.
pub async fn listen(settings: &NatsSettings) -> Result<BusObservation, NatsError> {
    let (options, servers) = options(settings).await?;
    let objection = Arc::new(OnceLock::new());
    let said = objection.clone();
    let options = options.event_callback(move |event| {
        if let Event::ServerError(ServerError::Other(words)) = event {
            said.set(words).ok();
        }
        async {}
    });
    let began = Instant::now();
    let connecting = timeout(CONNECT_TIMEOUT, options.connect(servers)).await;
    let client = connecting.map_err(|_| NatsError::Silent(CONNECT_TIMEOUT))??;
    let connected_after = began.elapsed();
    let mut messages = client.subscribe(subject(settings)).await?;

    let (listening, mut state) = (Instant::now(), BusState::new(settings.node, Instant::now()));
    while let Ok(Some(message)) = timeout_at(listening + LISTENING, messages.next()).await {
        let (here, now) = (settings.clock.now(), Instant::now());
        match message::open(&settings.keys, &message.payload, here) {
            Ok(message) => {
                if message.is_foreign {
                    state.refuse(Refusal::Version, now);
                }
                state.receive(&message, message.sent_at.duration_since(here), now);
            }
            Err(refusal) => {
                state.refuse(refusal, now);
            }
        }
    }
    if let Some(words) = objection.get() {
        return Err(NatsError::Refused(words.clone()));
    }
    let nodes = state.others.list(Instant::now());
    Ok(BusObservation { connected_after, nodes, refused: state.refusals.list() })
}
