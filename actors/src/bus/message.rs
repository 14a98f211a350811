//! What nodes tell each other: committed events, and where a channel stands. Sealed and opened by `nats` alone.
//!
//! A message is 32 bytes of HMAC-SHA-256 and a JSON text. Invariant: nothing is taken from a message before its code
//! is proven, so invariant I3 does not end at whoever reaches the NATS server. A build that does not know the version
//! of a message takes the positions of its parts and leaves the events.

use std::sync::Arc;

use bipe_core::event::{Channel, CommittedName, Event, Head, OperatorData};
use bipe_core::secret::KeyRing;
use bipe_core::trace::Traceparent;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::node_state::NodeState;
use super::refusals::{Refusal, StaleClock};

const VERSION: u32 = 1;
const MAC_BYTES: usize = 32;
/// Bytes of the events in one message. A channel with more carries its position alone.
const MAX_EVENTS_BYTES: usize = 32 * 1024;
/// Bytes of a whole message. Nothing that a node sends comes near; the code of a longer one is not even checked.
const MAX_MESSAGE_BYTES: usize = 8 * MAX_EVENTS_BYTES;
/// An older message, or one from the future, is refused: nobody replays it after its node was forgotten.
const MAX_MESSAGE_AGE: SignedDuration = SignedDuration::from_secs(60);

/// What every version has.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    version: u32,
    node: Uuid,
    /// Counts the messages of the node, without a gap.
    number: u64,
    sent_at: Timestamp,
    /// The last message of a node that ends.
    #[serde(default)]
    leaving: bool,
    /// A `NodeState`, in some of the beats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<Box<RawValue>>,
    /// None in a beat.
    parts: Vec<WirePart>,
}

/// One channel, and its events up to the position.
#[derive(Debug, Serialize, Deserialize)]
pub struct WirePart {
    channel: String,
    epoch: Arc<str>,
    seq: i64,
    /// A list of `WireEvent` in version 1; none where it would be too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    events: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct WireEvent {
    seq: i64,
    name: CommittedName,
    key: String,
    data: Box<RawValue>,
    operators: WireOperatorData,
    cause: Option<String>,
    /// Builds before traces leave it out, and read past it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
    at: Timestamp,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum WireOperatorData {
    Same,
    Nothing,
    Other(Box<RawValue>),
}

/// A message whose code is proven.
#[derive(Debug)]
pub struct Message {
    pub node: Uuid,
    pub number: u64,
    pub sent_at: Timestamp,
    pub leaving: bool,
    /// None where the node did not tell, or tells what this build does not know.
    pub state: Option<NodeState>,
    /// The version is of another build: events are left out.
    pub is_foreign: bool,
    pub parts: Vec<ChannelUpdate>,
}

/// What another node said of one channel. Its events are read only where somebody wants them.
#[derive(Debug)]
pub struct ChannelUpdate {
    pub head: Head,
    events: Option<Box<RawValue>>,
}

impl ChannelUpdate {
    /// None where the message carries the position alone, or events that this build cannot read.
    pub fn events(&self) -> Option<Vec<Event>> {
        let events: Vec<WireEvent> = serde_json::from_str(self.events.as_ref()?.get()).ok()?;
        let Head { channel, epoch, .. } = &self.head;
        let event = |wire: WireEvent| Event {
            channel: *channel,
            epoch: epoch.clone(),
            seq: wire.seq,
            name: wire.name,
            key: wire.key,
            data: wire.data.get().into(),
            operator_data: match wire.operators {
                WireOperatorData::Same => OperatorData::Same,
                WireOperatorData::Nothing => OperatorData::Nothing,
                WireOperatorData::Other(data) => OperatorData::Other(data.get().into()),
            },
            cause: wire.cause,
            trace: wire.traceparent.as_deref().and_then(Traceparent::parse),
            at: wire.at,
        };
        Some(events.into_iter().map(event).collect())
    }
}

impl WireEvent {
    fn of(event: Event) -> serde_json::Result<Self> {
        let raw = |text: &str| RawValue::from_string(text.to_owned());
        Ok(Self {
            seq: event.seq,
            name: event.name,
            key: event.key,
            data: raw(&event.data)?,
            operators: match &event.operator_data {
                OperatorData::Same => WireOperatorData::Same,
                OperatorData::Nothing => WireOperatorData::Nothing,
                OperatorData::Other(data) => WireOperatorData::Other(raw(data)?),
            },
            cause: event.cause,
            traceparent: event.trace.map(|trace| trace.to_string()),
            at: event.at,
        })
    }
}

/// The parts of committed events, one for each channel and epoch, in as many messages as they need.
///
/// # Errors
/// When the data of an event is not JSON.
pub fn pack(events: Vec<Event>) -> serde_json::Result<Vec<Vec<WirePart>>> {
    let mut by_channel: Vec<(Head, Vec<WireEvent>)> = Vec::new();
    for event in events {
        let head = Head { channel: event.channel, epoch: event.epoch.clone(), seq: event.seq };
        let is_same = |(known, _): &&mut (Head, _)| {
            known.channel == head.channel && known.epoch == head.epoch
        };
        let wire = WireEvent::of(event)?;
        match by_channel.iter_mut().find(is_same) {
            Some((known, events)) => {
                known.seq = known.seq.max(head.seq);
                events.push(wire);
            }
            None => by_channel.push((head, vec![wire])),
        }
    }
    let mut messages: Vec<Vec<WirePart>> = Vec::new();
    let mut room = 0;
    for (head, events) in by_channel {
        let text = serde_json::value::to_raw_value(&events)?;
        let length = text.get().len();
        let events = (length <= MAX_EVENTS_BYTES).then_some(text);
        let (channel, epoch, seq) = (head.channel.stored(), head.epoch, head.seq);
        let part = WirePart { channel, epoch, seq, events };
        match messages.last_mut() {
            Some(message) if length <= room => {
                room -= length;
                message.push(part);
            }
            _ => {
                room = MAX_EVENTS_BYTES.saturating_sub(length);
                messages.push(vec![part]);
            }
        }
    }
    Ok(messages)
}

/// What a node sends.
pub enum Outgoing {
    /// With the state of the node in some of them.
    Beat(Option<Box<NodeState>>),
    Parts(Vec<WirePart>),
    Leaving,
}

/// The bytes of a message. No error is known: `pack` made every part.
pub fn seal(
    keys: &KeyRing,
    node: Uuid,
    number: u64,
    sent_at: Timestamp,
    outgoing: Outgoing,
) -> serde_json::Result<Vec<u8>> {
    let (leaving, state, parts) = match outgoing {
        Outgoing::Beat(state) => (false, state, Vec::new()),
        Outgoing::Parts(parts) => (false, None, parts),
        Outgoing::Leaving => (true, None, Vec::new()),
    };
    let state = state.map(|state| serde_json::value::to_raw_value(&state)).transpose()?;
    let envelope = Envelope { version: VERSION, node, number, sent_at, leaving, state, parts };
    let text = serde_json::to_vec(&envelope)?;
    let mut bytes = keys.newest().mac(&[&text]).to_vec();
    bytes.extend(text);
    Ok(bytes)
}

/// # Errors
/// `Refusal`; nothing of the message counts then.
pub fn open(keys: &KeyRing, bytes: &[u8], now: Timestamp) -> Result<Message, Refusal> {
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(Refusal::TooLong);
    }
    let (mac, text) = bytes.split_at_checked(MAC_BYTES).ok_or(Refusal::Malformed)?;
    if !keys.any_gives(mac, |key| key.mac(&[text])) {
        return Err(Refusal::Forged);
    }
    let envelope: Envelope = serde_json::from_slice(text).map_err(|_| Refusal::Malformed)?;
    let ahead = envelope.sent_at.duration_since(now);
    if ahead.abs() > MAX_MESSAGE_AGE {
        return Err(Refusal::Stale(StaleClock { node: envelope.node, ahead }));
    }
    let is_foreign = envelope.version != VERSION;
    let part = |part: WirePart| {
        let channel = Channel::parse_stored(&part.channel)?;
        let head = Head { channel, epoch: part.epoch, seq: part.seq };
        Some(ChannelUpdate { head, events: part.events.filter(|_| !is_foreign) })
    };
    // A channel that this build does not know has no reader here.
    let parts = envelope.parts.into_iter().filter_map(part).collect();
    let state = envelope.state.and_then(|state| NodeState::parse(state.get()));
    let Envelope { node, number, sent_at, leaving, .. } = envelope;
    Ok(Message { node, number, sent_at, leaving, state, is_foreign, parts })
}

#[cfg(test)]
mod tests {
    use bipe_core::event::EventName;
    use bipe_core::secret::Secret;

    use super::super::node_state::NodeQueues;
    use super::*;

    const NODE: Uuid = Uuid::from_u128(7);

    fn keys(secret: &str) -> KeyRing {
        KeyRing::derive(&Secret::from(secret), "bus-v1")
    }

    fn now() -> Timestamp {
        "2026-11-22T12:00:00Z".parse().unwrap()
    }

    fn event(channel: Channel, seq: i64, data: &str) -> Event {
        Event {
            channel,
            epoch: "e1".into(),
            seq,
            name: EventName::PlanUpdated.into(),
            key: "k".into(),
            data: data.into(),
            operator_data: OperatorData::Other(r#"{"a":1.50}"#.into()),
            cause: Some("request".into()),
            trace: Traceparent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
            at: now(),
        }
    }

    fn sealed(events: Vec<Event>) -> Vec<Vec<u8>> {
        let messages = pack(events).unwrap().into_iter().enumerate();
        let number = |at: usize| u64::try_from(at).unwrap() + 1;
        messages
            .map(|(at, parts)| {
                seal(&keys("one"), NODE, number(at), now(), Outgoing::Parts(parts)).unwrap()
            })
            .collect()
    }

    #[test]
    fn events_arrive_as_they_were_committed() {
        let (plans, activity) = (Channel::Plans, Channel::AdminActivity);
        let mut nothing = event(activity, 4, "[1]");
        nothing.operator_data = OperatorData::Nothing;
        let sent = [event(plans, 8, r#"{"price":9.90}"#), nothing, event(plans, 9, "{}")];
        let [bytes] = sealed(sent.to_vec()).try_into().unwrap();
        let message = open(&keys("two,one"), &bytes, now()).unwrap();
        assert_eq!((message.node, message.number), (NODE, 1));
        let heads: Vec<_> = message.parts.iter().map(|part| part.head.clone()).collect();
        let head = |channel, seq| Head { channel, epoch: "e1".into(), seq };
        assert_eq!(heads, [head(plans, 9), head(activity, 4)]);
        let got: Vec<Event> =
            message.parts.iter().flat_map(|part| part.events().unwrap()).collect();
        let text = |events: &[&Event]| format!("{events:?}");
        assert_eq!(
            text(&got.iter().collect::<Vec<_>>()),
            text(&[&sent[0], &sent[2], &sent[1]]),
            "in the order of each channel"
        );
    }

    #[test]
    fn a_message_without_our_code_is_refused() {
        let [bytes] = sealed(vec![event(Channel::Plans, 1, "{}")]).try_into().unwrap();
        let refused = |bytes: &[u8], key: &str, now| open(&keys(key), bytes, now).unwrap_err();
        assert_eq!(refused(&bytes, "other", now()), Refusal::Forged);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(refused(&changed, "one", now()), Refusal::Forged, "byte {at}");
        }
        assert_eq!(refused(&bytes[..20], "one", now()), Refusal::Malformed);
        let later = now().checked_add(SignedDuration::from_secs(61)).unwrap();
        let stale = StaleClock { node: NODE, ahead: SignedDuration::from_secs(-61) };
        assert_eq!(refused(&bytes, "one", later), Refusal::Stale(stale));
        assert_eq!(refused(&[0; MAX_MESSAGE_BYTES + 1], "one", now()), Refusal::TooLong);
    }

    #[test]
    fn what_is_too_long_becomes_a_position_and_the_rest_is_spread() {
        let long = format!("\"{}\"", "x".repeat(MAX_EVENTS_BYTES));
        let half = format!("\"{}\"", "x".repeat(MAX_EVENTS_BYTES / 2));
        let events = [
            event(Channel::AdminMetrics, 3, &half),
            event(Channel::Plans, 5, &long),
            event(Channel::AdminActivity, 7, &half),
        ];
        let messages = sealed(events.to_vec());
        let longest = messages.iter().map(Vec::len).max();
        assert!(longest < Some(MAX_EVENTS_BYTES + 1_000), "{longest:?}");
        let opened = messages.iter().map(|bytes| open(&keys("one"), bytes, now()).unwrap());
        let parts: Vec<ChannelUpdate> = opened.flat_map(|message| message.parts).collect();
        let seqs = parts.iter().map(|part| (part.head.seq, part.events().map(|e| e.len())));
        assert_eq!(seqs.collect::<Vec<_>>(), [(3, Some(1)), (5, None), (7, Some(1))]);
    }

    #[test]
    fn a_newer_version_tells_positions_and_a_newer_event_too() {
        let text = format!(
            r#"{{"version":2,"node":"{NODE}","number":5,"sentAt":"{}","news":{{}},"parts":[
                {{"channel":"plans","epoch":"e1","seq":9,"events":{{"shape":"new"}},"more":1}},
                {{"channel":"moon/1","epoch":"e1","seq":2}}]}}"#,
            now()
        );
        let read = |text: &str| {
            let mut bytes = keys("one").newest().mac(&[text.as_bytes()]).to_vec();
            bytes.extend(text.as_bytes());
            open(&keys("one"), &bytes, now()).unwrap()
        };
        let newer = read(&text).parts;
        assert_eq!((newer.len(), newer[0].head.seq), (1, 9));
        assert!(read(&text).is_foreign && newer[0].events().is_none());
        let known_version = read(&text.replace("\"version\":2", "\"version\":1"));
        assert!(known_version.parts[0].events().is_none() && !known_version.is_foreign);
    }

    #[test]
    fn a_beat_may_tell_the_state_of_its_node_to_builds_that_know_of_it() {
        let state = NodeState {
            version: "1.2.0".into(),
            schema: 34,
            since: now(),
            draining: true,
            sockets: 9,
            channels: 4,
            queues: NodeQueues { jobs_due: 3, ..NodeQueues::default() },
            database: None,
        };
        let beat = Outgoing::Beat(Some(Box::new(state.clone())));
        let bytes = seal(&keys("one"), NODE, 1, now(), beat).unwrap();
        assert_eq!(open(&keys("one"), &bytes, now()).unwrap().state, Some(state));

        /// As builds before the state read a message.
        #[derive(Deserialize)]
        struct Older {
            version: u32,
            parts: Vec<WirePart>,
        }
        let older: Older = serde_json::from_slice(&bytes[MAC_BYTES..]).unwrap();
        assert_eq!((older.version, older.parts.len()), (1, 0));

        let odd = format!(
            r#"{{"version":1,"node":"{NODE}","number":5,"sentAt":"{}","state":[7],"parts":[]}}"#,
            now()
        );
        let mut bytes = keys("one").newest().mac(&[odd.as_bytes()]).to_vec();
        bytes.extend(odd.as_bytes());
        assert_eq!(open(&keys("one"), &bytes, now()).unwrap().state, None);
    }
}
