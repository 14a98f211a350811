//! Untrusted bytes into typed arguments: bodies with a bound in size, time and depth, the request id, the
//! client's address, the idempotency key. Handlers start with settled facts.

mod paging;
mod proof;

use std::future::{Ready, ready};
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use bipe_core::config::Network;
use bipe_core::error::{Error, FieldCode, FieldErrors};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

pub const JSON_LIMIT: usize = 64 * 1024;
const BODY_DEADLINE: Duration = Duration::from_secs(10);
const MAX_DEPTH: usize = 32;
const IDEMPOTENCY_KEY_LIMIT: usize = 255;

pub use paging::Paging;
pub use proof::{
    Admin, AdminBody, Caller, DeleteCompany, EditCompany, LeaveCompany, ManageMembers,
    ManagePayments, ManageSubscription, Needs, ReadCompany, ReadPayments, ReadSubscription, Scope,
    SignedIn, prove_company,
};

/// A JSON body.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
        let is_json = content_type.is_some_and(|text| {
            let kind = text.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/json")
        });
        let payload = payload.take();
        Box::pin(async move {
            if !is_json {
                return Err(ApiError::UnsupportedMediaType);
            }
            let bytes = read_all(payload, JSON_LIMIT).await?;
            parse(&bytes).map(Body)
        })
    }
}

/// Reads a body of at most `limit` bytes within ten seconds.
///
/// # Errors
/// 413, 408, or 400 when the connection breaks.
pub async fn read_all(mut payload: Payload, limit: usize) -> Result<web::Bytes, ApiError> {
    let read = async {
        let mut bytes = web::BytesMut::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_broken| ApiError::Malformed)?;
            if bytes.len() + chunk.len() > limit {
                return Err(ApiError::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    };
    tokio::time::timeout(BODY_DEADLINE, read).await.map_err(|_late| ApiError::TooSlow)?
}

/// 400 for what is not JSON, 422 with the field for JSON of another shape.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if depth(bytes) > MAX_DEPTH {
        return Err(ApiError::Malformed);
    }
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Error::Invalid(fields_of(&error.to_string())).into(),
        _ => ApiError::Malformed,
    })
}

/// serde names the field between backticks: "missing field `planId`", "unknown field `amout`, expected …".
fn fields_of(message: &str) -> FieldErrors {
    let name = message.split('`').nth(1);
    let code =
        if message.starts_with("missing field") { FieldCode::Required } else { FieldCode::Invalid };
    match name {
        Some(name) if message.contains("field `") => FieldErrors::one(name.to_owned(), code),
        _ => FieldErrors::default(),
    }
}

/// How deep arrays and objects are nested; text is skipped.
fn depth(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in bytes {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, b'"') => in_text = false,
            (true, _) => {}
            (false, b'"') => in_text = true,
            (false, b'[' | b'{') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (false, _) => {}
        }
    }
    deepest
}

/// The request id: the client's own when it is at most 64 visible ASCII characters, else a new one.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

impl FromRequest for RequestId {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let id = request.extensions().get::<RequestId>().cloned();
        ready(id.ok_or_else(|| Error::internal("the request has no id").into()))
    }
}

/// The `Idempotency-Key` header, if there is one.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(pub Option<String>);

impl FromRequest for IdempotencyKey {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(value) = request.headers().get("idempotency-key") else {
            return ready(Ok(IdempotencyKey(None)));
        };
        let key =
            value.to_str().ok().filter(|key| !key.is_empty() && key.len() <= IDEMPOTENCY_KEY_LIMIT);
        ready(match key {
            Some(key) => Ok(IdempotencyKey(Some(key.to_owned()))),
            None => Err(Error::invalid("Idempotency-Key", FieldCode::Invalid).into()),
        })
    }
}

/// The client's address: the peer, or the right-most untrusted `X-Forwarded-For` entry behind a trusted proxy.
#[derive(Clone, Copy, Debug)]
pub struct ClientIp(pub IpAddr);

/// The reverse proxies whose header counts; registered as app data.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<Network>);

impl ClientIp {
    pub fn of(request: &HttpRequest) -> Option<IpAddr> {
        let peer = request.peer_addr()?.ip();
        let trusted = request.app_data::<web::Data<TrustedProxies>>();
        let is_trusted = |ip: IpAddr| trusted.is_some_and(|t| t.0.iter().any(|n| n.contains(ip)));
        if !is_trusted(peer) {
            return Some(peer);
        }
        let entries = request.headers().get_all("x-forwarded-for").filter_map(|v| v.to_str().ok());
        let entries: Vec<IpAddr> =
            entries.flat_map(|v| v.split(',')).filter_map(|v| v.trim().parse().ok()).collect();
        Some(entries.into_iter().rev().find(|ip| !is_trusted(*ip)).unwrap_or(peer))
    }

    /// The key of a rate limit: IPv4 whole, IPv6 by its /64.
    pub fn network(self) -> String {
        match self.0 {
            IpAddr::V4(v4) => v4.to_string(),
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }

    /// What an audit row keeps: /24 or /48.
    pub fn truncated(self) -> String {
        match self.0 {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                format!("{a}.{b}.{c}.0/24")
            }
            IpAddr::V6(v6) => {
                let [a, b, c, ..] = v6.segments();
                format!("{a:x}:{b:x}:{c:x}::/48")
            }
        }
    }
}

impl FromRequest for ClientIp {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request).map(ClientIp).ok_or(ApiError::Malformed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_nesting_and_not_text() {
        assert_eq!(depth(br#"{"a":[{"b":"[[[\"{{"}]}"#), 3);
        assert_eq!(depth(&b"[".repeat(10_000)), 10_000);
    }

    #[test]
    fn serde_messages_become_fields() {
        let missing = fields_of("missing field `planId` at line 1 column 2");
        assert_eq!(missing, FieldErrors::one("planId", FieldCode::Required));
        let unknown = fields_of("unknown field `amout`, expected `amount`");
        assert_eq!(unknown, FieldErrors::one("amout", FieldCode::Invalid));
    }
}
