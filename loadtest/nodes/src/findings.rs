//! What one test did and measured, and whether every bound held.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    Skipped,
}

/// Printed line by line, and kept for the page.
pub struct Findings {
    name: &'static str,
    /// Times and rates count; on a busy machine they do not.
    judges_times: bool,
    pub lines: Vec<String>,
    failures: usize,
    is_skipped: bool,
}

impl Findings {
    pub fn new(name: &'static str, judges_times: bool) -> Self {
        Self { name, judges_times, lines: Vec::new(), failures: 0, is_skipped: false }
    }

    pub fn say(&mut self, line: impl Into<String>) {
        let line = line.into();
        println!("{line}");
        self.lines.push(line);
    }

    /// A figure and its bound, which counts at any load.
    pub fn bound(&mut self, holds: bool, figure: &str, bound: &str) {
        let verdict = if holds { "holds" } else { "DOES NOT HOLD" };
        self.failures += usize::from(!holds);
        self.say(format!("  {figure:<64} {bound:<28} {verdict}"));
    }

    /// A figure and its bound, which counts on a quiet machine alone.
    pub fn time(&mut self, holds: bool, figure: &str, bound: &str) {
        if self.judges_times {
            return self.bound(holds, figure, bound);
        }
        self.say(format!("  {figure:<64} {bound:<28} not judged"));
    }

    /// What happened, without a bound.
    pub fn note(&mut self, text: &str) {
        self.say(format!("  {text}"));
    }

    pub fn fail(&mut self, why: &str) {
        self.failures += 1;
        self.say(format!("  failed: {why}"));
    }

    pub fn skip(&mut self, missing: &str) {
        self.is_skipped = true;
        self.say(format!("  skipped: {missing}"));
    }

    pub fn end(&mut self, again: &str, seconds: u64) {
        let verdict = match self.verdict() {
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::Skipped => "skipped",
        };
        self.say(format!("  {} {verdict} after {seconds} s; again: {again}", self.name));
    }

    pub fn verdict(&self) -> Verdict {
        match (self.failures, self.is_skipped) {
            (1.., _) => Verdict::Failed,
            (0, true) => Verdict::Skipped,
            (0, false) => Verdict::Passed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bound_that_does_not_hold_fails_the_test() {
        let mut findings = Findings::new("N1", true);
        findings.bound(true, "0 gaps", "0");
        assert_eq!(findings.verdict(), Verdict::Passed);
        findings.time(false, "p99 30 ms", "20 ms");
        assert_eq!(findings.verdict(), Verdict::Failed);
    }

    #[test]
    fn a_time_is_not_judged_on_a_busy_machine() {
        let mut findings = Findings::new("N1", false);
        findings.time(false, "p99 30 ms", "20 ms");
        assert_eq!(findings.verdict(), Verdict::Passed);
        findings.bound(false, "1 gap", "0");
        assert_eq!(findings.verdict(), Verdict::Failed);
    }
}
