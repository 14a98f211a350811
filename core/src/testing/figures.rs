//! What a test tried, for `make reliability`: how much it is asked to try, and the line that says how much it was.

use std::fmt::Display;

/// How much a test tries: the number of that name in the environment, or its own.
///
/// # Panics
/// When the environment has something else than a number there.
#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
pub fn count(name: &str, own: u32) -> u32 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_absent) => own,
    }
}

/// Prints how often each thing happened. `bipe-reliability` adds up the lines of a row and compares them with its
/// floors.
pub fn figures<Count: Display>(counts: &[(&str, Count)]) {
    let words: Vec<String> = counts.iter().map(|(name, count)| format!("{name}={count}")).collect();
    println!("figures: {}", words.join(" "));
}
