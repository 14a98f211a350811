//! Transactions B and C: what happened is decided on under the row lock and written together with its
//! effects, its timer, its answer and, last, its events. A success pays for its subscription right here.

use bipe_core::alert::{self, Alert};
use bipe_core::audit::{self, Entry};
use bipe_core::company::{Locked, lock, lock_for};
use bipe_core::db::CompanyTx;
use bipe_core::error::Detail;
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::idempotency;
use bipe_core::job::{self, JobKind};
use bipe_core::payment::admin::Review;
use bipe_core::payment::{
    Closing, Effect, FailureCode, Input, Method, Payment, PaymentState, PaymentView,
    ReviewDecision, Situation, decide, store, timer,
};
use bipe_core::scope::Permission;
use bipe_core::subscription::purchase::{self, Paid, PurchaseOutcome};
use bipe_core::subscription::renewal;
use bipe_core::subscription::timer::CompanyJob;
use bipe_core::{Error, Result};

use super::Outcome;
use super::notice;
use super::open::provider_unavailable;
use super::steps::{Call, Case, Step, Steps, shown};
use crate::jobs::Wake;

/// What the idempotency key keeps for a payment that was made.
const CREATED: u16 = 201;
const FOREIGN: &str = "the provider's object names another company, payment or installation";

impl Steps {
    pub(super) async fn follow(&self, mut case: Case, input: Input) -> Result<Step> {
        let mut tx = self.db.company_tx(&case.scope).await?;
        tx.set_cause(case.cause.as_deref());
        let mut locked = take_lock(&mut tx, &input).await?;
        let mut payment = store::lock(&locked, case.payment).await?;
        if self.is_foreign(&payment, &input) {
            alert(&locked, &payment, "payment.foreign_object", FOREIGN).await?;
            tx.commit().await?;
            return Ok(Step::done(Outcome::Unread(None)));
        }
        let unsent = matches!(input, Input::CreateUnsent);
        let asked = asked(&input);
        if matches!(input, Input::CancelAsked(Closing::Cancel)) {
            payment.cancel_reason = case.reason.take().or(payment.cancel_reason);
        }
        if let Input::Read { intent, .. } = &input
            && payment.situation.method == Method::CreditCard
        {
            case.secret.clone_from(&intent.client_secret);
        }
        if let (Input::Reviewed(_), Some(review)) = (&input, &case.review) {
            payment.review_reason = Some(review.reason.clone());
        }
        let decision = match decide(&payment.situation, input, locked.now()) {
            Ok(decision) => decision,
            Err(code) => {
                tx.rollback().await?;
                let error = Error::Conflict(code, Detail::None);
                return Ok(Step::done(Outcome::Refused { error, replayed: false }));
            }
        };
        let before = std::mem::replace(&mut payment.situation, decision.next);
        if before != payment.situation {
            store::save(&locked, &mut payment).await?;
        }
        let (call, credited) = self.effects(&mut locked, &mut payment, &decision.effects).await?;
        for action in asked.into_iter().chain(happened(&before, &payment.situation)) {
            record(&locked, &payment, action, case.review.as_deref()).await?;
        }
        self.set_timer(&mut locked, &payment).await?;
        let view = PaymentView::from(&payment);
        if let Some(key) = &case.key {
            let answered = payment.situation.state != PaymentState::Submitting && call.is_none();
            keep_answer(&locked, key, unsent, answered.then_some(&view)).await?;
        }
        if decision.changed {
            notice::enqueue(&mut locked, &payment, &view, credited).await?;
            let channel = Channel::Company(payment.company_id);
            locked.emit(NewEvent::new(channel, EventName::PaymentUpdated, payment.id, &view)?);
        }
        store::show_open_payment(&mut locked).await?;
        tx.commit().await?;
        Ok(match call {
            Some(call) => Step::Call(case, call),
            None if unsent => {
                Step::done(Outcome::Refused { error: provider_unavailable(), replayed: false })
            }
            None => Step::done(shown(&payment, case.secret)),
        })
    }

    /// The company comes from our own row; what the provider's metadata say must agree with it.
    fn is_foreign(&self, payment: &Payment, input: &Input) -> bool {
        let Input::Read { intent, .. } = input else { return false };
        let other_environment =
            intent.metadata.get("env").is_some_and(|env| *env != self.environment);
        other_environment || !intent.is_of(payment.id, payment.company_id)
    }

    /// Carries out what belongs into this transaction; the provider's call comes after its commit.
    async fn effects(
        &self,
        tx: &mut Locked<'_>,
        payment: &mut Payment,
        effects: &[Effect],
    ) -> Result<(Option<Call>, bool)> {
        let (mut call, mut credited) = (None, false);
        for effect in effects {
            match effect {
                Effect::Create => call = Some(Call::Create),
                Effect::Find => call = Some(Call::Find),
                Effect::Read => call = Some(Call::Read),
                Effect::Cancel => call = Some(Call::Cancel),
                Effect::Apply => credited = self.apply(tx, payment).await?,
                Effect::ApplyAsCredit => {
                    if store::claim_effects(tx, payment).await? {
                        let (id, quote) = (payment.id, payment.quote_id);
                        purchase::credit_unapplied(tx, id, quote, payment.cents()).await?;
                        credited = true;
                    }
                }
                Effect::CloseUnpaid => close_unpaid(tx, payment).await?,
                Effect::Alert(concern) => {
                    alert(tx, payment, concern.kind(), concern.detail()).await?;
                }
            }
        }
        Ok((call, credited))
    }

    /// Once in the life of a payment, in the transaction that writes its success; true when nothing could be
    /// bought any more and the money became credit.
    async fn apply(&self, tx: &mut Locked<'_>, payment: &mut Payment) -> Result<bool> {
        let PaymentState::Succeeded { at } = payment.situation.state else { return Ok(false) };
        if !store::claim_effects(tx, payment).await? {
            return Ok(false);
        }
        if payment.saves_card() {
            let (key, now) = (payment.company_id.to_string(), tx.now());
            job::add(
                tx,
                JobKind::Wallet,
                &key,
                now,
                &CompanyJob { company_id: payment.company_id },
            )
            .await?;
        }
        let paid = Paid {
            payment_id: payment.id,
            quote_id: payment.quote_id,
            amount: payment.received(),
            by: payment.created_by,
            settles_later: payment.situation.method.settles_later(),
            succeeded_at: at,
        };
        let applied = purchase::apply_paid(tx, &paid).await?;
        if applied.outcome == PurchaseOutcome::Credited {
            let detail = "paid for what is not on offer any more: the amount became credit";
            alert(tx, payment, "payment.credited", detail).await?;
            return Ok(true);
        }
        Ok(false)
    }

    async fn set_timer(&self, tx: &mut CompanyTx, payment: &Payment) -> Result<()> {
        let key = payment.id.to_string();
        match timer::next_look(&payment.situation, tx.now()) {
            Some(at) => {
                let wake = Wake { company_id: payment.company_id, payment_id: payment.id };
                job::reschedule(tx, JobKind::Reconcile, &key, at, &wake).await
            }
            None => job::remove(tx, JobKind::Reconcile, &key).await,
        }
    }
}

async fn alert(tx: &CompanyTx, payment: &Payment, kind: &'static str, detail: &str) -> Result<()> {
    let subject = payment.id.to_string();
    let company = Some(payment.company_id);
    alert::raise(tx, Alert { kind, company, subject: &subject, detail }).await
}

/// A command that had no effect frees its key; one that was answered keeps its answer.
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
            idempotency::answer(tx, key, CREATED, &reply).await
        }
        None => Ok(()),
    }
}

/// Every change of a company's money stands behind the company's lock.
async fn take_lock<'tx>(tx: &'tx mut CompanyTx, input: &Input) -> Result<Locked<'tx>> {
    match input {
        // A person's command: it may have waited while the person was demoted.
        Input::CancelAsked(_) => lock_for(tx, Permission::ManagePayments).await,
        _ => lock(tx).await,
    }
}

/// What a person asked for, as the audit names it.
fn asked(input: &Input) -> Option<&'static str> {
    match input {
        Input::CancelAsked(_) => Some("payment.cancel"),
        Input::Reviewed(ReviewDecision::Accept) => Some("payment.accept"),
        Input::Reviewed(ReviewDecision::Refuse) => Some("payment.refuse"),
        _ => None,
    }
}

/// What a payment went through, as the audit names it.
fn happened(before: &Situation, after: &Situation) -> Vec<&'static str> {
    let mut actions = Vec::new();
    if before.state != after.state {
        actions.extend(match &after.state {
            PaymentState::Succeeded { .. } => Some("payment.succeed"),
            PaymentState::Failed(_) => Some("payment.fail"),
            PaymentState::Expired => Some("payment.expire"),
            PaymentState::Canceled => Some("payment.close"),
            _ => None,
        });
    }
    if before.refunded != after.refunded {
        actions.push("payment.refund");
    }
    if before.disputed != after.disputed {
        actions.push("payment.dispute");
    }
    actions
}

async fn record(
    tx: &CompanyTx,
    payment: &Payment,
    action: &'static str,
    review: Option<&Review>,
) -> Result<()> {
    let fields: &[&str] = match (action, &payment.cancel_reason) {
        ("payment.cancel", Some(_)) => &["cancel_reason"],
        ("payment.accept" | "payment.refuse", _) => &["review_reason"],
        _ => &[],
    };
    let by = match review {
        Some(review) => audit::by_admin(&review.admin, &review.caller, action),
        None => Entry { actor: tx.scope().user_id(), ..Entry::of(action) },
    };
    let (company, target) = (Some(payment.company_id), Some(payment.id.to_string()));
    audit::record(tx, Entry { company, target, fields, ..by }).await
}

/// It ended unpaid: what its opening did is taken back, and a charge of ours is told as failed.
async fn close_unpaid(tx: &mut Locked<'_>, payment: &Payment) -> Result<()> {
    purchase::close_unpaid(tx).await?;
    let (code, detail) = match &payment.situation.state {
        PaymentState::Failed(failure) => (failure.code, failure.detail.as_deref()),
        PaymentState::Expired => (FailureCode::PaymentExpired, None),
        _ => (FailureCode::Other, None),
    };
    renewal::charge_failed(tx, payment.id, (code.as_str(), detail)).await
}
