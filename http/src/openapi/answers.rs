//! Derives most refusals of an operation from its token, company, path, body, query and limits. A handler declares the
//! refusals that it decides itself, and no others. `tests/it/declared` checks these rules by calling every operation.

use actix_web::http::StatusCode;
use bipe_core::scope::Role;
use utoipa::openapi::content::{Content, ContentBuilder};
use utoipa::openapi::header::Header;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{Components, Object, ObjectBuilder, Ref, RefOr, Schema, Type};

use crate::extract::IDEMPOTENCY_KEY_LIMIT;
use crate::permissions::Who;

/// Refusals of every operation: NUL in the query (`request_guard.rs`), rate limits, defects, and timeouts.
const ALWAYS: [u16; 4] = [400, 429, 500, 503];
/// Refusals of an operation that reads a body, whatever the body is.
const READS: [u16; 2] = [408, 413];
/// Refusals of an operation that wants JSON, beside those.
const PARSES: [u16; 2] = [415, 422];

/// Adds the refusals that come from before the handler, and writes every refusal as a reference to the shared one.
pub fn declare(operation: &mut Operation, who: Option<Who>, components: &mut Components) {
    describe_key(operation);
    let mut statuses: Vec<String> = Vec::new();
    statuses.extend(before_handler(operation, who).iter().map(u16::to_string));
    let own = operation.responses.responses.keys();
    statuses.extend(own.filter(|status| is_refusal(status)).cloned());
    for status in statuses {
        components.responses.entry(name(&status)).or_insert_with(|| refusal(&status).into());
        let shared = Ref::from_response_name(name(&status));
        operation.responses.responses.insert(status, shared.into());
    }
    describe_successes(operation);
}

/// OpenAPI asks for a description of every answer. One that the handler does not describe is called as its status is.
fn describe_successes(operation: &mut Operation) {
    for (status, answer) in &mut operation.responses.responses {
        let RefOr::T(answer) = answer else { continue };
        if answer.description.is_empty() {
            answer.description = reason(status).to_owned();
        }
        if is_file(answer) {
            let text = ObjectBuilder::new().schema_type(Type::String);
            let name = described(text, "`attachment`, with the name of the file.");
            answer.headers.insert("Content-Disposition".to_owned(), name.into());
        }
    }
}

/// What has content without the envelope (`api/download.rs`).
fn is_file(answer: &Response) -> bool {
    let has_envelope = |content: &RefOr<Content>| match content {
        RefOr::T(Content { schema: Some(RefOr::Ref(schema)), .. }) => {
            schema.ref_location.contains("/Answer_")
        }
        _ => false,
    };
    !answer.content.is_empty() && !answer.content.values().any(has_envelope)
}

fn before_handler(operation: &Operation, who: Option<Who>) -> Vec<u16> {
    let mut statuses = ALWAYS.to_vec();
    if operation.security.is_some() {
        statuses.push(401);
    }
    match who {
        Some(Who::PlatformAdmin) => statuses.push(403),
        Some(Who::Member(permission)) => {
            statuses.push(404);
            let is_everybodys = Role::ALL.into_iter().all(|role| permission.allows(role));
            if !is_everybodys || permission.is_a_change() {
                statuses.push(403);
            }
        }
        Some(Who::Anyone | Who::SignedIn) | None => {}
    }
    for parameter in operation.parameters.iter().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        statuses.push(if parameter.parameter_in == ParameterIn::Path { 404 } else { 422 });
    }
    if let Some(RefOr::T(body)) = &operation.request_body {
        statuses.extend(READS);
        if body.content.values().any(is_object) {
            statuses.extend(PARSES);
        }
    }
    statuses
}

/// A body without a schema of ours is read as bytes (webhooks).
fn is_object(content: &RefOr<Content>) -> bool {
    matches!(content, RefOr::T(Content { schema: Some(RefOr::Ref(_)), .. }))
}

fn is_refusal(status: &str) -> bool {
    status.starts_with(['4', '5'])
}

/// `Not Found` of 404.
fn reason(status: &str) -> &str {
    let known = StatusCode::from_bytes(status.as_bytes()).ok();
    known.and_then(|status| status.canonical_reason()).unwrap_or(status)
}

/// `NotFound` of 404.
fn name(status: &str) -> String {
    reason(status).replace(' ', "")
}

fn refusal(status: &str) -> Response {
    let envelope = Ref::from_schema_name("ErrorEnvelope");
    let content = ContentBuilder::new().schema(Some(envelope)).build();
    let refusal =
        ResponseBuilder::new().description(reason(status)).content("application/json", content);
    match status {
        "401" => refusal.header("WWW-Authenticate", word("Bearer", "How to sign in.")).build(),
        // What the state refuses is answered again, too (docs/contract.md, "Idempotency").
        "402" | "403" | "404" | "409" | "422" => {
            refusal.header("Idempotent-Replayed", replayed()).build()
        }
        "429" | "503" => {
            let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
            let seconds = described(seconds, "Seconds until the same can succeed.");
            refusal.header("Retry-After", seconds).build()
        }
        _ => refusal.build(),
    }
}

/// Adds how long an `Idempotency-Key` may be, which the declared type does not say, and how a repeat is told from the
/// first answer. A 202 is never repeated.
fn describe_key(operation: &mut Operation) {
    let key = operation.parameters.iter_mut().flatten().find_map(|parameter| match parameter {
        RefOr::T(parameter) if parameter.name == "Idempotency-Key" => Some(parameter),
        _ => None,
    });
    let Some(key) = key else { return };
    let text: Object = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(IDEMPOTENCY_KEY_LIMIT))
        .build();
    key.schema = Some(RefOr::T(Schema::Object(text)));
    for status in ["200", "201"] {
        if let Some(RefOr::T(answer)) = operation.responses.responses.get_mut(status) {
            answer.headers.insert("Idempotent-Replayed".to_owned(), replayed().into());
        }
    }
}

fn replayed() -> Header {
    word("true", "Only where the `Idempotency-Key` was answered before.")
}

/// A header with one value.
fn word(value: &str, description: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([value]));
    described(schema, description)
}

fn described(schema: ObjectBuilder, description: &str) -> Header {
    let mut header = Header::new(schema);
    header.description = Some(description.to_owned());
    header
}
