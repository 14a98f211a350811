//! The way to the billing workflows: finds the workflow of a payment or starts it, sends it a command and waits for the
//! outcome. Called by handlers and jobs; knows no state of a payment.
//!
//! A caller waits for a bounded time; the command goes on without it. Workflows run on arbiters of their own, so that a
//! busy web worker never delays them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use actix::prelude::*;
use bipe_core::gateway::webhook::PaymentHint;
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::idempotency::{self, KeyedRequest};
use bipe_core::job::JobRun;
use bipe_core::payment::admin::Review;
use bipe_core::payment::command::StartPayment;
use bipe_core::payment::{AlertReason, PaymentStatus, PaymentView, Situation, store};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::secret::Secret;
use bipe_core::{Error, Result, alert, trace};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::admission::{Admission, Permit};
use crate::billing_workflow::{
    BillingWorkflow, PaymentCommand, PaymentDraft, PaymentOutcome, PaymentProgress, RunCommand,
    Steps, Task,
};

/// How long a request waits for the outcome of a command.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(12);
/// How long a job waits for it.
const JOB_TIMEOUT: Duration = Duration::from_secs(50);
/// An open payment whose last read at the provider is older than this is read again when somebody asks for it.
const STALE_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// Cheap to clone.
#[derive(Clone)]
pub struct Directory(Arc<Inner>);

struct Inner {
    steps: Arc<Steps>,
    proof: JobScope,
    arbiters: Vec<ArbiterHandle>,
    admission: Admission,
    workflows: Mutex<HashMap<PaymentId, Addr<BillingWorkflow>>>,
}

impl Directory {
    pub fn new(steps: Arc<Steps>, proof: JobScope, arbiters: Vec<ArbiterHandle>) -> Self {
        let (admission, workflows) = (Admission::default(), Mutex::default());
        Self(Arc::new(Inner { steps, proof, arbiters, admission, workflows }))
    }

    pub fn steps(&self) -> &Arc<Steps> {
        &self.0.steps
    }

    /// The platform's own proof, for its work across companies.
    pub fn proof(&self) -> &JobScope {
        &self.0.proof
    }

    /// Starts a payment, or answers with the one that its idempotency key has started. Declined cards count for the
    /// payer's network, where it is known.
    ///
    /// # Errors
    /// `Conflict(REQUEST_IN_PROGRESS)` while a command with the key runs; `Unavailable` when the company has too many
    /// commands.
    pub async fn start(
        &self,
        start: StartPayment,
        network: Option<String>,
    ) -> Result<PaymentOutcome> {
        let id = PaymentId::new(self.0.steps.db().clock());
        let (scope, key) = (start.scope, start.key.clone());
        let text = key.as_ref().map(|command| command.key.clone());
        let permit = self.0.admission.admit(scope.company_id(), text)?;
        let draft = PaymentDraft { network, ..PaymentDraft::new(start, id) };
        let command = PaymentCommand::StartPayment(Box::new(draft));
        match self.send(id, command, permit, REQUEST_TIMEOUT).await? {
            Some(outcome) => Ok(outcome),
            None => self.unfinished(scope, key.as_ref(), id).await,
        }
    }

    /// Cancels a payment at the provider. The payer may say why.
    ///
    /// # Errors
    /// As `start`; a refusal is part of the outcome.
    pub async fn cancel(&self, task: Task, reason: Option<String>) -> Result<PaymentOutcome> {
        let command = |task| PaymentCommand::CancelPayment(task, reason);
        self.run(task, command, REQUEST_TIMEOUT).await
    }

    /// What the payer needs to go on with a card's confirmation, also after a reload and on another device: the payment
    /// as the provider has it now, with its client secret while it waits for the payer. Nobody else gets the secret.
    ///
    /// # Errors
    /// `NotFound`; `Unavailable` when the provider does not answer.
    pub async fn authenticate(&self, task: Task) -> Result<(PaymentView, Option<Secret>)> {
        let person = task.scope.user_id();
        match self.run(task, PaymentCommand::ReadPayment, REQUEST_TIMEOUT).await? {
            PaymentOutcome::Payment { view, secret, .. } => {
                let waits = view.status == PaymentStatus::Pending;
                let is_payers = view.payer_id.is_some() && view.payer_id == person;
                Ok((*view, secret.filter(|_| waits && is_payers)))
            }
            PaymentOutcome::Foreign(view) => Ok((*view, None)),
            PaymentOutcome::Refused { error, .. } => Err(error),
            PaymentOutcome::Unread(_) | PaymentOutcome::Replay { .. } => {
                Err(Error::provider_unavailable())
            }
        }
    }

    /// Settles a payment that is under review as a platform admin decided, and closes its alert.
    ///
    /// # Errors
    /// `NotFound`; `Denied` when the reviewer is no platform admin any more. A payment that is not under review is
    /// refused in the outcome with `CONFLICT`, the acceptance of one that received no money with `CHANGE_NOT_ALLOWED`.
    pub async fn review(&self, payment: PaymentId, review: Review) -> Result<PaymentOutcome> {
        let company = self.company_of(payment).await?;
        let cause = Some(review.caller.request_id.clone());
        let task = Task { cause, ..self.job_task(company, payment) };
        let command = |task| PaymentCommand::ReviewPayment(task, Box::new(review));
        let outcome = self.run(task, command, REQUEST_TIMEOUT).await?;
        if matches!(outcome, PaymentOutcome::Payment { .. }) {
            let tx = self.0.steps.db().platform_tx(&self.0.proof).await?;
            alert::close(&tx, AlertReason::OtherAmount.kind(), &payment.to_string()).await?;
            tx.commit().await?;
        }
        Ok(outcome)
    }

    /// Reads a payment at the provider and stores what it shows.
    ///
    /// # Errors
    /// As `start`.
    pub async fn read(&self, company: CompanyId, payment: PaymentId) -> Result<PaymentOutcome> {
        let task = self.job_task(company, payment);
        self.run(task, PaymentCommand::ReadPayment, JOB_TIMEOUT).await
    }

    /// As `read`, by the intent that an event of the provider names. Where the event may tell nothing new, the stored
    /// payment is compared with it first. The event's job ends with what comes of it.
    ///
    /// # Errors
    /// As `start`; `NotFound` when our own row says otherwise.
    pub async fn follow_event(&self, hint: PaymentHint, job: JobRun) -> Result<PaymentOutcome> {
        let task = self.job_task(hint.company, hint.payment);
        let command = move |task| PaymentCommand::FollowEvent(task, hint, job);
        self.run(task, command, JOB_TIMEOUT).await
    }

    /// Ends a payment whose card was declined, because no other card may be tried for a while.
    ///
    /// # Errors
    /// As `start`.
    pub async fn stop_cards(
        &self,
        company: CompanyId,
        payment: PaymentId,
    ) -> Result<PaymentOutcome> {
        let task = self.job_task(company, payment);
        self.run(task, PaymentCommand::StopCards, JOB_TIMEOUT).await
    }

    /// Does what a payment's timer was set for.
    ///
    /// # Errors
    /// As `start`.
    pub async fn wake(&self, company: CompanyId, payment: PaymentId) -> Result<PaymentOutcome> {
        let task = self.job_task(company, payment);
        self.run(task, PaymentCommand::WakePayment, JOB_TIMEOUT).await
    }

    /// Does what is due for a company's subscription: its change of state, its reminders, its charge.
    ///
    /// # Errors
    /// As `start`.
    pub async fn renew(&self, company: CompanyId) -> Result<()> {
        let scope = CompanyScope::of_job(&self.0.proof, company);
        match self.0.steps.renew(scope).await {
            Ok(Some(task)) => {
                // If the charge is not answered in time, the payment's own timer goes on with it.
                self.run(task, PaymentCommand::SubmitPayment, JOB_TIMEOUT).await.map(drop)
            }
            Ok(None) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The payment, read again at the provider when the last read is too old.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn status(&self, task: Task) -> Result<PaymentView> {
        let payment = self.0.steps.load(&task).await?;
        let now = self.0.steps.db().clock().now();
        if !is_stale(&payment.situation, now) {
            return Ok(PaymentView::from(&payment));
        }
        match self.run(task.clone(), PaymentCommand::ReadPayment, REQUEST_TIMEOUT).await {
            Ok(PaymentOutcome::Payment { view, .. }) => Ok(*view),
            // Without an answer of the provider, the stored payment is the answer.
            _ => self.stored(&task).await,
        }
    }

    /// The payment as it is stored.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn stored(&self, task: &Task) -> Result<PaymentView> {
        self.0.steps.load(task).await.map(|payment| PaymentView::from(&payment))
    }

    /// The right of a command of the company to run outside of a workflow.
    ///
    /// # Errors
    /// As `start`.
    pub(crate) fn admit(&self, company: CompanyId, key: Option<String>) -> Result<Permit> {
        self.0.admission.admit(company, key)
    }

    /// The company that a payment belongs to. The caller has still to prove that it may see it.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn company_of(&self, payment: PaymentId) -> Result<CompanyId> {
        let tx = self.0.steps.db().platform_tx(&self.0.proof).await?;
        let company = store::company_of(&tx, payment).await?;
        company.ok_or_else(Error::not_found)
    }

    fn job_task(&self, company: CompanyId, payment: PaymentId) -> Task {
        Task::of(CompanyScope::of_job(&self.0.proof, company), payment)
    }

    /// Has a command about the task's payment carried out. Without an outcome in time the payment counts as unread.
    async fn run(
        &self,
        task: Task,
        command: impl FnOnce(Task) -> PaymentCommand,
        timeout: Duration,
    ) -> Result<PaymentOutcome> {
        let permit = self.0.admission.admit(task.scope.company_id(), None)?;
        let outcome = self.send(task.payment, command(task), permit, timeout).await?;
        Ok(outcome.unwrap_or(PaymentOutcome::Unread(None)))
    }

    /// The outcome of a start whose caller waited too long: what is stored so far. Under its key a payment may have
    /// begun before.
    async fn unfinished(
        &self,
        scope: CompanyScope,
        key: Option<&KeyedRequest>,
        id: PaymentId,
    ) -> Result<PaymentOutcome> {
        let begun = match key {
            Some(command) => {
                idempotency::begun(&self.0.steps.db().company_tx(&scope).await?, command).await?
            }
            None => None,
        };
        let task = Task::of(scope, begun.map_or(id, PaymentId));
        match self.0.steps.load(&task).await {
            Ok(payment) => Ok(PaymentOutcome::Payment {
                view: Box::new(PaymentView::from(&payment)),
                secret: None,
                progress: PaymentProgress::Unanswered,
            }),
            Err(Error::NotFound(_)) => Err(Error::unavailable(2)),
            Err(error) => Err(error),
        }
    }

    /// Sends a command to the payment's workflow. None when it took longer than the caller waits.
    async fn send(
        &self,
        payment: PaymentId,
        command: PaymentCommand,
        permit: Permit,
        timeout: Duration,
    ) -> Result<Option<PaymentOutcome>> {
        let permit = Arc::new(permit);
        // The workflow may stop between look-up and message: then another is started, once.
        for _ in 0..2 {
            let workflow = self.workflow(payment);
            let (command, permit) = (command.clone(), permit.clone());
            let run = RunCommand { command, permit, trace: trace::current() };
            match workflow.send(run).timeout(timeout).await {
                Ok(outcome) => return outcome.map(Some),
                Err(MailboxError::Timeout) => return Ok(None),
                Err(MailboxError::Closed) => self.forget(payment, &workflow),
            }
        }
        Err(Error::unavailable(1))
    }

    /// The workflow takes no message any more; it may count as connected for another moment.
    fn forget(&self, payment: PaymentId, stopped: &Addr<BillingWorkflow>) {
        let mut workflows = self.0.workflows.lock();
        if workflows.get(&payment) == Some(stopped) {
            workflows.remove(&payment);
        }
    }

    /// The payment's workflow, started if none runs.
    fn workflow(&self, payment: PaymentId) -> Addr<BillingWorkflow> {
        let mut workflows = self.0.workflows.lock();
        if let Some(running) = workflows.get(&payment).filter(|workflow| workflow.connected()) {
            return running.clone();
        }
        workflows.retain(|_, workflow| workflow.connected());
        let steps = self.0.steps.clone();
        let start = move |_: &mut Context<BillingWorkflow>| BillingWorkflow::new(steps);
        let [.., last] = *payment.0.as_bytes();
        let count = self.0.arbiters.len().max(1);
        let address = match self.0.arbiters.get(usize::from(last) % count) {
            Some(arbiter) => BillingWorkflow::start_in_arbiter(arbiter, start),
            None => BillingWorkflow::create(start),
        };
        workflows.insert(payment, address.clone());
        address
    }
}

fn is_stale(situation: &Situation, now: Timestamp) -> bool {
    let read_at = situation.read_started_at.unwrap_or(situation.created_at);
    !situation.state.is_final() && now.duration_since(read_at) > STALE_AFTER
}
