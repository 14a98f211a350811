//! The contract as the server uses it: its text, which `/api/openapi.json` answers and `/api/docs` shows, and its calls,
//! by which a request is refused before it is routed.
//!
//! A release build holds the checked-in file, and none of the code that generates it. A debug build generates the text:
//! a new call is served before `make schema` has written it into the file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use actix_web::http::Method;
use serde::Deserialize;
use serde::de::{Error, IgnoredAny};

pub struct Contract {
    pub text: Cow<'static, str>,
    pub calls: Vec<Call>,
}

pub struct Call {
    pub path: String,
    pub method: Method,
    pub needs_token: bool,
}

/// What is read of the document.
#[derive(Deserialize)]
struct Document {
    paths: HashMap<String, HashMap<String, Operation>>,
}

#[derive(Deserialize)]
struct Operation {
    security: Option<IgnoredAny>,
}

static CONTRACT: LazyLock<serde_json::Result<Contract>> = LazyLock::new(|| {
    let text = text()?;
    let document: Document = serde_json::from_str(&text)?;
    let mut calls = Vec::new();
    for (path, operations) in document.paths {
        for (method, operation) in operations {
            let method = method.to_ascii_uppercase().parse().map_err(serde_json::Error::custom)?;
            calls.push(Call {
                path: path.clone(),
                method,
                needs_token: operation.security.is_some(),
            });
        }
    }
    Ok(Contract { text, calls })
});

/// The contract of this build, read once in a process.
///
/// # Errors
/// When the document cannot be written or read, which would be a defect of a schema.
pub fn contract() -> Result<&'static Contract, &'static serde_json::Error> {
    CONTRACT.as_ref()
}

fn text() -> serde_json::Result<Cow<'static, str>> {
    if cfg!(debug_assertions) {
        let text = serde_json::to_string_pretty(super::document())?;
        return Ok((text + "\n").into());
    }
    Ok(include_str!("../../openapi.json").into())
}
