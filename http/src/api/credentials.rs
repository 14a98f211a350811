//! Another password and another address for the signed-in person, and the link that undoes either
//! (docs/contract.md, "Accounts").

use actix_web::{post, put, web};
use bipe_core::Error;
use bipe_core::auth::code::Digits;
use bipe_core::auth::recovery::undo::Undone;
use bipe_core::error::{FieldCode, FieldErrors};
use bipe_core::user::{Email, Password, Viewer};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::App;
use crate::api::auth::{Nothing, OneUser};
use crate::error::{Answer, Reply, ok};
use crate::extract::{Body, Caller, SignedIn};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasswordRequest {
    #[schema(format = Password, min_length = 1)]
    current_password: String,
    #[schema(format = Password, min_length = 8, max_length = 128)]
    new_password: String,
    confirm_password: String,
}

/// Changes the password. This session goes on, every other one ends.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = PasswordRequest,
    responses((status = 200, body = Answer<Nothing>)))]
#[put("/me/password")]
pub async fn change_password(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<PasswordRequest>,
) -> Reply {
    let PasswordRequest { current_password, new_password, confirm_password } = &body.0;
    let mut errors = FieldErrors::default();
    if current_password.is_empty() {
        errors.add("currentPassword", FieldCode::Required);
    }
    let password = errors.take("newPassword", Password::parse(new_password));
    if confirm_password != new_password {
        errors.add("confirmPassword", FieldCode::PasswordMismatch);
    }
    let password = errors.into_result(password)?;
    app.auth.change_password(*who, current_password, &password, &caller).await?;
    Ok(ok(Nothing {}))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmailChangeRequest {
    #[schema(format = Email, max_length = 254)]
    new_email: String,
    #[schema(format = Password, min_length = 1)]
    password: String,
}

/// Mails the new address a code. The same answer whether the address has an account or not.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = EmailChangeRequest,
    responses((status = 200, body = Answer<Nothing>)))]
#[post("/me/email")]
pub async fn ask_email_change(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<EmailChangeRequest>,
) -> Reply {
    let EmailChangeRequest { new_email, password } = &body.0;
    let mut errors = FieldErrors::default();
    let email = errors.take("newEmail", Email::parse(new_email));
    if password.is_empty() {
        errors.add("password", FieldCode::Required);
    }
    let email = errors.into_result(email)?;
    app.auth.ask_email_change(*who, &email, password, &caller).await?;
    Ok(ok(Nothing {}))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmailConfirmRequest {
    /// Six digits.
    #[schema(pattern = r"^\s*[0-9]{6}\s*$")]
    verification_code: String,
}

/// Moves the account to the new address by its code. This session goes on, every other one ends.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = EmailConfirmRequest,
    responses((status = 200, body = Answer<OneUser>)))]
#[post("/me/email/confirm")]
pub async fn change_email(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<EmailConfirmRequest>,
) -> Reply {
    let digits = Digits::parse(&body.0.verification_code);
    let digits = digits.map_err(|code| Error::invalid("verificationCode", code))?;
    let user = app.auth.change_email(*who, &digits, &caller).await?;
    Ok(ok(OneUser { user: user.view(Viewer::Oneself) }))
}

#[derive(Deserialize, ToSchema)]
pub struct UndoRequest {
    token: String,
}

/// Uses the link "não fui eu" of a mail: its address gets the account back and a password to set; every session ends.
#[utoipa::path(tag = "auth", request_body = UndoRequest,
    responses((status = 200, body = Answer<Undone>), (status = 404)))]
#[post("/undo")]
pub async fn undo(app: web::Data<App>, caller: Caller, body: Body<UndoRequest>) -> Reply {
    let undone = app.auth.undo(&body.0.token, &caller).await?;
    Ok(ok(undone))
}
