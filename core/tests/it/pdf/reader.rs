//! Reads a PDF back: what it says, in which order and where, and how it looks.
//!
//! Follows the few operators that a sheet is written with, and fails at any other. The pages are drawn by tiny-skia, in
//! plain Rust without the processor's vectors, so every machine draws the same picture.

use std::collections::HashMap;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, Object, String as PdfString};
use hayro_syntax::page::Page;
use kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};
use tiny_skia::{Color, PathBuilder, Pixmap, Transform};

use super::font::Font;
use super::picture::Picture;

/// A4 at 60 pixels to the inch.
const SIZE: (u32, u32) = (496, 702);

/// Pixels per point.
const SCALE: f32 = 60.0 / 72.0;

/// A piece of marked content.
#[derive(Debug, Clone)]
pub struct Said {
    pub text: String,
    /// By which the structure tree names it; decoration has none and is not read out.
    pub id: Option<i32>,
    /// Around its glyphs, in points from the upper left corner.
    pub bounds: Option<Rect>,
    /// Of its first glyph.
    pub baseline: Option<f64>,
}

/// A page as read.
pub struct Seen {
    pub said: Vec<Said>,
    /// Around everything that is drawn.
    pub bounds: Rect,
    pub picture: Picture,
}

/// The file as a PDF.
pub fn parse(file: &[u8]) -> Pdf {
    Pdf::new(file.to_vec()).expect("a PDF that can be parsed")
}

/// All pages of a file.
pub fn read(pdf: &Pdf) -> Vec<Seen> {
    pdf.pages().iter().map(look).collect()
}

fn look(page: &Page) -> Seen {
    assert_eq!(page.render_dimensions(), (595.28, 841.89));
    let fonts = &page.resources().fonts;
    let fonts = fonts.keys().map(|name| (name.to_vec(), Font::parse(&fonts.get(&name).unwrap())));
    let mut canvas = Pixmap::new(SIZE.0, SIZE.1).unwrap();
    canvas.fill(Color::WHITE);
    let transform = Affine::new(page.initial_transform(true).as_coeffs());
    let mut reader = Reader {
        fonts: &fonts.collect(),
        state: State { transform, ink: Color::BLACK, font: None },
        saved: Vec::new(),
        next: Affine::IDENTITY,
        path: BezPath::new(),
        canvas,
        said: Vec::new(),
        open: Vec::new(),
        bounds: None,
    };
    let mut operations = page.operations();
    while let Some(operation) = operations.next() {
        reader.follow(operation.operator, &operation.operands().collect::<Vec<_>>());
    }
    assert!(reader.open.is_empty() && reader.saved.is_empty(), "what begins ends on its page");
    let picture = Picture::of(&reader.canvas);
    Seen { said: reader.said, bounds: reader.bounds.expect("a page with content"), picture }
}

/// Marked content that has not ended. Inner pieces only replace text.
struct Open {
    actual: Option<String>,
    said: Said,
}

/// What `q` saves and `Q` brings back.
#[derive(Clone, Copy)]
struct State<'a> {
    transform: Affine,
    ink: Color,
    /// With its size.
    font: Option<(&'a Font, f32)>,
}

struct Reader<'a> {
    fonts: &'a HashMap<Vec<u8>, Font>,
    state: State<'a>,
    saved: Vec<State<'a>>,
    /// Where the next glyph stands.
    next: Affine,
    /// The shape that is not filled yet.
    path: BezPath,
    canvas: Pixmap,
    said: Vec<Said>,
    open: Vec<Open>,
    bounds: Option<Rect>,
}

fn around(bounds: &mut Option<Rect>, more: Rect) {
    *bounds = Some(bounds.map_or(more, |before| before.union(more)));
}

impl Reader<'_> {
    fn follow(&mut self, operator: &[u8], operands: &[&Object]) {
        let number = |operand: &&Object| match operand {
            Object::Number(number) => Some(number.as_f64()),
            _ => None,
        };
        let numbers: Option<Vec<f64>> = operands.iter().map(number).collect();
        match (operator, operands, numbers.unwrap_or_default().as_slice()) {
            (b"q", [], _) => self.saved.push(self.state),
            (b"Q", [], _) => self.state = self.saved.pop().expect("a state that was saved"),
            (b"cm", _, &[a, b, c, d, e, f]) => {
                self.state.transform *= Affine::new([a, b, c, d, e, f]);
            }
            (b"rg", _, &[red, green, blue]) => {
                let [red, green, blue] = [red, green, blue].map(single);
                self.state.ink = Color::from_rgba(red, green, blue, 1.0).unwrap();
            }
            (b"m", _, &[x, y]) => self.path.move_to((x, y)),
            (b"l", _, &[x, y]) => self.path.line_to((x, y)),
            (b"c", _, &[ax, ay, bx, by, x, y]) => self.path.curve_to((ax, ay), (bx, by), (x, y)),
            (b"h", [], _) => self.path.close_path(),
            (b"f", [], _) => {
                assert!(!self.open.is_empty(), "a shape is either tagged or decoration");
                let path = self.state.transform * std::mem::take(&mut self.path);
                self.fill(&path);
            }
            (b"BT" | b"ET", [], _) => self.next = Affine::IDENTITY,
            (b"Tr", _, &[0.0]) => {}
            (b"Tf", [Object::Name(name), Object::Number(size)], _) => {
                self.state.font = Some((&self.fonts[&**name], size.as_f32()));
            }
            (b"Tm", _, &[a, b, c, d, e, f]) => self.next = Affine::new([a, b, c, d, e, f]),
            (b"Tj", [Object::String(string)], _) => self.show(string),
            (b"TJ", [Object::Array(items)], _) => {
                for item in items.iter::<Object>() {
                    match item {
                        Object::String(string) => self.show(&string),
                        Object::Number(back) => self.advance(-back.as_f32()),
                        item => panic!("{item} is neither text nor space"),
                    }
                }
            }
            (b"BMC", [Object::Name(tag)], _) => self.begin(tag, None),
            (b"BDC", [Object::Name(tag), Object::Dict(properties)], _) => {
                self.begin(tag, Some(properties));
            }
            (b"EMC", [], _) => self.end(),
            (operator, ..) => panic!("no sheet has {operands:?} {}", operator.escape_ascii()),
        }
    }

    fn show(&mut self, string: &[u8]) {
        let (font, size) = self.state.font.expect("a font is chosen");
        for glyph in font.glyphs(string) {
            let transform =
                self.state.transform * self.next * Affine::scale(f64::from(size) / 1000.0);
            let outline = transform * &glyph.outline;
            self.fill(&outline);
            let text = glyph.text.as_ref().expect("each glyph says which characters it is");
            let bounds = Some(outline.bounding_box()).filter(|bounds| bounds.area() > 0.0);
            self.say(text, bounds, transform.translation().y);
            self.advance(glyph.width);
        }
    }

    /// By thousandths of the size of the type.
    fn advance(&mut self, width: f32) {
        let (_, size) = self.state.font.expect("a font is chosen");
        self.next *= Affine::translate((f64::from(width / 1000.0 * size), 0.0));
    }

    fn fill(&mut self, path: &BezPath) {
        let Some(shape) = outline(path) else { return };
        around(&mut self.bounds, path.bounding_box());
        let mut brush = tiny_skia::Paint { anti_alias: true, ..tiny_skia::Paint::default() };
        brush.set_color(self.state.ink);
        let scale = Transform::from_scale(SCALE, SCALE);
        self.canvas.fill_path(&shape, &brush, tiny_skia::FillRule::Winding, scale, None);
    }

    fn say(&mut self, text: &str, bounds: Option<Rect>, baseline: f64) {
        let replaced = self.open.iter().any(|open| open.actual.is_some());
        let first = self.open.first_mut().expect("text is either tagged or decoration");
        if !replaced {
            first.said.text.push_str(text);
        }
        if let Some(bounds) = bounds {
            around(&mut first.said.bounds, bounds);
        }
        first.said.baseline.get_or_insert(baseline);
    }

    fn begin(&mut self, tag: &[u8], properties: Option<&Dict>) {
        let actual = properties.and_then(|properties| properties.get::<PdfString>("ActualText"));
        let actual = actual.map(|text| decoded(text.as_bytes()));
        let inside = self.open.iter().any(|open| open.actual.is_some());
        if let (Some(text), Some(first), false) = (&actual, self.open.first_mut(), inside) {
            first.said.text.push_str(text);
        }
        let text = actual.clone().filter(|_| self.open.is_empty()).unwrap_or_default();
        let id = properties.and_then(|properties| properties.get::<i32>("MCID"));
        assert!(!self.open.is_empty() || id.is_some() != (tag == b"Artifact"), "{tag:?}");
        let said = Said { text, id, bounds: None, baseline: None };
        self.open.push(Open { actual, said });
    }

    fn end(&mut self) {
        let ended = self.open.pop().expect("marked content that began");
        if self.open.is_empty() && !ended.said.text.is_empty() {
            self.said.push(ended.said);
        }
    }
}

fn outline(path: &BezPath) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    let at = |point: Point| (single(point.x), single(point.y));
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(to) => builder.move_to(at(to).0, at(to).1),
            PathEl::LineTo(to) => builder.line_to(at(to).0, at(to).1),
            PathEl::QuadTo(by, to) => builder.quad_to(at(by).0, at(by).1, at(to).0, at(to).1),
            PathEl::CurveTo(by, and, to) => {
                builder.cubic_to(at(by).0, at(by).1, at(and).0, at(and).1, at(to).0, at(to).1);
            }
            PathEl::ClosePath => builder.close(),
        }
    }
    builder.finish()
}

#[expect(clippy::as_conversions, reason = "coordinates of a page need no double precision")]
fn single(wide: f64) -> f32 {
    wide as f32
}

/// A text string of PDF: UTF-16 with a byte order mark, or a byte per letter.
pub fn decoded(bytes: &[u8]) -> String {
    match bytes.strip_prefix(&[0xfe, 0xff]) {
        Some(pairs) => utf16(pairs.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))),
        None => bytes.iter().copied().map(char::from).collect(),
    }
}

/// Text in units of UTF-16. Fails if half of a pair is missing.
pub fn utf16(units: impl IntoIterator<Item = u16>) -> String {
    char::decode_utf16(units).map(Result::unwrap).collect()
}
