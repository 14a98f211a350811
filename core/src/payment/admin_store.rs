//! One payment as platform admins read it; `admin_list` finds it. Reads across companies, so it takes a `PlatformTx`. A
//! decision about a payment goes through the billing workflow, like everything that moves a payment.

use tokio_postgres::Row;

use super::admin::{AdminPayment, AdminPaymentDetail, PaymentDocument, PaymentPerson};
use super::refund::{self, RefundBlock, RefundView, refundable};
use super::store::columns;
use super::trail::{self, OutsideTrail};
use super::{Payment, PaymentView};
use crate::audit::{self, AuditEntry};
use crate::brazil;
use crate::company::billing_profile;
use crate::db::{CompanyTx, PlatformTx};
use crate::error::{Error, Result};
use crate::id::PaymentId;
use crate::invoice::InvoicePayer;
use crate::money::Cents;
use crate::row::from_row;

/// Entries of the audit that are shown with one payment.
const MAX_HISTORY: i64 = 50;

macro_rules! listed {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            ", c.name AS company_name, c.deleted_at AS company_ended_at, pl.display_name AS plan_name \
             FROM payments p JOIN companies c ON c.id = p.company_id JOIN plans pl ON pl.id = p.plan_id WHERE "
        )
    };
}
pub(super) use listed;

const FIND: &str = concat!(listed!(), "p.id = $1");
const PERSON: &str = "SELECT id, name, email FROM users WHERE id = $1 AND anonymised_at IS NULL";
const DOCUMENTS: &str = "SELECT id, kind, number, at, total_cents FROM invoices \
     WHERE company_id = $1 AND (id = $2 OR kind = 'refund' AND payment_id = $2) ORDER BY number, id";
/// $3: the plan; $4 and $5: a week before and after.
const ATTEMPTS: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM payments p WHERE p.company_id = $1 AND p.id <> $2 AND p.plan_id = $3 \
     AND p.created_at BETWEEN $4 AND $5 ORDER BY p.created_at DESC, p.id DESC LIMIT 20"
);

from_row! { PaymentPerson { id, name, email } }
from_row! { PaymentDocument { id, kind, number, at, total: "total_cents" } }

/// # Errors
/// `NotFound`.
pub async fn find(tx: &PlatformTx, id: PaymentId) -> Result<AdminPayment> {
    tx.find(FIND, &[&id]).await?.ok_or_else(Error::not_found)
}

/// A payment with what the platform alone knows of it.
#[derive(Debug)]
pub struct PaymentLookup {
    pub payment: AdminPayment,
    payer: Option<PaymentPerson>,
    refunds: Vec<RefundView>,
    refundable: std::result::Result<Cents, RefundBlock>,
    history: Vec<AuditEntry>,
    trail: OutsideTrail,
}

/// Reads what the platform alone knows of a payment: the first half of `detail`.
///
/// # Errors
/// `NotFound`.
pub async fn lookup(tx: &PlatformTx, id: PaymentId) -> Result<PaymentLookup> {
    let row = tx.query_opt(FIND, &[&id]).await?.ok_or_else(Error::not_found)?;
    let (stored, payment) = (Payment::try_from(&row)?, AdminPayment::try_from(&row)?);
    let payer = match payment.payment.payer_id {
        Some(person) => tx.find(PERSON, &[&person]).await?,
        None => None,
    };
    let company = payment.payment.company_id;
    let history = audit::about(tx, company, &id.to_string(), MAX_HISTORY).await?;
    let trail = trail::outside(tx, id, stored.situation.intent.as_deref()).await?;
    let refunds = refund::store::of_payment(tx, company, id).await?;
    let outstanding = refund::store::outstanding(tx, company, id).await?;
    let refundable = refundable(&stored, outstanding, tx.now());
    Ok(PaymentLookup { payment, payer, refunds, refundable, history, trail })
}

/// The second half, of the payment's own company: everything that support reads of it.
pub async fn detail(tx: &CompanyTx, lookup: PaymentLookup) -> Result<AdminPaymentDetail> {
    let PaymentLookup { payment, payer, refunds, refundable, history, trail } = lookup;
    let (id, company, begun) = (payment.payment.id, tx.company_id(), payment.payment.created_at);
    let (before, after) = (brazil::days_before(begun, 7), brazil::days_before(begun, -7));
    let plan = payment.payment.metadata.plan_id;
    Ok(AdminPaymentDetail {
        payer,
        refunds,
        refundable: refundable.unwrap_or(Cents::ZERO),
        refund_block: refundable.err(),
        billing: billing_profile::current(tx).await?.map(|it| InvoicePayer::from(it.details)),
        documents: tx.all(DOCUMENTS, &[&company, &id]).await?,
        attempts: tx.all(ATTEMPTS, &[&company, &id, &plan, &before, &after]).await?,
        history,
        trail: trail::complete(tx, id, trail).await?,
        payment,
    })
}

impl TryFrom<&Row> for AdminPayment {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let payment = Payment::try_from(row)?;
        Ok(Self {
            payment: PaymentView::from(&payment),
            company_name: row.try_get("company_name")?,
            company_ended_at: row.try_get("company_ended_at")?,
            plan_name: row.try_get("plan_name")?,
            superseded: payment.situation.superseded,
            review_reason: payment.review_reason,
        })
    }
}
