//! Answers that a browser saves as a file.

use actix_web::HttpResponse;
use actix_web::body::MessageBody;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use bipe_core::error::{Error, FieldCode};
use serde::Deserialize;
use utoipa::IntoParams;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FormatQuery {
    /// `csv` (when left out) or `json`.
    #[param(pattern = "^(csv|json)$")]
    format: Option<String>,
}

#[derive(Clone, Copy)]
pub enum Format {
    Csv,
    Json,
}

impl FormatQuery {
    /// # Errors
    /// `Invalid` for another word.
    pub fn read(&self) -> Result<Format, Error> {
        match self.format.as_deref() {
            None | Some("csv") => Ok(Format::Csv),
            Some("json") => Ok(Format::Json),
            Some(_) => Err(Error::invalid("format", FieldCode::Invalid)),
        }
    }
}

impl Format {
    /// The name of a file with this ending.
    pub fn name(self, stem: &str) -> String {
        match self {
            Format::Csv => format!("{stem}.csv"),
            Format::Json => format!("{stem}.json"),
        }
    }

    pub fn answer(self, name: &str, text: String) -> HttpResponse {
        let kind = match self {
            Format::Csv => "text/csv; charset=utf-8",
            Format::Json => "application/json",
        };
        attachment(kind, name, text)
    }
}

/// `kind` is the content type.
pub fn attachment(kind: &str, name: &str, body: impl MessageBody + 'static) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, kind))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .body(body)
}
