//! The documents tell the truth about the tree: every link, every heading that a link names, and every path in
//! backticks exists.

use std::fs;

use crate::tree::{Source, none, root, sources};

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

#[test]
fn anchors_are_those_of_github() {
    let text = "# One payment's walk\n## `make bench`: 2 rounds\n## Live\n```\n# no heading\n```\n## Live\n";
    let document = Document::new("docs/a.md".into(), text);
    assert_eq!(document.anchors(), ["one-payments-walk", "make-bench-2-rounds", "live", "live-1"]);
    assert_eq!(joined("docs", "../loadtest/RESULTS.md"), "loadtest/RESULTS.md");
}
