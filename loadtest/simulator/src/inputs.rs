//! What fuzz targets share: the bytes that a fuzzer makes, and the files of a corpus, are spelled as a text, and a
//! property is asserted of each. Called by `core/tests/fuzz` and `http/tests/fuzz`; docs/reliability.md says how to run
//! them.
//!
//! A byte of ASCII stands for itself, any other for one of the target's words. So the files of a corpus can be read,
//! and random bytes get behind the first sign of a format.

pub use bolero;

/// Random inputs of a target in `make test`, and their longest in bytes. `BOLERO_RANDOM_ITERATIONS` and
/// `BOLERO_RANDOM_MAX_LEN` ask for others.
pub const INPUTS: usize = 5_000;
pub const LONGEST: usize = 64;

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
#[macro_export]
macro_rules! for_each_text {
    ($name:literal, $words:expr, $property:expr) => {{
        let tried = std::sync::atomic::AtomicU64::new(0);
        $crate::inputs::bolero::check!(name = $name)
            .with_iterations($crate::inputs::INPUTS)
            .with_max_len($crate::inputs::LONGEST)
            .for_each(|input: &[u8]| {
                tried.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                $property($crate::inputs::spelled(input, $words).as_str());
            });
        println!("figures: inputs={}", tried.into_inner());
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_spelled_as_it_stands_and_other_bytes_are_words() {
        assert_eq!(spelled(b"a\n{}", &["x"]), "a\n{}");
        assert_eq!(
            spelled(&[0x80, b' ', 0x81, 0x82], &["one", "two"]),
            "one two".to_owned() + "one"
        );
    }
}
