//! The mails to the payer of a company about its subscription, enqueued in the transaction of the event that they
//! tell.
//!
//! The link of a mail opens the payment of the renewal after the member has signed in. The mail alone gives nobody
//! access.

use jiff::Timestamp;

use super::billing_account::plan_of;
use super::clock::{EXPIRED_AFTER, SUSPENDED_AFTER};
use super::state::StateKind;
use super::{NoticeKind, Status, Subscription, steps};
use crate::db::CompanyTx;
use crate::error::Result;
use crate::mailer::{self, Message, NoticeState, SubscriptionNotice};
use crate::money::Cents;

impl NoticeKind {
    fn message(self, notice: SubscriptionNotice) -> Message {
        match self {
            NoticeKind::Charge => Message::RenewalCharge(notice),
            NoticeKind::Ahead => Message::RenewalReminder(notice),
            NoticeKind::Due => Message::RenewalDue(notice),
            NoticeKind::Failed => Message::RenewalFailed(notice),
            NoticeKind::Confirm => Message::RenewalConfirmation(notice),
            NoticeKind::Cancelled => Message::SubscriptionCancelled(notice),
            NoticeKind::Suspended => Message::SubscriptionSuspended(notice),
            NoticeKind::Expiring => Message::SubscriptionExpiring(notice),
            NoticeKind::Expired => Message::SubscriptionExpired(notice),
        }
    }

    /// Whether there is a renewal to pay.
    fn asks_for_payment(self) -> bool {
        !matches!(self, NoticeKind::Charge | NoticeKind::Cancelled | NoticeKind::Expired)
    }

    /// Where the subscription stands when the mail is written; `about` is the instant that the mail is about.
    fn state(self, status: Status, about: Option<Timestamp>) -> NoticeState {
        let after = |wait| about.map(|at| at + wait);
        let (kind, deadline) = match (self, status) {
            (NoticeKind::Charge, _) => (StateKind::Renews, about),
            (NoticeKind::Ahead, _) => (StateKind::Expiring, about),
            (NoticeKind::Failed | NoticeKind::Confirm, Status::Suspended) => {
                (StateKind::Suspended, after(EXPIRED_AFTER))
            }
            (NoticeKind::Due | NoticeKind::Failed | NoticeKind::Confirm, _) => {
                (StateKind::Due, after(SUSPENDED_AFTER))
            }
            (NoticeKind::Cancelled, _) if about.is_none() => (StateKind::Expired, None),
            (NoticeKind::Cancelled, _) | (NoticeKind::Expiring, Status::Canceled) => {
                (StateKind::Canceled, about)
            }
            (NoticeKind::Suspended | NoticeKind::Expiring, _) => (StateKind::Suspended, about),
            (NoticeKind::Expired, _) => (StateKind::Expired, about),
        };
        NoticeState { kind, deadline }
    }
}

/// Mails the payer. Without anybody who may pay there is nobody to tell.
pub async fn notify_payer(
    tx: &mut CompanyTx,
    row: &Subscription,
    kind: NoticeKind,
    (amount, due_at): (Cents, Option<Timestamp>),
) -> Result<()> {
    let Some(payer) = steps::billing_contact(tx).await? else { return Ok(()) };
    let mut link = format!("/plans?companyId={}", row.company_id);
    if kind.asks_for_payment() && row.status != Status::Canceled {
        link.push_str("&pay=renewal");
        if let Some(method) = payer.method {
            link.push_str("&method=");
            link.push_str(&method);
        }
    }
    let notice = SubscriptionNotice {
        name: payer.name,
        company: payer.company,
        plan: plan_of(tx, row).await?.display_name,
        cycle: row.cycle,
        amount,
        due_at,
        link: Some(link),
        state: Some(kind.state(row.status, due_at)),
    };
    mailer::enqueue(tx, &payer.email, &kind.message(notice)).await
}
