//! Payments for platform admins: every company's, and the decision on those that are under review because the
//! provider holds another amount than ours.

use actix_web::{get, post, web};
use bipe_actors::billing_workflow::PaymentOutcome;
use bipe_core::Error;
use bipe_core::error::FieldErrors;
use bipe_core::id::PaymentId;
use bipe_core::payment::PaymentStatus;
use bipe_core::payment::admin::{AdminPayment, PaymentFilter, ResolveRequest};
use bipe_core::payment::admin_store;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::extract::{Admin, AdminBody, Caller, Paging, Query, one_of};

#[derive(Serialize, ToSchema)]
pub struct AdminPayments {
    payments: Vec<AdminPayment>,
    /// How many the filters let through; nobody counts beyond 10000.
    total: i64,
    page: i64,
}

#[derive(Serialize, ToSchema)]
pub struct OneAdminPayment {
    payment: AdminPayment,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PaymentQuery {
    #[param(value_type = Option<PaymentStatus>)]
    status: Option<String>,
    /// `true`: those alone that wait for a person.
    #[param(value_type = Option<bool>)]
    review: Option<String>,
}

impl PaymentQuery {
    fn read(&self) -> Result<PaymentFilter, Error> {
        let mut errors = FieldErrors::default();
        let status = one_of(&mut errors, "status", self.status.as_deref(), PaymentStatus::parse);
        let flag = |text: &str| text.parse().ok();
        let review = one_of(&mut errors, "review", self.review.as_deref(), flag);
        errors.into_result(Some(PaymentFilter { status, review: review.unwrap_or(false) }))
    }
}

/// Payments of all companies, newest first.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(PaymentQuery, Paging),
    responses((status = 200, body = Answer<AdminPayments>)))]
#[get("/payments")]
pub async fn list(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<PaymentQuery>,
    paging: Paging,
) -> Reply {
    let filter = query.read()?;
    let tx = app.db.admin_tx(&admin).await?;
    let (payments, total) = admin_store::list(&tx, filter, paging.limit, paging.offset()).await?;
    Ok(ok(AdminPayments { payments, total, page: paging.page }))
}

/// Settles a payment that is under review. `accept`: what came in counts, more than the amount becomes credit and
/// less is forgiven. `refuse`: nothing is applied, the money is given back at the provider.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = PaymentId, Path)),
    request_body = ResolveRequest,
    responses((status = 200, body = Answer<OneAdminPayment>), (status = 409)))]
#[post("/payments/{id}/resolve")]
pub async fn resolve(
    app: web::Data<App>,
    id: web::Path<PaymentId>,
    caller: Caller,
    command: AdminBody<ResolveRequest>,
) -> Reply {
    let AdminBody { admin, body } = command;
    admin.assurance().prove_fresh(app.clock.now())?;
    let review = body.parse(admin, &caller)?;
    match app.actors.directory.review(*id, review).await? {
        PaymentOutcome::Payment { .. } => {}
        PaymentOutcome::Refused { error, .. } => return Err(error.into()),
        PaymentOutcome::Unread(_) | PaymentOutcome::Replay { .. } => {
            return Err(Error::unavailable(2).into());
        }
    }
    let tx = app.db.admin_tx(&admin).await?;
    let payment = admin_store::find(&tx, *id).await?;
    Ok(ok(OneAdminPayment { payment }))
}
