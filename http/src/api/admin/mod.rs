//! The platform admin's calls (docs/contract.md, "Platform admin"), one file a noun. Every handler takes an `Admin`,
//! which only a platform admin's live session gives.

pub mod analytics;
pub mod audit;
pub mod companies;
pub mod nodes;
pub mod payments;
pub mod plans;
pub mod refunds;
pub mod users;
pub mod views;

use bipe_core::Result;
use bipe_core::audit::{AuditAction, by_admin, record_search};
use bipe_core::scope::AdminScope;

use crate::App;
use crate::extract::Caller;

/// Audits a search, once a minute: it may name a person.
async fn note_search(
    app: &App,
    admin: &AdminScope,
    caller: &Caller,
    action: AuditAction,
) -> Result<()> {
    let tx = app.db.admin_tx(admin).await?.caused_by(caller);
    record_search(&tx, by_admin(admin, caller, action)).await?;
    tx.commit().await
}
