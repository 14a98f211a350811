//! What the commit of a transaction appends to channels: events, one statement each, and batches, one statement for the
//! channels of any number of people. Called by `Tx::commit` alone.
//!
//! Invariant: heads of channels are locked in one order everywhere. Companies come before people, and within one
//! statement people come by their ids.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::Tx;
use crate::error::Result;
use crate::event::{Channel, Event, NewEvent, OperatorData};
use crate::id::CompanyId;

/// Appends one event to the channel of each of several people, ordered by their ids.
pub trait BatchAppend: Send + Sync {
    fn sql(&self) -> &'static str;
    fn write<'a>(&'a self, tx: &'a Tx) -> BoxFuture<'a, Result<Vec<Event>>>;
}

pub(super) enum Staged {
    Event(NewEvent),
    Batch(Box<dyn BatchAppend>),
}

/// In the order in which heads are locked; events of one channel keep theirs.
pub(super) fn in_order(
    mut events: Vec<NewEvent>,
    batches: Vec<Box<dyn BatchAppend>>,
) -> Vec<Staged> {
    events.sort_by_key(|event| event.channel);
    let is_company = |event: &NewEvent| matches!(event.channel, Channel::Company(_));
    let others = events.split_off(events.partition_point(is_company));
    let events = events.into_iter().map(Staged::Event);
    let batches = batches.into_iter().map(Staged::Batch);
    events.chain(batches).chain(others.into_iter().map(Staged::Event)).collect()
}

impl Staged {
    pub(super) fn sql(&self) -> &'static str {
        match self {
            Staged::Event(_) => APPEND_EVENT,
            Staged::Batch(batch) => batch.sql(),
        }
    }

    pub(super) async fn append(self, tx: &Tx) -> Result<Vec<Event>> {
        match self {
            Staged::Event(event) => Ok(vec![append(tx, event).await?]),
            Staged::Batch(batch) => batch.write(tx).await,
        }
    }
}

const APPEND_EVENT: &str = "WITH head AS (\
     INSERT INTO channel_heads (channel, epoch, seq) VALUES ($1, $2, 1) \
     ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq + 1 RETURNING epoch, seq) \
     INSERT INTO events (channel, seq, company_id, name, key, data, finance_only, operator_data, cause, at) \
     SELECT $1, head.seq, $3, $4, $5, $6, $7, $8, $9, $10 FROM head \
     RETURNING seq, (SELECT epoch_in_history(epoch, current_history()) FROM head) AS epoch";

async fn append(tx: &Tx, event: NewEvent) -> Result<Event> {
    let company: Option<CompanyId> = event.channel.company();
    let (cause, at) = (tx.cause().map(str::to_owned), tx.now());
    let (data, operator_data) = event.texts()?;
    let finance_only = operator_data == OperatorData::Nothing;
    let other = match &operator_data {
        OperatorData::Other(text) => Some(&**text),
        OperatorData::Same | OperatorData::Nothing => None,
    };
    let row = tx
        .query_one(
            APPEND_EVENT,
            &[
                &event.channel.stored(),
                &tx.new_epoch(),
                &company,
                &event.name.as_str(),
                &event.key,
                &data,
                &finance_only,
                &other,
                &cause,
                &at,
            ],
        )
        .await?;
    Ok(Event {
        channel: event.channel,
        epoch: Arc::from(row.try_get::<_, &str>("epoch")?),
        seq: row.try_get("seq")?,
        name: event.name.into(),
        key: event.key,
        data: data.into(),
        operator_data,
        cause,
        trace: tx.traceparent(),
        at,
    })
}
