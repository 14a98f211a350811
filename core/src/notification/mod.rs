//! Notifications to a person about their companies (docs/contract.md, "Notifications"): the topics, the recipients, and
//! what a person may switch off.
//!
//! Pure; `store` writes and reads the rows, `preference` what each person wants. Called by the nouns that notify of
//! their changes. Money concerns those who may see it, a membership the person that it belongs to. Security goes by
//! mail alone and cannot be switched off, so it has no kind here.

pub mod preference;
pub mod store;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::id::{CompanyId, NotificationId, PaymentId, PlanId, UserId};
use crate::money::Cents;
use crate::scope::{Permission, Role};
use crate::words::words;

words! {
    /// What a person switches on and off.
    pub enum NotificationKind {
        /// Money came in.
        PaymentApproved = "payment_approved",
        /// A payment came to nothing, or the bank asks for the payer.
        PaymentRefused = "payment_refused",
        /// Somebody has to pay, by a day.
        SubscriptionDue = "subscription_due",
        SubscriptionSuspended = "subscription_suspended",
        /// It renews by itself: about to, or done.
        SubscriptionRenewed = "subscription_renewed",
        PlanChanged = "plan_changed",
        /// The person joined a company, got another role, or is out.
        Membership = "membership",
    }
}

impl NotificationKind {
    /// Whether the mails of the kind may be switched off. Receipts, notices of a coming charge, confirmations of a
    /// cancellation and the mail about a new company are always sent.
    pub fn has_optional_mail(self) -> bool {
        matches!(self, Self::PaymentRefused | Self::SubscriptionDue | Self::SubscriptionSuspended)
    }
}

words! {
    /// What happened; the web app makes a sentence of it and of the facts beside it.
    pub enum NotificationTopic {
        PaymentApproved = "payment.approved",
        /// Paid too late to buy anything.
        PaymentCredited = "payment.credited",
        PaymentRefused = "payment.refused",
        PaymentExpired = "payment.expired",
        /// The saved card will be charged at the deadline.
        RenewalAnnounced = "renewal.announced",
        /// To be paid by hand until the deadline.
        RenewalAhead = "renewal.ahead",
        /// Not paid; suspended at the deadline.
        RenewalDue = "renewal.due",
        /// The saved card was declined.
        RenewalFailed = "renewal.failed",
        /// The bank asks the payer to confirm.
        RenewalConfirmation = "renewal.confirmation",
        SubscriptionRenewed = "subscription.renewed",
        /// Ends at the deadline.
        SubscriptionExpiring = "subscription.expiring",
        /// Expires at the deadline.
        SubscriptionSuspended = "subscription.suspended",
        SubscriptionExpired = "subscription.expired",
        /// Runs until the deadline; without one it has ended.
        SubscriptionCanceled = "subscription.canceled",
        SubscriptionReactivated = "subscription.reactivated",
        PlanActivated = "plan.activated",
        PlanUpgraded = "plan.upgraded",
        PlanDowngraded = "plan.downgraded",
        /// The plan takes the place of the running one at the deadline.
        PlanScheduled = "plan.scheduled",
        /// What was scheduled was taken back.
        PlanKept = "plan.kept",
        PlanChanged = "plan.changed",
        MemberAdded = "member.added",
        MemberRole = "member.role",
        MemberRemoved = "member.removed",
        CompanyEnded = "company.ended",
    }
}

impl NotificationTopic {
    pub fn kind(self) -> NotificationKind {
        match self {
            Self::PaymentApproved | Self::PaymentCredited => NotificationKind::PaymentApproved,
            Self::PaymentRefused
            | Self::PaymentExpired
            | Self::RenewalFailed
            | Self::RenewalConfirmation => NotificationKind::PaymentRefused,
            Self::RenewalAhead | Self::RenewalDue | Self::SubscriptionExpiring => {
                NotificationKind::SubscriptionDue
            }
            Self::SubscriptionSuspended | Self::SubscriptionExpired => {
                NotificationKind::SubscriptionSuspended
            }
            Self::RenewalAnnounced | Self::SubscriptionRenewed => {
                NotificationKind::SubscriptionRenewed
            }
            Self::SubscriptionCanceled
            | Self::SubscriptionReactivated
            | Self::PlanActivated
            | Self::PlanUpgraded
            | Self::PlanDowngraded
            | Self::PlanScheduled
            | Self::PlanKept
            | Self::PlanChanged => NotificationKind::PlanChanged,
            Self::MemberAdded | Self::MemberRole | Self::MemberRemoved | Self::CompanyEnded => {
                NotificationKind::Membership
            }
        }
    }
}

/// Who is notified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipients {
    /// The members who may see the company's money.
    Finance,
    People(Vec<UserId>),
}

impl Recipients {
    /// The roles whose members are notified.
    pub(crate) fn roles(&self) -> Vec<Role> {
        let may_see = |role: &Role| Permission::ReadPayments.allows(*role);
        match self {
            Self::Finance => Role::ALL.into_iter().filter(may_see).collect(),
            Self::People(_) => Vec::new(),
        }
    }

    /// Those who are notified whatever their role.
    pub(crate) fn people(&self) -> Vec<UserId> {
        match self {
            Self::Finance => Vec::new(),
            Self::People(people) => people.clone(),
        }
    }
}

/// A notification to make, with the facts that its sentence needs.
#[must_use = "`store::notify` makes it"]
#[derive(Clone, Debug)]
pub struct NewNotification {
    pub topic: NotificationTopic,
    pub to: Recipients,
    /// Names what happened: two with the same source are one. Without it each is one of its own.
    pub source: Option<String>,
    pub plan_id: Option<PlanId>,
    pub amount: Option<Cents>,
    pub deadline: Option<Timestamp>,
    pub role: Option<Role>,
    pub payment_id: Option<PaymentId>,
}

impl NewNotification {
    /// For those who may see the company's money, once for each source.
    pub fn of_money(topic: NotificationTopic, source: String) -> Self {
        Self { source: Some(source), ..Self::bare(topic, Recipients::Finance) }
    }

    /// For people themselves.
    pub fn of_people(topic: NotificationTopic, people: Vec<UserId>) -> Self {
        Self::bare(topic, Recipients::People(people))
    }

    fn bare(topic: NotificationTopic, to: Recipients) -> Self {
        Self {
            topic,
            to,
            source: None,
            plan_id: None,
            amount: None,
            deadline: None,
            role: None,
            payment_id: None,
        }
    }
}

/// A notification as its person sees it, the same by REST and in `notification.created`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Notification)]
pub struct NotificationView {
    pub id: NotificationId,
    // Text: a row of a newer build may have a topic that this one does not know.
    #[schema(value_type = NotificationTopic)]
    pub topic: String,
    pub company_id: CompanyId,
    /// As it was called then.
    pub company_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub plan_name: Option<String>,
    /// In centavos; 0 where the credit paid all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<i64>)]
    pub amount: Option<Cents>,
    /// The instant that the topic speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deadline: Option<Timestamp>,
    /// The role that the person has now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub role: Option<Role>,
    /// What was paid or not; its document has the same id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub payment_id: Option<PaymentId>,
    pub at: Timestamp,
    /// What a person did themself is read from the start.
    pub is_read: bool,
}

/// What was read, for the person's other tabs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReadNotifications {
    pub ids: Vec<NotificationId>,
    /// This one and every older one.
    #[schema(required = true)]
    pub until: Option<NotificationId>,
    /// Left unread; nobody counts beyond 100.
    pub unread: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_topic_and_no_mail_that_the_law_asks_for_is_optional() {
        for kind in NotificationKind::ALL {
            assert!(NotificationTopic::ALL.iter().any(|topic| topic.kind() == kind), "{kind:?}");
        }
        let optional = NotificationKind::ALL.into_iter().filter(|kind| kind.has_optional_mail());
        assert_eq!(
            optional.map(NotificationKind::as_str).collect::<Vec<_>>(),
            ["payment_refused", "subscription_due", "subscription_suspended"]
        );
        let told = [NotificationTopic::RenewalAnnounced, NotificationTopic::SubscriptionCanceled];
        assert!(told.iter().all(|topic| !topic.kind().has_optional_mail()));
    }

    #[test]
    fn money_is_told_to_admins_and_finance_and_never_to_operators() {
        assert_eq!(Recipients::Finance.roles(), [Role::Admin, Role::Finance]);
        assert_eq!(Recipients::People(Vec::new()).roles(), []);
    }
}
