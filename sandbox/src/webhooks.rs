//! Delivers events to webhook endpoints, signed as https://docs.stripe.com/webhooks says, for up to three days.
//!
//! As at Stripe, order is not promised, an event may come twice, and each try has a new time. Only plain HTTP to this
//! machine is allowed, so that a test provider never calls other machines.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::net::{IpAddr, TcpListener};
use std::time::Duration;

use bipe_core::gateway::webhook::sign;
use bipe_core::secret::Secret;
use bytes::Bytes;
use futures_util::future::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use http_body_util::Full;
use hyper::Uri;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::objects::Delivery;
use crate::store::Record;
use crate::{Cause, Sandbox, wire};

/// Seconds between one try and the next; the last one repeats until three days are over.
const BACK_OFF: [i64; 8] = [5, 30, 120, 600, 1800, 3600, 10_800, 21_600];
const GIVE_UP_AFTER_MS: i64 = 3 * 24 * 3600 * 1000;
const TIMEOUT: Duration = Duration::from_secs(10);
/// An idle connection is given up well before a server closes it: a race would cost the first back-off.
const IDLE: Duration = Duration::from_secs(5);
/// Deliveries under way at once.
const AT_ONCE: usize = 16;

/// Only an address of this machine can be bound.
fn is_own_address(ip: IpAddr) -> bool {
    ip.is_loopback() || TcpListener::bind((ip, 0)).is_ok()
}

/// Where events go, and with which signatures.
#[derive(Clone)]
pub struct Target {
    url: Uri,
    secrets: Vec<Secret>,
}

impl Target {
    pub fn new(url: &str, secrets: &[Secret]) -> io::Result<Self> {
        let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidInput, text.to_owned());
        let url: Uri =
            url.parse().map_err(|_| invalid("the sandbox's webhook address is no URL"))?;
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
        let here = host == "localhost" || host.parse().is_ok_and(is_own_address);
        if url.scheme_str() != Some("http") || !here {
            return Err(invalid("the sandbox delivers webhooks only to http:// on this machine"));
        }
        if secrets.is_empty() || secrets.iter().any(|secret| secret.expose().is_empty()) {
            return Err(invalid("the sandbox needs a webhook secret to sign with"));
        }
        Ok(Self { url, secrets: secrets.to_vec() })
    }

    /// `t=…,v1=…`, one `v1` per secret.
    fn signature(&self, at: i64, body: &[u8]) -> String {
        let signed = self.secrets.iter().map(|secret| format!(",v1={}", sign(secret, at, body)));
        format!("t={at}{}", signed.collect::<String>())
    }
}

/// Carries events to their endpoints.
pub struct WebhookSender {
    endpoint: Option<Target>,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl WebhookSender {
    /// `endpoint` is that of the settings.
    pub fn new(endpoint: Option<Target>) -> Self {
        let client = Client::builder(TokioExecutor::new()).pool_idle_timeout(IDLE).build_http();
        Self { endpoint, client }
    }

    pub fn has_endpoint(&self) -> bool {
        self.endpoint.is_some()
    }

    /// One try; whether the endpoint took it.
    async fn send(&self, to: &Target, at: i64, body: String) -> bool {
        let request = hyper::Request::post(&to.url)
            .header("content-type", "application/json; charset=utf-8")
            .header("user-agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)")
            .header("stripe-signature", to.signature(at, body.as_bytes()))
            .body(Full::new(Bytes::from(body)));
        let Ok(request) = request else { return false };
        let answer = tokio::time::timeout(TIMEOUT, self.client.request(request)).await;
        matches!(answer, Ok(Ok(response)) if response.status().is_success())
    }
}

impl Sandbox {
    /// Sends the due events, also those that fall due meanwhile, and records the outcome of each; returns how many were
    /// tried. None waits for the others.
    pub(super) async fn deliver_due(&self) -> usize {
        let _round = self.0.round.lock().await;
        let (mut waiting, mut under_way) = (VecDeque::new(), HashSet::new());
        let (mut sending, mut may_be_due, mut tried) = (FuturesUnordered::new(), true, 0);
        loop {
            // Nothing new is looked for before all that is due is on its way.
            if waiting.is_empty() && sending.len() < AT_ONCE && may_be_due && !self.is_broken() {
                waiting.extend(self.due(&under_way));
                under_way.extend(waiting.iter().map(|(delivery, _)| delivery.key()));
                may_be_due = false;
            }
            while sending.len() < AT_ONCE
                && let Some((delivery, body)) = waiting.pop_front()
            {
                tried += 1;
                let key = delivery.key();
                sending.push(self.deliver(delivery, body).map(|()| key));
            }
            tokio::select! {
                sent = sending.next() => match sent {
                    Some(key) => may_be_due |= under_way.remove(&key),
                    None => return tried,
                },
                () = self.0.wake.notified() => may_be_due = true,
            }
        }
    }

    /// The due events that are not under way, with what is sent of them.
    fn due(&self, under_way: &HashSet<String>) -> Vec<(Delivery, String)> {
        let now = self.0.clock.now().as_millisecond();
        self.read(|state| {
            let waiting = state.deliveries.values();
            let is_due = |row: &&Delivery| row.next_at <= now && !under_way.contains(&row.key());
            let mut due: Vec<&Delivery> = waiting.filter(is_due).collect();
            due.sort_by_key(|row| (row.next_at, state.events.get_index_of(&row.event)));
            let body = |row: &Delivery| {
                let event = state.events.get(&row.event).map(|event| wire::event(event, true));
                serde_json::to_string_pretty(&event.unwrap_or_default()).unwrap_or_default()
            };
            due.into_iter().map(|row| (row.clone(), body(row))).collect()
        })
    }

    async fn deliver(&self, mut delivery: Delivery, body: String) {
        let (sender, at) = (&self.0.sender, self.0.clock.now().as_second());
        let target = match &delivery.endpoint {
            Some(id) => self.target(id),
            None => sender.endpoint.clone(),
        };
        let taken = match &target {
            Some(target) => sender.send(target, at, body).await,
            None => false,
        };
        let now = self.0.clock.now().as_millisecond();
        let record = if taken && delivery.copies <= 1 {
            Record::Delivered(delivery.key())
        } else if taken {
            delivery.copies -= 1;
            Record::Delivery(delivery)
        } else {
            delivery.attempts += 1;
            let index = usize::try_from(delivery.attempts - 1).unwrap_or(usize::MAX);
            let pause = BACK_OFF.get(index).or(BACK_OFF.last()).copied().unwrap_or(3600);
            delivery.next_at = now + pause * 1000;
            if delivery.next_at - delivery.first_at > GIVE_UP_AFTER_MS {
                tracing::warn!(
                    event = delivery.event,
                    "a sandbox webhook was given up after three days"
                );
                Record::Delivered(delivery.key())
            } else {
                Record::Delivery(delivery)
            }
        };
        if self.transact(Cause::default(), |tx| tx.put(record)).is_err() {
            tracing::error!(
                "the outcome of a sandbox webhook could not be noted; it will be sent again"
            );
        }
    }

    /// Where an endpoint that a call made listens.
    fn target(&self, id: &str) -> Option<Target> {
        self.read(|state| {
            let row = state.endpoints.get(id)?;
            Target::new(&row.url, &[Secret::from(row.secret.as_str())]).ok()
        })
    }

    /// Until the next delivery is due; an hour when nothing waits.
    pub(super) fn next_delivery_in(&self) -> Duration {
        let now = self.0.clock.now().as_millisecond();
        // An outcome that cannot be noted would be forgotten, and the event sent for ever.
        let waiting = || self.read(|state| state.deliveries.values().map(|row| row.next_at).min());
        let next = if self.is_broken() { None } else { waiting() };
        let wait = next.map_or(3_600_000, |at| at.saturating_sub(now)).max(0);
        Duration::from_millis(u64::try_from(wait).unwrap_or(0))
    }
}
