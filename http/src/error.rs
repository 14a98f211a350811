//! The only table of statuses: `core::Error` → status, envelope, `Retry-After`.
//!
//! The middleware adds the request id to the body (`ResponseFinish` of `middleware.rs`), because an error does not know
//! its request. Internal errors answer 500 without their cause; the middleware logs it, for the same reason.

use std::time::Duration;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use bipe_core::db::WithAge;
use bipe_core::error::{Detail, Error, FieldErrors};
use bipe_core::{Code, error_pt_br};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

pub type Reply = Result<HttpResponse, ApiError>;

#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error(transparent)]
    Core(#[from] Error),
    /// 400: the body is not JSON, or not a request at all.
    #[error("malformed request")]
    Malformed,
    /// 408: the body did not arrive in time.
    #[error("request body timed out")]
    TooSlow,
    /// 413.
    #[error("request body too large")]
    TooLarge,
    /// 415.
    #[error("body is not application/json, or compressed")]
    UnsupportedMediaType,
    /// 405; what the path takes, as the header `Allow` lists it.
    #[error("method not allowed")]
    MethodNotAllowed { allowed: String },
}

impl ApiError {
    fn code(&self) -> Code {
        match self {
            ApiError::Core(error) => error.code(),
            ApiError::MethodNotAllowed { .. } => Code::MethodNotAllowed,
            _ => Code::ValidationError,
        }
    }

    fn retry_after(&self) -> Option<u32> {
        match self {
            ApiError::Core(
                Error::TooMany { retry_after } | Error::Unavailable { retry_after, .. },
            ) => Some(*retry_after),
            _ => None,
        }
    }

    /// The `error` of the envelope; `ResponseFinish` of `middleware.rs` adds `requestId`.
    pub fn body(&self) -> Map<String, Value> {
        let code = self.code();
        let message = error_pt_br::message(code, self.retry_after());
        let mut body = Map::new();
        body.insert("code".into(), json!(code));
        body.insert("message".into(), json!(message));
        if let Some(fields) = self.fields() {
            body.insert("fields".into(), fields);
        }
        body
    }

    fn fields(&self) -> Option<Value> {
        match self {
            ApiError::Core(Error::Invalid(FieldErrors(fields))) => Some(json!(fields)),
            ApiError::Core(Error::PaymentRequired { expected }) => {
                Some(json!({"expected": expected}))
            }
            ApiError::Core(Error::Conflict(_, detail)) => match detail {
                Detail::None => None,
                Detail::PaymentId(id) => Some(json!({"paymentId": id})),
                Detail::Expected(expected) => Some(json!({"expected": expected})),
                Detail::Company { id, name } => Some(json!({"companyId": id, "companyName": name})),
            },
            _ => None,
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            ApiError::Malformed => StatusCode::BAD_REQUEST,
            ApiError::TooSlow => StatusCode::REQUEST_TIMEOUT,
            ApiError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ApiError::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::Core(error) => match error {
                Error::NotFound(_) => StatusCode::NOT_FOUND,
                Error::Invalid(_) | Error::Unprocessable(_) => StatusCode::UNPROCESSABLE_ENTITY,
                Error::Rejected(_) => StatusCode::BAD_REQUEST,
                Error::Conflict(..) => StatusCode::CONFLICT,
                Error::Denied(_) => StatusCode::FORBIDDEN,
                Error::SignInRequired(_) => StatusCode::UNAUTHORIZED,
                Error::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
                Error::PaymentRequired { .. } => StatusCode::PAYMENT_REQUIRED,
                Error::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
                Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
            },
        }
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        if let Some(seconds) = self.retry_after() {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        if let ApiError::MethodNotAllowed { allowed } = self {
            response.insert_header((header::ALLOW, allowed.as_str()));
        }
        if self.status_code() == StatusCode::UNAUTHORIZED {
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        let body = self.body();
        let mut response = response.json(envelope(&body));
        response.extensions_mut().insert(ErrorBody(body));
        if let ApiError::Core(Error::Internal(cause)) = self {
            response.extensions_mut().insert(Cause(cause.to_string()));
        }
        response
    }
}

/// What every refusal answers.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a schema: `envelope` makes the JSON")]
pub struct ErrorEnvelope {
    success: bool,
    error: ErrorDetail,
}

#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "a schema: `envelope` makes the JSON")]
pub struct ErrorDetail {
    code: Code,
    /// A sentence in Portuguese.
    message: String,
    /// Field name → field code. A fact beside the code: `expected` is an integer in minor units; `paymentId`,
    /// `companyId` and `companyName` are texts.
    #[schema(nullable = false, value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    fields: Option<()>,
    request_id: String,
}

/// `{"success":false,"error":…}`.
pub fn envelope(error: &Map<String, Value>) -> Value {
    json!({"success": false, "error": error})
}

/// Left in the response for `ResponseFinish` of `middleware.rs`.
pub struct ErrorBody(pub Map<String, Value>);

/// Why an answer is a 500. Left in the response for the log of `middleware.rs`.
pub struct Cause(pub String);

/// `{"success":true,"data":…}` with 200.
pub fn ok(data: impl serde::Serialize) -> HttpResponse {
    HttpResponse::Ok().json(Answer::of(data))
}

/// The header of answers that a replica gave: the age of their data in seconds. Told to the nearest second.
const DATA_AGE: header::HeaderName = header::HeaderName::from_static("x-data-age");

/// As [`ok`], with the age of the data, if a replica answered.
pub fn ok_aged<T: serde::Serialize>(WithAge { value, age }: WithAge<T>) -> HttpResponse {
    with_age(ok(value), age)
}

/// Tells how old the data of an answer is, if a replica gave it.
pub fn with_age(mut response: HttpResponse, age: Option<Duration>) -> HttpResponse {
    if let Some(age) = age {
        let seconds = (age + Duration::from_millis(500)).as_secs();
        response.headers_mut().insert(DATA_AGE, seconds.into());
    }
    response
}

/// As [`ok`], with 201.
pub fn created(data: impl serde::Serialize) -> HttpResponse {
    HttpResponse::Created().json(Answer::of(data))
}

/// As [`ok`], with 202: the result comes later.
pub fn accepted(data: impl serde::Serialize) -> HttpResponse {
    HttpResponse::Accepted().json(Answer::of(data))
}

/// 204.
pub fn no_content() -> HttpResponse {
    HttpResponse::NoContent().finish()
}

/// The envelope of every success.
#[derive(serde::Serialize, ToSchema)]
pub struct Answer<T> {
    success: bool,
    data: T,
}

impl<T> Answer<T> {
    pub fn of(data: T) -> Self {
        Self { success: true, data }
    }
}
