//! The credit ledger of a company, newest entry first: what moved the credit, why, and the balance after it. Called by
//! the handlers. Read only.
//!
//! Invariant: the balance after the newest entry is the balance of the company, whatever is filtered.

use jiff::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Subject;
use crate::db::CompanyTx;
use crate::error::{Error, FieldCode, Result};
use crate::money::Cents;
use crate::subscription::CreditKind;

/// One movement of the credit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LedgerEntry {
    pub id: Uuid,
    pub at: Timestamp,
    pub kind: CreditKind,
    /// Below zero where credit went.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// The company's credit after it.
    #[schema(value_type = i64)]
    pub balance: Cents,
    #[serde(flatten)]
    pub subject: Subject,
}

/// A part of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerPage {
    /// Of the company now; below zero while up to 49 centavos are carried to the next charge.
    pub balance: Cents,
    pub entries: Vec<LedgerEntry>,
    /// Where the next part begins; none after the oldest entry.
    pub next: Option<Uuid>,
}

/// The entries of these days, at most `limit` of them, older than the entry `before`.
///
/// # Errors
/// `Invalid(before)` when the company's ledger has no such entry.
pub async fn page(
    tx: &CompanyTx,
    (from, until): (Option<Timestamp>, Option<Timestamp>),
    before: Option<Uuid>,
    limit: usize,
) -> Result<LedgerPage> {
    let company = tx.company_id();
    let before_at: Option<Timestamp> = match before {
        Some(id) => {
            let found = tx.find_value(AT, &[&company, &id]).await?;
            Some(found.ok_or_else(|| Error::invalid("before", FieldCode::Invalid))?)
        }
        None => None,
    };
    // One more tells whether there are older ones.
    let most = i64::try_from(limit).map_err(Error::internal)? + 1;
    let rows = tx.query(PAGE, &[&company, &from, &until, &before_at, &before, &most]).await?;
    let first = rows.first().ok_or_else(|| Error::internal("a sum has no row"))?;
    let balance = first.try_get("company_balance")?;
    // A part without entries has the company's balance alone.
    let is_entry = |row: &&Row| row.try_get("id").is_ok_and(|id: Option<Uuid>| id.is_some());
    let entries = rows.iter().filter(is_entry).map(LedgerEntry::try_from);
    let mut entries: Vec<LedgerEntry> = entries.collect::<Result<_>>()?;
    let has_more = entries.len() > limit;
    entries.truncate(limit);
    let next = entries.last().filter(|_| has_more).map(|last| last.id);
    Ok(LedgerPage { balance, entries, next })
}

const AT: &str = "SELECT at FROM credit_entries WHERE company_id = $1 AND id = $2";

/// The days and the cursor cut one piece out of the ledger: the balances follow from that of its newest entry. The
/// company's balance is on each row: another statement would see an entry that was added after this one.
const PAGE: &str = concat!(
    "WITH m AS (SELECT e.id, e.at, e.kind, e.source, e.amount_cents, NULL::uuid AS document_id, ",
    entry_cause!(),
    " FROM credit_entries e WHERE e.company_id = $1 \
       AND ($2::timestamptz IS NULL OR e.at >= $2) AND ($3::timestamptz IS NULL OR e.at < $3) \
       AND ($4::timestamptz IS NULL OR (e.at, e.id) < ($4, $5::uuid)) ORDER BY e.at DESC, e.id DESC LIMIT $6), \
     newest AS (SELECT sum(c.amount_cents) AS balance FROM credit_entries c WHERE c.company_id = $1 \
       AND (c.at, c.id) <= (SELECT m.at, m.id FROM m ORDER BY m.at DESC, m.id DESC LIMIT 1)), \
     total AS (SELECT coalesce(sum(c.amount_cents), 0)::bigint AS company_balance FROM credit_entries c \
       WHERE c.company_id = $1), \
     lines AS (SELECT m.id, m.at, m.kind, m.amount_cents, ((SELECT newest.balance FROM newest) \
       - coalesce(sum(m.amount_cents) OVER (ORDER BY m.at DESC, m.id DESC \
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::bigint AS balance, ",
    subject_columns!(),
    " FROM m",
    subject_joins!(),
    ") SELECT * FROM total LEFT JOIN lines ON true ORDER BY lines.at DESC, lines.id DESC"
);

impl TryFrom<&Row> for LedgerEntry {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            at: row.try_get("at")?,
            kind: row.try_get("kind")?,
            amount: row.try_get("amount_cents")?,
            balance: row.try_get("balance")?,
            subject: row.try_into()?,
        })
    }
}
