//! What lists with a search box have in common: the page that is asked for, the days, and the text ready for `LIKE`. The
//! statements compare it with the columns that `searchable` (migrations) has written: case and accents do not matter.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use unicode_normalization::UnicodeNormalization;

use crate::brazil;
use crate::error::{Error, FieldCode, FieldErrors, Result};

const MAX: usize = 100;
/// Earlier and later ones are typing errors.
const YEARS: std::ops::Range<i16> = 2000..9999;

/// Which part of a list, in which order.
#[derive(Clone, Copy, Debug)]
pub struct Page<S> {
    pub sort: S,
    pub limit: i64,
    pub offset: i64,
}

/// What `LIKE` looks for; none when nothing was typed. The statement calls `searchable` on it.
///
/// # Errors
/// `Invalid(search)` for more than 100 characters or one that is none.
pub fn pattern(raw: Option<&str>) -> Result<Option<String>> {
    let text = raw.unwrap_or_default().trim();
    if text.chars().count() > MAX {
        return Err(Error::invalid("search", FieldCode::TooLong));
    }
    if text.chars().any(char::is_control) {
        return Err(Error::invalid("search", FieldCode::Invalid));
    }
    Ok((!text.is_empty()).then(|| format!("%{}%", literal(text))))
}

/// With a backslash before what means something to `LIKE`, also once `searchable` has put it into its usual width.
fn literal(text: &str) -> String {
    let means = |c: char| c.nfkd().any(|c| matches!(c, '\\' | '%' | '_'));
    text.chars().flat_map(|c| means(c).then_some('\\').into_iter().chain([c])).collect()
}

/// The lines of a list that are asked for, in which every line has a kind and an instant; nothing is everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter<Kind> {
    pub kind: Option<Kind>,
    pub from: Option<Timestamp>,
    /// Exclusive.
    pub until: Option<Timestamp>,
    /// What `LIKE` looks for: a [`pattern`].
    pub search: Option<String>,
}

impl<Kind> Default for Filter<Kind> {
    fn default() -> Self {
        Self { kind: None, from: None, until: None, search: None }
    }
}

/// Absent and empty are the same: a form sends every field it has.
pub(crate) fn optional<T>(
    raw: Option<&str>,
    parse: impl FnOnce(&str) -> Option<T>,
) -> std::result::Result<Option<T>, FieldCode> {
    match raw.filter(|raw| !raw.is_empty()) {
        Some(raw) => parse(raw).map(Some).ok_or(FieldCode::Invalid),
        None => Ok(None),
    }
}

/// From the first instant of `from` to the first one after `to`, which are days of America/Sao_Paulo, both included.
/// None when one of them is wrong, which `errors` then says.
pub fn days(
    errors: &mut FieldErrors,
    (from, to): (Option<&str>, Option<&str>),
) -> Option<(Option<Timestamp>, Option<Timestamp>)> {
    let from = errors.take("from", optional(from, day));
    let to = errors.take("to", optional(to, day));
    let (from, to) = from.zip(to)?;
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return errors.take("to", Err(FieldCode::Invalid));
    }
    let until = to.map(|to| brazil::day_start(to.saturating_add(1.day())));
    Some((from.map(brazil::day_start), until))
}

fn day(raw: &str) -> Option<Date> {
    brazil::parse_day(raw).filter(|day| YEARS.contains(&day.year()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_like_is_looked_for_as_it_stands() {
        assert_eq!(pattern(Some(r" 50%_\ ")).unwrap().unwrap(), r"%50\%\_\\%");
        assert_eq!(pattern(Some("50％＿＼")).unwrap().unwrap(), r"%50\％\＿\＼%");
        assert_eq!(pattern(Some("  ")).unwrap(), None);
        assert_eq!(pattern(None).unwrap(), None);
        assert!(pattern(Some(&"é".repeat(100))).unwrap().is_some());
        assert!(pattern(Some(&"é".repeat(101))).is_err());
        assert!(pattern(Some("a\u{0}b")).is_err());
    }
    #[test]
    fn days_are_those_of_sao_paulo_and_both_belong_to_the_list() {
        let read = |from, to| {
            let mut errors = FieldErrors::default();
            let days = days(&mut errors, (from, to));
            errors.into_result(days)
        };
        let (from, until) = read(Some("2026-11-20"), Some("2026-11-21")).unwrap();
        assert_eq!(from.unwrap().to_string(), "2026-11-20T03:00:00Z");
        assert_eq!(until.unwrap().to_string(), "2026-11-22T03:00:00Z");
        assert_eq!(read(None, Some("")).unwrap(), (None, None));
        assert!(read(Some("2026-11-21"), Some("2026-11-20")).is_err());
        for wrong in ["21/11/2026", "2026-02-30", "1999-01-01", "2026-11-21T00:00"] {
            assert!(read(Some(wrong), None).is_err(), "{wrong}");
            assert!(read(None, Some(wrong)).is_err(), "{wrong}");
        }
    }
}
