//! What the commit of a transaction appends to channels: its events by one statement, and what nouns append by
//! statements of their own. Called by `Tx::commit` alone.
//!
//! Invariant: heads of channels are locked in one order everywhere. Companies come before people, and within one
//! statement people come by their ids. A last statement appends to its own company alone, whose head its transaction
//! holds by then. The company's lock keeps the company's other commands from that head. An edit of a person holds no
//! such lock.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::Tx;
use crate::error::{Error, Result};
use crate::event::{Channel, Event, NewEvent, OperatorData};
use crate::id::CompanyId;

/// A statement of a noun that writes rows and appends their events.
pub trait AppendStatement: Send + Sync {
    fn sql(&self) -> &'static str;
    fn write<'a>(&'a self, tx: &'a Tx) -> BoxFuture<'a, Result<Vec<Event>>>;
}

pub(super) enum Staged {
    Events(Vec<NewEvent>),
    Statement(Box<dyn AppendStatement>),
}

/// What nouns append by statements of their own.
#[derive(Default)]
pub(super) struct Statements {
    /// To people, ordered by their ids.
    pub people: Vec<Box<dyn AppendStatement>>,
    /// Right before the commit.
    pub last: Vec<Box<dyn AppendStatement>>,
}

/// In the order in which heads are locked; events of one channel keep theirs.
pub(super) fn in_order(
    mut events: Vec<NewEvent>,
    Statements { people, last }: Statements,
) -> Vec<Staged> {
    events.sort_by_key(|event| event.channel);
    let is_company = |event: &NewEvent| matches!(event.channel, Channel::Company(_));
    let first = if people.is_empty() { events.len() } else { events.partition_point(is_company) };
    let others = events.split_off(first);
    let group = |events: Vec<NewEvent>| (!events.is_empty()).then_some(Staged::Events(events));
    let (people, last) =
        (people.into_iter().map(Staged::Statement), last.into_iter().map(Staged::Statement));
    group(events).into_iter().chain(people).chain(group(others)).chain(last).collect()
}

impl Staged {
    pub(super) fn sql(&self) -> &'static str {
        match self {
            Staged::Events(events) if events.len() == 1 => APPEND_EVENT,
            Staged::Events(_) => APPEND_EVENTS,
            Staged::Statement(statement) => statement.sql(),
        }
    }

    pub(super) async fn append(self, tx: &Tx) -> Result<Vec<Event>> {
        match self {
            Staged::Events(events) => match <[NewEvent; 1]>::try_from(events) {
                Ok([event]) => Ok(vec![append_one(tx, event).await?]),
                Err(events) => append(tx, events).await,
            },
            Staged::Statement(statement) => {
                let mut events = statement.write(tx).await?;
                events.iter_mut().for_each(|event| event.trace = tx.traceparent());
                Ok(events)
            }
        }
    }
}

/// For the usual transaction, in two thirds of the time of `APPEND_EVENTS`.
const APPEND_EVENT: &str = "WITH head AS (\
     INSERT INTO channel_heads (channel, epoch, seq) VALUES ($1::text, $8::text, 1) \
     ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq + 1 RETURNING epoch, seq), \
     appended AS (\
     INSERT INTO events (channel, seq, company_id, name, key, data, finance_only, operator_data, cause, at) \
     SELECT $1::text, seq, $2::uuid, $3::text, $4::text, $5::text, $6::boolean, $7::text, $9::text, $10::timestamptz \
       FROM head) \
     SELECT seq, epoch_in_history(epoch, current_history()) AS epoch FROM head";
/// `behind`: how many events of the same channel follow.
const APPEND_EVENTS: &str = "WITH new AS (SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], \
       $5::text[], $6::boolean[], $7::text[], $8::bigint[]) WITH ORDINALITY \
       AS n(channel, company_id, name, key, data, finance_only, operator_data, behind, place)), \
     heads AS (\
     INSERT INTO channel_heads (channel, epoch, seq) \
     SELECT channel, $9::text, count(*) FROM new GROUP BY channel ORDER BY min(place) \
     ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq + excluded.seq RETURNING channel, epoch, seq), \
     appended AS (\
     INSERT INTO events (channel, seq, company_id, name, key, data, finance_only, operator_data, cause, at) \
     SELECT n.channel, h.seq - n.behind, n.company_id, n.name, n.key, n.data, n.finance_only, n.operator_data, \
       $10::text, $11::timestamptz FROM new n JOIN heads h ON h.channel = n.channel) \
     SELECT channel, seq, epoch_in_history(epoch, current_history()) AS epoch FROM heads";

/// The columns of `APPEND_EVENTS`.
#[derive(Default)]
struct Columns {
    channels: Vec<String>,
    companies: Vec<Option<CompanyId>>,
    names: Vec<&'static str>,
    keys: Vec<String>,
    texts: Vec<Arc<str>>,
    operators: Vec<OperatorData>,
    behind: Vec<i64>,
}

impl Columns {
    fn of(events: &[NewEvent]) -> Result<Self> {
        let mut columns = Self::default();
        let mut following = HashMap::new();
        for event in events.iter().rev() {
            let behind = following.entry(event.channel).or_insert(0_i64);
            columns.behind.push(*behind);
            *behind += 1;
        }
        columns.behind.reverse();
        for event in events {
            let (text, operators) = event.texts()?;
            columns.channels.push(event.channel.stored());
            columns.companies.push(event.channel.company());
            columns.names.push(event.name.as_str());
            columns.keys.push(event.key.clone());
            columns.texts.push(text.into());
            columns.operators.push(operators);
        }
        Ok(columns)
    }
}

async fn append_one(tx: &Tx, event: NewEvent) -> Result<Event> {
    let (data, operator_data) = event.texts()?;
    let (finance_only, for_operators) = columns_of(&operator_data);
    let (channel, company) = (event.channel.stored(), event.channel.company());
    let row = tx
        .query_one(
            APPEND_EVENT,
            &[
                &channel,
                &company,
                &event.name.as_str(),
                &event.key,
                &data,
                &finance_only,
                &for_operators,
                &tx.new_epoch(),
                &tx.cause(),
                &tx.now(),
            ],
        )
        .await?;
    let epoch: &str = row.try_get("epoch")?;
    Ok(committed(tx, event, (epoch.into(), row.try_get("seq")?), (data.into(), operator_data)))
}

/// `finance_only` and `operator_data` of a row.
fn columns_of(data: &OperatorData) -> (bool, Option<&str>) {
    match data {
        OperatorData::Same => (false, None),
        OperatorData::Nothing => (true, None),
        OperatorData::Other(text) => (false, Some(text)),
    }
}

/// What the relay is told of an event in the transaction.
fn committed(
    tx: &Tx,
    event: NewEvent,
    (epoch, seq): (Arc<str>, i64),
    (data, operator_data): (Arc<str>, OperatorData),
) -> Event {
    Event {
        channel: event.channel,
        epoch,
        seq,
        name: event.name.into(),
        key: event.key,
        data,
        operator_data,
        cause: tx.cause().map(str::to_owned),
        trace: tx.traceparent(),
        at: tx.now(),
    }
}

/// Appends the events, which stand in the order of their channels, and raises the head of each channel once.
async fn append(tx: &Tx, events: Vec<NewEvent>) -> Result<Vec<Event>> {
    let columns = Columns::of(&events)?;
    let (finance_only, others): (Vec<bool>, Vec<Option<&str>>) =
        columns.operators.iter().map(columns_of).unzip();
    let texts: Vec<&str> = columns.texts.iter().map(|text| &**text).collect();
    let rows = tx
        .query(
            APPEND_EVENTS,
            &[
                &columns.channels,
                &columns.companies,
                &columns.names,
                &columns.keys,
                &texts,
                &finance_only,
                &others,
                &columns.behind,
                &tx.new_epoch(),
                &tx.cause(),
                &tx.now(),
            ],
        )
        .await?;
    let mut heads: HashMap<String, (i64, Arc<str>)> = HashMap::new();
    for row in &rows {
        let epoch: &str = row.try_get("epoch")?;
        heads.insert(row.try_get("channel")?, (row.try_get("seq")?, epoch.into()));
    }
    let Columns { channels, texts, operators, behind, .. } = columns;
    let places = channels.iter().zip(behind).zip(texts.into_iter().zip(operators));
    events
        .into_iter()
        .zip(places)
        .map(|(event, ((channel, behind), (data, operator_data)))| {
            let head = heads.get(channel);
            let (seq, epoch) = head.ok_or_else(|| Error::internal("a channel without a head"))?;
            Ok(committed(tx, event, (epoch.clone(), seq - behind), (data, operator_data)))
        })
        .collect()
}
