//! The tests: what each is called, needs and does. Every module beside this one is one test.

mod n1;

use std::path::PathBuf;

use bipe_swarm::Outcome;

use crate::findings::Findings;
use crate::programs::{Program, Programs};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Beside other work, with any build: no time is judged.
    Short,
    Full,
}

/// What all tests are given.
pub struct Setting {
    pub bipe: PathBuf,
    /// A build with one more migration.
    pub next: Option<PathBuf>,
    pub programs: Programs,
    pub length: Length,
    /// Of load, where a test has a choice.
    pub seconds: u64,
    pub renewals: u32,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    N1,
}

pub const ALL: [Test; 1] = [Test::N1];

struct About {
    name: &'static str,
    what: &'static str,
    needs: &'static [Program],
    /// A part of the short form.
    is_in_short: bool,
}

impl Test {
    fn about(self) -> About {
        let about = |name, what, needs, is_in_short| About { name, what, needs, is_in_short };
        match self {
            Self::N1 => {
                let needs = &[Program::Haproxy, Program::Nats];
                about("N1", "an event of one node reaches the sockets of the others", needs, true)
            }
        }
    }

    pub fn name(self) -> &'static str {
        self.about().name
    }

    pub fn what(self) -> &'static str {
        self.about().what
    }

    pub fn needs(self) -> &'static [Program] {
        self.about().needs
    }

    pub fn is_in_short(self) -> bool {
        self.about().is_in_short
    }

    pub async fn run(self, setting: &Setting, findings: &mut Findings) -> Outcome<()> {
        match self {
            Self::N1 => n1::run(setting, findings).await,
        }
    }
}

/// A word of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Short,
    One(Test),
}

impl Choice {
    /// # Errors
    /// A sentence with every word that there is.
    pub fn parse(word: &str) -> Result<Self, String> {
        if word == "short" {
            return Ok(Self::Short);
        }
        let found = ALL.into_iter().find(|test| test.name().eq_ignore_ascii_case(word));
        found.map(Self::One).ok_or_else(|| {
            let names: Vec<String> = ALL.iter().map(|test| test.name().to_lowercase()).collect();
            format!("one of: short, {}", names.join(", "))
        })
    }

    pub fn test(self) -> Option<Test> {
        match self {
            Self::Short => None,
            Self::One(test) => Some(test),
        }
    }
}
