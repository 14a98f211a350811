//! CNPJ: twelve digits or capital letters and two check digits. Called where a company says who pays.
//!
//! Letters are given out since July 2026 (IN RFB 2.229/2024); numbers of digits alone stay valid.

use std::ops::Range;

use super::unmasked;

/// Before the check digits.
const BASE: usize = 12;
const LENGTH: usize = 14;

/// Fourteen characters in capital letters, without a mask, whose check digits are right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cnpj(String);

impl Cnpj {
    /// Takes the mask off; small letters count as capital ones.
    pub fn parse(text: &str) -> Option<Self> {
        let text = unmasked(text).to_ascii_uppercase();
        let (base, check) = text.split_at_checked(BASE)?;
        let is_shaped = text.len() == LENGTH
            && base.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
            && check.bytes().all(|b| b.is_ascii_digit());
        (is_shaped && has_right_check_digits(&text)).then_some(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `12.ABC.345/01DE-35`
    pub fn formatted(&self) -> String {
        let [first, second, third, branch, check] =
            [0..2, 2..5, 5..8, 8..12, 12..14].map(|part| self.part(part));
        format!("{first}.{second}.{third}/{branch}-{check}")
    }

    fn part(&self, part: Range<usize>) -> &str {
        self.0.get(part).unwrap_or_default()
    }
}

/// Nobody has a number of one digit alone.
fn has_right_check_digits(text: &str) -> bool {
    // A letter counts as its ASCII code does: A is 17.
    let values: Vec<u32> = text.bytes().map(|byte| u32::from(byte) - u32::from(b'0')).collect();
    let all_equal = values.windows(2).all(|pair| pair.first() == pair.last());
    !all_equal
        && [BASE, BASE + 1]
            .into_iter()
            .all(|at| values.get(at) == check_digit(&values, at).as_ref())
}

/// Mod 11 over the values before `at`, weights 2 to 9 from the right; a remainder below 2 gives 0.
fn check_digit(values: &[u32], at: usize) -> Option<u32> {
    let before = values.get(..at)?;
    let sum: u32 =
        before.iter().rev().zip((2..=9).cycle()).map(|(value, weight)| value * weight).sum();
    Some(if sum % 11 < 2 { 0 } else { 11 - sum % 11 })
}
