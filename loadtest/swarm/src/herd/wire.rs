//! WebSocket frames by hand: a generator that shares a machine with the server must cost next to nothing.
//!
//! The mask is zero, so that what is sent stays as it is; every server has to take it.

pub const TEXT: u8 = 1;
pub const CLOSE: u8 = 8;
pub const PING: u8 = 9;
const PONG: u8 = 10;
const FINAL: u8 = 0x80;
const MASKED: u8 = 0x80;

/// The first frame: its kind, its payload and its length on the wire; none while it is incomplete.
pub fn first(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let (kind, second) = (bytes.first()?, bytes.get(1)?);
    let (len, head) = match second & 0x7f {
        126 => (usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
        127 => (usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?, 10),
        short => (usize::from(short), 2),
    };
    Some((kind & 0x0f, bytes.get(head..head + len)?, head + len))
}

pub fn text(payload: &str, out: &mut Vec<u8>) {
    frame(TEXT, payload.as_bytes(), out);
}

pub fn pong(payload: &[u8], out: &mut Vec<u8>) {
    frame(PONG, payload, out);
}

fn frame(kind: u8, payload: &[u8], out: &mut Vec<u8>) {
    out.push(FINAL | kind);
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(len), _) if len < 126 => out.push(MASKED | len),
        (_, Ok(len)) => {
            out.push(MASKED | 126);
            out.extend(len.to_be_bytes());
        }
        _ => {
            out.push(MASKED | 127);
            out.extend(u64::try_from(payload.len()).unwrap_or(u64::MAX).to_be_bytes());
        }
    }
    out.extend([0; 4]);
    out.extend(payload);
}

/// The request that opens a socket. Nobody checks the key's answer here.
pub fn upgrade(host: &str, path: &str, protocol: Option<&str>) -> Vec<u8> {
    let mut request = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c3dhcm0tc3dhcm0tc3dhcg==\r\n"
    );
    if let Some(protocol) = protocol {
        request += &format!("Sec-WebSocket-Protocol: {protocol}\r\n");
    }
    request += "\r\n";
    request.into_bytes()
}
