//! Who came back in time.

use std::time::Duration;

use bipe_nodes::tests::n3::soon;

#[test]
fn who_comes_back_late_does_not_come_back_in_time() {
    let absences = [1, 8_000, 8_001, 60_000].map(Duration::from_millis);
    assert_eq!(soon(&absences), 2);
    assert_eq!(soon(&[]), 0);
}
