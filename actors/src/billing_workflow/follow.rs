//! Transactions B and C: what happened is decided on under the row lock and written together with its
//! effects, its timer, its answer and, last, its events. A success pays for its subscription right here.

use bipe_core::alert::{self, Alert};
use bipe_core::audit::{self, Entry};
use bipe_core::db::CompanyTx;
use bipe_core::error::Detail;
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::idempotency;
use bipe_core::job::{self, JobKind};
use bipe_core::payment::{
    Effect, Input, Method, Payment, PaymentView, State, decide, store, timer,
};
use bipe_core::subscription::purchase::{self, Outcome as Bought, Paid};
use bipe_core::{Error, Result};

use super::Outcome;
use super::notice;
use super::open::provider_unavailable;
use super::steps::{Call, Case, Step, Steps, shown};
use crate::jobs::Wake;

/// What the idempotency key keeps for a payment that was made.
const CREATED: u16 = 201;

impl Steps {
    pub(super) async fn follow(&self, mut case: Case, input: Input) -> Result<Step> {
        let mut tx = self.db.company_tx(&case.scope).await?;
        tx.set_cause(case.cause.as_deref());
        purchase::lock(&tx).await?;
        let mut payment = store::lock(&tx, case.payment).await?;
        if self.is_foreign(&payment, &input) {
            let detail = "the provider's object names another company, payment or installation";
            alert(&tx, &payment, "payment.foreign_object", detail).await?;
            tx.commit().await?;
            return Ok(Step::done(Outcome::Unread));
        }
        let unsent = matches!(input, Input::CreateUnsent);
        let asked = matches!(input, Input::CancelAsked(_));
        if let Input::Read { intent, .. } = &input
            && payment.situation.method == Method::CreditCard
        {
            case.secret.clone_from(&intent.client_secret);
        }
        let decision = match decide(&payment.situation, input, tx.now()) {
            Ok(decision) => decision,
            Err(code) => {
                tx.rollback().await?;
                let error = Error::Conflict(code, Detail::None);
                return Ok(Step::done(Outcome::Refused { error, replayed: false }));
            }
        };
        let moved = decision.next != payment.situation;
        payment.situation = decision.next;
        if moved {
            store::save(&tx, &mut payment).await?;
        }
        let call = self.effects(&mut tx, &mut payment, &decision.effects).await?;
        if asked || (decision.changed && payment.situation.state.is_final()) {
            self.record(&mut tx, &payment, asked).await?;
        }
        self.set_timer(&mut tx, &payment).await?;
        let view = PaymentView::from(&payment);
        if let Some(key) = &case.key {
            if unsent {
                idempotency::forget(&tx, key).await?;
            } else if payment.situation.state != State::Submitting && call.is_none() {
                let reply = serde_json::to_string(&view).map_err(Error::internal)?;
                idempotency::answer(&tx, key, CREATED, &reply).await?;
            }
        }
        if decision.changed {
            notice::enqueue(&mut tx, &payment, &view).await?;
            let channel = Channel::Company(payment.company_id);
            tx.emit(NewEvent::new(channel, EventName::PaymentUpdated, payment.id, &view)?);
        }
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
    ) -> Result<Option<Call>> {
        let mut call = None;
        for effect in effects {
            match effect {
                Effect::Create => call = Some(Call::Create),
                Effect::Find => call = Some(Call::Find),
                Effect::Read => call = Some(Call::Read),
                Effect::Cancel => call = Some(Call::Cancel),
                Effect::Apply => self.apply(tx, payment).await?,
                Effect::ApplyAsCredit => {
                    if store::claim_effects(tx, payment).await? {
                        purchase::credit_unapplied(tx, payment.id, payment.cents()).await?;
                    }
                }
                Effect::CloseUnpaid => purchase::close_unpaid(tx).await?,
                Effect::Alert(concern) => {
                    alert(tx, payment, concern.kind(), concern.detail()).await?;
                }
            }
        }
        Ok(call)
    }

    /// Once in the life of a payment, in the transaction that writes its success.
    async fn apply(&self, tx: &mut CompanyTx, payment: &mut Payment) -> Result<()> {
        let State::Succeeded { at } = payment.situation.state else { return Ok(()) };
        if !store::claim_effects(tx, payment).await? {
            return Ok(());
        }
        let paid = Paid {
            payment_id: payment.id,
            quote_id: payment.quote_id,
            amount: payment.cents(),
            by: payment.created_by,
            settles_later: payment.situation.method.settles_later(),
            succeeded_at: at,
        };
        let applied = purchase::apply_paid(tx, &paid).await?;
        if applied.outcome == Bought::Credited {
            let detail = "paid for what is not on offer any more: the amount became credit";
            alert(tx, payment, "payment.credited", detail).await?;
        }
        Ok(())
    }

    async fn record(&self, tx: &mut CompanyTx, payment: &Payment, asked: bool) -> Result<()> {
        let action = match &payment.situation.state {
            State::Succeeded { .. } => "payment.succeed",
            State::Failed(_) => "payment.fail",
            State::Expired => "payment.expire",
            _ if asked => "payment.cancel",
            _ => "payment.close",
        };
        let entry = Entry {
            actor: tx.scope().user_id(),
            company: Some(payment.company_id),
            target: Some(payment.id.to_string()),
            ..Entry::of(action)
        };
        audit::record(tx, entry).await
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
