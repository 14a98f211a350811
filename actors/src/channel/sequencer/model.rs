//! Every interleaving of a node that commits to a channel and another one with a reader of it: three commits, one
//! failover that forgets, one lost and one repeated message of the bus, head checks and reads at any moment. The
//! sequencer and the comparison of heads are the real ones. What the browser shows is always a beginning of one history,
//! and after a head check it is all of the newest. More readers change nothing: no node learns from another's memory.
//!
//! Each guard of the real code is also taken away once, and the checker then finds what goes wrong.

use std::sync::Arc;

use bipe_core::event::{Channel, Event, EventName, Head, OperatorData};
use jiff::Timestamp;
use stateright::{Checker, Model, Property};

use super::{ChannelLog, History, Sequencer};
use crate::messages::Position;

const COMMITS: u8 = 3;

/// A guard that is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The epoch does not contain the history of the database.
    Epoch,
    /// The head check compares the numbers alone.
    ComparesNumbers,
    /// The head check compares the epochs alone.
    ComparesEpochs,
    /// Events of another epoch are taken for those of this one.
    OtherEpochs,
    /// An early event is taken for the next one.
    Gaps,
    /// A repeated event is taken for the next one.
    Repeats,
    /// Early events of another history stay.
    EarlyEvents,
}

/// An event as the bus carries it. Its id is never used again, its number after a failover is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Said {
    history: u8,
    seq: i64,
    id: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    /// The sequencer's log ends here.
    history: u8,
    seq: i64,
    /// Events that wait in the sequencer.
    early: Vec<Said>,
    /// On their way to this node, in no order.
    coming: Vec<Said>,
    /// What its browser shows, and of which history.
    shown: Vec<u8>,
    shown_history: u8,
    /// Nothing was committed since the last head check found nothing.
    is_checked: bool,
    must_read: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    /// The committed events of each history; the last one is the database's.
    histories: Vec<Vec<u8>>,
    committed: u8,
    has_lost: bool,
    has_repeated: bool,
    node: Node,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Commit,
    /// To a standby that had received so many events.
    FailOver(usize),
    Receive(usize),
    Lose(usize),
    Repeat(usize),
    CheckHead,
    Read,
}

struct Channels(Broken);

impl Channels {
    fn epoch(&self, history: u8) -> Arc<str> {
        let history = if self.0 == Broken::Epoch { 0 } else { history };
        format!("e{history}").into()
    }

    fn event(&self, said: &Said) -> Event {
        Event {
            channel: Channel::Plans,
            epoch: self.epoch(said.history),
            seq: said.seq,
            name: EventName::PlanUpdated,
            key: said.id.to_string(),
            data: "{}".into(),
            operator_data: OperatorData::Same,
            cause: None,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    fn head(&self, history: u8, seq: i64) -> Head {
        Head { channel: Channel::Plans, epoch: self.epoch(history), seq }
    }

    /// The real sequencer in the node's state.
    fn sequencer(&self, node: &Node) -> Sequencer {
        let mut sequencer = Sequencer::default();
        sequencer.take_read(self.head(node.history, node.seq), Vec::new());
        sequencer.take(node.early.iter().map(|said| self.event(said)).collect());
        sequencer
    }

    /// What a bus may bring, with a guard less.
    fn disguised(&self, said: Said, node: &Node) -> Said {
        let next = node.seq + 1;
        match self.0 {
            Broken::OtherEpochs => Said { history: node.history, ..said },
            Broken::Gaps if said.history == node.history && said.seq > next => {
                Said { seq: next, ..said }
            }
            Broken::Repeats if said.history == node.history && said.seq < next => {
                Said { seq: next, ..said }
            }
            _ => said,
        }
    }

    fn receive(&self, node: &mut Node, message: usize) {
        let said = node.coming.remove(message);
        let said = self.disguised(said, node);
        let mut sequencer = self.sequencer(node);
        sequencer.take(vec![self.event(&said)]);
        let known = [node.early.clone(), vec![said]].concat();
        let own = node.history;
        self.store(node, &sequencer, own, &known);
        node.must_read |= sequencer.has_early();
    }

    fn check_head(&self, node: &mut Node, world: &World) {
        let own = Position { epoch: self.epoch(node.history), seq: node.seq };
        let newest = self.head(world.history(), world.head());
        node.must_read = match self.0 {
            Broken::ComparesNumbers => own.seq < newest.seq,
            Broken::ComparesEpochs => own.epoch != newest.epoch,
            _ => own.is_behind(&newest),
        };
        node.is_checked = !node.must_read;
    }

    fn read(&self, node: &mut Node, world: &World) {
        let (history, head) = (world.history(), world.head());
        let mut sequencer = self.sequencer(node);
        let missing: Vec<Said> =
            world.events().into_iter().filter(|said| said.seq > node.seq).collect();
        let events = missing.iter().map(|said| self.event(said)).collect();
        let (found, _) = sequencer.take_read(self.head(history, head), events);
        if self.0 == Broken::EarlyEvents {
            let early = node.early.iter().map(|said| (said.seq, self.event(said)));
            sequencer.early.extend(early);
        }
        if found == History::Replaced {
            // Readers are reset and load the state of the database.
            node.shown.clone_from(world.table());
            node.shown_history = history;
            node.seq = sequencer.log().map_or(head, ChannelLog::head);
        }
        let known = [node.early.clone(), missing].concat();
        self.store(node, &sequencer, history, &known);
        node.must_read = false;
        node.is_checked = false;
    }

    /// Puts the sequencer's state back, and its new events on the browser's screen.
    fn store(&self, node: &mut Node, sequencer: &Sequencer, history: u8, known: &[Said]) {
        let log = sequencer.log().unwrap();
        for (_, event) in log.after(node.seq).unwrap() {
            let text: serde_json::Value = serde_json::from_str(event.forms.full.text()).unwrap();
            node.shown.push(text["key"].as_str().unwrap().parse().unwrap());
        }
        node.history = history;
        node.seq = log.head();
        let stays = |said: &&Said| {
            let key = said.id.to_string();
            sequencer.early.values().any(|event| event.seq == said.seq && event.key == key)
        };
        node.early = known.iter().filter(stays).cloned().collect();
        node.early.sort();
        node.early.dedup();
    }
}

impl World {
    fn history(&self) -> u8 {
        u8::try_from(self.histories.len() - 1).unwrap()
    }

    fn table(&self) -> &Vec<u8> {
        self.histories.last().unwrap()
    }

    fn events(&self) -> Vec<Said> {
        let history = self.history();
        (1..).zip(self.table()).map(|(seq, id)| Said { history, seq, id: *id }).collect()
    }

    fn head(&self) -> i64 {
        i64::try_from(self.table().len()).unwrap()
    }
}

impl Model for Channels {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        let node = Node {
            history: 0,
            seq: 0,
            early: Vec::new(),
            coming: Vec::new(),
            shown: Vec::new(),
            shown_history: 0,
            is_checked: false,
            must_read: false,
        };
        vec![World {
            histories: vec![Vec::new()],
            committed: 0,
            has_lost: false,
            has_repeated: false,
            node,
        }]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        if world.committed < COMMITS {
            steps.push(Step::Commit);
        }
        if world.histories.len() == 1 {
            steps.extend((0..=world.table().len()).map(Step::FailOver));
        }
        for message in 0..world.node.coming.len() {
            steps.push(Step::Receive(message));
            if !world.has_lost {
                steps.push(Step::Lose(message));
            }
            if !world.has_repeated {
                steps.push(Step::Repeat(message));
            }
        }
        match (world.node.must_read, world.node.is_checked) {
            (true, _) => steps.push(Step::Read),
            (false, false) => steps.push(Step::CheckHead),
            (false, true) => {}
        }
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        let mut next = world.clone();
        let node = &mut next.node;
        match step {
            Step::Commit => {
                next.committed += 1;
                let (history, seq) = (world.history(), world.head() + 1);
                let said = Said { history, seq, id: next.committed };
                next.histories.last_mut()?.push(said.id);
                node.coming.push(said);
                node.coming.sort();
                node.is_checked = false;
            }
            Step::FailOver(received) => {
                next.histories.push(world.table().iter().take(received).copied().collect());
                node.is_checked = false;
            }
            Step::Lose(message) => {
                next.has_lost = true;
                node.coming.remove(message);
            }
            Step::Repeat(message) => {
                next.has_repeated = true;
                let said = node.coming.get(message)?.clone();
                node.coming.insert(message, said);
            }
            Step::Receive(message) => self.receive(node, message),
            Step::CheckHead => self.check_head(node, world),
            Step::Read => self.read(node, world),
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("the browser shows a beginning of one history", |_, world: &World| {
                let history = &world.histories[usize::from(world.node.shown_history)];
                history.starts_with(&world.node.shown)
            }),
            Property::always("after a head check it shows everything", |_, world: &World| {
                !world.node.is_checked || world.node.shown == *world.table()
            }),
            Property::always("after a read nothing waits for ever", |_, world: &World| {
                !world.node.is_checked || world.node.must_read || world.node.early.is_empty()
            }),
            Property::sometimes("a failover forgets what was shown", |_, world: &World| {
                !world.table().starts_with(&world.node.shown)
            }),
            Property::sometimes("everything was committed and is shown", |_, world: &World| {
                let node = &world.node;
                node.is_checked && node.coming.is_empty() && world.head() == i64::from(COMMITS)
            }),
        ]
    }
}

#[test]
fn in_no_interleaving_a_browser_skips_repeats_or_goes_on_from_a_lost_history() {
    let checker = Channels(Broken::Nothing).checker().threads(2).spawn_bfs().join();
    assert!(checker.unique_state_count() > 1_000, "{}", checker.unique_state_count());
    checker.assert_properties();
}

#[test]
fn without_any_one_of_its_guards_something_goes_wrong() {
    for broken in [
        Broken::Epoch,
        Broken::ComparesNumbers,
        Broken::ComparesEpochs,
        Broken::OtherEpochs,
        Broken::Gaps,
        Broken::Repeats,
        Broken::EarlyEvents,
    ] {
        let checker = Channels(broken).checker().threads(2).spawn_bfs().join();
        let found = checker.discoveries();
        let is_wrong = |name: &&&str| name.starts_with("the browser") || name.starts_with("after");
        assert!(found.keys().any(|name| is_wrong(&name)), "{broken:?}");
    }
}
