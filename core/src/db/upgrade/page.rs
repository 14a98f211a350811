//! The part of docs/operations.md about upgrades, which `bipe upgrade table` prints. Called by the command and by the
//! test that compares the page.

use std::fmt::Write as _;

use super::{Migration, Waits, migrations, oldest_beside};

/// From where, how far back, and each migration that somebody may wait for.
///
/// # Errors
/// The statement of a migration whose kind is unknown.
pub fn page() -> Result<String, String> {
    let all = migrations()?;
    let build = all.iter().map(|migration| migration.version).max().unwrap_or_default();
    let mut text = windows(&all, build);
    text += "\n| Migration | Until it ends, others wait to | Takes longer with more rows in |\n|---|---|---|\n";
    for migration in all.iter().filter(|migration| !migration.tables.is_empty()) {
        let named = |wanted: &dyn Fn(Waits, bool) -> bool| {
            let tables = migration.tables.iter();
            let tables = tables.filter(|(_, on)| wanted(on.waits, on.grows));
            tables.map(|(table, _)| format!("`{table}`")).collect::<Vec<_>>().join(", ")
        };
        let waits = [
            ("read and write", named(&|waits, _| waits == Waits::Everything)),
            ("write", named(&|waits, _| waits == Waits::Writes)),
            ("write changed rows of", named(&|waits, _| waits == Waits::ChangedRows)),
        ];
        let waits = waits.iter().filter(|(_, tables)| !tables.is_empty());
        let waits = waits.map(|(what, tables)| format!("{what} {tables}")).collect::<Vec<_>>();
        let (waits, grows) = (waits.join("; "), named(&|_, grows| grows));
        let or_none = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
        let Migration { version, name, .. } = migration;
        writeln!(text, "| {version} {name} | {} | {} |", or_none(&waits), or_none(&grows)).ok();
    }
    Ok(text)
}

fn windows(all: &[Migration], build: i32) -> String {
    let heads = "| Schema of the database | This build upgrades it | Old nodes serve meanwhile | Back afterwards |";
    let mut text = format!("This build has schema {build}.\n\n{heads}\n|---|---|---|---|\n");
    text += "| none | yes: an installation | there are none | to nothing |\n";
    let first = all.iter().map(|migration| migration.version).min().unwrap_or_default();
    let oldest = oldest_beside(all, build).unwrap_or(build);
    let range = |from: i32, to: i32| {
        if from == to { from.to_string() } else { format!("{from} to {to}") }
    };
    if oldest > first {
        let range = range(first, oldest - 1);
        writeln!(text, "| {range} | yes | no: stop them first | to a backup only |").ok();
    }
    if build > oldest {
        let range = range(oldest, build - 1);
        writeln!(text, "| {range} | yes | yes | to builds with schema {oldest} or later |").ok();
    }
    writeln!(text, "| {build} | nothing to do | yes | to builds with schema {oldest} or later |")
        .ok();
    text += "| newer | no: it serves while the database lets it | yes | – |\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_operator_has_the_table_of_this_build() {
        let manual = include_str!("../../../../docs/operations.md");
        let page = format!("<!-- bipe upgrade table -->\n\n{}\n<!-- end -->\n", page().unwrap());
        assert!(manual.contains(&page), "docs/operations.md is stale: run make schema\n{page}");
    }

    #[test]
    fn every_schema_is_in_one_row() {
        let all = migrations().unwrap();
        let text = windows(&all, 43);
        assert!(text.contains("| 1 to 32 | yes | no: stop them first"), "{text}");
        assert!(
            text.contains("| 33 to 42 | yes | yes | to builds with schema 33 or later"),
            "{text}"
        );
        let at_the_window = windows(&all, 33);
        assert!(at_the_window.contains("| 33 | nothing to do"), "{at_the_window}");
        assert!(!at_the_window.contains("| 33 to"), "{at_the_window}");
    }
}
