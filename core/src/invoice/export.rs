//! Takes the documents of a year away, which the audit notes: they name people and tax ids.

use super::archive::MAX_DOCUMENTS;
use super::{Invoice, InvoiceKind, store};
use crate::audit::{self, AuditAction};
use crate::company::Author;
use crate::db::CompanyTx;
use crate::error::{Error, FieldCode, Result};
use crate::search::Filter;

/// Answers the documents, oldest first.
///
/// # Errors
/// `Invalid(year)` for more than [`MAX_DOCUMENTS`].
pub async fn export(
    tx: &CompanyTx,
    filter: &Filter<InvoiceKind>,
    by: Author<'_>,
) -> Result<Vec<Invoice>> {
    let most = i64::try_from(MAX_DOCUMENTS).map_err(Error::internal)?;
    let (mut invoices, totals) = store::page(tx, filter, most, 0).await?;
    if totals.count > most {
        return Err(Error::invalid("year", FieldCode::TooLong));
    }
    invoices.reverse();
    audit::record(tx, by.entry(tx.company_id(), AuditAction::InvoiceExport));
    Ok(invoices)
}
