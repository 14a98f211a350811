//! What fuzz targets share: the files of a corpus, and the bytes that a seed chooses or a fuzzer makes, are spelled as
//! texts, and a property is asserted of each. Called by `core/tests/fuzz` and `http/tests/fuzz`; docs/reliability.md
//! says how to run them.
//!
//! A byte of ASCII stands for itself, any other for one of the target's words. So the files of a corpus can be read,
//! and random bytes get behind the first sign of a format.

use std::fmt::Display;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

#[cfg(fuzzing)]
pub use bolero;

use crate::chance::Chance;
use crate::seeds::count;

/// Random inputs of a target in `make test`, each of a seed of its own, and their longest in bytes.
const INPUTS: u64 = 1_000;
const LONGEST: usize = 64;

/// The text that the bytes stand for.
pub fn spelled(input: &[u8], words: &[&str]) -> String {
    let mut text = String::with_capacity(input.len());
    for byte in input {
        match usize::from(*byte).checked_sub(0x80) {
            None => text.push(char::from(*byte)),
            Some(high) => text.push_str(words[high % words.len()]),
        }
    }
    text
}

/// Asserts the property of every file in `__fuzz__/NAME/corpus` beside the test, and of random texts; says how many.
#[cfg(not(fuzzing))]
#[macro_export]
macro_rules! for_each_text {
    ($name:literal, $words:expr, $property:expr) => {
        $crate::inputs::assert_of_each(
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/__fuzz__/", $name, "/corpus"),
            $words,
            $property,
        )
    };
}

/// The same of the texts that libFuzzer makes, for `make fuzz`.
#[cfg(fuzzing)]
#[macro_export]
macro_rules! for_each_text {
    ($name:literal, $words:expr, $property:expr) => {{
        $crate::inputs::bolero::check!(name = $name).for_each(|input: &[u8]| {
            $property($crate::inputs::spelled(input, $words).as_str());
        });
    }};
}

/// Asserts the property of every file in the folder, and of the texts of the seeds from 0 on.
///
/// # Panics
/// With the first input that breaks it.
pub fn assert_of_each(corpus: &str, words: &[&str], property: impl Fn(&str)) {
    let files = fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    for file in &files {
        assert_of(file.display(), &fs::read(file).unwrap(), words, &property);
    }
    let seeds = count(INPUTS);
    for seed in 0..seeds {
        let mut chance = Chance::of(seed);
        let length = chance.index(LONGEST + 1);
        assert_of(format_args!("seed {seed}"), &chance.bytes(length), words, &property);
    }
    println!("figures: inputs={}", u64::try_from(files.len()).unwrap() + seeds);
}

fn assert_of(origin: impl Display, input: &[u8], words: &[&str], property: &impl Fn(&str)) {
    let text = spelled(input, words);
    let holds = catch_unwind(AssertUnwindSafe(|| property(&text))).is_ok();
    assert!(holds, "{origin} breaks the property: b\"{}\" is {text:?}", input.escape_ascii());
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_text_is_spelled_as_it_stands_and_other_bytes_are_words() {
        assert_eq!(spelled(b"a\n{}", &["x"]), "a\n{}");
        assert_eq!(
            spelled(&[0x80, b' ', 0x81, 0x82], &["one", "two"]),
            "one two".to_owned() + "one"
        );
    }

    #[test]
    fn each_run_tries_every_file_and_the_same_random_texts() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let texts = || {
            let tried = RefCell::new(Vec::new());
            assert_of_each(folder, &["x"], |text| tried.borrow_mut().push(text.to_owned()));
            tried.into_inner()
        };
        let tried = texts();
        let (files, random) = tried.split_at(fs::read_dir(folder).unwrap().count());
        assert!(files.iter().any(|text| text == include_str!("inputs.rs")));
        assert_eq!(random.len(), usize::try_from(count(INPUTS)).unwrap());
        let longest = random.iter().map(String::len).max();
        assert_eq!((longest, random.iter().any(String::is_empty)), (Some(LONGEST), true));
        assert_eq!(texts(), tried);
    }

    #[test]
    fn an_input_that_breaks_the_property_is_shown_whole() {
        let is_empty = |text: &str| assert!(text.is_empty());
        let broken = catch_unwind(|| assert_of("seed 7", b"a\x80", &["\n"], &is_empty));
        let said = broken.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(*said, r#"seed 7 breaks the property: b"a\x80" is "a\n""#);
    }
}
