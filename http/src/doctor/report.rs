//! What `bipe doctor` found: one line for each check, as text for a person and as JSON for a program. Called by the
//! checks, by `mod.rs`, by `http/src/upgrade.rs` and by `http/src/backup/verification.rs`.

use std::fmt::Write as _;

use serde::Serialize;

/// Characters of what a server or a library said, at most.
const LONGEST: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    Ok,
    Finding,
    Skipped,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// `area.what`, which stays the same from release to release.
    pub check: &'static str,
    pub outcome: Outcome,
    /// What was measured, in one line.
    pub says: String,
    /// What to do about a finding.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Where to read: a page of this repository and its heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<&'static str>,
}

impl Check {
    pub fn ok(check: &'static str, says: impl Into<String>) -> Self {
        Self::new(check, Outcome::Ok, says.into())
    }

    /// `why` names the setting that is missing, the check that has to succeed first, or the place to ask from.
    pub fn skipped(check: &'static str, why: impl Into<String>) -> Self {
        Self::new(check, Outcome::Skipped, why.into())
    }

    pub fn finding(
        check: &'static str,
        says: impl Into<String>,
        advice: impl Into<String>,
        read: &'static str,
    ) -> Self {
        let found = Self::new(check, Outcome::Finding, says.into());
        Self { advice: Some(advice.into()), read: Some(read), ..found }
    }

    fn new(check: &'static str, outcome: Outcome, says: String) -> Self {
        Self { check, outcome, says: one_line(&says), advice: None, read: None }
    }
}

/// A server's words are neither long nor several lines here, and move no cursor.
fn one_line(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(LONGEST).collect()
}

#[derive(Debug, Serialize)]
pub struct Report {
    /// Of the build that asks.
    pub version: &'static str,
    pub findings: usize,
    pub checks: Vec<Check>,
}

impl Report {
    pub fn of(checks: Vec<Check>) -> Self {
        let findings = checks.iter().filter(|check| check.outcome == Outcome::Finding).count();
        Self { version: env!("CARGO_PKG_VERSION"), findings, checks }
    }

    /// For a person.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let width = self.checks.iter().map(|check| check.check.len()).max().unwrap_or_default();
        for Check { check, outcome, says, advice, read } in &self.checks {
            let word = match outcome {
                Outcome::Ok => "ok",
                Outcome::Finding => "FINDING",
                Outcome::Skipped => "skipped",
            };
            // Writing into a text cannot fail.
            let _ = writeln!(text, "{word:<8} {check:<width$}  {says}");
            let indent = 9 + width + 2;
            for (word, what) in [("do", advice.as_deref()), ("read", *read)] {
                let _ = what.map(|what| writeln!(text, "{:indent$}{word:<5} {what}", ""));
            }
        }
        let (all, found) = (self.checks.len(), self.findings);
        let skipped = self.checks.iter().filter(|c| c.outcome == Outcome::Skipped).count();
        let found = if found == 1 { "1 finding".to_owned() } else { format!("{found} findings") };
        let _ = writeln!(text, "\n{all} checks: {found}, {skipped} skipped");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        Report::of(vec![
            Check::ok("database.reached", "PostgreSQL 18.4"),
            Check::finding("jobs.due", "late\nby\u{1b}[2J an hour", "look", "docs/metrics.md"),
            Check::skipped("bus", "not configured: NATS_URL"),
        ])
    }

    #[test]
    fn a_person_reads_what_was_found_what_to_do_and_where_it_stands() {
        let expected = "\
ok       database.reached  PostgreSQL 18.4
FINDING  jobs.due          late by [2J an hour
                           do    look
                           read  docs/metrics.md
skipped  bus               not configured: NATS_URL

3 checks: 1 finding, 1 skipped
";
        assert_eq!(report().text(), expected);
    }

    #[test]
    fn a_program_reads_the_same() {
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!((&json["findings"], &json["checks"][0]["outcome"]), (&1.into(), &"ok".into()));
        let found = serde_json::json!({"check": "jobs.due", "outcome": "finding",
            "says": "late by [2J an hour", "do": "look", "read": "docs/metrics.md"});
        assert_eq!(json["checks"][1], found);
        assert!(json["checks"][2].get("read").is_none());
    }

    #[test]
    fn what_a_server_says_is_cut() {
        assert_eq!(Check::ok("x", "y".repeat(10_000)).says.len(), LONGEST);
    }
}
