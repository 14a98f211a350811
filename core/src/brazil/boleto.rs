//! Boleto: barcode, linha digitável and fator de vencimento (FEBRABAN layout).
//!
//! The sandbox encodes slips; reading proves a line typed or received. Digits are ASCII text throughout,
//! because leading zeros carry meaning.

use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde::Serialize;

use crate::money::Cents;

/// Day 0 of the fator. After 9999 (2025-02-21) it goes on from 1000, in cycles of 9000.
const EPOCH: Date = date(1997, 10, 7);
const CYCLE: i32 = 9000;
const FIRST_OF_CYCLE: i32 = 1000;
/// Ten digits of value.
const MAX_VALUE: i64 = 9_999_999_999;

/// One slip: 44 digits for the scanner, 47 for the person, and those 47 grouped for the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    pub barcode: String,
    pub digits: String,
    pub line: String,
}

/// What a linha digitável says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub barcode: String,
    pub bank: String,
    pub amount: Cents,
    pub fator: u16,
    pub due_date: Option<Date>,
}

/// Which check a line fails: its length, the digit of a field, or the digit of the barcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum LineError {
    #[serde(rename = "LENGTH")]
    Length,
    #[serde(rename = "FIELD_1")]
    Field1,
    #[serde(rename = "FIELD_2")]
    Field2,
    #[serde(rename = "FIELD_3")]
    Field3,
    #[serde(rename = "BARCODE")]
    Barcode,
}

/// The due date as four digits.
pub fn fator(due_date: Date) -> u16 {
    let days = (due_date - EPOCH).get_days();
    let wrapped =
        if days < FIRST_OF_CYCLE { days } else { (days - FIRST_OF_CYCLE) % CYCLE + FIRST_OF_CYCLE };
    u16::try_from(wrapped).unwrap_or(0)
}

/// The date behind a fator: of the cycles the one nearest to the issue date; 0 means no due date.
pub fn due_date(fator: u16, issued_on: Date) -> Option<Date> {
    let fator = i32::from(fator);
    let issued = (issued_on - EPOCH).get_days();
    let cycles = if fator < FIRST_OF_CYCLE { 0 } else { (issued / CYCLE + 1).max(0) };
    let nearest =
        (0..=cycles).map(|k| fator + k * CYCLE).min_by_key(|days| (days - issued).abs())?;
    if fator == 0 { None } else { EPOCH.checked_add(nearest.days()).ok() }
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

/// Reads a line, grouped or bare; `issued_on` picks the cycle of the fator.
pub fn read_line(line: &str, issued_on: Date) -> Result<Line, LineError> {
    let digits: String = line.chars().filter(|c| !matches!(c, '.' | ' ')).collect();
    if digits.len() != 47 || !is_digits(&digits) {
        return Err(LineError::Length);
    }
    let part = |from: usize, to: usize| digits.get(from..to).ok_or(LineError::Length);
    for (from, to, error) in
        [(0, 9, LineError::Field1), (10, 20, LineError::Field2), (21, 31, LineError::Field3)]
    {
        if field_digit(part(from, to)?).to_string() != part(to, to + 1)? {
            return Err(error);
        }
    }
    let (bank, currency, digit, tail) = (part(0, 3)?, part(3, 4)?, part(32, 33)?, part(33, 47)?);
    let free = format!("{}{}{}", part(4, 9)?, part(10, 20)?, part(21, 31)?);
    if barcode_digit(&format!("{bank}{currency}{tail}{free}")).to_string() != digit {
        return Err(LineError::Barcode);
    }
    let fator = part(33, 37)?.parse().map_err(|_| LineError::Length)?;
    Ok(Line {
        barcode: format!("{bank}{currency}{digit}{tail}{free}"),
        bank: bank.to_owned(),
        amount: Cents(part(37, 47)?.parse().map_err(|_| LineError::Length)?),
        fator,
        due_date: due_date(fator, issued_on),
    })
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

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn values(digits: &str) -> impl DoubleEndedIterator<Item = u32> {
    digits.bytes().map(|byte| u32::from(byte.saturating_sub(b'0')))
}
