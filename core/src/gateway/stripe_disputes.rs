//! The disputes of a payment. A charge that was ever disputed says so for ever: whether the bank has the money is told
//! by the disputes themselves. Called by `stripe` alone.

use miniserde::Deserialize;
use serde::Serialize;
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest};

use super::wire::WireList;

#[derive(Serialize)]
pub struct ListDisputes<'a> {
    payment_intent: &'a str,
    limit: i64,
}

impl<'a> ListDisputes<'a> {
    pub fn of(payment_intent: &'a str, limit: i64) -> Self {
        Self { payment_intent, limit }
    }
}

impl StripeRequest for ListDisputes<'_> {
    type Output = WireList<WireDispute>;

    fn build(&self) -> RequestBuilder {
        RequestBuilder::new(StripeMethod::Get, "/disputes").query(self)
    }
}

#[derive(Deserialize)]
pub struct WireDispute {
    status: Option<String>,
}

impl WireDispute {
    /// The bank took the money and has not given it back. A mere inquiry (`warning_…`) takes nothing.
    pub fn holds_money(&self) -> bool {
        matches!(self.status.as_deref(), Some("needs_response" | "under_review" | "lost"))
    }
}
