//! The way of an event from its commit to the screens of several browsers, in virtual time and from seeds: two nodes,
//! a bus that loses, repeats and mixes up, head checks and reads that end late, sessions that are lost, failovers that
//! forget, browsers that disconnect, move and stop reading. Real are the feed with its sequencer and log, the hub with
//! its rounds, and the inbox. `sequencer/model.rs` tries every interleaving of a smaller world.
//!
//! Always: a browser shows a beginning of the one history that it stands in, and all of it up to its position. At rest:
//! every browser is live and shows everything.

mod browser;
mod node;
mod table;
mod world;

use std::fmt::{self, Display, Formatter};

use bipe_simulator::chance::{ALWAYS, Chance, MOSTLY, SELDOM};
use bipe_simulator::search::{Broken, Simulation, Story};

use world::World;

pub const NODES: usize = 2;
pub const BROWSERS: usize = 3;

/// What is broken in the simulation on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    Nothing,
    /// Nobody compares heads: what the bus loses last stays lost.
    NoHeadCheck,
    /// The epoch does not contain the history of the database.
    OneEpoch,
    /// A read that began before a failover is passed on with the new epoch.
    OldEventsNewEpoch,
    /// A hub is not told that its session is lost.
    SilentLoss,
    /// A failed read is not repeated: who could not be told of it waits for good.
    NoSecondRead,
}

#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// So many events in one transaction, each of so many bytes, on a node.
    Commit {
        node: usize,
        events: usize,
        bytes: usize,
    },
    FailOver {
        forgotten: usize,
    },
    /// The bus brings the message of that number to a node, loses it, or brings it twice.
    Receive {
        node: usize,
        which: usize,
    },
    Lose {
        node: usize,
        which: usize,
    },
    Repeat {
        node: usize,
        which: usize,
    },
    /// The node reads the heads, or compares what it read.
    ReadHead {
        node: usize,
    },
    CompareHead {
        node: usize,
    },
    /// A read of the session takes place, or ends.
    Read {
        node: usize,
    },
    EndRead {
        node: usize,
        end: ReadEnd,
    },
    /// Waiting sessions try again.
    Ring {
        node: usize,
    },
    /// The relay passes the hub's requests on.
    Relay {
        node: usize,
    },
    /// The session's deliveries reach the hub, so many of them.
    Pump {
        node: usize,
        most: usize,
    },
    /// The hub's worker runs for a moment.
    Work {
        node: usize,
    },
    /// All of that, once, and nothing is in its way.
    Flow {
        node: usize,
    },
    LoseSession {
        node: usize,
    },
    Connect {
        browser: usize,
        node: usize,
    },
    Disconnect {
        browser: usize,
    },
    /// The browser takes one frame, and says so or not.
    Take {
        browser: usize,
        acknowledges: bool,
    },
    Heads {
        browser: usize,
    },
    Pause {
        seconds: i64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// With what was there when it took place.
    Whole,
    /// Events and snapshot were read later than the head.
    Newer,
    Failed,
}

impl Display for Act {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The simulation, with nothing or one thing broken on purpose.
pub struct LiveOrder(pub Planted);

impl Simulation for LiveOrder {
    type Operation = Act;

    fn name(&self) -> &'static str {
        "live"
    }

    fn operations(&self, chance: &mut Chance) -> Vec<Act> {
        let acts = ACTS.map(|(weight, factors, act)| (weight * chance.pick(factors), act));
        let count = 20 + chance.below(80);
        let start = (0..BROWSERS).map(|browser| Act::Connect { browser, node: browser % NODES });
        let rest = (0..count).map(|_| chance.weighted(&acts)(chance)).collect::<Vec<_>>();
        start.chain(rest).collect()
    }

    fn run(&self, operations: &[Act], story: &mut Story) -> Result<(), Broken> {
        let mut world = World::new(self.0, story);
        for act in operations {
            world.story.tell(|| act.to_string());
            world.play(*act)?;
        }
        world.rest()
    }
}

type Make = fn(&mut Chance) -> Act;

/// The weight of an act, the factors of which a seed has one, and how the act is made.
const ACTS: [(i64, &[i64], Make); 20] = [
    (8, ALWAYS, |chance| Act::Commit {
        node: node(chance),
        events: chance.weighted(&[(6, 1), (2, 2), (1, 5)]),
        bytes: 10,
    }),
    // Few of them fill a ring or an inbox.
    (1, SELDOM, |chance| Act::Commit {
        node: node(chance),
        events: 1,
        bytes: chance.pick(&[20_000, 70_000]),
    }),
    (2, SELDOM, |chance| Act::FailOver { forgotten: chance.index(4) }),
    (10, MOSTLY, |chance| Act::Receive { node: node(chance), which: chance.index(4) }),
    (3, MOSTLY, |chance| Act::Lose { node: node(chance), which: chance.index(4) }),
    (2, MOSTLY, |chance| Act::Repeat { node: node(chance), which: chance.index(4) }),
    (4, MOSTLY, |chance| Act::ReadHead { node: node(chance) }),
    (4, MOSTLY, |chance| Act::CompareHead { node: node(chance) }),
    (6, MOSTLY, |chance| Act::Read { node: node(chance) }),
    (6, MOSTLY, |chance| Act::EndRead {
        node: node(chance),
        end: chance.weighted(&[(2, ReadEnd::Whole), (2, ReadEnd::Newer), (1, ReadEnd::Failed)]),
    }),
    (4, MOSTLY, |chance| Act::Ring { node: node(chance) }),
    (8, ALWAYS, |chance| Act::Relay { node: node(chance) }),
    (8, MOSTLY, |chance| Act::Pump { node: node(chance), most: 1 + chance.index(6) }),
    (10, ALWAYS, |chance| Act::Work { node: node(chance) }),
    (16, MOSTLY, |chance| Act::Flow { node: node(chance) }),
    (1, MOSTLY, |chance| Act::LoseSession { node: node(chance) }),
    (4, ALWAYS, |chance| Act::Connect { browser: browser(chance), node: node(chance) }),
    (1, MOSTLY, |chance| Act::Disconnect { browser: browser(chance) }),
    (12, ALWAYS, |chance| Act::Take { browser: browser(chance), acknowledges: !chance.one_in(6) }),
    (4, ALWAYS, |chance| match chance.one_in(2) {
        true => Act::Heads { browser: browser(chance) },
        false => Act::Pause { seconds: chance.pick(&[1, 3, 6, 11]) },
    }),
];

fn node(chance: &mut Chance) -> usize {
    chance.index(NODES)
}

fn browser(chance: &mut Chance) -> usize {
    chance.index(BROWSERS)
}

#[cfg(test)]
mod tests;
