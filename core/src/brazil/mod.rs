//! Formats and calendars of Brazil: PIX code, boleto, bank days, CPF and CNPJ, postal codes, cards, local time.
//!
//! Pure. Called by the nouns and by the sandbox provider. Days, months and billing boundaries of Bipe
//! are those of America/Sao_Paulo, from the time zone data built into the program, never a fixed offset.

pub mod boleto;
pub mod calendar;
pub mod card;
pub mod cnpj;
pub mod cpf;
pub mod dates_pt_br;
pub mod latin;
pub mod pix;
pub mod postal;
pub mod tax_id;

use std::sync::LazyLock;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::invisible::is_ignorable;

#[expect(clippy::expect_used, reason = "the tz database is compiled into the program")]
static SAO_PAULO: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Sao_Paulo").expect("America/Sao_Paulo is in the bundled tz database")
});

/// Wall time in America/Sao_Paulo.
pub fn local(at: Timestamp) -> DateTime {
    SAO_PAULO.to_datetime(at)
}

/// A day as it is written: `2026-11-21`.
pub fn parse_day(raw: &str) -> Option<Date> {
    let is_shaped = raw.len() == 10 && raw.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    raw.parse().ok().filter(|_| is_shaped)
}

/// The local day of an instant.
pub fn local_date(at: Timestamp) -> Date {
    local(at).date()
}

/// The instant of a local wall time. One that a clock change skipped keeps the offset before the gap,
/// one that happened twice is the first.
pub fn instant(wall: DateTime) -> Timestamp {
    SAO_PAULO.to_ambiguous_timestamp(wall).compatible().unwrap_or(Timestamp::MAX)
}

/// The first instant of a local day.
pub fn day_start(day: Date) -> Timestamp {
    instant(day.at(0, 0, 0, 0))
}

/// The first days of the last `count` months, the running one included, oldest first.
pub fn last_months(now: Timestamp, count: i32) -> Vec<Date> {
    let running = local_date(now).first_of_month();
    (0..count).rev().map(|back| running.saturating_sub(back.months())).collect()
}

/// So many times 24 hours earlier.
pub fn days_before(at: Timestamp, days: i64) -> Timestamp {
    at.saturating_sub(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MIN)
}

/// The last second of a local day.
pub fn end_of_day(day: Date) -> Timestamp {
    instant(day.at(23, 59, 59, 0))
}

/// What is left of a number when the marks of its mask are taken off, and what documents and other programs write in
/// their place or around them: spaces and dashes of any kind, marks without a shape. The web app's forms do alike.
fn unmasked(text: &str) -> String {
    let is_mask = |c: char| {
        let is_mark = matches!(c, '.' | '-' | '/' | '\u{2010}'..='\u{2015}' | '\u{2212}');
        is_mark || c.is_whitespace() || is_ignorable(c)
    };
    text.chars().filter(|c| !is_mask(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::unmasked;

    #[test]
    fn a_number_is_read_as_documents_and_other_programs_write_it() {
        for text in [
            "111.444.777/35",
            "111.444.777\u{2013}35",
            "111.444.777\u{2011}35",
            "111.444.777\u{2212}35",
            "\u{202d}11144477735\u{202c}",
            "\u{200b}111\u{a0}444\u{202f}777 35\t",
        ] {
            assert_eq!(unmasked(text), "11144477735", "{text:?}");
        }
        assert_eq!(unmasked("12,ab_١"), "12,ab_١");
    }
}
