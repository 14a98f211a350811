//! The settings as this crate reads them: `.env` before the command line, and what is wrong with those that only this
//! crate has a reader for. Called by `cli.rs` and `upgrade.rs`. Invariant: no line repeats a value, which may be a secret.

use std::fs;

use bipe_actors::bus;
use bipe_core::config::Config;

use crate::telemetry;

/// The settings of `.env` stand behind flags and environment. A missing file is no problem. A line that cannot be read is
/// one, because the lines behind it are not read either.
///
/// # Errors
/// One sentence with the number of the line.
pub fn read_file() -> Result<(), String> {
    let error = match dotenvy::dotenv() {
        Ok(_) => return Ok(()),
        Err(error) if error.not_found() => return Ok(()),
        Err(error) => error,
    };
    let dotenvy::Error::LineParse(unread, _) = &error else {
        return Err(format!(".env: {error}"));
    };
    let text = fs::read_to_string(".env").unwrap_or_default();
    let line = text.lines().position(|line| line.contains(unread.trim()));
    let line = line.map_or_else(|| "a line".to_owned(), |before| format!("line {}", before + 1));
    Err(format!(".env: {line} cannot be read: put a value with spaces into quotes"))
}

/// One line each; what keeps a server with these settings from starting.
pub fn problems(config: &Config) -> Vec<String> {
    let mut problems = config.check().err().unwrap_or_default();
    if let Err(error) = telemetry::filter(&config.rust_log) {
        problems.push(format!("RUST_LOG cannot be read: {error}"));
    }
    let credentials = config.nats_credentials.as_deref();
    let bus = config.nats_url.as_ref().map(|url| bus::check(url, credentials));
    problems.extend(bus.and_then(Result::err).map(|error| error.to_string()));
    problems
}
