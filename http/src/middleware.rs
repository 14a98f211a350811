//! One concern a function, wrapped around every request by `lib.rs`: request id, deadline, security
//! headers, the error envelope's request id, one log line.

use std::time::{Duration, Instant};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, ResponseError, web};
use bipe_core::error::Error as CoreError;

use crate::App;
use crate::error::{ApiError, ErrorBody, envelope};
use crate::extract::{ClientIp, RequestId};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const REQUEST_ID_LIMIT: usize = 64;
/// A handler that takes longer answers 503; a money command goes on in its actor.
const HANDLER_DEADLINE: Duration = Duration::from_secs(14);

/// Gives the request its id, bounds its time, and finishes the answer.
pub async fn envelope_and_headers(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = request.app_data::<web::Data<App>>().cloned();
    let id = request_id(&request, app.as_ref());
    request.extensions_mut().insert(RequestId(id.clone()));
    let began = started();
    let method = request.method().clone();
    let finish = Finish {
        is_api: request.path().starts_with("/api"),
        https: app.as_ref().is_some_and(|app| app.config.public_url().starts_with("https:")),
        id,
    };
    if method == Method::TRACE {
        let refused = finish.apply(HttpResponse::MethodNotAllowed().finish());
        return Ok(request.into_response(refused));
    }
    if let Err(refused) = allow_anonymous(&request, app.as_ref()) {
        let refused = finish.apply(refused.error_response());
        return Ok(request.into_response(refused));
    }
    // The request belongs to the router until it answers; an error comes back without it.
    match tokio::time::timeout(HANDLER_DEADLINE, next.call(request)).await {
        Ok(Ok(response)) => {
            let (request, response) = response.map_into_boxed_body().into_parts();
            let response = finish.apply(response);
            log(&method, request.match_pattern().as_deref(), response.status(), began, &finish.id);
            Ok(ServiceResponse::new(request, response))
        }
        Ok(Err(error)) => Err(finish.apply_to_error(error)),
        Err(_late) => Err(finish.apply_to_error(ApiError::from(CoreError::unavailable(2)).into())),
    }
}

#[expect(clippy::disallowed_methods, reason = "measures how long the answer took, decides nothing")]
fn started() -> Instant {
    Instant::now()
}

fn request_id(request: &ServiceRequest, app: Option<&web::Data<App>>) -> String {
    let given = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    let fits = |id: &&str| {
        !id.is_empty() && id.len() <= REQUEST_ID_LIMIT && id.bytes().all(|b| b.is_ascii_graphic())
    };
    match given.filter(fits) {
        Some(id) => id.to_owned(),
        None => app.map(|app| app.clock.uuid().to_string()).unwrap_or_default(),
    }
}

/// Calls with a token are counted by the person behind it, once that is known (`extract.rs`); webhooks are
/// counted where their signature is bad.
fn allow_anonymous(request: &ServiceRequest, app: Option<&web::Data<App>>) -> Result<(), ApiError> {
    let path = request.path();
    let is_call = path.starts_with("/api/") && !path.starts_with("/api/payments/webhooks/");
    match (app, ClientIp::of(request.request())) {
        (Some(app), Some(ip)) if is_call && !has_token(request, app) => {
            Ok(app.limits.anonymous(ip)?)
        }
        _ => Ok(()),
    }
}

/// Whether a token of ours stands in the header: anybody can write a header.
fn has_token(request: &ServiceRequest, app: &App) -> bool {
    let value = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = value.and_then(|value| value.strip_prefix("Bearer "));
    token.is_some_and(|token| app.auth.is_ours(token, app.clock.now()))
}

/// What every answer gets before it leaves.
struct Finish {
    id: String,
    is_api: bool,
    https: bool,
}

impl Finish {
    fn apply(&self, response: HttpResponse<BoxBody>) -> HttpResponse<BoxBody> {
        let mut response = self.name_request(response);
        secure(response.headers_mut(), self.https, self.is_api);
        if let Ok(value) = HeaderValue::from_str(&self.id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }

    fn apply_to_error(&self, error: Error) -> Error {
        let response = self.apply(error.error_response());
        InternalError::from_response(error, response).into()
    }

    /// Puts the request id into an error's envelope; errors of actix itself get an envelope here.
    fn name_request(&self, mut response: HttpResponse<BoxBody>) -> HttpResponse<BoxBody> {
        let ours = response.extensions_mut().remove::<ErrorBody>();
        let is_foreign = self.is_api && !is_json(&response);
        let mut body = match (ours, response.status()) {
            (Some(ErrorBody(body)), _) => body,
            (None, StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND) if is_foreign => {
                ApiError::from(CoreError::not_found()).body()
            }
            (None, StatusCode::BAD_REQUEST) if is_foreign => ApiError::Malformed.body(),
            _ => return response,
        };
        body.insert("requestId".into(), self.id.clone().into());
        let json = HeaderValue::from_static("application/json; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        // The body that is replaced may have been compressed already.
        response.headers_mut().remove(header::CONTENT_ENCODING);
        response.set_body(BoxBody::new(envelope(&body).to_string()))
    }
}

fn is_json(response: &HttpResponse<BoxBody>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

fn secure(headers: &mut header::HeaderMap, https: bool, is_api: bool) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if https {
        let two_years = HeaderValue::from_static("max-age=63072000; includeSubDomains");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, two_years);
    }
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let is_plain_json = headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes() == b"application/json");
        if is_plain_json {
            let json = HeaderValue::from_static("application/json; charset=utf-8");
            headers.insert(header::CONTENT_TYPE, json);
        }
    }
}

/// The route's pattern, never the path or the query: they may hold what a log must not.
fn log(method: &Method, pattern: Option<&str>, status: StatusCode, began: Instant, id: &str) {
    let took = began.elapsed();
    let route = pattern.unwrap_or("-");
    let millis = took.as_secs_f64() * 1000.0;
    metrics::counter!("bipe_http_requests_total", "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("bipe_http_request_seconds").record(took.as_secs_f64());
    tracing::info!(
        target: "bipe::request",
        method = %method, route, status = status.as_u16(), millis = format!("{millis:.1}"), request_id = id,
        "request"
    );
}
