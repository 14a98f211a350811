//! CSV files, read back by a reader of RFC 4180 that is not ours.

use bipe_core::csv;
use bipe_simulator::for_each_text;

/// Between the cells of a text.
const CELL: char = '|';
const CELLS: &[&str] = &[
    "|",
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "\r\n",
    ";",
    "\"",
    "\"\"",
    "'",
    " ",
    "=1+1",
    "\u{feff}",
    "\u{0}",
    "\u{e9}",
    "\u{ff1d}",
    ",",
    "=HYPERLINK(\"x\";\"y\")",
    "1234,5",
];

#[test]
fn every_cell_is_read_back_and_none_starts_a_formula() {
    for_each_text!("csv", CELLS, |text: &str| {
        let cells: Vec<String> = text.split(CELL).map(str::to_owned).collect();
        let cell = |at: usize| cells.get(at).cloned().unwrap_or_default();
        let rows: Vec<[String; 3]> = (0..cells.len().div_ceil(3))
            .map(|row| [cell(row * 3), cell(row * 3 + 1), cell(row * 3 + 2)])
            .collect();
        let file = csv::file(["a", "b", "c"], rows.iter().cloned());
        let file = file.strip_prefix('\u{feff}').expect("a byte order mark");
        let mut reader = ::csv::ReaderBuilder::new().delimiter(b';').from_reader(file.as_bytes());
        let read: Vec<Vec<String>> = reader
            .records()
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .collect();
        assert_eq!(read.len(), rows.len(), "{file:?}");
        for (read, written) in read.iter().flatten().zip(rows.iter().flatten()) {
            assert!(!is_formula(read), "{read:?}");
            let marked = format!("'{written}");
            assert_eq!(read, if is_formula(written) { &marked } else { written });
        }
    });
}

/// What spreadsheets take for one (OWASP, "CSV Injection").
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}
