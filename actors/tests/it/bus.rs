//! Two nodes on one database with a real NATS server between them, and what happens to events while that server is
//! frozen, dead or speaks for somebody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bipe_actors::bus::NatsSettings;
use bipe_actors::bus::message::{self, Outgoing};
use bipe_actors::bus::node_state::{NodeQueues, NodeState};
use bipe_actors::bus::refusals::StaleClock;
use bipe_core::clock::Clock;
use bipe_core::event::{Audience, Channel, Event, EventName, OperatorData};
use bipe_core::id::CompanyId;
use bipe_core::testing::TestDb;
use bipe_testkit::{kinds, seqs};
use futures_util::StreamExt;
use futures_util::future::ready;
use jiff::{SignedDuration, Timestamp};
use tokio::time::{Instant, sleep, timeout};

use crate::nats_server::{NatsServer, TEN_MINUTES, keys, node, strange_messages};
use crate::node::{Node, Socket};

/// What the bus may be late by while it is disturbed, with a busy machine's share.
pub const DISTURBED: Duration = Duration::from_secs(4);

/// Shorter than the pause between two beats.
const QUIET: Duration = Duration::from_millis(100);

/// Two nodes of one database, and a reader of the company at the second one.
pub type TwoNodes = (TestDb, Node, Node, CompanyId, Socket);

pub async fn two_nodes(server: &NatsServer) -> TwoNodes {
    two_nodes_with(&server.url(), |_| {}, |_| {}).await
}

/// The same, with other settings of the writer and of the reader's node.
pub async fn two_nodes_with(
    url: &str,
    of_writer: impl FnOnce(&mut NatsSettings),
    of_other: impl FnOnce(&mut NatsSettings),
) -> TwoNodes {
    let mut test = TestDb::new().await;
    let company = CompanyId::new(test.db.clock());
    let writer = node(test.opened(), url, of_writer).await;
    let other = node(test.second_node(), url, of_other).await;
    writer.emit(company, EventName::CompanyUpdated, 1).await;
    let mut reader = other.socket();
    reader.subscribe(Channel::Company(company), None, Audience::Finance);
    assert_eq!(kinds(&reader.until("live").await), ["snapshot", "live"]);
    (test, writer, other, company, reader)
}

/// Whether events were read from the database since the last call.
pub fn read_events(node: &Node) -> bool {
    node.db.take_statements().iter().any(|sql| sql.contains("FROM events"))
}

/// Until an event of the writer reaches the reader without a read of the database.
pub async fn until_pushed(writer: &Node, other: &Node, company: CompanyId, reader: &mut Socket) {
    let pushing = async {
        loop {
            read_events(other);
            writer.emit(company, EventName::CompanyUpdated, 0).await;
            reader.events(1).await;
            if !read_events(other) {
                return;
            }
        }
    };
    timeout(Duration::from_secs(60), pushing).await.expect("the bus works");
}

#[actix::test]
async fn an_event_of_another_node_is_pushed_without_a_look_into_the_database() {
    let Some(server) = NatsServer::start().await else { return };
    let (_test, writer, other, company, mut reader) = two_nodes(&server).await;
    until_pushed(&writer, &other, company, &mut reader).await;
}

#[actix::test]
async fn a_frozen_bus_stops_no_command_and_loses_no_event() {
    let Some(mut server) = NatsServer::start().await else { return };
    let (_test, writer, other, company, mut reader) = two_nodes(&server).await;
    until_pushed(&writer, &other, company, &mut reader).await;
    for disturb in ["-STOP", "-KILL"] {
        server.signal(disturb);
        for n in 0..3 {
            let commit = writer.emit(company, EventName::CompanyUpdated, n);
            timeout(DISTURBED, commit).await.expect("the commit does not wait");
            let events = timeout(DISTURBED, reader.events(1)).await.expect("the event in time");
            assert_eq!(seqs(&events).len(), 1);
        }
        if disturb == "-STOP" {
            server.signal("-CONT");
        } else {
            server.kill();
            server.restart();
        }
        until_pushed(&writer, &other, company, &mut reader).await;
    }
}

/// How often the node compared heads within the time.
async fn head_checks(node: &Node, within: Duration) -> usize {
    node.db.take_statements();
    sleep(within).await;
    node.db.take_statements().iter().filter(|sql| sql.contains("FROM channel_heads")).count()
}

#[actix::test]
async fn a_bus_that_is_trusted_is_suspect_again_as_soon_as_it_is_silent() {
    let Some(server) = NatsServer::start().await else { return };
    let (_test, _writer, other, ..) = two_nodes(&server).await;
    // One channel is compared each second on a suspect bus, and every ten seconds on a trusted one.
    let trusting = async { while head_checks(&other, Duration::from_secs(4)).await > 1 {} };
    timeout(Duration::from_secs(120), trusting).await.expect("trust in time");
    server.signal("-STOP");
    assert!(head_checks(&other, Duration::from_secs(6)).await > 2);
}

/// What was said on the bus until an event of the node, which comes last.
async fn until_event_of(
    node: &Node,
    arrived: &mut async_nats::Subscriber,
) -> Vec<async_nats::Message> {
    let mut said = Vec::new();
    loop {
        let message = arrived.next().await.expect("the subscription goes on");
        let read = message::open(&keys("secret"), &message.payload, node.db.clock().now());
        said.push(message);
        if read.is_ok_and(|read| read.node == node.nodes.id() && !read.parts.is_empty()) {
            return said;
        }
    }
}

#[actix::test]
async fn what_others_say_on_the_bus_reaches_nobody() {
    let Some(server) = NatsServer::start().await else { return };
    let (test, writer, other, company, mut reader) = two_nodes(&server).await;
    until_pushed(&writer, &other, company, &mut reader).await;
    let head = other.hub.heads(reader.id).pop().unwrap();
    let (epoch, seq) = (head.epoch, head.seq + 1);
    let forged = Event {
        channel: Channel::Company(company),
        epoch,
        seq,
        name: EventName::CompanyUpdated.into(),
        key: "forged".into(),
        data: "{}".into(),
        operator_data: OperatorData::Same,
        cause: None,
        trace: None,
        at: test.db.clock().now(),
    };
    let client = async_nats::connect(server.url()).await.unwrap();
    let mut all = client.subscribe("bipe.test.ev").await.unwrap();
    for (secret, number) in [("other", 1), ("other", u64::MAX)] {
        let parts = message::pack(vec![forged.clone()]).unwrap().pop().unwrap();
        let (node, now) = (test.db.clock().uuid(), test.db.clock().now());
        let bytes = message::seal(&keys(secret), node, number, now, Outgoing::Parts(parts));
        client.publish("bipe.test.ev", bytes.unwrap().into()).await.unwrap();
    }
    client.publish("bipe.test.ev", vec![0; 3].into()).await.unwrap();
    client.flush().await.unwrap();
    // A real one follows, and is the next.
    writer.emit(company, EventName::CompanyUpdated, 7).await;
    let events = reader.events(1).await;
    assert_eq!((events[0]["seq"].as_i64(), &events[0]["key"]), (Some(seq), &"7".into()));

    // Everything that was said is said once more, the real event too, which was said last.
    let said = timeout(DISTURBED, until_event_of(&writer, &mut all))
        .await
        .expect("the real event on the bus");
    assert!(said.len() > 3);
    for message in said {
        client.publish("bipe.test.ev", message.payload).await.unwrap();
    }
    client.flush().await.unwrap();
    writer.emit(company, EventName::CompanyUpdated, 8).await;
    assert_eq!(seqs(&reader.events(1).await), [seq + 1]);
}

/// Whether the message is a beat of the node. Beats that tell the node's state come by another clock.
fn is_beat(node: &Node, message: &async_nats::Message) -> bool {
    let read = message::open(&keys("secret"), &message.payload, node.db.clock().now()).unwrap();
    read.node == node.nodes.id() && read.parts.is_empty() && read.state.is_none()
}

#[actix::test]
async fn a_node_beats_only_while_it_says_nothing_else() {
    let Some(server) = NatsServer::start().await else { return };
    let mut test = TestDb::new().await;
    let node = node(test.opened(), &server.url(), |_| {}).await;
    let company = CompanyId::new(test.db.clock());
    let client = async_nats::connect(server.url()).await.unwrap();
    let mut arrived = client.subscribe("bipe.test.ev").await.unwrap();
    client.flush().await.unwrap();
    let mut pauses = 0;
    for n in 0..30 {
        let began = Instant::now();
        node.emit(company, EventName::CompanyUpdated, n).await;
        sleep(QUIET).await;
        pauses += usize::from(began.elapsed() > 2 * QUIET);
    }
    let mut beside = 0;
    while let Ok(Some(message)) = timeout(QUIET, arrived.next()).await {
        beside += usize::from(is_beat(&node, &message));
    }
    assert!(beside <= pauses + 2, "{beside} beats, {pauses} pauses");
    let beating = arrived.filter(|message| ready(is_beat(&node, message))).take(5).count();
    assert_eq!(timeout(DISTURBED, beating).await, Ok(5));
}

/// How many messages the node has refused, by reason.
fn refused(node: &Node) -> Vec<(&'static str, u64)> {
    let refused = node.nodes.bus().unwrap().refused;
    refused.iter().map(|refused| (refused.refusal.as_str(), refused.count)).collect()
}

#[actix::test]
async fn what_is_refused_is_counted_by_its_reason() {
    let Some(server) = NatsServer::start().await else { return };
    let (test, writer, other, company, mut reader) = two_nodes(&server).await;
    until_pushed(&writer, &other, company, &mut reader).await;
    assert_eq!(refused(&other), []);
    let (stranger, now) = (test.db.clock().uuid(), test.db.clock().now());
    let client = async_nats::connect(server.url()).await.unwrap();
    for message in strange_messages(stranger, now) {
        client.publish("bipe.test.ev", message.into()).await.unwrap();
    }
    let elsewhere = message::seal(&keys("secret"), stranger, 1, now, Outgoing::Beat(None));
    client.publish("bipe.another.ev", elsewhere.unwrap().into()).await.unwrap();
    client.flush().await.unwrap();
    let all = [("forged", 1), ("malformed", 1), ("stale", 1), ("too_long", 1), ("version", 1)];
    let counting = async {
        while refused(&other) != all {
            sleep(QUIET).await;
        }
    };
    timeout(DISTURBED, counting).await.expect("all are counted");
    let bus = other.nodes.bus().unwrap();
    let stale = bus.refused.iter().find_map(|refused| refused.refusal.stale());
    assert_eq!(stale, Some(StaleClock { node: stranger, ahead: TEN_MINUTES }));
    assert!(bus.is_connected);
}

/// A node of the same database whose clock is ahead, all of it.
async fn node_ahead(test: &TestDb, server: &NatsServer, by: SignedDuration) -> Node {
    let clock = Clock::fixed(test.db.clock().now().checked_add(by).unwrap(), 8);
    node(test.second_node_at(clock), &server.url(), |_| {}).await
}

/// What the node refused because of its time; nothing else was refused.
fn refused_clock(node: &Node) -> Option<StaleClock> {
    let refused = node.nodes.bus().unwrap().refused;
    assert!(refused.iter().all(|refused| refused.refusal.stale().is_some()), "{refused:?}");
    refused.first().and_then(|refused| refused.refusal.stale())
}

/// Its messages are refused, because they could be old ones of somebody else. The database tells what they were about.
#[actix::test]
async fn a_node_whose_clock_is_ten_minutes_off_is_named_and_loses_no_event() {
    let Some(server) = NatsServer::start().await else { return };
    let mut test = TestDb::new().await;
    let company = CompanyId::new(test.db.clock());
    let right = node(test.opened(), &server.url(), |_| {}).await;
    let wrong = node_ahead(&test, &server, TEN_MINUTES).await;
    right.emit(company, EventName::CompanyUpdated, 1).await;
    let mut readers = [right.socket(), wrong.socket()];
    for reader in &mut readers {
        reader.subscribe(Channel::Company(company), None, Audience::Finance);
        reader.until("live").await;
    }
    for seq in 2..6 {
        let writer = if seq % 2 == 0 { &wrong } else { &right };
        read_events(&right);
        read_events(&wrong);
        writer.emit(company, EventName::CompanyUpdated, seq).await;
        for reader in &mut readers {
            let events = timeout(DISTURBED, reader.events(1)).await.expect("the event in time");
            assert_eq!(seqs(&events), [seq]);
        }
        let reads = (read_events(&right), read_events(&wrong));
        assert_eq!(reads, (seq % 2 == 0, seq % 2 == 1), "the other one asked the database");
    }
    for (node, other, ahead) in [(&right, &wrong, TEN_MINUTES), (&wrong, &right, -TEN_MINUTES)] {
        let named = StaleClock { node: other.nodes.id(), ahead };
        assert_eq!(refused_clock(node), Some(named));
        assert_eq!((node.nodes.live().count(), node.nodes.others()), (1, Vec::new()));
    }
}

#[actix::test]
async fn a_node_whose_clock_is_half_a_minute_off_is_heard_and_its_difference_told() {
    let Some(server) = NatsServer::start().await else { return };
    let mut test = TestDb::new().await;
    let right = node(test.opened(), &server.url(), |_| {}).await;
    let by = SignedDuration::from_secs(30);
    let wrong = node_ahead(&test, &server, by).await;
    for (node, other, ahead) in [(&right, &wrong, by), (&wrong, &right, -by)] {
        let hearing = async {
            while node.nodes.live().count() < 2 {
                sleep(QUIET).await;
            }
        };
        timeout(DISTURBED, hearing).await.expect("it is heard");
        let [heard] = node.nodes.others().try_into().unwrap();
        assert_eq!((heard.id, heard.clock_ahead), (other.nodes.id(), ahead));
        assert_eq!(refused_clock(node), None);
    }
}

/// It counts for six seconds after its last beat, and is listed as silent then.
#[actix::test]
async fn a_node_that_vanishes_without_a_word_no_longer_counts() {
    let Some(server) = NatsServer::start().await else { return };
    let mut test = TestDb::new().await;
    let node = node(test.opened(), &server.url(), |_| {}).await;
    let (stranger, now) = (test.db.clock().uuid(), test.db.clock().now());
    let client = async_nats::connect(server.url()).await.unwrap();
    let speaking = async {
        // What it says before the node has subscribed reaches nobody.
        for number in 1.. {
            let beat = Outgoing::Beat(None);
            let beat = message::seal(&keys("secret"), stranger, number, now, beat).unwrap();
            client.publish("bipe.test.ev", beat.into()).await.unwrap();
            client.flush().await.unwrap();
            sleep(QUIET).await;
            if node.nodes.live().count() == 2 {
                return;
            }
        }
    };
    timeout(DISTURBED, speaking).await.expect("it counts");
    let vanishing = async {
        while node.nodes.live().count() == 2 {
            sleep(QUIET).await;
        }
    };
    timeout(Duration::from_secs(20), vanishing).await.expect("it counts no longer");
    let [listed] = node.nodes.others().try_into().unwrap();
    assert!(listed.id == stranger && !listed.is_live(), "{listed:?}");
}

fn state(sockets: u32) -> NodeState {
    NodeState {
        version: "7.0.0".into(),
        schema: 34,
        since: Timestamp::UNIX_EPOCH,
        draining: false,
        sockets,
        channels: 0,
        queues: NodeQueues::default(),
        database: None,
    }
}

#[actix::test]
async fn nodes_tell_each_other_how_they_are_and_when_they_end() {
    let Some(server) = NatsServer::start().await else { return };
    let (_test, writer, other, company, mut reader) = two_nodes(&server).await;
    let sockets = Arc::new(AtomicU32::new(3));
    let told = sockets.clone();
    writer.nodes.set_own_state(Box::new(move || Some(state(told.load(Ordering::Relaxed)))));
    let until_told = async |sockets| {
        let telling = async {
            loop {
                let seen = other.nodes.others().into_iter().find_map(|node| node.state);
                if seen.is_some_and(|seen| {
                    seen == NodeState { channels: seen.channels, ..state(sockets) }
                }) {
                    return;
                }
                sleep(QUIET).await;
            }
        };
        timeout(DISTURBED, telling).await.expect("the state is told");
    };
    until_told(3).await;
    assert_eq!((writer.nodes.live().count(), other.nodes.live().count()), (2, 2));
    let [node] = other.nodes.others().try_into().unwrap();
    assert_eq!((node.id, node.clock_ahead), (writer.nodes.id(), SignedDuration::ZERO));
    sockets.store(9, Ordering::Relaxed);
    until_told(9).await;

    until_pushed(&writer, &other, company, &mut reader).await;
    drop(writer);
    let leaving = async {
        while other.nodes.live().count() > 1 || !other.nodes.others().is_empty() {
            sleep(QUIET).await;
        }
    };
    timeout(DISTURBED, leaving).await.expect("it said that it ends");
}
