//! Which envelopes answer a reader that joins a channel: the events it missed, or the state; `live` is the last one.
//!
//! Called by the session for each reader. Pure: where memory does not suffice, it says what to read.

use std::time::Duration;

use bipe_core::event::{Audience, Channel};
use jiff::Timestamp;

use super::catch_up::{RequiredReads, Snapshot};
use super::log::{CatchUp, ChannelLog, DatabaseRead};
use super::sequencer::LoggedEvent;
use crate::envelope::{self, Envelope, EventForms, ResetReason};
use crate::messages::Reader;

/// A snapshot answers every reader that joins within this time. Its relative dates, such as the days until a
/// subscription expires, are of the time at which it was read.
pub const SNAPSHOT_LIFE: Duration = Duration::from_secs(5);
/// As [`SNAPSHOT_LIFE`], for a person's own channel. A change of the person's own data has no event that would correct
/// an older snapshot, so it only answers readers that joined while it was being read.
const OWN_SNAPSHOT_LIFE: Duration = Duration::from_millis(50);
/// A snapshot is read anew when this many events have followed it.
const SNAPSHOT_EVENTS: i64 = 64;

/// What the session has in memory.
pub struct SessionMemory<'a> {
    pub channel: Channel,
    pub log: &'a ChannelLog<LoggedEvent>,
    pub snapshot: Option<&'a Snapshot>,
    /// Events read from the database for this answer, by sequence number; they may overlap with the log.
    pub older: &'a [(i64, EventForms)],
    pub now: Timestamp,
}

pub enum Answer {
    Envelopes(Vec<Envelope>),
    /// Read this from the database, then ask again.
    Read(RequiredReads),
}

impl SessionMemory<'_> {
    /// # Errors
    /// When an envelope cannot be written as JSON.
    pub fn answer(&self, reader: &Reader, database: DatabaseRead) -> serde_json::Result<Answer> {
        let read = |after, snapshot| Ok(Answer::Read(RequiredReads { after, snapshot }));
        match self.log.catch_up(reader.since.as_ref(), database) {
            CatchUp::ReadEvents { after } => read(Some(after), false),
            CatchUp::ReadHead => read(Some(self.log.head()), false),
            CatchUp::Replay { after } => {
                let mut envelopes = Vec::new();
                self.replay(after, reader.audience, &mut envelopes)?;
                Ok(Answer::Envelopes(envelopes))
            }
            CatchUp::Snapshot { reset } => match self.snapshot.filter(|known| self.serves(known)) {
                Some(snapshot) => {
                    self.start(snapshot, reset, reader.audience).map(Answer::Envelopes)
                }
                None => read(None, true),
            },
        }
    }

    /// Whether a snapshot is new enough, and the log holds every event after it.
    fn serves(&self, snapshot: &Snapshot) -> bool {
        let life = match self.channel {
            Channel::User(_) => OWN_SNAPSHOT_LIFE,
            _ => SNAPSHOT_LIFE,
        };
        let log = self.log;
        snapshot.epoch == *log.epoch()
            && snapshot.seq >= log.reaches()
            && snapshot.seq <= log.head()
            && log.head() - snapshot.seq <= SNAPSHOT_EVENTS
            && !snapshot.is_older(life, self.now)
    }

    /// A reset where the reader holds something else, the state, and the events after it.
    fn start(
        &self,
        snapshot: &Snapshot,
        reset: Option<ResetReason>,
        audience: Audience,
    ) -> serde_json::Result<Vec<Envelope>> {
        let mut envelopes = Vec::new();
        if let Some(reason) = reset {
            envelopes.push(envelope::reset(self.channel, reason)?);
        }
        envelopes.push(snapshot.forms.seen_by(audience).clone());
        self.replay(snapshot.seq, audience, &mut envelopes)?;
        Ok(envelopes)
    }

    /// The events after `after`, first from the database, then from the log; then `live`.
    fn replay(
        &self,
        after: i64,
        audience: Audience,
        envelopes: &mut Vec<Envelope>,
    ) -> serde_json::Result<()> {
        let reaches = self.log.reaches().max(after);
        let older = self.older.iter().filter(|(seq, _)| *seq > after && *seq <= reaches);
        envelopes.extend(older.map(|(_, forms)| forms.seen_by(audience).clone()));
        if let Some(events) = self.log.after(reaches) {
            envelopes.extend(events.map(|(_, event)| event.forms.seen_by(audience).clone()));
        }
        envelopes.push(envelope::live(self.channel, self.log.head())?);
        Ok(())
    }
}

impl Snapshot {
    /// A snapshot from before the clock was set back counts as older, too.
    pub fn is_older(&self, life: Duration, now: Timestamp) -> bool {
        !Duration::try_from(now.duration_since(self.read_at)).is_ok_and(|age| age < life)
    }
}

#[cfg(test)]
mod tests;
