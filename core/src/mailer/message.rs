//! Every message that Bipe mails, as the job that mails it stores it. Pure.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::auth::code::IssuedCode;
use crate::auth::recovery::undo_link;
use crate::company::invite_link;
use crate::id::{CompanyId, PaymentId, SubscriptionId};
use crate::invoice::Invoice;
use crate::money::Cents;
use crate::plan::BillingCycle;
use crate::scope::Role;
use crate::subscription::state::StateKind;

/// What a payment's mail tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PaymentNotice {
    /// Who is addressed.
    pub name: String,
    pub company: String,
    pub plan: String,
    pub amount: Cents,
    /// The name of the method (`Method::mail_name`).
    pub method: String,
    pub expires_at: Option<Timestamp>,
    pub pix_code: Option<String>,
    pub bank_slip_line: Option<String>,
    /// The provider's page of a boleto.
    pub link: Option<String>,
    /// What the mail is about. Jobs of older versions do not tell.
    #[serde(default)]
    pub payment: Option<PaymentId>,
    /// The document of a success, when the mail is sent.
    #[serde(default)]
    pub receipt: Option<Box<Invoice>>,
    /// It ended because nobody paid in time. Jobs of older versions do not tell.
    #[serde(default)]
    pub has_expired: bool,
    /// What came in, where that was another amount. Jobs of older versions do not tell.
    #[serde(default)]
    pub received: Option<Cents>,
}

/// What a mail about a subscription tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SubscriptionNotice {
    /// Who is addressed.
    pub name: String,
    pub company: String,
    pub plan: String,
    pub cycle: BillingCycle,
    /// What is charged, due or credited; before a charge, the price of the next period.
    pub amount: Cents,
    /// The instant that the mail is about; each [`Message`] says which.
    pub due_at: Option<Timestamp>,
    /// A path of the web app, such as the page that pays; without it the plans.
    pub link: Option<String>,
    /// Where the subscription stands. Jobs of older versions have none.
    #[serde(default)]
    pub state: Option<NoticeState>,
    /// The platform has suspended or closed the company: nobody can pay or change anything.
    #[serde(default)]
    pub company_is_closed: bool,
    /// The card that will be charged has expired by then. Jobs of older versions do not tell.
    #[serde(default)]
    pub card_expires: bool,
    /// What a subscription left over that ended before the end of what was paid. Jobs of older versions do not tell.
    #[serde(default)]
    pub credit: Option<Cents>,
    /// The period that the mail asks to pay or announces the charge of: it is not sent once that is owed no more. Jobs
    /// of older versions do not tell.
    #[serde(default)]
    pub unpaid: Option<UnpaidPeriod>,
}

/// A period of a subscription that somebody has to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpaidPeriod {
    pub company_id: CompanyId,
    pub subscription_id: SubscriptionId,
    pub period_start: Timestamp,
}

/// The state of a subscription as its mail says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeState {
    pub kind: StateKind,
    pub deadline: Option<Timestamp>,
}

/// What an invitation's mail tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InviteNotice {
    pub company: String,
    /// Who invites.
    pub inviter: String,
    pub role: Role,
    pub issue: invite_link::InviteLink,
}

/// What somebody reads who was added to a company at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WelcomeNotice {
    /// Who is addressed.
    pub name: String,
    pub company: String,
    /// Where the mail leads to. None in notices that a version before this field stored.
    #[serde(default)]
    pub company_id: Option<CompanyId>,
    pub role: Role,
}

/// Everything that Bipe mails. Stored in the job; a code or a link is not part of it, it is derived when it is sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Message {
    Code {
        name: String,
        issue: IssuedCode,
    },
    /// Somebody signed up with an address that has an account.
    AlreadyRegistered {
        name: String,
    },
    /// Somebody signed in asked for an address that has an account: this one.
    EmailInUse {
        name: String,
    },
    /// Set by a code from the mailbox. Here and below `undo` is none in mails that were queued before they had a link.
    PasswordReset {
        name: String,
        at: Timestamp,
        undo: Option<undo_link::UndoLink>,
    },
    /// Changed while signed in.
    PasswordChanged {
        name: String,
        at: Timestamp,
        undo: Option<undo_link::UndoLink>,
    },
    /// To the address that the account no longer has.
    EmailChanged {
        name: String,
        at: Timestamp,
        undo: Option<undo_link::UndoLink>,
    },
    /// Somebody has used the link of one of these notices.
    AccountProtected {
        name: String,
        at: Timestamp,
        /// Second factors that were new went with the sessions.
        #[serde(default)]
        factors_removed: bool,
    },
    /// An older refresh token was used: the session has ended.
    SessionEnded {
        name: String,
        at: Timestamp,
        device: String,
    },
    /// A platform administrator signed in from an unknown network.
    AdminSignIn {
        at: Timestamp,
        network: String,
        device: String,
        undo: Option<undo_link::UndoLink>,
    },
    /// Somebody signed in from a network that the person was not seen on before.
    NewSignIn {
        name: String,
        at: Timestamp,
        network: String,
        device: String,
        undo: Option<undo_link::UndoLink>,
    },
    /// The last mail to a person who has left.
    AccountDeleted {
        name: String,
        at: Timestamp,
    },
    /// An authenticator app can be asked for, or the passkey of that name.
    SecondFactorAdded {
        name: String,
        at: Timestamp,
        passkey: Option<String>,
        device: String,
        undo: Option<undo_link::UndoLink>,
    },
    SecondFactorRemoved {
        name: String,
        at: Timestamp,
        passkey: Option<String>,
        /// The password alone opens the account now.
        is_last: bool,
    },
    RecoveryCodesReplaced {
        name: String,
        at: Timestamp,
    },
    RecoveryCodeUsed {
        name: String,
        at: Timestamp,
        device: String,
        /// Codes that are still unused.
        left: i64,
    },
    /// A passkey was refused because its counter went back.
    PasskeyCopied {
        name: String,
        at: Timestamp,
        passkey: String,
        device: String,
    },
    /// An admin of that company removed every factor.
    SecondFactorReset {
        name: String,
        at: Timestamp,
        company: String,
    },
    Invite(InviteNotice),
    AddedToCompany(WelcomeNotice),
    PaymentApproved(PaymentNotice),
    /// A document alone: of a refund, of a renewal from credit, for a billing address, or once more for who asks.
    InvoiceCopy {
        name: String,
        invoice: Box<Invoice>,
    },
    PaymentDeclined(PaymentNotice),
    PaymentPending(PaymentNotice),
    /// The saved card will be charged at `due_at`.
    RenewalCharge(SubscriptionNotice),
    /// To be paid by hand until `due_at`.
    RenewalReminder(SubscriptionNotice),
    /// Not paid at `due_at`; three days later it is suspended.
    RenewalDue(SubscriptionNotice),
    /// The saved card was declined; due since `due_at`.
    RenewalFailed(SubscriptionNotice),
    /// The bank wants the payer to confirm the charge; due since `due_at`.
    RenewalConfirmation(SubscriptionNotice),
    /// Runs until `due_at`; none when it has ended at once.
    SubscriptionCancelled(SubscriptionNotice),
    /// Expires at `due_at` unless it is paid.
    SubscriptionSuspended(SubscriptionNotice),
    /// Ends at `due_at`: canceled, or suspended and still not paid.
    SubscriptionExpiring(SubscriptionNotice),
    /// Ended at `due_at`.
    SubscriptionExpired(SubscriptionNotice),
    /// `amount`, received at `due_at`, could not be applied and became credit.
    LatePaymentCredited(SubscriptionNotice),
}

impl Message {
    /// What the message is about, where that is a document: its file goes with the mail.
    pub fn document(&self) -> Option<&Invoice> {
        match self {
            Self::PaymentApproved(notice) => notice.receipt.as_deref(),
            Self::InvoiceCopy { invoice, .. } => Some(invoice),
            _ => None,
        }
    }

    /// What the message asks to pay or announces the charge of, where it does.
    pub fn unpaid(&self) -> Option<UnpaidPeriod> {
        match self {
            Self::RenewalCharge(notice)
            | Self::RenewalReminder(notice)
            | Self::RenewalDue(notice)
            | Self::RenewalFailed(notice)
            | Self::RenewalConfirmation(notice)
            | Self::SubscriptionSuspended(notice)
            | Self::SubscriptionExpiring(notice) => notice.unpaid,
            _ => None,
        }
    }

    /// Whether a person may switch mails of its kind off (`NotificationKind::has_optional_mail`).
    pub fn is_optional(&self) -> bool {
        matches!(
            self,
            Self::PaymentDeclined(_)
                | Self::RenewalReminder(_)
                | Self::RenewalDue(_)
                | Self::RenewalFailed(_)
                | Self::RenewalConfirmation(_)
                | Self::SubscriptionSuspended(_)
                | Self::SubscriptionExpiring(_)
                | Self::SubscriptionExpired(_)
        )
    }

    /// The link "não fui eu" of the message, where it has one.
    pub fn undo(&self) -> Option<&undo_link::UndoLink> {
        match self {
            Self::PasswordReset { undo, .. }
            | Self::PasswordChanged { undo, .. }
            | Self::EmailChanged { undo, .. }
            | Self::AdminSignIn { undo, .. }
            | Self::NewSignIn { undo, .. }
            | Self::SecondFactorAdded { undo, .. } => undo.as_ref(),
            _ => None,
        }
    }
}
