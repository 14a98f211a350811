//! The signed-in person (docs/contract.md, "Accounts"): profile, export, deletion, sessions, live tickets.

use actix_web::{delete, get, post, put, web};
use bipe_core::Error;
use bipe_core::auth::session::SessionView;
use bipe_core::auth::session::ticket;
use bipe_core::error::FieldCode;
use bipe_core::id::SessionId;
use bipe_core::user::Viewer;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::App;
use crate::api::auth::OneUser;
use crate::api::download::attachment;
use crate::error::{Answer, Reply, no_content, ok};
use crate::extract::{Body, Caller, SignedIn};

/// The own account.
#[utoipa::path(tag = "auth", security(("bearer" = [])),
    responses((status = 200, body = Answer<OneUser>)))]
#[get("/me")]
pub async fn read(app: web::Data<App>, who: SignedIn) -> Reply {
    let user = app.auth.me(*who).await?;
    Ok(ok(OneUser { user: user.view(Viewer::Oneself) }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileRequest {
    #[schema(min_length = 2, max_length = 200)]
    user_name: String,
    #[schema(min_length = 10, max_length = 32, pattern = r"^\s*\+?[0-9 ()-]+\s*$")]
    user_phone: String,
}

/// Changes name and phone.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = ProfileRequest,
    responses((status = 200, body = Answer<OneUser>)))]
#[put("/me")]
pub async fn edit(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<ProfileRequest>,
) -> Reply {
    let ProfileRequest { user_name, user_phone } = &body.0;
    let user = app.auth.edit_me(*who, user_name, user_phone, &caller).await?;
    Ok(ok(OneUser { user: user.view(Viewer::Oneself) }))
}

/// A JSON file of all personal data.
#[utoipa::path(tag = "auth", security(("bearer" = [])), responses((status = 200, body = Object)))]
#[get("/me/export")]
pub async fn export(app: web::Data<App>, who: SignedIn, caller: Caller) -> Reply {
    let file = app.auth.export_me(*who, &caller).await?;
    // A person reads it, not a program: a line for each field.
    let text = serde_json::to_string_pretty(&file).map_err(Error::internal)?;
    Ok(attachment("application/json", "bipe-meus-dados.json", text))
}

#[derive(Deserialize, ToSchema)]
pub struct DeleteRequest {
    #[schema(format = Password, min_length = 1)]
    password: String,
}

/// Anonymises the account and ends its sessions; what the law keeps stays without a name.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = DeleteRequest,
    responses((status = 204), (status = 403), (status = 409)))]
#[delete("/me")]
pub async fn erase(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<DeleteRequest>,
) -> Reply {
    let password = &body.0.password;
    if password.is_empty() {
        return Err(Error::invalid("password", FieldCode::Required).into());
    }
    who.prove_step_up(app.clock.now())?;
    app.auth.erase_me(*who, password, &caller).await?;
    Ok(no_content())
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveTicket {
    /// For one `hello`.
    ticket: String,
    /// Seconds.
    expires_in: i64,
}

/// A ticket for the live connection, for one use.
#[utoipa::path(tag = "auth", security(("bearer" = [])),
    responses((status = 200, body = Answer<LiveTicket>)))]
#[post("/live-ticket")]
pub async fn live_ticket(app: web::Data<App>, who: SignedIn) -> Reply {
    app.limits.live_ticket.take(&who.user_id)?;
    let ticket = app.auth.live_ticket(*who).await?;
    Ok(ok(LiveTicket { ticket, expires_in: ticket::LIFETIME }))
}

#[derive(Serialize, ToSchema)]
pub struct Sessions {
    sessions: Vec<SessionView>,
}

/// The own live sessions, the last used first.
#[utoipa::path(tag = "auth", security(("bearer" = [])),
    responses((status = 200, body = Answer<Sessions>)))]
#[get("/sessions")]
pub async fn sessions(app: web::Data<App>, who: SignedIn) -> Reply {
    let sessions = app.auth.sessions(*who).await?;
    Ok(ok(Sessions { sessions }))
}

/// Ends one of the own sessions.
#[utoipa::path(tag = "auth", security(("bearer" = [])), params(("id" = SessionId, Path)),
    responses((status = 204)))]
#[delete("/sessions/{id}")]
pub async fn end_session(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    id: web::Path<SessionId>,
) -> Reply {
    app.auth.end_session(*who, *id, &caller).await?;
    Ok(no_content())
}

/// Ends every session but this one.
#[utoipa::path(tag = "auth", security(("bearer" = [])), responses((status = 204)))]
#[post("/sessions/end-others")]
pub async fn end_other_sessions(app: web::Data<App>, who: SignedIn, caller: Caller) -> Reply {
    app.auth.end_other_sessions(*who, &caller).await?;
    Ok(no_content())
}
