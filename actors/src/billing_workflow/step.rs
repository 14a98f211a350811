//! The steps that the commands about payments are made of, and what they carry.

use bipe_core::Error;
use bipe_core::audit::AuditAction;
use bipe_core::gateway::webhook::PaymentHint;
use bipe_core::id::PaymentId;
use bipe_core::job::JobRun;
use bipe_core::payment::admin::Review;
use bipe_core::payment::{CloseReason, Input, Payment, PaymentState, ReviewDecision};
use bipe_core::secret::Secret;

use super::task::{PaymentCommand, PaymentDraft, PaymentOutcome, PaymentProgress, Task};

/// A task on its way through the steps, and what its caller waits for.
#[derive(Clone, Debug)]
pub struct TaskRun {
    pub task: Task,
    /// The idempotency key under which the answer is stored; none for everything but a start.
    pub key: Option<String>,
    /// The client secret of a card, from the provider's last answer; never stored.
    pub secret: Option<Secret>,
    /// As the step before has read or written it; a step without it reads it.
    pub payment: Option<Box<Payment>>,
    /// The job that the last transaction ends.
    pub job: Option<JobRun>,
}

impl TaskRun {
    /// The steps after transaction A: they end with the answer to the command that started the payment.
    pub fn of_start(draft: &PaymentDraft, payment: PaymentId) -> Self {
        let key = draft.start.key.as_ref().map(|command| command.key.clone());
        Self { key, ..draft.task(payment).into() }
    }
}

impl From<Task> for TaskRun {
    fn from(task: Task) -> Self {
        Self { task, key: None, secret: None, payment: None, job: None }
    }
}

/// A call to the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Send the stored creation. When it was certainly never sent before and the provider cannot be reached, the
    /// payment ends unsent.
    Create {
        maybe_sent: bool,
    },
    /// Look for the creation that was never answered.
    Find,
    Read,
    Cancel,
}

#[derive(Debug)]
pub enum Step {
    /// Transaction A: store the payment as `submitting`, with its key and request.
    Open(Box<PaymentDraft>),
    /// Before A: check the named card at the provider.
    CheckCard(Box<PaymentDraft>),
    /// Before A: make the company's customer at the provider.
    MakeCustomer(Box<PaymentDraft>),
    /// Before A: close the payment that holds the slot, by `step` and those that follow it.
    CloseFirst {
        draft: Box<PaymentDraft>,
        other: PaymentId,
        step: Box<Step>,
    },
    /// Load the payment, then read it at the provider if it is known there.
    Load(TaskRun),
    /// End the event's job where the payment is stored as the event tells it; otherwise read its intent.
    CompareEvent(TaskRun, PaymentHint),
    /// Read at the provider the intent that an event names.
    ReadIntent(TaskRun, String),
    /// Prove again that the reviewer is a platform admin: the role may have ended while the command waited.
    ProveAdmin(TaskRun, Box<Review>),
    Call(TaskRun, Call),
    /// Transactions B and C: decide on what happened and write it with its effects.
    Follow(TaskRun, Trigger),
    Done(Box<PaymentOutcome>),
}

impl Step {
    /// As traces name it.
    pub fn name(&self) -> &'static str {
        match self {
            Step::Open(_) => "open payment",
            Step::CheckCard(_) => "check card",
            Step::MakeCustomer(_) => "make customer",
            Step::CloseFirst { .. } => "close first",
            Step::Load(_) | Step::CompareEvent(..) => "load payment",
            Step::ProveAdmin(..) => "prove admin",
            Step::Call(..) | Step::ReadIntent(..) => "call provider",
            Step::Follow(..) => "follow",
            Step::Done(_) => "done",
        }
    }

    pub fn done(outcome: PaymentOutcome) -> Self {
        Step::Done(Box::new(outcome))
    }

    /// Shows what is stored, as the provider has it now if the payment is known there.
    pub fn read_if_known(run: TaskRun, payment: &Payment) -> Self {
        match payment.situation.intent {
            Some(_) => Step::Call(run, Call::Read),
            None => Self::done(shown(payment, None)),
        }
    }

    /// The command is refused for the first time.
    pub fn refused(error: Error) -> Self {
        Step::done(PaymentOutcome::Refused { error, replayed: false })
    }
}

impl From<PaymentCommand> for Step {
    fn from(command: PaymentCommand) -> Self {
        use PaymentCommand::{
            CancelPayment, FollowEvent, ReadPayment, ReviewPayment, StartPayment, StopCards,
            SubmitPayment, WakePayment,
        };
        match command {
            StartPayment(draft) => Step::Open(draft),
            SubmitPayment(task) => Step::Call(task.into(), Call::Create { maybe_sent: true }),
            ReadPayment(task) => Step::Load(task.into()),
            FollowEvent(task, hint, job) => {
                let run = TaskRun { job: Some(job), ..task.into() };
                if hint.tells_action {
                    Step::CompareEvent(run, hint)
                } else {
                    Step::ReadIntent(run, hint.intent)
                }
            }
            CancelPayment(task, reason) => Step::Follow(task.into(), Trigger::Cancel(reason)),
            ReviewPayment(task, review) => Step::ProveAdmin(task.into(), review),
            StopCards(task) => Step::Follow(task.into(), Trigger::Input(Input::CardsStopped)),
            WakePayment(task) => Step::Follow(task.into(), Trigger::Input(Input::Due)),
        }
    }
}

/// What transactions B and C decide on.
#[derive(Debug)]
pub enum Trigger {
    /// The provider answered, or the timer rang.
    Input(Input),
    /// The payer cancels, and may say why.
    Cancel(Option<String>),
    /// A new payment of the company takes the slot.
    Replace,
    /// A platform admin decided on money that is under review.
    Review(Box<Review>),
}

impl Trigger {
    /// A person asked for it: the person's permission is proven again, as it may have ended while the command waited.
    pub fn is_of_member(&self) -> bool {
        matches!(self, Trigger::Cancel(_) | Trigger::Replace)
    }

    /// What a person asked for, as the audit names it.
    pub fn action(&self) -> Option<AuditAction> {
        match self {
            Trigger::Input(_) => None,
            Trigger::Cancel(_) | Trigger::Replace => Some(AuditAction::PaymentCancel),
            Trigger::Review(review) => Some(match review.verdict {
                ReviewDecision::Accept => AuditAction::PaymentAccept,
                ReviewDecision::Refuse => AuditAction::PaymentRefuse,
            }),
        }
    }

    pub fn into_input(self) -> (Input, Option<Box<Review>>) {
        match self {
            Trigger::Input(input) => (input, None),
            Trigger::Cancel(_) => (Input::CancelAsked(CloseReason::Cancel), None),
            Trigger::Replace => (Input::CancelAsked(CloseReason::Replace), None),
            Trigger::Review(review) => (Input::Reviewed(review.verdict), Some(review)),
        }
    }
}

/// The outcome that shows the payment as it is stored.
pub fn shown(payment: &Payment, secret: Option<Secret>) -> PaymentOutcome {
    let progress = match &payment.situation.state {
        PaymentState::Submitting => PaymentProgress::Unanswered,
        state if state.is_final() => PaymentProgress::Final,
        _ => PaymentProgress::Open,
    };
    PaymentOutcome::Payment { view: Box::new(payment.into()), secret, progress }
}
