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
    let is_loopback = request.peer_addr().is_some_and(|peer| peer.ip().is_loopback())
        && !request.headers().contains_key("x-forwarded-for")
        && !request.headers().contains_key(header::FORWARDED);
    if !has_token && !is_loopback {
        return Err(Error::not_found().into());
    }
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(app.metrics.render()))
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
