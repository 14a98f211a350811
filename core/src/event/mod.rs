//! Events: everything that a browser is pushed was committed first. An event row, written by the last statements of
//! the business transaction, is the only source of a push (invariant I3).
//!
//! `db` appends the staged events of a transaction and hands the committed ones to the relay. `store` reads them back
//! for replays and for the check of heads.

pub mod store;

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::id::{CompanyId, UserId};
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

    /// The channel stored as `text`.
    pub fn parse_stored(text: &str) -> Option<Self> {
        Some(match text.split_once('/') {
            Some(("company", id)) => Channel::Company(id.parse().ok()?),
            Some(("user", id)) => Channel::User(id.parse().ok()?),
            Some(("admin", "metrics")) => Channel::AdminMetrics,
            Some(("admin", "activity")) => Channel::AdminActivity,
            None if text == "plans" => Channel::Plans,
            _ => return None,
        })
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
        PlanUpdated = "plan.updated",
        MembershipChanged = "membership.changed",
        SessionRevoked = "session.revoked",
        MetricsUpdated = "metrics.updated",
        ActivityCreated = "activity.created",
    }
}

impl EventName {
    /// Whoever acts for the person has to look again what it may see.
    pub fn changes_access(self) -> bool {
        matches!(self, Self::MembershipChanged | Self::SessionRevoked)
    }
}

/// An event to be written; `data` is the REST object of the same name, serialised once.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub channel: Channel,
    pub name: EventName,
    /// The id of the object that changed.
    pub key: String,
    pub data: String,
    /// Operators get the same sequence number with `"data":null`.
    pub finance_only: bool,
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
        let data = serde_json::to_string(data).map_err(Error::internal)?;
        let finance_only = name == EventName::PaymentUpdated;
        Ok(Self { channel, name, key: key.to_string(), data, finance_only })
    }
}

/// A committed event.
#[derive(Clone, Debug)]
pub struct Event {
    pub channel: Channel,
    pub epoch: Arc<str>,
    pub seq: i64,
    pub name: EventName,
    pub key: String,
    /// JSON text.
    pub data: Arc<str>,
    pub finance_only: bool,
    /// The request id of the command behind it.
    pub cause: Option<String>,
    pub at: Timestamp,
}

/// Where a channel stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub channel: Channel,
    pub epoch: Arc<str>,
    pub seq: i64,
}
