//! The period that a platform admin asks for, and the months or days that it is shown by.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::brazil;
use crate::error::{Error, FieldCode, FieldErrors, Result};

const DEFAULT: &str = "30d";
const PERIODS: [(&str, i64); 4] = [("7d", 7), (DEFAULT, 30), ("90d", 90), ("1y", 365)];
/// Three years and a day.
const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 1097);
const OLDEST_YEAR: i16 = 2000;
/// The screens show the last three months as numbers.
const FEWEST_MONTHS: usize = 3;
/// A period of days is read at as many instants.
const MAX_DAYS: usize = 32;

/// `[start, end)`; `end` is never in the future.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    pub start: Timestamp,
    pub end: Timestamp,
    /// As it was asked for: `30d`, or `2026-11-01/2026-11-15`.
    pub label: String,
    by_day: bool,
}

/// A month or a day with its half-open instants; the running one ends where the period does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalendarInterval {
    pub first: Date,
    pub start: Timestamp,
    pub end: Timestamp,
    is_day: bool,
}

impl CalendarInterval {
    /// `2026-11`, or `2026-11-21`
    pub fn name(&self) -> String {
        let format = if self.is_day { "%Y-%m-%d" } else { "%Y-%m" };
        self.first.strftime(format).to_string()
    }
}

impl Period {
    /// `period`, or both days; 30 days when nothing is asked for.
    ///
    /// # Errors
    /// `Invalid` with the fields.
    pub fn parse(
        period: Option<&str>,
        (first, last): (Option<&str>, Option<&str>),
        now: Timestamp,
    ) -> Result<Self> {
        if first.is_none() && last.is_none() {
            let label = period.unwrap_or(DEFAULT);
            let known = PERIODS.iter().find(|(name, _)| *name == label);
            let (label, days) =
                known.ok_or_else(|| Error::invalid("period", FieldCode::Invalid))?;
            let start = brazil::days_before(now, *days);
            return Ok(Self { start, end: now, label: (*label).to_owned(), by_day: false });
        }
        let mut errors = FieldErrors::default();
        let from = errors.take("startDate", day(first));
        let to = errors.take("endDate", day(last));
        let (Some(from), Some(to)) = (from, to) else { return Err(Error::Invalid(errors)) };
        let start = brazil::day_start(from);
        let end = brazil::day_start(to.saturating_add(1.day())).min(now);
        if start >= now {
            errors.add("startDate", FieldCode::Invalid);
        } else if from > to || end.duration_since(start) > LONGEST {
            errors.add("endDate", FieldCode::Invalid);
        }
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        Ok(Self { start, end, label: format!("{from}/{to}"), by_day: false })
    }

    /// Shown by `month`, as without a word, or by `day`.
    ///
    /// # Errors
    /// `Invalid(interval)` for another word and for days of more than a month.
    pub fn by(self, interval: Option<&str>) -> Result<Self> {
        let by_day = match interval {
            None | Some("" | "month") => false,
            Some("day") if self.days().len() <= MAX_DAYS => true,
            _ => return Err(Error::invalid("interval", FieldCode::Invalid)),
        };
        Ok(Self { by_day, ..self })
    }

    /// What the period is shown by, oldest first.
    pub fn intervals(&self) -> Vec<CalendarInterval> {
        if self.by_day { self.days() } else { self.months() }
    }

    /// The days that the period touches, oldest first.
    fn days(&self) -> Vec<CalendarInterval> {
        let mut first = brazil::local_date(self.start);
        let mut days = Vec::new();
        loop {
            let (start, next) = (brazil::day_start(first), first.saturating_add(1.day()));
            if start >= self.end {
                return days;
            }
            let end = brazil::day_start(next).min(self.end);
            days.push(CalendarInterval { first, start, end, is_day: true });
            first = next;
        }
    }

    /// The start of the equal period before.
    pub fn before(&self) -> Timestamp {
        let length = self.end.duration_since(self.start);
        self.start.checked_sub(length).unwrap_or(Timestamp::MIN)
    }

    /// The months that the period touches, at least three, oldest first.
    pub fn months(&self) -> Vec<CalendarInterval> {
        let oldest = brazil::local_date(self.start).first_of_month();
        let mut first = brazil::local_date(self.end).first_of_month();
        // A period that ends with a month has nothing of the next one.
        if brazil::day_start(first) >= self.end {
            first = first.saturating_sub(1.month());
        }
        let mut months = Vec::new();
        let mut end = self.end;
        while first >= oldest || months.len() < FEWEST_MONTHS {
            let start = brazil::day_start(first);
            months.push(CalendarInterval { first, start, end, is_day: false });
            end = start;
            first = first.saturating_sub(1.month());
        }
        months.reverse();
        months
    }
}

/// The first day of a month that is written as `2026-11`.
pub fn parse_month(raw: &str) -> Result<Date, FieldCode> {
    day(Some(&format!("{raw}-01")))
}

fn day(raw: Option<&str>) -> Result<Date, FieldCode> {
    let raw = raw.ok_or(FieldCode::Required)?;
    let day = brazil::parse_day(raw).filter(|day| day.year() >= OLDEST_YEAR);
    day.ok_or(FieldCode::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn names(period: &Period) -> Vec<String> {
        period.months().iter().map(CalendarInterval::name).collect()
    }

    #[test]
    fn a_period_ends_now_and_has_an_equal_one_before_it() {
        let now = at("2026-11-21T15:00:00Z");
        let period = Period::parse(None, (None, None), now).unwrap();
        assert_eq!((period.label.as_str(), period.end), ("30d", now));
        assert_eq!(period.start, at("2026-10-22T15:00:00Z"));
        assert_eq!(period.before(), at("2026-09-22T15:00:00Z"));
        for wrong in ["", "31d", "30D", "1m"] {
            assert!(Period::parse(Some(wrong), (None, None), now).is_err(), "{wrong}");
        }
    }

    #[test]
    fn days_are_local_and_both_are_inside() {
        let now = at("2026-11-21T15:00:00Z");
        let parse = |a, b| Period::parse(None, (Some(a), Some(b)), now);
        let past = parse("2026-11-01", "2026-11-15").unwrap();
        assert_eq!(past.start, at("2026-11-01T03:00:00Z"));
        assert_eq!(past.end, at("2026-11-16T03:00:00Z"));
        assert_eq!(past.label, "2026-11-01/2026-11-15");
        assert_eq!(parse("2026-11-21", "2030-01-01").unwrap().end, now);
        for (a, b) in [
            ("2026-11-22", "2026-11-23"),
            ("2026-11-15", "2026-11-01"),
            ("2020-01-01", "2026-01-01"),
            ("1999-12-31", "2000-01-01"),
            ("2026-02-30", "2026-03-01"),
            ("2026-1-1", "2026-03-01"),
        ] {
            assert!(parse(a, b).is_err(), "{a} {b}");
        }
        assert!(Period::parse(None, (Some("2026-11-01"), None), now).is_err());
    }

    #[test]
    fn months_tile_and_are_at_least_three() {
        let now = at("2026-11-21T15:00:00Z");
        let week = Period::parse(Some("7d"), (None, None), now).unwrap();
        assert_eq!(names(&week), ["2026-09", "2026-10", "2026-11"]);
        let year = Period::parse(Some("1y"), (None, None), now).unwrap();
        let months = year.months();
        assert_eq!((months.len(), months[0].name().as_str()), (13, "2025-11"));
        assert!(months.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(months[12].end, now);
        let past = Period::parse(None, (Some("2026-03-01"), Some("2026-03-31")), now).unwrap();
        assert_eq!(names(&past), ["2026-01", "2026-02", "2026-03"]);
        assert_eq!(past.months()[2].end, at("2026-04-01T03:00:00Z"));
    }

    #[test]
    fn a_short_period_is_shown_by_its_days_and_a_long_one_is_not() {
        let now = at("2026-11-21T15:00:00Z");
        let period = |name| Period::parse(Some(name), (None, None), now).unwrap();
        let week = period("7d").by(Some("day")).unwrap().intervals();
        let names: Vec<String> = week.iter().map(CalendarInterval::name).collect();
        assert_eq!((names.len(), names[0].as_str()), (8, "2026-11-14"));
        assert!(week.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!((week[0].start, week[7].end), (at("2026-11-14T03:00:00Z"), now));
        assert_eq!(period("30d").by(Some("day")).unwrap().intervals().len(), 31);
        assert!(period("90d").by(Some("day")).is_err());
        assert!(period("7d").by(Some("hour")).is_err());
        assert_eq!(period("7d").by(Some("month")).unwrap(), period("7d"));
        let whole = Period::parse(None, (Some("2026-10-01"), Some("2026-10-31")), now).unwrap();
        assert_eq!(whole.by(Some("day")).unwrap().intervals().len(), 31);
    }

    #[test]
    fn a_month_is_written_in_one_way() {
        assert_eq!(parse_month("2026-11"), Ok(jiff::civil::date(2026, 11, 1)));
        for wrong in ["2026-13", "2026-1", "11/2026", "1999-12", "2026-11-01", ""] {
            assert_eq!(parse_month(wrong), Err(FieldCode::Invalid), "{wrong}");
        }
    }
}
