//! The commands about a payment and what comes of them. The directory sends them, the workflow carries them out.

use bipe_core::Error;
use bipe_core::gateway::Refusal;
use bipe_core::gateway::webhook::PaymentHint;
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::job::JobRun;
use bipe_core::payment::PaymentView;
use bipe_core::payment::admin::Review;
use bipe_core::payment::command::StartPayment;
use bipe_core::scope::CompanyScope;
use bipe_core::secret::Secret;
use serde::{Deserialize, Serialize};

/// One payment, and for whom it is worked on.
#[derive(Clone, Debug)]
pub struct Task {
    pub scope: CompanyScope,
    pub payment: PaymentId,
    /// The id of the request behind it, named by the events as their cause; none for a job.
    pub cause: Option<String>,
}

impl Task {
    /// A task without a request behind it.
    pub fn of(scope: CompanyScope, payment: PaymentId) -> Self {
        Self { scope, payment, cause: None }
    }
}

/// A payment that is to be stored, and what is known before it.
#[derive(Clone, Debug)]
pub struct PaymentDraft {
    pub start: StartPayment,
    /// Its id, unless its key belongs to an earlier command.
    pub payment: PaymentId,
    /// The provider knows the card, and no other customer has it.
    pub card_checked: bool,
    /// The open payment that was asked to close for this one. It is asked once, and no other one is.
    pub closed: Option<PaymentId>,
    /// The company's customer at the provider, which was just made and is remembered by transaction A.
    pub customer: Option<String>,
    /// The network that the payer sends it from; none for a job.
    pub network: Option<String>,
}

impl PaymentDraft {
    pub fn new(start: StartPayment, payment: PaymentId) -> Self {
        Self { start, payment, card_checked: false, closed: None, customer: None, network: None }
    }

    pub fn task(&self, payment: PaymentId) -> Task {
        Task { scope: self.start.scope, payment, cause: self.start.request_id.clone() }
    }
}

#[derive(Clone, Debug)]
pub enum PaymentCommand {
    StartPayment(Box<PaymentDraft>),
    /// Send a payment to the provider that a job has stored.
    SubmitPayment(Task),
    /// Read it again at the provider.
    ReadPayment(Task),
    /// Read it at the provider by the intent that an event names, and end the event's job with what comes of it.
    FollowEvent(Task, PaymentHint, JobRun),
    /// Cancel it for the payer, who may say why.
    CancelPayment(Task, Option<String>),
    /// Settle money that is under review as a platform admin decided.
    ReviewPayment(Task, Box<Review>),
    /// End it if its card was declined: no other one may be tried.
    StopCards(Task),
    /// Do what its timer was set for.
    WakePayment(Task),
}

impl PaymentCommand {
    /// As traces name it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::StartPayment(_) => "start payment",
            Self::SubmitPayment(_) => "submit payment",
            Self::ReadPayment(_) | Self::FollowEvent(..) => "read payment",
            Self::CancelPayment(..) => "cancel payment",
            Self::ReviewPayment(..) => "review payment",
            Self::StopCards(_) => "stop cards",
            Self::WakePayment(_) => "wake payment",
        }
    }

    pub fn payment(&self) -> PaymentId {
        match self {
            Self::StartPayment(draft) => draft.payment,
            Self::SubmitPayment(task)
            | Self::ReadPayment(task)
            | Self::FollowEvent(task, ..)
            | Self::CancelPayment(task, _)
            | Self::ReviewPayment(task, _)
            | Self::StopCards(task)
            | Self::WakePayment(task) => task.payment,
        }
    }
}

/// How far a payment has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentProgress {
    /// The provider has not answered yet.
    Unanswered,
    Open,
    /// Nothing is left to be done for the payment.
    Final,
}

#[derive(Debug)]
pub enum PaymentOutcome {
    Payment {
        view: Box<PaymentView>,
        /// The client secret, for the payer of a card alone.
        secret: Option<Secret>,
        progress: PaymentProgress,
    },
    /// The stored answer to the first command with this idempotency key.
    Replay { reply: String, secret: Option<Secret> },
    /// The provider did not show the payment, which is unchanged. With its refusal, or none when no clear answer came.
    Unread(Option<Refusal>),
    /// The provider's object is not this payment's: it is ignored, and the payment is unchanged. A person is alerted.
    Foreign(Box<PaymentView>),
    /// The command was refused and nothing has changed; `replayed` when its key was refused before.
    Refused { error: Error, replayed: bool },
}

/// The payload of the job that wakes a payment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PaymentTimer {
    pub company_id: CompanyId,
    pub payment_id: PaymentId,
}
