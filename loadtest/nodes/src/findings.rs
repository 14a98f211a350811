//! What one test did and measured, and whether every bound held.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    Skipped,
}

/// A row of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    figure: String,
    goal: String,
    verdict: &'static str,
    /// Or calculated.
    is_measured: bool,
}

/// Printed line by line, and kept for the page.
pub struct Findings {
    name: &'static str,
    /// Times and rates count; on a busy machine they do not.
    judges_times: bool,
    pub lines: Vec<String>,
    rows: Vec<Row>,
    failures: usize,
    is_skipped: bool,
}

impl Findings {
    pub fn new(name: &'static str, judges_times: bool) -> Self {
        Self {
            name,
            judges_times,
            lines: Vec::new(),
            rows: Vec::new(),
            failures: 0,
            is_skipped: false,
        }
    }

    pub fn say(&mut self, line: impl Into<String>) {
        let line = line.into();
        println!("{line}");
        self.lines.push(line);
    }

    /// A figure and its bound, which counts at any load.
    pub fn bound(&mut self, holds: bool, figure: &str, bound: &str) {
        self.failures += usize::from(!holds);
        self.figure(figure, bound, if holds { "holds" } else { "DOES NOT HOLD" });
    }

    /// A figure and its bound, which counts on a quiet machine alone.
    pub fn time(&mut self, holds: bool, figure: &str, bound: &str) {
        if self.judges_times {
            return self.bound(holds, figure, bound);
        }
        self.figure(figure, bound, "not judged");
    }

    fn figure(&mut self, figure: &str, bound: &str, verdict: &'static str) {
        self.say(format!("  {figure:<64} {bound:<28} {verdict}"));
        self.row(figure, bound, verdict, true);
    }

    fn row(&mut self, figure: &str, goal: &str, verdict: &'static str, is_measured: bool) {
        let (figure, goal) = (figure.to_owned(), goal.to_owned());
        self.rows.push(Row { figure, goal, verdict, is_measured });
    }

    /// What follows from figures that were measured.
    pub fn calculated(&mut self, figure: &str) {
        self.say(format!("  {figure}  calculated"));
        self.row(figure, "", "", false);
    }

    /// What happened, without a bound.
    pub fn note(&mut self, text: &str) {
        self.say(format!("  {text}"));
    }

    pub fn fail(&mut self, why: &str) {
        self.failures += 1;
        self.say(format!("  failed: {why}"));
        self.row(why, "no failure", "DOES NOT HOLD", true);
    }

    pub fn skip(&mut self, missing: &str) {
        self.is_skipped = true;
        self.say(format!("  skipped: {missing}"));
        self.row(missing, "", "skipped", false);
    }

    pub fn end(&mut self, again: &str, seconds: u64) {
        let verdict = match self.verdict() {
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::Skipped => "skipped",
        };
        self.say(format!("  {} {verdict} after {seconds} s; again: {again}", self.name));
    }

    /// For the table of the page: test, figure, goal, whether it holds, and where the figure is from.
    pub fn table(&self) -> Vec<String> {
        let line = |row: &Row| {
            let source = match (row.is_measured, row.verdict) {
                (true, _) => "measured",
                (false, "skipped") => "",
                (false, _) => "calculated",
            };
            let Row { figure, goal, verdict, .. } = row;
            let figure = figure.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "/");
            format!("| {} | {figure} | {goal} | {verdict} | {source} |", self.name)
        };
        self.rows.iter().map(line).collect()
    }

    pub fn verdict(&self) -> Verdict {
        match (self.failures, self.is_skipped) {
            (1.., _) => Verdict::Failed,
            (0, true) => Verdict::Skipped,
            (0, false) => Verdict::Passed,
        }
    }
}
