//! The faults that a test injects with `POST /v1/test/faults`. They live in memory and end with the process. Each call
//! replaces the faults of the one before it; `{}` ends them all.
//!
//! `webhooks` apply until the next call:
//! - `duplicate` sends each event 1 + n times, `drop` never sends it, `delayMs` sends it later,
//! - `shuffle` sends events of the same moment in random order.
//!
//! `replies` apply to the next `times` (default 1) POSTs outside `/test`, with `reads` to GETs as well:
//! - `status` alone refuses before any work is done and keeps nothing for the key,
//! - `status` with `kept` refuses before any work is done, too, but replays that refusal for the key,
//! - `lose` alone does the work and cuts the connection,
//! - `status` with `lose` does the work, but answers and replays that status,
//! - `code` and `param` are fields of that error, `delayMs` delays the answer after the work.
//!
//! The answer has `metSoFar`: how many requests and events met a fault since the process began.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bipe_core::clock::Clock;
use serde::Deserialize;

use crate::Sandbox;
use crate::fault::Fault;
use crate::objects::Delivery;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InjectedFaults {
    pub webhooks: WebhookFaults,
    pub replies: ReplyFaults,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct WebhookFaults {
    pub duplicate: u32,
    pub drop: bool,
    pub delay_ms: u32,
    pub shuffle: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ReplyFaults {
    pub lose: bool,
    pub kept: bool,
    pub status: Option<u16>,
    pub code: Option<String>,
    pub param: Option<String>,
    pub delay_ms: u32,
    pub times: Option<u32>,
    pub reads: bool,
}

/// Events of one moment are spread over this when they are to be shuffled.
const SHUFFLE_MS: u32 = 400;

impl WebhookFaults {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The way of a new event to the endpoint; `None`: it is lost.
    pub fn dispatch(
        &self,
        event: &str,
        endpoint: Option<String>,
        clock: &Clock,
    ) -> Option<Delivery> {
        let now = clock.now().as_millisecond();
        let spread = if self.shuffle { clock.below(SHUFFLE_MS) } else { 0 };
        let next_at = now + i64::from(self.delay_ms) + i64::from(spread);
        let delivery = Delivery {
            event: event.to_owned(),
            endpoint,
            attempts: 0,
            first_at: now,
            next_at,
            copies: 1 + self.duplicate,
        };
        (!self.drop).then_some(delivery)
    }
}

impl InjectedFaults {
    /// `Err` says what is wrong with them.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let faults: Self =
            serde_json::from_slice(bytes).map_err(|error| Fault::invalid(error.to_string()))?;
        if faults.webhooks.duplicate > 5 {
            return Err(Fault::param("webhooks.duplicate", "At most 5 duplicates."));
        }
        if faults.replies.status.is_some_and(|status| !(400..=599).contains(&status)) {
            return Err(Fault::param("replies.status", "A status between 400 and 599."));
        }
        let longest = 600_000;
        if faults.webhooks.delay_ms > longest || faults.replies.delay_ms > longest {
            return Err(Fault::param("delayMs", "At most ten minutes."));
        }
        Ok(faults)
    }
}

impl ReplyFaults {
    fn is_none(&self) -> bool {
        !self.lose && self.status.is_none() && self.delay_ms == 0
    }

    /// The answer in place of the true one, if there is one.
    pub fn fault(&self) -> Option<Fault> {
        let mut fault = Fault::outage(self.status?);
        if let Some(code) = &self.code {
            fault = fault.coded(code);
        }
        if let Some(param) = &self.param {
            fault = fault.with("param", param.as_str().into());
        }
        Some(fault)
    }

    pub fn delay(&self) -> Duration {
        Duration::from_millis(u64::from(self.delay_ms))
    }
}

impl Sandbox {
    /// Answers how many requests and events have met a fault so far.
    pub(super) fn inject(&self, faults: InjectedFaults) -> u64 {
        *self.injected_faults() = faults;
        self.0.faults_met.load(Ordering::Relaxed)
    }

    /// What meets the present request, counted down.
    pub(super) fn next_reply_faults(&self, writes: bool) -> ReplyFaults {
        let mut faults = self.injected_faults();
        if faults.replies.is_none() || !(writes || faults.replies.reads) {
            return ReplyFaults::default();
        }
        let left = faults.replies.times.unwrap_or(1);
        if left == 0 {
            return ReplyFaults::default();
        }
        faults.replies.times = Some(left - 1);
        self.0.faults_met.fetch_add(1, Ordering::Relaxed);
        faults.replies.clone()
    }
}
