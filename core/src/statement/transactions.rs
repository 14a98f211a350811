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
    limit: i64,
    offset: i64,
) -> Result<(Vec<Transaction>, Totals)> {
    let company = tx.company_id();
    let (methods, names): (Vec<&str>, Vec<&str>) =
        Method::ALL.map(|method| (method.as_str(), method.mail_name())).into_iter().unzip();
    let wanted: [&(dyn ToSql + Sync); 9] =
        [&company, kind, from, until, search, &methods, &names, &limit, &offset];
    let rows = tx.query(PAGE, &wanted).await?;
    let first = rows.first().ok_or_else(|| Error::internal("a sum has no row"))?;
    let totals = Totals::try_from(first)?;
    // A page behind the last line has the totals alone.
    let is_line = |row: &&Row| row.try_get("id").is_ok_and(|id: Option<Uuid>| id.is_some());
    let lines = rows.iter().filter(is_line).map(Transaction::try_from).collect::<Result<_>>()?;
    Ok((lines, totals))
}

/// The amount as it is shown, without points and from a thousand reais on also with them, the ids, the plan and the method
/// of its payment, as `searchable` makes them.
macro_rules! words_of {
    () => {
        "concat_ws(' ', CASE WHEN abs(m.amount_cents) >= 100000 \
             THEN 'r$ ' || translate(to_char(abs(m.amount_cents) / 100.0, 'FM999,999,990.00'), ',.', '.,') END, \
           'r$ ' || replace(to_char(abs(m.amount_cents) / 100.0, 'FM999999990.00'), '.', ','), \
           CASE WHEN m.method IS NOT NULL THEN m.payment_id END, lower(m.provider_intent), o.words, \
           CASE WHEN m.caused_at IS NOT NULL THEN (SELECT searchable(s.plan_name) FROM subscription_history s \
             WHERE s.company_id = $1 AND s.at = m.caused_at ORDER BY s.line_number DESC LIMIT 1) END)"
    };
}

/// Of a row `m`: its payment. A limit makes it a look-up in the index: a plan for companies of few payments would compare
/// all rows with all payments.
macro_rules! payment_of {
    () => {
        " LEFT JOIN LATERAL (SELECT w.provider_intent, w.plan_id, w.method FROM payments w \
           WHERE w.company_id = $1 AND w.id = m.payment_id LIMIT 1) w ON true "
    };
}

/// What plans and methods are called: `searchable` runs for each of them, and not for each line.
macro_rules! named {
    () => {
        "WITH named AS MATERIALIZED (SELECT n.id AS plan_id, u.method, \
           searchable(n.display_name || ' ' || u.name) AS words \
         FROM plans n, unnest($6::text[], $7::text[]) AS u (method, name)), "
    };
}

/// Every line of the company that the filter lets through. The words are put together only where something is searched
/// for: by them, and by those of its document, a line is found as people see it.
macro_rules! moved {
    () => {
        concat!(
            "SELECT m.* FROM (\
               SELECT CASE WHEN p.state = 'succeeded' THEN 'charge' ELSE 'attempt' END AS kind, p.id, \
               CASE WHEN p.state = 'succeeded' THEN coalesce(p.succeeded_at, p.updated_at) ELSE p.created_at END AS at, \
               CASE WHEN p.state = 'succeeded' THEN coalesce(p.received_cents, p.amount_cents) \
                 ELSE p.amount_cents END AS amount_cents, \
               p.state, NULL::text AS credit_kind, NULL::text AS source, NULL::timestamptz AS caused_at, \
               p.id AS payment_id, NULL::uuid AS document_id, p.provider_intent, p.plan_id, p.method \
             FROM payments p WHERE p.company_id = $1 \
             UNION ALL SELECT 'credit', m.id, m.at, m.amount_cents, NULL, m.kind, m.source, m.caused_at, \
               m.payment_id, NULL, w.provider_intent, w.plan_id, w.method FROM (SELECT e.*, ",
            entry_cause!(),
            " FROM credit_entries e WHERE e.company_id = $1) m",
            payment_of!(),
            "UNION ALL SELECT 'refund', m.id, m.at, m.total_cents, NULL, NULL, NULL, NULL, m.payment_id, m.id, \
               w.provider_intent, w.plan_id, w.method FROM invoices m",
            payment_of!(),
            "WHERE m.company_id = $1 AND m.kind = 'refund') AS m \
             LEFT JOIN named o ON o.plan_id = m.plan_id AND o.method = m.method \
             WHERE ($2::text IS NULL OR m.kind = $2) AND ($3::timestamptz IS NULL OR m.at >= $3) \
               AND ($4::timestamptz IS NULL OR m.at < $4) AND ($5::text IS NULL OR ",
            words_of!(),
            " LIKE (SELECT searchable($5)) OR coalesce(m.document_id, m.payment_id) IN (SELECT v.id FROM invoices v \
               WHERE v.company_id = $1 AND v.search_text LIKE (SELECT searchable($5))))"
        )
    };
}

/// The lines are put together once, for the page and for the totals, which are on each of its rows.
const PAGE: &str = concat!(
    named!(),
    "moved AS MATERIALIZED (",
    moved!(),
    "), totals AS (SELECT count(*) AS count, \
       coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'charge'), 0)::bigint AS paid, \
       coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'refund'), 0)::bigint AS refunded, \
       coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'credit' AND m.amount_cents > 0), 0)::bigint AS credited, \
       coalesce(-sum(m.amount_cents) FILTER (WHERE m.kind = 'credit' AND m.amount_cents < 0), 0)::bigint \
         AS credit_used, \
       count(*) FILTER (WHERE m.state IN ('declined', 'failed', 'expired')) AS failed FROM moved m), \
     m AS (SELECT * FROM moved ORDER BY at DESC, id DESC LIMIT $8 OFFSET $9), \
     lines AS (SELECT m.id, m.kind, m.at, m.amount_cents, m.state, m.credit_kind, \
       CASE m.state WHEN 'expired' THEN 'payment_expired' WHEN 'conflicted' THEN 'under_review' \
         WHEN 'declined' THEN coalesce(y.failure_code, 'other') \
         WHEN 'failed' THEN coalesce(y.failure_code, 'other') END AS failure_code, ",
    subject_columns!(),
    " FROM m",
    subject_joins!(),
    ") SELECT * FROM totals LEFT JOIN lines ON true ORDER BY lines.at DESC, lines.id DESC"
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
