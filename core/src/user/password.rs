//! What a password must be: the rule of docs/security.md, "Passwords", and none of the 10,000 most common
//! passwords that satisfy it.
//! Asked by `Password::parse`. `core/passwords/make_list.py` makes the list and names its sources.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use crate::error::FieldCode;

const LENGTH: RangeInclusive<usize> = 8..=128;
const SYMBOLS: &str = "#@$!%*?&";

pub(super) fn check(raw: &str) -> Result<(), FieldCode> {
    let length = raw.chars().count();
    let has = |wanted: fn(char) -> bool| raw.chars().any(wanted);
    if length == 0 {
        return Err(FieldCode::Required);
    }
    if length > *LENGTH.end() {
        return Err(FieldCode::TooLong);
    }
    let is_strong = length >= *LENGTH.start()
        && has(|c| c.is_ascii_lowercase())
        && has(|c| c.is_ascii_uppercase())
        && has(|c| c.is_ascii_digit())
        && has(|c| SYMBOLS.contains(c));
    if !is_strong {
        return Err(FieldCode::PasswordWeak);
    }
    if is_common(raw) { Err(FieldCode::PasswordCommon) } else { Ok(()) }
}

/// One a line, sorted by their bytes; ASCII.
const LIST: &str = include_str!("../../passwords/common.txt");

fn is_common(password: &str) -> bool {
    // Both bounds stand at the start of a line.
    let (mut low, mut high) = (0, LIST.len());
    while low < high {
        let middle = low.midpoint(high);
        let before = LIST.get(low..middle).and_then(|text| text.rfind('\n'));
        let start = before.map_or(low, |at| low + at + 1);
        let line = LIST.get(start..).and_then(|text| text.lines().next()).unwrap_or_default();
        match line.cmp(password) {
            Ordering::Equal => return true,
            Ordering::Less => low = start + line.len() + 1,
            Ordering::Greater => high = start,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::user::Password;

    #[test]
    fn a_password_that_many_have_is_refused_although_it_satisfies_the_rule() {
        for raw in ["Password1!", "P@ssw0rd", "Qwerty123!", "1qaz@WSX", "Gabriel@123"] {
            assert_eq!(Password::parse(raw), Err(FieldCode::PasswordCommon), "{raw}");
        }
        for raw in ["password1!", "Password1!x", crate::config::DEMO_ADMIN_PASSWORD] {
            assert_ne!(Password::parse(raw), Err(FieldCode::PasswordCommon), "{raw}");
        }
    }

    #[test]
    fn every_line_of_the_list_is_found_and_nothing_beside_it() {
        let lines: Vec<&str> = LIST.lines().collect();
        assert_eq!(lines.len(), 10_000);
        assert!(lines.is_sorted_by(|a, b| a < b));
        let all: HashSet<&str> = lines.iter().copied().collect();
        for line in lines {
            assert_eq!(check(line), Err(FieldCode::PasswordCommon), "{line}");
            for beside in [format!("{line}~"), format!("!{line}"), line[1..].to_owned()] {
                assert_eq!(is_common(&beside), all.contains(beside.as_str()), "{beside}");
            }
        }
        for nothing in ["", "\n", "~", "zzzz", "ação", "Password1!\n"] {
            assert!(!is_common(nothing), "{nothing:?}");
        }
    }
}
