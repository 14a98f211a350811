//! The catalogue as platform admins keep it: list, create, edit, put on sale and take off.

use actix_web::{get, post, put, web};
use bipe_core::error::{Error, FieldCode};
use bipe_core::id::PlanId;
use bipe_core::plan::draft::PlanRequest;
use bipe_core::plan::{AdminPlan, PlanCounts, PlanStatus, admin_store};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::error::{Answer, Reply, created, ok};
use crate::extract::{Admin, AdminBody, Caller, Paging, Query};

#[derive(Serialize, ToSchema)]
pub struct AdminPlans {
    plans: Vec<AdminPlan>,
    /// How many plans the filter lets through.
    total: i64,
    page: i64,
    counts: PlanCounts,
}

#[derive(Serialize, ToSchema)]
pub struct OneAdminPlan {
    plan: AdminPlan,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PlanFilter {
    /// `active` (when left out), `inactive` or `all`.
    #[param(pattern = "^(active|inactive|all)$")]
    status: Option<String>,
}

impl PlanFilter {
    fn status(&self) -> Result<Option<PlanStatus>, Error> {
        match self.status.as_deref() {
            None | Some("") => Ok(Some(PlanStatus::Active)),
            Some("all") => Ok(None),
            Some(text) => {
                let status = PlanStatus::parse(text);
                status.map(Some).ok_or_else(|| Error::invalid("status", FieldCode::Invalid))
            }
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct PlanStatusRequest {
    status: PlanStatus,
}

/// Plans by hierarchy, on sale or not.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(PlanFilter, Paging),
    responses((status = 200, body = Answer<AdminPlans>)))]
#[get("/plans")]
pub async fn list(
    app: web::Data<App>,
    admin: Admin,
    Query(filter): Query<PlanFilter>,
    paging: Paging,
) -> Reply {
    let status = filter.status()?;
    let tx = app.db.admin_tx(&admin).await?;
    let plans = admin_store::list(&tx, status, paging.limit, paging.offset()).await?;
    let counts = admin_store::counts(&tx).await?;
    Ok(ok(AdminPlans { plans, total: counts.of(status), page: paging.page, counts }))
}

/// One plan.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = PlanId, Path)),
    responses((status = 200, body = Answer<OneAdminPlan>)))]
#[get("/plans/{id}")]
pub async fn find(app: web::Data<App>, admin: Admin, id: web::Path<PlanId>) -> Reply {
    let tx = app.db.admin_tx(&admin).await?;
    let plan = admin_store::find(&tx, *id).await?;
    Ok(ok(OneAdminPlan { plan }))
}

/// Adds a plan; it is on sale at once, unless its status says `inactive`.
#[utoipa::path(tag = "admin", security(("bearer" = [])), request_body = PlanRequest,
    responses((status = 201, body = Answer<OneAdminPlan>), (status = 409)))]
#[post("/plans")]
pub async fn create(
    app: web::Data<App>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<PlanRequest>,
) -> Reply {
    let plan = admin_store::create(&app.db, &admin, body.parse()?, &caller).await?;
    Ok(created(OneAdminPlan { plan }))
}

/// Changes a plan for whoever chooses it from now on; running subscriptions keep their price.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = PlanId, Path)),
    request_body = PlanRequest,
    responses((status = 200, body = Answer<OneAdminPlan>), (status = 409)))]
#[put("/plans/{id}")]
pub async fn edit(
    app: web::Data<App>,
    id: web::Path<PlanId>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<PlanRequest>,
) -> Reply {
    let plan = admin_store::edit(&app.db, &admin, *id, body.parse()?, &caller).await?;
    Ok(ok(OneAdminPlan { plan }))
}

/// Puts a plan on sale or takes it off.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = PlanId, Path)),
    request_body = PlanStatusRequest, responses((status = 200, body = Answer<OneAdminPlan>)))]
#[put("/plans/{id}/status")]
pub async fn set_status(
    app: web::Data<App>,
    id: web::Path<PlanId>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<PlanStatusRequest>,
) -> Reply {
    let plan = admin_store::set_status(&app.db, &admin, *id, body.status, &caller).await?;
    Ok(ok(OneAdminPlan { plan }))
}
