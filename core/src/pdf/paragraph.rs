//! A text broken into lines that fit a column: which font draws what, in which direction, and where a line ends.
//!
//! The text of a sheet runs from left to right, and so does every line; words of other scripts run their own way inside
//! it (Unicode annex 9). A line ends after a space or a hyphen, and inside a word only if the word alone is too wide.

use std::ops::Range;

use krilla::text::KrillaGlyph;
use unicode_bidi::{BidiInfo, Level};
use unicode_segmentation::UnicodeSegmentation;

use super::clean::clean;
use super::face::{Face, Faces, Shaped, Weight};

/// How a text is set. Lengths are in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    pub size: f32,
    /// The height of a line.
    pub leading: f32,
    pub weight: Weight,
    pub ink: Ink,
    /// Figures of one width, so that amounts stand below each other.
    pub tabular: bool,
}

/// What a text or a rule is printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Text,
    Muted,
    Hairline,
}

/// Glyphs of one font in one direction.
#[derive(Clone)]
pub struct Run {
    pub face: &'static Face,
    pub text: String,
    pub glyphs: Vec<KrillaGlyph>,
    /// From the line's left end, in points.
    pub x: f32,
    /// Where it stands in the paragraph.
    start: usize,
}

/// A line of a paragraph.
#[derive(Clone, Default)]
pub struct TextLine {
    /// In the order in which the text is read, which is not always from left to right.
    pub runs: Vec<Run>,
    /// Without the space at its end, in points.
    pub width: f32,
    /// The line's text, if its glyphs alone would be read in another order.
    pub spoken: Option<String>,
}

/// A grapheme: what a reader takes for one character.
struct Piece {
    range: Range<usize>,
    /// Nothing draws it as it is.
    missing: bool,
    face: &'static Face,
    level: Level,
    /// In ems, as measured in the whole paragraph.
    width: f32,
}

/// Text and what is known of it.
struct Paragraph<'a> {
    text: &'a str,
    bidi: BidiInfo<'a>,
    pieces: Vec<Piece>,
    style: Style,
    /// Has the sign for what is missing.
    main: &'static Face,
}

/// The lines of a text, none of which is wider than the column. An empty text has none.
pub fn wrap(text: &str, style: Style, column: f32, faces: &'static Faces) -> Vec<TextLine> {
    let text = clean(text, faces);
    let mut paragraph = Paragraph {
        bidi: BidiInfo::new(&text, Some(Level::ltr())),
        pieces: Vec::new(),
        text: &text,
        style,
        main: faces.main(style.weight),
    };
    paragraph.cut(faces);
    // Nearly every text fits in one line.
    let whole = paragraph.set(0..paragraph.pieces.len());
    if whole.width <= column {
        return Some(whole).filter(|line| !line.runs.is_empty()).into_iter().collect();
    }
    paragraph.measure(&whole.runs);
    let mut lines = Vec::new();
    let mut start = 0;
    while start < paragraph.pieces.len() {
        let (end, line) = paragraph.line(start, column);
        lines.push(line);
        start = end;
    }
    lines
}

impl Paragraph<'_> {
    fn cut(&mut self, faces: &'static Faces) {
        for (start, grapheme) in self.text.grapheme_indices(true) {
            let face = faces.of(grapheme, self.style.weight);
            self.pieces.push(Piece {
                range: start..start + grapheme.len(),
                missing: face.is_none(),
                face: face.unwrap_or(self.main),
                level: self.bidi.levels.get(start).copied().unwrap_or(Level::ltr()),
                width: 0.0,
            });
        }
    }

    /// From the glyphs of the whole text.
    fn measure(&mut self, runs: &[Run]) {
        for run in runs {
            for glyph in &run.glyphs {
                let start = run.start + glyph.text_range.start;
                let after = self.pieces.partition_point(|piece| piece.range.start <= start);
                let piece = after.checked_sub(1).and_then(|index| self.pieces.get_mut(index));
                if let Some(piece) = piece {
                    piece.width += glyph.x_advance;
                }
            }
        }
    }

    /// The line that begins with this piece, and the piece after its end.
    fn line(&self, start: usize, column: f32) -> (usize, TextLine) {
        let mut end = self.guess(start, column);
        loop {
            let line = self.set(start..end);
            if line.width <= column || end <= start + 1 {
                return (end, line);
            }
            // Shaped alone a line may be wider than the sum that the guess knew.
            end = self.opportunity(start, end - 1).unwrap_or(end - 1);
        }
    }

    /// Where the line ends by the widths of its pieces.
    fn guess(&self, start: usize, column: f32) -> usize {
        let mut width = 0.0;
        let mut end = start;
        for piece in self.pieces.iter().skip(start) {
            width += piece.width * self.style.size;
            if width > column && !self.is_space(piece) && end > start {
                return self.opportunity(start, end).unwrap_or(end);
            }
            end += 1;
        }
        end
    }

    /// The last place up to `end` where a line may end.
    fn opportunity(&self, start: usize, end: usize) -> Option<usize> {
        (start + 1..=end).rev().find(|end| self.may_end_at(*end))
    }

    /// After a space, and after the hyphen between two words: not after a minus, nor between figures.
    fn may_end_at(&self, end: usize) -> bool {
        let letter = |index: Option<usize>| {
            let piece = self.pieces.get(index?)?;
            self.text.get(piece.range.clone())?.chars().next()
        };
        let (last, next) = (letter(end.checked_sub(1)), letter(Some(end)));
        let is_in_word = letter(end.checked_sub(2)).is_some_and(char::is_alphanumeric);
        match last {
            Some(' ') => next != Some(' '),
            Some('-' | '–') => is_in_word && next.is_some_and(char::is_alphabetic),
            _ => false,
        }
    }

    fn is_space(&self, piece: &Piece) -> bool {
        self.text.get(piece.range.clone()) == Some(" ")
    }

    /// Ranges of pieces with one font and one direction.
    fn runs(&self, pieces: Range<usize>) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut before: Option<&Piece> = None;
        for (index, piece) in self.pieces.iter().enumerate().take(pieces.end).skip(pieces.start) {
            let goes_on = before.is_some_and(|before| {
                before.level == piece.level
                    && before.missing == piece.missing
                    && std::ptr::eq(before.face, piece.face)
            });
            match runs.last_mut() {
                Some(run) if goes_on => run.end = index + 1,
                _ => runs.push(index..index + 1),
            }
            before = Some(piece);
        }
        runs
    }

    /// The glyphs of these pieces and their width in ems.
    fn shape(&self, pieces: Range<usize>) -> (Run, f32) {
        let text = self.text_of(pieces.clone()).to_owned();
        let first = self.pieces.get(pieces.start);
        let start = first.map(|first| first.range.start).unwrap_or_default();
        let shaped = first.filter(|first| !first.missing).and_then(|first| {
            let shaped = first.face.shape(&text, first.level.is_rtl(), self.style.tabular)?;
            Some((first.face, shaped))
        });
        let (face, Shaped { glyphs, width }) =
            shaped.unwrap_or_else(|| (self.main, self.main.shape_missing(text.graphemes(true))));
        (Run { face, text, glyphs, x: 0.0, start }, width)
    }

    fn text_of(&self, pieces: Range<usize>) -> &str {
        let pieces = self.pieces.get(pieces).unwrap_or_default();
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return "" };
        self.text.get(first.range.start..last.range.end).unwrap_or_default()
    }

    /// The line of these pieces.
    fn set(&self, whole: Range<usize>) -> TextLine {
        let mut end = whole.end;
        while end > whole.start + 1
            && self.pieces.get(end - 1).is_some_and(|last| self.is_space(last))
        {
            end -= 1;
        }
        let mut line = TextLine::default();
        let runs = self.runs(whole.start..end);
        let level = |run: &Range<usize>| self.pieces.get(run.start).map(|piece| piece.level);
        let levels: Vec<Level> = runs.iter().filter_map(level).collect();
        for index in BidiInfo::reorder_visual(&levels) {
            self.push(&mut line, runs.get(index).cloned().unwrap_or_default());
        }
        let width = line.width;
        // The space at the end is drawn too: copied lines then do not run into each other.
        self.push(&mut line, end..whole.end);
        line.width = width;
        line.runs.sort_by_key(|run| run.start);
        if levels.iter().any(Level::is_rtl) {
            line.spoken = Some(self.text_of(whole).to_owned());
        }
        line
    }

    fn push(&self, line: &mut TextLine, pieces: Range<usize>) {
        if pieces.is_empty() {
            return;
        }
        let (run, width) = self.shape(pieces);
        line.runs.push(Run { x: line.width, ..run });
        line.width += width * self.style.size;
    }
}
