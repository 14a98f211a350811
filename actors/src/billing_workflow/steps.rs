//! The walk of one payment, step by step. `advance` does exactly one and says which comes next, so that a
//! test can stop after any of them: what a crash leaves is what the database holds.

use std::sync::Arc;

use bipe_core::db::Db;
use bipe_core::error::Code;
use bipe_core::gateway::{self, Gateway, Intent, ProviderAnswer};
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::payment::admin::Review;
use bipe_core::payment::{Closing, Input, Payment, PaymentState, store, wallet};
use bipe_core::rate_limit::{Bucket, CARD_DECLINED, CARD_DECLINED_IP, Limits};
use bipe_core::scope::CompanyScope;
use bipe_core::secret::Secret;
use bipe_core::{Error, Result};
use tokio::runtime::Handle;

use super::{Command, Open, Outcome};
use crate::offer::Offer;

/// More steps than any walk has: beyond it something answers nonsense.
const MOST_STEPS: usize = 24;

/// The payment that is walked, for whom, and what the caller is still owed.
#[derive(Clone, Debug)]
pub struct Case {
    pub scope: CompanyScope,
    pub payment: PaymentId,
    /// The request id, named by the events as their cause.
    pub cause: Option<String>,
    /// The idempotency key whose answer this walk stores.
    pub key: Option<String>,
    /// Of a card, read from the provider on the way; never stored.
    pub secret: Option<Secret>,
    /// The creation was never sent before.
    pub first: bool,
    /// Why the payer cancels.
    pub reason: Option<String>,
    /// What a platform admin decided.
    pub review: Option<Box<Review>>,
}

impl Case {
    pub fn of(scope: CompanyScope, payment: PaymentId) -> Self {
        Self {
            scope,
            payment,
            cause: None,
            key: None,
            secret: None,
            first: false,
            reason: None,
            review: None,
        }
    }
}

/// A call of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Create,
    Find,
    Read,
    Cancel,
}

/// The next thing to do.
#[derive(Debug)]
pub enum Step {
    /// Transaction A: the payment as `submitting`, with its key and request.
    Open(Box<Open>),
    /// Before A: the card that was named, as the provider knows it.
    CheckCard(Box<Open>),
    /// Before A: the company's customer at the provider.
    MakeCustomer(Box<Open>),
    /// Before A: another payment gives up the slot.
    CloseFirst {
        open: Box<Open>,
        other: PaymentId,
        step: Box<Step>,
    },
    Look(Case),
    /// Whoever decided must still be a platform admin when the turn comes.
    Review(Case),
    Call(Case, Call),
    /// Transactions B and C: decide on what happened, write it with its effects.
    Follow(Case, Input),
    Done(Box<Outcome>),
}

impl Step {
    pub(super) fn done(outcome: Outcome) -> Self {
        Step::Done(Box::new(outcome))
    }
}

impl From<Command> for Step {
    fn from(command: Command) -> Self {
        match command {
            Command::StartPayment(open) => Step::Open(open),
            Command::SubmitPayment(case) => Step::Call(case, Call::Create),
            Command::ReadPayment(case) => Step::Look(case),
            Command::CancelPayment(case) => Step::Follow(case, Input::CancelAsked(Closing::Cancel)),
            Command::ReviewPayment(case) => Step::Review(case),
            Command::WakePayment(case) => Step::Follow(case, Input::Due),
        }
    }
}

/// What all walks of this process work with.
pub struct Steps {
    pub(super) db: Db,
    pub(super) gateway: Arc<dyn Gateway>,
    pub(super) limits: Limits,
    /// Names this installation in the provider's metadata.
    pub(super) environment: String,
    offer: Offer,
}

impl Steps {
    pub fn new(db: Db, gateway: Arc<dyn Gateway>, limits: Limits, environment: String) -> Self {
        Self { db, gateway, limits, environment, offer: Offer::default() }
    }

    /// What the provider takes.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// A company, or a network, whose cards are declined too often pays by PIX or boleto for a while. Each
    /// event of the provider counts, because a card tried again may be declined for the same reason. A renewal
    /// that nobody was there for does not: its failed charges must not keep a person from trying another card.
    pub(crate) async fn count_decline(&self, case: &Case) -> Result<()> {
        let tx = self.db.company_tx(&case.scope).await?;
        if store::load(&tx, case.payment).await?.situation.off_session {
            return Ok(());
        }
        let payer = store::payer_bucket(&tx, case.payment).await?;
        tx.rollback().await?;
        let payer = payer.as_deref().map(Bucket::stored);
        self.count_declined(&case.scope, payer.as_ref()).await
    }

    /// One decline of a company's card, and of the network that it was sent from.
    pub(crate) async fn count_declined(
        &self,
        scope: &CompanyScope,
        network: Option<&Bucket>,
    ) -> Result<()> {
        let tx = self.db.company_tx(scope).await?;
        let company = self.bucket(scope.company_id());
        for rule in CARD_DECLINED {
            self.limits.try_take(&tx, rule, &company).await?;
        }
        if let Some(network) = network {
            self.limits.try_take(&tx, CARD_DECLINED_IP, network).await?;
        }
        tx.commit().await
    }

    /// Whether a company, or a network, may try another card.
    ///
    /// # Errors
    /// `Conflict(PAYMENT_METHOD_UNAVAILABLE)` after too many declines.
    pub(crate) async fn may_charge(
        &self,
        company: &Bucket,
        network: Option<&Bucket>,
    ) -> Result<()> {
        let mut declines = Vec::from(CARD_DECLINED.map(|rule| (rule, company)));
        declines.extend(network.map(|network| (CARD_DECLINED_IP, network)));
        match self.limits.check(&self.db, &declines).await {
            Err(Error::TooMany { .. }) => Err(Error::conflict(Code::PaymentMethodUnavailable)),
            answer => answer,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The bucket of a payer's network.
    pub(crate) fn network_bucket(&self, network: &str) -> Bucket {
        self.limits.bucket(&["network", network])
    }

    /// The bucket of a company's payments.
    pub(crate) fn bucket(&self, company: CompanyId) -> Bucket {
        self.limits.bucket(&["company", &company.to_string()])
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

    /// Walks to the end.
    ///
    /// # Errors
    /// What kept a step from being done; the payment's timer goes on from there.
    pub async fn walk(&self, command: Command) -> Result<Outcome> {
        let mut step = Step::from(command);
        for _ in 0..MOST_STEPS {
            match self.advance(step).await? {
                Step::Done(outcome) => return Ok(*outcome),
                next => step = next,
            }
        }
        Err(Error::internal("a payment's walk has no end"))
    }

    /// Does one step.
    ///
    /// # Errors
    /// As `walk`.
    pub async fn advance(&self, step: Step) -> Result<Step> {
        match step {
            Step::Open(open) => self.open(open).await,
            Step::CheckCard(open) => Ok(self.check_card(open).await),
            Step::MakeCustomer(open) => self.make_customer(open).await,
            Step::CloseFirst { mut open, other, step } => {
                match Box::pin(self.advance(*step)).await? {
                    Step::Done(_) => {
                        open.closed = Some(other);
                        Ok(Step::Open(open))
                    }
                    step => Ok(Step::CloseFirst { open, other, step: Box::new(step) }),
                }
            }
            Step::Look(case) => self.look(case).await,
            Step::Review(case) => self.review(case).await,
            Step::Call(case, call) => self.call(case, call).await,
            Step::Follow(case, input) => self.follow(case, input).await,
            Step::Done(outcome) => Ok(Step::Done(outcome)),
        }
    }

    async fn look(&self, case: Case) -> Result<Step> {
        let payment = self.load(&case).await?;
        Ok(match payment.situation.intent {
            Some(_) => Step::Call(case, Call::Read),
            None => Step::Follow(case, Input::Due),
        })
    }

    async fn review(&self, case: Case) -> Result<Step> {
        let review = case.review.as_deref();
        let review = review.ok_or_else(|| Error::internal("a review without its decision"))?;
        review.admin.prove_again(&self.db).await?;
        let input = Input::Reviewed(review.verdict);
        Ok(Step::Follow(case, input))
    }

    async fn call(&self, case: Case, call: Call) -> Result<Step> {
        let payment = self.load(&case).await?;
        let started_at = self.db.clock().now();
        let seen = |intent: Intent| Input::Read { intent: Box::new(intent), started_at };
        let intent = payment.situation.intent.as_deref().unwrap_or_default();
        let input = match call {
            Call::Create => {
                let (body, key) = (&payment.provider_request, &payment.provider_key);
                let answer = self.gateway.create(body, key).await;
                self.offer.learn(payment.situation.method, &answer, started_at);
                match answer {
                    ProviderAnswer::Done(intent) => seen(intent),
                    ProviderAnswer::Refused(refusal) => Input::CreateRefused(refusal),
                    ProviderAnswer::Unreachable if case.first => Input::CreateUnsent,
                    ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Input::Unclear,
                }
            }
            Call::Cancel => {
                let key = gateway::key(payment.id, &format!("cancel:{}", payment.version));
                match self.gateway.cancel(intent, &key).await {
                    ProviderAnswer::Done(intent) => seen(intent),
                    ProviderAnswer::Refused(_) => Input::CancelRefused,
                    ProviderAnswer::Unknown | ProviderAnswer::Unreachable => Input::Unclear,
                }
            }
            Call::Read => match self.gateway.read(intent).await {
                ProviderAnswer::Done(intent) => seen(intent),
                other => return Ok(self.unread(&case, &payment, other)),
            },
            Call::Find => match self.find(&case, &payment).await? {
                ProviderAnswer::Done(Some(intent)) => seen(intent),
                ProviderAnswer::Done(None) => Input::NeverCreated,
                other => return Ok(self.unread(&case, &payment, other)),
            },
        };
        Ok(Step::Follow(case, input))
    }

    /// The starter of a payment is answered what we know; everybody else learns that nothing was read.
    fn unread<T>(&self, case: &Case, payment: &Payment, answer: ProviderAnswer<T>) -> Step {
        if case.key.is_some() {
            return Step::done(shown(payment, None));
        }
        Step::done(Outcome::Unread(match answer {
            ProviderAnswer::Refused(refusal) => Some(refusal),
            ProviderAnswer::Done(_) | ProviderAnswer::Unknown | ProviderAnswer::Unreachable => None,
        }))
    }

    /// The intent whose creation was never answered, among the customer's newest.
    async fn find(&self, case: &Case, payment: &Payment) -> Result<ProviderAnswer<Option<Intent>>> {
        let tx = self.db.company_tx(&case.scope).await?;
        let customer = wallet::customer(&tx).await?;
        tx.rollback().await?;
        let Some(customer) = customer else { return Ok(ProviderAnswer::Done(None)) };
        let id = payment.id.to_string();
        let intents = self.gateway.intents_of(&customer).await;
        Ok(intents.map(|intents| {
            intents.into_iter().find(|intent| intent.metadata.get("paymentId") == Some(&id))
        }))
    }

    pub(crate) async fn load(&self, case: &Case) -> Result<Payment> {
        let tx = self.db.company_tx(&case.scope).await?;
        let payment = store::load(&tx, case.payment).await?;
        tx.rollback().await?;
        Ok(payment)
    }
}

pub(super) fn shown(payment: &Payment, secret: Option<Secret>) -> Outcome {
    Outcome::Payment {
        view: Box::new(payment.into()),
        secret,
        unsettled: payment.situation.state == PaymentState::Submitting,
        is_final: payment.situation.state.is_final(),
    }
}
