//! Alerts: a payment under review or stuck, a broken invariant, a job that was stopped. Written in the transaction that
//! found the reason. Counted by `bipe doctor`; a person reads and closes them with `bipe alerts`
//! (docs/runbooks/work.md).
//!
//! A kind and a subject have one open alert, however often the reason comes back. Each alert also writes a log line
//! and counts in a metric, once its transaction has committed.

use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{PlatformTx, Tx};
use crate::error::Result;
use crate::id::CompanyId;
use crate::row::from_row;
use crate::words::words;

words! {
    /// What happened. The runbook says what to do; the label of `bipe_alerts_total` is one of these words.
    pub enum AlertKind {
        MetricsDrift = "metrics.drift",
        PaymentCredited = "payment.credited",
        PaymentDisputed = "payment.disputed",
        PaymentForeignObject = "payment.foreign_object",
        PaymentInvariant = "payment.invariant",
        PaymentLateMoney = "payment.late_money",
        PaymentProcessing = "payment.processing",
        PaymentRefundFailed = "payment.refund_failed",
        PaymentRefunded = "payment.refunded",
        PaymentUnderReview = "payment.under_review",
        PaymentUnknownStatus = "payment.unknown_status",
        RenewalStopped = "renewal.stopped",
    }
}

/// An alert to raise.
#[derive(Clone, Debug)]
pub struct Alert<'a> {
    pub kind: AlertKind,
    pub company: Option<CompanyId>,
    /// The id of what it is about.
    pub subject: &'a str,
    /// One English sentence without personal data.
    pub detail: &'a str,
}

/// Opens the alert, unless one of its kind and subject is open.
pub async fn raise(tx: &Tx, alert: Alert<'_>) -> Result<()> {
    let Alert { kind, company, subject, detail } = alert;
    let id = tx.clock().uuid();
    let raised = tx.execute(RAISE, &[&id, &tx.now(), &kind, &company, &subject, &detail]).await?;
    if raised == 1 {
        let (kind, subject, detail) = (kind.as_str(), subject.to_owned(), detail.to_owned());
        tx.after_commit(move || {
            tracing::error!(kind, subject, detail, "somebody has to look at this");
            metrics::counter!("bipe_alerts_total", "kind" => kind).increment(1);
        });
    }
    Ok(())
}

const RAISE: &str = "INSERT INTO alerts (id, at, kind, company_id, subject, detail) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

/// Closes the alert about a subject that a person, or time, has settled.
pub async fn close(tx: &PlatformTx, kind: AlertKind, subject: &str) -> Result<()> {
    tx.execute(CLOSE, &[&kind, &subject, &tx.now()]).await.map(drop)
}

const CLOSE: &str = "UPDATE alerts SET closed_at = $3 \
     WHERE kind = $1 AND subject = $2 AND closed_at IS NULL";

/// Closes the alerts of a kind whose subject is not among these.
pub async fn close_others(tx: &PlatformTx, kind: AlertKind, subjects: &[String]) -> Result<()> {
    tx.execute(CLOSE_OTHERS, &[&kind, &subjects, &tx.now()]).await.map(drop)
}

const CLOSE_OTHERS: &str = "UPDATE alerts SET closed_at = $3 \
     WHERE kind = $1 AND subject <> ALL ($2) AND closed_at IS NULL";

/// An alert that nobody has closed.
#[derive(Clone, Debug)]
pub struct OpenAlert {
    pub id: Uuid,
    pub at: Timestamp,
    /// An `AlertKind`, or a word that only another build knows.
    pub kind: String,
    pub company_id: Option<CompanyId>,
    pub subject: String,
    pub detail: String,
}

from_row!(OpenAlert { id, at, kind, company_id, subject, detail });

/// The oldest thousand that are open, the oldest first.
pub async fn open(tx: &PlatformTx) -> Result<Vec<OpenAlert>> {
    tx.all(OPEN, &[]).await
}

const OPEN: &str = "SELECT id, at, kind, company_id, subject, detail FROM alerts \
     WHERE closed_at IS NULL ORDER BY at, id LIMIT 1000";

/// Closes those of these alerts that are open, and names them.
pub async fn close_each(tx: &PlatformTx, ids: &[Uuid]) -> Result<Vec<Uuid>> {
    let rows = tx.query(CLOSE_EACH, &[&ids, &tx.now()]).await?;
    rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
}

const CLOSE_EACH: &str =
    "UPDATE alerts SET closed_at = $2 WHERE id = ANY ($1) AND closed_at IS NULL RETURNING id";
