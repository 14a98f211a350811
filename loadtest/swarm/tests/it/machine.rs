//! What this process takes of the machine.

use bipe_swarm::machine::{busy, descriptors, family, pss, threads};

#[test]
fn this_process_has_memory_time_descriptors_threads_and_a_family() {
    let own = std::process::id();
    assert!(pss(own).unwrap() > 100);
    assert!(busy(own).unwrap() >= 0.0);
    assert!(descriptors(own).unwrap() > 2 && threads(own).unwrap() > 1);
    assert!(family(own).unwrap().contains(&own));
}
