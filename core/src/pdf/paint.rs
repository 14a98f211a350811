//! The composed pages as the bytes of a PDF. The only file that writes with krilla.
//!
//! Invariant: everything drawn is either an element of the structure or marked as decoration, which PDF/UA-1 demands
//! and krilla's validator checks.

use std::fmt::Debug;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use krilla::color::rgb;
use krilla::configure::{Accessibility, Configuration, ConfigurationBuilder, PdfVersion};
use krilla::destination::XyzDestination;
use krilla::geom::{Path, PathBuilder, Point, Rect, Transform};
use krilla::metadata::{DateTime, Metadata, TextDirection};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, SpanTag};
use krilla::{Document, SerializeSettings};

use super::compose::Composed;
use super::flow::{HEIGHT, Mark, Rule, WIDTH};
use super::paragraph::{Ink, Style, TextLine};
use super::structure::Structure;
use super::words_pt_br::LANGUAGE;
use super::{PdfError, brand};

/// The colours of the brand.
const TEAL: Color = [0x0b, 0x5f, 0x5c];
const AMBER: Color = [0xf2, 0xb0, 0x4c];
const WHITE: Color = [0xff, 0xff, 0xff];

/// Red, green, blue.
type Color = [u8; 3];

/// What the pages refer to.
struct Painter {
    structure: Structure,
    outline: Outline,
}

/// Writes the file.
pub fn paint(composed: Composed, created_at: Timestamp) -> Result<Vec<u8>, PdfError> {
    let Composed { pages, structure, title, author } = composed;
    let settings =
        SerializeSettings { configuration: configuration()?, ..SerializeSettings::default() };
    let mut document = Document::new_with(settings);
    document.set_metadata(metadata(title, author, created_at));
    let mut painter = Painter { structure, outline: Outline::new() };
    for (index, marks) in pages.iter().enumerate() {
        let size =
            PageSettings::from_wh(WIDTH, HEIGHT).ok_or_else(|| fault(&"the size of a page"))?;
        let mut page = document.start_page_with(size);
        let mut surface = page.surface();
        for mark in marks {
            painter.enter(mark, index);
            painter.draw(mark, &mut surface);
        }
        surface.finish();
        page.finish();
    }
    document.set_outline(painter.outline);
    document.set_tag_tree(painter.structure.tags());
    document.finish().map_err(|error| fault(&error))
}

impl Painter {
    /// The first line of a heading is a line of the outline.
    fn enter(&mut self, mark: &Mark, page: usize) {
        let Mark::Text { style, baseline, element: Some(element), .. } = mark else { return };
        if let Some(title) = self.structure.fresh_title(*element) {
            let top = Point::from_xy(0.0, baseline - style.leading);
            let target = XyzDestination::new(page, top);
            self.outline.push_child(OutlineNode::new(title.to_owned(), target));
        }
    }

    fn draw(&mut self, mark: &Mark, surface: &mut Surface) {
        match mark {
            Mark::Text { line, style, x, baseline, element: Some(element) } => {
                let spoken = SpanTag::empty().with_actual_text(line.spoken.as_deref());
                let identifier = surface.start_tagged(ContentTag::Span(spoken));
                draw_text(surface, line, *style, Point::from_xy(*x, *baseline));
                surface.end_tagged();
                self.structure.drawn(*element, identifier);
            }
            Mark::Text { line, style, x, baseline, element: None } => {
                decorate(surface, ArtifactType::PaginationOther, |surface| {
                    draw_text(surface, line, *style, Point::from_xy(*x, *baseline));
                });
            }
            Mark::Rule { rule: Rule { x, width, weight, ink }, y } => {
                decorate(surface, ArtifactType::Layout, |surface| {
                    fill(surface, color(*ink));
                    if let Some(path) = rectangle(*x, y - weight / 2.0, *width, *weight) {
                        surface.draw_path(&path);
                    }
                });
            }
            Mark::Brand { x, y, side } => {
                decorate(surface, ArtifactType::Layout, |surface| {
                    draw_brand(surface, *x, *y, *side)
                });
            }
        }
    }
}

fn fault(what: &impl Debug) -> PdfError {
    PdfError::Write(format!("{what:?}"))
}

/// PDF 1.7, which PDF/UA-1 is made for.
fn configuration() -> Result<Configuration, PdfError> {
    ConfigurationBuilder::new()
        .with_version(PdfVersion::Pdf17)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|error| fault(&error))
}

fn metadata(title: String, author: String, created_at: Timestamp) -> Metadata {
    Metadata::new()
        .title(title)
        .authors(vec![author])
        .creator(brand::NAME.to_owned())
        .producer(brand::NAME.to_owned())
        .language(LANGUAGE.to_owned())
        .text_direction(TextDirection::LeftToRight)
        .creation_date(date(created_at))
}

/// In UTC, to the second.
fn date(at: Timestamp) -> DateTime {
    let at = at.to_zoned(TimeZone::UTC);
    let part = |part: i8| u8::try_from(part).unwrap_or_default();
    DateTime::new(u16::try_from(at.year()).unwrap_or_default())
        .month(part(at.month()))
        .day(part(at.day()))
        .hour(part(at.hour()))
        .minute(part(at.minute()))
        .second(part(at.second()))
        .utc_offset_hour(0)
}

fn draw_text(surface: &mut Surface, line: &TextLine, style: Style, at: Point) {
    fill(surface, color(style.ink));
    for run in &line.runs {
        let start = Point::from_xy(at.x + run.x, at.y);
        let font = run.face.font.clone();
        surface.draw_glyphs(start, &run.glyphs, font, &run.text, style.size, false);
    }
}

fn draw_brand(surface: &mut Surface, x: f32, y: f32, side: f32) {
    let scale = side / brand::SIDE;
    surface.push_transform(&Transform::from_row(scale, 0.0, 0.0, scale, x, y));
    for (ink, path) in [(TEAL, brand::ground()), (WHITE, brand::bars()), (AMBER, brand::beam())] {
        fill(surface, ink);
        if let Some(path) = path {
            surface.draw_path(&path);
        }
    }
    surface.pop();
}

/// Draws what a reader who hears the document need not know of.
fn decorate(surface: &mut Surface, kind: ArtifactType, draw: impl FnOnce(&mut Surface)) {
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(kind)));
    draw(surface);
    surface.end_tagged();
}

fn fill(surface: &mut Surface, [red, green, blue]: Color) {
    let paint = rgb::Color::new(red, green, blue).into();
    surface.set_fill(Some(Fill { paint, ..Fill::default() }));
}

fn rectangle(x: f32, y: f32, width: f32, height: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.push_rect(Rect::from_xywh(x, y, width, height)?);
    path.finish()
}

/// The muted ink has a contrast of 6 to 1 on paper; the hairline still shows when a printer has only black.
fn color(ink: Ink) -> Color {
    match ink {
        Ink::Text => [0x17, 0x21, 0x20],
        Ink::Muted => [0x54, 0x62, 0x60],
        Ink::Hairline => [0xc3, 0xcc, 0xca],
    }
}
