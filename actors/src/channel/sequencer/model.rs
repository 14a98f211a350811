//! Every interleaving of a node that commits to a channel and another one with a reader of it: three commits, one
//! failover that forgets, one lost and one repeated message of the bus, head checks and reads at any moment. The
//! sequencer and the comparison of heads are the real ones. What the browser shows is always a beginning of one history,
//! and after a head check it is all of the newest. More readers change nothing: no node learns from another's memory.
//!
//! Each guard of the real code is also taken away once, and the checker then finds what goes wrong.

use std::sync::Arc;

use bipe_core::event::{Event, Head};
use stateright::{Checker, HasDiscoveries, Model, Property};

use super::tests::{event, head};
use super::{ChannelLog, History, Sequencer};
use crate::messages::Position;

const COMMITS: u8 = 3;

/// A guard that is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RemovedGuard {
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
struct Message {
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
    early: Vec<Message>,
    /// On their way to this node, in no order.
    on_the_way: Vec<Message>,
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

struct ChannelModel(RemovedGuard);

impl ChannelModel {
    fn epoch(&self, history: u8) -> Arc<str> {
        let history = if self.0 == RemovedGuard::Epoch { 0 } else { history };
        format!("e{history}").into()
    }

    fn event(&self, message: &Message) -> Event {
        Event { key: message.id.to_string(), ..event(&self.epoch(message.history), message.seq) }
    }

    fn head(&self, history: u8, seq: i64) -> Head {
        head(&self.epoch(history), seq)
    }

    /// The real sequencer in the node's state.
    fn sequencer(&self, node: &Node) -> Sequencer {
        let mut sequencer = Sequencer::default();
        sequencer.take_read(self.head(node.history, node.seq), Vec::new());
        sequencer.take(node.early.iter().map(|message| self.event(message)).collect());
        sequencer
    }

    /// What a bus may bring, with a guard less.
    fn unguarded(&self, message: Message, node: &Node) -> Message {
        let next = node.seq + 1;
        match self.0 {
            RemovedGuard::OtherEpochs => Message { history: node.history, ..message },
            RemovedGuard::Gaps if message.history == node.history && message.seq > next => {
                Message { seq: next, ..message }
            }
            RemovedGuard::Repeats if message.history == node.history && message.seq < next => {
                Message { seq: next, ..message }
            }
            _ => message,
        }
    }

    fn receive(&self, node: &mut Node, at: usize) {
        let message = node.on_the_way.remove(at);
        let message = self.unguarded(message, node);
        let mut sequencer = self.sequencer(node);
        sequencer.take(vec![self.event(&message)]);
        let known = [node.early.clone(), vec![message]].concat();
        let own = node.history;
        self.store(node, &sequencer, own, &known);
        node.must_read |= sequencer.has_early();
    }

    fn check_head(&self, node: &mut Node, world: &World) {
        let own = Position { epoch: self.epoch(node.history), seq: node.seq };
        let newest = self.head(world.history(), world.head());
        node.must_read = match self.0 {
            RemovedGuard::ComparesNumbers => own.seq < newest.seq,
            RemovedGuard::ComparesEpochs => own.epoch != newest.epoch,
            _ => own.is_behind(&newest),
        };
        node.is_checked = !node.must_read;
    }

    fn read(&self, node: &mut Node, world: &World) {
        let (history, head) = (world.history(), world.head());
        let mut sequencer = self.sequencer(node);
        let missing: Vec<Message> =
            world.events().into_iter().filter(|message| message.seq > node.seq).collect();
        let events = missing.iter().map(|message| self.event(message)).collect();
        let (found, _) = sequencer.take_read(self.head(history, head), events);
        if self.0 == RemovedGuard::EarlyEvents {
            let early = node.early.iter().map(|message| (message.seq, self.event(message)));
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
    fn store(&self, node: &mut Node, sequencer: &Sequencer, history: u8, known: &[Message]) {
        let log = sequencer.log().unwrap();
        for (_, event) in log.after(node.seq).unwrap() {
            let text: serde_json::Value = serde_json::from_str(event.forms.full.text()).unwrap();
            node.shown.push(text["key"].as_str().unwrap().parse().unwrap());
        }
        node.history = history;
        node.seq = log.head();
        let stays = |message: &&Message| {
            let key = message.id.to_string();
            sequencer.early.values().any(|event| event.seq == message.seq && event.key == key)
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

    fn events(&self) -> Vec<Message> {
        let history = self.history();
        (1..).zip(self.table()).map(|(seq, id)| Message { history, seq, id: *id }).collect()
    }

    fn head(&self) -> i64 {
        i64::try_from(self.table().len()).unwrap()
    }
}

impl Model for ChannelModel {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        let node = Node {
            history: 0,
            seq: 0,
            early: Vec::new(),
            on_the_way: Vec::new(),
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
        for at in 0..world.node.on_the_way.len() {
            steps.push(Step::Receive(at));
            if !world.has_lost {
                steps.push(Step::Lose(at));
            }
            if !world.has_repeated {
                steps.push(Step::Repeat(at));
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
                let message = Message { history, seq, id: next.committed };
                next.histories.last_mut()?.push(message.id);
                node.on_the_way.push(message);
                node.on_the_way.sort();
                node.is_checked = false;
            }
            Step::FailOver(received) => {
                next.histories.push(world.table().iter().take(received).copied().collect());
                node.is_checked = false;
            }
            Step::Lose(at) => {
                next.has_lost = true;
                node.on_the_way.remove(at);
            }
            Step::Repeat(at) => {
                next.has_repeated = true;
                let message = node.on_the_way.get(at)?.clone();
                node.on_the_way.insert(at, message);
            }
            Step::Receive(at) => self.receive(node, at),
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
                node.is_checked && node.on_the_way.is_empty() && world.head() == i64::from(COMMITS)
            }),
        ]
    }
}

#[test]
fn in_no_interleaving_a_browser_skips_repeats_or_goes_on_from_a_lost_history() {
    let checker = ChannelModel(RemovedGuard::Nothing).checker().threads(2).spawn_bfs().join();
    assert!(checker.unique_state_count() > 1_000, "{}", checker.unique_state_count());
    checker.assert_properties();
}

#[test]
fn without_any_one_of_its_guards_something_goes_wrong() {
    for removed in [
        RemovedGuard::Epoch,
        RemovedGuard::ComparesNumbers,
        RemovedGuard::ComparesEpochs,
        RemovedGuard::OtherEpochs,
        RemovedGuard::Gaps,
        RemovedGuard::Repeats,
        RemovedGuard::EarlyEvents,
    ] {
        // One broken rule is enough.
        let checker = ChannelModel(removed).checker().finish_when(HasDiscoveries::AnyFailures);
        let checker = checker.threads(2).spawn_bfs().join();
        let found = checker.discoveries();
        let is_wrong = |name: &&&str| name.starts_with("the browser") || name.starts_with("after");
        assert!(found.keys().any(|name| is_wrong(&name)), "{removed:?}");
    }
}
