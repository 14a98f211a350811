//! `bipe-nodes`: real nodes, proxies, buses and databases on this machine, the faults that they must survive, and what
//! must hold meanwhile. `make nodes` runs everything, `bipe-nodes short` what `make test` needs.
//!
//! One file a test, in `tests/`. Every process is a child of this one and is stopped by its id, also when a test fails
//! or somebody presses Ctrl-C.

use std::path::PathBuf;
use std::process::ExitCode;

use bipe_nodes::findings::{Findings, Verdict};
use bipe_nodes::programs::Programs;
use bipe_nodes::setting::{Length, Setting};
use bipe_nodes::tests::{self, Choice, Test};
use bipe_swarm::server::built;
use bipe_swarm::{Outcome, in_words, machine, page};
use clap::Parser;

const HEADING: &str = "`make nodes`";
/// The head of the table on the page.
const TABLE: [&str; 2] =
    ["| Test | Figure | Goal | Does it hold? | From |", "|---|---|---|---|---|"];
/// Descriptors of every process, where the machine allows so many.
const SOCKETS: u64 = 12_000;

#[derive(Parser)]
#[command(about = "Several nodes behind a proxy, and every fault that they must survive")]
struct Flags {
    /// The server
    #[arg(long, default_value = "target/release/bipe")]
    bipe: PathBuf,
    /// A build with one more migration; without it, the migration is made by SQL
    #[arg(long)]
    next: Option<PathBuf>,
    /// Page whose section is replaced by the results
    #[arg(long)]
    page: Option<PathBuf>,
    /// Seconds of load where a test has a choice
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Renewals that are due at once
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    renewals: u32,
    /// What to run; default: everything. `short` takes the small form, of what `make test` runs or of those named
    #[arg(value_parser = Choice::parse)]
    tests: Vec<Choice>,
}

impl Flags {
    fn setting(&self, sockets: usize) -> Outcome<Setting> {
        let root = std::env::current_dir()?;
        let is_short = self.tests.contains(&Choice::Short);
        Ok(Setting {
            bipe: built(&self.bipe)?,
            next: self.next.as_deref().map(built).transpose()?,
            programs: Programs::find(&root),
            length: if is_short { Length::Short } else { Length::Full },
            seconds: if is_short { self.seconds.min(4) } else { self.seconds },
            renewals: if is_short { self.renewals.min(2_000) } else { self.renewals },
            sockets,
            root,
        })
    }

    fn chosen(&self) -> Vec<Test> {
        let named: Vec<Test> = self.tests.iter().filter_map(|choice| choice.test()).collect();
        match (named.is_empty(), self.tests.contains(&Choice::Short)) {
            (false, _) => named,
            (true, true) => tests::ALL.into_iter().filter(|test| test.is_in_short()).collect(),
            (true, false) => tests::ALL.to_vec(),
        }
    }
}

fn main() -> ExitCode {
    bipe_swarm::exit_code(run(&Flags::parse()))
}

fn run(flags: &Flags) -> Outcome<ExitCode> {
    // The children take it over.
    let sockets = machine::raise_descriptors(SOCKETS)?;
    let setting = flags.setting(sockets)?;
    bipe_swarm::until_told_to_stop(run_tests(flags, &setting))
}

async fn run_tests(flags: &Flags, setting: &Setting) -> Outcome<ExitCode> {
    let (mut table, mut lines, mut counts) =
        (TABLE.map(str::to_owned).to_vec(), Vec::new(), [0_usize; 3]);
    for test in flags.chosen() {
        let findings = one(test, setting).await;
        let place = match findings.verdict() {
            Verdict::Passed => 0,
            Verdict::Failed => 1,
            Verdict::Skipped => 2,
        };
        if let Some(count) = counts.get_mut(place) {
            *count += 1;
        }
        table.extend(findings.table());
        lines.extend(findings.lines);
    }
    let [passed, failed, skipped] = counts;
    let last = format!("{passed} passed, {failed} failed, {skipped} skipped");
    println!("{last}");
    println!("figures: passed={passed} failed={failed}");
    lines.push(last);
    if let Some(path) = &flags.page {
        let body = format!("{}\n\n{}", table.join("\n"), page::fenced(&lines));
        page::write(path, HEADING, &body)?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn one(test: Test, setting: &Setting) -> Findings {
    let mut findings = Findings::new(test.name(), setting.length == Length::Full);
    let again = match setting.length {
        Length::Short => "target/debug/bipe-nodes --bipe target/debug/bipe short ",
        Length::Full => "make nodes ONLY=",
    };
    findings.say(format!("{}: {}", test.name(), test.what()));
    if let Some(missing) = setting.programs.missing(test.needs()) {
        findings.skip(&missing);
        return findings;
    }
    let begun = tokio::time::Instant::now();
    if let Err(error) = test.run(setting, &mut findings).await {
        findings.fail(&in_words(&*error));
    }
    let seconds = begun.elapsed().as_secs();
    findings.end(&format!("{again}{}", test.name().to_lowercase()), seconds);
    findings
}
