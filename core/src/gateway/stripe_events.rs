//! The provider's list of events, for webhooks that never came. The library's type of an event fails on objects that
//! it does not know. So the request is made here, and each event is kept as the provider sent it.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use miniserde::Deserialize;
use miniserde::json::Value;
use serde::Serialize;
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest};

use super::webhook::{Event, SUBSCRIBED};
use super::wire::id_of;
use super::{EventPart, ProviderAnswer};

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
    has_more: bool,
    data: Vec<Value>,
}

impl WireEvents {
    /// Each with the text that its webhook would have had.
    fn events(&self) -> Vec<(Event, String)> {
        let texts = self.data.iter().map(miniserde::json::to_string);
        texts.filter_map(|text| Some((Event::parse(text.as_bytes())?, text))).collect()
    }

    /// The last event of the page, where another page follows.
    fn end(&self) -> Option<String> {
        self.data.last().and_then(id_of).filter(|_| self.has_more)
    }
}

/// Reads a list page by page, to its end or until a part of it was read, the newest events. `page_after` asks for the
/// page that follows an event, or for the first one. A list that comes back to a page has no end, so nothing of it is
/// taken.
pub async fn read_part<F>(page_after: impl Fn(Option<String>) -> F) -> ProviderAnswer<EventPart>
where
    F: Future<Output = ProviderAnswer<WireEvents>>,
{
    let (mut events, mut last, mut ends) = (Vec::new(), None, HashSet::new());
    loop {
        let page = match page_after(last).await {
            ProviderAnswer::Done(page) => page,
            failure => return failure.map(|_| EventPart::default()),
        };
        events.extend(page.events());
        let end = page.end();
        if end.clone().is_some_and(|end| !ends.insert(end)) {
            tracing::error!("the payment provider's list of events repeats a page");
            return ProviderAnswer::Unknown;
        }
        let rest_until = end.as_ref().and_then(|_| rest_after(&events));
        if end.is_none() || rest_until.is_some() {
            return ProviderAnswer::Done(EventPart { events, rest_until });
        }
        last = end;
    }
}

/// The end of what is left of a list when a part of it was read, the newest events first. The oldest second that was
/// read may go on, so it is left too. None while the part is too small, or of one second: leaving that would never end.
fn rest_after(events: &[(Event, String)]) -> Option<Timestamp> {
    let created = |entry: &(Event, String)| entry.0.created;
    let (newest, oldest) = events.first().and_then(created).zip(events.last().and_then(created))?;
    let is_part = events.len() >= PART && oldest < newest;
    oldest.checked_add(SignedDuration::from_secs(1)).ok().filter(|_| is_part)
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::iter;

    use super::*;

    #[tokio::test]
    async fn of_many_events_the_newest_are_answered_with_the_end_of_the_others() {
        let page_after = |last: Option<String>| {
            let first = last.map_or(0, |id| id.replace("evt_", "").parse::<i64>().unwrap() + 1);
            let event = |number: i64| {
                let created = 1_800_000_000 - number / 500;
                format!(r#"{{"id":"evt_{number}","type":"k","created":{created}}}"#)
            };
            let events: Vec<String> = (first..first + 100).map(event).collect();
            let page = format!(r#"{{"has_more":true,"data":[{}]}}"#, events.join(","));
            ready(ProviderAnswer::Done(miniserde::json::from_str::<WireEvents>(&page).unwrap()))
        };
        let EventPart { events, rest_until } = read_part(page_after).await.done().unwrap();
        let ids: HashSet<&str> = events.iter().map(|(event, _)| event.id.as_str()).collect();
        // The last second may go on on the next page.
        let end = rest_until.map(Timestamp::as_second);
        assert_eq!((events.len(), ids.len(), end), (PART, PART, Some(1_800_000_000)));
    }

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
