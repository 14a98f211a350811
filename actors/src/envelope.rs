//! The data envelopes of the live protocol (docs/contract.md, "Live protocol"): serialised once by a channel's session
//! and shared by all sockets. An envelope has two forms where operators must not see finance data.

use bipe_core::Code;
use bipe_core::event::{Audience, Channel, CommittedName, Event, EventName, OperatorData};
use bytestring::ByteString;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Why the client must drop what it holds of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResetReason {
    /// Its position is older than the events that are kept.
    Expired,
    /// Its position is in another history of the channel.
    Epoch,
    /// Its position is ahead of the channel, as after a restored backup.
    Ahead,
    /// It was too slow to read; it asks again with `sync`.
    Lagged,
}

/// The position up to which a client holds everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Since {
    pub epoch: String,
    pub seq: i64,
}

#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename = "event")]
pub struct EventEnvelope<'a> {
    pub channel: &'a str,
    pub seq: i64,
    /// What the event continues; absent, it is `seq - 1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub prev: Option<i64>,
    #[schema(value_type = EventName)]
    pub name: &'a CommittedName,
    pub key: &'a str,
    /// The REST object of the same name; null where the reader may not see it.
    #[schema(value_type = Option<Object>)]
    pub data: Option<&'a RawValue>,
    pub at: jiff::Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cause: Option<&'a str>,
}

#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename = "snapshot")]
pub struct SnapshotEnvelope<'a> {
    pub channel: &'a str,
    pub epoch: &'a str,
    pub seq: i64,
    #[schema(value_type = Object)]
    pub data: &'a RawValue,
}

#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename = "live")]
pub struct LiveEnvelope<'a> {
    pub channel: &'a str,
    pub seq: i64,
}

#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename = "reset")]
pub struct ResetEnvelope<'a> {
    pub channel: &'a str,
    pub reason: ResetReason,
}

/// The answer to a request that failed. With `retry` the client may ask the same again.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename = "error")]
pub struct ErrorFrame {
    pub id: u64,
    pub code: Code,
    pub retry: bool,
    /// The channel that it is about, of those in one request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub channel: Option<String>,
}

impl ErrorFrame {
    pub fn envelope(&self) -> Envelope {
        // Strings, numbers and fixed words alone: writing them cannot fail.
        Envelope::of(self).unwrap_or_default()
    }
}

/// The channel's name on the wire: a person's own is `user`.
pub fn wire_name(channel: Channel) -> String {
    match channel {
        Channel::User(_) => "user".into(),
        other => other.stored(),
    }
}

/// One serialised envelope; a clone shares the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope(ByteString);

impl Envelope {
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(text.into()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// The text itself, sharing the bytes.
    pub fn shared(&self) -> ByteString {
        self.0.clone()
    }

    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The same event, continuing `prev` instead of `seq - 1`, because the events between were replaced by it.
    pub fn continuing(&self, seq: i64, prev: i64) -> Self {
        let (found, put) = (format!("\"seq\":{seq},"), format!("\"seq\":{seq},\"prev\":{prev},"));
        Self(self.0.replacen(&found, &put, 1).into())
    }
}

/// One envelope for both kinds of readers.
#[derive(Clone, Debug)]
pub struct EventForms {
    /// For company admins and finance.
    pub full: Envelope,
    /// For operators; none when they get the same.
    pub restricted: Option<Envelope>,
}

impl EventForms {
    /// The two forms of an event. Operators get the same sequence number, with data null where it is finance data.
    ///
    /// # Errors
    /// When the stored data is not JSON.
    pub fn of_event(event: &Event) -> serde_json::Result<Self> {
        let channel = wire_name(event.channel);
        let data: &RawValue = serde_json::from_str(&event.data)?;
        let mut envelope = EventEnvelope {
            channel: &channel,
            seq: event.seq,
            prev: None,
            name: &event.name,
            key: &event.key,
            data: Some(data),
            at: event.at,
            cause: event.cause.as_deref(),
        };
        let full = Envelope::of(&envelope)?;
        envelope.data = match &event.operator_data {
            OperatorData::Same => return Ok(Self { full, restricted: None }),
            OperatorData::Nothing => None,
            OperatorData::Other(data) => Some(serde_json::from_str(data)?),
        };
        let restricted = Some(Envelope::of(&envelope)?);
        Ok(Self { full, restricted })
    }

    pub fn seen_by(&self, audience: Audience) -> &Envelope {
        match (audience, &self.restricted) {
            (Audience::Operators, Some(restricted)) => restricted,
            _ => &self.full,
        }
    }

    pub fn bytes(&self) -> usize {
        self.full.bytes() + self.restricted.as_ref().map_or(0, Envelope::bytes)
    }
}

/// `live`: the reader now holds everything up to `seq`.
pub fn live(channel: Channel, seq: i64) -> serde_json::Result<Envelope> {
    Envelope::of(&LiveEnvelope { channel: &wire_name(channel), seq })
}

/// `reset`: the reader must drop what it holds of the channel.
pub fn reset(channel: Channel, reason: ResetReason) -> serde_json::Result<Envelope> {
    Envelope::of(&ResetEnvelope { channel: &wire_name(channel), reason })
}

/// `snapshot`: the state at `seq`.
pub fn snapshot(
    channel: Channel,
    epoch: &str,
    seq: i64,
    data: &str,
) -> serde_json::Result<Envelope> {
    let data = serde_json::from_str(data)?;
    Envelope::of(&SnapshotEnvelope { channel: &wire_name(channel), epoch, seq, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(operator_data: OperatorData) -> Event {
        Event {
            channel: Channel::Plans,
            epoch: "7c1f".into(),
            seq: 91,
            name: EventName::PlanUpdated.into(),
            key: "018f".into(),
            data: r#"{"seq":91,"a":1}"#.into(),
            operator_data,
            cause: Some("r1".into()),
            trace: None,
            at: "2026-11-21T12:00:00Z".parse().unwrap(),
        }
    }

    #[test]
    fn an_event_reads_as_the_contract_writes_it() {
        let forms = EventForms::of_event(&event(OperatorData::Nothing)).unwrap();
        assert_eq!(
            forms.seen_by(Audience::Finance).text(),
            concat!(
                r#"{"type":"event","channel":"plans","seq":91,"name":"plan.updated","key":"018f","#,
                r#""data":{"seq":91,"a":1},"at":"2026-11-21T12:00:00Z","cause":"r1"}"#
            )
        );
        assert!(forms.seen_by(Audience::Operators).text().contains(r#""seq":91,"#));
        assert!(forms.seen_by(Audience::Operators).text().contains(r#""data":null"#));
        assert!(EventForms::of_event(&event(OperatorData::Same)).unwrap().restricted.is_none());
    }

    #[test]
    fn operators_see_a_subscription_without_its_payment() {
        let data = r#"{"status":"active","version":2,"payment":{"amount":4990}}"#;
        let name = CommittedName::from(EventName::SubscriptionUpdated);
        let operators = OperatorData::Other(r#"{"status":"active","version":2}"#.into());
        let shown = Event { name: name.clone(), data: data.into(), ..event(operators) };
        let forms = EventForms::of_event(&shown).unwrap();
        assert!(forms.seen_by(Audience::Finance).text().contains(r#""payment":{"amount":4990}"#));
        let public = forms.seen_by(Audience::Operators).text();
        assert!(public.contains(r#""data":{"status":"active","version":2}"#), "{public}");
        let gone = Event { name, data: "null".into(), ..event(OperatorData::Same) };
        assert!(EventForms::of_event(&gone).unwrap().restricted.is_none());
    }

    #[test]
    fn a_conflated_event_says_what_it_continues() {
        let forms = EventForms::of_event(&event(OperatorData::Same)).unwrap();
        let text = forms.full.continuing(91, 77);
        assert!(text.text().starts_with(
            r#"{"type":"event","channel":"plans","seq":91,"prev":77,"name":"plan.updated""#
        ));
        assert!(text.text().contains(r#""data":{"seq":91,"a":1}"#));
    }
}
