//! What a peer broadcasts.

use bipe_swarm::target::{EVENT_BYTES, event};

#[test]
fn an_event_has_its_size() {
    for n in [1, 99, 123_456] {
        assert_eq!(event(n).len(), EVENT_BYTES);
    }
}
