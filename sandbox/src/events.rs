//! The list of events, for a reader who has missed webhooks.

use serde_json::Value;

use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::objects::Event;
use crate::pipeline::Call;
use crate::store::Tx;

/// Types that a call names at most, as at Stripe.
const MAX_TYPES: usize = 20;

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["created", "type", "types"]].concat())?;
    let mut kinds = call.params.list("types");
    if kinds.len() > MAX_TYPES {
        return Err(Fault::param("types", "You can name at most 20 types of events."));
    }
    kinds.extend(call.params.text("type"));
    let keep =
        |row: &Event| kinds.is_empty() || kinds.iter().any(|kind| matches_kind(kind, &row.kind));
    expand::list(tx, &call.params, "/v1/events", keep)
}

/// `payment_intent.*` stands for all of them.
fn matches_kind(pattern: &str, kind: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => kind.starts_with(prefix),
        None => kind == pattern,
    }
}
