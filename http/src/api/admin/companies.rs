//! Companies for platform admins: search, look inside, edit, suspend. Each search and each look into one is audited.

use actix_web::{get, put, web};
use bipe_core::audit::{self, AuditAction, Entry};
use bipe_core::company::admin::{
    AdminCompany, AdminCompanyStanding, CompanyEditRequest, CompanyFilter, CompanySearch,
    CompanySort, CompanySummary,
};
use bipe_core::company::admin_store;
use bipe_core::company::{self, CompanyDetail, CompanyStatus, InviteView, MemberView};
use bipe_core::db::PlatformTx;
use bipe_core::error::FieldErrors;
use bipe_core::id::CompanyId;
use bipe_core::money::Reais;
use bipe_core::payment::list::Filter;
use bipe_core::payment::view::PaymentView;
use bipe_core::scope::{AdminScope, CompanyScope};
use bipe_core::search::Page;
use bipe_core::subscription::account_summary::AccountSummary;
use bipe_core::subscription::view::SubscriptionView;
use bipe_core::{Error, payment, subscription};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::note_search;
use crate::App;
use crate::error::{Answer, Reply, ok, ok_aged};
use crate::extract::{Admin, AdminBody, Caller, Paging, Query, one_of};

/// How many payments come with one company.
const PAYMENTS: i64 = 20;

#[derive(Serialize, ToSchema)]
pub struct AdminCompanies {
    companies: Vec<AdminCompany>,
    /// How many companies the filters let through.
    total: i64,
    page: i64,
    summary: CompanySummary,
}

#[derive(Serialize, ToSchema)]
pub struct OneAdminCompany {
    company: AdminCompanyDetail,
}

/// One company with its people and its money.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminCompanyDetail {
    #[serde(flatten)]
    standing: AdminCompanyStanding,
    members: Vec<MemberView>,
    /// The open ones.
    invites: Vec<InviteView>,
    /// As its members see it; null when there is none.
    running: Option<SubscriptionView>,
    /// Also of a company that never had a subscription: what it paid too late to buy one is there.
    credit_balance: Reais,
    /// The newest twenty; amounts in minor units.
    payments: Vec<PaymentView>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompanyQuery {
    /// Its id; a part of name, description, creator's e-mail or legal name; CPF, CNPJ or e-mail of the billing profile.
    #[param(max_length = 100)]
    search: Option<String>,
    #[param(value_type = Option<CompanyStatus>)]
    status: Option<String>,
    /// The slug of the plan that the list shows, also of an ended subscription, or `none`.
    plan: Option<String>,
    /// `-createdAt` when left out.
    #[param(value_type = Option<CompanySort>)]
    sort: Option<String>,
}

impl CompanyQuery {
    fn read(&self) -> Result<(CompanyFilter, CompanySort), Error> {
        let mut errors = FieldErrors::default();
        let status = one_of(&mut errors, "status", self.status.as_deref(), CompanyStatus::parse);
        let sort = one_of(&mut errors, "sort", self.sort.as_deref(), CompanySort::parse);
        errors.into_result(Some(()))?;
        let plan = self.plan.clone().filter(|slug| !slug.is_empty());
        let search = CompanySearch::parse(self.search.as_deref())?;
        let filter = CompanyFilter { search, status, plan };
        Ok((filter, sort.unwrap_or(CompanySort::CreatedAtDown)))
    }
}

/// Companies by search, status and plan. A search finds people by their e-mail, so it is audited, once a minute.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(CompanyQuery, Paging),
    responses((status = 200, body = Answer<AdminCompanies>,
        headers(("x-data-age" = u64, description = "Seconds by which the data is old, where a replica answered.")))))]
#[get("/companies")]
pub async fn list(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<CompanyQuery>,
    paging: Paging,
    caller: Caller,
) -> Reply {
    let (filter, sort) = query.read()?;
    let page = Page { sort, limit: paging.limit, offset: paging.offset() };
    if filter.search.is_some() {
        note_search(&app, &admin, &caller, AuditAction::CompanySearch).await?;
    }
    let read = async |tx: &PlatformTx| {
        let (companies, total) = admin_store::list(tx, &filter, page).await?;
        let summary = admin_store::summary(tx).await?;
        Ok(AdminCompanies { companies, total, page: paging.page, summary })
    };
    Ok(ok_aged(app.db.search(&admin, read).await?))
}

/// One company with its people and its money.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    responses((status = 200, body = Answer<OneAdminCompany>)))]
#[get("/companies/{id}")]
pub async fn find(
    app: web::Data<App>,
    admin: Admin,
    id: web::Path<CompanyId>,
    caller: Caller,
) -> Reply {
    let company = look_into(&app, &admin, *id, &caller).await?;
    Ok(ok(OneAdminCompany { company }))
}

/// Changes name, description or status; suspending needs a reason.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    request_body = CompanyEditRequest, responses((status = 200, body = Answer<OneAdminCompany>)))]
#[put("/companies/{id}")]
pub async fn edit(
    app: web::Data<App>,
    id: web::Path<CompanyId>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<CompanyEditRequest>,
) -> Reply {
    admin_store::edit(&app.db, &admin, *id, body.parse()?, &caller).await?;
    let company = look_into(&app, &admin, *id, &caller).await?;
    Ok(ok(OneAdminCompany { company }))
}

async fn look_into(
    app: &App,
    admin: &AdminScope,
    id: CompanyId,
    caller: &Caller,
) -> Result<AdminCompanyDetail, Error> {
    let tx = app.db.admin_tx(admin).await?.caused_by(caller);
    let standing = admin_store::standing(&tx, id).await?;
    let entry = audit::by_admin(admin, caller, AuditAction::CompanyRead).about(id);
    audit::record(&tx, Entry { company: Some(id), ..entry });
    tx.commit().await?;
    let tx = app.db.company_snapshot(&CompanyScope::of_admin(admin, id)).await?;
    let detail = company::store::detail(&tx).await?.ok_or_else(Error::not_found)?;
    let running = subscription::current_view::read(&tx).await?;
    let credit_balance = Reais(AccountSummary::read(&tx).await?.balance);
    let (payments, _totals) = payment::list::page(&tx, &Filter::default(), PAYMENTS, 0).await?;
    let CompanyDetail { users: members, invites, .. } = detail;
    Ok(AdminCompanyDetail { standing, members, invites, running, credit_balance, payments })
}
