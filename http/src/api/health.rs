//! Operations (contract, section 7): health, readiness, metrics, version, public settings.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, web};
use bipe_core::Error;
use jiff::Timestamp;
use utoipa::ToSchema;

use crate::App;
use crate::error::{Answer, Reply, ok};
use crate::openapi;

/// The process answers; no I/O.
#[get("/health")]
pub async fn live() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({"status": "ok"}))
}

/// The database answers with the newest schema, and no shutdown is under way.
#[get("/health/ready")]
pub async fn ready(app: web::Data<App>) -> HttpResponse {
    let is_ready = !*app.draining.borrow() && bipe_core::db::is_ready(&app.db).await;
    if is_ready {
        HttpResponse::Ok().json(serde_json::json!({"status": "ready"}))
    } else {
        HttpResponse::ServiceUnavailable()
            .insert_header((header::RETRY_AFTER, 2))
            .json(serde_json::json!({"status": "unavailable"}))
    }
}

#[get("/version")]
pub async fn version() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(serde_json::json!({"version": env!("CARGO_PKG_VERSION")}))
}

/// Prometheus text, for loopback peers or with the token; a forwarded request is somebody else's: 404.
#[get("/metrics")]
pub async fn metrics(request: HttpRequest, app: web::Data<App>) -> Reply {
    let bearer = request.headers().get(header::AUTHORIZATION).and_then(|v| v.to_str().ok());
    let given = bearer.and_then(|text| text.strip_prefix("Bearer ")).unwrap_or_default();
    let has_token =
        app.config.metrics_token.as_ref().is_some_and(|token| {
            bipe_core::secret::equal(token.expose().as_bytes(), given.as_bytes())
        });
    let is_here = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    if !has_token && (!is_here || is_forwarded(request.headers())) {
        return Err(Error::not_found().into());
    }
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(app.metrics.render()))
}

/// Whether a proxy says that it asks for somebody else: one on this machine is a loopback peer too.
fn is_forwarded(headers: &header::HeaderMap) -> bool {
    let of_proxies = ["forwarded", "via", "true-client-ip", "cf-connecting-ip", "client-ip"];
    headers.keys().map(header::HeaderName::as_str).any(|name| {
        of_proxies.contains(&name)
            || ["x-forwarded", "x-real-", "x-client-ip", "x-original-", "x-envoy-"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
    })
}

#[get("/api/openapi.json")]
pub async fn document() -> HttpResponse {
    HttpResponse::Ok().json(openapi::document())
}

/// What the web app must know before anybody signs in.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicConfig {
    sales_email: String,
    min_age: u8,
    environment: &'static str,
    version: &'static str,
    /// The payment provider is the sandbox.
    sandbox: bool,
    #[schema(value_type = String, format = DateTime)]
    server_time: Timestamp,
}

/// Public settings.
#[utoipa::path(tag = "operations", responses((status = 200, body = Answer<PublicConfig>)))]
#[get("/api/config")]
pub async fn config(app: web::Data<App>) -> HttpResponse {
    let config = &app.config;
    ok(PublicConfig {
        sales_email: config.sales_email.clone(),
        min_age: config.min_age,
        environment: if config.is_production() { "production" } else { "development" },
        version: env!("CARGO_PKG_VERSION"),
        sandbox: config.is_sandbox(),
        server_time: app.clock.now(),
    })
}
