//! Companies (docs/contract.md, "Companies"): list, create, read, edit, delete. Their people stand in `members.rs`.

use actix_web::{delete, get, post, put, web};
use bipe_core::company::{self, CompanyDetail, CompanyView, Profile};
use bipe_core::id::CompanyId;
use bipe_core::{Error, company_end, rate_limit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::App;
use crate::error::{Answer, Reply, created, no_content, ok};
use crate::extract::{
    Body, Caller, DeleteCompany, EditCompany, ReadCompany, Scope, ScopedBody, SignedIn,
};

#[derive(Serialize, ToSchema)]
pub struct Companies {
    companies: Vec<CompanyView>,
}

#[derive(Serialize, ToSchema)]
pub struct OneCompany {
    pub company: CompanyDetail,
}

/// What creates and edits a company.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompanyRequest {
    #[schema(min_length = 2, max_length = 100)]
    company_name: String,
    /// Empty is none.
    #[schema(max_length = 500)]
    company_description: Option<String>,
}

impl CompanyRequest {
    fn profile(&self) -> bipe_core::Result<Profile> {
        Profile::parse(&self.company_name, self.company_description.as_deref())
    }
}

/// The companies of the caller, with the caller's role in each.
#[utoipa::path(tag = "companies", security(("bearer" = [])),
    responses((status = 200, body = Answer<Companies>)))]
#[get("")]
pub async fn list(app: web::Data<App>, who: SignedIn) -> Reply {
    let tx = app.db.user_tx(who.user_id).await?;
    let companies = company::store::of_person(&tx, *who).await?;
    Ok(ok(Companies { companies }))
}

/// Creates a company; the caller becomes its administrator.
#[utoipa::path(tag = "companies", security(("bearer" = [])), request_body = CompanyRequest,
    responses((status = 201, body = Answer<OneCompany>)))]
#[post("")]
pub async fn create(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<CompanyRequest>,
) -> Reply {
    let profile = body.0.profile()?;
    app.auth.limit(rate_limit::COMPANY_CREATED, &["user", &who.user_id.to_string()]).await?;
    let company = company::store::create(&app.db, *who, &profile, &caller).await?;
    Ok(created(OneCompany { company }))
}

/// One company with its people.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    responses((status = 200, body = Answer<OneCompany>)))]
#[get("/{id}")]
pub async fn find(app: web::Data<App>, scope: Scope<ReadCompany>) -> Reply {
    let company = company::store::read_detail(&app.db, &scope).await?;
    let company = company.ok_or_else(Error::not_found)?;
    Ok(ok(OneCompany { company }))
}

/// Changes name and description.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    request_body = CompanyRequest, responses((status = 200, body = Answer<OneCompany>)))]
#[put("/{id}")]
pub async fn edit(
    app: web::Data<App>,
    ScopedBody { scope, body }: ScopedBody<EditCompany, CompanyRequest>,
    caller: Caller,
) -> Reply {
    let profile = body.profile()?;
    let company = company::store::edit(&app.db, &scope, &profile, &caller).await?;
    Ok(ok(OneCompany { company }))
}

/// Ends the company; its creator alone may, and not while a paid plan runs or a payment is open.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    responses((status = 204), (status = 409)))]
#[delete("/{id}")]
pub async fn remove(app: web::Data<App>, scope: Scope<DeleteCompany>, caller: Caller) -> Reply {
    let mut tx = app.db.company_tx(&scope).await?;
    company_end::delete(&mut tx, scope.by(&caller)).await?;
    tx.commit().await?;
    Ok(no_content())
}
