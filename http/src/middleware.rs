//! The middleware around every request; `lib.rs` wraps it around the routes. Outside of CORS: request id, security
//! headers, the request id in error bodies, one log line. Inside of it: the guard, rate limits and the deadline.
//!
//! Invariant: a log line names the pattern of a route, never a path or a query, which may hold secrets.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, ResponseError, web};
use bipe_core::auth::session::token::Claims;
use bipe_core::error::Error as CoreError;
use bipe_core::trace::{Span, Traceparent};
use futures_util::FutureExt;

use crate::error::{ApiError, Cause, ErrorBody, envelope};
use crate::extract::{ClientIp, LimitMark, RequestId, bearer_token};
use crate::route_table::{Methods, RouteTable};
use crate::{App, request_guard};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const REQUEST_ID_LIMIT: usize = 64;
/// Counted where its signature is bad.
const WEBHOOKS: &str = "/api/payments/webhooks/stripe";
/// Counted by limits of their own: rows 11 and 12 of docs/security.md, "Limits".
const REFRESH: &str = "/api/auth/refresh";
const LIVE: &str = "/api/live";
/// Machines ask these every second. They are not counted and are logged at `debug` alone, or the requests of people
/// would be lost among them.
const PROBES: [&str; 3] = ["/health", "/health/ready", "/metrics"];

/// Gives the request its id, finishes the answer and logs it, whoever gave it. A panic is a defect like any other.
pub async fn envelope_and_headers(
    app: web::Data<App>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let began = started();
    let method = request.method().clone();
    let finish = ResponseFinish {
        is_api: request_guard::is_api(request.path()),
        https: app.config.public_url().starts_with("https:"),
        id: request_id(&request, &app),
    };
    request.extensions_mut().insert(RequestId(finish.id.clone()));
    let span = if finish.is_api { span_of(&request) } else { Span::default() };
    let note = |pattern: Option<&str>, response: &HttpResponse<BoxBody>| {
        describe(&span, &method, pattern, response.status());
        span.enter(|| log(&method, pattern, response, began, &finish.id));
    };
    let answered = AssertUnwindSafe(span.around(next.call(request))).catch_unwind().await;
    let panicked = |_| Err(ApiError::from(CoreError::internal("the handler panicked")).into());
    match answered.unwrap_or_else(panicked) {
        Ok(response) => {
            let (request, response) = response.map_into_boxed_body().into_parts();
            let response = finish.apply(response);
            note(request.match_pattern().as_deref(), &response);
            Ok(ServiceResponse::new(request, response))
        }
        // Without its request, whose route is not known here.
        Err(error) => {
            let response = finish.apply(error.error_response());
            note(None, &response);
            Err(InternalError::from_response(error, response).into())
        }
    }
}

/// Refuses what no route may see and what is beyond a limit, and bounds the time of the rest.
pub async fn admit(
    (app, table): (web::Data<App>, web::Data<RouteTable>),
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if let Err(refused) = request_guard::check(request.request(), &app.config) {
        return Ok(request.into_response(refused.error_response()));
    }
    let methods = table.at(request.path());
    answer_head_as_get(&mut request, methods);
    let claims = claims_of(&request, &app);
    let counted = match count(&request, &app, methods, claims.as_ref()).await {
        Ok(counted) => counted,
        Err(refused) => return Ok(request.into_response(refused.error_response())),
    };
    if let Some(claims) = claims {
        request.extensions_mut().insert(claims);
    }
    let mark = LimitMark::default();
    request.extensions_mut().insert(mark.clone());
    // The request belongs to the router until it answers; an answer that is late comes without it.
    let answered = tokio::time::timeout(app.bounds.handler, next.call(request)).await;
    let response = answered.map_err(|_late| ApiError::from(CoreError::unavailable(2)))??;
    if let CallCount::AddressUnlessProven(ip) = counted
        && !mark.is_proven()
        && let Err(refused) = app.limits.anonymous.take(ip).map_err(ApiError::from)
    {
        return Ok(response.into_response(refused.error_response()));
    }
    Ok(response.map_into_boxed_body())
}

/// The work of a request, in the trace that its sender has named.
fn span_of(request: &ServiceRequest) -> Span {
    let parent = request.headers().get(&TRACEPARENT).and_then(|value| value.to_str().ok());
    Span::of_request(parent.and_then(Traceparent::parse))
}

/// Names the span as the log does: by the pattern of the route, never by the path.
fn describe(span: &Span, method: &Method, pattern: Option<&str>, status: StatusCode) {
    span.rename(|| match pattern {
        Some(pattern) => format!("{method} {pattern}").into(),
        None => "request".into(),
    });
    span.note("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.note("error.type", status.as_str().to_owned());
    }
}

/// Routes HEAD as GET. actix-http remembers the method of the request and leaves the body out.
fn answer_head_as_get(request: &mut ServiceRequest, methods: Option<&Methods>) {
    let is_head = request.method() == Method::HEAD && !request.head().upgrade();
    if is_head && methods.is_some_and(|methods| methods.takes(&Method::GET)) {
        request.head_mut().method = Method::GET;
    }
}

/// Refuses a method that the path does not take, before the router tries an id at the place of a fixed word.
pub async fn refuse_other_methods(
    table: web::Data<RouteTable>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match table.at(request.path()) {
        Some(methods) if !methods.takes(request.method()) => {
            let refused = ApiError::MethodNotAllowed { allowed: methods.allowed() };
            Ok(request.into_response(refused.error_response()))
        }
        _ => next.call(request).await.map(ServiceResponse::map_into_boxed_body),
    }
}

#[expect(clippy::disallowed_methods, reason = "measures how long the answer took, decides nothing")]
fn started() -> Instant {
    Instant::now()
}

fn request_id(request: &ServiceRequest, app: &App) -> String {
    let given = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    let fits = |id: &&str| {
        !id.is_empty() && id.len() <= REQUEST_ID_LIMIT && id.bytes().all(|b| b.is_ascii_graphic())
    };
    match given.filter(fits) {
        Some(id) => id.to_owned(),
        None => app.clock.uuid().to_string(),
    }
}

/// Whether a call is counted (row 19 of docs/security.md, "Limits").
enum CallCount {
    /// It is, or no limit is about it.
    Counted,
    /// The handler proves the session and counts the call against the person; if it does not get that far, the call
    /// counts against the address.
    AddressUnlessProven(IpAddr),
}

/// Counts a call before any work is done for it. A call with a token counts against the person only while the session
/// is alive: a token of an ended session can be sent again and again.
async fn count(
    request: &ServiceRequest,
    app: &App,
    methods: Option<&Methods>,
    claims: Option<&Claims>,
) -> Result<CallCount, ApiError> {
    let path = request.path();
    if !request_guard::is_api(path) || path == WEBHOOKS {
        return Ok(CallCount::Counted);
    }
    let Some(ClientIp(ip)) = ClientIp::of(request.request()) else {
        return Ok(CallCount::Counted);
    };
    let own = match path {
        REFRESH => Some(&app.limits.refresh_network),
        LIVE => Some(&app.limits.live_connect),
        _ => None,
    };
    if let Some(own) = own {
        own.take(ip)?;
        return Ok(CallCount::Counted);
    }
    match claims {
        Some(_) if methods.is_some_and(|methods| methods.needs_token(request.method())) => {
            return Ok(CallCount::AddressUnlessProven(ip));
        }
        Some(claims) => match app.auth.signed_in_for_read(claims).await {
            Ok(alive) => app.limits.person.take(&alive.who.user_id)?,
            Err(_nobody) => app.limits.anonymous.take(ip)?,
        },
        None => app.limits.anonymous.take(ip)?,
    }
    Ok(CallCount::Counted)
}

/// What the access token in the header says; the proofs of the handler take it from the request's extensions.
fn claims_of(request: &ServiceRequest, app: &App) -> Option<Claims> {
    app.auth.claims(bearer_token(request.headers())?)
}

/// The changes to every answer before it leaves.
struct ResponseFinish {
    id: String,
    is_api: bool,
    https: bool,
}

impl ResponseFinish {
    fn apply(&self, response: HttpResponse<BoxBody>) -> HttpResponse<BoxBody> {
        // The guard refuses paths that hide behind percent codes: such a call may not look like one.
        let is_call = self.is_api || response.extensions().contains::<ErrorBody>();
        let mut response = self.name_request(response);
        secure(response.headers_mut(), self.https, is_call);
        if let Ok(value) = HeaderValue::from_str(&self.id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }

    /// Puts the request id into an error's envelope; errors of actix itself get an envelope here.
    fn name_request(&self, mut response: HttpResponse<BoxBody>) -> HttpResponse<BoxBody> {
        let ours = response.extensions_mut().remove::<ErrorBody>();
        let is_foreign = self.is_api && !is_json(&response);
        let mut body = match (ours, response.status()) {
            (Some(ErrorBody(body)), _) => body,
            (None, StatusCode::NOT_FOUND) if is_foreign => {
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

fn secure(headers: &mut header::HeaderMap, https: bool, is_call: bool) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), microphone=(), geolocation=(), payment=(), usb=(), \
             publickey-credentials-get=(self), publickey-credentials-create=(self)",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if https {
        let two_years = HeaderValue::from_static("max-age=63072000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, two_years);
    }
    if is_call {
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

/// Logs the pattern of the route. Path and query may hold secrets or personal data.
fn log(
    method: &Method,
    pattern: Option<&str>,
    response: &HttpResponse<BoxBody>,
    began: Instant,
    id: &str,
) {
    let took = began.elapsed();
    let (route, status) = (pattern.unwrap_or("-"), response.status());
    if let Some(Cause(cause)) = response.extensions().get() {
        tracing::error!(route, request_id = id, cause, "internal error");
    }
    if PROBES.contains(&route) {
        tracing::debug!(target: "bipe::request", route, status = status.as_u16(), "probe");
        return;
    }
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

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn what_probes_are_answered_does_not_count() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let counted = |route| {
            let answer = HttpResponse::Ok().finish();
            metrics::with_local_recorder(&recorder, || {
                log(&Method::GET, Some(route), &answer, started(), "tests");
            });
            recorder.handle().render()
        };
        for probe in ["/health", "/health/ready", "/metrics"] {
            assert_eq!(counted(probe), "", "{probe}");
        }
        let counted = counted("/api/config");
        assert!(counted.contains(r#"bipe_http_requests_total{status="200"} 1"#), "{counted}");
    }

    #[test]
    fn a_browser_that_came_by_https_asks_by_nothing_else_for_two_years() {
        for (https, promise) in [(true, Some("max-age=63072000")), (false, None)] {
            let mut headers = header::HeaderMap::new();
            secure(&mut headers, https, false);
            let told = headers.get(header::STRICT_TRANSPORT_SECURITY);
            assert_eq!(told.map(|value| value.to_str().unwrap()), promise);
        }
    }
}
