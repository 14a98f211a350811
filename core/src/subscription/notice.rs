//! Notices about a subscription, in the transaction of what they are about: mails to the payer of the company, and
//! notifications to everybody who may see its money.
//!
//! The link of a mail opens the payment of the renewal after the member has signed in. The mail alone gives nobody
//! access.

use jiff::Timestamp;

use super::billing_account::plan_of;
use super::billing_contact::{self, BillingContact};
use super::change::Change;
use super::projection::{EXPIRED_AFTER, SUSPENDED_AFTER, TimeStep};
use super::state::StateKind;
use super::{HistoryType, NoticeKind, Status, Subscription, steps};
use crate::brazil::local_date;
use crate::db::CompanyTx;
use crate::error::Result;
use crate::mailer::{self, Message, NoticeState, SubscriptionNotice, UnpaidPeriod};
use crate::money::Cents;
use crate::notification::store::notify;
use crate::notification::{NewNotification, NotificationTopic};

impl NoticeKind {
    fn message(self, notice: SubscriptionNotice) -> Message {
        match self {
            NoticeKind::Charge => Message::RenewalCharge(notice),
            NoticeKind::Ahead => Message::RenewalReminder(notice),
            NoticeKind::Due => Message::RenewalDue(notice),
            NoticeKind::Failed => Message::RenewalFailed(notice),
            NoticeKind::Confirm => Message::RenewalConfirmation(notice),
            NoticeKind::Canceled | NoticeKind::Ended { .. } => {
                Message::SubscriptionCancelled(notice)
            }
            NoticeKind::Suspended => Message::SubscriptionSuspended(notice),
            NoticeKind::Expiring => Message::SubscriptionExpiring(notice),
            NoticeKind::Expired { .. } => Message::SubscriptionExpired(notice),
        }
    }

    fn topic(self) -> NotificationTopic {
        match self {
            NoticeKind::Charge => NotificationTopic::RenewalAnnounced,
            NoticeKind::Ahead => NotificationTopic::RenewalAhead,
            NoticeKind::Due => NotificationTopic::RenewalDue,
            NoticeKind::Failed => NotificationTopic::RenewalFailed,
            NoticeKind::Confirm => NotificationTopic::RenewalConfirmation,
            NoticeKind::Canceled | NoticeKind::Ended { .. } => {
                NotificationTopic::SubscriptionCanceled
            }
            NoticeKind::Suspended => NotificationTopic::SubscriptionSuspended,
            NoticeKind::Expiring => NotificationTopic::SubscriptionExpiring,
            NoticeKind::Expired { .. } => NotificationTopic::SubscriptionExpired,
        }
    }

    /// Whether there is a renewal to pay.
    fn asks_for_payment(self) -> bool {
        !matches!(
            self,
            NoticeKind::Charge
                | NoticeKind::Canceled
                | NoticeKind::Ended { .. }
                | NoticeKind::Expired { .. }
        )
    }

    fn credit(self) -> Option<Cents> {
        match self {
            NoticeKind::Ended { credit } | NoticeKind::Expired { credit } => credit,
            _ => None,
        }
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
            (NoticeKind::Ended { .. }, _) => (StateKind::Expired, None),
            (NoticeKind::Canceled, _) | (NoticeKind::Expiring, Status::Canceled) => {
                (StateKind::Canceled, about)
            }
            (NoticeKind::Suspended | NoticeKind::Expiring, _) => (StateKind::Suspended, about),
            (NoticeKind::Expired { .. }, _) => (StateKind::Expired, about),
        };
        NoticeState { kind, deadline }
    }
}

/// Notifies, and mails the payer. Without anybody who may pay there is nobody to mail.
pub async fn notify_payer(
    tx: &mut CompanyTx,
    row: &Subscription,
    kind: NoticeKind,
    amount: Cents,
    due_at: Option<Timestamp>,
) -> Result<()> {
    notify_others(tx, row, (kind, None), amount, due_at).await
}

/// As [`notify_payer`], but for those who have just got the notice `sent`, which says the same.
pub async fn notify_others(
    tx: &mut CompanyTx,
    row: &Subscription,
    (kind, sent): (NoticeKind, Option<NoticeKind>),
    amount: Cents,
    due_at: Option<Timestamp>,
) -> Result<()> {
    let (topic, state) = (kind.topic(), kind.state(row.status, due_at));
    // Whoever has a notification of the source gets no second one.
    let source = source_of(tx, row, sent.unwrap_or(kind).topic(), state.deadline);
    let notification = NewNotification {
        plan_id: Some(row.plan_id),
        amount: Some(amount),
        deadline: state.deadline,
        ..NewNotification::of_money(topic, source)
    };
    notify(tx, notification);
    let Some(payer) = contact_for(tx, topic).await? else { return Ok(()) };
    if let Some(sent) = sent
        && contact_for(tx, sent.topic()).await?.is_some_and(|other| other.email == payer.email)
    {
        return Ok(());
    }
    let mut link = format!("/plans?companyId={}", row.company_id);
    let asks = kind.asks_for_payment() && row.status != Status::Canceled;
    if payer.is_active && asks && row.term.is_some() {
        link.push_str("&pay=renewal");
        if let Some(method) = payer.method {
            link.push_str("&method=");
            link.push_str(&method);
        }
    }
    let card_expires = match (kind, due_at) {
        (NoticeKind::Charge, Some(at)) => steps::card_expires_before(tx, at).await?,
        _ => false,
    };
    let notice = SubscriptionNotice {
        name: payer.name,
        company: payer.company,
        plan: plan_of(tx, row).await?.display_name,
        cycle: row.cycle,
        amount,
        due_at,
        link: Some(link),
        state: Some(state),
        company_is_closed: !payer.is_active,
        card_expires,
        credit: kind.credit(),
        unpaid: row.term.filter(|_| asks || kind == NoticeKind::Charge).map(|term| UnpaidPeriod {
            company_id: row.company_id,
            subscription_id: row.id,
            period_start: term.paid_end(),
        }),
    };
    mailer::enqueue(tx, &payer.email, kind.message(notice))
}

/// Whoever is mailed about the topic.
async fn contact_for(tx: &CompanyTx, topic: NotificationTopic) -> Result<Option<BillingContact>> {
    let optional = Some(topic.kind()).filter(|kind| kind.has_optional_mail());
    billing_contact::find(tx, optional).await
}

/// A reminder of another day is another one. On one day a cancellation may be taken back and given again, and a second
/// card be refused.
fn source_of(
    tx: &CompanyTx,
    row: &Subscription,
    topic: NotificationTopic,
    deadline: Option<Timestamp>,
) -> String {
    let when = match topic {
        NotificationTopic::SubscriptionCanceled
        | NotificationTopic::RenewalFailed
        | NotificationTopic::RenewalConfirmation => tx.now().to_string(),
        _ => local_date(tx.now()).to_string(),
    };
    let until = deadline.map(|at| at.to_string()).unwrap_or_default();
    format!("subscription {} {} {until} {when}", row.id, topic.as_str())
}

/// Notifies that a scheduled downgrade has taken place.
pub fn notify_of_downgrade(tx: &mut CompanyTx, step: &TimeStep) {
    let topic = NotificationTopic::PlanDowngraded;
    let source = format!("subscription {} {} {}", step.row.id, topic.as_str(), step.at);
    let plan_id = Some(step.row.plan_id);
    notify(tx, NewNotification { plan_id, ..NewNotification::of_money(topic, source) });
}

/// Notifies of a change that no payment notifies of, such as a downgrade or a renewal from the credit. A cancellation
/// has its own notice.
pub fn notify_of_change(tx: &mut CompanyTx, change: &Change, source: &str) {
    let topic = match change.history {
        HistoryType::Created | HistoryType::Activated => NotificationTopic::PlanActivated,
        HistoryType::Upgraded => NotificationTopic::PlanUpgraded,
        HistoryType::Downgraded => NotificationTopic::PlanDowngraded,
        HistoryType::DowngradeScheduled => NotificationTopic::PlanScheduled,
        HistoryType::PendingChangeWithdrawn => NotificationTopic::PlanKept,
        HistoryType::Changed => NotificationTopic::PlanChanged,
        HistoryType::Reactivated => NotificationTopic::SubscriptionReactivated,
        HistoryType::Renewed => NotificationTopic::SubscriptionRenewed,
        HistoryType::Canceled
        | HistoryType::RenewalFailed
        | HistoryType::Suspended
        | HistoryType::Expired
        | HistoryType::Credited => return,
    };
    let after = &change.after;
    let scheduled = after.pending_change.filter(|_| topic == NotificationTopic::PlanScheduled);
    let renewed = topic == NotificationTopic::SubscriptionRenewed;
    let notification = NewNotification {
        plan_id: Some(scheduled.map_or(after.plan_id, |next| next.plan_id)),
        amount: renewed.then_some(Cents::ZERO),
        deadline: after.term.map(|term| term.paid_end()),
        ..NewNotification::of_money(topic, format!("subscription {} {source}", after.id))
    };
    notify(tx, notification);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{CompanyId, SubscriptionId};
    use crate::plan::BillingCycle;

    const KINDS: [NoticeKind; 10] = [
        NoticeKind::Charge,
        NoticeKind::Ahead,
        NoticeKind::Due,
        NoticeKind::Failed,
        NoticeKind::Confirm,
        NoticeKind::Canceled,
        NoticeKind::Ended { credit: None },
        NoticeKind::Suspended,
        NoticeKind::Expiring,
        NoticeKind::Expired { credit: None },
    ];

    fn message(kind: NoticeKind) -> Message {
        kind.message(SubscriptionNotice {
            name: "Ana".into(),
            company: "Ponto Azul".into(),
            plan: "Essencial".into(),
            cycle: BillingCycle::Monthly,
            amount: Cents(4_990),
            due_at: None,
            link: None,
            state: None,
            company_is_closed: false,
            card_expires: false,
            credit: None,
            unpaid: Some(UnpaidPeriod {
                company_id: CompanyId(uuid::Uuid::nil()),
                subscription_id: SubscriptionId(uuid::Uuid::nil()),
                period_start: Timestamp::UNIX_EPOCH,
            }),
        })
    }

    #[test]
    fn a_mail_says_where_it_is_switched_off_if_it_can_be() {
        for kind in KINDS {
            let is_optional = message(kind).is_optional();
            assert_eq!(is_optional, kind.topic().kind().has_optional_mail(), "{kind:?}");
        }
    }

    #[test]
    fn a_mail_that_asks_to_pay_or_announces_a_charge_says_for_which_period() {
        for kind in KINDS {
            let is_about_a_period = kind.asks_for_payment() || kind == NoticeKind::Charge;
            assert_eq!(message(kind).unpaid().is_some(), is_about_a_period, "{kind:?}");
        }
    }
}
