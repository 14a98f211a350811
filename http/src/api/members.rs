//! The people of a company (docs/contract.md, "Companies"): invite, repeat, cancel, accept; give a role, remove,
//! leave.

use actix_web::{delete, post, put, web};
use bipe_core::company::{
    Author, InviteOutcome, InvitePreview, InviteView, MemberView, NewInvite, invites, joining,
    members, parse_role,
};
use bipe_core::error::{Error, FieldCode, FieldErrors};
use bipe_core::id::{CompanyId, InviteId, UserId};
use bipe_core::scope::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::companies::OneCompany;
use crate::App;
use crate::error::{Answer, Reply, created, no_content, ok};
use crate::extract::{Body, Caller, LeaveCompany, ManageMembers, Scope, ScopedBody, SignedIn};

#[derive(Serialize, ToSchema)]
pub struct OneMember {
    user: MemberView,
}

/// `user` for an account with a proven mailbox, else `invite`.
#[derive(Serialize, ToSchema)]
pub struct InvitedSomebody {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user: Option<MemberView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    invite: Option<InviteView>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InviteRequest {
    #[schema(format = Email, max_length = 254)]
    user_email: String,
    #[schema(value_type = Role)]
    role: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleRequest {
    /// A text that is not an id is answered like an unknown id: 404.
    #[schema(min_length = 1)]
    user_id: String,
    #[schema(value_type = Role)]
    role: String,
}

#[derive(Deserialize, ToSchema)]
pub struct TokenRequest {
    #[schema(min_length = 1)]
    token: String,
}

/// Adds a person whose account has a proven mailbox at once and mails them; mails a link to any other address. An
/// address with an open invitation gets a new link.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    request_body = InviteRequest,
    responses((status = 201, body = Answer<InvitedSomebody>), (status = 409)))]
#[post("/{id}/invite")]
pub async fn invite(
    app: web::Data<App>,
    ScopedBody { scope, body }: ScopedBody<ManageMembers, InviteRequest>,
    caller: Caller,
) -> Reply {
    let new = NewInvite::parse(&body.user_email, &body.role)?;
    if new.role == Role::Admin {
        scope.prove_step_up(app.clock.now())?;
    }
    let invited = invites::invite(&app.auth, &scope, &new, scope.by(&caller)).await?;
    Ok(created(match invited {
        InviteOutcome::User(user) => InvitedSomebody { user: Some(user), invite: None },
        InviteOutcome::Invite(invite) => InvitedSomebody { user: None, invite: Some(invite) },
    }))
}

/// Takes an open invitation back.
#[utoipa::path(tag = "companies", security(("bearer" = [])),
    params(("id" = CompanyId, Path), ("inviteId" = InviteId, Path)), responses((status = 204)))]
#[delete("/{id}/invites/{inviteId}")]
pub async fn cancel_invite(
    app: web::Data<App>,
    scope: Scope<ManageMembers>,
    caller: Caller,
    path: web::Path<(CompanyId, InviteId)>,
) -> Reply {
    let mut tx = app.db.company_tx(&scope).await?.caused_by(&caller);
    let (_, id) = path.into_inner();
    invites::cancel(&mut tx, id, scope.by(&caller)).await?;
    tx.commit().await?;
    Ok(no_content())
}

/// Mails an open invitation again, with a new link for another seven days.
#[utoipa::path(tag = "companies", security(("bearer" = [])),
    params(("id" = CompanyId, Path), ("inviteId" = InviteId, Path)), responses((status = 204)))]
#[post("/{id}/invites/{inviteId}/resend")]
pub async fn resend_invite(
    app: web::Data<App>,
    scope: Scope<ManageMembers>,
    caller: Caller,
    path: web::Path<(CompanyId, InviteId)>,
) -> Reply {
    let (_, id) = path.into_inner();
    invites::resend(&app.auth, &scope, id, scope.by(&caller)).await?;
    Ok(no_content())
}

/// What the link of an open invitation shows before anybody signs in.
#[utoipa::path(tag = "companies", request_body = TokenRequest,
    responses((status = 200, body = Answer<InvitePreview>), (status = 404)))]
#[post("/invite-preview")]
pub async fn preview_invite(
    app: web::Data<App>,
    caller: Caller,
    body: Body<TokenRequest>,
) -> Reply {
    let token = body.0.token()?;
    Ok(ok(joining::preview(&app.auth, token, &caller).await?))
}

/// Makes the caller a member; the caller's address must be the invited one.
#[utoipa::path(tag = "companies", security(("bearer" = [])), request_body = TokenRequest,
    responses((status = 200, body = Answer<OneCompany>), (status = 403), (status = 404), (status = 409)))]
#[post("/accept-invite")]
pub async fn accept_invite(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<TokenRequest>,
) -> Reply {
    let token = body.0.token()?;
    let by = Author { who: *who, caller: &caller };
    let company = joining::accept(&app.auth, token, by).await?;
    Ok(ok(OneCompany { company }))
}

impl TokenRequest {
    fn token(&self) -> bipe_core::Result<&str> {
        match self.token.trim() {
            "" => Err(Error::invalid("token", FieldCode::Required)),
            token => Ok(token),
        }
    }
}

/// Gives a member another role.
#[utoipa::path(tag = "companies", security(("bearer" = [])), params(("id" = CompanyId, Path)),
    request_body = RoleRequest,
    responses((status = 200, body = Answer<OneMember>), (status = 409)))]
#[put("/{id}/users/role")]
pub async fn set_role(
    app: web::Data<App>,
    ScopedBody { scope, body }: ScopedBody<ManageMembers, RoleRequest>,
    caller: Caller,
) -> Reply {
    let mut errors = FieldErrors::default();
    let user = match body.user_id.as_str() {
        "" => Err(FieldCode::Required),
        // A text that is no id names no member: 404, as for an unknown id.
        text => Ok(text.parse::<UserId>().ok()),
    };
    let user = errors.take("userId", user);
    let role = errors.take("role", parse_role(&body.role));
    let (user, role) = errors.into_result(user.zip(role))?;
    scope.prove_step_up(app.clock.now())?;
    let mut tx = app.db.company_tx(&scope).await?.caused_by(&caller);
    let user = user.ok_or_else(Error::not_found)?;
    let user = members::set_role(&mut tx, user, role, scope.by(&caller)).await?;
    tx.commit().await?;
    Ok(ok(OneMember { user }))
}

/// Removes a member; with the own id, leaves the company.
#[utoipa::path(tag = "companies", security(("bearer" = [])),
    params(("id" = CompanyId, Path), ("userId" = UserId, Path)),
    responses((status = 204), (status = 403), (status = 409)))]
#[delete("/{id}/users/{userId}")]
pub async fn remove(
    app: web::Data<App>,
    scope: Scope<LeaveCompany>,
    caller: Caller,
    path: web::Path<(CompanyId, UserId)>,
) -> Reply {
    let mut tx = app.db.company_tx(&scope).await?.caused_by(&caller);
    let (_, user) = path.into_inner();
    members::remove(&mut tx, user, scope.by(&caller)).await?;
    tx.commit().await?;
    Ok(no_content())
}
