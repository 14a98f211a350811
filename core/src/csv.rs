//! CSV that a Brazilian spreadsheet opens: byte order mark, semicolons, CRLF. Called by every export.
//!
//! Invariant: no cell starts a formula, and no cell ends early.

use std::iter;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file of these rows below their header.
pub fn file<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: [String; N]| cells.map(|cell| escape(&cell)).join(";") + "\r\n";
    let lines = iter::once(header.map(str::to_owned)).chain(rows).map(line);
    BYTE_ORDER_MARK.to_string() + &lines.collect::<String>()
}

/// What a spreadsheet would run as a formula is text; what would end a cell is quoted.
fn escape(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let cell = if is_formula { format!("'{cell}") } else { cell.to_owned() };
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
        for formula in ["=1+1", "+1", "-1", "@sum", "\tx", "\rx"] {
            let cell = escape(formula);
            assert!(cell.trim_start_matches('"').starts_with('\''), "{cell}");
        }
        assert_eq!(escape("a;\"b\""), "\"a;\"\"b\"\"\"");
        assert_eq!(escape("1234,5"), "1234,5");
    }
}
