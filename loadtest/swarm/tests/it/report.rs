//! The goals of a steady rate of commands.

use std::time::Duration;

use bipe_swarm::page::Lines;
use bipe_swarm::report::{Report, Times};
use tokio::time::Instant;

fn ends_well(at: Instant) -> bool {
    let times = Times::default();
    times.schedule(1, at);
    times.arrived(1);
    times.answered(at, true, true);
    let (idle, connected, loaded) = (0, 0, 0);
    let report = Report { idle, connected, loaded, times: &times, sockets: 1, rate: 1 };
    let mut lines = Lines::new("");
    report.print(&mut lines);
    lines.end(None).is_ok()
}

#[test]
fn a_command_that_is_sent_late_is_late() {
    let now = Instant::now();
    assert!(ends_well(now + Duration::from_secs(60)));
    assert!(!ends_well(now.checked_sub(Duration::from_millis(20)).unwrap()));
}
