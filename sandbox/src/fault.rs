//! Stripe's error object and the status it travels with.
//!
//! A fault also knows whether the endpoint had begun its work: only then the answer is kept under the
//! request's idempotency key (https://docs.stripe.com/api/idempotent_requests).

use serde_json::{Map, Value, json};

/// An answer that is not a success.
#[derive(Clone, Debug)]
pub struct Fault {
    status: u16,
    kept: bool,
    body: Map<String, Value>,
}

impl Fault {
    fn new(status: u16, kind: &str, message: impl Into<String>) -> Self {
        let mut body = Map::new();
        body.insert("type".to_owned(), json!(kind));
        body.insert("message".to_owned(), json!(message.into()));
        Self { status, kept: false, body }
    }

    /// 400: the request as such is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", message)
    }

    /// 400: one parameter is wrong.
    pub fn param(name: &str, message: impl Into<String>) -> Self {
        Self::invalid(message).with("param", json!(name))
    }

    pub fn missing(name: &str) -> Self {
        Self::param(name, format!("Missing required param: {name}.")).coded("parameter_missing")
    }

    /// 404: the object of the path does not exist.
    pub fn no_such(noun: &str, id: &str) -> Self {
        let shown: String = id.chars().take(100).filter(|c| !c.is_control()).collect();
        let param = if noun == "payment_intent" { "intent" } else { "id" };
        Self::new(404, "invalid_request_error", format!("No such {noun}: '{shown}'"))
            .with("param", json!(param))
            .coded("resource_missing")
    }

    /// 400: the object that does not exist is named by a parameter.
    pub fn named_by(mut self, param: &str) -> Self {
        self.status = 400;
        self.with("param", json!(param))
    }

    /// 400: the object is in a state that forbids this; the endpoint had begun.
    pub fn state(code: &str, message: impl Into<String>) -> Self {
        Self::invalid(message).coded(code).begun()
    }

    /// 402: the card, or the payer, is at fault.
    pub fn card(code: &str, message: impl Into<String>) -> Self {
        Self::new(402, "card_error", message).coded(code).begun()
    }

    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(401, "invalid_request_error", message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(404, "invalid_request_error", message)
    }

    /// 413: more than a sandbox form may hold.
    pub fn too_large() -> Self {
        Self::new(413, "invalid_request_error", "The request body is larger than 64 KiB.")
    }

    /// The key was used for another request (400).
    pub fn idempotency(message: impl Into<String>) -> Self {
        Self::new(400, "idempotency_error", message)
    }

    /// The first request of this key is still running (409).
    pub fn key_in_use(key: &str) -> Self {
        let message = format!(
            "There is currently another in-progress request using this idempotent key (that probably \
             means you submitted twice, and the other request is still going through): {key}. Please \
             try again later."
        );
        Self::new(409, "idempotency_error", message).coded("idempotency_key_in_use")
    }

    /// An answer that a test injects, or the provider's own failure.
    pub fn outage(status: u16) -> Self {
        let (kind, code) = match status {
            429 => ("invalid_request_error", Some("rate_limit")),
            409 => ("invalid_request_error", Some("lock_timeout")),
            400..=499 => ("invalid_request_error", None),
            _ => ("api_error", None),
        };
        let fault = Self::new(status, kind, "The sandbox was told to fail this request.");
        match code {
            Some(code) => fault.coded(code),
            None => fault,
        }
    }

    /// The journal cannot be written: nothing is answered that a restart would forget.
    pub fn broken() -> Self {
        Self::new(500, "api_error", "The sandbox cannot write its journal.")
    }

    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.body.insert(name.to_owned(), value);
        self
    }

    /// Changes one field, where it is there.
    pub fn reshape(mut self, name: &str, change: impl FnOnce(Value) -> Value) -> Self {
        if let Some(field) = self.body.remove(name) {
            self.body.insert(name.to_owned(), change(field));
        }
        self
    }

    pub fn coded(self, code: &str) -> Self {
        let doc = format!("https://stripe.com/docs/error-codes/{}", code.replace('_', "-"));
        self.with("code", json!(code)).with("doc_url", json!(doc))
    }

    /// Marks that the endpoint had begun, so that a repeat of the key gets this very answer.
    pub fn begun(mut self) -> Self {
        self.kept = true;
        self
    }

    /// Marks that validation failed: the answer is not kept.
    pub fn before_work(mut self) -> Self {
        self.kept = false;
        self
    }

    /// Names the entry of the provider's own log.
    pub fn logged(self, request: &str) -> Self {
        let url = format!("https://dashboard.stripe.com/test/logs/{request}");
        self.with("request_log_url", json!(url))
    }

    pub fn status(&self) -> u16 {
        self.status
    }

    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// The error without its envelope, as `last_payment_error` shows it.
    pub fn object(&self) -> Value {
        Value::Object(self.body.clone())
    }

    pub fn envelope(&self) -> Value {
        json!({ "error": self.body })
    }
}
