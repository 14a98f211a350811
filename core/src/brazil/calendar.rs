//! The bank calendar: business days and the due date of a boleto.
//!
//! Called when a boleto is issued and when its late payment is waited for. Ash Wednesday and 31 December
//! count as business days; state and city holidays are not known (docs/billing.md, "PIX and boleto").

use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan};

use super::{end_of_day, local_date};

/// Holidays with a fixed day: month, day, first year, name.
const FIXED: [(i8, i8, i16, &str); 9] = [
    (1, 1, 0, "Confraternização Universal"),
    (4, 21, 0, "Tiradentes"),
    (5, 1, 0, "Dia do Trabalho"),
    (9, 7, 0, "Independência"),
    (10, 12, 0, "Nossa Senhora Aparecida"),
    (11, 2, 0, "Finados"),
    (11, 15, 0, "Proclamação da República"),
    (11, 20, 2024, "Dia da Consciência Negra"),
    (12, 25, 0, "Natal"),
];

/// Holidays counted in days from Easter.
const MOVABLE: [(i32, &str); 4] = [
    (-48, "Carnaval (segunda)"),
    (-47, "Carnaval (terça)"),
    (-2, "Sexta-feira da Paixão"),
    (60, "Corpus Christi"),
];

/// The bank holidays of a year, by date.
pub fn holidays(year: i16) -> Vec<(Date, &'static str)> {
    let fixed = FIXED
        .iter()
        .filter(|(_, _, since, _)| year >= *since)
        .filter_map(|(month, day, _, name)| Date::new(year, *month, *day).ok().map(|d| (d, *name)));
    let easter = easter(year);
    let movable = MOVABLE.iter().filter_map(|(days, name)| {
        easter.and_then(|e| e.checked_add(days.days()).ok()).map(|d| (d, *name))
    });
    let mut all: Vec<_> = fixed.chain(movable).collect();
    all.sort_unstable();
    all
}

/// Easter Sunday of the Gregorian calendar (the anonymous algorithm of Meeus, Jones and Butcher).
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let n = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(n / 31).ok()?, i8::try_from(n % 31 + 1).ok()?).ok()
}

/// Whether banks settle on that day.
pub fn is_business_day(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
        && !holidays(day.year()).iter().any(|(holiday, _)| *holiday == day)
}

/// The `n`th business day after `from`, which itself never counts.
pub fn add_business_days(from: Date, n: u8) -> Date {
    let mut day = from;
    for _ in 0..n {
        day = day.saturating_add(1.day());
        while !is_business_day(day) && day < Date::MAX {
            day = day.saturating_add(1.day());
        }
    }
    day
}

/// The days of one boleto. `expires_after_days` is what the provider is asked for (due - issue in
/// calendar days); `close_at` is the end of the 2nd business day after the due date: a slip paid on its
/// last day settles by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoletoDue {
    pub issued_on: Date,
    pub due_date: Date,
    pub expires_after_days: i32,
    pub expires_at: Timestamp,
    pub close_at: Timestamp,
}

/// A boleto is due three business days after its local issue date.
pub fn boleto_due(issued_at: Timestamp) -> BoletoDue {
    let issued_on = local_date(issued_at);
    let due_date = add_business_days(issued_on, 3);
    BoletoDue {
        issued_on,
        due_date,
        expires_after_days: (due_date - issued_on).get_days(),
        expires_at: end_of_day(due_date),
        close_at: end_of_day(add_business_days(due_date, 2)),
    }
}
