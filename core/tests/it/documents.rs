//! The documents tell the truth about the tree: every link, every heading that a link names, and every path in
//! backticks exists. Code names a rule of a document in one form, `docs/billing.md, "Proration"`; the heading exists.

use std::fs;

use bipe_core::alert::AlertKind;
use bipe_core::error::{Code, FieldCode};
use bipe_core::event::EventName;
use bipe_core::gateway::webhook::SUBSCRIBED;

use crate::tree::{Source, files, none, root, sources};

/// A document: its path from the root of the repository, and its lines without fenced blocks.
pub struct Document {
    pub path: String,
    pub lines: Vec<String>,
}

impl Document {
    fn new(path: String, text: &str) -> Self {
        let mut fenced = false;
        let mut lines = Vec::new();
        for line in text.lines() {
            let is_fence = line.trim_start().starts_with("```");
            fenced ^= is_fence;
            // A line is kept empty instead of dropped, so that line numbers stay.
            lines.push(if fenced || is_fence { String::new() } else { line.to_owned() });
        }
        Self { path, lines }
    }

    /// The anchors of the headings, as GitHub makes them.
    pub fn anchors(&self) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        let headings = self.lines.iter().filter(|line| line.starts_with('#'));
        let anchors = headings.map(|line| {
            let base = anchor(line.trim_start_matches('#'));
            let repeats = seen.iter().filter(|other| **other == base).count();
            seen.push(base.clone());
            if repeats == 0 { base } else { format!("{base}-{repeats}") }
        });
        anchors.collect()
    }
}

/// The anchor of a heading: lower case, words joined by hyphens, punctuation dropped.
pub fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|char| match char {
        ' ' => Some('-'),
        '-' | '_' => Some(char),
        _ if char.is_alphanumeric() => Some(char),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

/// The pages at the top, in docs/ and in loadtest/.
pub fn documents() -> Vec<Document> {
    let mut pages: Vec<Source> = Vec::new();
    for entry in fs::read_dir(root()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            pages.push(Source { text: fs::read_to_string(entry.path()).unwrap(), path: name });
        }
    }
    for folder in ["docs", "loadtest"] {
        let below = sources(folder, "md").into_iter();
        pages.extend(below.map(|Source { path, text }| {
            let path = format!("{folder}/{path}");
            Source { path, text }
        }));
    }
    pages.into_iter().map(|page| Document::new(page.path, &page.text)).collect()
}

/// The targets of `[text](target)` in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// The words inside the backticks of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).flat_map(str::split_whitespace)
}

/// A path of the repository: it begins with a name at the top and has a slash behind it, or it ends like a file.
fn is_path(word: &str, top: &[String]) -> bool {
    const ENDINGS: [&str; 8] = [".rs", ".ts", ".tsx", ".md", ".sql", ".json", ".js", ".mjs"];
    let Some((first, _)) = word.split_once('/') else { return false };
    let is_elsewhere = first.is_empty() || word.contains("://");
    !is_elsewhere
        && (top.iter().any(|name| name == first) || ENDINGS.iter().any(|end| word.ends_with(end)))
}

/// What builds and tools make: there or not.
fn is_made(path: &str, ignored: &[String]) -> bool {
    let below = |folder: &String| path.strip_prefix(folder.trim_matches('/'));
    path.contains("node_modules")
        || ignored.iter().filter_map(below).any(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Every line of every document for which `wrong` names something.
fn broken(wrong: impl Fn(&Document, &str) -> Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    for document in documents() {
        for (number, line) in document.lines.iter().enumerate() {
            for target in wrong(&document, line) {
                found.push(format!("{}:{}: {target}", document.path, number + 1));
            }
        }
    }
    found
}

#[test]
fn every_link_leads_to_a_page_and_to_a_heading_that_are_there() {
    let all = documents();
    let is_broken = |from: &Document, target: &str| {
        if target.contains("://") || target.starts_with("mailto:") {
            return false;
        }
        let (page, heading) = target.split_once('#').unwrap_or((target, ""));
        let folder = from.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = if page.is_empty() { from.path.clone() } else { joined(folder, page) };
        let named = all.iter().find(|document| document.path == path);
        let has_heading =
            || named.is_some_and(|page| page.anchors().iter().any(|own| own == heading));
        !root().join(&path).exists() || !(heading.is_empty() || has_heading())
    };
    let wrong = |document: &Document, line: &str| -> Vec<String> {
        links(line).filter(|target| is_broken(document, target)).map(str::to_owned).collect()
    };
    none(&broken(wrong), "a link leads to something that exists");
}

#[test]
fn every_path_in_backticks_exists() {
    let names = fs::read_dir(root()).unwrap().flatten();
    let top: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    let ignored: Vec<String> = ignored.lines().map(str::to_owned).collect();
    let wrong = |_: &Document, line: &str| -> Vec<String> {
        let paths = quoted(line).filter(|word| is_path(word, &top) && !is_made(word, &ignored));
        paths.filter(|path| !root().join(path).exists()).map(str::to_owned).collect()
    };
    none(&broken(wrong), "a path in backticks, from the root of the repository, exists");
}

#[test]
fn prose_is_at_most_120_columns_wide() {
    let wrong = |_: &Document, line: &str| -> Vec<String> {
        // A row of a table cannot be broken.
        let is_wide = !line.starts_with('|') && line.chars().count() > 120;
        is_wide.then(|| line.to_owned()).into_iter().collect()
    };
    none(&broken(wrong), "a line that is no table has at most 120 columns");
}

/// `page` seen from `folder`, with `..` followed.
fn joined(folder: &str, page: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in page.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Migrations that are applied are never edited: one of them names a page from before the pages were here.
const APPLIED: &str = "migrations/V006__subscriptions.sql";

/// Every text file that is code, with its path from the root.
pub fn code() -> Vec<Source> {
    const ENDINGS: [&str; 9] = ["rs", "ts", "tsx", "js", "mjs", "json", "sql", "py", "css"];
    let folders = fs::read_dir(root()).unwrap().flatten().filter(|entry| entry.path().is_dir());
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut all = Vec::new();
    for folder in names.filter(|name| !name.starts_with('.') && name != "target") {
        for source in ENDINGS.iter().flat_map(|ending| files(&folder, ending)) {
            all.push(Source { path: format!("{folder}/{}", source.path), text: source.text });
        }
    }
    let text = fs::read_to_string(root().join("Makefile")).unwrap();
    all.push(Source { path: "Makefile".into(), text });
    all.retain(|source| source.path != APPLIED && !source.path.ends_with("it/documents.rs"));
    assert!(all.len() > 500, "{} files", all.len());
    all
}

/// Every line of code for which `wrong` names something.
fn broken_code(wrong: impl Fn(&Source, &str) -> Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    for source in code() {
        for (number, line) in source.text.lines().enumerate() {
            let line = line.replace("\\\"", "\"");
            for what in wrong(&source, &line) {
                found.push(format!("{}:{}: {what}", source.path, number + 1));
            }
        }
    }
    found
}

/// What a line names of documents: the page, and the heading or nothing where it does not stand on the same line.
fn references(line: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("docs/") {
        let Some((page, rest)) = line[at..].split_once(".md") else { continue };
        if page.contains(|char: char| !char.is_alphanumeric() && !"/-_".contains(char)) {
            continue;
        }
        let heading = rest.strip_prefix(", \"").and_then(|rest| rest.split_once('"'));
        match heading {
            Some((heading, _)) => found.push((format!("{page}.md"), Some(heading.to_owned()))),
            None if rest.starts_with(',') => found.push((format!("{page}.md"), None)),
            None => found.push((format!("{page}.md"), Some(String::new()))),
        }
    }
    found
}

#[test]
fn every_rule_that_code_names_stands_under_its_heading() {
    let all = documents();
    let is_there = |page: &str, heading: &str| {
        let page = all.iter().find(|document| document.path == page);
        let is_heading = |line: &String| line.trim_start_matches('#').trim() == heading;
        page.is_some_and(|page| {
            heading.is_empty()
                || page.lines.iter().any(|line| line.starts_with('#') && is_heading(line))
        })
    };
    let wrong = |_: &Source, line: &str| -> Vec<String> {
        let named = references(line).into_iter();
        let broken = named.filter(|(page, heading)| {
            heading.as_ref().is_none_or(|heading| !is_there(page, heading))
        });
        broken.map(|(page, heading)| format!("{page}, {heading:?}")).collect()
    };
    none(&broken_code(wrong), "a page of docs/ has the heading, on the line that names the page");
}

#[test]
fn code_names_no_document_in_another_way() {
    let all = documents();
    let names = all.iter().filter_map(|page| page.path.strip_prefix("docs/")?.rsplit('/').next());
    let pages: Vec<&str> = names.collect();
    let wrong = |_: &Source, line: &str| -> Vec<String> {
        let mut found = Vec::new();
        for page in &pages {
            let is_named = |at: usize| {
                ["docs/", "docs/runbooks/"].iter().any(|folder| line[..at].ends_with(folder))
            };
            let bare = line.match_indices(page).filter(|(at, _)| !is_named(*at));
            found.extend(bare.map(|(_, page)| page.to_owned()));
        }
        let is_numbered = |word: &str| {
            let mut behind = line.match_indices(word).map(|(at, word)| &line[at + word.len()..]);
            behind.any(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
        };
        if (is_numbered("section ") || is_numbered("sections ")) && !line.contains("RFC") {
            found.push("a section by its number".to_owned());
        }
        if line.to_lowercase().contains("the specification") {
            found.push("the specification".to_owned());
        }
        found
    };
    none(&broken_code(wrong), "a document is named by docs/, its page and its heading");
}

#[test]
fn every_code_event_setting_and_alert_is_documented() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let missing = |page: &str, names: &[&str]| -> Vec<String> {
        let text = read(page);
        let missing = names.iter().filter(|name| !text.contains(&format!("`{name}`")));
        missing.map(|name| format!("{page}: {name}")).collect()
    };
    let codes = Code::ALL.iter().map(|code| code.as_str());
    let fields = FieldCode::ALL.iter().map(|code| code.as_str());
    let events = EventName::ALL.iter().map(|name| name.as_str());
    let words: Vec<&str> = codes.chain(fields).chain(events).collect();
    none(&missing("docs/contract.md", &words), "the contract names every code and event");
    let example = read(".env.example");
    let is_name = |name: &&str| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let settings = example.lines().filter_map(|line| line.strip_prefix("# ")?.split_once('='));
    let settings: Vec<&str> = settings.map(|(name, _)| name).filter(is_name).collect();
    assert!(settings.len() > 20, "{settings:?}");
    none(&missing("docs/operations.md", &settings), "a setting of .env.example is explained");
    let alerts = AlertKind::ALL.map(AlertKind::as_str);
    none(&missing("docs/runbooks/work.md", &alerts), "the runbook says what to do at an alert");
}

#[test]
fn the_page_for_operators_lists_what_an_endpoint_subscribes_to() {
    let page = fs::read_to_string(root().join("docs/operations.md")).unwrap();
    let listed = page.split("\n## Stripe\n").nth(1).unwrap().split("```").nth(1).unwrap();
    assert_eq!(listed.split_whitespace().collect::<Vec<_>>(), SUBSCRIBED);
}

#[test]
fn a_reference_is_a_page_and_a_heading() {
    let line =
        "//! A (docs/billing.md, \"Proration\"; docs/billing.md, \"Quotes\"), docs/contract.md,";
    let named = |page: &str, heading: Option<&str>| (page.to_owned(), heading.map(str::to_owned));
    assert_eq!(
        references(line),
        [
            named("docs/billing.md", Some("Proration")),
            named("docs/billing.md", Some("Quotes")),
            named("docs/contract.md", None),
        ]
    );
    assert_eq!(references("// see docs/operations.md"), [named("docs/operations.md", Some(""))]);
}

#[test]
fn anchors_are_those_of_github() {
    let text = "# One payment's walk\n## `make bench`: 2 rounds\n## Live\n```\n# no heading\n```\n## Live\n";
    let document = Document::new("docs/a.md".into(), text);
    assert_eq!(document.anchors(), ["one-payments-walk", "make-bench-2-rounds", "live", "live-1"]);
    assert_eq!(joined("docs", "../loadtest/RESULTS.md"), "loadtest/RESULTS.md");
}
