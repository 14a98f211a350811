//! Events of names that this build does not know, as beside newer nodes. They are passed on as they are; this counts
//! them, and the log tells of them once a minute. Called by the session for each event that it has appended.

use bipe_core::event::CommittedName;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::last_logged::LastLogged;

static LOGGED: Mutex<LastLogged> = Mutex::new(LastLogged::NEVER);

pub(super) fn note(names: &[CommittedName]) {
    for name in names {
        let CommittedName::Newer(name) = name else { continue };
        metrics::counter!("bipe_live_newer_events_total").increment(1);
        if LOGGED.lock().is_due(Instant::now()) {
            tracing::info!(event = name.as_str(), "an event of a newer build is passed on");
        }
    }
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
        metrics::with_local_recorder(&recorder, || note(&names));
        let counted = recorder.handle().render();
        assert!(counted.contains("bipe_live_newer_events_total 2"), "{counted}");
    }
}
