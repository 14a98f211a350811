//! The payload of a job as its row keeps it: what the job's kind needs, and the place of the work that adds the job.

use serde::{Deserialize, Serialize};

use super::JobKind;
use crate::error::{Error, Result};
use crate::trace::{self, Traceparent};

/// The payload as a row keeps it, with the place of the work that adds the job.
///
/// # Errors
/// `Internal` when the payload cannot be serialised.
pub(crate) fn payload_text(kind: JobKind, payload: &impl Serialize) -> Result<String> {
    let trace = trace::current().filter(|_| kind.continues_a_trace());
    text_of(payload, trace).map_err(Error::internal)
}

fn text_of(payload: &impl Serialize, trace: Option<Traceparent>) -> serde_json::Result<String> {
    match trace.map(|place| place.to_string()) {
        Some(traceparent) => serde_json::to_string(&Traced { payload, traceparent }),
        None => serde_json::to_string(payload),
    }
}

#[derive(Serialize)]
struct Traced<'a, T> {
    #[serde(flatten)]
    payload: &'a T,
    traceparent: String,
}

/// Builds before traces and handlers of jobs read past it.
#[derive(Deserialize)]
struct Traceable {
    traceparent: Option<String>,
}

pub(super) fn trace_of(payload: &str) -> Option<Traceparent> {
    let known: Traceable = serde_json::from_str(payload).ok()?;
    Traceparent::parse(&known.traceparent?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook_inbox::WebhookJob;

    #[test]
    fn a_payload_keeps_the_trace_and_reads_as_it_did_without() {
        let webhook = WebhookJob { event_id: "evt_1".into(), hint: None };
        let place = Traceparent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        let (plain, traced) = (text_of(&webhook, None).unwrap(), text_of(&webhook, place).unwrap());
        assert_eq!((plain.as_str(), trace_of(&plain)), (r#"{"event_id":"evt_1"}"#, None));
        assert!(place.is_some() && trace_of(&traced) == place, "{traced}");
        let read: WebhookJob = serde_json::from_str(&traced).unwrap();
        assert_eq!(read.event_id, "evt_1");
        assert_eq!(trace_of(r#"{"traceparent":"ana@example.com"}"#), None);
        assert_eq!(
            (trace_of("null"), trace_of("[]"), trace_of(r#"{"traceparent":7}"#)),
            (None, None, None)
        );
    }
}
