//! What a client may do wrong on a socket, drawn at random: the bytes, and the close codes that are right for them.
//! Used by `frames`.

use bipe_simulator::chance::Chance;

use crate::herd::wire::{CLOSE, PING, TEXT};

const BAD_FRAME: u16 = 4003;
const PROTOCOL: u16 = 4000;
/// A ticket that does not exist.
const EXPIRED: u16 = 4301;
/// Our own close frame, echoed: nothing was wrong.
const NORMAL: u16 = 1000;
/// Longest text, also in fragments.
const LIMIT: usize = 8 * 1024;

/// One socket's worth of bytes.
pub struct Case {
    pub what: &'static str,
    pub bytes: Vec<u8>,
    pub codes: Vec<u16>,
    /// Byte by byte.
    pub in_slices: bool,
}

impl Case {
    pub fn of(chance: &mut Chance) -> Self {
        let (what, bytes, codes) = match chance.below(14) {
            0 => ("reserved bits", reserved(chance), vec![BAD_FRAME]),
            1 => ("no mask", unmasked(chance), vec![BAD_FRAME]),
            2 => ("unknown opcode", unknown(chance), vec![BAD_FRAME]),
            3 => ("long control frame", long_control(chance), vec![BAD_FRAME]),
            4 => ("control frame in parts", split_control(chance), vec![BAD_FRAME]),
            5 => ("false length", false_length(chance), vec![BAD_FRAME]),
            6 => (
                "broken UTF-8",
                frame(TEXT, true, &[b'"', 0xC3, 0x28, b'"'], chance),
                vec![BAD_FRAME],
            ),
            7 => ("a letter in two frames", split_letter(chance), vec![NORMAL]),
            8 => ("broken UTF-8 in two frames", split_broken(chance), vec![BAD_FRAME]),
            9 => ("frames out of order", out_of_order(chance), vec![BAD_FRAME]),
            10 => ("too long in parts", too_long(chance), vec![BAD_FRAME]),
            11 => ("a bad close frame", bad_close(chance), vec![BAD_FRAME]),
            12 => json(chance),
            _ => (
                "a hello with a wrong byte",
                wrong_hello(chance),
                vec![BAD_FRAME, PROTOCOL, EXPIRED],
            ),
        };
        let in_slices = bytes.len() < 64 && chance.below(4) == 0;
        Self { what, bytes, codes, in_slices }
    }
}

/// A frame with a mask, as clients send it.
fn frame(opcode: u8, is_last: bool, payload: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = vec![opcode | if is_last { 0x80 } else { 0 }];
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(short), _) if short < 126 => bytes.push(0x80 | short),
        (_, Ok(long)) => {
            bytes.push(0x80 | 126);
            bytes.extend(long.to_be_bytes());
        }
        _ => {
            bytes.push(0x80 | 127);
            bytes.extend(u64::try_from(payload.len()).unwrap_or_default().to_be_bytes());
        }
    }
    let mask = chance.bytes(4);
    bytes.extend(&mask);
    bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

fn good_close(chance: &mut Chance) -> Vec<u8> {
    frame(CLOSE, true, &NORMAL.to_be_bytes(), chance)
}

/// The first byte or the second one of a good frame, changed.
fn changed(mut bytes: Vec<u8>, at: usize, change: impl Fn(u8) -> u8) -> Vec<u8> {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = change(*byte);
    }
    bytes
}

fn reserved(chance: &mut Chance) -> Vec<u8> {
    let bits = u8::try_from(1 + chance.below(7)).unwrap_or(1) << 4;
    changed(frame(TEXT, true, b"{}", chance), 0, |byte| byte | bits)
}

fn unmasked(chance: &mut Chance) -> Vec<u8> {
    changed(frame(TEXT, true, b"{}", chance), 1, |byte| byte & 0x7F)
}

fn unknown(chance: &mut Chance) -> Vec<u8> {
    let opcode = chance.pick(&[3, 4, 5, 6, 7, 11, 12, 13, 14, 15]);
    frame(opcode, true, b"x", chance)
}

fn long_control(chance: &mut Chance) -> Vec<u8> {
    let payload = chance.bytes(126);
    let longer = chance.index(400);
    let payload = [payload, chance.bytes(longer)].concat();
    let opcode = CLOSE + u8::try_from(chance.below(3)).unwrap_or_default();
    frame(opcode, true, &payload, chance)
}

fn split_control(chance: &mut Chance) -> Vec<u8> {
    let opcode = CLOSE + u8::try_from(chance.below(3)).unwrap_or_default();
    frame(opcode, false, b"x", chance)
}

/// A length that nothing may have, and more than anybody should keep of it.
fn false_length(chance: &mut Chance) -> Vec<u8> {
    let lengths = [8_193, 1 << 20, 1 << 30, 1 << 40, u64::MAX >> 1, u64::MAX, 1 << 63];
    let length = chance.pick(&lengths);
    let mut bytes = vec![0x80 | TEXT, 0x80 | 127];
    bytes.extend(length.to_be_bytes());
    let sent = chance.index(64 * 1024);
    bytes.extend(chance.bytes(4 + sent));
    bytes
}

/// `é` begins in one frame and ends in the next; joined it is a text that nothing is wrong with.
fn split_letter(chance: &mut Chance) -> Vec<u8> {
    let text = "{\"type\":\"pong\",\"n\":1,\"x\":\"é\"}".as_bytes();
    let (first, last) = text.split_at(text.len() - 3);
    let ping = frame(PING, true, b"between", chance);
    [frame(TEXT, false, first, chance), ping, frame(0, true, last, chance), good_close(chance)]
        .concat()
}

fn split_broken(chance: &mut Chance) -> Vec<u8> {
    [frame(TEXT, false, &[b'"', 0xC3], chance), frame(0, true, b"\"", chance)].concat()
}

fn out_of_order(chance: &mut Chance) -> Vec<u8> {
    match chance.below(4) {
        0 => frame(0, true, b"{}", chance),
        1 => frame(0, false, b"{}", chance),
        2 => [frame(TEXT, false, b"{", chance), frame(TEXT, true, b"}", chance)].concat(),
        _ => frame(2, chance.below(2) == 0, b"{}", chance),
    }
}

fn too_long(chance: &mut Chance) -> Vec<u8> {
    let part = vec![b' '; LIMIT / 2];
    let (first, more) = (frame(TEXT, false, &part, chance), frame(0, false, &part, chance));
    [first, more, frame(0, true, b"  ", chance)].concat()
}

fn bad_close(chance: &mut Chance) -> Vec<u8> {
    match chance.below(2) {
        0 => frame(CLOSE, true, b"x", chance),
        _ => frame(CLOSE, true, &[3, 232, 0xC3, 0x28], chance),
    }
}

fn json(chance: &mut Chance) -> (&'static str, Vec<u8>, Vec<u16>) {
    let deep = "[".repeat(LIMIT - 1);
    let texts = [
        ("", BAD_FRAME),
        ("{", BAD_FRAME),
        ("null", BAD_FRAME),
        ("[1]", BAD_FRAME),
        (r#"{"type":"shout"}"#, BAD_FRAME),
        (r#"{"type":"ack"}"#, BAD_FRAME),
        (r#"{"type":"ack","frames":-1}"#, BAD_FRAME),
        (r#"{"type":"ack","frames":1e400}"#, BAD_FRAME),
        (deep.as_str(), BAD_FRAME),
        (r#"{"type":"ack","frames":1}"#, PROTOCOL),
        (r#"{"type":"subscribe","id":1,"channel":"plans"}"#, PROTOCOL),
        (r#"{"type":"hello","id":1}"#, 0),
        (r#"{"type":"hello","id":1,"ticket":"x"}"#, EXPIRED),
        (r#"[{"type":"pong","n":1},{"type":"pong","n":2}]"#, NORMAL),
    ];
    let (text, code) = chance.pick(&texts);
    let codes = if code == 0 { vec![PROTOCOL, EXPIRED] } else { vec![code] };
    let mut bytes = frame(TEXT, true, text.as_bytes(), chance);
    if code == NORMAL {
        bytes.extend(good_close(chance));
    }
    ("JSON", bytes, codes)
}

fn wrong_hello(chance: &mut Chance) -> Vec<u8> {
    let mut text =
        br#"{"type":"hello","id":1,"ticket":"nobody","subscriptions":[{"channel":"plans"}]}"#
            .to_vec();
    let at = chance.index(text.len());
    if let Some(byte) = text.get_mut(at) {
        *byte = chance.byte();
    }
    frame(TEXT, true, &text, chance)
}
