//! Untrusted bytes into typed arguments: bodies, queries, the request id, the client's address, the idempotency key.
//! Handlers start with settled facts.

mod body;
mod proof;
mod query;

use std::future::{Ready, ready};
use std::net::IpAddr;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use bipe_core::config::Network;
use bipe_core::error::{Error, FieldCode};

use crate::error::ApiError;

pub const IDEMPOTENCY_KEY_LIMIT: usize = 255;

pub use body::{Body, read_all};
pub use proof::{
    Admin, AdminBody, Caller, DeleteCompany, EditCompany, LeaveCompany, ManageMembers,
    ManagePayments, ManageSubscription, Needs, ReadCompany, ReadPayments, ReadSubscription, Scope,
    SignedIn, prove_company,
};
pub use query::{Paging, Query, one_of};

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
