//! The world of one seed: the table, the nodes, and the browsers that read from them.

use std::rc::Rc;

use bipe_core::event::{Audience, Head};
use bipe_core::id::UserId;
use bipe_simulator::search::{Broken, Story, holds};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::browser::{Browser, Effect, Frame};
use super::node::Node;
use super::table::Table;
use super::{Act, BROWSERS, NODES, Planted, ReadEnd};
use crate::envelope::wire_name;
use crate::messages::SocketId;
use crate::worker::hub::SubscribeRequest;
use crate::worker::inbox::{Inbox, SocketOutput};

/// Rounds within which a world comes to rest.
const MAX_ROUNDS: usize = 60;

/// Of the nodes' queues: small, so that one is often full and the other now and then.
const DELIVERIES: [usize; NODES] = [1, 4];

struct Connection {
    node: usize,
    socket: SocketId,
    inbox: Rc<Inbox>,
    /// Data envelopes that the browser has received.
    received: u64,
}

#[derive(Default)]
struct Reader {
    browser: Browser,
    connection: Option<Connection>,
}

pub struct World<'a> {
    now: Timestamp,
    planted: Planted,
    table: Table,
    nodes: Vec<Node>,
    readers: Vec<Reader>,
    pub story: &'a mut Story,
    /// What the first browser received and what it did, for the web's own test.
    pub trace: Option<Vec<Value>>,
}

impl<'a> World<'a> {
    pub fn new(planted: Planted, story: &'a mut Story) -> Self {
        Self {
            now: Timestamp::UNIX_EPOCH,
            planted,
            table: Table::new(planted == Planted::OneEpoch),
            nodes: DELIVERIES
                .map(|deliveries| Node::new(deliveries, planted != Planted::NoSecondRead))
                .into(),
            readers: (0..BROWSERS).map(|_| Reader::default()).collect(),
            story,
            trace: None,
        }
    }

    /// # Errors
    /// The rule that breaks.
    pub fn play(&mut self, act: Act) -> Result<(), Broken> {
        let now = self.now;
        match act {
            Act::Commit { node, events, bytes } => self.commit(node, events, bytes),
            Act::FailOver { forgotten } => {
                self.table.fail_over(forgotten);
                self.story.count("failover");
            }
            Act::Receive { node, which }
            | Act::Lose { node, which }
            | Act::Repeat { node, which } => {
                self.bus(act, node, which);
            }
            Act::ReadHead { node } => {
                let head = self.table.head();
                self.nodes[node].heads.push_back(head);
            }
            Act::CompareHead { node } => {
                if self.nodes[node].compare(now) {
                    self.story.count("head check found a gap");
                }
            }
            Act::Read { node } => self.read(node),
            Act::EndRead { node, end } => self.end_read(node, end),
            Act::Ring { node } => drop(self.nodes[node].ring(now)),
            Act::Relay { node } => drop(self.nodes[node].relay(now)),
            Act::Pump { node, most } => drop(self.nodes[node].pump(most)),
            Act::Work { node } => self.nodes[node].work(),
            Act::Flow { node } => drop(self.flow(node)),
            Act::LoseSession { node } => {
                self.nodes[node].lose_session(self.planted != Planted::SilentLoss);
            }
            Act::Connect { browser, node } => self.connect(browser, node),
            Act::Disconnect { browser } => self.disconnect(browser),
            Act::Take { browser, acknowledges } => drop(self.take(browser, acknowledges)?),
            Act::Heads { browser } => self.tell_heads(browser),
            Act::Pause { seconds } => self.now += SignedDuration::from_secs(seconds),
        }
        Ok(())
    }

    fn commit(&mut self, node: usize, events: usize, bytes: usize) {
        let message = self.table.commit(events, bytes, self.now);
        self.story.count("committed");
        for (number, other) in self.nodes.iter_mut().enumerate() {
            // A node's own commit is on its way too: the pool's connections overtake each other.
            let at = if number == node { 0 } else { other.on_the_way.len() };
            other.on_the_way.insert(at, message.clone());
        }
    }

    fn bus(&mut self, act: Act, node: usize, which: usize) {
        let now = self.now;
        let way = &mut self.nodes[node].on_the_way;
        if way.is_empty() {
            return;
        }
        let at = which % way.len();
        match act {
            Act::Repeat { .. } => {
                let message = way[at].clone();
                way.push(message);
            }
            Act::Lose { .. } => {
                way.remove(at);
                self.story.count("message was lost");
            }
            _ => {
                let message = way.remove(at);
                self.nodes[node].append(message, now);
            }
        }
    }

    fn read(&mut self, node: usize) {
        if let Some(needs) = self.nodes[node].asked.pop_front() {
            let read = self.table.read(needs, self.now);
            self.nodes[node].read.push_back((needs, read));
        }
    }

    fn end_read(&mut self, node: usize, end: ReadEnd) {
        let (now, epoch) = (self.now, self.table.epoch());
        let Some((needs, mut read)) = self.nodes[node].read.pop_front() else { return };
        // No read lasts longer than the database that it reads.
        if end == ReadEnd::Newer && read.head.epoch == epoch {
            read = self.table.read_after(read.head, needs, now);
        }
        if self.planted == Planted::OldEventsNewEpoch {
            read.head.epoch = epoch.clone();
            read.events.iter_mut().for_each(|event| event.epoch = epoch.clone());
        }
        let read = match end {
            ReadEnd::Failed => Err(bipe_core::Error::unavailable(1)),
            ReadEnd::Whole | ReadEnd::Newer => Ok(read),
        };
        self.nodes[node].end_read(read, now);
    }

    fn connect(&mut self, number: usize, node: usize) {
        self.disconnect(number);
        let inbox = Rc::new(Inbox::default());
        let user = UserId(Uuid::from_u128(u128::try_from(number).unwrap()));
        let socket = self.nodes[node].hub.add_socket(user, inbox.clone());
        let reader = &mut self.readers[number];
        reader.browser.reconnected();
        if let Some(trace) = self.trace.as_mut().filter(|_| number == 0) {
            trace.push(json!({ "reconnected": true }));
        }
        reader.connection = Some(Connection { node, socket, inbox, received: 0 });
        self.subscribe(number);
        self.story.count("connected");
    }

    fn disconnect(&mut self, number: usize) {
        if let Some(Connection { node, socket, .. }) = self.readers[number].connection.take() {
            self.nodes[node].hub.remove_socket(socket);
        }
    }

    /// Subscribes at the browser's position, or asks with `sync`: the hub does the same.
    fn subscribe(&mut self, number: usize) {
        let reader = &self.readers[number];
        let Some(Connection { node, socket, .. }) = &reader.connection else { return };
        let since = reader.browser.at.clone();
        let wanted = SubscribeRequest {
            channel: super::node::CHANNEL,
            since,
            audience: Audience::Finance,
            request: 1,
        };
        assert!(self.nodes[*node].hub.subscribe(*socket, wanted));
    }

    /// One frame of the socket. False when there was none.
    fn take(&mut self, number: usize, acknowledges: bool) -> Result<bool, Broken> {
        let Some(Connection { inbox, received, .. }) = &mut self.readers[number].connection else {
            return Ok(false);
        };
        let Some(SocketOutput::Text(text)) = inbox.take() else {
            inbox.acknowledge(*received);
            return Ok(false);
        };
        let values: Vec<Value> = match text.starts_with('[') {
            true => serde_json::from_str(&text).unwrap(),
            false => vec![serde_json::from_str(&text).unwrap()],
        };
        let is_data = |value: &&Value| value["type"] != "error";
        *received += u64::try_from(values.iter().filter(is_data).count()).unwrap();
        if acknowledges {
            inbox.acknowledge(*received);
        }
        for value in values {
            self.receive(number, value)?;
        }
        Ok(true)
    }

    fn receive(&mut self, number: usize, value: Value) -> Result<(), Broken> {
        let frame: Frame = serde_json::from_value(value.clone()).unwrap();
        let now = self.now.as_millisecond();
        let effects = self.readers[number].browser.receive(&frame, now);
        let asks = effects.iter().any(|effect| matches!(effect, Effect::Sync { .. }));
        self.count(&frame, &effects);
        if let Some(trace) = self.trace.as_mut().filter(|_| number == 0) {
            trace.push(json!({ "now": now, "frame": value, "effects": effects }));
        }
        if asks {
            self.subscribe(number);
        }
        self.is_one_history(number)
    }

    fn count(&mut self, frame: &Frame, effects: &[Effect]) {
        for effect in effects {
            self.story.count(match effect {
                Effect::Event { .. } => "event was shown",
                Effect::Snapshot => "snapshot was shown",
                Effect::Sync { .. } => "browser asked for what it missed",
                Effect::Live => "browser is live",
            });
        }
        if let Frame::Reset { reason, .. } = frame {
            self.story.count(if reason == "lagged" { "reset: lagged" } else { "reset: other" });
        }
    }

    fn tell_heads(&mut self, number: usize) {
        let now = self.now.as_millisecond();
        let Some(Connection { node, socket, .. }) = &self.readers[number].connection else {
            return;
        };
        for head in self.nodes[*node].hub.heads(*socket) {
            let effects = self.readers[number].browser.heads(&head.epoch, head.seq, now);
            let asks = !effects.is_empty();
            if let Some(trace) = self.trace.as_mut().filter(|_| number == 0) {
                let head = (wire_name(head.channel), &*head.epoch, head.seq);
                let frame = json!({ "type": "heads", "heads": [head] });
                trace.push(json!({ "now": now, "frame": frame, "effects": effects }));
            }
            if asks {
                return self.subscribe(number);
            }
        }
    }

    /// What a browser shows begins one history, and reaches at least to its position.
    fn is_one_history(&self, number: usize) -> Result<(), Broken> {
        let Browser { at: Some(at), shown, .. } = &self.readers[number].browser else {
            return Ok(());
        };
        let all = self.table.ids_of(&at.epoch);
        holds(all.starts_with(shown), "a browser shows a beginning of one history", || {
            format!("browser {number} shows {shown:?} of {all:?} in {}", at.epoch)
        })?;
        let reaches = i64::try_from(shown.len()).unwrap() >= at.seq;
        holds(reaches, "a browser skips nothing", || {
            format!("browser {number}: {shown:?} at {}", at.seq)
        })
    }

    /// Nothing is lost any more, and everything on its way arrives.
    ///
    /// # Errors
    /// The rule that does not hold.
    pub fn rest(&mut self) -> Result<(), Broken> {
        self.story.tell(|| "nothing is disturbed any more".to_owned());
        for round in 0..MAX_ROUNDS {
            self.now += SignedDuration::from_secs(2);
            let is_busy = self.round()?;
            if !is_busy && self.is_up_to_date() {
                return self.every_history();
            }
            if round % 4 == 3 {
                (0..BROWSERS).for_each(|number| self.tell_heads(number));
            }
        }
        let states: Vec<_> = self.readers.iter().map(|reader| reader.browser.clone()).collect();
        holds(false, "at rest every browser is live and shows everything", || {
            format!("{} in the database, {states:?}", self.table.ids().len())
        })
    }

    /// What is on its way inside a node moves on. False when nothing did.
    fn flow(&mut self, node: usize) -> bool {
        let now = self.now;
        let mut moved = self.nodes[node].relay(now);
        moved |= self.nodes[node].ring(now);
        self.read(node);
        self.end_read(node, ReadEnd::Whole);
        moved |= self.nodes[node].pump(usize::MAX);
        self.nodes[node].work();
        moved
    }

    /// Everything moves on by a little. False when nothing moved.
    fn round(&mut self) -> Result<bool, Broken> {
        let (now, mut moved) = (self.now, false);
        for node in 0..NODES {
            while !self.nodes[node].on_the_way.is_empty() {
                self.bus(Act::Receive { node, which: 0 }, node, 0);
            }
            if self.planted != Planted::NoHeadCheck {
                let head = self.table.head();
                self.nodes[node].heads.push_back(head);
            }
            while !self.nodes[node].heads.is_empty() {
                moved |= self.nodes[node].compare(now);
            }
            for _ in 0..8 {
                moved |= self.flow(node);
            }
        }
        for number in 0..BROWSERS {
            while self.take(number, true)? {
                moved = true;
            }
        }
        Ok(moved)
    }

    fn is_up_to_date(&self) -> bool {
        let Head { epoch, seq, .. } = self.table.head();
        self.readers.iter().filter(|reader| reader.connection.is_some()).all(|reader| {
            let at = reader.browser.at.as_ref();
            reader.browser.live && at.is_some_and(|at| at.epoch == *epoch && at.seq == seq)
        })
    }

    fn every_history(&self) -> Result<(), Broken> {
        for (number, reader) in self.readers.iter().enumerate() {
            self.is_one_history(number)?;
            let whole =
                reader.connection.is_none() || reader.browser.shown.len() == self.table.ids().len();
            holds(whole, "at rest every browser shows what the database holds", || {
                format!("browser {number} shows {:?}", reader.browser.shown)
            })?;
        }
        Ok(())
    }
}
