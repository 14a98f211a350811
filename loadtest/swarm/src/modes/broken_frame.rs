//! What a client may do wrong on a socket, drawn at random: the bytes, and the close codes that are right for them.
//! Used by `frames`.

/// A draw that the same seed and number repeat (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, n: u64) -> Self {
        let mut random = Self((seed << 32 ^ n).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from((self.next() >> 16) % end).unwrap_or_default()
    }

    fn byte(&mut self) -> u8 {
        let [first, ..] = self.next().to_be_bytes();
        first
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }
}

const BAD_FRAME: u16 = 4003;
const PROTOCOL: u16 = 4000;
/// A ticket that does not exist.
const EXPIRED: u16 = 4301;
/// Our own close frame, echoed: nothing was wrong.
const NORMAL: u16 = 1000;
/// Longest text, also in fragments.
const LIMIT: usize = 8 * 1024;

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;

/// One socket's worth of bytes.
pub struct Case {
    pub what: &'static str,
    pub bytes: Vec<u8>,
    pub codes: Vec<u16>,
    /// Byte by byte.
    pub in_slices: bool,
}

impl Case {
    pub fn of(random: &mut Random) -> Self {
        let (what, bytes, codes) = match random.below(14) {
            0 => ("reserved bits", reserved(random), vec![BAD_FRAME]),
            1 => ("no mask", unmasked(random), vec![BAD_FRAME]),
            2 => ("unknown opcode", unknown(random), vec![BAD_FRAME]),
            3 => ("long control frame", long_control(random), vec![BAD_FRAME]),
            4 => ("control frame in parts", split_control(random), vec![BAD_FRAME]),
            5 => ("false length", false_length(random), vec![BAD_FRAME]),
            6 => (
                "broken UTF-8",
                frame(TEXT, true, &[b'"', 0xC3, 0x28, b'"'], random),
                vec![BAD_FRAME],
            ),
            7 => ("a letter in two frames", split_letter(random), vec![NORMAL]),
            8 => ("broken UTF-8 in two frames", split_broken(random), vec![BAD_FRAME]),
            9 => ("frames out of order", out_of_order(random), vec![BAD_FRAME]),
            10 => ("too long in parts", too_long(random), vec![BAD_FRAME]),
            11 => ("a bad close frame", bad_close(random), vec![BAD_FRAME]),
            12 => json(random),
            _ => (
                "a hello with a wrong byte",
                wrong_hello(random),
                vec![BAD_FRAME, PROTOCOL, EXPIRED],
            ),
        };
        let in_slices = bytes.len() < 64 && random.below(4) == 0;
        Self { what, bytes, codes, in_slices }
    }
}

/// A frame with a mask, as clients send it.
fn frame(opcode: u8, is_last: bool, payload: &[u8], random: &mut Random) -> Vec<u8> {
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
    let mask = random.bytes(4);
    bytes.extend(&mask);
    bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

fn good_close(random: &mut Random) -> Vec<u8> {
    frame(CLOSE, true, &NORMAL.to_be_bytes(), random)
}

/// The first byte or the second one of a good frame, changed.
fn changed(mut bytes: Vec<u8>, at: usize, change: impl Fn(u8) -> u8) -> Vec<u8> {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = change(*byte);
    }
    bytes
}

fn reserved(random: &mut Random) -> Vec<u8> {
    let bits = u8::try_from(1 + random.below(7)).unwrap_or(1) << 4;
    changed(frame(TEXT, true, b"{}", random), 0, |byte| byte | bits)
}

fn unmasked(random: &mut Random) -> Vec<u8> {
    changed(frame(TEXT, true, b"{}", random), 1, |byte| byte & 0x7F)
}

fn unknown(random: &mut Random) -> Vec<u8> {
    let opcode = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].get(random.below(10)).copied().unwrap_or(3);
    frame(opcode, true, b"x", random)
}

fn long_control(random: &mut Random) -> Vec<u8> {
    let payload = random.bytes(126);
    let longer = random.below(400);
    let payload = [payload, random.bytes(longer)].concat();
    let opcode = CLOSE + u8::try_from(random.below(3)).unwrap_or_default();
    frame(opcode, true, &payload, random)
}

fn split_control(random: &mut Random) -> Vec<u8> {
    let opcode = CLOSE + u8::try_from(random.below(3)).unwrap_or_default();
    frame(opcode, false, b"x", random)
}

/// A length that nothing may have, and more than anybody should keep of it.
fn false_length(random: &mut Random) -> Vec<u8> {
    let lengths = [8_193, 1 << 20, 1 << 30, 1 << 40, u64::MAX >> 1, u64::MAX, 1 << 63];
    let length = lengths.get(random.below(lengths.len())).copied().unwrap_or(u64::MAX);
    let mut bytes = vec![0x80 | TEXT, 0x80 | 127];
    bytes.extend(length.to_be_bytes());
    let sent = random.below(64 * 1024);
    bytes.extend(random.bytes(4 + sent));
    bytes
}

/// `é` begins in one frame and ends in the next; joined it is a text that nothing is wrong with.
fn split_letter(random: &mut Random) -> Vec<u8> {
    let text = "{\"type\":\"pong\",\"n\":1,\"x\":\"é\"}".as_bytes();
    let (first, last) = text.split_at(text.len() - 3);
    let ping = frame(PING, true, b"between", random);
    [frame(TEXT, false, first, random), ping, frame(0, true, last, random), good_close(random)]
        .concat()
}

fn split_broken(random: &mut Random) -> Vec<u8> {
    [frame(TEXT, false, &[b'"', 0xC3], random), frame(0, true, b"\"", random)].concat()
}

fn out_of_order(random: &mut Random) -> Vec<u8> {
    match random.below(4) {
        0 => frame(0, true, b"{}", random),
        1 => frame(0, false, b"{}", random),
        2 => [frame(TEXT, false, b"{", random), frame(TEXT, true, b"}", random)].concat(),
        _ => frame(2, random.below(2) == 0, b"{}", random),
    }
}

fn too_long(random: &mut Random) -> Vec<u8> {
    let part = vec![b' '; LIMIT / 2];
    let (first, more) = (frame(TEXT, false, &part, random), frame(0, false, &part, random));
    [first, more, frame(0, true, b"  ", random)].concat()
}

fn bad_close(random: &mut Random) -> Vec<u8> {
    match random.below(2) {
        0 => frame(CLOSE, true, b"x", random),
        _ => frame(CLOSE, true, &[3, 232, 0xC3, 0x28], random),
    }
}

fn json(random: &mut Random) -> (&'static str, Vec<u8>, Vec<u16>) {
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
    let (text, code) = texts.get(random.below(texts.len())).copied().unwrap_or(("", BAD_FRAME));
    let codes = if code == 0 { vec![PROTOCOL, EXPIRED] } else { vec![code] };
    let mut bytes = frame(TEXT, true, text.as_bytes(), random);
    if code == NORMAL {
        bytes.extend(good_close(random));
    }
    ("JSON", bytes, codes)
}

fn wrong_hello(random: &mut Random) -> Vec<u8> {
    let mut text =
        br#"{"type":"hello","id":1,"ticket":"nobody","subscriptions":[{"channel":"plans"}]}"#
            .to_vec();
    let at = random.below(text.len());
    if let Some(byte) = text.get_mut(at) {
        *byte = random.byte();
    }
    frame(TEXT, true, &text, random)
}
