//! What a company reads about its money (docs/contract.md, "Statement"), for its admins and finance. One file a page.

pub mod balance;
pub mod spending;
pub mod transactions;

use std::str::FromStr;

use bipe_core::error::FieldCode;

/// A number within its bounds, where one is given at all.
fn number<T: FromStr + PartialOrd>(
    raw: Option<&str>,
    default: T,
    (least, most): (T, T),
) -> Result<T, FieldCode> {
    let Some(text) = raw else { return Ok(default) };
    let parsed = text.parse().ok().filter(|number| (&least..=&most).contains(&number));
    parsed.ok_or(FieldCode::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_given_within_its_bounds_or_not_at_all() {
        let read = |raw| number(raw, 12, (1, 24)).ok();
        assert_eq!([None, Some("1"), Some("24")].map(read), [Some(12), Some(1), Some(24)]);
        for wrong in ["", "0", "25", "-1", "1.5", "um", "99999999999"] {
            assert_eq!(read(Some(wrong)), None, "{wrong}");
        }
    }
}
