//! What asks for a part of a list: the text that is searched for, days, actions, ids behind which the next part begins,
//! names of channels.

use bipe_core::company_audit::LogFilter;
use bipe_core::error::FieldErrors;
use bipe_core::event::Channel;
use bipe_core::id::PaymentId;
use bipe_core::payment::admin::PaymentSearch;
use bipe_core::search::{days, pattern};
use bipe_simulator::for_each_text;

const SEARCHES: &[&str] = &[
    "%",
    "_",
    r"\",
    r"\%",
    "％",
    " ",
    "\u{a0}",
    "\u{0}",
    "\u{e9}",
    "\u{1f600}",
    "\t",
    "111.444.777-35",
    "018f0000-0000-7000-8000-000000000001",
    "018f0000-00",
    "000123",
    "pi_1",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

#[test]
fn a_search_looks_for_what_was_typed_and_for_nothing_else() {
    for_each_text!("searches", SEARCHES, |text: &str| {
        let typed = text.trim();
        let Ok(found) = pattern(Some(text)) else {
            assert!(typed.chars().count() > 100 || typed.chars().any(char::is_control), "{text:?}");
            return;
        };
        assert_eq!(found.is_none(), typed.is_empty(), "{text:?}");
        let Some(found) = found else { return };
        assert_eq!(meant(&found).as_deref(), Some(typed));
        assert!(PaymentSearch::parse(Some(text)).unwrap().is_some(), "{text:?}");
    });
}

/// What `LIKE` finds anywhere in a text, unless a wildcard is left between the outer ones.
fn meant(pattern: &str) -> Option<String> {
    let inner = pattern.strip_prefix('%')?.strip_suffix('%')?;
    let (mut literal, mut signs) = (String::new(), inner.chars());
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => literal.push(signs.next()?),
            '%' | '_' => return None,
            sign => literal.push(sign),
        }
    }
    Some(literal)
}

const DAYS: &[&str] = &[
    "2026-11-21",
    "2026-11-21\n2026-11-22",
    "1999-12-31",
    "9998-12-31",
    "2026-02-30",
    "-",
    "\n",
    "T00:00",
    "Z",
    "payment",
    "payment.start",
    ".",
    "018f0000-0000-7000-8000-000000000001",
    "\u{661}",
    "+2026-01-01",
    "0",
];

#[test]
fn days_that_are_taken_are_written_so_and_end_behind_their_beginning() {
    for_each_text!("days", DAYS, |text: &str| {
        let (from, to) = text.split_once('\n').unwrap_or((text, ""));
        let mut errors = FieldErrors::default();
        let Some((since, until)) = days(&mut errors, (Some(from), Some(to))) else {
            assert!(errors.into_result(Some(())).is_err(), "{text:?} is refused with its field");
            return;
        };
        for (text, instant) in [(from, since), (to, until)] {
            assert_eq!(instant.is_none(), text.is_empty(), "{text:?}");
            assert!(text.is_empty() || text.len() == 10, "{text:?}");
        }
        if let (Some(since), Some(until)) = (since, until) {
            assert!(since < until, "{text:?}");
        }
    });
}

#[test]
fn a_filter_of_the_audit_takes_names_of_actions_alone() {
    for_each_text!("actions", DAYS, |text: &str| {
        let (actor, action) = text.split_once('\n').unwrap_or(("", text));
        if LogFilter::parse(Some(actor), Some(action), (None, None)).is_ok() {
            let is_name = |sign: char| sign.is_ascii_lowercase() || ['.', '_'].contains(&sign);
            assert!(action.len() <= 60 && action.chars().all(is_name), "{action:?}");
            assert!(actor.is_empty() || actor.parse::<PaymentId>().is_ok(), "{actor:?}");
        }
    });
}

const NAMES: &[&str] = &[
    "company/",
    "user/",
    "user",
    "plans",
    "admin/metrics",
    "admin/activity",
    "018f0000-0000-7000-8000-000000000001",
    "018F0000-0000-7000-8000-00000000000A",
    "018f0000000070008000000000000001",
    "urn:uuid:",
    "{",
    "}",
    "/",
    "\u{0}",
    "\u{e9}",
];

#[test]
fn an_id_and_a_channel_are_written_as_they_are_read() {
    for_each_text!("names", NAMES, |text: &str| {
        if let Ok(id) = text.parse::<PaymentId>() {
            assert_eq!(id.to_string().parse::<PaymentId>().unwrap(), id);
        }
        if let Some(channel) = Channel::parse_stored(text) {
            assert_eq!(channel.stored(), text, "a channel has one name");
        }
    });
}
