//! The bytes of a live socket: the meter that stands before the codec of actix-http.

use actix_http::ws::Parser;
use actix_web::web::BytesMut;
use bipe_http::live::frame::MESSAGE_LIMIT;
use bipe_http::live::length::FrameMeter;
use bipe_simulator::for_each_text;

/// Bytes of the longest head of a frame.
const HEAD: usize = 14;

/// In hexadecimal; a dot ends the bytes that arrive at once.
const BYTES: &[&str] = &[
    "81",
    "89",
    "88",
    "00",
    "02",
    "01",
    "82",
    "80",
    "83616263",
    "00000000",
    "fe",
    "ff",
    "7e",
    "7f",
    "2000",
    "2001",
    "0000000000002000",
    "0000000000002001",
    "ffffffffffffffff",
    "fd",
    "7d",
    ".",
    "818500000000",
    "68656c6c6f",
    "c1",
    "8880",
    "88820000000003e8",
];

#[test]
fn no_more_than_a_frame_is_kept_and_no_frame_is_passed_that_is_too_long() {
    for_each_text!("wire", BYTES, |text: &str| {
        let parts: Vec<Vec<u8>> = text.split('.').map(bytes).collect();
        let whole = parts.concat();
        let mut meter = FrameMeter::default();
        let is_allowed = parts.iter().all(|part| meter.allow(part));
        // However it is cut.
        let mut slices = FrameMeter::default();
        assert_eq!(whole.chunks(1).all(|part| slices.allow(part)), is_allowed, "{text}");
        assert_eq!(longest(&whole) <= u64::try_from(MESSAGE_LIMIT).unwrap(), is_allowed, "{text}");
        if is_allowed {
            let mut kept = BytesMut::new();
            for part in &parts {
                kept.extend_from_slice(part);
                while let Ok(Some((_, _, payload))) = Parser::parse(&mut kept, true, MESSAGE_LIMIT)
                {
                    assert!(payload.is_none_or(|payload| payload.len() <= MESSAGE_LIMIT));
                }
            }
            let is_broken = Parser::parse(&mut kept, true, MESSAGE_LIMIT).is_err();
            assert!(is_broken || kept.len() <= HEAD + MESSAGE_LIMIT, "{} bytes wait", kept.len());
        }
    });
}

fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|sign| sign.to_digit(16)?.try_into().ok()).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// What RFC 6455 says about the lengths of the frames that begin in the bytes: the longest that is known.
fn longest(mut rest: &[u8]) -> u64 {
    let mut longest = 0;
    while let [_, second, more @ ..] = rest {
        let extended = match second & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mask = if second & 0x80 == 0 { 0 } else { 4 };
        if more.len() < extended + mask {
            break;
        }
        let length = match extended {
            0 => u64::from(second & 0x7f),
            _ => more[..extended].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        };
        longest = longest.max(length);
        let payload = &more[extended + mask..];
        let passed = usize::try_from(length).unwrap_or(usize::MAX).min(payload.len());
        rest = &payload[passed..];
    }
    longest
}
