//! A company's own audit, for its admins: page by page, and as a file. Each download of the file adds an entry.

use actix_web::{get, web};
use bipe_core::Error;
use bipe_core::brazil;
use bipe_core::company_audit::{self, LogEntry, LogFilter};
use bipe_core::id::{CompanyId, UserId};
use bipe_core::rate_limit::AUDIT_EXPORTED;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::api::download::{Format, FormatQuery};
use crate::error::{Answer, Reply, ok};
use crate::extract::{Caller, Paging, Query, ReadAudit, Scope};

#[derive(Serialize, ToSchema)]
pub struct CompanyAudit {
    entries: Vec<LogEntry>,
    /// How many there are; nobody counts beyond 10000.
    total: i64,
    page: i64,
}

/// The file as JSON.
#[derive(Serialize, ToSchema)]
pub struct AuditFile {
    entries: Vec<LogEntry>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompanyAuditQuery {
    /// Done by this person.
    #[param(value_type = Option<UserId>)]
    actor: Option<String>,
    /// `payment.start`, or `payment` for all of them.
    #[param(pattern = "^[a-z_]+([.][a-z_]+)?$", max_length = 60)]
    action: Option<String>,
    /// The first day, in America/Sao_Paulo.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// The last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
}

impl CompanyAuditQuery {
    fn read(&self) -> Result<LogFilter, Error> {
        let days = (self.from.as_deref(), self.to.as_deref());
        LogFilter::parse(self.actor.as_deref(), self.action.as_deref(), days)
    }
}

/// Who did what in the company, newest first. Who acts for the platform has no name, and nobody a network.
#[utoipa::path(tag = "companies", security(("bearer" = [])),
    params(("id" = CompanyId, Path), CompanyAuditQuery, Paging),
    responses((status = 200, body = Answer<CompanyAudit>)))]
#[get("/{id}/audit")]
pub async fn list(
    app: web::Data<App>,
    scope: Scope<ReadAudit>,
    Query(query): Query<CompanyAuditQuery>,
    paging: Paging,
) -> Reply {
    let filter = query.read()?;
    let tx = app.db.company_tx(&scope).await?;
    let (entries, total) = company_audit::list(&tx, &filter, paging.limit, paging.offset()).await?;
    Ok(ok(CompanyAudit { entries, total, page: paging.page }))
}

/// The newest 10000 of them as a file, which is an entry itself.
#[utoipa::path(tag = "companies", security(("bearer" = [])),
    params(("id" = CompanyId, Path), CompanyAuditQuery, FormatQuery),
    responses((status = 200, content((String = "text/csv"), (AuditFile = "application/json")))))]
#[get("/{id}/audit/export")]
pub async fn export_file(
    app: web::Data<App>,
    scope: Scope<ReadAudit>,
    Query(query): Query<CompanyAuditQuery>,
    Query(format): Query<FormatQuery>,
    caller: Caller,
) -> Reply {
    let filter = query.read()?;
    let format = format.read()?;
    app.auth.limit(AUDIT_EXPORTED, &["user", &scope.person().to_string()]).await?;
    let tx = app.db.company_tx(&scope).await?.caused_by(&caller);
    let entries = company_audit::export(&tx, &filter, scope.by(&caller)).await?;
    tx.commit().await?;
    let today = brazil::local_date(app.clock.now());
    let text = match format {
        Format::Csv => company_audit::csv(&entries),
        Format::Json => serde_json::to_string(&AuditFile { entries }).map_err(Error::internal)?,
    };
    Ok(format.answer(&format.name(&format!("audit-{today}")), text))
}
