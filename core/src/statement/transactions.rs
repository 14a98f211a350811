//! One statement of a company, newest first: what was charged, credited and given back, and what was tried. Called by
//! the handlers. Read only.
//!
//! A payment is one line: a charge once it has succeeded, at the instant of its success, and an attempt before. Money
//! that became credit is a charge and a credit: it came in, and the company has it still.

use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Subject;
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::money::Cents;
use crate::payment::{FailureCode, PaymentStatus};
use crate::payment_method::Method;
use crate::row::from_row;
use crate::search::Filter;
use crate::subscription::CreditKind;
use crate::words::words;

words! {
    /// What a line of the statement is.
    pub enum TransactionKind {
        /// Money came in.
        Charge = "charge",
        /// The company's credit moved.
        Credit = "credit",
        /// Money went back to the payer.
        Refund = "refund",
        /// A payment that did not succeed, or not yet.
        Attempt = "attempt",
    }
}

/// One line of the statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// Of the payment, of the entry in the credit ledger, or of the document of the refund.
    pub id: Uuid,
    pub kind: TransactionKind,
    pub at: Timestamp,
    /// What came in, went back or was asked for; of a credit, below zero where it was used.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// Of a charge and of an attempt.
    pub status: Option<PaymentStatus>,
    /// Why an attempt was refused.
    pub failure_code: Option<FailureCode>,
    /// Of a credit.
    pub credit_kind: Option<CreditKind>,
    #[serde(flatten)]
    pub subject: Subject,
}

/// What a filter finds in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    pub count: i64,
    /// Came in.
    pub paid: Cents,
    /// Went back.
    pub refunded: Cents,
    /// Became credit.
    pub credited: Cents,
    /// Credit that was used.
    pub credit_used: Cents,
    /// Attempts that failed.
    pub failed: i64,
}

/// One page, newest first, and what there is in all.
pub async fn page(
    tx: &CompanyTx,
    Filter { kind, from, until, search }: &Filter<TransactionKind>,
    offset: i64,
    limit: i64,
) -> Result<(Vec<Transaction>, Totals)> {
    let company = tx.company_id();
    let (methods, names): (Vec<&str>, Vec<&str>) =
        Method::ALL.map(|method| (method.as_str(), method.mail_name())).into_iter().unzip();
    let wanted: [&(dyn ToSql + Sync); 7] = [&company, kind, from, until, search, &methods, &names];
    let totals = tx.find(TOTALS, &wanted).await?;
    let part: [&(dyn ToSql + Sync); 2] = [&limit, &offset];
    let lines = tx.all(PAGE, &[wanted.as_slice(), part.as_slice()].concat()).await?;
    Ok((lines, totals.ok_or_else(|| Error::internal("a sum has no row"))?))
}

/// The plan, the method and the ids of its payment, the document's own words, and the amount with and without points.
macro_rules! words_of {
    () => {
        "concat_ws(' ', translate(to_char(abs(m.amount_cents) / 100.0, 'FM999,999,990.00'), ',.', '.,'), \
           replace(to_char(abs(m.amount_cents) / 100.0, 'FM999999990.00'), '.', ','), \
           (SELECT concat_ws(' ', w.id, w.provider_intent, n.display_name, \
               ($7::text[])[array_position($6::text[], w.method)]) \
             FROM payments w JOIN plans n ON n.id = w.plan_id WHERE w.company_id = $1 AND w.id = m.payment_id), \
           (SELECT v.search_text FROM invoices v WHERE v.company_id = $1 \
             AND v.id = coalesce(m.document_id, m.payment_id)), \
           (SELECT s.plan_name FROM subscription_history s WHERE s.company_id = $1 AND s.at = m.caused_at \
             ORDER BY s.line_number DESC LIMIT 1))"
    };
}

/// Every line of the company that the filter lets through. The words are put together only where something is searched
/// for: by them a line is found as people see it.
macro_rules! moved {
    () => {
        concat!(
            " FROM (SELECT CASE WHEN p.state = 'succeeded' THEN 'charge' ELSE 'attempt' END AS kind, p.id, \
               CASE WHEN p.state = 'succeeded' THEN coalesce(p.succeeded_at, p.updated_at) ELSE p.created_at END AS at, \
               CASE WHEN p.state = 'succeeded' THEN coalesce(p.received_cents, p.amount_cents) \
                 ELSE p.amount_cents END AS amount_cents, \
               p.state, NULL::text AS credit_kind, NULL::text AS source, NULL::timestamptz AS caused_at, \
               p.id AS payment_id, NULL::uuid AS document_id \
             FROM payments p WHERE p.company_id = $1 \
             UNION ALL SELECT 'credit', e.id, e.at, e.amount_cents, NULL, e.kind, e.source, ",
            entry_cause!(),
            ", NULL FROM credit_entries e WHERE e.company_id = $1 \
             UNION ALL SELECT 'refund', r.id, r.at, r.total_cents, NULL, NULL, NULL, NULL, r.payment_id, r.id \
             FROM invoices r WHERE r.company_id = $1 AND r.kind = 'refund') AS m \
             WHERE ($2::text IS NULL OR m.kind = $2) AND ($3::timestamptz IS NULL OR m.at >= $3) \
               AND ($4::timestamptz IS NULL OR m.at < $4) AND ($5::text IS NULL OR searchable(",
            words_of!(),
            ") LIKE searchable($5))"
        )
    };
}

const PAGE: &str = concat!(
    "WITH m AS (SELECT m.*",
    moved!(),
    " ORDER BY m.at DESC, m.id DESC LIMIT $8 OFFSET $9) \
     SELECT m.id, m.kind, m.at, m.amount_cents, m.state, m.credit_kind, \
       CASE m.state WHEN 'expired' THEN 'payment_expired' WHEN 'conflicted' THEN 'under_review' \
         WHEN 'declined' THEN coalesce(y.failure_code, 'other') \
         WHEN 'failed' THEN coalesce(y.failure_code, 'other') END AS failure_code, ",
    subject_columns!(),
    " FROM m",
    subject_joins!(),
    " ORDER BY m.at DESC, m.id DESC"
);

const TOTALS: &str = concat!(
    "SELECT count(*) AS count, \
       coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'charge'), 0)::bigint AS paid, \
       coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'refund'), 0)::bigint AS refunded, \
       coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'credit' AND m.amount_cents > 0), 0)::bigint AS credited, \
       coalesce(-sum(m.amount_cents) FILTER (WHERE m.kind = 'credit' AND m.amount_cents < 0), 0)::bigint \
         AS credit_used, \
       count(*) FILTER (WHERE m.state IN ('declined', 'failed', 'expired')) AS failed",
    moved!()
);

from_row!(Totals { count, paid, refunded, credited, credit_used, failed });

impl TryFrom<&Row> for Transaction {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let state: Option<&str> = row.try_get("state")?;
        let status =
            |state| PaymentStatus::ALL.into_iter().find(|status| status.states().contains(&state));
        let failure: Option<&str> = row.try_get("failure_code")?;
        Ok(Self {
            id: row.try_get("id")?,
            kind: row.try_get("kind")?,
            at: row.try_get("at")?,
            amount: row.try_get("amount_cents")?,
            status: state.and_then(status),
            failure_code: failure
                .map(|code| FailureCode::parse(code).unwrap_or(FailureCode::Other)),
            credit_kind: row.try_get("credit_kind")?,
            subject: row.try_into()?,
        })
    }
}
