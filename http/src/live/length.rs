//! Checks the length that each WebSocket frame announces before its payload is stored. The codec of actix-http would
//! collect a frame of any length and refuse it only when it is complete. `upgrade` passes all bytes of a client here.

use super::frame::MESSAGE_LIMIT;

/// Bytes of the longest frame header: two, eight for the length, four for the mask.
const LONGEST_HEAD: usize = 14;

/// How much of the current frame has arrived.
#[derive(Default)]
pub struct FrameMeter {
    head: [u8; LONGEST_HEAD],
    /// Bytes of the header that have arrived.
    known: usize,
    /// Bytes of the payload that have not arrived.
    awaited: usize,
}

impl FrameMeter {
    /// False when a frame announces more bytes than `MESSAGE_LIMIT`.
    pub fn allow(&mut self, mut bytes: &[u8]) -> bool {
        loop {
            let skipped = self.awaited.min(bytes.len());
            self.awaited -= skipped;
            let Some((first, rest)) = bytes.get(skipped..).and_then(<[u8]>::split_first) else {
                return true;
            };
            if let Some(place) = self.head.get_mut(self.known) {
                *place = *first;
            }
            self.known += 1;
            bytes = rest;
            let Some(length) = self.length() else { continue };
            self.known = 0;
            match usize::try_from(length) {
                Ok(length) if length <= MESSAGE_LIMIT => self.awaited = length,
                _ => return false,
            }
        }
    }

    /// The length of the payload, once the header is complete.
    fn length(&self) -> Option<u64> {
        let [_, second, more @ ..] = &self.head;
        let short = second & 0x7F;
        let extended = match short {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mask = if second & 0x80 == 0 { 0 } else { 4 };
        if self.known < 2 + extended + mask {
            return None;
        }
        let long = more.iter().take(extended).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Some(if extended == 0 { u64::from(short) } else { long })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(length: u64) -> Vec<u8> {
        let mut bytes = vec![0x81];
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short), _) if short < 126 => bytes.push(0x80 | short),
            (_, Ok(long)) => {
                bytes.push(0x80 | 126);
                bytes.extend(long.to_be_bytes());
            }
            _ => {
                bytes.push(0x80 | 127);
                bytes.extend(length.to_be_bytes());
            }
        }
        bytes.extend([0x81, 0xFF, 0x80, 0xFE]);
        bytes
    }

    fn frame(length: usize) -> Vec<u8> {
        [head(u64::try_from(length).unwrap()), vec![0xFF; length]].concat()
    }

    #[test]
    fn frames_pass_however_they_are_cut() {
        let all: Vec<u8> =
            [0, 1, 125, 126, 4_096, MESSAGE_LIMIT, 7].into_iter().flat_map(frame).collect();
        for step in [1, 2, 3, 13, 4_096, all.len()] {
            let mut meter = FrameMeter::default();
            assert!(all.chunks(step).all(|part| meter.allow(part)), "{step}");
            assert_eq!((meter.known, meter.awaited), (0, 0), "{step}");
        }
    }

    #[test]
    fn a_length_that_nothing_may_have_is_seen_before_its_payload() {
        for length in [8_193, 65_535, 65_536, 1 << 30, u64::MAX >> 1, u64::MAX] {
            for step in [1, 5, 100] {
                let mut meter = FrameMeter::default();
                let bytes = [frame(200), head(length)].concat();
                assert!(!bytes.chunks(step).all(|part| meter.allow(part)), "{length}");
            }
        }
    }
}
