//! The provider's list of events, for webhooks that never came. The library's type of an event fails on objects that
//! it does not know. So the request is made here, and each event is kept as the provider sent it.

use jiff::Timestamp;
use miniserde::Deserialize;
use miniserde::json::Value;
use serde::Serialize;
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest};

use super::webhook::{Event, SUBSCRIBED};

/// The provider's largest page.
const PAGE: u32 = 100;

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
    /// Newest first; `until` is left out, and `after` is the last event of the page before.
    pub fn between(since: Timestamp, until: Option<Timestamp>, after: Option<&'a str>) -> Self {
        let created = Span { gte: since.as_second(), lt: until.map(Timestamp::as_second) };
        Self { created, limit: PAGE, starting_after: after, types: SUBSCRIBED }
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
}
