//! Events of names that this build does not know, as beside newer nodes. They are passed on as they are; this counts
//! them, and the log tells of them once a minute. Called by the session for each event that it has appended.

use bipe_core::clock::Clock;
use bipe_core::event::CommittedName;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

const LOG_EVERY: SignedDuration = SignedDuration::from_mins(1);
static LOGGED_AT: Mutex<Option<Timestamp>> = Mutex::new(None);

pub(super) fn note(names: &[CommittedName], clock: &Clock) {
    for name in names {
        let CommittedName::Newer(name) = name else { continue };
        metrics::counter!("bipe_live_newer_events_total").increment(1);
        if may_log(&mut LOGGED_AT.lock(), clock.now()) {
            tracing::info!(event = name.as_str(), "an event of a newer build is passed on");
        }
    }
}

/// Whether the log may tell of an event now; notes that it did.
fn may_log(logged_at: &mut Option<Timestamp>, now: Timestamp) -> bool {
    let is_due = logged_at.is_none_or(|at| now.duration_since(at) >= LOG_EVERY);
    if is_due {
        *logged_at = Some(now);
    }
    is_due
}

#[cfg(test)]
mod tests {
    use bipe_core::event::EventName;
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn each_event_of_a_newer_build_is_counted() {
        let newer = || CommittedName::of("moon.landed");
        let names = [newer(), EventName::PlanUpdated.into(), newer()];
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || note(&names, &Clock::system()));
        let counted = recorder.handle().render();
        assert!(counted.contains("bipe_live_newer_events_total 2"), "{counted}");
    }

    #[test]
    fn the_log_tells_of_them_once_a_minute() {
        let mut logged_at = None;
        let told = [0, 59, 60, 61, 119, 120].map(|seconds| {
            may_log(&mut logged_at, Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds))
        });
        assert_eq!(told, [true, false, true, false, false, true]);
    }
}
