//! Payments (docs/contract.md, "Payments"): the company's admins and finance start, read and cancel them. Nothing is
//! decided here: requests become commands of the directory, outcomes become answers.

pub mod methods;
mod request;

use actix_web::{get, post, web};
use bipe_actors::billing_workflow::{PaymentOutcome, PaymentProgress, Task};
use bipe_core::error::{Error, FieldErrors};
use bipe_core::id::{CompanyId, PaymentId};
use bipe_core::money::Cents;
use bipe_core::payment::list::{Filter, Search, Totals, page};
use bipe_core::payment::{PaymentStatus, PaymentView};
use bipe_core::payment_method::Method;
use bipe_core::scope::Permission;
use bipe_core::search;
use bipe_core::secret::Secret;
use bipe_core::user::parse_note;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

pub use request::ProcessPayment;

use crate::App;
use crate::error::{Answer, ApiError, Reply, accepted, created, ok};
use crate::extract::{
    Body, Caller, IdempotencyKey, Paging, Query, ReadPayments, Scope, Sender, SignedIn, one_of,
    prove_company,
};
use crate::replay::{refused, replayed};

#[derive(Serialize, ToSchema)]
pub struct OnePayment {
    payment: PaymentView,
}

/// What the payer gets; `client_secret` for a card that has to be confirmed.
#[derive(Serialize, ToSchema)]
pub struct StartedPayment {
    #[schema(value_type = PaymentView)]
    payment: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_secret: Option<String>,
}

impl StartedPayment {
    fn of(payment: String, secret: Option<&Secret>) -> Result<Self, ApiError> {
        Ok(Self {
            payment: RawValue::from_string(payment).map_err(Error::internal)?,
            client_secret: secret.map(|secret| secret.expose().to_owned()),
        })
    }
}

/// Starts a payment. 201: the provider has answered; 202: its answer is still out, the status tells later.
#[utoipa::path(tag = "payments", security(("bearer" = [])),
    params(("Idempotency-Key" = Option<String>, Header)), request_body = ProcessPayment, responses(
    (status = 201, body = Answer<StartedPayment>), (status = 202, body = Answer<StartedPayment>),
    (status = 409)))]
#[post("/process")]
pub async fn process(
    app: web::Data<App>,
    sender: Sender,
    caller: Caller,
    key: IdempotencyKey,
    body: Result<Body<ProcessPayment>, ApiError>,
) -> Reply {
    let body = body.map_err(request::as_offered);
    let body = body.and_then(|Body(body)| Ok((body.company()?, body)));
    let (scope, who, body) = sender.prove(body, Permission::ManagePayments).await?;
    let mut start = body.into_command(scope, who.user_id, key.0)?;
    if start.details.method().rules().takes_a_card {
        app.limits.provider.take(&who.user_id)?;
    }
    start.request_id = Some(caller.request_id.clone());
    answer(app.actors.directory.start(start, Some(caller.network.clone())).await?)
}

fn answer(outcome: PaymentOutcome) -> Reply {
    match outcome {
        PaymentOutcome::Payment { view, secret, progress } => {
            let payment = serde_json::to_string(&view).map_err(Error::internal)?;
            let started = StartedPayment::of(payment, secret.as_ref())?;
            Ok(match progress {
                PaymentProgress::Unanswered => accepted(started),
                PaymentProgress::Open | PaymentProgress::Final => created(started),
            })
        }
        PaymentOutcome::Replay { reply, secret } => {
            Ok(replayed(created(StartedPayment::of(reply, secret.as_ref())?)))
        }
        PaymentOutcome::Refused { error, replayed } => refused(error, replayed),
        PaymentOutcome::Unread(_) | PaymentOutcome::Foreign(_) => Err(Error::unavailable(2).into()),
    }
}

/// Proves that the payment is the caller's company's; a foreign one answers like a missing one.
async fn task_of(
    app: &App,
    who: &SignedIn,
    payment: PaymentId,
    permission: Permission,
) -> Result<Task, ApiError> {
    let company = app.actors.directory.company_of(payment).await?;
    let scope = prove_company(app, who, company, permission).await?;
    Ok(Task::of(scope, payment))
}

/// The payment as it stands; one that is open is read at the provider when nobody did for 30 seconds.
#[utoipa::path(tag = "payments", security(("bearer" = [])), params(("id" = PaymentId, Path)),
    responses((status = 200, body = Answer<OnePayment>)))]
#[get("/status/{id}")]
pub async fn status(app: web::Data<App>, who: SignedIn, id: web::Path<PaymentId>) -> Reply {
    let task = task_of(&app, &who, *id, Permission::ReadPayments).await?;
    let payment = app.actors.directory.status(task).await?;
    Ok(ok(OnePayment { payment }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelPayment {
    /// Shown with the payment as `metadata.cancelReason`.
    #[schema(max_length = 500)]
    reason: Option<String>,
}

/// Cancels an open payment at the provider. Without the provider's answer the payment is answered as it stands, and the
/// cancellation goes on.
#[utoipa::path(tag = "payments", security(("bearer" = [])), params(("id" = PaymentId, Path)),
    request_body = CancelPayment,
    responses((status = 200, body = Answer<OnePayment>), (status = 409)))]
#[post("/cancel/{id}")]
pub async fn cancel(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    id: web::Path<PaymentId>,
    body: Body<CancelPayment>,
) -> Reply {
    let reason = parse_note(body.0.reason.as_deref());
    let reason = reason.map_err(|code| Error::invalid("reason", code))?;
    let mut task = task_of(&app, &who, *id, Permission::ManagePayments).await?;
    task.cause = Some(caller.request_id.clone());
    match app.actors.directory.cancel(task.clone(), reason).await? {
        PaymentOutcome::Payment { view, .. } | PaymentOutcome::Foreign(view) => {
            Ok(ok(OnePayment { payment: *view }))
        }
        PaymentOutcome::Refused { error, .. } => Err(error.into()),
        // The provider has not answered yet; the payment's timer goes on with the cancellation.
        PaymentOutcome::Unread(_) | PaymentOutcome::Replay { .. } => {
            let payment = app.actors.directory.stored(&task).await?;
            Ok(ok(OnePayment { payment }))
        }
    }
}

/// Goes on with the bank's authentication of a card, after a reload or on another device. `client_secret` is answered to
/// the payer alone, and only while there is something to confirm.
#[utoipa::path(tag = "payments", security(("bearer" = [])), params(("id" = PaymentId, Path)),
    responses((status = 200, body = Answer<StartedPayment>)))]
#[post("/authenticate/{id}")]
pub async fn authenticate(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    id: web::Path<PaymentId>,
) -> Reply {
    app.limits.provider.take(&who.user_id)?;
    let mut task = task_of(&app, &who, *id, Permission::ManagePayments).await?;
    task.cause = Some(caller.request_id.clone());
    let (view, secret) = app.actors.directory.authenticate(task).await?;
    let payment = serde_json::to_string(&view).map_err(Error::internal)?;
    Ok(ok(StartedPayment::of(payment, secret.as_ref())?))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PaymentQuery {
    #[param(value_type = Option<PaymentStatus>)]
    status: Option<String>,
    #[param(value_type = Option<Method>)]
    method: Option<String>,
    /// In the plan's name, the payment's or the provider's id, or an amount such as `899,10`.
    #[param(max_length = 100)]
    search: Option<String>,
    /// The first day, in São Paulo.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// The last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
}

impl PaymentQuery {
    fn read(&self) -> Result<Filter, Error> {
        let search = Search::parse(self.search.as_deref())?;
        let mut errors = FieldErrors::default();
        let state = one_of(&mut errors, "status", self.status.as_deref(), PaymentStatus::parse);
        let method = one_of(&mut errors, "method", self.method.as_deref(), Method::parse);
        let days = search::days(&mut errors, (self.from.as_deref(), self.to.as_deref()));
        errors.into_result(days.map(|(from, until)| Filter {
            status: state,
            method,
            search,
            from,
            until,
        }))
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Payments {
    payments: Vec<PaymentView>,
    total: i64,
    /// What all of them, on every page, have paid, whatever was given back since.
    #[schema(value_type = i64)]
    total_paid: Cents,
    page: i64,
}

/// The company's payments: open ones first, then the newest.
#[utoipa::path(tag = "payments", security(("bearer" = [])),
    params(("companyId" = CompanyId, Path), Paging, PaymentQuery),
    responses((status = 200, body = Answer<Payments>)))]
#[get("/company/{companyId}")]
pub async fn list(
    app: web::Data<App>,
    scope: Scope<ReadPayments>,
    paging: Paging,
    Query(query): Query<PaymentQuery>,
) -> Reply {
    let filter = query.read()?;
    let tx = app.db.company_tx(&scope).await?;
    let (payments, totals) = page(&tx, &filter, paging.limit, paging.offset()).await?;
    let Totals { total, paid } = totals;
    Ok(ok(Payments { payments, total, total_paid: paid, page: paging.page }))
}
