//! The billing profile of a company and the address of a postal code (docs/contract.md, "Companies").

use actix_web::{get, put, web};
use bipe_core::brazil::postal::Cep;
use bipe_core::cep_lookup::FoundAddress;
use bipe_core::company::billing_profile::{self, BillingProfileRequest, BillingProfileView};
use bipe_core::error::{Code, Error};
use bipe_core::id::CompanyId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Caller, ManagePayments, ReadPayments, Scope, ScopedBody, SignedIn};

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PerhapsBillingProfile {
    /// None before anybody has filled it in.
    #[schema(required = true)]
    billing_profile: Option<BillingProfileView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneBillingProfile {
    billing_profile: BillingProfileView,
}

#[derive(Serialize, ToSchema)]
pub struct OneAddress {
    address: FoundAddress,
}

/// Whom receipts and boletos are made out to.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    responses((status = 200, body = Answer<PerhapsBillingProfile>)))]
#[get("/{id}/billing-profile")]
pub async fn read(app: web::Data<App>, scope: Scope<ReadPayments>) -> Reply {
    let tx = app.db.company_tx(&scope).await?;
    let profile = billing_profile::current(&tx).await?;
    Ok(ok(PerhapsBillingProfile { billing_profile: profile.map(BillingProfileView::from) }))
}

/// Saves a new version; what is saved already makes none. 409 if somebody saved another version meanwhile.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    request_body = BillingProfileRequest,
    responses((status = 200, body = Answer<OneBillingProfile>), (status = 409)))]
#[put("/{id}/billing-profile")]
pub async fn save(
    app: web::Data<App>,
    ScopedBody { scope, body }: ScopedBody<ManagePayments, BillingProfileRequest>,
    caller: Caller,
) -> Reply {
    let (details, made_of) = body.parse()?;
    let mut tx = app.db.company_tx(&scope).await?;
    let saved = billing_profile::save(&mut tx, details, made_of, scope.by(&caller)).await?;
    tx.commit().await?;
    Ok(ok(OneBillingProfile { billing_profile: saved.into() }))
}

/// The address of a postal code (CEP), from a service of others: a help for forms. 503 when it does not answer.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("cep" = String, Path)),
    responses((status = 200, body = Answer<OneAddress>)))]
#[get("/{cep}")]
pub async fn address(app: web::Data<App>, who: SignedIn, cep: web::Path<String>) -> Reply {
    let cep = Cep::parse(&cep).ok_or(Error::NotFound(Code::CepNotFound))?;
    app.limits.cep.take(&who.user_id)?;
    let address = app.cep.find(&cep).await?;
    Ok(ok(OneAddress { address }))
}
