//! Transaction A, which stores a new payment, and what must hold before it: the idempotency key is new, the price is
//! the one that the payer saw, no other payment is open, the card and the customer exist. A refusal changes nothing
//! and is stored under the key.

use bipe_core::audit::{self, AuditAction, Entry};
use bipe_core::company::Locked;
use bipe_core::db::CompanyTx;
use bipe_core::error::{Code, Detail};
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::gateway::{self, NewIntent, ProviderAnswer};
use bipe_core::id::{PaymentId, SubscriptionId};
use bipe_core::idempotency::{self, Claim};
use bipe_core::money::Cents;
use bipe_core::payment::command::{StartPayment, check_amount};
use bipe_core::payment::{
    Input, Payment, PaymentMetadata, PaymentState, PaymentView, renewal_consent, saved_cards,
    store, timer,
};
use bipe_core::payment_method::MethodDetails;
use bipe_core::rate_limit::Bucket;
use bipe_core::scope::Permission;
use bipe_core::subscription::command::PlanChoice;
use bipe_core::subscription::purchase::{self, PricedChoice};
use bipe_core::subscription::quote::Quote;
use bipe_core::{Error, Result, job, trace};
use uuid::Uuid;

use super::step::{Call, Step, TaskRun, Trigger, shown};
use super::task::{PaymentDraft, PaymentOutcome, PaymentTimer};
use super::{Steps, customer};

impl Steps {
    pub(super) async fn open(&self, draft: Box<PaymentDraft>) -> Result<Step> {
        let permit = self.opening_permits.take().await;
        let (scope, made) = (&draft.start.scope, draft.customer.as_deref());
        let (mut tx, lock, customer) = saved_cards::begin_command(&self.db, scope, made).await?;
        tx.set_cause(draft.start.request_id.as_deref());
        let mut locked = lock.held_by(&mut tx);
        if let Some(command) = &draft.start.key {
            match idempotency::claim_for(&locked, command, Some(draft.payment.0)).await {
                Ok(Claim::New) => {}
                Ok(Claim::Begun { subject: Some(id) }) => {
                    tx.rollback().await?;
                    drop(permit);
                    return self.resume(&draft, PaymentId(id)).await;
                }
                Ok(Claim::Begun { subject: None }) => {
                    return Ok(Step::refused(Error::conflict(Code::RequestInProgress)));
                }
                Ok(Claim::Done { reply, subject, .. }) => {
                    tx.rollback().await?;
                    drop(permit);
                    return self.replay(&draft, reply, subject).await;
                }
                Ok(Claim::Refused(error)) => {
                    return Ok(Step::done(PaymentOutcome::Refused { error, replayed: true }));
                }
                Err(error) => return Ok(Step::refused(error)),
            }
        }
        match self.try_open(&mut locked, &draft, customer).await {
            Ok(Opening::Stored(payment)) => {
                store::show_payment(&mut locked, &PaymentView::from(&*payment))?;
                tx.commit().await?;
                let run = TaskRun::of_start(&draft, draft.payment);
                let run = TaskRun { payment: Some(payment), ..run };
                Ok(Step::Call(run, Call::Create { maybe_sent: false }))
            }
            Ok(Opening::Needs(missing)) => {
                tx.rollback().await?;
                Ok(missing.step(draft))
            }
            Err(error) => {
                tx.rollback().await?;
                let key = draft.start.key.as_ref();
                idempotency::keep_refusal(&self.db, &draft.start.scope, key, &error).await?;
                Ok(Step::refused(error))
            }
        }
    }

    /// Transaction A after its key. With something missing the transaction is rolled back.
    async fn try_open(
        &self,
        tx: &mut Locked<'_>,
        draft: &PaymentDraft,
        customer: Option<String>,
    ) -> Result<Opening> {
        let start = &draft.start;
        tx.prove(Permission::ManagePayments).await?;
        let choice = PlanChoice { plan_id: start.plan_id, cycle: start.cycle };
        let priced = purchase::price_for(tx, choice, start.quote_id).await?;
        let quote = priced.quote.clone();
        if quote.amount_due != start.amount || quote.amount_due == Cents::ZERO {
            let expected = Detail::Expected(quote.amount_due);
            return Err(Error::Conflict(Code::AmountMismatch, expected));
        }
        check_amount(start.details.method(), quote.amount_due)?;
        let other = other_in_slot(tx, draft, &priced).await?;
        let Some(customer) = customer else { return Ok(Opening::Needs(Prerequisite::Customer)) };
        if start.details.method().rules().takes_a_card && !draft.card_checked {
            return Ok(Opening::Needs(Prerequisite::Card));
        }
        self.card_limits.count_payment(tx).await?;
        // Last: nothing that is refused has closed another payment. What was counted is taken back with the rest, and
        // counted again.
        if let Some(other) = other {
            return Ok(Opening::Needs(Prerequisite::Slot(other)));
        }
        let subscription = purchase::open_pending(tx, priced).await?;
        let order = Order { quote: &quote, subscription, customer: &customer };
        let payment = self.insert(tx, draft, &order).await?;
        Ok(Opening::Stored(Box::new(payment)))
    }

    pub(super) async fn insert(
        &self,
        tx: &mut CompanyTx,
        draft: &PaymentDraft,
        order: &Order<'_>,
    ) -> Result<Payment> {
        let Order { quote, subscription, customer } = *order;
        let (start, id, company) = (&draft.start, draft.payment, tx.company_id());
        let request = self.gateway.body(&NewIntent {
            payment_id: id,
            company_id: company,
            subscription: subscription.to_string(),
            plan_id: quote.plan_id,
            cycle: quote.cycle,
            change_type: quote.change_type,
            amount: quote.amount_due,
            customer,
            payer: &start.payer,
            details: &start.details,
            at: tx.now(),
            environment: &self.environment,
            trace: trace::current(),
        });
        let metadata = PaymentMetadata {
            company_id: company,
            plan_id: quote.plan_id,
            billing_cycle: quote.cycle,
            change_type: quote.change_type,
            quote_id: Some(quote.id),
            source: start.source.clone(),
            cancel_reason: None,
        };
        let command = start.key.as_ref();
        let payer = self.card_limits.network_bucket(draft.network.as_deref());
        let new = store::NewPayment {
            id,
            subscription_id: subscription,
            method: start.details.method(),
            quote,
            provider: self.gateway.name(),
            key: &gateway::key(id, "create"),
            request: &request,
            saves_card: start.saves_card(),
            idempotency_key: command.map(|command| command.key.as_str()),
            metadata: &metadata,
            payer_bucket: payer.as_ref().map(Bucket::as_str),
        };
        let payment = store::insert(tx, &new).await?;
        note_consent(tx, start, id).await?;
        announce(tx, &payment, AuditAction::PaymentStart)?;
        Ok(payment)
    }

    /// The first command with this key died before its answer, or runs on another node: goes on from what is stored.
    async fn resume(&self, draft: &PaymentDraft, payment: PaymentId) -> Result<Step> {
        let run = TaskRun::of_start(draft, payment);
        let payment = self.load(&run.task).await?;
        Ok(match (&payment.situation.state, &payment.situation.intent) {
            // Whether its key may be sent again is decided as when its timer rings.
            (PaymentState::Submitting, None) => Step::Follow(run, Trigger::Input(Input::Due)),
            (state, Some(_)) if !state.is_final() => Step::Call(run, Call::Read),
            _ => Step::done(shown(&payment, None)),
        })
    }

    async fn replay(
        &self,
        draft: &PaymentDraft,
        reply: String,
        subject: Option<Uuid>,
    ) -> Result<Step> {
        let mut secret = None;
        if let Some(id) = subject {
            let payment = self.load(&draft.task(PaymentId(id))).await?;
            let situation = &payment.situation;
            let card = situation.method.rules().takes_a_card && !situation.state.is_final();
            if let Some(intent) = situation.intent.as_ref().filter(|_| card)
                && let ProviderAnswer::Done(intent) = self.gateway.read(intent).await
            {
                secret = intent.client_secret;
            }
        }
        Ok(Step::done(PaymentOutcome::Replay { reply, secret }))
    }

    pub(super) async fn check_card(&self, mut draft: Box<PaymentDraft>) -> Result<Step> {
        if let Err(error) = self.judge_card(&draft).await {
            let key = draft.start.key.as_ref();
            idempotency::keep_refusal(&self.db, &draft.start.scope, key, &error).await?;
            return Ok(Step::refused(error));
        }
        draft.card_checked = true;
        Ok(Step::Open(draft))
    }

    /// Refuses a card that another customer has, or that the provider does not know.
    async fn judge_card(&self, draft: &PaymentDraft) -> Result<()> {
        let MethodDetails::Card { payment_method, save } = &draft.start.details else {
            return Ok(());
        };
        let company = draft.start.scope.company_id();
        let network = self.card_limits.network_bucket(draft.network.as_deref());
        self.card_limits.check(company, network.as_ref()).await?;
        let answer = self.gateway.card(payment_method).await.certain()?;
        let card = answer.map_err(|_refused| Error::conflict(Code::PaymentMethodUnavailable))?;
        let (customer, saved) = self.customer_and_saved_cards(draft).await?;
        if *save && card.customer.is_none() && saved >= saved_cards::MAX_CARDS {
            return Err(Error::conflict(Code::CardLimitReached));
        }
        if card.customer.is_some() && card.customer != customer {
            return Err(Error::conflict(Code::PaymentMethodUnavailable));
        }
        Ok(())
    }

    /// The company's customer at the provider, and how many cards it has saved.
    async fn customer_and_saved_cards(
        &self,
        draft: &PaymentDraft,
    ) -> Result<(Option<String>, usize)> {
        let tx = self.db.company_tx(&draft.start.scope).await?;
        let customer = saved_cards::customer(&tx).await?.or_else(|| draft.customer.clone());
        Ok((customer, saved_cards::list(&tx).await?.len()))
    }

    pub(super) async fn make_customer(&self, mut draft: Box<PaymentDraft>) -> Result<Step> {
        match self.make_customer_of(&draft.start.scope, customer::FIRST).await {
            Ok(customer) => {
                draft.customer = Some(customer);
                Ok(Step::Open(draft))
            }
            Err(error) if error.code() == Code::ProviderUnavailable => Ok(Step::refused(error)),
            Err(error) => Err(error),
        }
    }
}

/// The open payment that has to close for this one. One closes at most: what opened meanwhile is another command's, and
/// commands that close each other's payments would not end.
async fn other_in_slot(
    tx: &Locked<'_>,
    draft: &PaymentDraft,
    priced: &PricedChoice,
) -> Result<Option<PaymentId>> {
    // Behind the company's lock no payment opens.
    if priced.account.open.is_none() {
        return Ok(None);
    }
    let Some(other) = store::lock_open(tx).await? else { return Ok(None) };
    if other.situation.makes_room(draft.start.replace) {
        match draft.closed {
            None => return Ok(Some(other.id)),
            // The provider did not say whether it is closed. Its timer goes on; a repeat finds the place free.
            Some(closed) if closed == other.id && other.situation.unknown => {
                return Err(Error::provider_unavailable());
            }
            Some(_) => {}
        }
    }
    Err(Error::Conflict(Code::PaymentInProgress, Detail::PaymentId(other.id)))
}

/// Keeps the sentence that the payer agreed to with saving the card, if there is one.
async fn note_consent(tx: &CompanyTx, start: &StartPayment, payment: PaymentId) -> Result<()> {
    match (&start.renewal_consent, &start.details) {
        (Some(consent), MethodDetails::Card { payment_method, .. }) => {
            let person = start.scope.user_id();
            renewal_consent::record(tx, person, consent, payment_method, Some(payment)).await
        }
        _ => Ok(()),
    }
}

/// What a payment is stored for, and whom the provider charges.
pub(super) struct Order<'a> {
    pub quote: &'a Quote,
    pub subscription: SubscriptionId,
    /// The company's customer at the provider.
    pub customer: &'a str,
}

/// What became of transaction A.
enum Opening {
    Stored(Box<Payment>),
    Needs(Prerequisite),
}

/// What transaction A needs first.
enum Prerequisite {
    /// This payment is still open.
    Slot(PaymentId),
    Customer,
    Card,
}

impl Prerequisite {
    fn step(self, draft: Box<PaymentDraft>) -> Step {
        match self {
            Prerequisite::Customer => Step::MakeCustomer(draft),
            Prerequisite::Card => Step::CheckCard(draft),
            Prerequisite::Slot(other) => {
                let step = Step::Follow(draft.task(other).into(), Trigger::Replace);
                Step::CloseFirst { draft, other, step: Box::new(step) }
            }
        }
    }
}

/// What every payment that was just stored needs: its audit row, its timer and its event.
pub(super) fn announce(tx: &mut CompanyTx, payment: &Payment, action: AuditAction) -> Result<()> {
    let (id, company) = (payment.id, payment.company_id);
    audit::record(tx, Entry::in_company(tx.scope(), action).about(id));
    let timer = PaymentTimer { company_id: company, payment_id: id };
    if let Some(at) = timer::next_check(&payment.situation, tx.now()) {
        job::add(tx, job::JobKind::Reconcile, &id.to_string(), at, &timer)?;
    }
    let view = PaymentView::from(payment);
    tx.emit(NewEvent::new(Channel::Company(company), EventName::PaymentUpdated, id, &view)?);
    Ok(())
}
