//! The audit for platform admins. Reading one person's entries adds an entry itself.

use actix_web::{get, web};
use bipe_core::audit::{self, AuditAction, AuditEntry, AuditFilter};
use bipe_core::id::{CompanyId, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Admin, Caller, Paging, Query, optional_id};

#[derive(Serialize, ToSchema)]
pub struct AuditEntries {
    entries: Vec<AuditEntry>,
    /// How many there are; nobody counts beyond 10000.
    total: i64,
    page: i64,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// About this company.
    #[serde(default, deserialize_with = "optional_id")]
    company: Option<CompanyId>,
    /// Done by this person.
    #[serde(default, deserialize_with = "optional_id")]
    actor: Option<UserId>,
    /// Done to this person. That a platform admin looked is left out.
    #[serde(default, deserialize_with = "optional_id")]
    target: Option<UserId>,
}

/// Who did what, newest first.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(AuditQuery, Paging),
    responses((status = 200, body = Answer<AuditEntries>)))]
#[get("/audit")]
pub async fn list(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<AuditQuery>,
    paging: Paging,
    caller: Caller,
) -> Reply {
    let filter = AuditFilter { company: query.company, actor: query.actor, target: query.target };
    let tx = app.db.admin_tx(&admin).await?.caused_by(&caller);
    let (entries, total) = audit::list(&tx, filter, paging.limit, paging.offset()).await?;
    for person in filter.actor.into_iter().chain(filter.target) {
        audit::record(&tx, audit::by_admin(&admin, &caller, AuditAction::AuditRead).about(person));
    }
    tx.commit().await?;
    Ok(ok(AuditEntries { entries, total, page: paging.page }))
}
