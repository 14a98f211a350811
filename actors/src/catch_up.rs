//! What a channel's session reads from the database: where the channel stands, the events that are missing,
//! the state a reader starts from. One read at a time and channel, few at once on a node.

use std::sync::Arc;

use bipe_core::event::{Channel, Event, Head, store};
use bipe_core::{Error, Result};

use crate::channel_log::REPLAY_LIMIT;
use crate::envelope::{Forms, snapshot};
use crate::live::Sources;

/// What has to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// Events after this sequence number.
    pub after: Option<i64>,
    pub snapshot: bool,
}

impl Needs {
    pub fn add(&mut self, other: Needs) {
        self.after = match (self.after, other.after) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.snapshot |= other.snapshot;
    }
}

/// What was read; the events and the snapshot are at least as new as the head.
pub struct Read {
    pub head: Head,
    pub events: Vec<Event>,
    pub snapshot: Option<Snapshot>,
}

/// The state at `seq`, serialised for both kinds of readers.
pub struct Snapshot {
    pub epoch: Arc<str>,
    pub seq: i64,
    pub forms: Forms,
}

impl Read {
    /// The events in both forms.
    pub fn forms(&self) -> serde_json::Result<Vec<(i64, Forms)>> {
        self.events.iter().map(|event| Ok((event.seq, Forms::of_event(event)?))).collect()
    }
}

/// The head is read first: events and snapshot may only be newer than it.
pub async fn read(sources: Arc<Sources>, channel: Channel, needs: Needs) -> Result<Read> {
    let _turn = sources.reads.acquire().await.map_err(Error::internal)?;
    let tx = sources.db.platform_tx(&sources.proof).await?;
    let head = store::head(&tx, channel).await?;
    let limit = i64::try_from(REPLAY_LIMIT).unwrap_or(i64::MAX);
    let events = match needs.after {
        // Who missed more than the limit gets a snapshot anyway.
        Some(after) => store::since(&tx, channel, after.max(head.seq - limit), limit * 2).await?,
        None => Vec::new(),
    };
    tx.commit().await?;
    let snapshot = if needs.snapshot { Some(snapshot_at(&sources, &head).await?) } else { None };
    Ok(Read { head, events, snapshot })
}

async fn snapshot_at(sources: &Sources, head: &Head) -> Result<Snapshot> {
    let data = (sources.snapshot)(head.channel).await?;
    let form =
        |data: &str| snapshot(head.channel, &head.epoch, head.seq, data).map_err(Error::internal);
    let restricted = data.restricted.as_deref().map(form).transpose()?;
    let forms = Forms { full: form(&data.full)?, restricted };
    Ok(Snapshot { epoch: head.epoch.clone(), seq: head.seq, forms })
}
