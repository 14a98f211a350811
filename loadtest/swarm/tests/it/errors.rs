//! What a program says when it fails.

use std::error::Error;
use std::fmt;

#[derive(Debug)]
struct Ended(std::num::ParseIntError);

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it ended\nwith \"two\" lines")
    }
}

impl Error for Ended {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn an_error_is_told_as_people_write_with_what_caused_it() {
    let error = Ended("x".parse::<u8>().unwrap_err());
    let words = "it ended\nwith \"two\" lines: invalid digit found in string";
    assert_eq!(bipe_swarm::in_words(&error), words);
}
