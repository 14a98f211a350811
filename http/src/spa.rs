//! The web app, embedded in the binary. Hashed assets are cached for ever. Its two pages are never cached, and each
//! answer carries a new nonce in its content security policy (docs/security.md, "Headers and content policy").
//! `landing.html` is the page at `/`; its markup is written by the build. `index.html` is the app at every other path.

use actix_web::http::header::{self, ETag, EntityTag, HeaderValue, IfNoneMatch};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bipe_core::Error;
use bipe_core::config::Config;
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::error::{ApiError, Reply};
use crate::file_body::{file_body, unpacked_body};
use crate::{App, request_guard};

#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Dist;

/// Where Vite left room for the nonce.
const NONCE_PLACE: &str = "__CSP_NONCE__";
/// The tags of both pages that need an absolute address, for previews of shared links.
const ADDRESS_PLACE: &str = "__PUBLIC_URL__";
const LANDING: &str = "landing.html";
const APP: &str = "index.html";
/// The pages of the app, as its router writes them (`web/test/pages.test.ts` compares both).
const PAGES: &str = include_str!("pages.txt");
/// Text of the style elements that sonner and input-otp insert (`web/test/csp.test.ts` recomputes them).
const STYLE_HASHES: &str = include_str!("style-hashes.txt");
/// The style element that swagger-ui 5.32.6 inserts. Another version names its own in the browser's console.
const DOCUMENTATION_STYLE: &str = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";
const NOT_BUILT: &str = "The web app is not built: run `make build`, or `make dev` for hot reload.";

/// The methods of a page or a file.
const READS: &str = "GET, HEAD";

/// Answers every path without a route: 404 for a call, a file of the build, or the app, which shows the right page. Where
/// it has none, the status says so to whoever runs no scripts: search engines, scanners, password managers.
pub async fn serve(request: HttpRequest, app: web::Data<App>) -> Reply {
    if request_guard::is_call(request.path()) {
        return Err(Error::not_found().into());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(ApiError::MethodNotAllowed { allowed: READS.to_owned() });
    }
    let path = request.path().trim_start_matches('/');
    if path.is_empty() {
        return Ok(page(&app, LANDING, StatusCode::OK));
    }
    let is_template = path == LANDING || path == APP;
    Ok(match file(&request, path).filter(|_| !is_template) {
        Some((file, form)) => asset(&request, path, file, form),
        // Another node may have it, or this one after its upgrade: no cache on the way may keep that it is missing.
        None if path.starts_with("assets/") => {
            HttpResponse::NotFound().insert_header((header::CACHE_CONTROL, "no-store")).finish()
        }
        None if is_page(request.path()) => page(&app, APP, StatusCode::OK),
        None => page(&app, APP, StatusCode::NOT_FOUND),
    })
}

/// As the app's router reads a path: capitals are small letters, and slashes at the end do not count.
fn is_page(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    PAGES.lines().any(|page| match page.split_once("/:") {
        Some((list, _id)) => {
            path.rsplit_once('/').is_some_and(|(before, _)| before.eq_ignore_ascii_case(list))
        }
        None => path.eq_ignore_ascii_case(page),
    })
}

/// How a file of the build is sent.
#[derive(Clone, Copy)]
enum Form {
    AsItIs,
    /// With its `Content-Encoding`.
    Compressed(&'static str),
    Unpacked,
}

/// The build keeps the compressed forms of a text file alone. The best one that the browser takes is sent. For a client
/// that takes neither, the file is unpacked.
fn file(request: &HttpRequest, path: &str) -> Option<(EmbeddedFile, Form)> {
    if let Some(file) = Dist::get(path) {
        return Some((file, Form::AsItIs));
    }
    let accepted = request.headers().get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let names = accepted.split(',').filter(|part| !part.replace(' ', "").ends_with(";q=0"));
    let takes =
        |name: &str| names.clone().any(|part| part.split(';').next().map(str::trim) == Some(name));
    let best = [("br", ".br"), ("gzip", ".gz")].into_iter().find(|(name, _)| takes(name));
    let (form, suffix) =
        best.map_or((Form::Unpacked, ".gz"), |(name, suffix)| (Form::Compressed(name), suffix));
    Some((Dist::get(&format!("{path}{suffix}"))?, form))
}

fn asset(request: &HttpRequest, path: &str, file: EmbeddedFile, form: Form) -> HttpResponse {
    let hash = STANDARD.encode(file.metadata.sha256_hash());
    let tag = EntityTag::new_strong(match form {
        Form::AsItIs | Form::Compressed(_) => hash,
        Form::Unpacked => format!("{hash}-unpacked"),
    });
    let cache = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    // A proxy that compresses on the way makes the tag weak.
    let is_known = match request.get_header::<IfNoneMatch>() {
        Some(IfNoneMatch::Any) => true,
        Some(IfNoneMatch::Items(tags)) => tags.iter().any(|known| known.weak_eq(&tag)),
        None => false,
    };
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header(ETag(tag)).insert_header((header::CACHE_CONTROL, cache));
    response.insert_header((header::VARY, "accept-encoding"));
    if is_known {
        return response.finish();
    }
    if let Form::Compressed(encoding) = form {
        response.insert_header((header::CONTENT_ENCODING, encoding));
    }
    response.content_type(mime_guess::from_path(path).first_or_octet_stream());
    response.body(match form {
        Form::AsItIs | Form::Compressed(_) => file_body(file.data),
        Form::Unpacked => unpacked_body(file.data),
    })
}

fn page(app: &App, name: &str, status: StatusCode) -> HttpResponse {
    let Some(file) = Dist::get(name) else {
        return HttpResponse::ServiceUnavailable()
            .content_type("text/plain; charset=utf-8")
            .body(NOT_BUILT);
    };
    let nonce = STANDARD.encode(app.clock.bytes::<16>());
    let page = String::from_utf8_lossy(&file.data)
        .replace(NONCE_PLACE, &nonce)
        .replace(ADDRESS_PLACE, &app.config.public_url());
    let mut response = HttpResponse::build(status);
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    for (name, policy) in policies(&app.config, &nonce) {
        if let Ok(value) = HeaderValue::from_str(&policy) {
            response.insert_header((name, value));
        }
    }
    response.content_type("text/html; charset=utf-8").body(page)
}

/// With real Stripe keys Trusted Types only report, until they are proved against the real Stripe.js.
fn policies(config: &Config, nonce: &str) -> Vec<(&'static str, String)> {
    let hashes = STYLE_HASHES.split_whitespace().collect::<Vec<_>>().join(" ");
    let policy = policy(config, &format!("'self' 'nonce-{nonce}' {hashes}"));
    let trusted = "require-trusted-types-for 'script'; trusted-types default";
    if config.is_sandbox() {
        vec![("content-security-policy", format!("{policy}; {trusted}"))]
    } else {
        vec![
            ("content-security-policy", policy),
            ("content-security-policy-report-only", trusted.to_owned()),
        ]
    }
}

/// The policy of the site without Trusted Types: swagger-ui writes HTML without a Trusted Types policy.
pub fn policy_of_documentation(app: &App) -> String {
    policy(&app.config, &format!("'self' {DOCUMENTATION_STYLE}"))
}

fn policy(config: &Config, styles: &str) -> String {
    let (script, frame, connect) = if config.is_sandbox() {
        ("", "'none'", "")
    } else {
        (
            " https://js.stripe.com https://*.js.stripe.com",
            "https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
            " https://api.stripe.com",
        )
    };
    let live = config.public_url().replacen("http", "ws", 1);
    let sandbox = match (&config.stripe_api_base, config.is_sandbox()) {
        (Some(base), true) => format!(" {}", base.trim_end_matches('/')),
        _ => String::new(),
    };
    format!(
        "default-src 'none'; script-src 'self'{script}; style-src {styles}; \
         img-src 'self' data:; font-src 'self'; connect-src 'self' {live}{connect}{sandbox}; \
         manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-src {frame}; \
         frame-ancestors 'none'; object-src 'none'; worker-src 'none'"
    )
}

#[cfg(test)]
mod tests {
    use bipe_core::testing::config;

    use super::*;

    /// What a header of the page says, part by part.
    fn parts(flags: &[&str], header: &str) -> Vec<String> {
        let policies = policies(&config(flags), "N");
        let found = policies.into_iter().find(|(name, _)| *name == header);
        let text = found.map(|(_, policy)| policy).unwrap_or_default();
        text.split("; ").map(str::to_owned).collect()
    }

    #[test]
    fn real_keys_let_stripe_in_and_nobody_else() {
        const POLICY: &str = "content-security-policy";
        let real = &["--stripe-secret-key", "sk_live_1", "--public-url", "https://bipe.example"];
        let without_keys = parts(&["--public-url", "https://bipe.example"], POLICY);
        let with_keys = parts(real, POLICY);
        let added: Vec<&String> =
            with_keys.iter().filter(|part| !without_keys.contains(part)).collect();
        assert_eq!(
            added,
            [
                "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
                "connect-src 'self' wss://bipe.example https://api.stripe.com",
                "frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
            ]
        );
        let trusted = ["require-trusted-types-for 'script'", "trusted-types default"];
        assert_eq!(parts(real, "content-security-policy-report-only"), trusted);
        assert!(without_keys.ends_with(&trusted.map(str::to_owned)));
        assert_eq!(with_keys.len() + trusted.len(), without_keys.len());
    }

    #[test]
    fn a_sandbox_elsewhere_is_called_by_the_page() {
        let base = ["--stripe-api-base", "http://127.0.0.1:8090/"];
        let calls = "connect-src 'self' ws://127.0.0.1:8080 http://127.0.0.1:8090".to_owned();
        assert!(parts(&base, "content-security-policy").contains(&calls));
    }

    #[test]
    fn a_page_is_what_the_router_of_the_app_takes_for_one() {
        for page in ["/signin", "/Signin", "/admin", "/admin/users/", "/payments", "/payments/7"] {
            assert!(is_page(page), "{page}");
        }
        for other in ["/", "/nao/existe", "/invoices/7/x", "/admin/nothing", "/wp-login.php", "/x/"]
        {
            assert!(!is_page(other), "{other}");
        }
    }
}
