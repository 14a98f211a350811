//! Boleto: barcode, linha digitável and fator de vencimento (FEBRABAN layout).
//!
//! The sandbox encodes slips. Digits are ASCII text throughout, because leading zeros carry meaning.

use jiff::civil::{Date, date};

use crate::money::Cents;

/// Day 0 of the fator. After 9999 (2025-02-21) it goes on from 1000, in cycles of 9000.
pub(crate) const EPOCH: Date = date(1997, 10, 7);
pub(crate) const CYCLE: i32 = 9000;
pub(crate) const FIRST_OF_CYCLE: i32 = 1000;
/// Ten digits of value.
const MAX_VALUE: i64 = 9_999_999_999;

/// One slip: 44 digits for the scanner, 47 for the person, and those 47 grouped for the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    pub barcode: String,
    pub digits: String,
    pub line: String,
}

/// The due date as four digits.
pub fn fator(due_date: Date) -> u16 {
    let days = (due_date - EPOCH).get_days();
    let wrapped =
        if days < FIRST_OF_CYCLE { days } else { (days - FIRST_OF_CYCLE) % CYCLE + FIRST_OF_CYCLE };
    u16::try_from(wrapped).unwrap_or(0)
}

/// The digit of the barcode: mod 11 over its other 43, weights 2 to 9 from the right; 0, 10 and 11 read 1.
pub fn barcode_digit(digits: &str) -> u32 {
    let sum: u32 =
        values(digits).rev().zip((2..=9).cycle()).map(|(digit, weight)| digit * weight).sum();
    match 11 - sum % 11 {
        10 | 11 => 1,
        digit => digit,
    }
}

/// The digit of a field of the line: mod 10, weights 2 1 from the right, digits of the products summed.
pub fn field_digit(digits: &str) -> u32 {
    let sum: u32 = values(digits)
        .rev()
        .zip([2, 1].into_iter().cycle())
        .map(|(digit, weight)| digit * weight / 10 + digit * weight % 10)
        .sum();
    (10 - sum % 10) % 10
}

/// Encodes a slip; `None` when a part has the wrong length or the amount does not fit.
pub fn encode(bank: &str, free: &str, amount: Cents, due: Option<Date>) -> Option<Slip> {
    let sized = bank.len() == 3 && free.len() == 25 && is_digits(bank) && is_digits(free);
    if !sized || !(0..=MAX_VALUE).contains(&amount.0) {
        return None;
    }
    let tail = format!("{:04}{:010}", due.map_or(0, fator), amount.0);
    let digit = barcode_digit(&format!("{bank}9{tail}{free}"));
    let field = |text: String| {
        let digit = field_digit(&text);
        format!("{text}{digit}")
    };
    let first = field(format!("{bank}9{}", free.get(..5)?));
    let second = field(free.get(5..15)?.to_owned());
    let third = field(free.get(15..)?.to_owned());
    let digits = format!("{first}{second}{third}{digit}{tail}");
    Some(Slip { barcode: format!("{bank}9{digit}{tail}{free}"), line: grouped(&digits)?, digits })
}

/// `00000.00000 00000.000000 00000.000000 0 00000000000000`
fn grouped(digits: &str) -> Option<String> {
    let part = |from: usize, to: usize| digits.get(from..to);
    Some(format!(
        "{}.{} {}.{} {}.{} {} {}",
        part(0, 5)?,
        part(5, 10)?,
        part(10, 15)?,
        part(15, 21)?,
        part(21, 26)?,
        part(26, 32)?,
        part(32, 33)?,
        part(33, 47)?
    ))
}

pub(crate) fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn values(digits: &str) -> impl DoubleEndedIterator<Item = u32> {
    digits.bytes().map(|byte| u32::from(byte.saturating_sub(b'0')))
}
