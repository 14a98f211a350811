//! Events of names that this build does not know, as beside newer nodes. They are passed on as they are; this counts
//! them, and the log tells of them once a minute. Called by the session for each event that it has appended.

use bipe_core::clock::Clock;
use bipe_core::event::CommittedName;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

const TOLD_EVERY: SignedDuration = SignedDuration::from_mins(1);
static TOLD_AT: Mutex<Option<Timestamp>> = Mutex::new(None);

pub(super) fn note(names: &[CommittedName], clock: &Clock) {
    for name in names {
        let CommittedName::Newer(name) = name else { continue };
        metrics::counter!("bipe_live_newer_events_total").increment(1);
        let (now, mut told_at) = (clock.now(), TOLD_AT.lock());
        if told_at.is_none_or(|told| now.duration_since(told) >= TOLD_EVERY) {
            *told_at = Some(now);
            tracing::info!(event = name.as_str(), "an event of a newer build is passed on");
        }
    }
}
