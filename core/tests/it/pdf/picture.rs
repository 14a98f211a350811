//! A page as grey pixels, and how far two of them differ.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use tiny_skia::Pixmap;

/// A pixel has changed if it is lighter or darker by more than a fifth of the whole scale. Less than that is the
/// rounding of another machine.
const CHANGE: u8 = 48;

/// So many changed pixels are still the same picture. One amount that moves by one pixel changes more.
pub const TOLERANCE: usize = 12;

/// How a PNG begins.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// What its head says after width and height: eight bits a pixel, grey, one picture from top to bottom.
const GREY: [u8; 5] = [8, 0, 0, 0, 0];
/// Before each row: its pixels stand as they are.
const UNFILTERED: u8 = 0;

#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<u8>,
}

impl Picture {
    /// By the weights of Rec. 601, in thousandths.
    pub fn of(canvas: &Pixmap) -> Self {
        let grey = canvas.pixels().iter().map(|pixel| {
            let [red, green, blue] = [pixel.red(), pixel.green(), pixel.blue()].map(u32::from);
            u8::try_from((299 * red + 587 * green + 114 * blue) / 1000).unwrap()
        });
        let size = |side: u32| usize::try_from(side).unwrap();
        Self { width: size(canvas.width()), height: size(canvas.height()), pixels: grey.collect() }
    }

    /// What `save` has written; it reads no other PNG.
    pub fn load(path: &Path) -> Option<Self> {
        let file = fs::read(path).ok()?;
        let mut rest = file.strip_prefix(&SIGNATURE).unwrap();
        let (head, data) = (take(&mut rest, b"IHDR"), take(&mut rest, b"IDAT"));
        assert_eq!(head[8..], GREY, "{}", path.display());
        let side = |from: usize| number(&head[from..from + 4]);
        let (width, height) = (side(0), side(4));
        let mut lines = Vec::new();
        ZlibDecoder::new(data).read_to_end(&mut lines).unwrap();
        let rows = lines.chunks(1 + width).map(|line| line.strip_prefix(&[UNFILTERED]).unwrap());
        Some(Self { width, height, pixels: rows.flatten().copied().collect() })
    }

    pub fn save(&self, path: &Path) {
        let mut lines = ZlibEncoder::new(Vec::new(), Compression::best());
        for row in self.pixels.chunks(self.width) {
            lines.write_all(&[&[UNFILTERED][..], row].concat()).unwrap();
        }
        let sides = [bytes(self.width), bytes(self.height)].concat();
        let head = chunk(b"IHDR", &[&sides[..], &GREY].concat());
        let data = chunk(b"IDAT", &lines.finish().unwrap());
        fs::write(path, [&SIGNATURE[..], &head, &data, &chunk(b"IEND", &[])].concat()).unwrap();
    }

    /// How many pixels have changed; all of them if the sizes differ.
    pub fn changes(&self, other: &Self) -> usize {
        if (self.width, self.height) != (other.width, other.height) {
            return self.pixels.len();
        }
        let pairs = self.pixels.iter().zip(&other.pixels);
        pairs.filter(|(one, other)| one.abs_diff(**other) > CHANGE).count()
    }
}

/// A part of a PNG: its length, kind, data and checksum.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(data);
    [&bytes(data.len())[..], kind, data, &sum.sum().to_be_bytes()].concat()
}

/// The data of the next part, which is then taken off.
fn take<'a>(rest: &mut &'a [u8], kind: &[u8; 4]) -> &'a [u8] {
    let (length, after) = rest.split_at(4);
    let (data, after) = after.strip_prefix(kind).unwrap().split_at(number(length));
    *rest = &after[4..];
    data
}

fn bytes(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap().to_be_bytes()
}

fn number(bytes: &[u8]) -> usize {
    usize::try_from(u32::from_be_bytes(bytes.try_into().unwrap())).unwrap()
}

/// The pixels that a stretch touches.
#[expect(clippy::as_conversions, reason = "a page has a few hundred pixels on each side")]
pub fn pixels(from: f64, to: f64) -> std::ops::Range<usize> {
    from.floor() as usize..to.ceil() as usize
}
