//! Transactions B and C: decides under the payment's row lock on what happened, and writes the next state with its
//! effects, timer, stored answer and, last, events. A success pays for its subscription in the same transaction.

use std::cmp::Ordering;

use bipe_core::alert::{self, Alert, AlertKind};
use bipe_core::audit::{self, AuditAction, AuditField, Entry};
use bipe_core::company::Locked;
use bipe_core::db::CompanyTx;
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::idempotency;
use bipe_core::invoice::{Draft, PaymentMeans};
use bipe_core::job::{self, JobKind};
use bipe_core::money::Cents;
use bipe_core::payment::admin::Review;
use bipe_core::payment::{
    AlertReason, CloseReason, Effect, FailureCode, Input, Payment, PaymentState, PaymentView,
    Situation, decide, measure, refund, saved_cards, store, timer,
};
use bipe_core::payment_method::CardName;
use bipe_core::scope::Permission;
use bipe_core::subscription::purchase::{self, PricedChoice, PurchaseOutcome, SuccessfulPayment};
use bipe_core::subscription::renewal;
use bipe_core::{Error, Result};
use futures_util::future::try_join;

use super::step::{Call, Step, TaskRun, Trigger, shown};
use super::task::{PaymentOutcome, PaymentTimer};
use super::{Steps, notice};

const FOREIGN: &str = "the provider's object names another company, payment or environment";

impl Steps {
    pub(super) async fn follow(&self, mut run: TaskRun, trigger: Trigger) -> Result<Step> {
        let (scope, id) = (&run.task.scope, run.task.payment);
        // Every transaction that changes a company's money locks the company first.
        let (mut tx, lock, payment) = store::begin_locked(&self.db, scope, id).await?;
        tx.set_cause(run.task.cause.as_deref());
        let mut locked = lock.held_by(&mut tx);
        if trigger.is_of_member() {
            locked.prove(Permission::ManagePayments).await?;
        }
        let mut payment = payment.ok_or_else(Error::not_found)?;
        if run.job.is_some() && is_of_other_intent(&payment, &trigger) {
            return Err(Error::not_found());
        }
        if is_sent_elsewhere(&payment, &trigger) {
            return Ok(Step::read_if_known(run, &payment));
        }
        if self.is_foreign(&payment, &trigger) {
            alert(&locked, &payment, AlertKind::PaymentForeignObject, FOREIGN).await?;
            tx.commit().await?;
            return Ok(Step::done(PaymentOutcome::Foreign(Box::new((&payment).into()))));
        }
        note_reason(&mut payment, &trigger);
        let action = trigger.action();
        let (input, review) = trigger.into_input();
        let unsent = matches!(input, Input::CreateUnsent);
        let (card, name) = take_card(&mut run, &payment, &input);
        let decision = match decide(&payment.situation, input, locked.now()) {
            Ok(decision) => decision,
            Err(code) => return Ok(Step::refused(Error::conflict(code))),
        };
        let before = std::mem::replace(&mut payment.situation, decision.next);
        let paid = newly_paid(&payment, &decision.effects, name);
        let mut paid_choice = None;
        let is_sent_again = decision.effects.contains(&Effect::Create);
        if before != payment.situation || paid.is_some() || is_sent_again {
            paid_choice = save(&locked, &mut payment, paid.as_ref(), card).await?;
            measure::count_transition(&locked, &before, &payment.situation);
        }
        let paid = paid.zip(paid_choice);
        let AppliedEffects { call, receipt } =
            effects(&mut locked, &mut payment, &before, &decision.effects, paid).await?;
        for action in action.into_iter().chain(happened(&before, &payment.situation)) {
            record(&locked, &payment, action, review.as_deref());
        }
        set_timer(&mut locked, &payment)?;
        let view = PaymentView::from(&payment);
        if let Some(key) = &run.key {
            let answered = payment.situation.state != PaymentState::Submitting && call.is_none();
            keep_answer(&locked, key, unsent, answered.then_some(&view)).await?;
        }
        if decision.changed || returned_money_changed(&before, &payment.situation) {
            announce(&mut locked, &payment, &view, &before, receipt.is_some()).await?;
        }
        issue_invoices(&mut locked, &payment, &view, &before, receipt).await?;
        show_open_payment(&mut locked, &payment).await?;
        if let (Some(job), None) = (run.job, call) {
            job.finish(&mut locked);
        }
        tx.commit().await?;
        Ok(next(run, payment, call, unsent))
    }

    /// The provider's object names another company, payment or environment than ours.
    fn is_foreign(&self, payment: &Payment, trigger: &Trigger) -> bool {
        let Trigger::Input(Input::Read { intent, .. }) = trigger else { return false };
        let other_environment =
            intent.metadata.get("env").is_some_and(|env| *env != self.environment);
        other_environment || !intent.is_of(payment.id, payment.company_id)
    }
}

/// The card that the provider shows, by its id and its name; its secret is the caller's.
fn take_card(
    run: &mut TaskRun,
    payment: &Payment,
    input: &Input,
) -> (Option<String>, Option<CardName>) {
    let Input::Read { intent, .. } = input else { return (None, None) };
    if !payment.situation.method.rules().takes_a_card {
        return (None, None);
    }
    run.secret.clone_from(&intent.client_secret);
    (intent.payment_method.clone(), intent.card.clone())
}

/// What follows the commit.
fn next(mut run: TaskRun, payment: Payment, call: Option<Call>, unsent: bool) -> Step {
    match call {
        Some(call) => {
            run.payment = Some(Box::new(payment));
            Step::Call(run, call)
        }
        None if unsent => Step::refused(Error::provider_unavailable()),
        None => Step::done(shown(&payment, run.secret)),
    }
}

/// Saves the payment. For one whose money came in now by the `card`, together with reading what was paid for.
async fn save(
    tx: &Locked<'_>,
    payment: &mut Payment,
    paid: Option<&SuccessfulPayment>,
    card: Option<String>,
) -> Result<Option<PricedChoice>> {
    let Some(paid) = paid else {
        store::save(tx, payment, false).await?;
        return Ok(None);
    };
    if let Some(card) = card {
        saved_cards::trust(tx, &card).await?;
    }
    // What is read sees the payment as it is saved. Boxed: a walk keeps its futures on one stack, and this one is large.
    store::prepare_save(tx).await?;
    let reading = Box::pin(purchase::paid_choice(tx, paid.quote_id));
    let ((), choice) = try_join(store::save(tx, payment, true), reading).await?;
    Ok(Some(choice))
}

/// Does the effects that belong into this transaction. `paid`: what the success of the payment is to be spent on, once in
/// its life, and what it was made for.
async fn effects(
    tx: &mut Locked<'_>,
    payment: &mut Payment,
    before: &Situation,
    effects: &[Effect],
    mut paid: Option<(SuccessfulPayment, PricedChoice)>,
) -> Result<AppliedEffects> {
    let mut applied = AppliedEffects::default();
    for effect in effects {
        match effect {
            Effect::Create => applied.call = Some(Call::Create { maybe_sent: true }),
            Effect::Find => applied.call = Some(Call::Find),
            Effect::Read => applied.call = Some(Call::Read),
            Effect::Cancel => applied.call = Some(Call::Cancel),
            Effect::Apply => {
                if let Some((paid, choice)) = paid.take() {
                    applied.receipt = Some(apply(tx, payment, &paid, choice).await?);
                }
            }
            Effect::ApplyAsCredit => {
                if let Some((paid, choice)) = paid.take() {
                    let draft = purchase::credit_unapplied(tx, &paid, &choice).await?;
                    applied.receipt = Some(draft);
                    payment.credited = true;
                }
            }
            Effect::CloseUnpaid => close_unpaid(tx, payment, before).await?,
            Effect::Alert(AlertReason::Refunded)
                if refund::store::was_asked_for(tx, payment).await? => {}
            Effect::Alert(concern) => {
                alert(tx, payment, concern.kind(), concern.detail()).await?;
                if *concern == AlertReason::RefundFailed {
                    refund::store::look_again(tx, payment.id).await?;
                }
            }
        }
    }
    Ok(applied)
}

/// Buys what the payment is for, in the transaction that writes its success. Answers its document.
async fn apply(
    tx: &mut Locked<'_>,
    payment: &mut Payment,
    paid: &SuccessfulPayment,
    choice: PricedChoice,
) -> Result<Draft> {
    if payment.saves_card {
        job::add_for_company(tx, JobKind::SavedCards, payment.company_id)?;
    }
    let (outcome, draft) = purchase::apply_paid(tx, paid, choice).await?;
    if outcome == PurchaseOutcome::Credited {
        payment.credited = true;
        let detail = "paid for what is not on offer any more: the amount became credit";
        alert(tx, payment, AlertKind::PaymentCredited, detail).await?;
    }
    Ok(draft)
}

/// What was done inside of the transaction, and the provider's call that follows the commit.
#[derive(Default)]
struct AppliedEffects {
    call: Option<Call>,
    /// The document of money that came in.
    receipt: Option<Draft>,
}

/// The money of a payment whose success takes effect now. None if it has not succeeded, or took effect before.
fn newly_paid(
    payment: &Payment,
    effects: &[Effect],
    card: Option<CardName>,
) -> Option<SuccessfulPayment> {
    let PaymentState::Succeeded { at } = payment.situation.state else { return None };
    let spends = |effect: &Effect| matches!(effect, Effect::Apply | Effect::ApplyAsCredit);
    if payment.is_applied || !effects.iter().any(spends) {
        return None;
    }
    let means = PaymentMeans {
        id: payment.id,
        method: payment.situation.method,
        card,
        provider: payment.provider.clone(),
        reference: payment.situation.intent.clone(),
    };
    let (quote_id, amount, by) =
        (payment.quote_id, payment.situation.came_in(), payment.created_by);
    Some(SuccessfulPayment { means, quote_id, amount, by, succeeded_at: at })
}

/// Adds the company's open payment to the event of its subscription. One that ended has left the slot empty.
async fn show_open_payment(tx: &mut CompanyTx, payment: &Payment) -> Result<()> {
    if !payment.situation.superseded && payment.situation.state.is_final() {
        return Ok(());
    }
    store::show_open_payment(tx).await
}

/// An event that names our payment with an intent that is not its own says nothing about it.
fn is_of_other_intent(payment: &Payment, trigger: &Trigger) -> bool {
    let Trigger::Input(Input::Read { intent, .. }) = trigger else { return false };
    payment.situation.intent.as_ref().is_some_and(|own| *own != intent.id)
}

/// The creation never left this node, but another one sends it, by its timer or for a repeat of the command. Each such
/// sending was written before it: its answer counts.
fn is_sent_elsewhere(payment: &Payment, trigger: &Trigger) -> bool {
    matches!(trigger, Trigger::Input(Input::CreateUnsent)) && !payment.is_untouched()
}

/// The refunded amount has changed, or whether the payment is disputed.
fn returned_money_changed(before: &Situation, after: &Situation) -> bool {
    (before.refunded, before.disputed) != (after.refunded, after.disputed)
}

/// The event of what has changed, its notification and its mail; a receipt brings its own mail.
async fn announce(
    tx: &mut Locked<'_>,
    payment: &Payment,
    view: &PaymentView,
    before: &Situation,
    has_receipt: bool,
) -> Result<()> {
    // The payer of a replaced payment is at the screen with the next one, or has paid by it: its money alone is news.
    let is_replaced = before.closing == Some(CloseReason::Replace) || before.superseded;
    let is_money = payment.situation.is_reviewed
        || matches!(payment.situation.state, PaymentState::Succeeded { .. });
    let is_news = !is_replaced || is_money;
    if is_news && before.state != payment.situation.state {
        notice::notify_of_payment(tx, payment);
        if !has_receipt {
            notice::enqueue(tx, payment, view).await?;
        }
    }
    let channel = Channel::Company(payment.company_id);
    tx.emit(NewEvent::new(channel, EventName::PaymentUpdated, payment.id, view)?);
    Ok(())
}

/// The documents of money that came in and of money that went back.
async fn issue_invoices(
    tx: &mut Locked<'_>,
    payment: &Payment,
    view: &PaymentView,
    before: &Situation,
    receipt: Option<Draft>,
) -> Result<()> {
    let given_back = payment.situation.refunded - before.refunded;
    match receipt {
        Some(draft) => notice::issue(tx, payment, view, draft, given_back).await,
        None if given_back == Cents::ZERO => Ok(()),
        None => notice::issue_refund(tx, payment, given_back).await,
    }
}

fn set_timer(tx: &mut CompanyTx, payment: &Payment) -> Result<()> {
    let at = timer::next_check(&payment.situation, tx.now());
    let timer = PaymentTimer { company_id: payment.company_id, payment_id: payment.id };
    job::reschedule(tx, JobKind::Reconcile, &payment.id.to_string(), at, &timer)
}

/// Notes why the payer cancels, or why a platform admin decided so.
fn note_reason(payment: &mut Payment, trigger: &Trigger) {
    match trigger {
        Trigger::Cancel(Some(reason)) => payment.cancel_reason = Some(reason.clone()),
        Trigger::Review(review) => payment.review_reason = Some(review.reason.clone()),
        Trigger::Cancel(None) | Trigger::Replace | Trigger::Input(_) => {}
    }
}

async fn alert(tx: &CompanyTx, payment: &Payment, kind: AlertKind, detail: &str) -> Result<()> {
    let (subject, company) = (payment.id.to_string(), Some(payment.company_id));
    alert::raise(tx, Alert { kind, company, subject: &subject, detail }).await
}

/// Stores the answer under the key of its command. A command that was never sent frees its key.
async fn keep_answer(
    tx: &CompanyTx,
    key: &str,
    unsent: bool,
    answered: Option<&PaymentView>,
) -> Result<()> {
    match answered {
        _ if unsent => idempotency::forget(tx, key).await,
        Some(view) => {
            let reply = serde_json::to_string(view).map_err(Error::internal)?;
            idempotency::answer(tx, key, idempotency::CREATED, &reply).await
        }
        None => Ok(()),
    }
}

/// What changed of the payment, as the audit names it.
fn happened(before: &Situation, after: &Situation) -> Vec<AuditAction> {
    let mut actions = Vec::new();
    if before.state != after.state {
        actions.extend(match &after.state {
            PaymentState::Succeeded { .. } => Some(AuditAction::PaymentSucceed),
            PaymentState::Failed(_) => Some(AuditAction::PaymentFail),
            PaymentState::Expired => Some(AuditAction::PaymentExpire),
            PaymentState::Canceled => Some(AuditAction::PaymentClose),
            _ => None,
        });
    }
    match after.refunded.cmp(&before.refunded) {
        Ordering::Greater => actions.push(AuditAction::PaymentRefund),
        Ordering::Less => actions.push(AuditAction::PaymentRefuseRefund),
        Ordering::Equal => {}
    }
    if before.disputed != after.disputed {
        actions.push(AuditAction::PaymentDispute);
    }
    actions
}

fn record(tx: &CompanyTx, payment: &Payment, action: AuditAction, review: Option<&Review>) {
    let fields: &[AuditField] = match (action, &payment.cancel_reason) {
        (AuditAction::PaymentCancel, Some(_)) => &[AuditField::CancelReason],
        (AuditAction::PaymentAccept | AuditAction::PaymentRefuse, _) => &[AuditField::ReviewReason],
        _ => &[],
    };
    let by = match review {
        Some(review) => audit::by_admin(&review.admin, &review.caller, action),
        None if action == AuditAction::PaymentCancel => Entry::in_company(tx.scope(), action),
        // The provider's word, whoever's look has found it.
        None => Entry::of(action),
    };
    let (company, target) = (Some(payment.company_id), Some(payment.id.to_string()));
    audit::record(tx, Entry { company, target, fields, ..by });
}

/// The payment ended unpaid: takes back what its opening did, and tells the renewal that its charge failed.
async fn close_unpaid(tx: &mut Locked<'_>, payment: &Payment, before: &Situation) -> Result<()> {
    purchase::close_unpaid(tx).await?;
    let (code, detail) = match (&payment.situation.state, &before.state) {
        // A charge that its payer cancels was declined all the same: the card may be done for.
        (PaymentState::Failed(it), _) | (PaymentState::Canceled, PaymentState::Declined(it)) => {
            (it.code, it.detail.as_deref())
        }
        (PaymentState::Expired, _) => (FailureCode::PaymentExpired, None),
        _ => (FailureCode::Other, None),
    };
    // Whoever cancels a charge or pays in its place knows of it. One that was never made says nothing of its card.
    let by_payer = matches!(before.closing, Some(CloseReason::Cancel | CloseReason::Replace));
    let was_made = (code, detail) != (FailureCode::ProcessingError, None);
    renewal::charge_failed(tx, payment.id, code.as_str(), detail, was_made && !by_payer).await
}
