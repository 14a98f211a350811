//! The live figures of platform admins: the cards of the last 30 days as one document, and the newest activities.
//! Called by `actors/src/metrics_stream.rs` while somebody watches, and by `check`.
//!
//! Each document is counted from the committed rows of one snapshot, by the function that answers the dashboard. It is
//! not kept by deltas, so it equals a recount by construction. It goes through `events` (invariant I3). Several nodes
//! may count at once: when two emit from the same state of the channel, the database refuses the second, which counts
//! again.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::period::Period;
use super::report;
use super::view::{Activities, Dashboard};
use crate::db::{Db, PlatformTx};
use crate::error::{Error, Result};
use crate::event::{Channel, EventName, NewEvent};
use crate::row::from_row;
use crate::scope::JobScope;

/// The shortest time between two documents of all nodes together.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_millis(500);
/// Windows move and users grow inactive without any commit: a document is counted again after this.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(60);
/// Longer than a transaction runs: what it wrote carries the instant at which it began.
const LONGEST_COMMIT: SignedDuration = SignedDuration::from_secs(30);
/// The activities that a list shows when it opens. An admin who missed more of them reads them: they are not pushed.
const MAX_LISTED: i64 = 10;
/// The newest activities that one count reads: more than happen between two counts.
const MAX_READ: i64 = 50;
/// The newest events of the channel in which an activity is looked for before it is published.
const MAX_SEARCHED: i64 = 100;

/// Counts the rows that changes of the cards have added from `$1` to before `$2`, by indexes. Like the cards, it leaves
/// out rows of the instant `$2` itself and later ones, such as those of a node whose clock is ahead. If it counted
/// them, the next look would find no difference, and the cards would lack those rows until `MAX_AGE`.
const CHANGES: &str = "SELECT \
     (SELECT count(*) FROM events WHERE at >= $1 AND at < $2 \
     AND name NOT IN ('metrics.updated', 'activity.created', 'notification.created', 'notification.read', \
     'views.changed')) AS events, \
     (SELECT count(*) FROM head_counts WHERE noun IN ('users', 'companies', 'subscriptions') \
     AND at >= $1 AND at < $2) AS heads, \
     (SELECT count(*) FROM users WHERE email_verified_at >= $1 AND email_verified_at < $2) AS people, \
     (SELECT count(*) FROM activity_spells WHERE to_at >= $1 AND from_at >= $1 AND from_at < $2) AS spells, \
     (SELECT max(updated_at) FROM acquisition_costs) AS spent_at";
const NEWEST_EVENTS: &str =
    "SELECT data, at FROM events WHERE channel = $1 ORDER BY seq DESC LIMIT $2";

/// What one node knows of its last look. It may be lost at any moment; the next look then counts everything.
#[derive(Debug, Default)]
pub struct LastPublished(Option<PublishedState>);

#[derive(Debug)]
struct PublishedState {
    at: Timestamp,
    since: Timestamp,
    changes: Changes,
    activities: HashSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Changes {
    events: i64,
    heads: i64,
    people: i64,
    spells: i64,
    spent_at: Option<Timestamp>,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// Nothing was committed since the last one: nothing was counted.
    Quiet,
    /// Counted; the differences from the last publication are published now.
    Counted { document: bool, activities: usize },
    /// The last document is too young for another one: look again.
    TooSoon,
}

/// Tells the admins what has changed.
///
/// # Errors
/// `Unavailable` also when another node published at the same time: look again.
pub async fn publish(db: &Db, proof: &JobScope, memory: &mut LastPublished) -> Result<Publication> {
    let mut tx = db.figures_tx(proof).await?;
    if let Some(seen) = &memory.0 {
        let is_fresh = tx.now().duration_since(seen.at).abs() < MAX_AGE;
        if is_fresh && changes(&tx, seen.since).await? == seen.changes {
            return Ok(Publication::Quiet);
        }
    }
    let at = tx.now();
    let since = at.checked_sub(LONGEST_COMMIT).map_err(Error::internal)?;
    let changes = changes(&tx, since).await?;
    let document = publish_figures(&mut tx).await?;
    let (activities, newest) = publish_activities(&mut tx, memory).await?;
    tx.commit().await?;
    let Some(document) = document else { return Ok(Publication::TooSoon) };
    memory.0 = Some(PublishedState { at, since, changes, activities: newest });
    Ok(Publication::Counted { document, activities })
}

/// The figures of this instant.
pub async fn figures(tx: &PlatformTx) -> Result<Dashboard> {
    let period = Period::parse(None, (None, None), tx.now())?;
    Ok(Dashboard { metrics: report::facts(tx, period).await?.cards() })
}

/// The newest activities.
pub async fn activities(tx: &PlatformTx) -> Result<Activities> {
    Ok(Activities { activities: report::activities(tx, MAX_LISTED).await? })
}

/// Whether the figures differed from the last ones and were published; `None` when they must wait.
pub(super) async fn publish_figures(tx: &mut PlatformTx) -> Result<Option<bool>> {
    let data = text(&figures(tx).await?)?;
    if let Some((last, at)) = newest_events(tx, Channel::AdminMetrics, 1).await?.pop() {
        if last == data {
            return Ok(Some(false));
        }
        // Clocks of nodes differ: an instant ahead of ours is no reason to wait for long.
        if tx.now().duration_since(at).abs() < MIN_INTERVAL {
            return Ok(None);
        }
    }
    let (channel, name) = (Channel::AdminMetrics, EventName::MetricsUpdated);
    tx.emit(NewEvent::of_text(channel, name, "30d".into(), data));
    Ok(Some(true))
}

/// Publishes the activities that neither this node's memory nor the channel's newest events hold, oldest first. A
/// stream that has just started has no memory: it publishes no more than a list shows.
async fn publish_activities(
    tx: &mut PlatformTx,
    memory: &LastPublished,
) -> Result<(usize, HashSet<String>)> {
    let newest = report::activities(tx, MAX_READ).await?;
    let published = newest_events(tx, Channel::AdminActivity, MAX_SEARCHED).await?;
    let mut known: HashSet<String> = published.into_iter().map(|(data, _)| data).collect();
    let reach = match &memory.0 {
        Some(seen) => {
            known.extend(seen.activities.iter().cloned());
            MAX_READ
        }
        None => MAX_LISTED,
    };
    let (mut all, mut new) = (HashSet::new(), Vec::new());
    for (place, activity) in (0_i64..).zip(newest) {
        let data = text(&activity)?;
        if place < reach && !known.contains(&data) {
            new.push((activity.id, data.clone()));
        }
        all.insert(data);
    }
    let count = new.len();
    for (key, data) in new.into_iter().rev() {
        let (channel, name) = (Channel::AdminActivity, EventName::ActivityCreated);
        tx.emit(NewEvent::of_text(channel, name, key, data));
    }
    Ok((count, all))
}

/// Data and instants of the channel's newest events, newest first.
async fn newest_events(
    tx: &PlatformTx,
    channel: Channel,
    limit: i64,
) -> Result<Vec<(String, Timestamp)>> {
    let rows = tx.query(NEWEST_EVENTS, &[&channel.stored(), &limit]).await?;
    rows.iter().map(|row| Ok((row.try_get("data")?, row.try_get("at")?))).collect()
}

/// What was committed since an instant and lies before the transaction's own.
async fn changes(tx: &PlatformTx, since: Timestamp) -> Result<Changes> {
    Changes::try_from(&tx.query_one(CHANGES, &[&since, &tx.now()]).await?)
}

from_row!(Changes { events, heads, people, spells, spent_at });

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}
