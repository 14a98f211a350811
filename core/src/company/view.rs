//! A company's own row as its members see it, and the audit of what they do in it.

use tokio_postgres::Row;

use super::{By, CompanyStatus, CompanyView};
use crate::audit::{self, Entry};
use crate::db::CompanyTx;
use crate::error::{Error, Result};
use crate::id::CompanyId;
use crate::scope::stored_role;

impl TryFrom<&Row> for CompanyView {
    type Error = Error;

    fn try_from(row: &Row) -> Result<Self> {
        let id: CompanyId = row.try_get("id")?;
        let status = CompanyStatus::parse(row.try_get("status")?)
            .ok_or_else(|| Error::internal(format!("companies.status of {id} is unknown")))?;
        let role: Option<&str> = row.try_get("role")?;
        Ok(Self {
            id,
            company_name: row.try_get("name")?,
            company_description: row.try_get("description")?,
            user_role: role.map(stored_role).transpose()?,
            company_created_by: row.try_get("created_by")?,
            status,
            created_at: row.try_get("created_at")?,
        })
    }
}

/// The company as it goes to several people.
pub async fn company_view(tx: &CompanyTx) -> Result<Option<CompanyView>> {
    let row = tx.query_opt(VIEW, &[&tx.company_id()]).await?;
    row.as_ref().map(CompanyView::try_from).transpose()
}

const VIEW: &str = "SELECT id, name, description, NULL::text AS role, created_by, status, created_at \
     FROM companies WHERE id = $1";

pub const STATEMENTS: &[&str] = &[VIEW];

impl By<'_> {
    /// Audits an act on one object of the transaction's company.
    pub(super) async fn record(
        self,
        tx: &CompanyTx,
        action: &'static str,
        target: &impl ToString,
        fields: &[&str],
    ) -> Result<()> {
        let entry = self.entry(tx.company_id(), action);
        audit::record(tx, Entry { target: Some(target.to_string()), fields, ..entry }).await
    }
}
