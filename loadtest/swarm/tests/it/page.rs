//! Sections of the page of results.

use std::fs;
use std::path::Path;

use bipe_swarm::page::{Lines, replaced};

const PAGE: &str =
    "# Results\n\n## `make bench`\n\nold\n\n### Goals\n\nold\n\n## `make bench-live`\n\nkept\n";

#[test]
fn a_section_is_replaced_and_every_other_line_stays() {
    let text = replaced(PAGE, "`make bench`", "new").unwrap();
    assert_eq!(text, "# Results\n\n## `make bench`\n\nnew\n\n## `make bench-live`\n\nkept\n");
    let again = replaced(&text, "`make bench-live`", "newer").unwrap();
    assert!(again.ends_with("\n## `make bench-live`\n\nnewer\n"), "{again}");
    assert_eq!(replaced(&again, "`make bench-live`", "newer").unwrap(), again);
}

#[test]
fn every_benchmark_has_its_section() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = fs::read_to_string(home.join("../RESULTS.md")).unwrap();
    let (mut folders, mut found) = (vec![home.join("src")], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap();
            for rest in text.split("Lines::new(\"`make ").skip(1) {
                let name = rest.split('`').next().unwrap();
                assert!(results.contains(&format!("\n## `make {name}`\n")), "{name}");
                found += 1;
            }
        }
    }
    assert!(found >= 6, "{found} benchmarks that say lines");
}

#[test]
fn a_page_without_the_heading_is_refused() {
    assert!(replaced(PAGE, "`make`", "new").is_err());
}

#[test]
fn the_last_line_says_whether_every_goal_was_met() {
    let mut lines = Lines::new("");
    assert_eq!(lines.verdict(), None);
    lines.goal(true, String::new());
    assert_eq!(lines.verdict().unwrap(), "every goal is met");
    lines.excuse();
    assert_eq!(lines.verdict().unwrap(), "every other goal is met");
    lines.goal(false, "too slow".into());
    assert_eq!(lines.verdict().unwrap(), "missed: too slow");
}
