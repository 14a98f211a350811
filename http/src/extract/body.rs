//! Bodies with a bound in size, time and depth. A JSON body that does not have the wanted shape is refused with the
//! path of its field: `metadata.companyId`, `features[2]`. Queries use the same names (`query.rs`).

use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::{FromRequest, HttpRequest, web};
use bipe_core::error::{Error, FieldCode};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};
use tokio::sync::Semaphore;

use crate::error::ApiError;

const JSON_LIMIT: usize = 64 * 1024;
const BODY_DEADLINE: Duration = Duration::from_secs(10);
const MAX_DEPTH: usize = 32;
/// A body of anybody's that is longer takes a permit: it is held until its last byte has come.
const SHORT: usize = 16 * 1024;
static LONG_PERMITS: Semaphore = Semaphore::const_new(64);
/// A name that a client has made up is answered no further than this.
const NAME_LIMIT: usize = 200;

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
        let encoding = request.headers().get(CONTENT_ENCODING);
        let is_plain =
            encoding.is_none_or(|name| name.as_bytes().eq_ignore_ascii_case(b"identity"));
        let payload = payload.take();
        Box::pin(async move {
            if !is_json || !is_plain {
                return Err(ApiError::UnsupportedMediaType);
            }
            let bytes = read_all(payload, JSON_LIMIT, None).await?;
            parse(&bytes).map(Body)
        })
    }
}

/// Reads a body of a sender who is not known yet and whose calls are not counted: at most `limit` bytes within ten
/// seconds.
///
/// # Errors
/// 413, 408, 503 for one of too many long ones at once, or 400 when the connection breaks.
pub async fn read_of_anybody(payload: Payload, limit: usize) -> Result<web::Bytes, ApiError> {
    read_all(payload, limit, Some(&LONG_PERMITS)).await
}

async fn read_all(
    mut payload: Payload,
    limit: usize,
    long_permits: Option<&Semaphore>,
) -> Result<web::Bytes, ApiError> {
    let read = async {
        let (mut bytes, mut permit) = (web::BytesMut::new(), None);
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_broken| ApiError::Malformed)?;
            let length = bytes.len() + chunk.len();
            if length > limit {
                return Err(ApiError::TooLarge);
            }
            if let Some(permits) = long_permits
                && length > SHORT
                && permit.is_none()
            {
                permit = Some(permits.try_acquire().map_err(|_full| Error::unavailable(1))?);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    };
    tokio::time::timeout(BODY_DEADLINE, read).await.map_err(|_late| ApiError::TooSlow)?
}

/// 400 for what is no JSON object, 422 with the field for an object of another shape.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if depth(bytes) > MAX_DEPTH {
        return Err(ApiError::Malformed);
    }
    // Read twice: once typed, serde_json does not say for sure whether the syntax or the shape is at fault.
    let json: &RawValue = serde_json::from_slice(bytes).map_err(|_no_json| ApiError::Malformed)?;
    if !json.get().starts_with('{') {
        return Err(ApiError::Malformed);
    }
    let mut json = serde_json::Deserializer::from_str(json.get());
    let parsed = serde_path_to_error::deserialize(&mut json);
    parsed.map_err(|error| refusal(error.path(), &error.inner().to_string()))
}

/// 422 with the field at `path`, of which serde says `message`.
pub(super) fn refusal(path: &Path, message: &str) -> ApiError {
    let mut name = String::new();
    for segment in path {
        match segment {
            Segment::Map { key } if name.is_empty() => name.push_str(key),
            Segment::Map { key } => name.extend([".", key]),
            Segment::Seq { index } => name.push_str(&format!("[{index}]")),
            // The schema wants a word here, so there is no field below it to name.
            Segment::Enum { .. } | Segment::Unknown => break,
        }
    }
    // The path of these two ends at the object; serde names the field between backticks.
    let is_missing = message.starts_with("missing field `");
    if is_missing || message.starts_with("duplicate field `") {
        let dot = if name.is_empty() { "" } else { "." };
        name.extend([dot, message.split('`').nth(1).unwrap_or_default()]);
    }
    let is_absent = is_missing || message.starts_with("invalid type: null");
    let code = if is_absent { FieldCode::Required } else { FieldCode::Invalid };
    match name.char_indices().nth(NAME_LIMIT) {
        _ if name.is_empty() => return ApiError::Malformed,
        Some((end, _)) => name.truncate(end),
        None => {}
    }
    Error::invalid(name, code).into()
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

#[cfg(test)]
mod tests {
    use actix_http::BoxedPayloadStream;
    use actix_web::error::PayloadError;
    use bipe_core::error::FieldErrors;
    use futures_util::stream;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only what is refused matters")]
    struct Order {
        amount: i64,
        card_id: Option<String>,
        kind: Option<Kind>,
        metadata: Option<Inner>,
        features: Option<Vec<String>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        New,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only what is refused matters")]
    struct Inner {
        company_id: String,
    }

    #[test]
    fn depth_counts_nesting_and_not_text() {
        assert_eq!(depth(br#"{"a":[{"b":"[[[\"{{"}]}"#), 3);
        assert_eq!(depth(&b"[".repeat(10_000)), 10_000);
    }

    #[test]
    fn a_body_is_at_most_thirty_two_levels_deep() {
        let read = |arrays| {
            let (open, close) = ("[".repeat(arrays), "]".repeat(arrays));
            parse::<serde_json::Value>(format!(r#"{{"a":{open}{close}}}"#).as_bytes())
        };
        assert!(read(31).is_ok());
        assert!(matches!(read(32), Err(ApiError::Malformed)));
    }

    #[test]
    fn an_object_of_another_shape_is_never_refused_without_its_field() {
        let cases = [
            (r#"{}"#, "amount", FieldCode::Required),
            (r#"{"amount":null}"#, "amount", FieldCode::Required),
            (r#"{"amount":"1"}"#, "amount", FieldCode::Invalid),
            (r#"{"amount":1e400}"#, "amount", FieldCode::Invalid),
            (r#"{"amount":1,"amount":2}"#, "amount", FieldCode::Invalid),
            (r#"{"amout":1}"#, "amout", FieldCode::Invalid),
            (r#"{"amount":1,"cardId":{"id":"x"}}"#, "cardId", FieldCode::Invalid),
            (r#"{"amount":1,"cardId":"\ud800"}"#, "cardId", FieldCode::Invalid),
            (r#"{"amount":1,"kind":"old"}"#, "kind", FieldCode::Invalid),
            (r#"{"amount":1,"kind":5}"#, "kind", FieldCode::Invalid),
            (r#"{"amount":1,"kind":{"new":1}}"#, "kind", FieldCode::Invalid),
            (r#"{"amount":1,"metadata":{}}"#, "metadata.companyId", FieldCode::Required),
            (
                r#"{"amount":1,"metadata":{"companyId":5}}"#,
                "metadata.companyId",
                FieldCode::Invalid,
            ),
            (r#"{"amount":1,"metadata":{"id":5}}"#, "metadata.id", FieldCode::Invalid),
            (r#"{"amount":1,"metadata":[]}"#, "metadata", FieldCode::Invalid),
            (r#"{"amount":1,"features":["a",2]}"#, "features[1]", FieldCode::Invalid),
        ];
        for (body, field, code) in cases {
            match parse::<Order>(body.as_bytes()) {
                Err(ApiError::Core(Error::Invalid(fields))) => {
                    assert_eq!(fields, FieldErrors::one(field, code), "{body}");
                }
                other => panic!("{body}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_is_no_json_object_is_malformed() {
        for body in ["", "{", "[1]", "1", "null", r#"{"amount":1} x"#, "{\"amount\":\"\u{1}\"}"] {
            let refused = parse::<Order>(body.as_bytes());
            assert!(matches!(refused, Err(ApiError::Malformed)), "{body}: {refused:?}");
        }
    }

    #[actix_web::test]
    async fn only_so_many_long_bodies_of_anybody_are_held_at_once() {
        let permits = Semaphore::new(1);
        let read = |length: usize| {
            let chunk = Ok::<_, PayloadError>(web::Bytes::from(vec![b'x'; length]));
            let payload: BoxedPayloadStream = Box::pin(stream::iter([chunk]));
            read_all(Payload::Stream { payload }, 4 * SHORT, Some(&permits))
        };
        let held = permits.acquire().await.unwrap();
        let refused = read(SHORT + 1).await;
        assert!(matches!(refused, Err(ApiError::Core(Error::Unavailable { .. }))), "{refused:?}");
        assert!(read(SHORT).await.is_ok(), "short ones go on");
        drop(held);
        for _ in 0..2 {
            assert_eq!(read(4 * SHORT).await.unwrap().len(), 4 * SHORT);
        }
    }

    #[test]
    fn a_made_up_name_is_not_answered_in_full() {
        let body = format!(r#"{{"{}":1}}"#, "é".repeat(9_000));
        match parse::<Order>(body.as_bytes()) {
            Err(ApiError::Core(Error::Invalid(fields))) => {
                assert_eq!(fields, FieldErrors::one("é".repeat(NAME_LIMIT), FieldCode::Invalid));
            }
            other => panic!("{other:?}"),
        }
    }
}
