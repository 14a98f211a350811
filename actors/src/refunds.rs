//! Gives money back (docs/billing.md, "Refunds"): stores the intention, asks the provider, writes what became of it, and
//! lets the payment be read, which notes the money and issues its document as for any refund.
//!
//! An accepted refund may fail later: the provider is asked again once its money has come back.
//!
//! Called by the handler of the platform admins and by the jobs. It may die between any two of these (I1): the job of
//! the intention goes on, under the key that was stored with it. No call happens inside a transaction (I2).

use std::time::Duration;

use bipe_core::alert;
use bipe_core::company::{Locked, lock};
use bipe_core::error::Code;
use bipe_core::gateway;
use bipe_core::id::{PaymentId, RefundId};
use bipe_core::idempotency::{self, Claim};
use bipe_core::payment::refund::store::{self, NewRefund};
use bipe_core::payment::refund::{
    self, Refund, RefundCommand, RefundJob, RefundState, RefundView, Resolution,
};
use bipe_core::payment::{self, AlertReason};
use bipe_core::scope::CompanyScope;
use bipe_core::trace::Span;
use bipe_core::{Error, Result};

use crate::billing_workflow::PaymentOutcome;
use crate::directory::Directory;

/// How long a request waits. The refund goes on without it.
const REFUND_TIMEOUT: Duration = Duration::from_secs(13);

#[derive(Debug)]
pub enum RefundOutcome {
    /// As it stands; pending while the provider's answer is out.
    Refund(Box<RefundView>),
    /// The stored answer to the first command with this idempotency key.
    Replay { reply: String },
    /// Nothing was given back; `replayed` when its key was refused before.
    Refused { error: Error, replayed: bool },
}

/// Gives back what a platform admin asks for, once for each idempotency key.
///
/// # Errors
/// `NotFound`; `Conflict(REQUEST_IN_PROGRESS)` while a command with the key runs; `Unavailable` when the provider could
/// not be reached and nothing was sent, or when the answer takes too long: the same command may be repeated.
pub async fn start(
    directory: &Directory,
    payment: PaymentId,
    command: RefundCommand,
) -> Result<RefundOutcome> {
    let company = directory.company_of(payment).await?;
    let permit = directory.admit(company, command.key.as_ref().map(|key| key.key.clone()))?;
    let scope = CompanyScope::of_job(directory.proof(), company);
    let node = directory.clone();
    let work = Span::child("refund").around_fallible(async move {
        let outcome = run(&node, scope, payment, command).await;
        drop(permit);
        outcome
    });
    let work = directory.steps().runtime().spawn(work);
    match tokio::time::timeout(REFUND_TIMEOUT, work).await {
        Ok(done) => done.unwrap_or_else(|panic| Err(Error::internal(panic))),
        Err(_elapsed) => Err(Error::unavailable(2)),
    }
}

async fn run(
    directory: &Directory,
    scope: CompanyScope,
    payment: PaymentId,
    command: RefundCommand,
) -> Result<RefundOutcome> {
    let (id, which) = match open(directory, &scope, payment, &command).await? {
        OpenedRefund::New(id) => (id, RefundTry::First),
        OpenedRefund::Begun(id) => (id, RefundTry::Further),
        OpenedRefund::Answered(outcome) => return Ok(outcome),
    };
    let view = try_refund(directory, &scope, id, which).await?;
    if view.state == RefundState::Refused {
        let error = Error::conflict(Code::PaymentNotRefundable);
        return Ok(RefundOutcome::Refused { error, replayed: false });
    }
    if view.state == RefundState::Accepted
        && let Err(error) = show(directory, &scope, &view).await
    {
        tracing::warn!(refund = %id, %error, "a refund is not shown yet: its job goes on");
    }
    Ok(RefundOutcome::Refund(Box::new(view)))
}

/// Goes on with a refund that was not ended: its node died, or the provider did not answer.
///
/// # Errors
/// `Unavailable` while it is not ended, so that its job runs again.
pub async fn resume(directory: &Directory, job: &RefundJob) -> Result<()> {
    let scope = CompanyScope::of_job(directory.proof(), job.company_id);
    match try_refund(directory, &scope, job.refund_id, RefundTry::Further).await {
        Ok(view) if view.state == RefundState::Pending => Err(Error::provider_unavailable()),
        Ok(view) if view.state == RefundState::Accepted => show(directory, &scope, &view).await,
        Ok(_) | Err(Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What became of storing the intention.
pub enum OpenedRefund {
    New(RefundId),
    /// An earlier command with the key stored it.
    Begun(RefundId),
    Answered(RefundOutcome),
}

/// The first transaction: the key, the bounds, the intention and its job.
///
/// # Errors
/// As `start`.
pub async fn open(
    directory: &Directory,
    scope: &CompanyScope,
    payment: PaymentId,
    command: &RefundCommand,
) -> Result<OpenedRefund> {
    let db = directory.steps().db();
    let mut tx = db.company_tx(scope).await?;
    tx.set_cause(Some(&command.caller.request_id));
    let mut locked = lock(&mut tx).await?;
    if let Some(keyed) = &command.key {
        match idempotency::claim(&locked, keyed).await? {
            Claim::New => {}
            Claim::Begun { subject: Some(id) } => return Ok(OpenedRefund::Begun(RefundId(id))),
            Claim::Begun { subject: None } => {
                return Err(Error::conflict(Code::RequestInProgress));
            }
            Claim::Done { reply, .. } => {
                return Ok(OpenedRefund::Answered(RefundOutcome::Replay { reply }));
            }
            Claim::Refused(error) => {
                return Ok(OpenedRefund::Answered(RefundOutcome::Refused {
                    error,
                    replayed: true,
                }));
            }
        }
    }
    match intend(&mut locked, directory, payment, command).await {
        Ok(id) => {
            tx.commit().await?;
            Ok(OpenedRefund::New(id))
        }
        Err(error) => {
            tx.rollback().await?;
            idempotency::keep_refusal(db, scope, command.key.as_ref(), &error).await?;
            Ok(OpenedRefund::Answered(RefundOutcome::Refused { error, replayed: false }))
        }
    }
}

/// Behind the locks of the company and of the payment, so that two at once never give back more than came in. The admin
/// is proven again, who may have been demoted while the command waited.
async fn intend(
    tx: &mut Locked<'_>,
    directory: &Directory,
    payment: PaymentId,
    command: &RefundCommand,
) -> Result<RefundId> {
    command.admin.prove_within(tx).await?;
    let found = payment::store::lock(tx, payment).await?;
    let outstanding = store::outstanding(tx, tx.company_id(), payment).await?;
    refund::check(&found, outstanding, command.amount, tx.now())?;
    let id = RefundId::new(tx.clock());
    let intent = found.situation.intent.as_deref().unwrap_or_default();
    let new = NewRefund {
        id,
        payment,
        command,
        provider_key: &gateway::key(id, "refund"),
        provider_request: &directory.steps().gateway().refund_body(intent, command.amount, id),
    };
    store::insert(tx, &new).await?;
    if let Some(keyed) = &command.key {
        idempotency::name_subject(tx, &keyed.key, id.0).await?;
    }
    Ok(id)
}

/// Which try at the provider it is.
enum RefundTry {
    /// Counted with the intention.
    First,
    /// Counted before the provider is asked.
    Further,
}

/// Asks the provider where its answer is out, and writes it.
async fn try_refund(
    directory: &Directory,
    scope: &CompanyScope,
    id: RefundId,
    which: RefundTry,
) -> Result<RefundView> {
    let tx = directory.steps().db().company_tx(scope).await?;
    let refund = match which {
        RefundTry::First => store::load(&tx, id).await?,
        RefundTry::Further => store::count_try(&tx, id).await?,
    };
    tx.commit().await?;
    if refund.state != RefundState::Pending {
        let tx = directory.steps().db().company_tx(scope).await?;
        return store::view(&tx, id).await;
    }
    let resolution = ask_provider(directory, &refund).await;
    let view = settle(directory, scope, id, resolution).await?;
    if view.refusal.as_deref() == Some(refund::UNSENT) {
        return Err(Error::provider_unavailable());
    }
    Ok(view)
}

async fn ask_provider(directory: &Directory, refund: &Refund) -> Resolution {
    let (gateway, now) = (directory.steps().gateway(), directory.steps().db().clock().now());
    if refund.is_looked_for(now) {
        let all = gateway.refunds_of(&refund.intent).await;
        if let Some(found) = Resolution::of_found(refund, all, now) {
            return found;
        }
    }
    let answer = gateway.refund(&refund.provider_request, &refund.provider_key).await;
    Resolution::of_sent(answer, refund.tries)
}

/// The second transaction: what became of it, and the answer that its key keeps.
async fn settle(
    directory: &Directory,
    scope: &CompanyScope,
    id: RefundId,
    resolution: Resolution,
) -> Result<RefundView> {
    let mut tx = directory.steps().db().company_tx(scope).await?;
    let mut locked = lock(&mut tx).await?;
    let refund = store::lock(&locked, id).await?;
    let was_sent_elsewhere = resolution == Resolution::Unsent && refund.tries > 1;
    let resolution = if was_sent_elsewhere { Resolution::Pending } else { resolution };
    if refund.state == RefundState::Pending {
        store::settle(&mut locked, &refund, &resolution).await?;
    }
    let view = store::view(&locked, id).await?;
    if refund.state == RefundState::Pending
        && let Some(key) = &refund.idempotency_key
    {
        keep_answer(&locked, key, &resolution, &view).await?;
    }
    tx.commit().await?;
    Ok(view)
}

async fn keep_answer(
    tx: &Locked<'_>,
    key: &str,
    resolution: &Resolution,
    view: &RefundView,
) -> Result<()> {
    match resolution {
        Resolution::Accepted { .. } => {
            let reply = serde_json::to_string(view).map_err(Error::internal)?;
            idempotency::answer(tx, key, idempotency::CREATED, &reply).await
        }
        Resolution::Refused { .. } => {
            let error = Error::conflict(Code::PaymentNotRefundable);
            idempotency::refuse_begun(tx, key, &error).await
        }
        Resolution::Unsent => idempotency::forget(tx, key).await,
        Resolution::Pending => Ok(()),
    }
}

/// Reads the payment, which notes what was given back and documents it, and then its refunds: one that has failed by
/// now may not have been in that. Nobody has to be alerted to what a platform admin asked for.
async fn show(directory: &Directory, scope: &CompanyScope, view: &RefundView) -> Result<()> {
    let company = scope.company_id();
    let outcome = directory.read(company, view.payment_id).await?;
    let PaymentOutcome::Payment { view: payment, .. } = outcome else {
        return Err(Error::provider_unavailable());
    };
    let intent = payment.transaction_id.unwrap_or_default();
    let refunds = directory.steps().gateway().refunds_of(&intent).await.done()?;
    let db = directory.steps().db();
    if let Some(code) = view.failure_among(&refunds) {
        let mut tx = db.company_tx(scope).await?;
        let mut locked = lock(&mut tx).await?;
        store::fail(&mut locked, view, code).await?;
        tx.commit().await?;
    }
    let tx = db.platform_tx(directory.proof()).await?;
    if store::explains(&tx, company, view.payment_id).await? {
        alert::close(&tx, AlertReason::Refunded.kind(), &view.payment_id.to_string()).await?;
    }
    tx.commit().await?;
    let mut tx = db.company_tx(scope).await?;
    store::note_shown(&mut tx, view.id).await?;
    tx.commit().await
}
