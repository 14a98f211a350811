//! The web app, embedded in the binary: hashed assets are cached for ever, `index.html` never, and each
//! answer of it carries a fresh nonce in its content security policy (security rules, section 4).

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};

use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bipe_core::Error;
use rust_embed::RustEmbed;

use crate::App;
use crate::error::Reply;

#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Dist;

/// Where Vite left room for the nonce.
const NONCE_PLACE: &str = "__CSP_NONCE__";
/// Text of the style elements that sonner and input-otp insert (`web/test/csp.test.ts` recomputes them).
const STYLE_HASHES: &str = include_str!("style-hashes.txt");
const NOT_BUILT: &str = "The web app is not built: run `make build`, or `make dev` for hot reload.";

/// Below these nothing is a page: what is not routed there does not exist.
const CALLS: [&str; 3] = ["api", "dev", "sandbox"];

/// Any path that is not routed: a file of the build, or the app itself, which shows the right page.
pub async fn serve(request: HttpRequest, app: web::Data<App>) -> Reply {
    let path = request.path().trim_start_matches('/');
    let first = path.split('/').next().unwrap_or_default();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if CALLS.contains(&first) || !is_read {
        return Err(Error::not_found().into());
    }
    Ok(match Dist::get(path).filter(|_| !path.is_empty() && path != "index.html") {
        Some(file) => asset(&request, path, &file),
        None if path.starts_with("assets/") => HttpResponse::NotFound().finish(),
        None => index(&app),
    })
}

fn asset(request: &HttpRequest, path: &str, file: &rust_embed::EmbeddedFile) -> HttpResponse {
    let tag = format!("\"{}\"", STANDARD.encode(file.metadata.sha256_hash()));
    let cache = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok());
    let mut response =
        if known == Some(tag.as_str()) { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((header::ETAG, tag)).insert_header((header::CACHE_CONTROL, cache));
    if known.is_some_and(|known| response_matches(known, file)) {
        return response.finish();
    }
    response.content_type(file.metadata.mimetype()).body(file.data.clone().into_owned())
}

fn response_matches(known: &str, file: &rust_embed::EmbeddedFile) -> bool {
    known.trim_matches('"') == STANDARD.encode(file.metadata.sha256_hash())
}

fn index(app: &App) -> HttpResponse {
    let Some(file) = Dist::get("index.html") else {
        return HttpResponse::ServiceUnavailable()
            .content_type("text/plain; charset=utf-8")
            .body(NOT_BUILT);
    };
    let nonce = STANDARD.encode(app.clock.bytes::<16>());
    let page = String::from_utf8_lossy(&file.data).replace(NONCE_PLACE, &nonce);
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    for (name, policy) in policies(app, &nonce) {
        if let Ok(value) = HeaderValue::from_str(&policy) {
            response.insert_header((name, value));
        }
    }
    response.content_type("text/html; charset=utf-8").body(page)
}

/// With real Stripe keys Trusted Types only report, until they are proved against the real Stripe.js.
fn policies(app: &App, nonce: &str) -> Vec<(&'static str, String)> {
    let stripe = !app.config.is_sandbox();
    let (script, frame, connect) = if stripe {
        (
            " https://js.stripe.com https://*.js.stripe.com",
            "https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
            " https://api.stripe.com",
        )
    } else {
        ("", "'none'", "")
    };
    let live = app.config.public_url().replacen("http", "ws", 1);
    let sandbox = match (&app.config.stripe_api_base, app.config.is_sandbox()) {
        (Some(base), true) => format!(" {}", base.trim_end_matches('/')),
        _ => String::new(),
    };
    let styles = STYLE_HASHES.split_whitespace().collect::<Vec<_>>().join(" ");
    let policy = format!(
        "default-src 'none'; script-src 'self'{script}; style-src 'self' 'nonce-{nonce}' {styles}; \
         img-src 'self' data:; font-src 'self'; connect-src 'self' {live}{connect}{sandbox}; \
         manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-src {frame}; \
         frame-ancestors 'none'; object-src 'none'; worker-src 'none'"
    );
    let trusted = "require-trusted-types-for 'script'; trusted-types default";
    if stripe {
        vec![
            ("content-security-policy", policy),
            ("content-security-policy-report-only", trusted.to_owned()),
        ]
    } else {
        vec![("content-security-policy", format!("{policy}; {trusted}"))]
    }
}
