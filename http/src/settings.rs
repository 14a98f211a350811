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
pub fn load_env_file() -> Result<(), String> {
    let error = match dotenvy::dotenv() {
        Ok(path) => {
            let text = fs::read_to_string(path).map_err(|error| format!(".env: {error}"))?;
            return line_with_variable(&text).map_or(Ok(()), |line| {
                Err(format!(
                    ".env: line {line} has a $: put the value into single quotes, or a backslash before the $"
                ))
            });
        }
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

/// The line, from 1, of the first `$` that dotenvy replaces by a variable and what would be its name.
fn line_with_variable(text: &str) -> Option<usize> {
    let (mut line, mut before, mut quote) = (1, '\n', None);
    let (mut is_comment, mut is_escaped) = (false, false);
    for letter in text.chars() {
        let was_escaped = std::mem::take(&mut is_escaped);
        match letter {
            '\n' => (line, is_comment) = (line + 1, false),
            _ if is_comment || was_escaped => {}
            '\'' | '"' if quote.is_none() => quote = Some(letter),
            _ if quote == Some(letter) => quote = None,
            _ if quote == Some('\'') => {}
            '\\' => is_escaped = true,
            '#' if quote.is_none() && before.is_whitespace() => is_comment = true,
            '$' => return Some(line),
            _ => {}
        }
        before = letter;
    }
    None
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

#[cfg(test)]
mod tests {
    use super::line_with_variable;

    #[test]
    fn a_dollar_that_would_be_replaced_is_found() {
        for text in
            ["A=Pa$word#1", "A=\"Pa$word\"", "A=${B}", "A=x$", "A='x'$B", "A=\\\\$B", "A=\"'$B'\""]
        {
            assert_eq!(line_with_variable(&format!("X=1\n{text}\nY=2\n")), Some(2), "{text}");
        }
        for text in
            ["A='Pa$word#1'", "A=Pa\\$word", "A=\"Pa\\$word\"", "# it's $5", "A=1 # $5", "A='\n$B'"]
        {
            assert_eq!(line_with_variable(text), None, "{text}");
        }
    }

    /// The values in which nothing is found are those that dotenvy reads as they are written.
    #[test]
    fn a_dollar_that_is_not_found_stays() {
        for (text, value) in [
            ("A='Pa$word#1'", "Pa$word#1"),
            ("A=Pa\\$word", "Pa$word"),
            ("A=\"a\\$b\" # $c", "a$b"),
        ] {
            let read = dotenvy::from_read_iter(text.as_bytes()).next().unwrap().unwrap();
            assert_eq!(read, ("A".to_owned(), value.to_owned()));
        }
    }
}
