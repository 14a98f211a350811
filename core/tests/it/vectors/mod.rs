//! The golden vectors: every case of every file runs, and a file that shrank or went unread fails.

mod brazil;
mod devices;
mod money;
mod periods;
mod plans;
mod proration;
mod quotes;
mod states;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Deserialize)]
pub struct File<I> {
    pub cases: Vec<Case<I>>,
}

#[derive(Deserialize)]
pub struct Case<I> {
    pub name: String,
    pub input: I,
    pub expected: Value,
}

/// Runs `answer` over every case; `count` is what the file held when it was copied.
#[track_caller]
fn run<I: DeserializeOwned>(json: &str, count: usize, answer: impl Fn(I) -> Value) {
    run_own(json, count, |input| Some(answer(input)));
}

/// The same for a file with cases that only the web answers: `None`.
#[track_caller]
fn run_own<I: DeserializeOwned>(json: &str, count: usize, answer: impl Fn(I) -> Option<Value>) {
    let file: File<I> = serde_json::from_str(json).unwrap();
    assert_eq!(file.cases.len(), count, "cases in the file");
    let wrong: Vec<String> = file
        .cases
        .into_iter()
        .filter_map(|case| {
            let got = answer(case.input)?;
            (got != case.expected)
                .then(|| format!("{}\n  got      {got}\n  expected {}", case.name, case.expected))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}
