//! What a run leaves: a report for programs (JSON), one for people (HTML, whole in itself), and the table on the page.

use std::fmt::Write;
use std::path::Path;

use bipe_swarm::{Outcome, machine, page};
use serde_json::{Value, json};

use crate::outcome::{Found, Run};
use crate::row::Row;

/// The sections of the short run (docs/reliability.md) and of the long one (loadtest/RESULTS.md).
const SHORT: &str = "Row by row";
const LONG: &str = "`make reliability-long`";
const HEAD: &str = "| Row | What is promised | How it is tried | At least | Last figures | Seconds |\n\
                    |---|---|---|---|---|---|";

/// # Errors
/// When the folder cannot be written.
pub fn write(run: &Run, folder: &Path) -> Outcome<()> {
    let facts = json!(machine::facts());
    let report = json!({
        "seed": run.seed, "hours": run.hours, "seconds": run.seconds, "failed": run.failed(), "machine": facts,
        "rows": run.found.iter().map(|found| row(run, found)).collect::<Vec<Value>>(),
    });
    let name = |end: &str| folder.join(format!("reliability.{end}"));
    std::fs::write(name("json"), serde_json::to_string_pretty(&report)?)?;
    Ok(std::fs::write(name("html"), html(run, &facts)?)?)
}

fn row(run: &Run, found: &Found) -> Value {
    let floors: serde_json::Map<String, Value> = found
        .row
        .floors(run.hours)
        .into_iter()
        .map(|(name, least)| (name.to_owned(), json!(least)))
        .collect();
    json!({
        "id": found.row.id, "promise": found.row.promise, "tests": paths(found.row).replace('`', ""),
        "held": found.wrong.is_empty(), "wrong": found.wrong, "figures": found.figures.0, "floors": floors,
        "seconds": found.seconds, "again": run.again(found.row),
    })
}

fn html(run: &Run, facts: &Value) -> Outcome<String> {
    let mut rows = String::new();
    for found in &run.found {
        let verdict = if found.wrong.is_empty() { "held" } else { "failed" };
        let cells = [
            found.row.id.to_owned(),
            found.row.promise.to_owned(),
            verdict.to_owned(),
            found.figures.line(),
            floors(found.row, run.hours),
            format!("{:.1}", found.seconds),
            run.again(found.row),
            found.wrong.join("\n"),
        ];
        let cells: String =
            cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        writeln!(rows, "<tr class=\"{verdict}\">{cells}</tr>")?;
    }
    Ok(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Reliability</title>\
         <style>body{{font:14px system-ui;margin:2em}}td,th{{border:1px solid #999;padding:.4em;text-align:left;\
         vertical-align:top;white-space:pre-wrap}}table{{border-collapse:collapse}}.failed{{background:#fdd}}</style>\
         <h1>Reliability</h1><p>{} rows, {} failed, {:.0} s, seed {}</p><p>{}</p><table><tr><th>Row<th>Promise<th>\
         Verdict<th>Figures<th>At least<th>Seconds<th>Again<th>What was wrong</tr>\n{rows}</table></html>\n",
        run.found.len(),
        run.failed(),
        run.seconds,
        run.seed,
        escaped(&facts.to_string()),
    ))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Puts the rows that held into the section of the page. A row that was left out or failed keeps its figures from before.
///
/// # Errors
/// When the page lacks the heading.
pub fn page(run: &Run, path: &Path) -> Outcome<()> {
    let before = std::fs::read_to_string(path)?;
    let is_long = run.hours > 0;
    // The others try as much in the long run as in the short one.
    let is_of_the_run =
        |row: &&Row| if is_long { !row.counts.is_empty() } else { !row.is_long_only };
    let rows = crate::table::ROWS.iter().filter(is_of_the_run);
    let lines: Vec<String> = rows.filter_map(|row| kept(row, run, &before)).collect();
    let says = "A row that the last run left out shows its figures from before.";
    let heading = if is_long { LONG } else { SHORT };
    page::write(path, heading, &format!("{says}\n\n{HEAD}\n{}\n", lines.join("\n")))
}

/// The line of a row that has held at some time.
fn kept(row: &Row, run: &Run, before: &str) -> Option<String> {
    let now = run.found.iter().find(|found| found.row.id == row.id && found.wrong.is_empty());
    let fixed = fixed(row, run.hours);
    let old = || before.lines().find(|line| line.starts_with(&fixed)).map(str::to_owned);
    now.map(|found| shown(found, run.hours)).or_else(old)
}

fn shown(found: &Found, hours: u64) -> String {
    format!("{} {} | {:.0} |", fixed(found.row, hours), found.figures.line(), found.seconds)
}

/// The part of a row's line that no run changes.
fn fixed(row: &Row, hours: u64) -> String {
    format!("| {} | {} | {} | {} |", row.id, row.promise, paths(row), floors(row, hours))
}

fn paths(row: &Row) -> String {
    row.calls.iter().map(crate::row::Call::path).collect::<Vec<_>>().join(", ")
}

fn floors(row: &Row, hours: u64) -> String {
    let floors = row.floors(hours);
    let words: Vec<String> = floors.iter().map(|(name, least)| format!("{name} {least}")).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_of_every_row_what_the_table_says() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reliability.md");
        let page = std::fs::read_to_string(page).unwrap();
        for row in crate::table::ROWS.iter().filter(|row| !row.is_long_only) {
            let line = fixed(row, 0);
            assert!(page.contains(&line), "run `make reliability PAGE=1`: no\n{line}");
        }
    }

    #[test]
    fn what_a_test_printed_is_no_markup() {
        assert_eq!(escaped("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
