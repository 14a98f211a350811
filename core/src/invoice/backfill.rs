//! Makes up for documents that are missing: of payments from before there were documents, of those that a node of an
//! older build applied, and of their refunds. A job of its own: nothing else waits for it, and it stops nothing else.
//!
//! What such a payment is made of was not kept: its document has one line. In the order in which the money came.

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;

use super::{Draft, InvoiceKind, InvoicePeriod, Line, LineKind, store};
use crate::company::lock;
use crate::db::{CompanyTx, Db};
use crate::error::{Error, Result};
use crate::event::Channel;
use crate::id::{CompanyId, InvoiceId, PaymentId};
use crate::money::Cents;
use crate::scope::{CompanyScope, JobScope};

/// How often it runs, beside the start of each node.
pub const INTERVAL: SignedDuration = SignedDuration::from_hours(1);
/// When it runs again after it left some.
pub const CONTINUE_AFTER: SignedDuration = SignedDuration::from_secs(10);
/// Payments of one run, at most: it ends well within the lease of its job.
pub const MAX_PAYMENTS_PER_RUN: usize = 1_000;

/// Issues what is missing, each payment's in a transaction of its own. Answers how many payments that were. One that
/// fails holds up no other.
///
/// # Errors
/// `Unavailable` without a database. `Internal` after a run in which some failed.
pub async fn run(db: &Db, proof: &JobScope) -> Result<usize> {
    let tx = db.survey_tx(proof).await?;
    let most = i64::try_from(MAX_PAYMENTS_PER_RUN).map_err(Error::internal)?;
    let missing = tx.query(MISSING, &[&most]).await?;
    tx.rollback().await?;
    let mut failed = 0;
    for row in &missing {
        let company: CompanyId = row.try_get("company_id")?;
        let payment: PaymentId = row.try_get("id")?;
        match make_up(db, &CompanyScope::of_job(proof, company), payment).await {
            Ok(()) => {}
            Err(error @ Error::Unavailable { .. }) => return Err(error),
            Err(error) => {
                failed += 1;
                tracing::error!(%company, %payment, %error, "a payment's document cannot be issued");
            }
        }
    }
    let issued = missing.len() - failed;
    if issued > 0 {
        tracing::warn!(payments = issued, "payments without a document got one");
    }
    if failed > 0 {
        return Err(Error::internal(format!("payments whose document cannot be issued: {failed}")));
    }
    Ok(issued)
}

async fn make_up(db: &Db, scope: &CompanyScope, payment: PaymentId) -> Result<()> {
    let mut tx = db.company_tx(scope).await?;
    one(&mut tx, payment).await?;
    tx.commit().await
}

/// Looks again behind the company's lock: another node may be doing the same.
async fn one(tx: &mut CompanyTx, payment: PaymentId) -> Result<()> {
    let mut tx = lock(tx).await?;
    let Some(old) = tx.find::<PastPayment>(OLD, &[&tx.company_id(), &payment]).await? else {
        return Ok(());
    };
    let channel = Channel::Company(tx.company_id()).stored();
    tx.execute(HEAD, &[&channel, &tx.new_epoch()]).await?;
    if !old.has_document {
        return store::issue(&mut tx, old.draft, old.refund_left).await;
    }
    match old.refund_left {
        Cents::ZERO => Ok(()),
        left => store::issue_refund(&mut tx, payment, left, None).await,
    }
}

/// Who holds the issuer's lock waits for no head. Other transactions that issue have appended an event of the company
/// before; this one locks the head alone.
const HEAD: &str = "INSERT INTO channel_heads (channel, epoch, seq) VALUES ($1, $2, 0) \
     ON CONFLICT (channel) DO UPDATE SET seq = channel_heads.seq";

/// A payment as it is remembered.
struct PastPayment {
    draft: Draft,
    has_document: bool,
    /// Given back and not documented.
    refund_left: Cents,
}

impl TryFrom<&Row> for PastPayment {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let (start, end): (Option<Timestamp>, _) = (row.try_get("from_at")?, row.try_get("to_at")?);
        let (amount, price): (Cents, Option<Cents>) =
            (row.try_get("received")?, row.try_get("price_cents")?);
        let became_credit = row.try_get("became_credit")?;
        let kind = match became_credit {
            true => LineKind::CreditKept,
            false if price == Some(amount) => LineKind::Plan,
            false => LineKind::Received,
        };
        let draft = Draft {
            id: InvoiceId(row.try_get::<_, PaymentId>("payment_id")?.0),
            kind: InvoiceKind::Payment,
            at: row.try_get("at")?,
            by: row.try_get("created_by")?,
            plan_name: row.try_get("plan_name")?,
            cycle: row.try_get("billing_cycle")?,
            period: start.zip(end).map(|(start, end)| InvoicePeriod { start, end }),
            lines: vec![Line { kind, amount }],
            became_credit,
            payment: store::means_of(row)?,
        };
        let refund_left = row.try_get("refund_left")?;
        Ok(Self { draft, has_document: row.try_get("has_document")?, refund_left })
    }
}

/// A refund that the provider took back is one, too.
const MISSING: &str = "WITH refunds AS (SELECT company_id, payment_id, sum(total_cents) AS total FROM invoices \
       WHERE kind = 'refund' GROUP BY company_id, payment_id) \
     SELECT p.company_id, p.id FROM payments p \
     LEFT JOIN invoices i ON i.company_id = p.company_id AND i.id = p.id \
     LEFT JOIN refunds r ON r.company_id = p.company_id AND r.payment_id = p.id \
     WHERE p.state = 'succeeded' AND p.effects_at IS NOT NULL \
       AND (i.id IS NULL OR p.refunded_cents <> coalesce(r.total, 0)) \
     ORDER BY p.succeeded_at, p.id LIMIT $1";

/// The period is that of the debit, unless a later change has shortened it. Debits are found by subscription: that is
/// their index.
const OLD: &str = "SELECT p.id AS payment_id, p.method, NULL::text AS card_brand, NULL::text AS card_last4, \
       p.provider, p.provider_intent AS provider_reference, p.created_by, p.billing_cycle, \
       coalesce(p.succeeded_at, p.updated_at) AS at, coalesce(p.received_cents, p.amount_cents) AS received, \
       q.price_cents, n.display_name AS plan_name, d.from_at, d.to_at, \
       EXISTS (SELECT FROM credit_entries c WHERE c.company_id = p.company_id AND c.source = p.id::text \
         AND c.kind = 'unapplied_payment') AS became_credit, \
       EXISTS (SELECT FROM invoices i WHERE i.company_id = p.company_id AND i.id = p.id) AS has_document, \
       p.refunded_cents - (SELECT coalesce(sum(r.total_cents), 0)::bigint FROM invoices r \
         WHERE r.company_id = p.company_id AND r.payment_id = p.id AND r.kind = 'refund') AS refund_left \
     FROM payments p JOIN plans n ON n.id = p.plan_id \
     LEFT JOIN quotes q ON q.company_id = p.company_id AND q.id = p.quote_id \
     LEFT JOIN (subscriptions s JOIN debit_segments d ON d.company_id = s.company_id AND d.subscription_id = s.id) \
       ON s.company_id = p.company_id AND d.payment_id = p.id AND d.credited_cents = 0 \
     WHERE p.company_id = $1 AND p.id = $2 AND p.state = 'succeeded'";
