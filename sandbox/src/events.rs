//! The list of events, for a reader who has missed webhooks.

use serde_json::Value;

use crate::expand::{self, PAGING};
use crate::fault::Fault;
use crate::objects::Event;
use crate::pipeline::Call;
use crate::store::Tx;
use crate::wire;

pub fn retrieve(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    let row = tx.state.events.find(&call.id)?;
    Ok(wire::event(row, tx.state.is_pending(&row.id)))
}

pub fn list(tx: &mut Tx<'_>, call: &Call) -> Result<Value, Fault> {
    call.params.only(&[&PAGING[..], &["created", "type", "types"]].concat())?;
    let mut kinds = call.params.list("types");
    kinds.extend(call.params.text("type"));
    let keep =
        |row: &Event| kinds.is_empty() || kinds.iter().any(|kind| matches_kind(kind, &row.kind));
    let state = &tx.state;
    let render = |row: &Event| wire::event(row, state.is_pending(&row.id));
    expand::list(&state.events, &call.params, "/v1/events", keep, render)
}

/// `payment_intent.*` stands for all of them.
fn matches_kind(pattern: &str, kind: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => kind.starts_with(prefix),
        None => kind == pattern,
    }
}
