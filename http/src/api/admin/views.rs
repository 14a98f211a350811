//! Saved views of the administration's lists, each platform admin's own (docs/contract.md, "Platform admin").

use actix_web::{delete, get, post, put, web};
use bipe_core::id::SavedViewId;
use bipe_core::saved_view::{self, SavedView, SavedViewRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;
use crate::error::{Answer, Reply, created, no_content, ok};
use crate::extract::{Admin, AdminBody, Caller};

#[derive(Serialize, ToSchema)]
pub struct SavedViews {
    views: Vec<SavedView>,
}

#[derive(Serialize, ToSchema)]
pub struct OneSavedView {
    view: SavedView,
}

/// The own views of all lists, by name.
#[utoipa::path(tag = "admin", security(("bearer" = [])),
    responses((status = 200, body = Answer<SavedViews>)))]
#[get("/views")]
pub async fn list(app: web::Data<App>, admin: Admin) -> Reply {
    let user = admin.user_id();
    let tx = app.db.user_tx(user).await?;
    Ok(ok(SavedViews { views: saved_view::all(&tx, user).await? }))
}

/// Saves a view; a list has at most 20 of a person.
#[utoipa::path(tag = "admin", security(("bearer" = [])), request_body = SavedViewRequest,
    responses((status = 201, body = Answer<OneSavedView>), (status = 409)))]
#[post("/views")]
pub async fn create(
    app: web::Data<App>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<SavedViewRequest>,
) -> Reply {
    let (user, draft) = (admin.user_id(), body.parse()?);
    let mut tx = app.db.user_tx(user).await?.caused_by(&caller);
    let view = saved_view::add(&mut tx, user, &draft).await?;
    tx.commit().await?;
    Ok(created(OneSavedView { view }))
}

/// Gives an own view another name and other filters. 404 for a view of another list than the body names.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = SavedViewId, Path)),
    request_body = SavedViewRequest,
    responses((status = 200, body = Answer<OneSavedView>), (status = 409)))]
#[put("/views/{id}")]
pub async fn edit(
    app: web::Data<App>,
    id: web::Path<SavedViewId>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<SavedViewRequest>,
) -> Reply {
    let (user, draft) = (admin.user_id(), body.parse()?);
    let mut tx = app.db.user_tx(user).await?.caused_by(&caller);
    let view = saved_view::change(&mut tx, user, *id, &draft).await?;
    tx.commit().await?;
    Ok(ok(OneSavedView { view }))
}

/// Removes an own view.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = SavedViewId, Path)),
    responses((status = 204)))]
#[delete("/views/{id}")]
pub async fn remove(
    app: web::Data<App>,
    admin: Admin,
    id: web::Path<SavedViewId>,
    caller: Caller,
) -> Reply {
    let user = admin.user_id();
    let mut tx = app.db.user_tx(user).await?.caused_by(&caller);
    saved_view::remove(&mut tx, user, *id).await?;
    tx.commit().await?;
    Ok(no_content())
}
