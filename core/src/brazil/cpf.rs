//! CPF: eleven digits. Called at sign-up and, with right check digits alone, as a tax id (`tax_id`).

use std::fmt;
use std::ops::Range;

use super::unmasked;
use crate::column::column;

/// Eleven ASCII digits, without a mask. Neither `Debug` nor `Display` shows them all.
#[derive(Clone, PartialEq, Eq, Hash, derive_more::Debug)]
#[debug("Cpf({self})")]
pub struct Cpf(String);

column!(Cpf(String));

impl Cpf {
    /// Takes dots, dashes, slashes and spaces off; then exactly eleven ASCII digits must be left.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = unmasked(text);
        let ok = digits.len() == 11 && digits.bytes().all(|b| b.is_ascii_digit());
        ok.then_some(Self(digits))
    }

    pub fn digits(&self) -> &str {
        &self.0
    }

    /// `111.444.777-35`, for the person themselves.
    pub fn formatted(&self) -> String {
        let [first, second, third, check] = [0..3, 3..6, 6..9, 9..11].map(|part| self.part(part));
        format!("{first}.{second}.{third}-{check}")
    }

    fn part(&self, part: Range<usize>) -> &str {
        self.0.get(part).unwrap_or_default()
    }

    /// Both check digits are right and the digits are not all equal.
    pub fn has_valid_check_digits(&self) -> bool {
        let digits: Vec<u32> = self.0.bytes().map(|b| u32::from(b - b'0')).collect();
        let all_equal = digits.windows(2).all(|pair| pair.first() == pair.last());
        !all_equal
            && [9, 10].into_iter().all(|at| digits.get(at) == check_digit(&digits, at).as_ref())
    }
}

/// Mod 11 over the digits before `at`, weights falling to 2; a remainder below 2 gives 0.
fn check_digit(digits: &[u32], at: usize) -> Option<u32> {
    let before = digits.get(..at)?;
    let sum: u32 = before.iter().rev().zip(2..).map(|(digit, weight)| digit * weight).sum();
    Some(if sum % 11 < 2 { 0 } else { 11 - sum % 11 })
}

/// What others see: `***.444.777-**`.
impl fmt::Display for Cpf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "***.{}.{}-**", self.part(3..6), self.part(6..9))
    }
}
