//! Typed queries. A value that cannot be read is refused with 422 and its field, as in a body.

use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use bipe_core::error::{Error, FieldCode, FieldErrors};
use bipe_core::search::{self, Filter};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use super::body::refusal;
use crate::error::ApiError;

/// The query as `T`; names that `T` does not have are ignored.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(read(request.query_string()).map(Query))
    }
}

fn read<T: DeserializeOwned>(query: &str) -> Result<T, ApiError> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let parsed = serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs));
    parsed.map_err(|error| refusal(error.path(), &error.inner().to_string()))
}

/// An id, for `#[serde(default, deserialize_with = …)]`; an empty one is none.
///
/// # Errors
/// For a text that is no id.
pub fn optional_id<'de, D: Deserializer<'de>, T: FromStr>(input: D) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(input)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| D::Error::custom("no id"))
}

/// The value of a filter, such as a word of a list or an id; an empty text is no filter. A wrong one is added to
/// `errors`.
pub fn one_of<T>(
    errors: &mut FieldErrors,
    field: &'static str,
    text: Option<&str>,
    parse: fn(&str) -> Option<T>,
) -> Option<T> {
    let text = text.filter(|text| !text.is_empty())?;
    errors.take(field, parse(text).ok_or(FieldCode::Invalid))
}

/// A number within its bounds, where one is given at all.
pub fn number<T: FromStr + PartialOrd>(
    text: Option<&str>,
    default: T,
    (least, most): (T, T),
) -> Result<T, FieldCode> {
    let Some(text) = text else { return Ok(default) };
    let parsed = text.parse().ok().filter(|number| (&least..=&most).contains(&number));
    parsed.ok_or(FieldCode::Invalid)
}

/// The filter of a list whose lines have a kind and an instant, as it was typed: the kind, which `parse` reads, the
/// days and the text.
///
/// # Errors
/// `Invalid` with the fields that are wrong.
pub fn filter<Kind>(
    kind: Option<&str>,
    parse: fn(&str) -> Option<Kind>,
    days: (Option<&str>, Option<&str>),
    text: Option<&str>,
) -> Result<Filter<Kind>, Error> {
    let search = search::pattern(text)?;
    let mut errors = FieldErrors::default();
    let kind = one_of(&mut errors, "kind", kind, parse);
    let days = search::days(&mut errors, days);
    errors.into_result(days.map(|(from, until)| Filter { kind, from, until, search }))
}

/// `page` (from 1) and `limit` (1 to 100, default 10) of a list that can grow.
#[derive(Clone, Copy, Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Paging {
    #[param(required = false, minimum = 1, maximum = 1_000_000, default = 1)]
    pub page: i64,
    #[param(required = false, minimum = 1, maximum = 100, default = 10)]
    pub limit: i64,
}

#[derive(Deserialize)]
struct RawPaging {
    page: Option<String>,
    limit: Option<String>,
}

impl Paging {
    /// Beyond it an offset would only burn time.
    const LAST_PAGE: i64 = 1_000_000;

    pub fn offset(self) -> i64 {
        (self.page - 1) * self.limit
    }

    fn parse(raw: &RawPaging) -> Result<Self, Error> {
        let mut errors = FieldErrors::default();
        let page = errors.take("page", number(raw.page.as_deref(), 1, (1, Self::LAST_PAGE)));
        let limit = errors.take("limit", number(raw.limit.as_deref(), 10, (1, 100)));
        errors.into_result(page.zip(limit).map(|(page, limit)| Self { page, limit }))
    }
}

impl FromRequest for Paging {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;
    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(read(request.query_string()).and_then(|raw| Ok(Self::parse(&raw)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_given_within_its_bounds_or_not_at_all() {
        let read = |text| number(text, 12, (1, 24)).ok();
        assert_eq!([None, Some("1"), Some("24")].map(read), [Some(12), Some(1), Some(24)]);
        for wrong in ["", "0", "25", "-1", "1.5", "um", "99999999999"] {
            assert_eq!(read(Some(wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn a_value_that_is_given_twice_is_refused_with_its_name() {
        match read::<RawPaging>("page=1&page=2") {
            Err(ApiError::Core(Error::Invalid(fields))) => {
                assert_eq!(fields, FieldErrors::one("page", FieldCode::Invalid));
            }
            other => panic!("{:?}", other.err()),
        }
    }
}
