//! The binary as tests start it, whatever the shell around them has set.

use std::process::Command;

/// What the machine and the measuring of coverage need, and where the programs of PostgreSQL are.
const KEPT: [&str; 5] = ["BIPE_PG_BIN", "HOME", "LLVM_PROFILE_FILE", "PATH", "TMPDIR"];

/// `bipe` with these words and no setting of the shell, in a folder without an `.env`.
#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
pub fn bipe(words: &[&str]) -> Command {
    let kept = KEPT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut command = Command::new(env!("CARGO_BIN_EXE_bipe"));
    command.args(words).current_dir(std::env::temp_dir()).env_clear().envs(kept);
    command
}
