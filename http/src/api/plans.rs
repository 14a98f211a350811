//! The plans on sale (docs/contract.md, "Subscriptions"). Public: the landing page shows them too.

use actix_web::{get, web};
use bipe_core::Error;
use bipe_core::id::PlanId;
use bipe_core::plan::{self, PlanStatus, PlanView};
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;
use crate::error::{Answer, Reply, ok};

#[derive(Serialize, ToSchema)]
pub struct Plans {
    plans: Vec<PlanView>,
}

#[derive(Serialize, ToSchema)]
pub struct OnePlan {
    plan: PlanView,
}

/// Plans on sale, by hierarchy.
#[utoipa::path(tag = "subscriptions", responses((status = 200, body = Answer<Plans>)))]
#[get("/plans")]
pub async fn list(app: web::Data<App>) -> Reply {
    let tx = app.db.tx().await?;
    let plans = plan::store::on_sale(&tx).await?;
    Ok(ok(Plans { plans: plans.into_iter().map(PlanView::from).collect() }))
}

/// One plan on sale.
#[utoipa::path(tag = "subscriptions", params(("id" = PlanId, Path)),
    responses((status = 200, body = Answer<OnePlan>)))]
#[get("/plans/{id}")]
pub async fn find(app: web::Data<App>, id: web::Path<PlanId>) -> Reply {
    let tx = app.db.tx().await?;
    let found = plan::store::find(&tx, *id).await?;
    let plan =
        found.filter(|plan| plan.status == PlanStatus::Active).ok_or_else(Error::not_found)?;
    Ok(ok(OnePlan { plan: plan.into() }))
}
