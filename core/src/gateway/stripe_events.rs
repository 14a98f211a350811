//! The provider's list of events, for webhooks that never came. The library's type of an event fails on objects that
//! it does not know. So the request is made here, and each event is kept as the provider sent it.

use jiff::{SignedDuration, Timestamp};
use miniserde::Deserialize;
use miniserde::json::Value;
use serde::Serialize;
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest};

use super::webhook::{Event, SUBSCRIBED};
use super::wire::id_of;

/// The provider's largest page.
const PAGE: u32 = 100;
/// Events of a list that are read at once, some megabytes.
const PART: usize = 1_000;

#[derive(Serialize)]
pub struct ListEvents<'a> {
    created: Span,
    limit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    starting_after: Option<&'a str>,
    types: &'static [&'static str],
}

#[derive(Serialize)]
struct Span {
    gte: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lt: Option<i64>,
}

impl<'a> ListEvents<'a> {
    /// Newest first; `until` is left out, and `last` is the last event of the page before.
    pub fn between(since: Timestamp, until: Option<Timestamp>, last: Option<&'a str>) -> Self {
        let created = Span { gte: since.as_second(), lt: until.map(Timestamp::as_second) };
        Self { created, limit: PAGE, starting_after: last, types: SUBSCRIBED }
    }
}

impl StripeRequest for ListEvents<'_> {
    type Output = WireEvents;

    fn build(&self) -> RequestBuilder {
        RequestBuilder::new(StripeMethod::Get, "/events").query(self)
    }
}

#[derive(Deserialize)]
pub struct WireEvents {
    pub has_more: bool,
    data: Vec<Value>,
}

impl WireEvents {
    /// Each with the text that its webhook would have had.
    pub fn events(&self) -> Vec<(Event, String)> {
        let texts = self.data.iter().map(miniserde::json::to_string);
        texts.filter_map(|text| Some((Event::parse(text.as_bytes())?, text))).collect()
    }

    /// The last event of the page.
    pub fn last_id(&self) -> Option<String> {
        self.data.last().and_then(id_of)
    }
}

/// The end of what is left of a list when a part of it was read, the newest events first. The oldest second that was
/// read may go on, so it is left too. None while the part is too small, or of one second: leaving that would never end.
pub fn rest_after(events: &[(Event, String)]) -> Option<Timestamp> {
    let created = |entry: &(Event, String)| entry.0.created;
    let (newest, oldest) = events.first().and_then(created).zip(events.last().and_then(created))?;
    let is_part = events.len() >= PART && oldest < newest;
    oldest.checked_add(SignedDuration::from_secs(1)).ok().filter(|_| is_part)
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;

    #[test]
    fn a_part_of_a_list_ends_between_two_seconds() {
        let rest = |newest: i64, count: usize| {
            let seconds = iter::once(newest).chain(iter::repeat_n(7, count - 1));
            let event = |created: i64| {
                let text = format!(r#"{{"id":"e","type":"k","created":{created}}}"#);
                (Event::parse(text.as_bytes()).unwrap(), text)
            };
            let events: Vec<(Event, String)> = seconds.map(event).collect();
            rest_after(&events).map(Timestamp::as_second)
        };
        assert_eq!(rest(8, PART), Some(8), "the second of the oldest is read again");
        assert_eq!(rest(8, PART - 1), None);
        assert_eq!(rest(7, PART), None, "one second is read whole");
        assert_eq!(rest_after(&[]), None);
    }
}
