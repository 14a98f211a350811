//! Runs one call as a process with a log, reads its figures, and ends it and its children when it takes too long.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use bipe_swarm::Outcome;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::built::Built;
use crate::figures::Figures;
use crate::row::{Call, Row};

/// The lines of a log that a failure shows.
const TAIL: usize = 25;

/// What all calls of a run share.
pub struct Setting {
    /// The checkout.
    pub root: PathBuf,
    pub built: Built,
    /// The folder of the programs that are no tests.
    pub programs: PathBuf,
    pub seed: u64,
    /// Of the long run; 0 is the short one.
    pub hours: u64,
    pub patience: Duration,
}

/// A process group that does not outlive its call. It is asked to end, so that who started a database or a server stops
/// it and clears up.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // An id is the process's only until it was waited for.
        let id = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(id) = id {
            // One that ended meanwhile needs no signal.
            let _ = kill_process_group(id, Signal::TERM);
        }
    }
}

/// Runs the call; answers what it says that it did. Its output goes to the end of the log.
///
/// # Errors
/// When it cannot be started, fails, or is late.
pub async fn run(call: &Call, row: &Row, (setting, log): (&Setting, &Path)) -> Outcome<Figures> {
    let mut output = File::options().create(true).append(true).read(true).open(log)?;
    let from = output.metadata()?.len();
    let mut command = command(call, setting)?;
    for (name, count) in row.counts(setting.hours) {
        command.env(name, count.to_string());
    }
    command
        .env("PROPTEST_RNG_SEED", setting.seed.to_string())
        // The finding shall be the end of what the call says.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .process_group(0);
    let mut group = Group(command.spawn().map_err(|error| format!("{call:?}: {error}"))?);
    let ended = timeout(setting.patience, group.0.wait()).await;
    drop(group);
    output.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    match ended {
        Ok(Ok(status)) if status.success() => match absent(call, &text).as_slice() {
            [] => Ok(read(call, &text)),
            names => Err(format!("{}: no test is called {}", call.path(), names.join(", ")).into()),
        },
        Ok(status) => Err(format!("{}: {}\n{}", call.path(), status?, tail(&text)).into()),
        Err(_late) => {
            let seconds = setting.patience.as_secs();
            Err(format!("{}: no end after {seconds} s\n{}", call.path(), tail(&text)).into())
        }
    }
}

/// The words of the call that no test's path has: who renames a test would take it out of its row otherwise. A test
/// program says the path of each test that it runs.
fn absent(call: &Call, text: &str) -> Vec<&'static str> {
    let Call::Tests(_, names) = call else { return Vec::new() };
    let tests = text.lines().filter(|line| line.contains("test "));
    names.iter().copied().filter(|name| !tests.clone().any(|test| test.contains(name))).collect()
}

fn read(call: &Call, text: &str) -> Figures {
    let mut figures = Figures::default();
    match call {
        Call::Web(_) => figures.add("tests", passed(text)),
        _ => text.lines().for_each(|line| figures.read(line)),
    }
    figures
}

/// Of vitest's report in JSON.
fn passed(text: &str) -> u64 {
    let report = text.lines().find_map(|line| serde_json::from_str::<Value>(line).ok());
    let passed = report.as_ref().and_then(|report| report.get("numPassedTests"));
    passed.and_then(Value::as_u64).unwrap_or_default()
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default().join("\n")
}

fn command(call: &Call, setting: &Setting) -> Outcome<Command> {
    let bipe = setting.programs.join("bipe");
    let of = |name: &str| {
        let mut command = Command::new(setting.programs.join(name));
        command.current_dir(&setting.root);
        command
    };
    Ok(match call {
        Call::Tests(suite, names) => {
            let mut command = Command::new(setting.built.program(*suite)?);
            command.current_dir(setting.root.join(suite.place().0));
            command.args(["--nocapture"]).args(*names);
            command
        }
        Call::Drive(words) => {
            let mut command = of("bipe-reliability");
            command.arg("drive").args(*words).arg("--bipe").arg(&bipe);
            command.args(["--seed", &setting.seed.to_string()]);
            command
        }
        Call::Nodes(names) => {
            let mut command = of("bipe-nodes");
            command.arg("--bipe").arg(&bipe).arg("short").args(*names);
            command
        }
        Call::Swarm(words) => {
            let mut command = of("bipe-swarm");
            command.arg("--bipe").arg(&bipe).args(*words);
            command
        }
        Call::Contract => {
            let mut command = Command::new(setting.root.join(".tools/python/bin/python"));
            command.current_dir(&setting.root).arg("loadtest/contract/run.py").arg(&bipe);
            command.arg(if setting.hours > 0 { "full" } else { "short" });
            command
        }
        Call::Web(files) => {
            let mut command = Command::new("node");
            command.current_dir(setting.root.join("web"));
            command.args(["node_modules/vitest/vitest.mjs", "run", "--reporter=json"]).args(*files);
            command
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Suite;

    #[test]
    fn a_word_of_a_call_that_is_in_no_test_is_told() {
        let text = "running 2 tests\ntest turns::one ... ok\ntest a::turns::two ... ok\n";
        let told = |names| absent(&Call::Tests(Suite::Http, names), text);
        assert_eq!(told(&["turns::", "turns::two"]), Vec::<&str>::new());
        assert_eq!(told(&["turns::one", "turns::three"]), ["turns::three"]);
    }
}
