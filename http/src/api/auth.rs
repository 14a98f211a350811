//! Accounts (docs/contract.md, "Accounts"): sign-up, codes, sign-in, refresh, sign-out, reset.
//! What belongs to the signed-in person stands in `me.rs`.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{post, web};
use bipe_core::Error;
use bipe_core::auth::code::{Digits, Purpose};
use bipe_core::auth::recovery::ResetBy;
use bipe_core::auth::second_factor::{FactorMethod, PendingSignIn, challenge};
use bipe_core::auth::session::sign_in::SignIn;
use bipe_core::auth::session::token::Tokens;
use bipe_core::auth::sign_up::{RegisterRequest, Registered};
use bipe_core::error::{FieldCode, FieldErrors};
use bipe_core::user::{Email, Password, User, UserView, Viewer};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::App;
use crate::error::{Answer, Reply, created, no_content, ok};
use crate::extract::{Body, Caller};
use crate::legal;

#[derive(Serialize, ToSchema)]
pub struct OneUser {
    pub user: UserView,
}

#[derive(Serialize, ToSchema)]
pub struct VerifiedUser {
    user: UserView,
    /// A session, for who shows the `registration` and has no second factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tokens: Option<Tokens>,
}

#[derive(Serialize, ToSchema)]
pub struct NewUser {
    user: UserView,
    /// A secret of whoever signed up. With it `verify-email` joins the companies that invited the account and signs in,
    /// and another `register` with the same CPF replaces the account while nobody has verified it.
    registration: String,
}

#[derive(Serialize, ToSchema)]
pub struct SignedInUser {
    user: UserView,
    tokens: Tokens,
}

impl SignedInUser {
    pub fn of((user, tokens): (User, Tokens)) -> Self {
        Self { user: user.view(Viewer::Oneself), tokens }
    }
}

/// `user` and `tokens`, or `secondFactor` for who has one.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FirstStep {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user: Option<UserView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    second_factor: Option<AskedFactor>,
}

/// What the second step (`/second-factor`) takes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedFactor {
    challenge: String,
    /// Seconds.
    expires_in: i64,
    methods: Vec<FactorMethod>,
    /// For `navigator.credentials.get`, as JSON of WebAuthn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    passkey_options: Option<serde_json::Value>,
}

#[derive(Serialize, ToSchema)]
pub struct NewTokens {
    tokens: Tokens,
}

/// An answer that says no more than that the request was taken.
#[derive(Serialize, ToSchema)]
pub struct Nothing {}

/// Adds an account and mails a verification code.
#[utoipa::path(tag = "auth", request_body = RegisterRequest,
    responses((status = 201, body = Answer<NewUser>), (status = 404), (status = 409)))]
#[post("/register")]
pub async fn register(app: web::Data<App>, caller: Caller, body: Body<RegisterRequest>) -> Reply {
    let mut new = app.auth.parse_registration(&body.0)?;
    if let Some(token) = &body.0.invite_token {
        new = app.auth.prove_invited(token, new, &caller).await?;
    }
    let made = app.auth.register(new, &legal::consents(&app.config), &caller).await?;
    let Registered { user, registration } = made;
    Ok(created(NewUser { user: user.view(Viewer::Oneself), registration }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyRequest {
    #[schema(format = Email, max_length = 254)]
    user_email: String,
    /// Six digits.
    #[schema(pattern = r"^\s*[0-9]{6}\s*$")]
    verification_code: String,
    /// What `register` answered: with it a session starts. Without it only a call from the network of the registration
    /// counts as the same party, and nobody is signed in; a wrong one is answered like a wrong code.
    registration: Option<String>,
}

/// Proves an address by its code, and signs in whoever has registered it.
#[utoipa::path(tag = "auth", request_body = VerifyRequest,
    responses((status = 200, body = Answer<VerifiedUser>), (status = 409)))]
#[post("/verify-email")]
pub async fn verify_email(app: web::Data<App>, caller: Caller, body: Body<VerifyRequest>) -> Reply {
    let mut errors = FieldErrors::default();
    let email = errors.take("userEmail", Email::parse(&body.0.user_email));
    let digits = errors.take("verificationCode", Digits::parse(&body.0.verification_code));
    let (email, digits) = errors.into_result(email.zip(digits))?;
    let registration = body.0.registration.as_deref();
    let verified = app.auth.verify_email(&email, &digits, registration, &caller).await?;
    // Whoever has the code has the mailbox, not always the password: the document stays masked.
    Ok(ok(VerifiedUser { user: verified.user.view(Viewer::Somebody), tokens: verified.tokens }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginRequest {
    #[schema(format = Email, max_length = 254)]
    user_email: String,
    #[schema(format = Password, min_length = 1)]
    password: String,
}

/// Starts a session, or asks for the second factor of who has one.
#[utoipa::path(tag = "auth", request_body = LoginRequest,
    responses((status = 200, body = Answer<FirstStep>), (status = 401), (status = 403)))]
#[post("/login")]
pub async fn login(app: web::Data<App>, caller: Caller, body: Body<LoginRequest>) -> Reply {
    let LoginRequest { user_email, password } = &body.0;
    let mut errors = FieldErrors::default();
    let email = errors.take("userEmail", Email::parse(user_email));
    if password.is_empty() {
        errors.add("password", FieldCode::Required);
    }
    let email = errors.into_result(email)?;
    Ok(ok(match app.auth.sign_in(&email, password, &caller).await? {
        SignIn::Session(user, tokens) => {
            let user = Some(user.view(Viewer::Oneself));
            FirstStep { user, tokens: Some(tokens), ..FirstStep::default() }
        }
        SignIn::SecondFactor(PendingSignIn { challenge, methods, passkey_options }) => {
            let expires_in = challenge::LIFETIME;
            let asked = AskedFactor { challenge, expires_in, methods, passkey_options };
            FirstStep { second_factor: Some(asked), ..FirstStep::default() }
        }
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefreshRequest {
    refresh_token: String,
}

/// Rotates the refresh token.
#[utoipa::path(tag = "auth", request_body = RefreshRequest,
    responses((status = 200, body = Answer<NewTokens>), (status = 401)))]
#[post("/refresh")]
pub async fn refresh(app: web::Data<App>, caller: Caller, body: Body<RefreshRequest>) -> Reply {
    let token = &body.0.refresh_token;
    if let Some(session) = app.auth.session_of(token) {
        app.limits.refresh_session.take(&session)?;
    }
    let tokens = app.auth.refresh(token, &caller).await?;
    Ok(ok(NewTokens { tokens }))
}

/// Ends the session; also when it is gone already.
#[utoipa::path(tag = "auth", request_body = RefreshRequest, responses((status = 204)))]
#[post("/logout")]
pub async fn logout(app: web::Data<App>, caller: Caller, body: Body<RefreshRequest>) -> Reply {
    app.auth.sign_out(&body.0.refresh_token, &caller).await?;
    let mut response = no_content();
    let name = HeaderName::from_static("clear-site-data");
    response.headers_mut().insert(name, HeaderValue::from_static("\"cache\""));
    Ok(response)
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmailRequest {
    #[schema(format = Email, max_length = 254)]
    user_email: String,
}

async fn send_code(app: &App, caller: &Caller, body: &EmailRequest, purpose: Purpose) -> Reply {
    let email = Email::parse(&body.user_email);
    let email = email.map_err(|code| Error::invalid("userEmail", code))?;
    app.auth.request_code(&email, purpose, caller).await?;
    Ok(ok(Nothing {}))
}

/// Mails a reset code and link. Always the same answer.
#[utoipa::path(tag = "auth", request_body = EmailRequest,
    responses((status = 200, body = Answer<Nothing>)))]
#[post("/forgot-password")]
pub async fn forgot_password(
    app: web::Data<App>,
    caller: Caller,
    body: Body<EmailRequest>,
) -> Reply {
    send_code(&app, &caller, &body.0, Purpose::Reset).await
}

/// Mails a new verification code. Always the same answer.
#[utoipa::path(tag = "auth", request_body = EmailRequest,
    responses((status = 200, body = Answer<Nothing>)))]
#[post("/resend-verification")]
pub async fn resend_verification(
    app: web::Data<App>,
    caller: Caller,
    body: Body<EmailRequest>,
) -> Reply {
    send_code(&app, &caller, &body.0, Purpose::Verification).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResetRequest {
    /// With `otp`.
    #[schema(format = Email, max_length = 254)]
    user_email: Option<String>,
    /// Six digits.
    #[schema(pattern = r"^\s*[0-9]{6}\s*$")]
    otp: Option<String>,
    /// What the mailed link ends with, instead of `userEmail` and `otp`.
    token: Option<String>,
    /// With a small and a capital letter, a digit and one of `#@$!%*?&`.
    #[schema(format = Password, min_length = 8, max_length = 128)]
    new_password: String,
    confirm_password: String,
}

/// Sets a new password with a code or a link and verifies the address; every session of the person ends.
#[utoipa::path(tag = "auth", request_body = ResetRequest,
    responses((status = 200, body = Answer<Nothing>)))]
#[post("/reset-password")]
pub async fn reset_password(
    app: web::Data<App>,
    caller: Caller,
    body: Body<ResetRequest>,
) -> Reply {
    let body = body.0;
    let mut errors = FieldErrors::default();
    let code = body.token.is_none().then(|| {
        let (email, otp) = (body.user_email.unwrap_or_default(), body.otp.unwrap_or_default());
        let email = errors.take("userEmail", Email::parse(&email));
        email.zip(errors.take("otp", Digits::parse(&otp)))
    });
    let password = errors.take("newPassword", Password::parse(&body.new_password));
    if body.confirm_password != body.new_password {
        errors.add("confirmPassword", FieldCode::PasswordMismatch);
    }
    let by = match (&body.token, &code) {
        (Some(token), _) => Some(ResetBy::Link(token)),
        (None, Some(Some((email, digits)))) => Some(ResetBy::Code(email, digits)),
        (None, _) => None,
    };
    let (by, password) = errors.into_result(by.zip(password))?;
    app.auth.reset_password(by, &password, &caller).await?;
    Ok(ok(Nothing {}))
}
