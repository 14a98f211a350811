//! Operations (docs/contract.md, "Operations"): health, readiness, metrics, version, public settings.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, web};
use bipe_core::Error;
use bipe_core::config::Config;
use bipe_core::invoice::Issuer;
use jiff::{SignedDuration, Timestamp};
use utoipa::ToSchema;

use crate::error::{Answer, Reply, ok};
use crate::extract::bearer_token;
use crate::{App, Shutdown};

/// The process answers; no I/O.
#[get("/health")]
pub async fn health() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({"status": "ok"}))
}

/// The database answers with a schema that this build can work with, and no shutdown is under way.
#[get("/health/ready")]
pub async fn ready(app: web::Data<App>) -> HttpResponse {
    let is_stopping = *app.shutdown.borrow() != Shutdown::NotBegun;
    if !is_stopping && app.node_watch.is_ready().await {
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

/// Prometheus text, for loopback peers and callers with the token. A forwarded request is no loopback peer's: 404.
#[get("/metrics")]
pub async fn metrics(request: HttpRequest, app: web::Data<App>) -> Reply {
    let given = bearer_token(request.headers()).filter(|token| !token.is_empty());
    let token = app.config.metrics_token.as_ref();
    let has_token = given.zip(token).is_some_and(|(given, token)| {
        bipe_core::secret::equal(token.expose().as_bytes(), given.as_bytes())
    });
    let is_here = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    if !has_token && (!is_here || is_forwarded(request.headers())) {
        return Err(Error::not_found().into());
    }
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(app.metrics.render()))
}

/// Whether a proxy passed the request on. A proxy on this machine is a loopback peer, too.
fn is_forwarded(headers: &header::HeaderMap) -> bool {
    let of_proxies = ["forwarded", "via", "true-client-ip", "cf-connecting-ip", "client-ip"];
    headers.keys().map(header::HeaderName::as_str).any(|name| {
        of_proxies.contains(&name)
            || ["x-forwarded", "x-real-", "x-client-ip", "x-original-", "x-envoy-"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
    })
}

/// How long a copy of `security.txt` may be believed; at most a year (RFC 9116).
const SECURITY_TXT_FOR: SignedDuration = SignedDuration::from_hours(180 * 24);

/// The contact for reports of vulnerabilities (RFC 9116).
#[get("/.well-known/security.txt")]
pub async fn security_txt(app: web::Data<App>) -> Reply {
    let text = security_text(&app.config, app.db.clock().now())?;
    Ok(HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(text))
}

fn security_text(settings: &Config, now: Timestamp) -> Result<String, Error> {
    let contact = settings.security_contact().ok_or_else(Error::not_found)?;
    let expires = now.checked_add(SECURITY_TXT_FOR).map_err(Error::internal)?;
    let expires = expires.strftime("%Y-%m-%dT%H:%M:%SZ");
    let canonical = match settings.is_production() {
        true => format!("Canonical: {}/.well-known/security.txt\n", settings.public_url()),
        false => String::new(),
    };
    Ok(format!("Contact: {contact}\nExpires: {expires}\nPreferred-Languages: pt, en\n{canonical}"))
}

/// Where a password manager leads a person whose password has leaked (W3C, "A Well-Known URL for Changing Passwords").
/// Who is signed out comes to the sign-in first.
#[get("/.well-known/change-password")]
pub async fn change_password() -> HttpResponse {
    HttpResponse::Found().insert_header((header::LOCATION, "/account")).finish()
}

/// What the web app must know before anybody signs in.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicConfig {
    sales_email: String,
    /// Where people write to who need help.
    help_email: String,
    /// The company that offers this site, as receipts name it; empty until `BIPE_LEGAL_NAME` and `BIPE_LEGAL_TAX_ID`
    /// are set.
    issuer: Issuer,
    min_age: u8,
    environment: &'static str,
    version: &'static str,
    /// The payment provider is the sandbox.
    sandbox: bool,
    server_time: Timestamp,
}

/// Public settings.
#[utoipa::path(tag = "operations", responses((status = 200, body = Answer<PublicConfig>)))]
#[get("/api/config")]
pub async fn config(app: web::Data<App>) -> HttpResponse {
    let config = &app.config;
    ok(PublicConfig {
        sales_email: config.sales_email.clone(),
        help_email: config.help_email().to_owned(),
        issuer: config.issuer(),
        min_age: config.min_age,
        environment: if config.is_production() { "production" } else { "development" },
        version: env!("CARGO_PKG_VERSION"),
        sandbox: config.is_sandbox(),
        server_time: app.clock.now(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn production_names_the_true_address_of_security_txt() {
        let flags = ["--env", "production", "--public-url", "https://bipe.example/"];
        let settings = bipe_core::testing::config(&flags);
        let text = security_text(&settings, "2026-11-21T15:00:00.5Z".parse().unwrap()).unwrap();
        let expected = "Contact: mailto:comercial@bipe.com.br\nExpires: 2027-05-20T15:00:00Z\n\
             Preferred-Languages: pt, en\nCanonical: https://bipe.example/.well-known/security.txt\n";
        assert_eq!(text, expected);
    }
}
