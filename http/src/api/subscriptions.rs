//! A company's subscription (docs/contract.md, "Subscriptions"): read, preview, choose, withdraw, cancel, renew.
//!
//! Bodies refuse unknown fields, because a typo could cost money. A choice that costs money answers 402
//! until its payment has executed it.

use actix_web::http::StatusCode;
use actix_web::{delete, get, post, web};
use bipe_core::db::CompanyTx;
use bipe_core::error::{Error, FieldCode, FieldErrors, Result};
use bipe_core::id::CompanyId;
use bipe_core::payment::{self, PaymentView};
use bipe_core::plan::BillingCycle;
use bipe_core::scope::Role;
use bipe_core::subscription::command::{self, Choice};
use bipe_core::subscription::decide::{EndAt, Endpoint};
use bipe_core::subscription::store;
use bipe_core::subscription::view::{HistoryView, PreviewView, SubscriptionView};
use futures_util::future::try_join;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::App;
use crate::api::cancellation::close_open_payment;
use crate::error::{Answer, Reply, ok};
use crate::extract::{
    Body, IdempotencyKey, ManageSubscription, Paging, ReadSubscription, RequestId, Scope,
};
use crate::replay::{Call, once};

const REASON_LIMIT: usize = 500;

/// The subscription, with the open payment for those who may see it.
#[derive(Serialize, ToSchema)]
#[schema(as = Subscription)]
pub struct SubscriptionBody {
    #[serde(flatten)]
    subscription: SubscriptionView,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment: Option<PaymentView>,
}

#[derive(Serialize, ToSchema)]
pub struct OneSubscription {
    subscription: SubscriptionBody,
}

#[derive(Serialize, ToSchema)]
pub struct OnePreview {
    preview: PreviewView,
}

#[derive(Serialize, ToSchema)]
pub struct HistoryPage {
    history: Vec<HistoryView>,
    total: i64,
    page: i64,
}

/// A plan and a cycle.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChoiceBody {
    #[schema(format = Uuid)]
    plan_id: String,
    #[schema(value_type = BillingCycle)]
    billing_cycle: String,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpgradeBody {
    #[schema(format = Uuid)]
    plan_id: String,
    #[schema(value_type = BillingCycle)]
    billing_cycle: String,
    #[schema(max_length = 500)]
    reason: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DowngradeBody {
    #[schema(format = Uuid)]
    plan_id: String,
    #[schema(value_type = BillingCycle)]
    billing_cycle: String,
    #[schema(max_length = 500)]
    reason: Option<String>,
    /// The local day on which the paid period ends; another one is refused.
    #[schema(value_type = Option<String>, format = Date)]
    effective_date: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelBody {
    #[schema(max_length = 500)]
    reason: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelRobustBody {
    #[schema(max_length = 500)]
    reason: Option<String>,
    /// `immediate`, or a local day up to the end of what is paid.
    #[schema(pattern = r"^(immediate|[0-9]{4}-[0-9]{2}-[0-9]{2})$")]
    effective_date: Option<String>,
}

fn choice(fields: &mut FieldErrors, plan_id: &str, cycle: &str) -> Option<Choice> {
    let plan_id = fields.take("planId", plan_id.parse().map_err(|_| FieldCode::Invalid));
    let cycle = fields.take("billingCycle", BillingCycle::parse(cycle).ok_or(FieldCode::Invalid));
    plan_id.zip(cycle).map(|(plan_id, cycle)| Choice { plan_id, cycle })
}

/// Trimmed; an empty one is none.
fn reason<'a>(fields: &mut FieldErrors, text: Option<&'a str>) -> Option<&'a str> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    if text.is_some_and(|text| text.chars().count() > REASON_LIMIT) {
        fields.add("reason", FieldCode::TooLong);
    }
    text
}

fn day(fields: &mut FieldErrors, text: &str) -> Option<Date> {
    fields.take("effectiveDate", text.parse().map_err(|_| FieldCode::Invalid))
}

/// The value, unless a field is wrong.
fn checked<T>(fields: FieldErrors, value: Option<T>) -> Result<T> {
    value.filter(|_| fields.is_empty()).ok_or(Error::Invalid(fields))
}

/// The payment in the slot, which operators do not see.
async fn open_payment(tx: &CompanyTx) -> Result<Option<PaymentView>> {
    match tx.scope().role() {
        Role::Admin | Role::Finance => payment::store::slot_view(tx).await,
        Role::Operator => Ok(None),
    }
}

/// Adds the open payment to what a command answers.
async fn body(tx: &CompanyTx, subscription: SubscriptionView) -> Result<OneSubscription> {
    Ok(one(subscription, open_payment(tx).await?))
}

fn one(subscription: SubscriptionView, payment: Option<PaymentView>) -> OneSubscription {
    OneSubscription { subscription: SubscriptionBody { subscription, payment } }
}

/// The company's subscription; 404 when it has none.
#[utoipa::path(tag = "subscriptions", params(("id" = CompanyId, Path)), security(("bearer" = [])),
    responses((status = 200, body = Answer<OneSubscription>)))]
#[get("/company/{id}")]
pub async fn find(app: web::Data<App>, scope: Scope<ReadSubscription>) -> Reply {
    let tx = app.db.company_tx(&scope).await?;
    let (found, payment) = try_join(store::view(&tx), open_payment(&tx)).await?;
    Ok(ok(one(found.ok_or_else(Error::not_found)?, payment)))
}

/// What happened to it, newest first.
#[utoipa::path(tag = "subscriptions", params(("id" = CompanyId, Path), Paging),
    security(("bearer" = [])), responses((status = 200, body = Answer<HistoryPage>)))]
#[get("/company/{id}/history")]
pub async fn history(app: web::Data<App>, scope: Scope<ReadSubscription>, paging: Paging) -> Reply {
    let tx = app.db.company_tx(&scope).await?;
    let (history, total) = store::history(&tx, paging.limit(), paging.offset()).await?;
    tx.rollback().await?;
    Ok(ok(HistoryPage { history, total, page: paging.page() }))
}

/// What a command is called with beside its body.
type Context = (web::Data<App>, Scope<ManageSubscription>, IdempotencyKey, RequestId);

/// What a choice would mean and cost; binds for 15 minutes.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = ChoiceBody,
    responses((status = 200, body = Answer<OnePreview>), (status = 409)))]
#[post("/company/{id}/preview-change")]
pub async fn preview(context: Context, body: Body<ChoiceBody>) -> Reply {
    let (app, scope, key, request_id) = context;
    let mut fields = FieldErrors::default();
    let chosen = choice(&mut fields, &body.0.plan_id, &body.0.billing_cycle);
    let chosen = checked(fields, chosen)?;
    let (operation, status) = ("POST /subscriptions/preview-change", StatusCode::OK);
    let call = Call { operation, key, request_id, body: &body.0, status };
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        Ok(OnePreview { preview: command::preview(tx, chosen).await? })
    })
    .await
}

/// Creates a subscription; a paid plan answers 402 until its payment has created it.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = ChoiceBody,
    responses((status = 201, body = Answer<OneSubscription>), (status = 402), (status = 409)))]
#[post("/company/{id}")]
pub async fn create(context: Context, body: Body<ChoiceBody>) -> Reply {
    let (app, scope, key, request_id) = context;
    let mut fields = FieldErrors::default();
    let chosen = choice(&mut fields, &body.0.plan_id, &body.0.billing_cycle);
    let chosen = checked(fields, chosen)?;
    let (operation, status) = ("POST /subscriptions", StatusCode::CREATED);
    let call = Call { operation, key, request_id, body: &body.0, status };
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        choose(tx, Endpoint::Create, Some(chosen), None).await
    })
    .await
}

async fn choose(
    tx: &mut CompanyTx,
    endpoint: Endpoint,
    chosen: Option<Choice>,
    reason: Option<&str>,
) -> Result<OneSubscription> {
    let view = command::choose(tx, endpoint, chosen, reason).await?;
    body(tx, view).await
}

/// Upgrades, or renews with the running plan and cycle; 402 while the difference is unpaid.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = UpgradeBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 402), (status = 409)))]
#[post("/company/{id}/upgrade")]
pub async fn upgrade(context: Context, body: Body<UpgradeBody>) -> Reply {
    let (app, scope, key, request_id) = context;
    let mut fields = FieldErrors::default();
    let chosen = choice(&mut fields, &body.0.plan_id, &body.0.billing_cycle);
    let why = reason(&mut fields, body.0.reason.as_deref());
    let chosen = checked(fields, chosen)?;
    let (operation, status) = ("POST /subscriptions/upgrade", StatusCode::OK);
    let call = Call { operation, key, request_id, body: &body.0, status };
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        choose(tx, Endpoint::Upgrade, Some(chosen), why).await
    })
    .await
}

/// Schedules a lower plan for the end of what is paid.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = DowngradeBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 402), (status = 409)))]
#[post("/company/{id}/downgrade")]
pub async fn downgrade(context: Context, body: Body<DowngradeBody>) -> Reply {
    let (app, scope, key, request_id) = context;
    let mut fields = FieldErrors::default();
    let chosen = choice(&mut fields, &body.0.plan_id, &body.0.billing_cycle);
    let why = reason(&mut fields, body.0.reason.as_deref());
    let on = body.0.effective_date.as_deref().and_then(|text| day(&mut fields, text));
    let chosen = checked(fields, chosen)?;
    let (operation, status) = ("POST /subscriptions/downgrade", StatusCode::OK);
    let call = Call { operation, key, request_id, body: &body.0, status };
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        command::check_effective_date(tx, on).await?;
        choose(tx, Endpoint::Downgrade, Some(chosen), why).await
    })
    .await
}

/// Takes a scheduled downgrade back.
#[utoipa::path(tag = "subscriptions", params(("id" = CompanyId, Path)), security(("bearer" = [])),
    responses((status = 200, body = Answer<OneSubscription>), (status = 409)))]
#[delete("/company/{id}/pending-change")]
pub async fn withdraw(
    app: web::Data<App>,
    scope: Scope<ManageSubscription>,
    request_id: RequestId,
) -> Reply {
    let (key, operation) = (IdempotencyKey(None), "withdraw of the pending change");
    let call = Call { operation, key, request_id, body: &(), status: StatusCode::OK };
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        let view = command::withdraw(tx).await?;
        self::body(tx, view).await
    })
    .await
}

/// Cancels at the end of what is paid.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = CancelBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 409)))]
#[post("/company/{id}/cancel")]
pub async fn cancel(context: Context, body: Body<CancelBody>) -> Reply {
    let (app, scope, key, request_id) = context;
    let mut fields = FieldErrors::default();
    let why = reason(&mut fields, body.0.reason.as_deref());
    checked(fields, Some(()))?;
    let (operation, status) = ("POST /subscriptions/cancel", StatusCode::OK);
    let call = Call { operation, key, request_id, body: &body.0, status };
    close_open_payment(&app, &scope, &call).await?;
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        let view = command::cancel(tx, EndAt::PeriodEnd, why).await?;
        self::body(tx, view).await
    })
    .await
}

/// Cancels at once or at the end of a day; unused time becomes credit.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = CancelRobustBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 409)))]
#[post("/company/{id}/cancel-robust")]
pub async fn cancel_robust(context: Context, body: Body<CancelRobustBody>) -> Reply {
    let (app, scope, key, request_id) = context;
    let mut fields = FieldErrors::default();
    let why = reason(&mut fields, body.0.reason.as_deref());
    let when = match body.0.effective_date.as_deref() {
        None => Some(EndAt::PeriodEnd),
        Some("immediate") => Some(EndAt::Now),
        Some(text) => day(&mut fields, text).map(EndAt::Day),
    };
    let when = checked(fields, when)?;
    let (operation, status) = ("POST /subscriptions/cancel-robust", StatusCode::OK);
    let call = Call { operation, key, request_id, body: &body.0, status };
    close_open_payment(&app, &scope, &call).await?;
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        let view = command::cancel(tx, when, why).await?;
        self::body(tx, view).await
    })
    .await
}

/// Takes a cancellation back, or asks for the payment of the next period.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])),
    responses((status = 200, body = Answer<OneSubscription>), (status = 402), (status = 409)))]
#[post("/company/{id}/renew")]
pub async fn renew(context: Context) -> Reply {
    let (app, scope, key, request_id) = context;
    let (operation, status) = ("POST /subscriptions/renew", StatusCode::OK);
    let call = Call { operation, key, request_id, body: &(), status };
    once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        choose(tx, Endpoint::Renew, None, None).await
    })
    .await
}
