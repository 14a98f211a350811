//! A company's subscription (docs/contract.md, "Subscriptions"): read, preview, choose, withdraw, cancel, renew.
//!
//! A choice that costs money answers 402 until its payment has executed it.

mod request;

use actix_web::http::StatusCode;
use actix_web::{delete, get, post, web};
use bipe_core::db::CompanyTx;
use bipe_core::error::{Error, Result};
use bipe_core::id::CompanyId;
use bipe_core::payment::{self, PaymentView};
use bipe_core::scope::Role;
use bipe_core::subscription::command;
use bipe_core::subscription::decide::{EndAt, Endpoint};
use bipe_core::subscription::store;
use bipe_core::subscription::view::{HistoryView, PreviewView, SubscriptionView};
use serde::Serialize;
use utoipa::ToSchema;

pub use request::{CancelBody, CancelRobustBody, ChoiceBody, DowngradeBody, UpgradeBody};

use crate::App;
use crate::api::cancellation::{close_open_payment, count_cancellation};
use crate::error::{Answer, Reply, ok};
use crate::extract::{
    Caller, IdempotencyKey, ManageSubscription, Paging, ReadSubscription, Scope, ScopedBody,
};
use crate::replay::{CommandCall, run_once};

/// The subscription, with the open payment for those who may see it.
#[derive(Serialize, ToSchema)]
#[schema(as = Subscription)]
pub struct SubscriptionBody {
    #[serde(flatten)]
    subscription: SubscriptionView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
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

/// The payment in the slot, which operators do not see.
async fn open_payment(tx: &CompanyTx) -> Result<Option<PaymentView>> {
    match tx.scope().role() {
        Role::Admin | Role::Finance => payment::store::slot_view(tx).await,
        Role::Operator => Ok(None),
    }
}

fn one(subscription: SubscriptionView, payment: Option<PaymentView>) -> OneSubscription {
    OneSubscription { subscription: SubscriptionBody { subscription, payment } }
}

/// The company's subscription; 404 when it has none.
#[utoipa::path(tag = "subscriptions", params(("id" = CompanyId, Path)), security(("bearer" = [])),
    responses((status = 200, body = Answer<OneSubscription>)))]
#[get("/company/{id}")]
pub async fn find(app: web::Data<App>, scope: Scope<ReadSubscription>) -> Reply {
    let (found, payment) = payment::store::view_with_subscription(&app.db, &scope).await?;
    let found = found.ok_or_else(Error::not_found)?;
    Ok(ok(match scope.role() {
        Role::Admin | Role::Finance => one(found, payment),
        Role::Operator => one(found.for_operators(), None),
    }))
}

/// What happened to it, newest first.
#[utoipa::path(tag = "subscriptions", params(("id" = CompanyId, Path), Paging),
    security(("bearer" = [])), responses((status = 200, body = Answer<HistoryPage>)))]
#[get("/company/{id}/history")]
pub async fn history(app: web::Data<App>, scope: Scope<ReadSubscription>, paging: Paging) -> Reply {
    let tx = app.db.company_tx(&scope).await?;
    let (history, total) = store::history(&tx, paging.limit, paging.offset()).await?;
    Ok(ok(HistoryPage { history, total, page: paging.page }))
}

/// The arguments of a command beside its body.
type Context = (web::Data<App>, Scope<ManageSubscription>, IdempotencyKey, Caller);

/// The arguments of a command with its body.
type Command<T> = (web::Data<App>, ScopedBody<ManageSubscription, T>, IdempotencyKey, Caller);

fn split<T>((app, ScopedBody { scope, body }, key, caller): Command<T>) -> (Context, T) {
    ((app, scope, key, caller), body)
}

/// Runs a command in one transaction; the `Idempotency-Key` gives it one effect and one answer, which is the
/// subscription with the open payment.
async fn run<B: Serialize>(
    (app, scope, key, caller): Context,
    operation: &str,
    body: &B,
    status: StatusCode,
    work: impl AsyncFnOnce(&mut CompanyTx) -> Result<SubscriptionView>,
) -> Reply {
    let request_id = &caller.request_id;
    let call = CommandCall { operation, key, request_id, body, status };
    run_once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        let subscription = work(tx).await?;
        Ok(one(subscription, open_payment(tx).await?))
    })
    .await
}

/// What a choice would mean and cost; binds for 15 minutes.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = ChoiceBody,
    responses((status = 200, body = Answer<OnePreview>), (status = 409)))]
#[post("/company/{id}/preview-change")]
pub async fn preview(command: Command<ChoiceBody>) -> Reply {
    let (context, body) = split(command);
    let choice = body.read()?;
    let (app, scope, key, caller) = context;
    let operation = "POST /subscriptions/preview-change";
    let request_id = &caller.request_id;
    let call = CommandCall { operation, key, request_id, body: &body, status: StatusCode::OK };
    run_once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        Ok(OnePreview { preview: command::preview(tx, choice).await? })
    })
    .await
}

/// Creates a subscription; a paid plan answers 402 until its payment has created it.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = ChoiceBody,
    responses((status = 201, body = Answer<OneSubscription>), (status = 402), (status = 409)))]
#[post("/company/{id}")]
pub async fn create(command: Command<ChoiceBody>) -> Reply {
    let (context, body) = split(command);
    let choice = body.read()?;
    let operation = "POST /subscriptions";
    run(context, operation, &body, StatusCode::CREATED, async |tx: &mut CompanyTx| {
        command::choose(tx, Endpoint::Create, Some(choice), None).await
    })
    .await
}

/// Upgrades, or renews with the running plan and cycle; 402 while the difference is unpaid.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = UpgradeBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 402), (status = 409)))]
#[post("/company/{id}/upgrade")]
pub async fn upgrade(command: Command<UpgradeBody>) -> Reply {
    let (context, body) = split(command);
    let (choice, reason) = body.read()?;
    let operation = "POST /subscriptions/upgrade";
    run(context, operation, &body, StatusCode::OK, async |tx: &mut CompanyTx| {
        command::choose(tx, Endpoint::Upgrade, Some(choice), reason.as_deref()).await
    })
    .await
}

/// Schedules a lower plan for the end of what is paid.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = DowngradeBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 402), (status = 409)))]
#[post("/company/{id}/downgrade")]
pub async fn downgrade(command: Command<DowngradeBody>) -> Reply {
    let (context, body) = split(command);
    let (choice, reason, effective_date) = body.read()?;
    let operation = "POST /subscriptions/downgrade";
    run(context, operation, &body, StatusCode::OK, async |tx: &mut CompanyTx| {
        command::check_effective_date(tx, effective_date).await?;
        command::choose(tx, Endpoint::Downgrade, Some(choice), reason.as_deref()).await
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
    caller: Caller,
) -> Reply {
    let context = (app, scope, IdempotencyKey(None), caller);
    let operation = "withdraw of the pending change";
    run(context, operation, &(), StatusCode::OK, async |tx: &mut CompanyTx| {
        command::withdraw(tx).await
    })
    .await
}

/// Cancels at the end of what is paid.
/// 503 `PROVIDER_UNAVAILABLE`: the provider does not say whether the open payment is closed. Nothing was canceled, but
/// the payment is still being closed. The command may be repeated.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = CancelBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 409)))]
#[post("/company/{id}/cancel")]
pub async fn cancel(command: Command<CancelBody>) -> Reply {
    let (context, body) = split(command);
    end(context, "POST /subscriptions/cancel", &body, body.read()?).await
}

/// Cancels at once or at the end of a day; unused time becomes credit.
/// 503 `PROVIDER_UNAVAILABLE`: the provider does not say whether the open payment is closed. Nothing was canceled, but
/// the payment is still being closed. The command may be repeated.
#[utoipa::path(tag = "subscriptions",
    params(("id" = CompanyId, Path), ("Idempotency-Key" = Option<String>, Header)),
    security(("bearer" = [])), request_body = CancelRobustBody,
    responses((status = 200, body = Answer<OneSubscription>), (status = 409)))]
#[post("/company/{id}/cancel-robust")]
pub async fn cancel_robust(command: Command<CancelRobustBody>) -> Reply {
    let (context, body) = split(command);
    end(context, "POST /subscriptions/cancel-robust", &body, body.read()?).await
}

/// Closes the open payment at the provider, then cancels.
async fn end<B: Serialize>(
    (app, scope, key, caller): Context,
    operation: &str,
    body: &B,
    (when, reason): (EndAt, Option<String>),
) -> Reply {
    let request_id = &caller.request_id;
    let call = CommandCall { operation, key, request_id, body, status: StatusCode::OK };
    close_open_payment(&app, &scope, &call, when).await?;
    run_once(&app.db, &scope, call, async |tx: &mut CompanyTx| {
        let subscription = command::cancel(tx, when, reason.as_deref()).await?;
        count_cancellation(&app, tx).await?;
        Ok(one(subscription, open_payment(tx).await?))
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
    let operation = "POST /subscriptions/renew";
    run(context, operation, &(), StatusCode::OK, async |tx: &mut CompanyTx| {
        command::choose(tx, Endpoint::Renew, None, None).await
    })
    .await
}
