//! Carries the requests that async-stripe builds to the provider, and its answers back. Called by `stripe` alone.
//!
//! async-stripe's own client opens a connection for every call; this one keeps them for a moment, because the calls of
//! a payment follow each other.
//!
//! Invariant: a call is sent once, under the key that it brings. Only a request that never left a kept connection,
//! because the provider had closed it, takes another one.

use std::fmt::Display;
use std::future::pending;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue, USER_AGENT,
};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use miniserde::json;
use stripe::CustomizedStripeRequest;
use stripe_client_core::{RequestBuilder, StripeClient, StripeClientErr, StripeMethod, VERSION};
use tokio::time::timeout;

use super::wire::{WireError, WireFailure};
use crate::error::{Error, Result, with_causes};
use crate::https::{self, HttpsClient};

/// How long one try of a call may take.
const TRY: Duration = Duration::from_secs(10);
/// How long it may wait for its connection: for the name, TCP and TLS together. Two such waits fit into both tries.
const CONNECT: Duration = Duration::from_secs(4);
const STRIPE: &str = "https://api.stripe.com/";
const FORM: &str = "application/x-www-form-urlencoded";
/// Connections without a call that are kept. More calls at once open more.
const MAX_IDLE_CONNECTIONS: usize = 32;
/// Bytes of an answer that are read: far more than a page of a hundred events.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

pub struct Transport {
    client: HttpsClient<Full<Bytes>>,
    /// Ends in a slash.
    base: String,
    headers: HeaderMap,
}

/// Why a call brought no object.
pub enum CallError {
    /// The provider answered with an error.
    Answered(Box<WireError>, StatusCode),
    /// What was answered cannot be read for certain, or is a proxy's.
    Unreadable,
    /// No connection, so nothing was sent; why.
    NotConnected(String),
    /// Sent, perhaps, and not answered in time.
    NotAnswered,
    /// Address, key or header cannot be used.
    NotMade(String),
}

impl StripeClientErr for CallError {
    fn deserialize_err(_: impl Display) -> Self {
        Self::Unreadable
    }
}

impl Transport {
    /// # Errors
    /// `Internal` for an address or a key that cannot be used, and when TLS cannot be set up.
    pub fn new(key: &str, base: Option<String>) -> Result<Self> {
        let base = base.unwrap_or_else(|| STRIPE.to_owned());
        Uri::try_from(&base).map_err(Error::internal)?;
        let headers = headers(key).map_err(Error::internal)?;
        // The addresses of a name share it: a dead one leaves time for the next.
        let client = https::client(https::tls(https::roots())?, CONNECT, MAX_IDLE_CONNECTIONS);
        Ok(Self { client, base, headers })
    }

    fn request(&self, call: CustomizedStripeRequest) -> Result<Request<Full<Bytes>>, CallError> {
        let (RequestBuilder { method, path, query, body }, options) = call.into_pieces();
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let mut request = Request::new(Full::default());
        *request.method_mut() = match method {
            StripeMethod::Get => Method::GET,
            StripeMethod::Post => Method::POST,
            StripeMethod::Delete => Method::DELETE,
        };
        *request.uri_mut() =
            Uri::try_from(format!("{}v1{path}{query}", self.base)).map_err(unusable)?;
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        if let Some(key) = options.request_strategy.and_then(|strategy| strategy.get_key()) {
            let key = HeaderValue::from_str(key.as_str()).map_err(unusable)?;
            headers.insert(HeaderName::from_static("idempotency-key"), key);
        }
        if let Some(body) = body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(FORM));
            *request.body_mut() = Full::from(body);
        }
        Ok(request)
    }
}

impl StripeClient for Transport {
    type Err = CallError;

    async fn execute(&self, call: CustomizedStripeRequest) -> Result<Bytes, CallError> {
        let mut request = self.request(call)?;
        let connection = capture_connection(&mut request);
        let exchange = async {
            let answer = self.client.request(request).await.map_err(failed)?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect().await;
            Ok::<_, CallError>((status, body.map_err(|_| CallError::NotAnswered)?.to_bytes()))
        };
        let (status, body) = tokio::select! {
            biased;
            answered = timeout(TRY, exchange) => answered.map_err(|_| CallError::NotAnswered)??,
            () = no_connection(connection) => {
                let seconds = CONNECT.as_secs();
                return Err(CallError::NotConnected(format!("no connection within {seconds} s")));
            }
        };
        if status.is_success() {
            return Ok(body);
        }
        let text = std::str::from_utf8(&body).map_err(|_| CallError::Unreadable)?;
        let WireFailure { error } = json::from_str(text).map_err(|_| CallError::Unreadable)?;
        if !error.is_readable() {
            return Err(CallError::Unreadable);
        }
        Err(CallError::Answered(Box::new(error), status))
    }
}

fn headers(key: &str) -> Result<HeaderMap, InvalidHeaderValue> {
    let mut authorization = HeaderValue::try_from(format!("Bearer {key}"))?;
    authorization.set_sensitive(true);
    Ok(HeaderMap::from_iter([
        (AUTHORIZATION, authorization),
        (USER_AGENT, HeaderValue::from_static("Bipe")),
        (HeaderName::from_static("stripe-version"), HeaderValue::from_str(VERSION.as_str())?),
    ]))
}

fn unusable(error: impl Display) -> CallError {
    CallError::NotMade(error.to_string())
}

/// Ends when a call has waited for its connection for too long, and never once it has one.
async fn no_connection(mut connection: CaptureConnection) {
    let is_there = timeout(CONNECT, connection.wait_for_connection_metadata()).await.is_ok();
    if is_there {
        pending().await
    }
}

fn failed(error: legacy::Error) -> CallError {
    if error.is_connect() {
        CallError::NotConnected(with_causes(&error))
    } else {
        CallError::NotAnswered
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::super::wire::WireCustomer;
    use super::*;
    use crate::testing::HttpPeer;

    async fn ask(base: String) -> Result<WireCustomer, CallError> {
        let transport = Transport::new("sk", Some(base)).unwrap();
        let request = RequestBuilder::new(StripeMethod::Get, "/customers/cus_1");
        request.customize::<WireCustomer>().send(&transport).await
    }

    #[tokio::test]
    async fn an_error_of_a_proxy_or_about_a_nameless_payment_is_no_answer() {
        for (body, is_answer) in [
            (r#"{"error": {"type": "invalid_request_error", "code": "resource_missing"}}"#, true),
            (r#"{"error": {"type": "a_new_one", "payment_intent": null}}"#, true),
            (r#"{"error": {"type": "card_error", "payment_intent": {"id": "pi_1"}}}"#, true),
            (r#"{"error": {"type": "card_error", "payment_intent": {"id": 1}}}"#, false),
            (r#"{"error": {"message": "blocked"}}"#, false),
            (r#"{"error": "blocked"}"#, false),
            ("<html>", false),
        ] {
            let head = "HTTP/1.1 404 Not Found\r\nConnection: close";
            let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let peer = HttpPeer::answering(answer).await;
            let asked = ask(format!("http://{}/", peer.address)).await;
            assert_eq!(matches!(asked, Err(CallError::Answered(..))), is_answer, "{body}");
            assert_eq!(matches!(asked, Err(CallError::Unreadable)), !is_answer, "{body}");
            assert_eq!(peer.request_lines(), ["GET /v1/customers/cus_1 HTTP/1.1"]);
        }
    }

    #[tokio::test]
    async fn a_network_that_swallows_the_handshake_has_carried_nothing() {
        let peer = HttpPeer::answering("").await;
        let asked = ask(format!("https://{}/", peer.address)).await;
        assert!(matches!(asked, Err(CallError::NotConnected(_))));
    }

    #[tokio::test]
    async fn why_nobody_can_be_reached_is_told() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let asked = ask(format!("http://{closed}/")).await;
        let Err(CallError::NotConnected(reason)) = asked else { panic!("somebody is there") };
        assert!(reason.contains("refused"), "{reason}");
    }
}
