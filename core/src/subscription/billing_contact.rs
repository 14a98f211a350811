//! Finds the person who is mailed about the money of a company. Called by `renewal` and `notice`, and by the billing
//! workflow.

use crate::db::CompanyTx;
use crate::error::Result;
use crate::notification::NotificationKind;
use crate::row::from_row;

/// Who is told about the money of a company.
#[derive(Clone, Debug)]
pub struct BillingContact {
    pub name: String,
    pub email: String,
    pub company: String,
    /// How the company paid last.
    pub method: Option<String>,
    /// The company is neither suspended nor closed by the platform.
    pub is_active: bool,
}

from_row!(BillingContact { name, email, company, method, is_active });

/// For a mail of the kind; without one it is sent whatever anybody has switched off.
pub async fn find(
    tx: &CompanyTx,
    kind: Option<NotificationKind>,
) -> Result<Option<BillingContact>> {
    tx.find(PAYER, &[&tx.company_id(), &kind]).await
}

/// Who paid last, if that person still may; else the creator, else another admin or finance member. Whoever has
/// switched the mails of the kind off is passed over.
const PAYER: &str = "SELECT u.name, u.email, c.name AS company, p.method, c.status = 'active' AS is_active \
     FROM companies c \
     JOIN members m ON m.company_id = c.id AND m.role IN ('admin', 'finance') \
     JOIN users u ON u.id = m.user_id AND u.status = 'active' \
     LEFT JOIN notification_preferences f ON f.user_id = u.id AND f.kind = $2::text \
     LEFT JOIN LATERAL (SELECT created_by, method FROM payments WHERE company_id = c.id \
         AND state = 'succeeded' AND created_by IS NOT NULL ORDER BY created_at DESC LIMIT 1) p ON true \
     WHERE c.id = $1 AND coalesce(f.email, true) \
     ORDER BY u.id IS NOT DISTINCT FROM p.created_by DESC, u.id = c.created_by DESC, \
     m.role, m.created_at, u.id LIMIT 1";
