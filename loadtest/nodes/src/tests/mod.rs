//! The tests: what each is called, needs and does. Every module beside this one is one test.

mod f1;
mod f2;
mod f3;
mod f4;
mod f5;
mod f6;
pub mod f7;
mod j1;
mod n1;
mod n2;
pub mod n3;
pub mod n4;
mod scale;

use bipe_swarm::Outcome;

use crate::findings::Findings;
use crate::programs::Program;
use crate::setting::Setting;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    N1,
    N2,
    N3,
    N4,
    F1,
    F2,
    F3,
    F4,
    F5,
    F6,
    F7,
    J1,
    Scale,
}

pub const ALL: [Test; 13] = [
    Test::N1,
    Test::N2,
    Test::N3,
    Test::N4,
    Test::F1,
    Test::F2,
    Test::F3,
    Test::F4,
    Test::F5,
    Test::F6,
    Test::F7,
    Test::J1,
    Test::Scale,
];

/// What the tests of nodes with a bus need.
const BUS: [Program; 2] = [Program::Haproxy, Program::Nats];
/// What every test of failover needs.
const FAILOVER: [Program; 2] = [Program::Haproxy, Program::Postgres];

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
                let what = "an event of one node reaches the sockets of the others";
                about("N1", what, &BUS, true)
            }
            Self::N2 => {
                let what = "the bus is frozen, killed, flooded, lied to and split";
                about("N2", what, &BUS, true)
            }
            Self::N3 => {
                let what = "nodes are killed while payments are made";
                about("N3", what, &BUS, false)
            }
            Self::N4 => {
                let what = "a rolling deploy to the next build and back";
                about("N4", what, &BUS, true)
            }
            Self::J1 => {
                let what = "renewals that are all due at once";
                about("J1", what, &BUS, true)
            }
            Self::Scale => {
                let what = "what a node adds, and what it costs";
                about("Scale", what, &BUS, false)
            }
            Self::F1 => {
                let what = "the primary dies and its standby lacks the last commits";
                about("F1", what, &FAILOVER, true)
            }
            Self::F2 => {
                let what = "the primary dies under load and its standby is synchronous";
                about("F2", what, &FAILOVER, false)
            }
            Self::F3 => {
                let what = "the primary freezes, its standby is promoted, and it thaws";
                about("F3", what, &FAILOVER, false)
            }
            Self::F4 => {
                let what = "commits wait for a dead synchronous standby and are given up";
                about("F4", what, &FAILOVER, false)
            }
            Self::F5 => {
                let what = "primary and standby change places again and again under load";
                about("F5", what, &FAILOVER, false)
            }
            Self::F6 => {
                let what = "a backup is restored and the commits since are gone";
                about("F6", what, &FAILOVER, false)
            }
            Self::F7 => {
                let needs = &[Program::Haproxy, Program::Postgres, Program::Pgbouncer];
                about(
                    "F7",
                    "PgBouncer between nodes and database is restarted under load",
                    needs,
                    false,
                )
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
            Self::N2 => n2::run(setting, findings).await,
            Self::N3 => n3::run(setting, findings).await,
            Self::N4 => n4::run(setting, findings).await,
            Self::J1 => j1::run(setting, findings).await,
            Self::Scale => scale::run(setting, findings).await,
            Self::F1 => f1::run(setting, findings).await,
            Self::F2 => f2::run(setting, findings).await,
            Self::F3 => f3::run(setting, findings).await,
            Self::F4 => f4::run(setting, findings).await,
            Self::F5 => f5::run(setting, findings).await,
            Self::F6 => f6::run(setting, findings).await,
            Self::F7 => f7::run(setting, findings).await,
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
