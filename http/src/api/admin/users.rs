//! People for platform admins: search, look, edit, end sessions. Each search and each look at one person is audited.

use actix_web::{delete, get, post, put, web};
use bipe_core::Error;
use bipe_core::audit::AuditAction;
use bipe_core::brazil::cpf::Cpf;
use bipe_core::db::PlatformTx;
use bipe_core::error::FieldErrors;
use bipe_core::id::UserId;
use bipe_core::search::{self, Page};
use bipe_core::user::UserStatus;
use bipe_core::user::admin::{
    AdminRole, AdminUser, AdminUserDetail, UserEditRequest, UserFilter, UserSort, UserSummary,
};
use bipe_core::user::admin_store;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::note_search;
use crate::App;
use crate::error::{Answer, Reply, no_content, ok, ok_aged};
use crate::extract::{Admin, AdminBody, Caller, Paging, Query, one_of};

#[derive(Serialize, ToSchema)]
pub struct AdminUsers {
    users: Vec<AdminUser>,
    /// How many people the filters let through.
    total: i64,
    page: i64,
    summary: UserSummary,
}

#[derive(Serialize, ToSchema)]
pub struct OneAdminUser {
    user: AdminUserDetail,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserQuery {
    /// Contained in name, e-mail or the name of a company, whatever the case and the accents; or a whole CPF.
    #[param(max_length = 100)]
    search: Option<String>,
    #[param(value_type = Option<AdminRole>)]
    role: Option<String>,
    #[param(value_type = Option<UserStatus>)]
    status: Option<String>,
    /// `-createdAt` when left out.
    #[param(value_type = Option<UserSort>)]
    sort: Option<String>,
}

impl UserQuery {
    fn read(&self) -> Result<(UserFilter, UserSort), Error> {
        let mut errors = FieldErrors::default();
        let role = one_of(&mut errors, "role", self.role.as_deref(), AdminRole::parse);
        let status = one_of(&mut errors, "status", self.status.as_deref(), UserStatus::parse);
        let sort = one_of(&mut errors, "sort", self.sort.as_deref(), UserSort::parse);
        errors.into_result(Some(()))?;
        let search = search::pattern(self.search.as_deref())?;
        let document = self.search.as_deref().and_then(Cpf::parse);
        let filter = UserFilter { search, document, role, status };
        Ok((filter, sort.unwrap_or(UserSort::CreatedAtDown)))
    }
}

/// People by search, role and status. A search is audited, once a minute.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(UserQuery, Paging),
    responses((status = 200, body = Answer<AdminUsers>,
        headers(("x-data-age" = u64, description = "Seconds by which the data is old, where a replica answered.")))))]
#[get("/users")]
pub async fn list(
    app: web::Data<App>,
    admin: Admin,
    Query(query): Query<UserQuery>,
    paging: Paging,
    caller: Caller,
) -> Reply {
    let (filter, sort) = query.read()?;
    let page = Page { sort, limit: paging.limit, offset: paging.offset() };
    if filter.search.is_some() {
        note_search(&app, &admin, &caller, AuditAction::UserSearch).await?;
    }
    let read = async |tx: &PlatformTx| {
        let (users, total) = admin_store::list(tx, &filter, page).await?;
        let summary = admin_store::summary(tx).await?;
        Ok(AdminUsers { users, total, page: paging.page, summary })
    };
    Ok(ok_aged(app.db.search(&admin, read).await?))
}

/// One person with companies and consents.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = UserId, Path)),
    responses((status = 200, body = Answer<OneAdminUser>)))]
#[get("/users/{id}")]
pub async fn find(
    app: web::Data<App>,
    admin: Admin,
    id: web::Path<UserId>,
    caller: Caller,
) -> Reply {
    let user = app.auth.view_user(&admin, *id, &caller).await?;
    Ok(ok(OneAdminUser { user }))
}

/// Changes name, phone, role or status; the own role and status only another admin changes.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = UserId, Path)),
    request_body = UserEditRequest, responses((status = 200, body = Answer<OneAdminUser>)))]
#[put("/users/{id}")]
pub async fn edit(
    app: web::Data<App>,
    id: web::Path<UserId>,
    caller: Caller,
    AdminBody { admin, body }: AdminBody<UserEditRequest>,
) -> Reply {
    let user = app.auth.edit_user(&admin, *id, &body.parse()?, &caller).await?;
    Ok(ok(OneAdminUser { user }))
}

/// Anonymises the person; what the law keeps stays without a name.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = UserId, Path)),
    responses((status = 204), (status = 409)))]
#[delete("/users/{id}")]
pub async fn erase(
    app: web::Data<App>,
    admin: Admin,
    id: web::Path<UserId>,
    caller: Caller,
) -> Reply {
    app.auth.erase_user(&admin, *id, &caller).await?;
    Ok(no_content())
}

/// Signs the person out everywhere.
#[utoipa::path(tag = "admin", security(("bearer" = [])), params(("id" = UserId, Path)),
    responses((status = 204)))]
#[post("/users/{id}/end-sessions")]
pub async fn end_sessions(
    app: web::Data<App>,
    admin: Admin,
    id: web::Path<UserId>,
    caller: Caller,
) -> Reply {
    app.auth.end_sessions_of(&admin, *id, &caller).await?;
    Ok(no_content())
}
