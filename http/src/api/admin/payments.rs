//! Payments for platform admins: every company's, what they add up to, one of them as support reads it, and the decision
//! on those that are under review because the provider holds another amount than ours. A search and a look at one
//! payment are audited.

use actix_web::{get, post, web};
use bipe_actors::billing_workflow::PaymentOutcome;
use bipe_core::audit::{self, AuditAction, Entry};
use bipe_core::db::PlatformTx;
use bipe_core::error::FieldErrors;
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::payment::PaymentStatus;
use bipe_core::payment::admin::{
    AdminPayment, AdminPaymentDetail, PaymentFigures, PaymentFilter, PaymentSearch, PaymentSort,
    ResolveRequest,
};
use bipe_core::payment::admin_list::{self, PaymentCursor};
use bipe_core::payment::admin_store;
use bipe_core::payment_method::Method;
use bipe_core::scope::CompanyScope;
use bipe_core::{Error, search};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::note_search;
use crate::App;
use crate::error::{Answer, Reply, ok, ok_aged};
use crate::extract::{Admin, AdminBody, Caller, Paging, Query, one_of};

#[derive(Serialize, ToSchema)]
pub struct AdminPayments {
    payments: Vec<AdminPayment>,
    /// How many the filters let through; nobody counts beyond 10000.
    total: i64,
    page: i64,
    /// `after` of the next page; null at the end.
    next: Option<PaymentId>,
}

#[derive(Serialize, ToSchema)]
pub struct OneAdminPayment {
    payment: AdminPayment,
}

#[derive(Serialize, ToSchema)]
pub struct OneAdminPaymentDetail {
    payment: AdminPaymentDetail,
}

#[derive(Serialize, ToSchema)]
pub struct AdminPaymentFigures {
    figures: PaymentFigures,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AdminPaymentQuery {
    #[param(value_type = Option<PaymentStatus>)]
    status: Option<String>,
    #[param(value_type = Option<Method>)]
    method: Option<String>,
    /// The slug of the plan.
    plan: Option<String>,
    /// The first day, in America/Sao_Paulo, on which a payment began.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// The last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
    /// Of one company, also of one that has ended.
    #[param(value_type = Option<CompanyId>)]
    company: Option<String>,
    /// The payment's id or its beginning, a document's number, an id of the provider, the payer's e-mail, a part of the
    /// company's name or legal name, or CPF, CNPJ or e-mail of its billing profile.
    #[param(max_length = 100)]
    search: Option<String>,
    /// `true`: those alone that wait for a person.
    #[param(value_type = Option<bool>)]
    review: Option<String>,
}

impl AdminPaymentQuery {
    fn read(&self) -> Result<PaymentFilter, Error> {
        let search = PaymentSearch::parse(self.search.as_deref())?;
        let mut errors = FieldErrors::default();
        let status = one_of(&mut errors, "status", self.status.as_deref(), PaymentStatus::parse);
        let method = one_of(&mut errors, "method", self.method.as_deref(), Method::parse);
        let plan = self.plan.clone().filter(|slug| !slug.is_empty());
        let flag = |text: &str| text.parse().ok();
        let review = one_of(&mut errors, "review", self.review.as_deref(), flag).unwrap_or(false);
        let id = |text: &str| text.parse().ok();
        let company = one_of(&mut errors, "company", self.company.as_deref(), id);
        let days = search::days(&mut errors, (self.from.as_deref(), self.to.as_deref()));
        errors.into_result(days.map(|(from, until)| PaymentFilter {
            status,
            method,
            plan,
            from,
            until,
            review,
            company,
            search,
        }))
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OrderQuery {
    /// `-createdAt` when left out. In this order alone the list stays fast however long it is.
    #[param(value_type = Option<PaymentSort>)]
    sort: Option<String>,
    /// The list behind this payment: `next` of the page before. `page` counts from there.
    #[param(value_type = Option<PaymentId>)]
    after: Option<String>,
}

/// Payments of all companies. A search may name a person's CPF or e-mail, so it is audited, once a minute.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(AdminPaymentQuery, OrderQuery, Paging),
    responses((status = 200, body = Answer<AdminPayments>)))]
#[get("/payments")]
pub async fn list(
    app: web::Data<App>,
    admin: Admin,
    (query, order): (Query<AdminPaymentQuery>, Query<OrderQuery>),
    paging: Paging,
    caller: Caller,
) -> Reply {
    let filter = query.0.read()?;
    let mut errors = FieldErrors::default();
    let id = |text: &str| text.parse().ok();
    let after = one_of(&mut errors, "after", order.0.after.as_deref(), id);
    let sort = one_of(&mut errors, "sort", order.0.sort.as_deref(), PaymentSort::parse);
    let sort = sort.unwrap_or(PaymentSort::CreatedAtDown);
    let cursor = PaymentCursor { sort, after, limit: paging.limit, offset: paging.offset() };
    let cursor = errors.into_result(Some(cursor))?;
    if filter.search.is_some() {
        note_search(&app, &admin, &caller, AuditAction::PaymentSearch).await?;
    }
    let tx = app.db.admin_tx(&admin).await?;
    let found = admin_list::list(&tx, &filter, cursor).await?;
    Ok(ok(AdminPayments {
        payments: found.payments,
        total: found.total,
        page: paging.page,
        next: found.next,
    }))
}

/// What the payments of a filter add up to, in all and by day, plan and method.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(AdminPaymentQuery),
    responses((status = 200, body = Answer<AdminPaymentFigures>,
        headers(("x-data-age" = u64, description = "Seconds by which the data is old, where a replica answered.")))))]
#[get("/payments/figures")]
pub async fn figures(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<AdminPaymentQuery>,
    caller: Caller,
) -> Reply {
    let filter = query.read()?;
    if filter.search.is_some() {
        note_search(&app, &admin, &caller, AuditAction::PaymentSearch).await?;
    }
    let read = async |tx: &PlatformTx| {
        Ok(AdminPaymentFigures { figures: admin_list::figures(tx, &filter).await? })
    };
    Ok(ok_aged(app.db.figures(&admin, read).await?))
}

/// One payment with its payer, its documents, the tries around it and its history.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = PaymentId, Path)),
    responses((status = 200, body = Answer<OneAdminPaymentDetail>)))]
#[get("/payments/{id}")]
pub async fn find(
    app: web::Data<App>,
    admin: Admin,
    id: web::Path<PaymentId>,
    caller: Caller,
) -> Reply {
    let tx = app.db.admin_tx(&admin).await?.caused_by(&caller);
    let lookup = admin_store::lookup(&tx, *id).await?;
    let company = lookup.payment.payment.company_id;
    let entry = audit::by_admin(&admin, &caller, AuditAction::PaymentRead).about(*id);
    audit::record_view(&tx, Entry { company: Some(company), ..entry }).await?;
    tx.commit().await?;
    let tx = app.db.company_tx(&CompanyScope::of_admin(&admin, company)).await?;
    let payment = admin_store::detail(&tx, lookup).await?;
    Ok(ok(OneAdminPaymentDetail { payment }))
}

/// Settles a payment that is under review. `accept`: what came in counts, more than the amount becomes credit and
/// less is forgiven; for a superseded boleto all of it becomes credit. `refuse`: nothing is applied, the money is
/// given back at the provider.
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
        PaymentOutcome::Unread(_) | PaymentOutcome::Foreign(_) | PaymentOutcome::Replay { .. } => {
            return Err(Error::unavailable(2).into());
        }
    }
    let tx = app.db.admin_tx(&admin).await?;
    let payment = admin_store::find(&tx, *id).await?;
    Ok(ok(OneAdminPayment { payment }))
}
