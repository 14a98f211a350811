//! What a channel's session reads from the database: the channel's head, events that are missing, and the state that
//! a reader starts from. A session has one read under way at a time, a node a few (`Sources::permit`).

use std::sync::Arc;

use bipe_core::event::{Channel, Event, Head, store};
use bipe_core::{Error, Result};
use jiff::Timestamp;

use super::log::REPLAY_LIMIT;
use crate::envelope::{EventForms, snapshot};
use crate::sources::Sources;

/// What has to be read beside the head.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequiredReads {
    /// The events after this sequence number.
    pub after: Option<i64>,
    pub snapshot: bool,
}

impl RequiredReads {
    pub fn add(&mut self, other: RequiredReads) {
        self.after = match (self.after, other.after) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.snapshot |= other.snapshot;
    }
}

/// What was read. Events and snapshot may be newer than the head, never older.
pub struct Read {
    pub head: Head,
    pub events: Vec<Event>,
    pub snapshot: Option<Snapshot>,
}

/// The state of the channel at `seq`, serialised once for each kind of reader.
pub struct Snapshot {
    pub epoch: Arc<str>,
    pub seq: i64,
    pub forms: EventForms,
    pub read_at: Timestamp,
}

impl Read {
    /// The events as envelopes, with their sequence numbers.
    pub fn forms(&self) -> serde_json::Result<Vec<(i64, EventForms)>> {
        self.events.iter().map(|event| Ok((event.seq, EventForms::of_event(event)?))).collect()
    }
}

/// Reads the head first, so that events and snapshot are at least as new.
pub async fn read(sources: Arc<Sources>, channel: Channel, needs: RequiredReads) -> Result<Read> {
    let _permit = sources.permit(channel).await?;
    let tx = sources.db.platform_tx(&sources.proof).await?;
    let head = store::head(&tx, channel).await?;
    let events = match needs.after {
        Some(after) => {
            let (after, limit) = window(after, head.seq);
            store::since(&tx, channel, after, limit).await?
        }
        None => Vec::new(),
    };
    tx.commit().await?;
    let snapshot = if needs.snapshot { Some(read_snapshot(&sources, &head).await?) } else { None };
    Ok(Read { head, events, snapshot })
}

/// After which event is read, and how many at most: a reader that missed more than `REPLAY_LIMIT` gets a snapshot, and
/// as many again may be committed meanwhile.
fn window(after: i64, head: i64) -> (i64, i64) {
    let limit = i64::try_from(REPLAY_LIMIT).unwrap_or(i64::MAX);
    (after.max(head - limit), limit * 2)
}

async fn read_snapshot(sources: &Sources, head: &Head) -> Result<Snapshot> {
    let data = (sources.snapshot)(head.channel).await?;
    let form =
        |data: &str| snapshot(head.channel, &head.epoch, head.seq, data).map_err(Error::internal);
    let restricted = data.restricted.as_deref().map(form).transpose()?;
    let forms = EventForms { full: form(&data.full)?, restricted };
    let read_at = sources.db.clock().now();
    Ok(Snapshot { epoch: head.epoch.clone(), seq: head.seq, forms, read_at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_a_reader_may_have_missed() {
        assert_eq!(window(990, 1_000), (990, 512));
        assert_eq!(window(3, 1_000), (744, 512));
    }
}
