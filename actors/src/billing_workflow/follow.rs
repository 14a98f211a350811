//! Transactions B and C: what happened is decided on under the row lock and written together with its
//! effects, its timer, its answer and, last, its events. A success pays for its subscription right here.

use bipe_core::alert::{self, Alert};
use bipe_core::audit::{self, Entry};
use bipe_core::company::members;
use bipe_core::db::CompanyTx;
use bipe_core::error::Detail;
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::idempotency;
use bipe_core::job::{self, JobKind};
use bipe_core::payment::admin::Review;
use bipe_core::payment::{
    Closing, Effect, FailureCode, Input, Method, Payment, PaymentView, Situation, State, Verdict,
    decide, store, timer,
};
use bipe_core::scope::Permission;
use bipe_core::subscription::purchase::{self, Outcome as Bought, Paid};
use bipe_core::subscription::renewal;
use bipe_core::subscription::timer::Look;
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
        lock(&tx, &input).await?;
        let mut payment = store::lock(&tx, case.payment).await?;
        if self.is_foreign(&payment, &input) {
            alert(&tx, &payment, "payment.foreign_object", FOREIGN).await?;
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
        let decision = match decide(&payment.situation, input, tx.now()) {
            Ok(decision) => decision,
            Err(code) => {
                tx.rollback().await?;
                let error = Error::Conflict(code, Detail::None);
                return Ok(Step::done(Outcome::Refused { error, replayed: false }));
            }
        };
        let before = std::mem::replace(&mut payment.situation, decision.next);
        if before != payment.situation {
            store::save(&tx, &mut payment).await?;
        }
        let (call, credited) = self.effects(&mut tx, &mut payment, &decision.effects).await?;
        for action in asked.into_iter().chain(happened(&before, &payment.situation)) {
            record(&tx, &payment, action, case.review.as_deref()).await?;
        }
        self.set_timer(&mut tx, &payment).await?;
        let view = PaymentView::from(&payment);
        if let Some(key) = &case.key {
            let answered = payment.situation.state != State::Submitting && call.is_none();
            keep_answer(&tx, key, unsent, answered.then_some(&view)).await?;
        }
        if decision.changed {
            notice::enqueue(&mut tx, &payment, &view, credited).await?;
            let channel = Channel::Company(payment.company_id);
            tx.emit(NewEvent::new(channel, EventName::PaymentUpdated, payment.id, &view)?);
        }
        store::show_open_payment(&mut tx).await?;
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
        tx: &mut CompanyTx,
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
    async fn apply(&self, tx: &mut CompanyTx, payment: &mut Payment) -> Result<bool> {
        let State::Succeeded { at } = payment.situation.state else { return Ok(false) };
        if !store::claim_effects(tx, payment).await? {
            return Ok(false);
        }
        if payment.saves_card() {
            let (key, now) = (payment.company_id.to_string(), tx.now());
            job::add(tx, JobKind::Wallet, &key, now, &Look { company_id: payment.company_id })
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
        if applied.outcome == Bought::Credited {
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
async fn lock(tx: &CompanyTx, input: &Input) -> Result<()> {
    match input {
        // A person's command: it may have waited while the person was demoted.
        Input::CancelAsked(_) => members::lock(tx, Permission::ManagePayments).await,
        _ => purchase::lock(tx).await,
    }
}

/// What a person asked for, as the audit names it.
fn asked(input: &Input) -> Option<&'static str> {
    match input {
        Input::CancelAsked(_) => Some("payment.cancel"),
        Input::Reviewed(Verdict::Accept) => Some("payment.accept"),
        Input::Reviewed(Verdict::Refuse) => Some("payment.refuse"),
        _ => None,
    }
}

/// What a payment went through, as the audit names it.
fn happened(before: &Situation, after: &Situation) -> Vec<&'static str> {
    let mut actions = Vec::new();
    if before.state != after.state {
        actions.extend(match &after.state {
            State::Succeeded { .. } => Some("payment.succeed"),
            State::Failed(_) => Some("payment.fail"),
            State::Expired => Some("payment.expire"),
            State::Canceled => Some("payment.close"),
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
async fn close_unpaid(tx: &mut CompanyTx, payment: &Payment) -> Result<()> {
    purchase::close_unpaid(tx).await?;
    let (code, detail) = match &payment.situation.state {
        State::Failed(failure) => (failure.code, failure.detail.as_deref()),
        State::Expired => (FailureCode::PaymentExpired, None),
        _ => (FailureCode::Other, None),
    };
    renewal::charge_failed(tx, payment.id, (code.as_str(), detail)).await
}
