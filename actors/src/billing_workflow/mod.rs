//! `BillingWorkflow`: one actor for each payment that is worked on. Commands, webhooks and timers for the payment run
//! one after the other.
//!
//! Started by the directory; stops soon after a final state, or after two minutes without a command. It may die at any
//! moment (I1): everything it knows is in the database, and each step is one transaction or one provider call, never both
//! (I2). The work runs on the runtime of the database and the provider, so it goes on when the caller goes away.

pub mod available_methods;
mod call;
mod charge;
mod customer;
mod follow;
mod notice;
mod open;
mod opening_permits;
mod provider_probe;
mod restore_lost;
mod step;
mod task;

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use actix::prelude::*;
use bipe_core::db::Db;
use bipe_core::gateway::Gateway;
use bipe_core::gateway::webhook::PaymentHint;
use bipe_core::payment::{Input, Payment, store};
use bipe_core::rate_limit::RateLimiter;
use bipe_core::trace::{Span, Traceparent};
use bipe_core::{Error, Result};
use tokio::runtime::Handle;

use crate::admission::Permit;
use crate::card_limits::CardLimits;
use available_methods::AvailableMethods;
use opening_permits::OpeningPermits;
use provider_probe::ProviderProbe;
use step::{Call, TaskRun, Trigger, shown};

pub use provider_probe::ProviderSign;
pub use step::Step;
pub use task::{PaymentCommand, PaymentDraft, PaymentOutcome, PaymentProgress, PaymentTimer, Task};

/// Without a command for this long it stops; the next one starts it again.
const IDLE: Duration = Duration::from_secs(120);
/// As [`IDLE`], once the payment's state is final. A stopping workflow loses what waits in its mailbox, and webhooks of
/// one payment come together.
const IDLE_AT_THE_END: Duration = Duration::from_secs(1);
/// More steps than any command takes; beyond it, the provider's answers make no sense.
const MAX_STEPS: usize = 24;

/// To a workflow: carry out this command. The permit is dropped when the command is done, not when its caller stops
/// waiting.
pub struct RunCommand {
    pub command: PaymentCommand,
    pub permit: Arc<Permit>,
    /// The work that sends it.
    pub trace: Option<Traceparent>,
}

impl Message for RunCommand {
    type Result = Result<PaymentOutcome>;
}

pub struct BillingWorkflow {
    steps: Arc<Steps>,
    /// Counts commands, so that an idle timer knows whether one came since it was set.
    commands: u64,
}

impl BillingWorkflow {
    pub fn new(steps: Arc<Steps>) -> Self {
        Self { steps, commands: 0 }
    }
}

impl Actor for BillingWorkflow {
    type Context = Context<Self>;
}

impl Handler<RunCommand> for BillingWorkflow {
    type Result = AtomicResponse<Self, Result<PaymentOutcome>>;

    fn handle(&mut self, run: RunCommand, _ctx: &mut Context<Self>) -> Self::Result {
        self.commands += 1;
        let steps = self.steps.clone();
        let runtime = steps.runtime().clone();
        let span = span_of(&run);
        let work = runtime.spawn(span.around_fallible(async move {
            let outcome = steps.run(run.command).await;
            drop(run.permit);
            outcome
        }));
        AtomicResponse::new(Box::pin(work.into_actor(self).map(|done, this, ctx| {
            let outcome = done.unwrap_or_else(|panic| Err(Error::internal(panic)));
            let idle = match &outcome {
                Ok(PaymentOutcome::Payment { progress: PaymentProgress::Final, .. }) => {
                    IDLE_AT_THE_END
                }
                _ => IDLE,
            };
            let commands = this.commands;
            ctx.run_later(idle, move |this, ctx| {
                if this.commands == commands {
                    ctx.stop();
                }
            });
            outcome
        })))
    }
}

/// Where the caller is not traced the command is not.
fn span_of(run: &RunCommand) -> Span {
    let span = run.trace.map(|trace| Span::of_work(run.command.name(), Some(trace)));
    let span = span.unwrap_or_default();
    span.note_with("bipe.payment", || run.command.payment().to_string());
    span
}

/// What the steps of all payments of this process work with.
pub struct Steps {
    db: Db,
    gateway: Arc<dyn Gateway>,
    card_limits: CardLimits,
    /// `production` or `development`, which the provider's metadata name. It tells no two servers of one kind apart.
    environment: String,
    available_methods: AvailableMethods,
    opening_permits: OpeningPermits,
    probe: ProviderProbe,
}

impl Steps {
    pub fn new(
        db: Db,
        gateway: Arc<dyn Gateway>,
        limits: RateLimiter,
        environment: String,
    ) -> Self {
        let card_limits = CardLimits::new(db.clone(), limits);
        let available_methods = AvailableMethods::default();
        let opening_permits = OpeningPermits::new(available_parallelism().map_or(1, NonZero::get));
        Self {
            db,
            gateway,
            card_limits,
            environment,
            available_methods,
            opening_permits,
            probe: ProviderProbe::default(),
        }
    }

    pub fn available_methods(&self) -> &AvailableMethods {
        &self.available_methods
    }

    pub(crate) fn card_limits(&self) -> &CardLimits {
        &self.card_limits
    }

    pub fn db(&self) -> &Db {
        &self.db
    }

    pub fn gateway(&self) -> &dyn Gateway {
        &*self.gateway
    }

    pub fn runtime(&self) -> &Handle {
        self.db.runtime()
    }

    /// Whether the provider answers. The question goes on when the caller goes away, so that hanging up asks for no
    /// second one.
    ///
    /// # Errors
    /// `Internal`.
    pub async fn provider_sign(self: &Arc<Self>) -> Result<ProviderSign> {
        let steps = self.clone();
        let work = async move { Ok(steps.probe.ask(steps.gateway()).await) };
        let asked = self.runtime().spawn(Span::child("ask provider").around_fallible(work));
        asked.await.map_err(Error::internal)?
    }

    /// Does all steps of a command.
    ///
    /// # Errors
    /// What kept a step from being done; the payment's timer goes on from there.
    pub async fn run(&self, command: PaymentCommand) -> Result<PaymentOutcome> {
        let mut step = Step::from(command);
        for _ in 0..MAX_STEPS {
            match self.advance(step).await? {
                Step::Done(outcome) => return Ok(*outcome),
                next => step = next,
            }
        }
        Err(Error::internal("the steps of a payment do not end"))
    }

    /// Does exactly one step and returns the next, so that a test can stop after any of them.
    ///
    /// # Errors
    /// As `run`.
    pub async fn advance(&self, step: Step) -> Result<Step> {
        let name = step.name();
        // On the heap: a debug build moves the work of all steps through the stack otherwise.
        Span::child(name).around_fallible(Box::pin(self.carry_out(step))).await
    }

    async fn carry_out(&self, step: Step) -> Result<Step> {
        match step {
            Step::Open(draft) => self.open(draft).await,
            Step::CheckCard(draft) => self.check_card(draft).await,
            Step::MakeCustomer(draft) => self.make_customer(draft).await,
            Step::CloseFirst { mut draft, other, step } => {
                match Box::pin(self.advance(*step)).await? {
                    Step::Done(_) => {
                        draft.closed = Some(other);
                        Ok(Step::Open(draft))
                    }
                    step => Ok(Step::CloseFirst { draft, other, step: Box::new(step) }),
                }
            }
            Step::Load(mut run) => {
                let payment = self.load(&run.task).await?;
                let intent = payment.situation.intent.clone();
                run.payment = Some(Box::new(payment));
                Ok(match intent {
                    Some(_) => Step::Call(run, Call::Read),
                    None => Step::Follow(run, Trigger::Input(Input::Due)),
                })
            }
            Step::CompareEvent(run, hint) => self.compare_event(run, hint).await,
            Step::ReadIntent(run, intent) => Ok(self.read_intent(run, &intent).await),
            Step::ProveAdmin(run, review) => {
                review.admin.prove_again(&self.db).await?;
                Ok(Step::Follow(run, Trigger::Review(review)))
            }
            Step::Call(run, call) => self.call(run, call).await,
            Step::Follow(run, trigger) => self.follow(run, trigger).await,
            Step::Done(outcome) => Ok(Step::Done(outcome)),
        }
    }

    async fn compare_event(&self, run: TaskRun, hint: PaymentHint) -> Result<Step> {
        let mut tx = self.db.company_tx(&run.task.scope).await?;
        let payment = store::load(&tx, run.task.payment).await?;
        if payment.situation.may_learn_of_action(&hint.intent) {
            tx.rollback().await?;
            return Ok(Step::ReadIntent(run, hint.intent));
        }
        if let Some(job) = run.job {
            job.finish(&mut tx);
        }
        tx.commit().await?;
        Ok(Step::done(shown(&payment, None)))
    }

    pub(crate) async fn load(&self, task: &Task) -> Result<Payment> {
        store::load(&self.db.company_tx(&task.scope).await?, task.payment).await
    }
}
