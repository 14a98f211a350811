//! Reads a PDF back: what it says, in which order and where, and how it looks.
//!
//! The pages are interpreted by hayro and drawn by tiny-skia, both in plain Rust without the processor's vectors, so
//! every machine draws the same picture.

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, FillRule, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, Paint, SoftMask, TransformExt, interpret_page,
};
use tiny_skia::{Color, PathBuilder, Pixmap, Transform};

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
    let (width, height) = page.render_dimensions();
    assert_eq!((width, height), (595.28, 841.89));
    let mut canvas = Pixmap::new(SIZE.0, SIZE.1).unwrap();
    canvas.fill(Color::WHITE);
    let cache = InterpreterCache::new();
    let mut context = Context::new(
        page.initial_transform(true).to_kurbo(),
        Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
        &cache,
        page.xref(),
        InterpreterSettings::default(),
    );
    let mut reader = Reader { canvas, said: Vec::new(), open: Vec::new(), bounds: None };
    interpret_page(page, &mut context, &mut reader);
    assert!(reader.open.is_empty(), "marked content ends on its page");
    let picture = Picture::of(&reader.canvas);
    Seen { said: reader.said, bounds: reader.bounds.expect("a page with content"), picture }
}

/// Marked content that has not ended. Inner pieces only replace text.
struct Open {
    actual: Option<String>,
    said: Said,
}

struct Reader {
    canvas: Pixmap,
    said: Vec<Said>,
    open: Vec<Open>,
    bounds: Option<Rect>,
}

fn around(bounds: &mut Option<Rect>, more: Rect) {
    *bounds = Some(bounds.map_or(more, |before| before.union(more)));
}

impl Reader {
    fn fill(&mut self, path: &BezPath, transform: Affine, paint: &Paint) {
        let path = transform * path.clone();
        if path.elements().is_empty() {
            return;
        }
        let Paint::Color(color) = paint else { panic!("only plain colours are used") };
        let [red, green, blue, alpha] = color.to_rgba().to_rgba8();
        let mut brush = tiny_skia::Paint { anti_alias: true, ..tiny_skia::Paint::default() };
        brush.set_color_rgba8(red, green, blue, alpha);
        around(&mut self.bounds, path.bounding_box());
        if let Some(path) = outline(&path) {
            let scale = Transform::from_scale(SCALE, SCALE);
            self.canvas.fill_path(&path, &brush, tiny_skia::FillRule::Winding, scale, None);
        }
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
        Some(pairs) => {
            let units = pairs.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            char::decode_utf16(units).map(Result::unwrap).collect()
        }
        None => bytes.iter().copied().map(char::from).collect(),
    }
}

impl<'a> Device<'a> for Reader {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        assert!(matches!(mode, DrawMode::Fill(FillRule::NonZero)), "only filled shapes are used");
        assert!(!self.open.is_empty(), "a shape is either tagged or decoration");
        self.fill(path, props.transform, &props.paint);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for placed in run.glyphs() {
            let transform = props.transform * placed.transform();
            let Glyph::Outline(glyph) = &**placed else { panic!("every font has outlines") };
            let path = glyph.outline();
            let bounds = (transform * path.clone()).bounding_box();
            self.fill(&path, transform, &props.paint);
            let text = match placed.as_unicode().expect("each glyph says which characters it is") {
                BfString::Char(letter) => letter.to_string(),
                BfString::String(text) => text,
            };
            let bounds = Some(bounds).filter(|bounds| bounds.area() > 0.0);
            self.say(&text, bounds, transform.translation().y);
        }
    }

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
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

    fn end_marked_content(&mut self) {
        let ended = self.open.pop().expect("marked content that began");
        if self.open.is_empty() && !ended.said.text.is_empty() {
            self.said.push(ended.said);
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        panic!("a sheet has no images");
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
