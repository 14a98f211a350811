//! What a channel's session answers to who joins: the missed events from the ring and the database, or the
//! state, and `live` as the last word.

use bipe_core::event::Channel;

use crate::catch_up::Needs;
use crate::channel_log::{Answer, Asked};
use crate::company_session::{
    CompanySession, HubSide, Join, OWN_SNAPSHOT_LIFE, SNAPSHOT_EVENTS, SNAPSHOT_LIFE, is_older,
};
use crate::envelope::{self, Envelope, Forms, ResetReason};
use crate::live::Delivery;

pub enum Verdict {
    Done,
    /// The hub's queue is full.
    Later,
    Read(Needs),
}

impl CompanySession {
    pub fn try_answer(&mut self, join: &Join, asked: Asked, older: &[(i64, Forms)]) -> Verdict {
        let Some(log) = &self.log else {
            let after = join.reader.as_ref().and_then(|reader| reader.since.as_ref());
            return Verdict::Read(Needs {
                after: after.map(|since| since.seq),
                snapshot: join.reader.as_ref().is_some_and(|reader| reader.since.is_none()),
            });
        };
        if self.hubs.get(&join.hub).is_some_and(|hub| hub.sent != log.head()) {
            return Verdict::Later;
        }
        let Some(reader) = &join.reader else {
            let watching = Delivery::Watching {
                channel: self.channel,
                fresh: asked != Asked::NotYet,
                epoch: log.epoch().clone(),
                head: log.head(),
            };
            return self.admit(join, watching);
        };
        let answer = log.answer(reader.since.as_ref(), asked);
        let envelopes = match answer {
            Answer::ReadBack { after } => {
                return Verdict::Read(Needs { after: Some(after), snapshot: false });
            }
            Answer::ReadHead => {
                return Verdict::Read(Needs { after: Some(log.head()), snapshot: false });
            }
            Answer::Replay { after } => self.replay(after, older, reader.finance),
            Answer::Snapshot { reset } => {
                if !self.has_snapshot() {
                    return Verdict::Read(Needs { after: None, snapshot: true });
                }
                self.with_snapshot(reset, reader.finance)
            }
        };
        match envelopes {
            Ok(envelopes) => {
                let answer = Delivery::Answer {
                    channel: self.channel,
                    socket: reader.socket,
                    generation: reader.generation,
                    envelopes,
                    epoch: log.epoch().clone(),
                    head: log.head(),
                };
                self.admit(join, answer)
            }
            Err(error) => {
                tracing::error!(error = %error, "a subscription cannot be answered");
                self.refuse(join);
                Verdict::Done
            }
        }
    }

    /// The hub reads from here on, once it could be told.
    fn admit(&mut self, join: &Join, answer: Delivery) -> Verdict {
        let Some(log) = &self.log else { return Verdict::Later };
        if join.queue.try_send(answer).is_err() {
            return Verdict::Later;
        }
        let side = HubSide { queue: join.queue.clone(), sent: log.head() };
        self.hubs.entry(join.hub).or_insert(side);
        Verdict::Done
    }

    pub fn refuse(&self, join: &Join) {
        if let Some(reader) = &join.reader {
            let (socket, generation) = (reader.socket, reader.generation);
            let refused = Delivery::Refused { channel: self.channel, socket, generation };
            join.queue.try_send(refused).ok();
        }
    }

    /// Events after `after`: the older ones from the database, the rest from the ring; then `live`.
    fn replay(
        &self,
        after: i64,
        older: &[(i64, Forms)],
        finance: bool,
    ) -> serde_json::Result<Vec<Envelope>> {
        let Some(log) = &self.log else { return Ok(Vec::new()) };
        let reaches = log.reaches().max(after);
        let older = older.iter().filter(|(seq, _)| *seq > after && *seq <= reaches);
        let mut envelopes: Vec<Envelope> =
            older.map(|(_, forms)| forms.seen_by(finance).clone()).collect();
        if let Some(events) = log.after(reaches) {
            envelopes.extend(events.map(|(_, kept)| kept.forms.seen_by(finance).clone()));
        }
        envelopes.push(envelope::live(self.channel, log.head())?);
        Ok(envelopes)
    }

    fn has_snapshot(&self) -> bool {
        let (Some(log), Some((snapshot, made))) = (&self.log, &self.snapshot) else { return false };
        let life = match self.channel {
            Channel::User(_) => OWN_SNAPSHOT_LIFE,
            _ => SNAPSHOT_LIFE,
        };
        snapshot.epoch == *log.epoch()
            && snapshot.seq >= log.reaches()
            && snapshot.seq <= log.head()
            && log.head() - snapshot.seq <= SNAPSHOT_EVENTS
            && !is_older(*made, self.now(), life)
    }

    fn with_snapshot(
        &self,
        reset: Option<ResetReason>,
        finance: bool,
    ) -> serde_json::Result<Vec<Envelope>> {
        let Some((snapshot, _)) = &self.snapshot else { return Ok(Vec::new()) };
        let mut envelopes = Vec::new();
        if let Some(reason) = reset {
            envelopes.push(envelope::reset(self.channel, reason)?);
        }
        envelopes.push(snapshot.forms.seen_by(finance).clone());
        envelopes.extend(self.replay(snapshot.seq, &[], finance)?);
        Ok(envelopes)
    }
}
