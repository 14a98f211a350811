//! Events: everything that a browser is pushed was committed first. An event row, written by the last statements of
//! the business transaction, is the only source of a push (invariant I3).
//!
//! `db` appends the staged events of a transaction and hands the committed ones to the relay. `store` reads them back
//! for replays and for the check of heads.

pub mod store;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::id::{CompanyId, UserId};
use crate::trace::Traceparent;
use crate::words::words;

/// Who gets an event. The wire knows a person's own channel as `user`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    Company(CompanyId),
    User(UserId),
    Plans,
    AdminMetrics,
    AdminActivity,
}

impl Channel {
    /// The name in `channel_heads` and `events`.
    pub fn stored(&self) -> String {
        match self {
            Channel::Company(id) => format!("company/{id}"),
            Channel::User(id) => format!("user/{id}"),
            Channel::Plans => "plans".into(),
            Channel::AdminMetrics => "admin/metrics".into(),
            Channel::AdminActivity => "admin/activity".into(),
        }
    }

    /// The channel stored as `text`. An id may be written in several ways, a channel has one name.
    pub fn parse_stored(text: &str) -> Option<Self> {
        let channel = match text.split_once('/') {
            Some(("company", id)) => Channel::Company(id.parse().ok()?),
            Some(("user", id)) => Channel::User(id.parse().ok()?),
            Some(("admin", "metrics")) => Channel::AdminMetrics,
            Some(("admin", "activity")) => Channel::AdminActivity,
            None if text == "plans" => Channel::Plans,
            _ => return None,
        };
        (channel.stored() == text).then_some(channel)
    }

    /// The company whose row-level security covers the channel's events.
    pub fn company(&self) -> Option<CompanyId> {
        match self {
            Channel::Company(id) => Some(*id),
            _ => None,
        }
    }
}

words! {
    /// The closed list of event names.
    pub enum EventName {
        CompanyUpdated = "company.updated",
        CompanyDeleted = "company.deleted",
        MemberAdded = "member.added",
        MemberUpdated = "member.updated",
        MemberRemoved = "member.removed",
        InviteCreated = "invite.created",
        InviteRemoved = "invite.removed",
        SubscriptionUpdated = "subscription.updated",
        PaymentUpdated = "payment.updated",
        InvoiceIssued = "invoice.issued",
        PlanUpdated = "plan.updated",
        MembershipChanged = "membership.changed",
        SessionRevoked = "session.revoked",
        NotificationCreated = "notification.created",
        NotificationRead = "notification.read",
        ViewsChanged = "views.changed",
        MetricsUpdated = "metrics.updated",
        ActivityCreated = "activity.created",
    }
}

impl EventName {
    /// The person's access may have changed: what is cached of it is dropped, and the person's sockets are checked.
    pub fn changes_access(self) -> bool {
        match self {
            Self::MembershipChanged | Self::SessionRevoked => true,
            Self::CompanyUpdated
            | Self::CompanyDeleted
            | Self::MemberAdded
            | Self::MemberUpdated
            | Self::MemberRemoved
            | Self::InviteCreated
            | Self::InviteRemoved
            | Self::SubscriptionUpdated
            | Self::PaymentUpdated
            | Self::InvoiceIssued
            | Self::PlanUpdated
            | Self::NotificationCreated
            | Self::NotificationRead
            | Self::ViewsChanged
            | Self::MetricsUpdated
            | Self::ActivityCreated => false,
        }
    }

    /// What operators see of such an event, unless it is `composed` or a noun's own statement says it.
    fn operators(self) -> OperatorData {
        match self {
            Self::PaymentUpdated | Self::InvoiceIssued => OperatorData::Nothing,
            Self::CompanyUpdated
            | Self::CompanyDeleted
            | Self::MemberAdded
            | Self::MemberUpdated
            | Self::MemberRemoved
            | Self::InviteCreated
            | Self::InviteRemoved
            | Self::SubscriptionUpdated
            | Self::PlanUpdated
            | Self::MembershipChanged
            | Self::SessionRevoked
            | Self::NotificationCreated
            | Self::NotificationRead
            | Self::ViewsChanged
            | Self::MetricsUpdated
            | Self::ActivityCreated => OperatorData::Same,
        }
    }
}

/// The name of an event that was committed, by this build or by another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CommittedName {
    Known(EventName),
    /// Of a newer build. It is passed on as it is: clients ignore a name that they do not know.
    Newer(String),
}

impl CommittedName {
    pub fn of(stored: &str) -> Self {
        EventName::parse(stored).map_or_else(|| Self::Newer(stored.to_owned()), Self::Known)
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(name) => name.as_str(),
            Self::Newer(name) => name,
        }
    }

    /// An event of a newer build may change access, too.
    pub fn changes_access(&self) -> bool {
        match self {
            Self::Known(name) => name.changes_access(),
            Self::Newer(_) => true,
        }
    }
}

impl From<EventName> for CommittedName {
    fn from(name: EventName) -> Self {
        Self::Known(name)
    }
}

/// What operators see of an event. Finance and company admins see all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorData {
    Same,
    /// `"data":null` under the same sequence number.
    Nothing,
    /// This JSON text instead.
    Other(Arc<str>),
}

/// For whom the data of a channel is written. A company's operators get it without finance data; all other readers,
/// also those of every other channel, get it as `Finance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Finance,
    Operators,
}

/// Writes an object as JSON, with its part for finance or without.
type Compose = dyn Fn(Audience, Option<&RawValue>) -> serde_json::Result<String> + Send + Sync;

/// The REST object that an event shows. It is serialised once for each audience.
enum NewData {
    /// JSON text.
    Text { text: String, operators: OperatorData },
    /// An object with a part for finance alone, which another module adds until the commit.
    Composed { compose: Box<Compose>, finance_part: Option<Box<RawValue>> },
}

/// An event to be written at the commit.
pub struct NewEvent {
    pub channel: Channel,
    pub name: EventName,
    /// The id of the object that changed.
    pub key: String,
    data: NewData,
}

impl NewEvent {
    /// # Errors
    /// `Internal` when `data` cannot be serialised.
    pub fn new(
        channel: Channel,
        name: EventName,
        key: impl ToString,
        data: &impl Serialize,
    ) -> Result<Self> {
        let text = serde_json::to_string(data).map_err(Error::internal)?;
        Ok(Self::of_text(channel, name, key.to_string(), text))
    }

    /// An event whose data is JSON text already.
    pub fn of_text(channel: Channel, name: EventName, key: String, text: String) -> Self {
        Self { channel, name, key, data: NewData::Text { text, operators: name.operators() } }
    }

    /// An event whose object gets a part for finance alone, by `add_finance_part`.
    pub fn composed(
        channel: Channel,
        name: EventName,
        key: impl ToString,
        compose: impl Fn(Audience, Option<&RawValue>) -> serde_json::Result<String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let data = NewData::Composed { compose: Box::new(compose), finance_part: None };
        Self { channel, name, key: key.to_string(), data }
    }

    /// Sets the part for finance of a composed event; other events have none.
    pub fn add_finance_part(&mut self, part: &RawValue) {
        if let NewData::Composed { finance_part, .. } = &mut self.data {
            *finance_part = Some(part.to_owned());
        }
    }

    /// The JSON text of the data, and what operators see of it.
    ///
    /// # Errors
    /// `Internal` when a composed object cannot be serialised.
    pub fn texts(&self) -> Result<(String, OperatorData)> {
        match &self.data {
            NewData::Text { text, operators } => Ok((text.clone(), operators.clone())),
            NewData::Composed { compose, finance_part } => {
                let full =
                    compose(Audience::Finance, finance_part.as_deref()).map_err(Error::internal)?;
                let operators = compose(Audience::Operators, None).map_err(Error::internal)?;
                if full == operators {
                    return Ok((full, OperatorData::Same));
                }
                Ok((full, OperatorData::Other(operators.into())))
            }
        }
    }
}

/// A committed event.
#[derive(Clone, Debug)]
pub struct Event {
    pub channel: Channel,
    pub epoch: Arc<str>,
    pub seq: i64,
    pub name: CommittedName,
    pub key: String,
    /// JSON text.
    pub data: Arc<str>,
    pub operator_data: OperatorData,
    /// The request id of the command behind it.
    pub cause: Option<String>,
    /// The transaction that wrote it, as long as the event is on its way; no row keeps it.
    pub trace: Option<Traceparent>,
    pub at: Timestamp,
}

/// Where a channel stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub channel: Channel,
    pub epoch: Arc<str>,
    pub seq: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_see_no_payment_however_its_event_is_made() {
        let (channel, name) = (Channel::Plans, EventName::PaymentUpdated);
        let made = NewEvent::new(channel, name, "p", &()).unwrap();
        let of_text = NewEvent::of_text(channel, name, "p".into(), "null".into());
        for event in [made, of_text] {
            assert_eq!(event.texts().unwrap().1, OperatorData::Nothing);
        }
    }
}
