//! Requests of the collector of traces.

use bipe_swarm::payments::traces::length;

#[test]
fn a_request_is_taken_when_it_is_whole() {
    let whole = b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
    assert_eq!(length(whole), Some(whole.len()));
    assert_eq!(length(&[&whole[..], b"POST"].concat()), Some(whole.len()));
    assert_eq!(length(&whole[..whole.len() - 1]), None);
}
