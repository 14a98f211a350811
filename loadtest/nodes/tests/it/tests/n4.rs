//! How evenly sockets come back.

use std::time::Duration;

use bipe_nodes::tests::n4::peak;
use tokio::time::Instant;

#[test]
fn an_even_spread_has_no_peak() {
    let begun = Instant::now();
    let even: Vec<Instant> = (0..800).map(|n| begun + Duration::from_millis(10 * n)).collect();
    assert!((0.9..1.1).contains(&peak(&even)), "{}", peak(&even));
    let at_once = vec![begun; 800];
    assert!(peak(&at_once) > 7.0);
    assert!(peak(&even[..10]) < 0.1, "too few to tell");
}
