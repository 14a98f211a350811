//! Proofs that handlers take as parameters: who sent the request, and what they may do in which company.
//! Both are read from the database, never from the token (invariant I4): for commands at once, for reads at most a
//! second ago.

use std::future::{Ready, ready};
use std::marker::PhantomData;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::USER_AGENT;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use bipe_core::auth::session::signed_in::Authenticated;
use bipe_core::auth::session::token::Claims;
use bipe_core::caller;
use bipe_core::company::Author;
use bipe_core::error::{Code, Error};
use bipe_core::id::{CompanyId, UserId};
use bipe_core::scope::needs::Needs;
use bipe_core::scope::{self, AdminScope, CompanyScope, Permission};
use bipe_core::user::UserRole;
use derive_more::Deref;
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::{Body, ClientIp, LimitMark, RequestId};
use crate::App;
use crate::error::ApiError;

type ProofFuture<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

/// A live session of an active person.
#[derive(Clone, Copy, Debug)]
pub struct SignedIn {
    alive: Authenticated,
    /// Nothing is changed: the proofs may be a second old.
    is_read: bool,
}

impl std::ops::Deref for SignedIn {
    type Target = scope::SignedIn;
    fn deref(&self) -> &Self::Target {
        &self.alive.who
    }
}

impl SignedIn {
    /// What the session has proven.
    pub fn alive(&self) -> &Authenticated {
        &self.alive
    }

    /// # Errors
    /// `Denied(STEP_UP_REQUIRED)` if the person has a second factor and has not shown it within ten minutes.
    pub fn prove_step_up(&self, now: Timestamp) -> Result<(), Error> {
        self.alive.assurance.prove_fresh(now)
    }
}

impl FromRequest for SignedIn {
    type Error = ApiError;
    type Future = ProofFuture<Self>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (app, facts) = (app(request), request_facts(request));
        Box::pin(async move { prove_session(&*app?, facts).await })
    }
}

async fn prove_session(app: &App, facts: RequestFacts) -> Result<SignedIn, ApiError> {
    let claims = facts.claims()?;
    let is_counted = count_early(app, &facts, claims)?;
    let alive = if facts.is_read {
        app.auth.signed_in_for_read(claims).await?
    } else {
        app.auth.signed_in(claims).await?
    };
    admit(app, &facts, alive, is_counted).await
}

/// Takes the request from the limit of a person whose session lived a moment ago: who is beyond the limit costs no
/// question to the database. Answers whether it was taken.
fn count_early(app: &App, facts: &RequestFacts, claims: &Claims) -> Result<bool, ApiError> {
    let Some(person) = app.auth.lately_alive(claims) else { return Ok(false) };
    facts.mark.prove();
    app.limits.person.take(&person)?;
    Ok(true)
}

/// Takes the request of a proven session, within its limits.
async fn admit(
    app: &App,
    facts: &RequestFacts,
    alive: Authenticated,
    is_counted: bool,
) -> Result<SignedIn, ApiError> {
    facts.mark.prove();
    if !is_counted {
        app.limits.person.take(&alive.who.user_id)?;
    }
    if facts.is_act && alive.role == UserRole::User {
        app.active.note(&app.db, alive.who.user_id).await?;
    }
    Ok(SignedIn { alive, is_read: facts.is_read })
}

/// A platform admin, by the database.
#[derive(Clone, Copy, Debug, Deref)]
pub struct Admin(AdminScope);

impl FromRequest for Admin {
    type Error = ApiError;
    type Future = ProofFuture<Self>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (app, facts) = (app(request), request_facts(request));
        Box::pin(async move {
            let app = app?;
            let who = prove_session(&app, facts).await?;
            let admin = AdminScope::prove(&app.db, *who).await?;
            if app.config.is_production() && !admin.assurance().has_second_factor {
                return Err(Error::Denied(Code::SecondFactorRequired).into());
            }
            Ok(Self(admin))
        })
    }
}

/// A platform admin's command: its body is looked at only after the proof.
#[derive(Debug)]
pub struct AdminBody<T> {
    pub admin: AdminScope,
    pub body: T,
}

impl<T: DeserializeOwned + 'static> FromRequest for AdminBody<T> {
    type Error = ApiError;
    type Future = ProofFuture<Self>;
    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let admin = Admin::from_request(request, payload);
        let body = Body::<T>::from_request(request, payload);
        Box::pin(async move { Ok(Self { admin: admin.await?.0, body: body.await?.0 }) })
    }
}

/// Where the request comes from, for limits, sessions and the audit.
#[derive(Clone, Debug, Deref)]
pub struct Caller(caller::Caller);

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(caller(request).map(Self).ok_or(ApiError::Malformed))
    }
}

fn caller(request: &HttpRequest) -> Option<caller::Caller> {
    let ip = ClientIp::of(request)?;
    let agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    Some(caller::Caller {
        ip: ip.0.to_string(),
        network: ip.network(),
        audit_network: ip.truncated(),
        device: agent.unwrap_or_default().chars().take(caller::DEVICE_MAX).collect(),
        request_id: request.extensions().get::<RequestId>()?.0.clone(),
    })
}

/// The caller belongs to the company in the path (`{companyId}`, else `{id}`) and may do `P` there.
#[derive(Debug, Deref)]
pub struct Scope<P> {
    #[deref]
    company: CompanyScope,
    who: SignedIn,
    needs: PhantomData<P>,
}

impl<P> Scope<P> {
    /// The person behind the request.
    pub fn person(&self) -> UserId {
        self.who.user_id
    }

    /// The same as the giver of a command.
    pub fn by<'a>(&self, caller: &'a caller::Caller) -> Author<'a> {
        Author { who: *self.who, caller }
    }

    /// # Errors
    /// As [`SignedIn::prove_step_up`].
    pub fn prove_step_up(&self, now: Timestamp) -> Result<(), Error> {
        self.who.prove_step_up(now)
    }
}

/// A command in a company: its body is looked at only after the proof, so that nobody learns by it of a company that is
/// not theirs.
#[derive(Debug)]
pub struct ScopedBody<P, T> {
    pub scope: Scope<P>,
    pub body: T,
}

impl<P: Needs + 'static, T: DeserializeOwned + 'static> FromRequest for ScopedBody<P, T> {
    type Error = ApiError;
    type Future = ProofFuture<Self>;
    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let scope = Scope::from_request(request, payload);
        let body = Body::<T>::from_request(request, payload);
        Box::pin(async move { Ok(Self { scope: scope.await?, body: body.await?.0 }) })
    }
}

impl<P: Needs> FromRequest for Scope<P> {
    type Error = ApiError;
    type Future = ProofFuture<Self>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (app, facts) = (app(request), request_facts(request));
        let path = request.match_info();
        let id = path.get("companyId").or_else(|| path.get("id")).map(str::to_owned);
        Box::pin(async move {
            let app = app?;
            let id: Option<CompanyId> = id.and_then(|id| id.parse().ok());
            let (who, company) = match id {
                Some(id) if !facts.is_read => prove_both(&app, facts, id, P::PERMISSION).await?,
                _ => {
                    let who = prove_session(&app, facts).await?;
                    // A text that is no id names no company: 404, as for an unknown id.
                    let id = id.ok_or_else(Error::not_found)?;
                    (who, prove_company(&app, &who, id, P::PERMISSION).await?)
                }
            };
            Ok(Self { company, who, needs: PhantomData })
        })
    }
}

/// Session and company of a command, by one question to the database.
async fn prove_both(
    app: &App,
    facts: RequestFacts,
    company: CompanyId,
    permission: Permission,
) -> Result<(SignedIn, CompanyScope), ApiError> {
    let claims = facts.claims()?;
    let is_counted = count_early(app, &facts, claims)?;
    let (alive, member) = app.auth.signed_in_as_member(claims, company).await?;
    let who = admit(app, &facts, alive, is_counted).await?;
    let scope = member?.scope(permission)?;
    app.limits.company.take(&company)?;
    Ok((who, scope))
}

/// The sender of a command that names its company in its body. Nothing is proven yet: once the body was read, one
/// question to the database proves session and company.
pub struct Sender {
    app: web::Data<App>,
    facts: RequestFacts,
}

impl FromRequest for Sender {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let facts = request_facts(request);
        let is_signed_in = facts.claims().map(drop).map_err(ApiError::from);
        ready(is_signed_in.and_then(|()| Ok(Self { app: app(request)?, facts })))
    }
}

impl Sender {
    /// Proves the session, and that the person may do this in the company.
    ///
    /// # Errors
    /// 401; as [`prove_company`]; a body that names no company is refused behind the proof of the session.
    pub async fn prove<T>(
        self,
        body: Result<(CompanyId, T), ApiError>,
        permission: Permission,
    ) -> Result<(CompanyScope, SignedIn, T), ApiError> {
        let Self { app, facts } = self;
        match body {
            Ok((company, body)) => {
                let (who, scope) = prove_both(&app, facts, company, permission).await?;
                Ok((scope, who, body))
            }
            Err(refused) => {
                prove_session(&app, facts).await?;
                Err(refused)
            }
        }
    }
}

/// Proves what a person may do in a company. Called for reads, and for calls that name a payment instead of a company.
///
/// # Errors
/// 404 for a company that the caller does not belong to, 403 for too low a role, 429.
pub async fn prove_company(
    app: &App,
    who: &SignedIn,
    company: CompanyId,
    permission: Permission,
) -> Result<CompanyScope, ApiError> {
    let scope = if who.is_read {
        app.auth.recent.company(&app.db, **who, company, permission).await?
    } else {
        CompanyScope::prove(&app.db, **who, company, permission).await?
    };
    app.limits.company.take(&company)?;
    Ok(scope)
}

fn app(request: &HttpRequest) -> Result<web::Data<App>, ApiError> {
    let app = request.app_data::<web::Data<App>>().cloned();
    app.ok_or_else(|| Error::internal("no App in the server's data").into())
}

/// What a request says about its sender.
struct RequestFacts {
    /// None without an access token that is ours and valid now: left out, forged and expired look the same.
    claims: Option<Claims>,
    mark: LimitMark,
    /// A person did something: the web asks for its live ticket by itself.
    is_act: bool,
    is_read: bool,
}

impl RequestFacts {
    fn claims(&self) -> Result<&Claims, Error> {
        self.claims.as_ref().ok_or_else(Error::signed_out)
    }
}

fn request_facts(request: &HttpRequest) -> RequestFacts {
    let is_read = request.method().is_safe();
    let is_act = !is_read && !request.path().ends_with("/live-ticket");
    let extensions = request.extensions();
    let claims = extensions.get::<Claims>().cloned();
    let mark = extensions.get::<LimitMark>().cloned().unwrap_or_default();
    RequestFacts { claims, mark, is_act, is_read }
}
