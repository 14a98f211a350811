//! The steps of every call: key, body, parameters, injected faults, idempotency, transaction, headers. An operation
//! itself is a plain function over a transaction.

use std::time::Duration;

use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jiff::civil::Date;
use serde_json::Value;

use crate::fault::Fault;
use crate::form::Params;
use crate::idempotency::{Answer, InFlight};
use crate::injected_faults::ReplyFaults;
use crate::store::{Tx, random_text};
use crate::{Cause, PUBLISHABLE_KEY, SECRET_KEY, Sandbox, expand, wire};

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Only the secret key.
    Secret,
    /// Either key; the operation asks the publishable one for a `client_secret`.
    Browser,
    /// People and tests: either key, or none with a JSON body, which no foreign page can send unasked.
    Control,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Secret,
    Publishable,
    Anonymous,
}

/// One request as an operation sees it.
#[derive(Debug)]
pub struct Call {
    pub id: String,
    pub access: Access,
    pub params: Params,
}

impl Call {
    /// The caller holds the secret key, or the object's own secret.
    pub fn may_see(&self, client_secret: &str) -> bool {
        let given = self.params.text("client_secret");
        given == Some(client_secret) || (self.access == Access::Secret && given.is_none())
    }
}

/// The work of one route.
pub type Operation = fn(&mut Tx<'_>, &Call) -> Result<Value, Fault>;

/// A sandbox form holds at most this much.
const BODY_LIMIT: usize = 64 * 1024;

const VERSION: &str = "stripe-version";
const IDEMPOTENCY_KEY: &str = "idempotency-key";

const NO_FORM: &str =
    "Invalid request (check that your POST content type is application/x-www-form-urlencoded).";

/// Serves one call from its first byte to its last header.
pub async fn serve(
    sandbox: web::Data<Sandbox>,
    request: HttpRequest,
    payload: web::Payload,
    policy: Policy,
    operation: Operation,
) -> HttpResponse {
    let id = format!("req_{}", random_text(&sandbox.0.clock, 14));
    let answer = match read(&request, payload, policy).await {
        Ok(call) => answer(&sandbox, &request, &id, call, operation).await,
        Err(fault) => Answer::of_fault(fault, &id),
    };
    respond(&request, &id, answer)
}

async fn read(request: &HttpRequest, payload: web::Payload, policy: Policy) -> Result<Call, Fault> {
    version(request)?;
    let mut params = params(request, payload, policy).await?;
    let access = match access(request)? {
        Access::Anonymous => key_of(&mut params)?,
        access => access,
    };
    if access == Access::Publishable {
        params.drop_browser_notes();
    }
    let json = request.content_type() == "application/json";
    match (policy, access) {
        (_, Access::Secret) | (Policy::Browser | Policy::Control, Access::Publishable) => {}
        (Policy::Control, Access::Anonymous) if json || request.method() == Method::GET => {}
        (Policy::Secret, Access::Publishable) => {
            let message = "This API call cannot be made with a publishable API key. Please use a secret API key.";
            return Err(Fault::unauthorized(message).coded("secret_key_required"));
        }
        (_, Access::Anonymous) => {
            return Err(Fault::unauthorized("You did not provide an API key."));
        }
    }
    expand::check(&params)?;
    let id = request.match_info().get("id").unwrap_or_default().to_owned();
    Ok(Call { id, access, params })
}

async fn params(
    request: &HttpRequest,
    payload: web::Payload,
    policy: Policy,
) -> Result<Params, Fault> {
    if request.method() != Method::POST {
        return Params::parse(request.query_string().as_bytes());
    }
    let body = body(payload).await?;
    match request.content_type() {
        _ if body.is_empty() => Ok(Params::default()),
        "application/x-www-form-urlencoded" => Params::parse(&body),
        "application/json" if policy == Policy::Control => Params::parse_json(&body),
        _ => Err(Fault::invalid(NO_FORM)),
    }
}

/// Stripe.js sends its publishable key as a parameter. A secret key has no business there.
fn key_of(params: &mut Params) -> Result<Access, Fault> {
    match params.take("key").as_deref() {
        None => Ok(Access::Anonymous),
        Some(PUBLISHABLE_KEY) => Ok(Access::Publishable),
        Some(_) => Err(Fault::unauthorized("Invalid API Key provided.")),
    }
}

/// The API version of the caller; the sandbox's own if none is sent. A day, since 2024 with the name of a release.
fn version(request: &HttpRequest) -> Result<&str, Fault> {
    let Some(value) = request.headers().get(VERSION) else { return Ok(wire::API_VERSION) };
    let text = value.to_str().unwrap_or_default();
    let (day, name) = text.split_once('.').unwrap_or((text, "any"));
    let is_day = day.len() == 10 && day.parse::<Date>().is_ok();
    if is_day && !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase()) {
        return Ok(text);
    }
    let shown: String = text.chars().take(40).filter(char::is_ascii_graphic).collect();
    Err(Fault::invalid(format!("Invalid Stripe API version: {shown}")))
}

/// The whole body, or 413.
pub async fn body(payload: web::Payload) -> Result<Bytes, Fault> {
    match payload.to_bytes_limited(BODY_LIMIT).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Fault::invalid("The request body cannot be read.")),
        Err(_) => Err(Fault::too_large()),
    }
}

async fn answer(
    sandbox: &Sandbox,
    request: &HttpRequest,
    id: &str,
    call: Call,
    operation: Operation,
) -> Answer {
    let writes = request.method() == Method::POST;
    let control = request.path().contains("/v1/test/");
    let injected = if control { ReplyFaults::default() } else { sandbox.next_reply_faults(writes) };
    if let Some(fault) = injected.fault().filter(|_| !injected.lose && !injected.kept) {
        wait(injected.delay()).await;
        return Answer::of_fault(fault, id);
    }
    let key = match idempotency_key(request).map(|key| key.filter(|_| writes)) {
        Ok(key) => key,
        Err(fault) => return Answer::of_fault(fault, id),
    };
    let _running = match key.as_deref().map(|key| InFlight::enter(sandbox, key)).transpose() {
        Ok(guard) => guard,
        Err(fault) => return Answer::of_fault(fault, id),
    };
    let target = format!("{} {}", request.method(), request.path());
    let cause = Cause { request: Some(id.to_owned()), idempotency_key: key };
    let done = sandbox.transact(cause, |tx| {
        Answer::once(tx, &call.params, &target, |tx| {
            let fault = injected.fault().map(Fault::begun);
            if let Some(fault) = fault.clone().filter(|_| injected.kept) {
                return Err(fault);
            }
            let worked = operation(tx, &call).map(|mut value| {
                expand::expand(&mut value, &call.params, tx.state, tx.base_url);
                value
            });
            fault.map_or(worked, Err)
        })
    });
    wait(injected.delay()).await;
    let mut answer = done.unwrap_or_else(|fault| Answer::of_fault(fault, id));
    answer.cut = injected.lose && injected.status.is_none();
    answer
}

async fn wait(delay: Duration) {
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
}

fn idempotency_key(request: &HttpRequest) -> Result<Option<String>, Fault> {
    let Some(value) = request.headers().get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = value.to_str().unwrap_or_default();
    if key.is_empty() || key.len() > 255 {
        return Err(Fault::invalid("Idempotency keys have between 1 and 255 characters."));
    }
    Ok(Some(key.to_owned()))
}

fn access(request: &HttpRequest) -> Result<Access, Fault> {
    let Some(value) = request.headers().get(header::AUTHORIZATION) else {
        return Ok(Access::Anonymous);
    };
    let key = value.to_str().ok().and_then(presented_key).unwrap_or_default();
    match key.as_str() {
        SECRET_KEY => Ok(Access::Secret),
        PUBLISHABLE_KEY => Ok(Access::Publishable),
        _ => Err(Fault::unauthorized("Invalid API Key provided.")),
    }
}

/// The key of `Bearer key`, or the user name of `Basic base64(key:)`.
fn presented_key(value: &str) -> Option<String> {
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    let decoded =
        STANDARD.decode(rest.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let text = String::from_utf8(decoded).ok()?;
    text.split(':').next().map(str::to_owned)
}

fn respond(request: &HttpRequest, id: &str, answer: Answer) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    response
        .insert_header((header::CONTENT_TYPE, "application/json"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header(("request-id", id))
        .insert_header((VERSION, version(request).unwrap_or(wire::API_VERSION)));
    if let Ok(Some(key)) = idempotency_key(request) {
        response.insert_header((IDEMPOTENCY_KEY, key));
    }
    if let Some(original) = &answer.original_request {
        response.insert_header(("original-request", original.as_str()));
    }
    if answer.replayed {
        response.insert_header(("idempotent-replayed", "true"));
    }
    for (name, value) in cors(request) {
        response.insert_header((name, value));
    }
    if answer.cut {
        let broken = std::io::Error::other("the sandbox was told to lose this answer");
        let nothing = futures_util::stream::once(async { Err::<Bytes, _>(broken) });
        return response.no_chunking(1).streaming(nothing);
    }
    response.body(answer.body)
}

/// The answer to a browser's preflight.
pub async fn preflight(request: HttpRequest) -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    for (name, value) in cors(&request) {
        response.insert_header((name, value));
    }
    response.finish()
}

/// Pages of this machine may call from another port (`bipe sandbox` runs on one of its own).
fn cors(request: &HttpRequest) -> Vec<(HeaderName, HeaderValue)> {
    let origin = request.headers().get(header::ORIGIN);
    let Some(origin) = origin.filter(|origin| origin.to_str().is_ok_and(is_this_machine)) else {
        return Vec::new();
    };
    let fixed = HeaderValue::from_static;
    vec![
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone()),
        (header::ACCESS_CONTROL_ALLOW_METHODS, fixed("DELETE, GET, POST")),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            fixed("authorization, content-type, idempotency-key, stripe-version"),
        ),
        (
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            fixed("idempotency-key, idempotent-replayed, request-id"),
        ),
        (header::ACCESS_CONTROL_MAX_AGE, fixed("600")),
        (header::VARY, fixed("origin")),
    ]
}

fn is_this_machine(origin: &str) -> bool {
    let host = origin.strip_prefix("http://").unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
    matches!(name.map_or(host, |(name, _)| name), "localhost" | "127.0.0.1" | "[::1]")
}
