//! One business document (a receipt, a statement of charges) as a tagged PDF on A4 pages.
//!
//! Called by whoever has a document's words ready: strings in Portuguese come in, the bytes of a file go out. It knows
//! nothing of payments, reads no clock and does no I/O: equal sheets give equal bytes.
//!
//! Invariants: the file satisfies PDF/UA-1, every glyph comes from an embedded font, and no text, however hostile,
//! leaves its column, its page or its place in the reading order. Fonts and their licence are in `core/fonts/`.

mod brand;
mod clean;
mod compose;
mod face;
mod flow;
mod paint;
mod paragraph;
mod sheet;
mod structure;
mod words_pt_br;

pub use sheet::{Fact, Line, Party, Sheet};

/// Why a sheet has no PDF. Each is a mistake of the caller or of this module, none of the reader.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PdfError {
    /// A text that must be there is empty, or nothing is left without invisible characters.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// A text has more Unicode characters than its place on the sheet is made for.
    #[error("{field} has {found} characters, at most {most} fit")]
    TooLong {
        /// The text's path in [`Sheet`].
        field: &'static str,
        /// Its characters.
        found: usize,
        /// The bound.
        most: usize,
    },
    /// A list has more entries than the sheet is made for.
    #[error("{field} has {found} entries, at most {most} fit")]
    TooMany {
        /// The list's path in [`Sheet`].
        field: &'static str,
        /// Its entries.
        found: usize,
        /// The bound.
        most: usize,
    },
    /// An embedded font is damaged.
    #[error("the embedded fonts cannot be read")]
    Font,
    /// The writer refused the document, such as for a rule of PDF/UA-1.
    #[error("the document cannot be written: {0}")]
    Write(String),
}

/// Draws the sheet. The same sheet gives the same bytes.
///
/// # Errors
/// [`PdfError::Empty`], [`PdfError::TooLong`] and [`PdfError::TooMany`] name the field. The others are faults of this
/// module.
pub fn render(sheet: &Sheet) -> Result<Vec<u8>, PdfError> {
    sheet.check()?;
    let faces = face::faces().ok_or(PdfError::Font)?;
    if clean::clean(&sheet.title, faces).is_empty() {
        return Err(PdfError::Empty("title"));
    }
    paint::paint(compose::compose(sheet, faces), sheet.created_at)
}
