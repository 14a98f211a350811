//! The rows, one after another: prints a line of figures for each, writes the report, and judges.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_swarm::Outcome;
use tokio::time::Instant;

use crate::built::{self, Built};
use crate::call::{self, Setting};
use crate::figures::Figures;
use crate::outcome::{Found, Run};
use crate::report;
use crate::row::Row;
use crate::table;

/// One call of the short run; far more than any needs, also beside other work.
const TIMEOUT: Duration = Duration::from_secs(400);
/// The same for each hour of a long run.
const TIMEOUT_PER_HOUR: Duration = Duration::from_secs(3 * 3600);

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// What `cargo build --message-format=json` printed
    #[arg(long, default_value = "target/reliability-build.json")]
    built: PathBuf,
    /// The folder of the programs that it built
    #[arg(long, default_value = "target/debug")]
    programs: PathBuf,
    /// Where the report goes
    #[arg(long, default_value = "loadtest/results")]
    results: PathBuf,
    /// The page whose section the table replaces
    #[arg(long)]
    page: Option<PathBuf>,
    /// Rows to run, by their ids; default: all
    #[arg(long, value_delimiter = ' ')]
    only: Vec<String>,
    /// Decides what is left to chance; default: the time
    #[arg(long)]
    seed: Option<u64>,
    /// How much the rows try, as the table says for two hours; 0 is the short run
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_000))]
    hours: u64,
}

/// # Errors
/// When the rows cannot be run; a row that fails is told and ends the program with status 1.
pub async fn run(settings: &Settings) -> Outcome<ExitCode> {
    let rows = chosen(&settings.only, settings.hours)?;
    let now = u64::try_from(Clock::system().now().as_second())?;
    let setting = Setting {
        root: std::env::current_dir()?,
        built: Built::read(&settings.built)?,
        programs: built::folder(&settings.programs)?,
        seed: settings.seed.unwrap_or(now),
        hours: settings.hours,
        patience: TIMEOUT + TIMEOUT_PER_HOUR * u32::try_from(settings.hours)?,
    };
    let logs = settings.results.join("reliability");
    std::fs::create_dir_all(&logs)?;
    let begun = Instant::now();
    let mut run =
        Run { seed: setting.seed, hours: settings.hours, found: Vec::new(), seconds: 0.0 };
    for row in rows {
        let found = try_row(row, &setting, &logs).await?;
        println!("{}", line(&found));
        for wrong in &found.wrong {
            println!("     {wrong}\n     again: {}", run.again(row));
        }
        run.found.push(found);
    }
    run.seconds = begun.elapsed().as_secs_f64();
    report::write(&run, &settings.results)?;
    let late = if run.is_late() { ", MORE THAN 600 s" } else { "" };
    let (rows, failed) = (run.found.len(), run.failed());
    println!("{rows} rows, {failed} failed, {:.0} s{late}, seed {}", run.seconds, run.seed);
    if let Some(page) = &settings.page {
        report::page(&run, page)?;
    }
    let is_good = failed == 0 && !run.is_late();
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(only: &[String], hours: u64) -> Outcome<Vec<&'static Row>> {
    let is_known = |id: &String| table::ROWS.iter().any(|row| row.id.eq_ignore_ascii_case(id));
    if let Some(unknown) = only.iter().find(|id| !is_known(id)) {
        let ids: Vec<&str> = table::ROWS.iter().map(|row| row.id).collect();
        return Err(format!("no row {unknown}; there are {}", ids.join(", ")).into());
    }
    let is_chosen = |row: &&Row| match only {
        [] => hours > 0 || !row.is_long_only,
        _ => only.iter().any(|id| row.id.eq_ignore_ascii_case(id)),
    };
    Ok(table::ROWS.iter().filter(is_chosen).collect())
}

async fn try_row(row: &'static Row, setting: &Setting, logs: &Path) -> Outcome<Found> {
    let log = logs.join(format!("{}.log", row.id));
    std::fs::write(&log, "")?;
    let (begun, mut figures, mut wrong) = (Instant::now(), Figures::default(), Vec::new());
    for one in row.calls {
        match call::run(one, row, (setting, &log)).await {
            Ok(said) => said.0.iter().for_each(|(name, count)| figures.add(name, *count)),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    if wrong.is_empty() {
        wrong = figures.below(&row.floors(setting.hours));
    }
    Ok(Found { row, figures, wrong, seconds: begun.elapsed().as_secs_f64() })
}

fn line(found: &Found) -> String {
    let verdict = if found.wrong.is_empty() { "held" } else { "FAILED" };
    let (id, seconds) = (found.row.id, found.seconds);
    format!("{id:<4} {verdict:<6} {seconds:>5.0} s  {}", found.figures.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_a_row_that_is_none_is_told_which_there_are() {
        let refused = chosen(&["R99".to_owned()], 0).unwrap_err().to_string();
        assert!(refused.starts_with("no row R99; there are S1, "), "{refused}");
    }
}
