//! What the payer of a company is mailed about its subscription, enqueued in the transaction of what it tells.
//!
//! The link opens the renewal's payment in the web app once the member has signed in there: whoever holds the
//! mail alone can neither pay nor see anything.

use jiff::Timestamp;

use super::books::plan_of;
use super::{Status, Subscription, steps};
use crate::db::CompanyTx;
use crate::error::Result;
use crate::mailer::{self, Message, SubscriptionNotice};
use crate::money::Cents;

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The saved card will be charged.
    Charge,
    /// It can be paid now.
    Ahead,
    Due,
    Failed,
    /// The bank asks for the payer.
    Confirm,
    Cancelled,
    Suspended,
    Expiring,
    Expired,
}

impl Told {
    fn message(self, notice: SubscriptionNotice) -> Message {
        match self {
            Told::Charge => Message::RenewalCharge(notice),
            Told::Ahead => Message::RenewalReminder(notice),
            Told::Due => Message::RenewalDue(notice),
            Told::Failed => Message::RenewalFailed(notice),
            Told::Confirm => Message::RenewalConfirmation(notice),
            Told::Cancelled => Message::SubscriptionCancelled(notice),
            Told::Suspended => Message::SubscriptionSuspended(notice),
            Told::Expiring => Message::SubscriptionExpiring(notice),
            Told::Expired => Message::SubscriptionExpired(notice),
        }
    }

    /// Whether there is a renewal to pay.
    fn asks_for_payment(self) -> bool {
        !matches!(self, Told::Charge | Told::Cancelled | Told::Expired)
    }
}

/// Mails the payer. Without anybody who may pay there is nobody to tell.
pub async fn tell(
    tx: &mut CompanyTx,
    row: &Subscription,
    told: Told,
    (amount, due_at): (Cents, Option<Timestamp>),
) -> Result<()> {
    let Some(payer) = steps::payer(tx).await? else { return Ok(()) };
    let mut link = format!("/plans?companyId={}", row.company_id);
    if told.asks_for_payment() && row.status != Status::Canceled {
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
    };
    mailer::enqueue(tx, &payer.email, &told.message(notice)).await
}
