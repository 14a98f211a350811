//! What lists with a search box have in common: the page that is asked for, and the text ready for `LIKE`. The
//! statements compare it with the columns that `searchable` (migrations) has written: case and accents do not matter.

use crate::error::{Error, FieldCode, Result};

const MAX: usize = 100;

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
    let literal = text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    Ok((!text.is_empty()).then(|| format!("%{literal}%")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_like_is_looked_for_as_it_stands() {
        assert_eq!(pattern(Some(r" 50%_\ ")).unwrap().unwrap(), r"%50\%\_\\%");
        assert_eq!(pattern(Some("  ")).unwrap(), None);
        assert_eq!(pattern(None).unwrap(), None);
        assert!(pattern(Some(&"é".repeat(100))).unwrap().is_some());
        assert!(pattern(Some(&"é".repeat(101))).is_err());
        assert!(pattern(Some("a\u{0}b")).is_err());
    }
}
