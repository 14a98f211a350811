//! A page as grey pixels, and how far two of them differ.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use tiny_skia::Pixmap;

/// A pixel has changed if it is lighter or darker by more than a fifth of the whole scale. Less than that is the
/// rounding of another machine.
const CHANGE: u8 = 48;

/// So many changed pixels are still the same picture. One amount that moves by one pixel changes more.
pub const TOLERANCE: usize = 12;

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

    pub fn load(path: &Path) -> Option<Self> {
        let mut reader =
            png::Decoder::new(BufReader::new(File::open(path).ok()?)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let size = |side: u32| usize::try_from(side).unwrap();
        Some(Self { width: size(info.width), height: size(info.height), pixels })
    }

    pub fn save(&self, path: &Path) {
        let size = |side: usize| u32::try_from(side).unwrap();
        let file = File::create(path).unwrap();
        let mut encoder = png::Encoder::new(file, size(self.width), size(self.height));
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_compression(png::Compression::High);
        encoder.write_header().unwrap().write_image_data(&self.pixels).unwrap();
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

/// The pixels that a stretch touches.
#[expect(clippy::as_conversions, reason = "a page has a few hundred pixels on each side")]
pub fn pixels(from: f64, to: f64) -> std::ops::Range<usize> {
    from.floor() as usize..to.ceil() as usize
}
