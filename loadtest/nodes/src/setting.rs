//! What all tests are given.

use std::path::PathBuf;

use crate::programs::Programs;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Beside other work, with any build: no time is judged.
    Short,
    Full,
}

pub struct Setting {
    pub bipe: PathBuf,
    /// A build with one more migration.
    pub next: Option<PathBuf>,
    pub programs: Programs,
    pub length: Length,
    /// Of load, where a test has a choice.
    pub seconds: u64,
    pub renewals: u32,
    /// That one process may hold here.
    pub sockets: usize,
    /// The checkout.
    pub root: PathBuf,
}

impl Setting {
    pub fn is_short(&self) -> bool {
        self.length == Length::Short
    }

    /// One of two, by the length.
    pub fn pick<T>(&self, short: T, full: T) -> T {
        if self.is_short() { short } else { full }
    }
}
