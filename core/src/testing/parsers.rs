//! Reads what the product only writes: PIX codes, the lines of boletos, decimal amounts in any currency. Tests read
//! them back, and hold them against the golden cases that the web shares.

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;

use crate::brazil::boleto::{CYCLE, EPOCH, FIRST_OF_CYCLE, barcode_digit, field_digit, is_digits};
use crate::brazil::pix::{GUI, Initiation, Payee, PixCode, crc16};
use crate::money::{BRL, Cents, rh};
use crate::plan::BillingCycle;

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

/// The date behind a fator: of the cycles the one nearest to the issue date; 0 means no due date.
pub fn due_date(fator: u16, issued_on: Date) -> Option<Date> {
    let fator = i32::from(fator);
    let issued = (issued_on - EPOCH).get_days();
    let cycles = if fator < FIRST_OF_CYCLE { 0 } else { (issued / CYCLE + 1).max(0) };
    let nearest =
        (0..=cycles).map(|k| fator + k * CYCLE).min_by_key(|days| (days - issued).abs())?;
    if fator == 0 { None } else { EPOCH.checked_add(nearest.days()).ok() }
}

/// Reads a line, grouped or bare; `issued_on` picks the cycle of the fator.
pub fn read_boleto(line: &str, issued_on: Date) -> Result<Line, LineError> {
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

/// Why a text is no BR Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Unreadable {
    Malformed,
    CrcMissing,
    CrcNotLast,
    CrcMismatch,
    NotPix,
}

/// Reads a payload: structure first, then the CRC, then the meaning.
pub fn read_pix(payload: &str) -> Result<PixCode, Unreadable> {
    let fields = fields(payload).ok_or(Unreadable::Malformed)?;
    match fields.iter().position(|(id, _)| *id == "63") {
        None => return Err(Unreadable::CrcMissing),
        Some(at) if at + 1 != fields.len() => return Err(Unreadable::CrcNotLast),
        Some(_) => {}
    }
    let crc = find(&fields, "63").unwrap_or_default();
    let covered = payload.strip_suffix(crc).unwrap_or_default();
    if !crc.eq_ignore_ascii_case(&format!("{:04X}", crc16(covered.as_bytes()))) {
        return Err(Unreadable::CrcMismatch);
    }
    let account = find(&fields, "26").and_then(self::fields).ok_or(Unreadable::NotPix)?;
    if !find(&account, "00").is_some_and(|gui| gui.eq_ignore_ascii_case(GUI)) {
        return Err(Unreadable::NotPix);
    }
    let payee = match (find(&account, "01"), find(&account, "25")) {
        (Some(key), _) => Payee::Key(key.to_owned()),
        (None, Some(url)) => Payee::Url(url.to_owned()),
        (None, None) => return Err(Unreadable::NotPix),
    };
    let amount = match find(&fields, "54") {
        Some(text) => Some(Cents(to_minor(text, BRL).ok_or(Unreadable::Malformed)?)),
        None => None,
    };
    let additional = find(&fields, "62").and_then(self::fields).unwrap_or_default();
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    Ok(PixCode {
        payee,
        amount,
        name: text(find(&fields, "59")),
        city: text(find(&fields, "60")),
        txid: text(find(&additional, "05").or(Some("***"))),
        initiation: match find(&fields, "01") {
            Some("11") => Some(Initiation::Reusable),
            Some("12") => Some(Initiation::OneTime),
            _ => None,
        },
    })
}

fn fields(mut rest: &str) -> Option<Vec<(&str, &str)>> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (id, tail) = rest.split_at_checked(2)?;
        let (len, tail) = tail.split_at_checked(2)?;
        if !id.bytes().chain(len.bytes()).all(|b| b.is_ascii_digit()) {
            return None;
        }
        let (value, tail) = tail.split_at_checked(len.parse().ok()?)?;
        found.push((id, value));
        rest = tail;
    }
    Some(found)
}

fn find<'a>(fields: &[(&str, &'a str)], id: &str) -> Option<&'a str> {
    fields.iter().find(|(found, _)| *found == id).map(|(_, value)| *value)
}

/// Currencies without a minor unit at the provider: the amount is already in minor units.
const ZERO_DECIMAL: [&str; 16] = [
    "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv",
    "xaf", "xof", "xpf",
];

/// Decimal text in a currency's major unit to minor units, half away from zero; `None` when it is no
/// decimal number or does not fit.
pub fn to_minor(amount: &str, currency: &str) -> Option<i64> {
    let (negative, digits) = match amount.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, amount),
    };
    let (whole, places) = digits.split_once('.').unwrap_or((digits, ""));
    let joined = format!("{whole}{places}");
    if joined.is_empty() || !joined.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let unit = if is_zero_decimal(currency) { 1 } else { 100 };
    let scale = 10_i128.checked_pow(u32::try_from(places.len()).ok()?)?;
    let size = joined.parse::<i128>().ok()?.checked_mul(unit)?.checked_mul(if negative {
        -1
    } else {
        1
    })?;
    // `rh` doubles both sides
    size.checked_mul(2)?.checked_abs()?.checked_add(scale)?;
    i64::try_from(rh(size, scale)).ok()
}

fn is_zero_decimal(currency: &str) -> bool {
    ZERO_DECIMAL.iter().any(|code| currency.eq_ignore_ascii_case(code))
}

/// What the card provider is likely to keep of an amount (2,9 % and R$ 0,30). Information, never charged.
pub fn fee_estimate(amount: Cents) -> Cents {
    amount.share(29, 1000) + Cents(30)
}

/// What a plan card of the web says about a longer cycle beside paying monthly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saving {
    pub saving: Cents,
    /// Whole percent of the monthly sum.
    pub percent: i64,
    pub per_month: Cents,
}

/// The saving of a cycle's price over its months at the monthly price. `None` when the cycle of a paid plan has no
/// price: it is not sold.
pub fn saving(monthly: Cents, cycle: BillingCycle, cycle_price: Cents) -> Option<Saving> {
    if cycle_price == Cents::ZERO && monthly > Cents::ZERO {
        return None;
    }
    let months = i64::from(cycle.months());
    let full = monthly.times(months);
    let saving = (full - cycle_price).max(Cents::ZERO);
    let percent = match full {
        Cents::ZERO => 0,
        Cents(full) => {
            i64::try_from(rh(100 * i128::from(saving.0), i128::from(full))).unwrap_or(100)
        }
    };
    Some(Saving { saving, percent, per_month: cycle_price.share(1, months) })
}
