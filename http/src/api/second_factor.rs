//! The second factor (docs/contract.md, "Second factor"): the second step of a sign-in, passkeys, showing it again
//! within a session, and what the person has.

use actix_web::{delete, get, post, web};
use bipe_core::auth::code::Digits;
use bipe_core::auth::second_factor::{PasskeyView, Proof, SecondFactor};
use bipe_core::error::Error;
use bipe_core::id::{CompanyId, UserId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::auth::SignedInUser;
use crate::App;
use crate::error::{Answer, Reply, created, no_content, ok};
use crate::extract::{Body, Caller, ManageMembers, Scope, SignedIn};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondStepRequest {
    /// Of the answer to the first step.
    challenge: String,
    /// Of the authenticator app. One of `code`, `recoveryCode` and `credential` is given.
    #[schema(pattern = r"^\s*[0-9]{6}\s*$")]
    code: Option<String>,
    #[schema(min_length = 1)]
    recovery_code: Option<String>,
    /// `AuthenticationResponseJSON` of the browser.
    #[schema(value_type = Option<Object>)]
    credential: Option<Map<String, Value>>,
}

/// Starts the session that a right password asked for.
#[utoipa::path(tag = "auth", request_body = SecondStepRequest,
    responses((status = 200, body = Answer<SignedInUser>), (status = 401), (status = 403)))]
#[post("/second-factor")]
pub async fn finish_sign_in(
    app: web::Data<App>,
    caller: Caller,
    body: Body<SecondStepRequest>,
) -> Reply {
    let SecondStepRequest { challenge, code, recovery_code, credential } = body.0;
    let credential = credential.map(Value::Object);
    let proof = Proof::parse(code.as_deref(), recovery_code.as_deref(), credential)?;
    let signed_in = app.auth.finish_sign_in(&challenge, &proof, &caller).await?;
    Ok(ok(SignedInUser::of(signed_in)))
}

#[derive(Serialize, ToSchema)]
pub struct PasskeyOptions {
    /// For `navigator.credentials`, as JSON of WebAuthn.
    #[schema(value_type = Object)]
    options: Value,
}

#[derive(Deserialize, ToSchema)]
pub struct CredentialRequest {
    /// `AuthenticationResponseJSON` of the browser.
    #[schema(value_type = Object)]
    credential: Map<String, Value>,
}

/// What any passkey of this site may sign to come in.
#[utoipa::path(tag = "auth",
    responses((status = 200, body = Answer<PasskeyOptions>), (status = 404)))]
#[post("/passkey/options")]
pub async fn passkey_options(app: web::Data<App>, caller: Caller) -> Reply {
    let options = app.auth.passkey_options(&caller).await?;
    Ok(ok(PasskeyOptions { options }))
}

/// Starts a session with a passkey alone.
#[utoipa::path(tag = "auth", request_body = CredentialRequest,
    responses((status = 200, body = Answer<SignedInUser>), (status = 401), (status = 403)))]
#[post("/passkey")]
pub async fn passkey_sign_in(
    app: web::Data<App>,
    caller: Caller,
    body: Body<CredentialRequest>,
) -> Reply {
    let credential = Value::Object(body.0.credential);
    let signed_in = app.auth.passkey_sign_in(&credential, &caller).await?;
    Ok(ok(SignedInUser::of(signed_in)))
}

/// What one of the own passkeys may sign to show the second factor again.
#[utoipa::path(tag = "auth", security(("bearer" = [])),
    responses((status = 200, body = Answer<PasskeyOptions>), (status = 404)))]
#[post("/step-up/options")]
pub async fn step_up_options(app: web::Data<App>, who: SignedIn) -> Reply {
    let options = app.auth.step_up_options(who.alive()).await?;
    Ok(ok(PasskeyOptions { options }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepUpRequest {
    /// Of the authenticator app. One of `code`, `recoveryCode` and `credential` is given.
    #[schema(pattern = r"^\s*[0-9]{6}\s*$")]
    code: Option<String>,
    #[schema(min_length = 1)]
    recovery_code: Option<String>,
    /// `AuthenticationResponseJSON` of the browser.
    #[schema(value_type = Option<Object>)]
    credential: Option<Map<String, Value>>,
}

/// Shows the second factor again: for ten minutes this session may do what asks for it.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = StepUpRequest,
    responses((status = 204)))]
#[post("/step-up")]
pub async fn step_up(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<StepUpRequest>,
) -> Reply {
    let StepUpRequest { code, recovery_code, credential } = body.0;
    let credential = credential.map(Value::Object);
    let proof = Proof::parse(code.as_deref(), recovery_code.as_deref(), credential)?;
    app.auth.step_up(who.alive(), &proof, &caller).await?;
    Ok(no_content())
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnSecondFactor {
    second_factor: SecondFactor,
}

/// What the person has.
#[utoipa::path(tag = "auth", security(("bearer" = [])),
    responses((status = 200, body = Answer<OwnSecondFactor>)))]
#[get("/second-factor")]
pub async fn read(app: web::Data<App>, who: SignedIn) -> Reply {
    let second_factor = app.auth.second_factor(*who).await?;
    Ok(ok(OwnSecondFactor { second_factor }))
}

#[derive(Deserialize, ToSchema)]
pub struct OwnerRequest {
    /// Of who has no second factor yet; whoever has one shows that (`/step-up`).
    #[schema(format = Password, min_length = 1)]
    password: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct TotpOffer {
    /// Base32.
    secret: String,
    /// `otpauth://`, for a QR code.
    uri: String,
}

/// Offers a secret for an authenticator app; it counts from its first code on.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = OwnerRequest,
    responses((status = 200, body = Answer<TotpOffer>), (status = 403), (status = 409)))]
#[post("/second-factor/totp")]
pub async fn offer_totp(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<OwnerRequest>,
) -> Reply {
    let password = body.0.password.as_deref();
    let offer = app.auth.offer_totp(who.alive(), password, &caller).await?;
    Ok(ok(TotpOffer { secret: offer.secret, uri: offer.uri }))
}

#[derive(Deserialize, ToSchema)]
pub struct CodeRequest {
    #[schema(pattern = r"^\s*[0-9]{6}\s*$")]
    code: String,
}

/// Shown once; with the first factor alone.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    passkey: Option<PasskeyView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recovery_codes: Option<Vec<String>>,
}

/// The offered app becomes a factor by its first code.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = CodeRequest,
    responses((status = 201, body = Answer<Added>), (status = 403)))]
#[post("/second-factor/totp/confirm")]
pub async fn confirm_totp(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<CodeRequest>,
) -> Reply {
    let digits = Digits::parse(&body.0.code).map_err(|code| Error::invalid("code", code))?;
    let recovery_codes = app.auth.confirm_totp(who.alive(), &digits, &caller).await?;
    Ok(created(Added { passkey: None, recovery_codes }))
}

/// Removes the authenticator app.
#[utoipa::path(tag = "auth", security(("bearer" = [])),
    responses((status = 204), (status = 403), (status = 404)))]
#[delete("/second-factor/totp")]
pub async fn remove_totp(app: web::Data<App>, who: SignedIn, caller: Caller) -> Reply {
    app.auth.remove_totp(who.alive(), &caller).await?;
    Ok(no_content())
}

/// What an authenticator needs to make a passkey.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = OwnerRequest, responses(
    (status = 200, body = Answer<PasskeyOptions>), (status = 403), (status = 404), (status = 409)))]
#[post("/second-factor/passkeys/options")]
pub async fn passkey_creation(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<OwnerRequest>,
) -> Reply {
    let password = body.0.password.as_deref();
    let options = app.auth.passkey_creation(who.alive(), password, &caller).await?;
    Ok(ok(PasskeyOptions { options }))
}

#[derive(Deserialize, ToSchema)]
pub struct NewPasskeyRequest {
    /// What the person calls it.
    #[schema(min_length = 1, max_length = 60)]
    name: String,
    /// `RegistrationResponseJSON` of the browser.
    #[schema(value_type = Object)]
    credential: Map<String, Value>,
}

/// Adds the passkey that an authenticator has made.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = NewPasskeyRequest,
    responses((status = 201, body = Answer<Added>), (status = 403), (status = 409)))]
#[post("/second-factor/passkeys")]
pub async fn add_passkey(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    body: Body<NewPasskeyRequest>,
) -> Reply {
    let NewPasskeyRequest { name, credential } = body.0;
    let credential = Value::Object(credential);
    let (passkey, recovery_codes) =
        app.auth.add_passkey(who.alive(), &name, &credential, &caller).await?;
    Ok(created(Added { passkey: Some(passkey), recovery_codes }))
}

/// Removes a passkey.
#[utoipa::path(tag = "auth", security(("bearer" = [])), params(("id" = Uuid, Path)),
    responses((status = 204), (status = 403)))]
#[delete("/second-factor/passkeys/{id}")]
pub async fn remove_passkey(
    app: web::Data<App>,
    who: SignedIn,
    caller: Caller,
    id: web::Path<Uuid>,
) -> Reply {
    app.auth.remove_passkey(who.alive(), *id, &caller).await?;
    Ok(no_content())
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewRecoveryCodes {
    /// Shown once.
    recovery_codes: Vec<String>,
}

/// Ten new recovery codes; those from before are void.
#[utoipa::path(tag = "auth", security(("bearer" = [])),
    responses((status = 201, body = Answer<NewRecoveryCodes>), (status = 403), (status = 404)))]
#[post("/second-factor/recovery-codes")]
pub async fn replace_recovery_codes(app: web::Data<App>, who: SignedIn, caller: Caller) -> Reply {
    let recovery_codes = app.auth.replace_recovery_codes(who.alive(), &caller).await?;
    Ok(created(NewRecoveryCodes { recovery_codes }))
}

/// Removes every factor of a member who has lost them, ends the sessions and mails the person. Only for people
/// whose every company the caller administers.
#[utoipa::path(tag = "companies", security(("bearer" = [])),
    params(("id" = CompanyId, Path), ("userId" = UserId, Path)),
    responses((status = 204), (status = 409)))]
#[post("/{id}/users/{userId}/reset-second-factor")]
pub async fn reset(
    app: web::Data<App>,
    scope: Scope<ManageMembers>,
    caller: Caller,
    path: web::Path<(CompanyId, UserId)>,
) -> Reply {
    scope.prove_step_up(app.clock.now())?;
    let (company, member) = path.into_inner();
    app.auth.reset_second_factor(company, member, scope.by(&caller)).await?;
    Ok(no_content())
}
