//! Frames of every length.

use bipe_swarm::herd::wire::{TEXT, first, text};

const FINAL: u8 = 0x80;

#[test]
fn a_frame_of_every_length_is_found_whole_and_never_before_its_end() {
    for len in [0, 1, 125, 126, 300, 65_535, 65_536, 70_000] {
        let mut bytes = vec![FINAL | TEXT];
        match len {
            0..=125 => bytes.push(u8::try_from(len).unwrap()),
            126..=65_535 => {
                bytes.push(126);
                bytes.extend(u16::try_from(len).unwrap().to_be_bytes());
            }
            _ => {
                bytes.push(127);
                bytes.extend(u64::try_from(len).unwrap().to_be_bytes());
            }
        }
        bytes.extend(vec![b'x'; len]);
        assert_eq!(first(&bytes[..bytes.len() - 1]), None, "{len}");
        let whole = bytes.len();
        bytes.extend(b"next");
        let (kind, payload, end) = first(&bytes).unwrap();
        assert_eq!((kind, payload.len(), end), (TEXT, len, whole));
    }
}

#[test]
fn what_is_sent_is_masked_with_zero() {
    let mut out = Vec::new();
    text("ab", &mut out);
    assert_eq!(out, [0x81, 0x82, 0, 0, 0, 0, b'a', b'b']);
    let mut long = Vec::new();
    text(&"x".repeat(200), &mut long);
    assert_eq!(long[..4], [0x81, 0xfe, 0, 200]);
    assert_eq!(long.len(), 2 + 2 + 4 + 200);
}
