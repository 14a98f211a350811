//! Finds the workflow of a payment or starts it, and bounds what waits: 64 commands a company, each with a
//! time of its own. Called by handlers and jobs; knows no state of a payment.
//!
//! A command with an idempotency key that is running on this node is not started again. Actors live on
//! arbiters of their own, so that a busy web worker never delays them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use actix::prelude::*;
use bipe_core::error::Code;
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::payment::admin::Review;
use bipe_core::payment::command::StartPayment;
use bipe_core::payment::wallet::PaymentMethodView;
use bipe_core::payment::{Concern, PaymentView, Situation, store};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::{Error, Result, alert};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::billing_workflow::{BillingWorkflow, Carry, Case, Command, Open, Outcome, Steps};

/// Commands of one company that may run or wait at once.
pub const COMMANDS_PER_COMPANY: usize = 64;
/// How long a caller waits; the command goes on.
pub const PATIENCE: Duration = Duration::from_secs(12);
/// A job waits longer: nobody looks on.
const JOB_PATIENCE: Duration = Duration::from_secs(50);
/// Companies with a semaphore before unused ones are dropped.
const KEPT_SEMAPHORES: usize = 1024;

/// An open payment that nobody read for so long is read when somebody asks for it.
const STALE_AFTER: SignedDuration = SignedDuration::from_secs(30);

fn is_stale(situation: &Situation, now: Timestamp) -> bool {
    let read_at = situation.read_started_at.unwrap_or(situation.created_at);
    !situation.state.is_final() && now.duration_since(read_at) > STALE_AFTER
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Directory(Arc<Inner>);

struct Inner {
    steps: Arc<Steps>,
    proof: JobScope,
    arbiters: Vec<ArbiterHandle>,
    books: Mutex<Books>,
}

#[derive(Default)]
struct Books {
    workflows: HashMap<PaymentId, Addr<BillingWorkflow>>,
    running_keys: HashSet<(CompanyId, String)>,
    permits: HashMap<CompanyId, Arc<Semaphore>>,
}

/// What a running command holds; given back when it ends.
pub struct Held {
    _permit: OwnedSemaphorePermit,
    key: Option<(CompanyId, String)>,
    directory: Weak<Inner>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let (Some(key), Some(directory)) = (&self.key, self.directory.upgrade()) {
            directory.books().running_keys.remove(key);
        }
    }
}

impl Inner {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Directory {
    pub fn new(steps: Arc<Steps>, proof: JobScope, arbiters: Vec<ArbiterHandle>) -> Self {
        let books = Mutex::default();
        Self(Arc::new(Inner { steps, proof, arbiters, books }))
    }

    pub fn steps(&self) -> &Steps {
        &self.0.steps
    }

    /// Starts a payment, or meets the one that its key has started.
    ///
    /// # Errors
    /// `Conflict(REQUEST_IN_PROGRESS)`, `Unavailable` when the company has too many commands under way.
    pub async fn start(&self, start: StartPayment) -> Result<Outcome> {
        self.start_from(start, None).await
    }

    /// The same for a payer in this network, whose declines are counted.
    ///
    /// # Errors
    /// As `start`.
    pub async fn start_from(
        &self,
        start: StartPayment,
        network: Option<String>,
    ) -> Result<Outcome> {
        let id = PaymentId::new(self.0.steps.db().clock());
        let scope = start.scope;
        let key = start.key.as_ref().map(|command| (scope.company_id(), command.key.clone()));
        let held = self.hold(scope.company_id(), key)?;
        let open = Open { network, ..Open::new(start, id) };
        let command = Command::StartPayment(Box::new(open));
        match self.carry(id, command, held, PATIENCE).await? {
            Some(outcome) => Ok(outcome),
            // It goes on without us: what it has stored so far is the answer.
            None => self.stored(scope, id).await,
        }
    }

    /// Cancels a payment at the provider.
    ///
    /// # Errors
    /// As `start`; a refusal is part of the outcome.
    pub async fn cancel(&self, case: Case) -> Result<Outcome> {
        self.command(Command::CancelPayment(case.clone()), &case, PATIENCE).await
    }

    /// Settles a payment that is under review, as a platform admin decided, and with it its alert.
    ///
    /// # Errors
    /// `NotFound`, `Denied` for who is no platform admin any more; a refusal (`CHANGE_NOT_ALLOWED`: not under review, or no money came in) is in the outcome.
    pub async fn review(&self, payment: PaymentId, review: Review) -> Result<Outcome> {
        let company = self.company_of(payment).await?;
        let mut case = Case::of(CompanyScope::of_job(&self.0.proof, company), payment);
        case.cause = Some(review.caller.request_id.clone());
        case.review = Some(Box::new(review));
        let outcome = self.command(Command::ReviewPayment(case.clone()), &case, PATIENCE).await?;
        if matches!(outcome, Outcome::Payment { .. }) {
            let tx = self.0.steps.db().platform_tx(&self.0.proof).await?;
            alert::close(&tx, Concern::OtherAmount.kind(), &payment.to_string()).await?;
            tx.commit().await?;
        }
        Ok(outcome)
    }

    /// Reads a payment again at the provider.
    ///
    /// # Errors
    /// As `start`.
    pub async fn read(&self, case: Case) -> Result<Outcome> {
        self.command(Command::ReadPayment(case.clone()), &case, PATIENCE).await
    }

    /// The same for a webhook.
    ///
    /// # Errors
    /// As `start`.
    pub async fn hint(&self, company: CompanyId, payment: PaymentId) -> Result<Outcome> {
        let case = Case::of(CompanyScope::of_job(&self.0.proof, company), payment);
        self.command(Command::ReadPayment(case.clone()), &case, JOB_PATIENCE).await
    }

    /// A payment's timer rang.
    ///
    /// # Errors
    /// As `start`.
    pub async fn wake(&self, company: CompanyId, payment: PaymentId) -> Result<Outcome> {
        let case = Case::of(CompanyScope::of_job(&self.0.proof, company), payment);
        self.command(Command::WakePayment(case.clone()), &case, JOB_PATIENCE).await
    }

    /// Looks at a company's subscription: what time has decided, its reminders, its charge.
    ///
    /// # Errors
    /// As `start`.
    pub async fn renew(&self, company: CompanyId) -> Result<()> {
        let scope = CompanyScope::of_job(&self.0.proof, company);
        match self.0.steps.renew(scope).await {
            Ok(Some(case)) => {
                // What is not answered now is settled by the payment's own timer.
                self.command(Command::SubmitPayment(case.clone()), &case, JOB_PATIENCE).await?;
                Ok(())
            }
            Ok(None) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The payment as it stands, read at the provider when nobody did for a while.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn status(&self, case: Case) -> Result<PaymentView> {
        let payment = self.0.steps.load(&case).await?;
        let now = self.0.steps.db().clock().now();
        if !is_stale(&payment.situation, now) {
            return Ok(PaymentView::from(&payment));
        }
        match self.read(case.clone()).await {
            Ok(Outcome::Payment { view, .. }) => Ok(*view),
            // What we know is an answer, too.
            _ => self.0.steps.load(&case).await.map(|payment| PaymentView::from(&payment)),
        }
    }

    /// The company's saved cards.
    ///
    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)` when the provider does not say.
    pub async fn cards(&self, scope: CompanyScope) -> Result<Vec<PaymentMethodView>> {
        self.0.steps.cards(scope).await
    }

    /// Learns which cards a company has saved, after a payment that saved one.
    ///
    /// # Errors
    /// `Unavailable(PROVIDER_UNAVAILABLE)`: try again.
    pub async fn learn_cards(&self, company: CompanyId) -> Result<()> {
        self.0.steps.learn_cards(CompanyScope::of_job(&self.0.proof, company)).await
    }

    /// Saves a card that the browser made, for somebody in this network; none for a job. A caller who goes away
    /// does not stop it half-way; so do the next.
    ///
    /// # Errors
    /// `Conflict(PAYMENT_METHOD_UNAVAILABLE, CARD_LIMIT_REACHED)`, `TooMany`, `Unavailable(PROVIDER_UNAVAILABLE)`.
    pub async fn save_card(
        &self,
        scope: CompanyScope,
        card: String,
        network: Option<String>,
    ) -> Result<Vec<PaymentMethodView>> {
        let steps = self.0.steps.clone();
        self.to_the_end(async move { steps.save_card(scope, card, network).await }).await
    }

    /// Forgets a saved card.
    ///
    /// # Errors
    /// `NotFound`, `Unavailable(PROVIDER_UNAVAILABLE)`.
    pub async fn forget_card(
        &self,
        scope: CompanyScope,
        card: String,
    ) -> Result<Vec<PaymentMethodView>> {
        let steps = self.0.steps.clone();
        self.to_the_end(async move { steps.forget_card(scope, card).await }).await
    }

    /// Makes a saved card the default one.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn prefer_card(
        &self,
        scope: CompanyScope,
        card: String,
    ) -> Result<Vec<PaymentMethodView>> {
        self.0.steps.prefer_card(scope, card).await
    }

    async fn to_the_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.0.steps.runtime().spawn(work).await.map_err(Error::internal)?
    }

    /// Whose payment it is; the caller proves the rest.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn company_of(&self, payment: PaymentId) -> Result<CompanyId> {
        let tx = self.0.steps.db().platform_tx(&self.0.proof).await?;
        let company = store::company_of(&tx, payment).await?;
        tx.rollback().await?;
        company.ok_or_else(Error::not_found)
    }

    /// The platform's own proof, for its work across companies.
    pub fn proof(&self) -> &JobScope {
        &self.0.proof
    }

    async fn command(&self, command: Command, case: &Case, patience: Duration) -> Result<Outcome> {
        let held = self.hold(case.scope.company_id(), None)?;
        match self.carry(case.payment, command, held, patience).await? {
            Some(outcome) => Ok(outcome),
            None => Ok(Outcome::Unread(None)),
        }
    }

    async fn stored(&self, scope: CompanyScope, id: PaymentId) -> Result<Outcome> {
        let tx = self.0.steps.db().company_tx(&scope).await?;
        let payment = store::load(&tx, id).await;
        tx.rollback().await?;
        match payment {
            Ok(payment) => Ok(Outcome::Payment {
                view: Box::new(PaymentView::from(&payment)),
                secret: None,
                unsettled: true,
                is_final: false,
            }),
            Err(Error::NotFound(_)) => Err(Error::unavailable(2)),
            Err(error) => Err(error),
        }
    }

    /// `None`: the caller's patience ended before the command did.
    async fn carry(
        &self,
        payment: PaymentId,
        command: Command,
        held: Held,
        patience: Duration,
    ) -> Result<Option<Outcome>> {
        let held = Arc::new(held);
        // A workflow that stopped between the look-up and the message is started afresh, once.
        for _ in 0..2 {
            let workflow = self.workflow(payment);
            let carry = Carry { command: command.clone(), held: held.clone() };
            match workflow.send(carry).timeout(patience).await {
                Ok(outcome) => return outcome.map(Some),
                Err(MailboxError::Timeout) => return Ok(None),
                Err(MailboxError::Closed) => {}
            }
        }
        Err(Error::unavailable(1))
    }

    fn workflow(&self, payment: PaymentId) -> Addr<BillingWorkflow> {
        let mut books = self.0.books();
        if let Some(running) = books.workflows.get(&payment).filter(|addr| addr.connected()) {
            return running.clone();
        }
        books.workflows.retain(|_, addr| addr.connected());
        let steps = self.0.steps.clone();
        let start = move |_: &mut Context<BillingWorkflow>| BillingWorkflow::new(steps);
        let [.., last] = *payment.0.as_bytes();
        let count = self.0.arbiters.len().max(1);
        let address = match self.0.arbiters.get(usize::from(last) % count) {
            Some(arbiter) => BillingWorkflow::start_in_arbiter(arbiter, start),
            None => BillingWorkflow::create(start),
        };
        books.workflows.insert(payment, address.clone());
        address
    }

    fn hold(&self, company: CompanyId, key: Option<(CompanyId, String)>) -> Result<Held> {
        let mut books = self.0.books();
        if books.permits.len() > KEPT_SEMAPHORES {
            books.permits.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        if key.as_ref().is_some_and(|key| books.running_keys.contains(key)) {
            return Err(Error::conflict(Code::RequestInProgress));
        }
        let full = || Arc::new(Semaphore::new(COMMANDS_PER_COMPANY));
        let permits = books.permits.entry(company).or_insert_with(full).clone();
        let permit = permits.try_acquire_owned().map_err(|_full| Error::unavailable(1))?;
        if let Some(key) = &key {
            books.running_keys.insert(key.clone());
        }
        Ok(Held { _permit: permit, key, directory: Arc::downgrade(&self.0) })
    }
}
