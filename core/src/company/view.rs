//! A company's own row as its members see it, and the audit of what they do in it.

use super::{Author, CompanyView};
use crate::audit::{self, AuditAction, AuditField, Entry};
use crate::db::CompanyTx;
use crate::error::Result;
use crate::row::from_row;

from_row! {
    CompanyView {
        id, company_name: "name", company_description: "description", user_role: "role",
        company_created_by: "created_by", status, created_at,
    }
}

/// The company as it goes to several people.
pub async fn company_view(tx: &CompanyTx) -> Result<Option<CompanyView>> {
    tx.find(VIEW, &[&tx.company_id()]).await
}

pub(super) const VIEW: &str = "SELECT id, name, description, NULL::text AS role, created_by, status, created_at, \
     max_users FROM companies WHERE id = $1";

impl Author<'_> {
    /// Audits an act on one object of the transaction's company.
    pub(super) fn record(
        self,
        tx: &CompanyTx,
        action: AuditAction,
        target: &impl ToString,
        fields: &[AuditField],
    ) {
        let entry = self.entry(tx.company_id(), action).about(target.to_string());
        audit::record(tx, Entry { fields, ..entry });
    }
}
