//! The mark of Bipe as paths, as `web/public/favicon.svg` draws it: a square of side 24 with a bar code and the line of
//! the scanner.

use krilla::geom::{Path, PathBuilder, Rect};

/// The name beside the mark.
pub const NAME: &str = "Bipe";

/// The side of the square in which the paths below are drawn.
pub const SIDE: f32 = 24.0;

/// Left edge and width of each bar.
const BARS: [(f32, f32); 4] = [(5.5, 2.0), (9.5, 1.0), (12.5, 3.0), (17.5, 1.0)];

/// How far a curve's handle stands from its corner for a quarter of a circle of radius 6.
const HANDLE: f32 = 6.0 * (1.0 - 0.552_285);

/// The square with round corners.
pub fn ground() -> Option<Path> {
    let (r, s, h) = (6.0, SIDE, HANDLE);
    let mut path = PathBuilder::new();
    path.move_to(r, 0.0);
    path.line_to(s - r, 0.0);
    path.cubic_to(s - h, 0.0, s, h, s, r);
    path.line_to(s, s - r);
    path.cubic_to(s, s - h, s - h, s, s - r, s);
    path.line_to(r, s);
    path.cubic_to(h, s, 0.0, s - h, 0.0, s - r);
    path.line_to(0.0, r);
    path.cubic_to(0.0, h, h, 0.0, r, 0.0);
    path.close();
    path.finish()
}

/// The bars of the code.
pub fn bars() -> Option<Path> {
    let mut path = PathBuilder::new();
    for (left, width) in BARS {
        path.push_rect(Rect::from_xywh(left, 6.0, width, 12.0)?);
    }
    path.finish()
}

/// The scanner's line.
pub fn beam() -> Option<Path> {
    let mut path = PathBuilder::new();
    path.push_rect(Rect::from_xywh(3.5, 11.25, 17.0, 1.5)?);
    path.finish()
}
