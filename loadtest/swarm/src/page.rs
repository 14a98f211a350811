//! The page of results, `loadtest/RESULTS.md`: a benchmark replaces the section under its own heading and leaves
//! every other line as it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{Outcome, machine};

/// What one benchmark says: printed line by line, and kept for its section.
pub struct Lines {
    heading: &'static str,
    lines: Vec<String>,
    has_goals: bool,
    missed: Vec<String>,
    /// Of the goals whose miss fails nothing, one was missed.
    is_excused: bool,
}

impl Lines {
    pub fn new(heading: &'static str) -> Self {
        Self { heading, lines: Vec::new(), has_goals: false, missed: Vec::new(), is_excused: false }
    }

    pub fn say(&mut self, line: String) {
        println!("{line}");
        self.lines.push(line);
    }

    /// A goal that holds says nothing.
    pub fn goal(&mut self, holds: bool, otherwise: String) {
        self.has_goals = true;
        if !holds {
            self.missed.push(otherwise);
        }
    }

    /// A goal was missed whose miss fails nothing; its own line says so.
    pub fn excuse(&mut self) {
        self.is_excused = true;
    }

    /// What is said at the end.
    pub fn verdict(&self) -> Option<String> {
        if !self.missed.is_empty() {
            return Some(format!("missed: {}", self.missed.join("; ")));
        }
        let goals = if self.is_excused { "every other goal" } else { "every goal" };
        self.has_goals.then(|| format!("{goals} is met"))
    }

    /// Writes the section, also when a goal was missed, which is an error.
    pub fn end(mut self, page: Option<&Path>) -> Outcome<()> {
        if let Some(verdict) = self.verdict() {
            self.say(verdict);
        }
        if let Some(page) = page {
            write(page, self.heading, &fenced(&self.lines))?;
        }
        if self.missed.is_empty() { Ok(()) } else { Err("a goal was missed".into()) }
    }
}

/// Plain lines as a block of Markdown.
pub fn fenced(lines: &[String]) -> String {
    format!("```text\n{}\n```\n", lines.join("\n"))
}

/// Puts `body` under the heading, with the day, the commit and the processor.
pub fn write(page: &Path, heading: &str, body: &str) -> Outcome<()> {
    let text = fs::read_to_string(page)?;
    let section = format!("{}\n\n{}", stamp(page), body.trim());
    Ok(fs::write(page, replaced(&text, heading, &section)?)?)
}

fn stamp(page: &Path) -> String {
    let says = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output();
        let text = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&text).trim().to_owned()
    };
    let (day, commit) =
        (says("date", &["-u", "+%F"]), says("git", &["rev-parse", "--short", "HEAD"]));
    // An earlier benchmark's section is no change of what is measured.
    let but = format!(":(exclude){}", page.display());
    let is_changed = !says("git", &["status", "--porcelain", "-uno", "--", ".", &but]).is_empty();
    let changes = if is_changed { " with changes" } else { "" };
    let facts = machine::facts();
    let processor = facts.get("processor").and_then(Value::as_str).unwrap_or_default();
    let cores = facts.get("cores").cloned().unwrap_or_default();
    format!("Measured on {day} at commit {commit}{changes}; {processor}, {cores} cores.")
}

/// The text with another section between the heading's line and the next heading of its level.
pub fn replaced(text: &str, heading: &str, section: &str) -> Outcome<String> {
    let line = format!("\n## {heading}\n");
    let (before, rest) = text.split_once(&line).ok_or_else(|| format!("no line `## {heading}`"))?;
    let after = rest.find("\n## ").and_then(|at| rest.get(at..)).unwrap_or_default();
    Ok(format!("{before}{line}\n{section}\n{after}"))
}
