//! An embedded font: how each of its glyphs looks, how wide it is, and which characters it stands for.

use std::collections::HashMap;

use hayro_syntax::object::{Array, Dict, Name, Stream};
use kurbo::BezPath;
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::prelude::{LocationRef, Size};
use skrifa::{FontRef, GlyphId, MetadataProvider};

use super::reader::utf16;

/// Lengths are in thousandths of the size of the type.
pub struct Glyph {
    pub outline: BezPath,
    pub width: f32,
    pub text: Option<String>,
}

/// The glyphs in the order of their numbers.
pub struct Font(Vec<Glyph>);

impl Font {
    /// Reads the kind of font that krilla embeds for ours: outlines of TrueType, each glyph named by its number in two
    /// bytes. Fails for any other.
    pub fn parse(font: &Dict) -> Self {
        let name = |of: &Dict, key| of.get::<Name>(key).map(|name| name.as_str().to_owned());
        assert_eq!(name(font, "Encoding").as_deref(), Some("Identity-H"));
        let inner: Dict = font.get::<Array>("DescendantFonts").unwrap().iter().next().unwrap();
        assert_eq!(name(&inner, "CIDToGIDMap").as_deref(), Some("Identity"));
        let file = content(&inner.get("FontDescriptor").unwrap(), "FontFile2");
        let outlines = FontRef::new(&file).unwrap().outline_glyphs();
        let widths = widths(&inner);
        let mut texts = texts(&String::from_utf8(content(font, "ToUnicode")).unwrap());
        let glyphs = (0..).map_while(|number| {
            let mut pen = Pen(BezPath::new());
            let settings = DrawSettings::unhinted(Size::new(1000.0), LocationRef::default());
            outlines.get(GlyphId::from(number))?.draw(settings, &mut pen).unwrap();
            let width = widths.get(&number).copied().unwrap_or_default();
            Some(Glyph { outline: pen.0, width, text: texts.remove(&number) })
        });
        Self(glyphs.collect())
    }

    /// The glyphs that a string on a page names.
    pub fn glyphs(&self, string: &[u8]) -> impl Iterator<Item = &Glyph> {
        let (numbers, rest) = string.as_chunks();
        assert!(rest.is_empty(), "two bytes a glyph");
        numbers.iter().map(|number| &self.0[usize::from(u16::from_be_bytes(*number))])
    }
}

/// The stream that an entry refers to.
fn content(dict: &Dict, key: &str) -> Vec<u8> {
    let stream: Stream = dict.get(key).unwrap_or_else(|| panic!("{key} of {dict:?}"));
    stream.decoded().unwrap().into_owned()
}

/// Listed as the first and the last number of a range and the width of its glyphs. The others have none.
fn widths(font: &Dict) -> HashMap<u16, f32> {
    assert_eq!(font.get::<f32>("DW"), Some(0.0));
    let mut list = font.get::<Array>("W").unwrap().flex_iter();
    let mut widths = HashMap::new();
    while let Some(first) = list.next::<u16>() {
        let (last, width) = (list.next().unwrap(), list.next().unwrap());
        widths.extend((first..=last).map(|number| (number, width)));
    }
    widths
}

/// Listed one glyph a line, as `<0001> <0042>`.
fn texts(map: &str) -> HashMap<u16, String> {
    assert!(!map.contains("beginbfrange"), "each glyph has a line of its own");
    let blocks = map.split("beginbfchar\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("endbfchar").next().unwrap().lines());
    let units = |digits: &str| -> Vec<u16> {
        let units = digits.as_bytes().chunks(4).map(|unit| str::from_utf8(unit).unwrap());
        units.map(|unit| u16::from_str_radix(unit, 16).unwrap()).collect()
    };
    let pairs = lines.map(|line| {
        let pair = line.strip_prefix('<').and_then(|line| line.strip_suffix('>')).unwrap();
        let (number, text) = pair.split_once("> <").unwrap();
        (units(number)[0], utf16(units(text)))
    });
    pairs.collect()
}

struct Pen(BezPath);

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to((x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to((x, y));
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.0.quad_to((cx, cy), (x, y));
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.0.curve_to((ax, ay), (bx, by), (x, y));
    }

    fn close(&mut self) {
        self.0.close_path();
    }
}
