//! Reads committed events and the heads of channels. Called by the relay and by the channels' sessions, which work for
//! the platform. Who may read a channel is decided where a socket subscribes.

use std::sync::Arc;

use jiff::Timestamp;
use tokio_postgres::Row;

use crate::db::PlatformTx;
use crate::error::{Error, Result};
use crate::event::{Channel, CommittedName, Event, Head, OperatorData};

const HEADS: &str = "SELECT h.channel, epoch_in_history(h.epoch, history) AS epoch, h.seq \
     FROM channel_heads h, current_history() AS history WHERE h.channel = ANY ($1)";
const ENSURE_HEAD: &str = "INSERT INTO channel_heads (channel, epoch, seq) VALUES ($1, $2, 0) \
     ON CONFLICT (channel) DO NOTHING";
const SINCE: &str = "SELECT e.channel, epoch_in_history(h.epoch, history) AS epoch, e.seq, e.name, e.key, e.data, \
     e.finance_only, e.operator_data, e.cause, e.at \
     FROM events e JOIN channel_heads h ON h.channel = e.channel, current_history() AS history \
     WHERE e.channel = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3";
/// Deletes an old event only if every earlier event of its channel is old, too. `at` is the beginning of a transaction
/// and `seq` the order of the commits, so an old event may follow a newer one. A channel may lose its beginning, but
/// never its middle: nobody could read it across the gap.
const PURGE: &str = "WITH batch AS (SELECT channel, seq FROM events WHERE at < $1 ORDER BY at LIMIT 5000), \
     old AS (SELECT channel, max(seq) AS last FROM batch GROUP BY channel), \
     cut AS MATERIALIZED (SELECT channel, last, (SELECT min(seq) FROM events k WHERE k.channel = old.channel \
       AND k.seq <= old.last AND k.at >= $1) AS first FROM old) \
     DELETE FROM events e USING cut WHERE e.channel = cut.channel AND e.seq <= cut.last AND e.at < $1 \
     AND (cut.first IS NULL OR e.seq < cut.first)";

/// Where the channels stand; one that never had an event or a reader is absent.
pub async fn heads(tx: &PlatformTx, channels: &[Channel]) -> Result<Vec<Head>> {
    let names: Vec<String> = channels.iter().map(Channel::stored).collect();
    tx.all(HEADS, &[&names]).await
}

/// Where one channel stands. Its first reader fixes the epoch, so that the first event continues what the
/// reader holds.
pub async fn head(tx: &PlatformTx, channel: Channel) -> Result<Head> {
    if let Some(head) = heads(tx, &[channel]).await?.pop() {
        return Ok(head);
    }
    tx.execute(ENSURE_HEAD, &[&channel.stored(), &tx.new_epoch()]).await?;
    heads(tx, &[channel]).await?.pop().ok_or_else(|| Error::internal("a channel without a head"))
}

/// At most `limit` events after `seq`, in order.
pub async fn since(tx: &PlatformTx, channel: Channel, seq: i64, limit: i64) -> Result<Vec<Event>> {
    tx.all(SINCE, &[&channel.stored(), &seq, &limit]).await
}

/// Deletes a batch of what is older, from the beginning of each channel; the heads stay, so that sequences go on.
/// Returns the number of rows.
pub async fn purge(tx: &PlatformTx, before: Timestamp) -> Result<u64> {
    tx.execute(PURGE, &[&before]).await
}

fn channel_of(row: &Row) -> Result<Channel> {
    let stored: &str = row.try_get("channel")?;
    Channel::parse_stored(stored).ok_or_else(|| Error::internal("a channel of unknown kind"))
}

impl TryFrom<&Row> for Head {
    type Error = Error;
    fn try_from(row: &Row) -> Result<Self> {
        let epoch: &str = row.try_get("epoch")?;
        Ok(Self { channel: channel_of(row)?, epoch: Arc::from(epoch), seq: row.try_get("seq")? })
    }
}

impl TryFrom<&Row> for Event {
    type Error = Error;
    fn try_from(row: &Row) -> Result<Self> {
        let (epoch, data): (&str, &str) = (row.try_get("epoch")?, row.try_get("data")?);
        let other: Option<&str> = row.try_get("operator_data")?;
        let operator_data = match (row.try_get("finance_only")?, other) {
            (true, _) => OperatorData::Nothing,
            (false, Some(other)) => OperatorData::Other(Arc::from(other)),
            (false, None) => OperatorData::Same,
        };
        Ok(Self {
            channel: channel_of(row)?,
            epoch: Arc::from(epoch),
            seq: row.try_get("seq")?,
            name: CommittedName::of(row.try_get("name")?),
            key: row.try_get("key")?,
            data: Arc::from(data),
            operator_data,
            cause: row.try_get("cause")?,
            trace: None,
            at: row.try_get("at")?,
        })
    }
}
