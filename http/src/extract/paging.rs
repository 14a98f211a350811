//! Which part of a list that can grow is asked for: `page` (from 1) and `limit` (1 to 100).

use std::collections::HashMap;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use bipe_core::error::{Error, FieldCode, FieldErrors};

use crate::error::ApiError;

/// `page` (from 1) and `limit` (1 to 100, default 10) of a list that can grow.
#[derive(Clone, Copy, Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Paging {
    #[param(required = false, minimum = 1, default = 1)]
    page: i64,
    #[param(required = false, minimum = 1, maximum = 100, default = 10)]
    limit: i64,
}

impl Paging {
    /// Beyond it an offset would only burn time.
    const LAST_PAGE: i64 = 1_000_000;

    pub fn page(self) -> i64 {
        self.page
    }

    pub fn limit(self) -> i64 {
        self.limit
    }

    pub fn offset(self) -> i64 {
        (self.page - 1) * self.limit
    }

    fn read(query: &HashMap<String, String>) -> Result<Self, Error> {
        let mut fields = FieldErrors::default();
        let mut number = |name: &'static str, default: i64, max: i64| {
            let Some(text) = query.get(name) else { return default };
            let parsed = text.parse().ok().filter(|number| (1..=max).contains(number));
            fields.take(name, parsed.ok_or(FieldCode::Invalid)).unwrap_or(default)
        };
        let (page, limit) = (number("page", 1, Self::LAST_PAGE), number("limit", 10, 100));
        if fields.is_empty() { Ok(Self { page, limit }) } else { Err(Error::Invalid(fields)) }
    }
}

impl FromRequest for Paging {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let query = web::Query::<HashMap<String, String>>::from_query(request.query_string());
        ready(match query {
            Ok(query) => Self::read(&query).map_err(ApiError::from),
            Err(_malformed) => Err(ApiError::Malformed),
        })
    }
}
