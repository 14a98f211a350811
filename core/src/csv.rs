//! CSV that a Brazilian spreadsheet opens: byte order mark, semicolons, CRLF. Called by every export; the table beside
//! the documents of a year takes the cells alone.
//!
//! Invariant: no cell starts a formula, and no cell ends early.

use std::iter;

/// It tells spreadsheets that this is UTF-8.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file of these rows below their header.
pub fn file<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: [String; N]| cells.map(|cell| escape(&cell)).join(";") + "\r\n";
    let lines = iter::once(header.map(str::to_owned)).chain(rows).map(line);
    BYTE_ORDER_MARK.to_string() + &lines.collect::<String>()
}

/// What begins a formula in some spreadsheet: also behind a break, and in full width.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// What a spreadsheet would run as a formula is text; what would end a cell is quoted.
pub(crate) fn escape(cell: &str) -> String {
    let cell = if cell.starts_with(FORMULA) { format!("'{cell}") } else { cell.to_owned() };
    match cell.contains([';', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_starts_a_formula_and_none_ends_early() {
        for formula in ["=1+1", "+1", "-1", "@sum", "\tx", "\rx", "\n=1", "＝1"] {
            let cell = escape(formula);
            assert!(cell.trim_start_matches('"').starts_with('\''), "{cell}");
        }
        assert_eq!(escape("a;\"b\""), "\"a;\"\"b\"\"\"");
        assert_eq!(escape("1234,5"), "1234,5");
    }
}
