//! Remembers refunds. An intention is stored under the locks of its company and of its payment, so that two at once
//! never give back more than came in.

use super::{LOST, Refund, RefundCommand, RefundJob, RefundState, RefundView, Resolution, UNSENT};
use crate::alert::{self, Alert};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::company::Locked;
use crate::db::{CompanyTx, PlatformTx, Tx};
use crate::error::{Error, Result};
use crate::id::{CompanyId, PaymentId, RefundId};
use crate::job::{self, JobKind};
use crate::money::Cents;
use crate::payment::{AlertReason, Payment};
use crate::row::from_row;

/// What is about to be given back: the payment does not show it yet.
pub async fn outstanding(tx: &Tx, company: CompanyId, payment: PaymentId) -> Result<Cents> {
    tx.value(OUTSTANDING, &[&company, &payment]).await
}

const OUTSTANDING: &str = "SELECT coalesce(sum(amount_cents), 0)::bigint AS amount FROM refunds \
     WHERE company_id = $1 AND payment_id = $2 AND state <> 'refused' AND NOT shown";

/// An intention about to be stored.
pub struct NewRefund<'a> {
    pub id: RefundId,
    pub payment: PaymentId,
    pub command: &'a RefundCommand,
    pub provider_key: &'a str,
    pub provider_request: &'a str,
}

/// Stores the intention, its first try counted, with the job that goes on with it and the audit of who asked.
pub async fn insert(tx: &mut Locked<'_>, new: &NewRefund<'_>) -> Result<()> {
    let NewRefund { id, payment, command, .. } = new;
    let company = tx.company_id();
    let key = command.key.as_ref().map(|keyed| &keyed.key);
    tx.execute(
        INSERT,
        &[
            id,
            &company,
            payment,
            &command.amount,
            &command.reason,
            &command.admin.user_id(),
            &key,
            &new.provider_key,
            &new.provider_request,
            &tx.now(),
        ],
    )
    .await?;
    let run_at = tx.now().checked_add(super::RETRY_AFTER).map_err(Error::internal)?;
    let payload = RefundJob { company_id: company, refund_id: *id };
    job::add(tx, JobKind::Refund, &id.to_string(), run_at, &payload)?;
    let entry = audit::by_admin(&command.admin, &command.caller, AuditAction::PaymentAskRefund);
    let fields = &[AuditField::Amount, AuditField::Reason];
    audit::record(tx, Entry { company: Some(company), fields, ..entry.about(payment) });
    Ok(())
}

const INSERT: &str = "INSERT INTO refunds (id, company_id, payment_id, state, amount_cents, reason, requested_by, \
     idempotency_key, provider_key, provider_request, tries, created_at) \
     VALUES ($1, $2, $3, 'pending', $4, $5, $6, $7, $8, $9, 1, $10)";

macro_rules! refund {
    ($rest:literal) => {
        concat!(
            "SELECT r.id, r.company_id, r.payment_id, r.state, r.idempotency_key, r.provider_key, \
             r.provider_request, p.provider_intent AS intent, r.tries, r.created_at FROM refunds r \
             JOIN payments p ON p.company_id = r.company_id AND p.id = r.payment_id \
             WHERE r.company_id = $1 AND r.id = $2",
            $rest
        )
    };
}

/// # Errors
/// `NotFound`.
pub async fn load(tx: &CompanyTx, id: RefundId) -> Result<Refund> {
    tx.find(LOAD, &[&tx.company_id(), &id]).await?.ok_or_else(Error::not_found)
}

/// As [`load`], with the row locked until the transaction ends.
///
/// # Errors
/// `NotFound`.
pub async fn lock(tx: &CompanyTx, id: RefundId) -> Result<Refund> {
    tx.find(LOCK, &[&tx.company_id(), &id]).await?.ok_or_else(Error::not_found)
}

const LOAD: &str = refund!("");
const LOCK: &str = refund!(" FOR UPDATE OF r");

from_row! {
    Refund {
        id, company_id, payment_id, state, idempotency_key, provider_key, provider_request, intent, tries, created_at,
    }
}

/// Counts a try before it is made. The refund as it stands then.
pub async fn count_try(tx: &CompanyTx, id: RefundId) -> Result<Refund> {
    tx.execute(TRY, &[&tx.company_id(), &id]).await?;
    load(tx, id).await
}

const TRY: &str =
    "UPDATE refunds SET tries = tries + 1 WHERE company_id = $1 AND id = $2 AND state = 'pending'";

/// Writes what became of it; the job of an accepted one goes on until the payment shows it.
pub async fn settle(tx: &mut Locked<'_>, refund: &Refund, resolution: &Resolution) -> Result<()> {
    let (state, found, refusal) = match resolution {
        Resolution::Pending => return Ok(()),
        Resolution::Accepted { provider_refund } => {
            (RefundState::Accepted, Some(provider_refund.as_str()), None)
        }
        Resolution::Refused { code } => (RefundState::Refused, None, Some(code.as_str())),
        Resolution::Unsent => (RefundState::Refused, None, Some(UNSENT)),
    };
    let company = tx.company_id();
    tx.execute(SETTLE, &[&company, &refund.id, &state, &found, &refusal, &tx.now()]).await?;
    if state == RefundState::Refused {
        finish(tx, refund.id);
        audit_refusal(tx, refund.payment_id);
        // Whoever asked for it was not told how it ended.
        if refund.tries > 1 {
            alert_failure(tx, refund.payment_id).await?;
        }
        let is_lost = refusal == Some(LOST);
        tracing::warn!(refund = %refund.id, is_lost, "a refund was not given");
    }
    Ok(())
}

const SETTLE: &str = "UPDATE refunds SET state = $3, provider_refund = $4, refusal = $5, settled_at = $6 \
     WHERE company_id = $1 AND id = $2 AND state = 'pending'";

fn audit_refusal(tx: &CompanyTx, payment: PaymentId) {
    let (company, target) = (Some(tx.company_id()), Some(payment.to_string()));
    let entry = Entry { company, target, ..Entry::of(AuditAction::PaymentRefuseRefund) };
    audit::record(tx, entry);
}

async fn alert_failure(tx: &CompanyTx, payment: PaymentId) -> Result<()> {
    let (reason, subject) = (AlertReason::RefundFailed, payment.to_string());
    let (kind, company, detail) = (reason.kind(), Some(tx.company_id()), reason.detail());
    alert::raise(tx, Alert { kind, company, subject: &subject, detail }).await
}

/// Has the accepted refunds of a payment looked at again: money that it had given back has come back.
pub async fn look_again(tx: &mut CompanyTx, payment: PaymentId) -> Result<()> {
    let (company_id, now) = (tx.company_id(), tx.now());
    for row in tx.query(ACCEPTED, &[&company_id, &payment]).await? {
        let refund_id: RefundId = row.try_get("id")?;
        let payload = RefundJob { company_id, refund_id };
        job::add(tx, JobKind::Refund, &refund_id.to_string(), now, &payload)?;
    }
    Ok(())
}

const ACCEPTED: &str =
    "SELECT id FROM refunds WHERE company_id = $1 AND payment_id = $2 AND state = 'accepted'";

/// The provider gave the money back and has it again. Of one that the payment had shown, the read that shows the
/// return writes audit and alert.
pub async fn fail(tx: &mut Locked<'_>, refund: &RefundView, code: &str) -> Result<()> {
    let company = tx.company_id();
    let was_shown: Option<bool> = tx.find_value(FAIL, &[&company, &refund.id, &code]).await?;
    if was_shown == Some(false) {
        audit_refusal(tx, refund.payment_id);
        alert_failure(tx, refund.payment_id).await?;
    }
    Ok(())
}

const FAIL: &str = "UPDATE refunds SET state = 'refused', refusal = $3 \
     WHERE company_id = $1 AND id = $2 AND state = 'accepted' RETURNING shown";

/// The payment shows it.
pub async fn note_shown(tx: &mut CompanyTx, id: RefundId) -> Result<()> {
    tx.execute(SHOWN, &[&tx.company_id(), &id]).await?;
    finish(tx, id);
    Ok(())
}

const SHOWN: &str = "UPDATE refunds SET shown = true WHERE company_id = $1 AND id = $2";

/// Nothing is left to be done for it.
fn finish(tx: &mut CompanyTx, id: RefundId) {
    job::remove(tx, JobKind::Refund, &id.to_string());
}

/// As platform admins see it.
///
/// # Errors
/// `NotFound`.
pub async fn view(tx: &CompanyTx, id: RefundId) -> Result<RefundView> {
    tx.find(VIEW, &[&tx.company_id(), &id]).await?.ok_or_else(Error::not_found)
}

macro_rules! viewed {
    ($rest:literal) => {
        concat!(
            "SELECT r.id, r.payment_id, r.state, r.amount_cents AS amount, r.reason, u.name AS requested_by, \
             r.provider_refund, r.refusal, r.created_at, r.settled_at FROM refunds r \
             LEFT JOIN users u ON u.id = r.requested_by AND u.anonymised_at IS NULL WHERE r.company_id = $1 AND ",
            $rest
        )
    };
}

const VIEW: &str = viewed!("r.id = $2");

/// Those of a payment, the newest first.
pub async fn of_payment(
    tx: &PlatformTx,
    company: CompanyId,
    payment: PaymentId,
) -> Result<Vec<RefundView>> {
    tx.all(OF_PAYMENT, &[&company, &payment]).await
}

const OF_PAYMENT: &str =
    viewed!("r.payment_id = $2 ORDER BY r.created_at DESC, r.id DESC LIMIT 100");

from_row! {
    RefundView {
        id, payment_id, state, amount, reason, requested_by, provider_refund, refusal, created_at, settled_at,
    }
}

/// Whether what went back of a payment may all have been asked for here, also by a refund whose answer is out: then
/// nobody is called to look at it.
pub async fn was_asked_for(tx: &CompanyTx, payment: &Payment) -> Result<bool> {
    let asked: Cents = tx.value(ASKED_FOR, &[&tx.company_id(), &payment.id]).await?;
    Ok(payment.situation.refunded <= asked)
}

const ASKED_FOR: &str = "SELECT coalesce(sum(amount_cents), 0)::bigint AS amount FROM refunds \
     WHERE company_id = $1 AND payment_id = $2 AND state <> 'refused'";

/// Whether all that the provider gave back of a payment was asked for here: an alert about it is settled.
pub async fn explains(tx: &PlatformTx, company: CompanyId, payment: PaymentId) -> Result<bool> {
    tx.value(EXPLAINS, &[&company, &payment]).await
}

const EXPLAINS: &str = "SELECT p.refunded_cents = coalesce((SELECT sum(r.amount_cents) FROM refunds r \
     WHERE r.company_id = p.company_id AND r.payment_id = p.id AND r.state = 'accepted'), 0) AS explained \
     FROM payments p WHERE p.company_id = $1 AND p.id = $2";
