//! What a live connection has received, in short.

use serde_json::Value;

pub fn kinds(envelopes: &[Value]) -> Vec<&str> {
    envelopes.iter().map(|envelope| envelope["type"].as_str().unwrap()).collect()
}

/// The numbers of the events among them.
pub fn seqs(envelopes: &[Value]) -> Vec<i64> {
    let events = envelopes.iter().filter(|envelope| envelope["type"] == "event");
    events.map(|event| event["seq"].as_i64().unwrap()).collect()
}
