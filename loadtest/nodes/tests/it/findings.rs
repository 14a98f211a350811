//! What a run says of itself.

use bipe_nodes::findings::{Findings, Verdict};

#[test]
fn one_bound_that_does_not_hold_fails_the_test() {
    let mut findings = Findings::new("N1", true);
    findings.bound(true, "0 gaps", "0");
    assert_eq!(findings.verdict(), Verdict::Passed);
    findings.time(false, "p99 30 ms", "20 ms");
    assert_eq!(findings.verdict(), Verdict::Failed);
}

#[test]
fn every_figure_has_its_row() {
    let mut findings = Findings::new("N1", true);
    findings.bound(true, "gaps 0", "0");
    findings.time(false, "p99 30 ms", "20 ms");
    findings.note("three nodes");
    findings.calculated("   10  100000");
    findings.fail("NATS ended");
    let rows = [
        "| N1 | gaps 0 | 0 | holds | measured |",
        "| N1 | p99 30 ms | 20 ms | DOES NOT HOLD | measured |",
        "| N1 | 10 100000 |  |  | calculated |",
        "| N1 | NATS ended | no failure | DOES NOT HOLD | measured |",
    ];
    assert_eq!(findings.table(), rows);
}

#[test]
fn a_time_is_not_judged_on_a_busy_machine() {
    let mut findings = Findings::new("N1", false);
    findings.time(false, "p99 30 ms", "20 ms");
    assert_eq!(findings.verdict(), Verdict::Passed);
    findings.bound(false, "1 gap", "0");
    assert_eq!(findings.verdict(), Verdict::Failed);
}
