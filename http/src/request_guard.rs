//! Refuses requests before they reach the router: paths that hide plain characters behind percent codes, NUL, and the
//! development surface under a foreign host name. `middleware.rs` calls it for every request.
//!
//! Invariant: after it, a path as text is the path that the router reads, so code may compare paths as text.

use actix_web::HttpRequest;
use actix_web::http::Uri;
use actix_web::http::header::HOST;
use actix_web::http::uri::Authority;
use bipe_core::Error;
use bipe_core::config::{Config, is_own_name};

use crate::error::ApiError;

/// Paths that begin with these hold calls only: a path without a route is 404, not a page of the web app.
const CALLS: [&str; 3] = ["api", "dev", "sandbox"];

/// The first word of a path: `api` of `/api/config`.
fn first_word(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// Not a page of the web app.
pub fn is_call(path: &str) -> bool {
    CALLS.contains(&first_word(path))
}

/// A call of the contract.
pub fn is_api(path: &str) -> bool {
    first_word(path) == "api"
}

/// # Errors
/// 404 for a path, 400 for a query.
pub fn check(request: &HttpRequest, config: &Config) -> Result<(), ApiError> {
    let path = request.path();
    if hides_characters(path) || (is_for_developers(path) && !has_own_name(request, config)) {
        return Err(Error::not_found().into());
    }
    // actix-http ends the connection on a raw NUL; headers are never percent-decoded.
    if encoded_bytes(request.query_string()).any(|byte| byte == 0) {
        return Err(ApiError::Malformed);
    }
    Ok(())
}

/// Whether a path percent-encodes a character that needs no encoding (RFC 3986, section 2.3), or NUL, which PostgreSQL
/// cannot store.
fn hides_characters(path: &str) -> bool {
    let needs_none = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    encoded_bytes(path).any(|byte| byte == 0 || needs_none(byte))
}

/// The bytes that are percent-encoded.
fn encoded_bytes(text: &str) -> impl Iterator<Item = u8> {
    text.split('%').skip(1).filter_map(|rest| u8::from_str_radix(rest.get(..2)?, 16).ok())
}

fn is_for_developers(path: &str) -> bool {
    is_call(path) && !is_api(path)
}

/// Whether the request names this server as its people do.
fn has_own_name(request: &HttpRequest, config: &Config) -> bool {
    let header = || request.headers().get(HOST)?.to_str().ok()?.parse::<Authority>().ok();
    let Some(named) = request.uri().authority().cloned().or_else(header) else { return false };
    let public = config.public_url().parse::<Uri>().ok();
    let is_public = |own: &str| own.eq_ignore_ascii_case(named.host());
    public.as_ref().and_then(Uri::host).is_some_and(is_public)
        || is_own_name(named.host(), config.bind.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_writes_plain_characters_plainly() {
        for hidden in ["/%61pi/config", "/api/%00", "/api/a%2Db", "/api/%2e%2E/x", "/api/%7E"] {
            assert!(hides_characters(hidden), "{hidden}");
        }
        for plain in ["/api/config", "/api/a%20b", "/api/%C3%A9", "/api/%2Fx", "/api/100%", "/%zz"]
        {
            assert!(!hides_characters(plain), "{plain}");
        }
    }

    #[test]
    fn a_page_that_begins_like_a_call_is_a_page() {
        assert!(is_api("/api") && is_api("/api/config") && is_api("//api/config"));
        assert!(!is_api("/apis") && !is_call("/plans") && is_call("/dev/mailbox"));
    }
}
