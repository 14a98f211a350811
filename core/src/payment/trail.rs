//! What is stored of one payment's way beside its audit, refunds and documents: the provider's events, what was written
//! for open pages, who was told, mails that have not left. Called by `admin_store`.
//!
//! Invariant: an entry is a row that is there. Whether a page was looked at, or a mail that left was read, no row says.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::db::{CompanyTx, PlatformTx};
use crate::error::Result;
use crate::id::PaymentId;
use crate::row::from_row;

/// Entries of each kind, the newest.
const MAX_ROWS: i64 = 50;

/// Each list has the newest first, and at most fifty entries.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentTrail {
    /// The provider's events about it; kept for 90 days after they were handled.
    pub webhooks: Vec<ReceivedWebhook>,
    /// What its company's open pages were to be told; kept for a day.
    pub events: Vec<WrittenEvent>,
    /// Whom the list of notifications told; kept for 90 days.
    pub notifications: Vec<NotifiedPeople>,
    /// Mails about it that have not left: of one that has, no row stays.
    pub mails: Vec<WaitingMail>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceivedWebhook {
    /// The provider's.
    pub id: String,
    /// Such as `payment_intent.succeeded`.
    #[serde(rename = "type")]
    pub kind: String,
    pub received_at: Timestamp,
    /// Null while it waits.
    pub handled_at: Option<Timestamp>,
    /// `handled`, `foreign` or `ignored`; null while it waits.
    pub outcome: Option<String>,
}

/// A row of the company's channel, which a page gets at once or when it comes back.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WrittenEvent {
    /// The event's name in the channel.
    pub name: String,
    /// Its place in the channel.
    pub seq: i64,
    pub at: Timestamp,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotifiedPeople {
    pub topic: String,
    pub at: Timestamp,
    pub people: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingMail {
    pub created_at: Timestamp,
    /// Tries that failed.
    pub attempts: i32,
    /// Null once it was given up.
    pub next_try_at: Option<Timestamp>,
    pub given_up_at: Option<Timestamp>,
}

from_row! { ReceivedWebhook { id: "event_id", kind: "type", received_at, handled_at, outcome } }
from_row! { WrittenEvent { name, seq, at } }
from_row! { NotifiedPeople { topic, at, people } }
from_row! { WaitingMail { created_at, attempts, next_try_at, given_up_at: "dead_at" } }

/// The part of no company: neither the provider's events nor jobs belong to one.
#[derive(Clone, Debug, Default)]
pub struct OutsideTrail {
    webhooks: Vec<ReceivedWebhook>,
    mails: Vec<WaitingMail>,
}

/// `intent` is the provider's id of the payment; None before it has one.
pub async fn outside(tx: &PlatformTx, id: PaymentId, intent: Option<&str>) -> Result<OutsideTrail> {
    let webhooks = match intent {
        Some(intent) => tx.all(WEBHOOKS, &[&intent, &MAX_ROWS]).await?,
        None => Vec::new(),
    };
    let mails = tx.all(MAILS, &[&id.to_string(), &MAX_ROWS]).await?;
    Ok(OutsideTrail { webhooks, mails })
}

/// The rest, as the payment's own company sees it.
pub async fn complete(
    tx: &CompanyTx,
    id: PaymentId,
    OutsideTrail { webhooks, mails }: OutsideTrail,
) -> Result<PaymentTrail> {
    let company = tx.company_id();
    let events = tx.all(EVENTS, &[&company, &id, &MAX_ROWS]).await?;
    let notifications = tx.all(NOTIFICATIONS, &[&company, &id, &MAX_ROWS]).await?;
    Ok(PaymentTrail { webhooks, events, notifications, mails })
}

const WEBHOOKS: &str = "SELECT event_id, type, received_at, handled_at, outcome FROM webhook_inbox \
     WHERE object_id = $1 ORDER BY received_at DESC, event_id DESC LIMIT $2";
/// Only what waits is in the table, so few rows are read.
const MAILS: &str = "SELECT created_at, attempts, CASE WHEN dead_at IS NULL THEN run_at END AS next_try_at, dead_at \
     FROM jobs WHERE kind = 'mail' AND strpos(payload, $1) > 0 ORDER BY created_at DESC, id DESC LIMIT $2";
const EVENTS: &str = "SELECT name, seq, at FROM events WHERE company_id = $1 \
     AND channel = 'company/' || $1::uuid::text AND key = $2::uuid::text ORDER BY seq DESC LIMIT $3";
const NOTIFICATIONS: &str = "SELECT topic, at, count(*) AS people FROM notifications \
     WHERE company_id = $1 AND payment_id = $2 GROUP BY id, topic, at ORDER BY at DESC, id DESC LIMIT $3";
