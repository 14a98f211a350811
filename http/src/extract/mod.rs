//! Turns untrusted bytes into typed arguments of handlers: bodies, queries, proofs of session and permission, the
//! caller, the client's address, the idempotency key.

mod body;
mod client_ip;
mod proof;
mod query;

use std::cell::Cell;
use std::future::{Ready, ready};
use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::header::{self, HeaderMap};
use actix_web::{FromRequest, HttpRequest};
use bipe_core::error::{Error, FieldCode};

use crate::error::ApiError;

pub use bipe_core::scope::needs::{
    DeleteCompany, EditCompany, LeaveCompany, ManageMembers, ManagePayments, ManageSubscription,
    Needs, ReadAudit, ReadCompany, ReadPayments, ReadSubscription,
};
pub use body::{Body, read_of_anybody};
pub use client_ip::{ClientIp, TrustedProxies};
pub use proof::{Admin, AdminBody, Caller, Scope, ScopedBody, Sender, SignedIn, prove_company};
pub use query::{Paging, Query, filter, number, one_of, optional_id};

pub const IDEMPOTENCY_KEY_LIMIT: usize = 255;

/// The request id: the client's own when it is at most 64 visible ASCII characters, else a new one. The middleware
/// leaves it with the request; handlers find it in [`Caller`].
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// Whether the call counts against a person: the middleware leaves one mark with the request, and the proof of a living
/// session sets it.
#[derive(Clone, Debug, Default)]
pub struct LimitMark(Rc<Cell<bool>>);

impl LimitMark {
    fn prove(&self) {
        self.0.set(true);
    }

    pub fn is_proven(&self) -> bool {
        self.0.get()
    }
}

/// The token of `Authorization: Bearer`; the case of the word does not matter.
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
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
        let key = key.map(|key| IdempotencyKey(Some(key.to_owned())));
        ready(key.ok_or_else(|| Error::invalid("Idempotency-Key", FieldCode::Invalid).into()))
    }
}
