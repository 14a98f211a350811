//! Money: integer centavos inside, decimal reais on the wire, pt-BR text for people (docs/billing.md, "Money").
//!
//! Called by every noun that has a price. No float touches an amount: the number on the wire is read and written as
//! JSON number text, sums are `i64` centavos, products are `i128`, and [`rh`] is the only rounding.

use std::fmt;

use derive_more::{Add, AddAssign, Neg, Sub, SubAssign, Sum};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::column::column;

/// The only currency that Bipe charges.
pub const BRL: &str = "brl";

/// The provider charges nothing below this; less is carried to the next amount due.
pub const MIN_CHARGE: Cents = Cents(50);

/// The largest price on the wire, R$ 999.999,99: the provider takes eight digits.
pub const MAX_PRICE: Cents = Cents(99_999_999);

/// An amount in centavos (`bigint` in the database, a JSON integer under `/payments`).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Add,
    AddAssign,
    Neg,
    Sub,
    SubAssign,
    Sum,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(transparent)]
#[schema(value_type = i64)]
pub struct Cents(pub i64);

impl Cents {
    pub const ZERO: Self = Self(0);

    /// `rh(self * part, whole)`: the share of an amount that falls on `part` of `whole`.
    pub fn share(self, part: i64, whole: i64) -> Self {
        saturate(rh(i128::from(self.0) * i128::from(part), i128::from(whole)))
    }

    /// The amount times a small count (months, cycles).
    pub fn times(self, count: i64) -> Self {
        saturate(i128::from(self.0) * i128::from(count))
    }
}

column!(Cents(i64));

/// pt-BR text as `Intl.NumberFormat` writes it: `R$ 1.234,56` with U+00A0, the minus before the symbol.
impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        let reais = (size / 100).to_string();
        let mut grouped = String::with_capacity(reais.len() + reais.len() / 3);
        for (index, digit) in reais.chars().enumerate() {
            if index > 0 && (reais.len() - index).is_multiple_of(3) {
                grouped.push('.');
            }
            grouped.push(digit);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}R$\u{a0}{grouped},{:02}", size % 100)
    }
}

/// `n / d` rounded half away from zero; `d` is positive.
pub fn rh(n: i128, d: i128) -> i128 {
    n.signum() * ((2 * n.abs() + d) / (2 * d))
}

fn saturate(value: i128) -> Cents {
    Cents(i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX }))
}

/// A price in reais on the wire: a JSON number with at most two places, `0..=999999.99` when read.
/// What is written may be negative (a credit balance) and drops trailing zeros (`49.9`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = f64)]
pub struct Reais(pub Cents);

column!(Reais(Cents));

impl Reais {
    /// Reads JSON number text exactly; `None` for text, exponents, a sign, a third place or too much.
    pub fn parse(json: &str) -> Option<Self> {
        let (whole, places) = json.split_once('.').unwrap_or((json, ""));
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let dangling = json.ends_with('.');
        if whole.is_empty() || dangling || places.len() > 2 || !plain(whole) || !plain(places) {
            return None;
        }
        let cents: i64 = format!("{whole}{places:0<2}").parse().ok()?;
        Some(Cents(cents)).filter(|cents| *cents <= MAX_PRICE).map(Self)
    }
}

/// The JSON number text: no trailing zeros, no point for whole reais.
impl fmt::Display for Reais {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Cents(cents)) = *self;
        let sign = if cents < 0 { "-" } else { "" };
        let size = cents.unsigned_abs();
        match (size / 100, size % 100) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (whole, rest) if rest % 10 == 0 => write!(f, "{sign}{whole}.{}", rest / 10),
            (whole, rest) => write!(f, "{sign}{whole}.{rest:02}"),
        }
    }
}

impl Serialize for Reais {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_string()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Reais {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).ok_or_else(|| {
            de::Error::custom("a price is a number from 0 to 999999.99 with at most two places")
        })
    }
}

/// A JSON number with at most two places, kept in hundredths: money in reais, rates in percent, counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = f64)]
pub struct Decimal(pub i64);

impl Decimal {
    pub fn whole(count: i64) -> Self {
        Self(count.saturating_mul(100))
    }
}

impl From<Cents> for Decimal {
    fn from(Cents(cents): Cents) -> Self {
        Self(cents)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Reais(Cents(self.0)).fmt(f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Reais(Cents(self.0)).serialize(serializer)
    }
}

/// `100 * (value - previous) / previous` with one place; none where nothing came before.
pub fn percent_change(value: Decimal, previous: Decimal) -> Option<Decimal> {
    if previous == Decimal(0) {
        return None;
    }
    let (value, previous) = (i128::from(value.0), i128::from(previous.0));
    let tenths = rh(1000 * (value - previous) * previous.signum(), previous.abs());
    i64::try_from(tenths.saturating_mul(10)).ok().map(Decimal)
}
