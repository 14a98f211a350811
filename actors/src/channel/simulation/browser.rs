//! A browser's side of the order, as `web/src/live/apply-event.ts` decides it: next, repeat or gap. The traces in
//! `web/test/vectors/live_traces.json` hold the two to each other.

use serde::{Deserialize, Serialize};

use crate::envelope::Since;

/// A `sync` that is unanswered after this time is sent again.
const ANSWER_TIMEOUT_MS: i64 = 10_000;

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Frame {
    Event { channel: String, seq: i64, prev: Option<i64>, data: Change },
    Snapshot { channel: String, epoch: String, seq: i64, data: State },
    Live { channel: String, seq: i64 },
    Reset { channel: String, reason: String },
    Error { channel: Option<String>, retry: bool },
}

/// What an event of the simulation changes.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Change {
    pub id: u64,
}

/// The whole state: every change so far.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct State {
    pub ids: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Effect {
    Snapshot,
    Event { seq: i64 },
    Sync { since: Option<Since> },
    Live,
}

#[derive(Clone, Debug, Default)]
pub struct Browser {
    /// None until the first snapshot, and again after a reset.
    pub at: Option<Since>,
    pub live: bool,
    asked_at: Option<i64>,
    /// What it shows.
    pub shown: Vec<u64>,
}

impl Browser {
    /// Another connection: the position stays.
    pub fn reconnected(&mut self) {
        self.live = false;
        self.asked_at = None;
    }

    fn ask(&mut self, now: i64) -> Vec<Effect> {
        if self.asked_at.is_some_and(|asked| now - asked < ANSWER_TIMEOUT_MS) {
            return Vec::new();
        }
        self.asked_at = Some(now);
        self.live = false;
        vec![Effect::Sync { since: self.at.clone() }]
    }

    pub fn receive(&mut self, frame: &Frame, now: i64) -> Vec<Effect> {
        match frame {
            Frame::Event { seq, prev, data, .. } => self.event(*seq, *prev, data.id, now),
            Frame::Snapshot { epoch, seq, data, .. } => {
                let older = |at: &Since| at.epoch == *epoch && *seq < at.seq;
                if self.at.as_ref().is_some_and(older) {
                    return Vec::new();
                }
                self.at = Some(Since { epoch: epoch.clone(), seq: *seq });
                self.shown.clone_from(&data.ids);
                vec![Effect::Snapshot]
            }
            Frame::Live { seq, .. } => {
                if self.at.as_ref().is_none_or(|at| at.seq < *seq) {
                    self.asked_at = None;
                    return self.ask(now);
                }
                self.live = true;
                self.asked_at = None;
                vec![Effect::Live]
            }
            Frame::Reset { reason, .. } => {
                self.at = None;
                self.live = false;
                self.asked_at = None;
                if reason == "lagged" { self.ask(now) } else { Vec::new() }
            }
            // The connection waits and asks again.
            Frame::Error { retry, .. } => {
                self.asked_at = None;
                if *retry { self.ask(now) } else { Vec::new() }
            }
        }
    }

    fn event(&mut self, seq: i64, prev: Option<i64>, id: u64, now: i64) -> Vec<Effect> {
        let Some(at) = &mut self.at else { return self.ask(now) };
        if seq <= at.seq {
            return Vec::new();
        }
        if prev.unwrap_or(seq - 1) > at.seq {
            return self.ask(now);
        }
        at.seq = seq;
        // A snapshot may be newer than its number: what it holds already changes nothing.
        if !self.shown.contains(&id) {
            self.shown.push(id);
        }
        vec![Effect::Event { seq }]
    }

    /// The server names where the channel stands.
    pub fn heads(&mut self, epoch: &str, seq: i64, now: i64) -> Vec<Effect> {
        let behind = |at: &Since| at.epoch != epoch || at.seq < seq;
        if self.at.as_ref().is_none_or(behind) { self.ask(now) } else { Vec::new() }
    }
}
