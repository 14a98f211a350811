//! From a committed transaction to the frames of a socket: order, replay, snapshot, resets, two forms.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bipe_actors::bus::Bus;
use bipe_actors::envelope::Since;
use bipe_actors::hub::{Hub, Notice, Subscription};
use bipe_actors::inbox::{Inbox, Out};
use bipe_actors::live::{Live, SnapshotData, SocketId, Sources};
use bipe_core::db::Db;
use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::id::{CompanyId, UserId};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::testing::TestDb;
use serde_json::{Value, json};

/// A node with one worker.
struct Node {
    db: Db,
    hub: Rc<Hub>,
    notices: tokio::sync::mpsc::UnboundedReceiver<Notice>,
    snapshots: Arc<AtomicUsize>,
    arbiter: actix::Arbiter,
}

impl Node {
    fn start(db: Db, committed: tokio::sync::mpsc::Receiver<Vec<bipe_core::event::Event>>) -> Self {
        let snapshots = Arc::new(AtomicUsize::new(0));
        let counted = snapshots.clone();
        let snapshot = Box::new(move |channel: Channel| -> futures_util::future::BoxFuture<_> {
            counted.fetch_add(1, Ordering::Relaxed);
            let full = json!({"of": channel.stored(), "openPayments": [1]}).to_string();
            let restricted = Some(json!({"of": channel.stored()}).to_string());
            Box::pin(async move { Ok(SnapshotData { full, restricted }) })
        });
        let arbiter = actix::Arbiter::new();
        let sources = Sources::new(db.clone(), snapshot, Box::new(|_| {}));
        let live = Live::start(&arbiter.handle(), Bus::Local(committed), sources);
        let (hub, deliveries) = Hub::new(live);
        let (heard, notices) = tokio::sync::mpsc::unbounded_channel();
        actix::spawn(hub.clone().run(deliveries, move |notice| _ = heard.send(notice)));
        Self { db, hub, notices, snapshots, arbiter }
    }

    fn socket(&self) -> Socket {
        let clock = self.db.clock();
        let (inbox, user) = (Rc::new(Inbox::default()), UserId::new(clock));
        let id = self.hub.enter(user, inbox.clone());
        Socket { id, user, inbox, hub: self.hub.clone(), received: Vec::new(), count: 0 }
    }

    /// The next notice; the hub gives them beside what it sends to sockets, in no order with it.
    async fn notice(&mut self) -> Notice {
        let next = tokio::time::timeout(Duration::from_secs(10), self.notices.recv());
        next.await.expect("a notice in time").expect("the hub runs")
    }

    /// Commits one event of the company.
    async fn emit(&self, company: CompanyId, name: EventName, n: i64) {
        let scope = CompanyScope::of_job(&JobScope::of_this_process(), company);
        let mut tx = self.db.company_tx(&scope).await.unwrap();
        tx.emit(NewEvent::new(Channel::Company(company), name, n, &json!({"n": n})).unwrap());
        tx.commit().await.unwrap();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.arbiter.stop();
    }
}

struct Socket {
    id: SocketId,
    user: UserId,
    inbox: Rc<Inbox>,
    hub: Rc<Hub>,
    received: Vec<Value>,
    count: u64,
}

impl Socket {
    fn subscribe(&self, channel: Channel, since: Option<(&str, i64)>, finance: bool) {
        let since = since.map(|(epoch, seq)| Since { epoch: epoch.into(), seq });
        let wanted = Subscription { channel, since, finance, request: 1 };
        assert!(self.hub.subscribe(self.id, wanted));
    }

    /// The next envelopes until one of the type has come.
    async fn until(&mut self, kind: &str) -> Vec<Value> {
        loop {
            if let Some(at) = self.received.iter().position(|envelope| envelope["type"] == kind) {
                return self.received.drain(..=at).collect();
            }
            let ready = std::future::poll_fn(|cx| self.inbox.poll_ready(cx));
            tokio::time::timeout(Duration::from_secs(10), ready)
                .await
                .unwrap_or_else(|_| panic!("no {kind}, only {:?}", self.received));
            while let Some(Out::Text(text)) = self.inbox.take() {
                let frame: Value = serde_json::from_str(&text).unwrap();
                match frame {
                    Value::Array(envelopes) => self.received.extend(envelopes),
                    envelope => self.received.push(envelope),
                }
            }
            let data = |e: &&Value| !matches!(e["type"].as_str(), Some("error"));
            self.count += u64::try_from(self.received.iter().filter(data).count()).unwrap();
        }
    }

    /// The next `count` events.
    async fn events(&mut self, count: usize) -> Vec<Value> {
        let mut events = Vec::new();
        while events.len() < count {
            events.extend(self.until("event").await);
        }
        events
    }
}

fn seqs(envelopes: &[Value]) -> Vec<i64> {
    let events = envelopes.iter().filter(|envelope| envelope["type"] == "event");
    events.map(|event| event["seq"].as_i64().unwrap()).collect()
}

fn kinds(envelopes: &[Value]) -> Vec<&str> {
    envelopes.iter().map(|envelope| envelope["type"].as_str().unwrap()).collect()
}

async fn node() -> (TestDb, Node, CompanyId) {
    let mut test = TestDb::new().await;
    let committed = test.take_committed();
    let node = Node::start(test.db.clone(), committed);
    let company = CompanyId::new(test.db.clock());
    (test, node, company)
}

#[actix::test]
async fn a_reader_gets_the_state_and_then_every_event_in_order() {
    let (_test, node, company) = node().await;
    node.emit(company, EventName::CompanyUpdated, 1).await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, true);
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["snapshot", "live"]);
    assert_eq!(answer[0]["data"]["openPayments"], json!([1]));
    assert_eq!((&answer[0]["seq"], &answer[1]["seq"]), (&json!(1), &json!(1)));
    for n in 2..=40 {
        node.emit(company, EventName::CompanyUpdated, n).await;
    }
    assert_eq!(seqs(&socket.events(39).await), (2..=40).collect::<Vec<_>>());
}

#[actix::test]
async fn commits_that_overtake_each_other_still_arrive_in_order() {
    let (_test, node, company) = node().await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, true);
    socket.until("live").await;
    let writers = (0..60).map(|n| node.emit(company, EventName::CompanyUpdated, n));
    futures_util::future::join_all(writers).await;
    assert_eq!(seqs(&socket.events(60).await), (1..=60).collect::<Vec<_>>());
}

#[actix::test]
async fn a_reconnect_gets_exactly_what_it_missed_from_the_ring_or_the_database() {
    let (test, node, company) = node().await;
    let channel = Channel::Company(company);
    for n in 1..=30 {
        node.emit(company, EventName::CompanyUpdated, n).await;
    }
    let mut first = node.socket();
    first.subscribe(channel, None, true);
    let epoch = first.until("live").await[0]["epoch"].as_str().unwrap().to_owned();

    // The session started at 30: what is older comes from the database.
    let mut second = node.socket();
    second.subscribe(channel, Some((&epoch, 12)), true);
    let answer = second.until("live").await;
    assert_eq!(seqs(&answer), (13..=30).collect::<Vec<_>>());
    assert_eq!(kinds(&answer).last(), Some(&"live"));

    node.emit(company, EventName::CompanyUpdated, 31).await;
    assert_eq!(seqs(&first.events(1).await), [31]);
    let before = node.snapshots.load(Ordering::Relaxed);
    let mut third = node.socket();
    third.subscribe(channel, Some((&epoch, 30)), true);
    assert_eq!(kinds(&third.until("live").await), ["event", "live"]);
    let mut fourth = node.socket();
    fourth.subscribe(channel, Some((&epoch, 31)), true);
    assert_eq!(kinds(&fourth.until("live").await), ["live"]);
    assert_eq!(node.snapshots.load(Ordering::Relaxed), before);

    // Purged: never a part of the missed ones.
    let owner = test.owner().await;
    owner.execute("DELETE FROM events WHERE seq <= 20", &[]).await.unwrap();
    let mut fifth = node.socket();
    fifth.subscribe(channel, Some((&epoch, 12)), true);
    let answer = fifth.until("live").await;
    // The snapshot of the first reader still serves, with the one event since.
    assert_eq!(kinds(&answer), ["reset", "snapshot", "event", "live"]);
    assert_eq!((&answer[0]["reason"], &answer[3]["seq"]), (&json!("expired"), &json!(31)));
}

#[actix::test]
async fn orders_given_in_one_breath_are_obeyed_in_their_order() {
    let (_test, node, company) = node().await;
    let channels = [Channel::Company(company), Channel::Plans];
    // The first one alone leaves each channel for a moment; together they are more than one wake-up takes.
    let mut sockets: Vec<Socket> = (0..300).map(|_| node.socket()).collect();
    for socket in &sockets {
        for channel in channels {
            socket.subscribe(channel, None, true);
            assert!(node.hub.unsubscribe(socket.id, channel));
            socket.subscribe(channel, None, true);
        }
    }
    for socket in &mut sockets {
        assert_eq!(kinds(&socket.until("live").await), ["snapshot", "live"]);
        assert_eq!(kinds(&socket.until("live").await), ["snapshot", "live"]);
    }
    // All leave, and some come again behind that.
    for socket in &sockets {
        assert!(node.hub.unsubscribe(socket.id, channels[0]));
    }
    sockets.truncate(10);
    for socket in &sockets {
        socket.subscribe(channels[0], None, true);
    }
    for socket in &mut sockets {
        assert_eq!(kinds(&socket.until("live").await), ["snapshot", "live"]);
    }
    node.emit(company, EventName::CompanyUpdated, 1).await;
    for socket in &mut sockets {
        assert_eq!(seqs(&socket.events(1).await), [1]);
        assert!(socket.received.is_empty(), "once: {:?}", socket.received);
    }
}

#[actix::test]
async fn a_worker_owes_the_relay_only_so_many_orders() {
    let (_test, node, company) = node().await;
    let (mut socket, channel) = (node.socket(), Channel::Company(company));
    let wanted = || Subscription { channel, since: None, finance: true, request: 1 };
    let taken = (0..20_000).take_while(|_| node.hub.subscribe(socket.id, wanted())).count();
    assert!(taken < 10_000, "{taken} were taken before the relay saw one");
    // The last one that was taken is answered, and then there is room again.
    socket.until("live").await;
    assert!(node.hub.subscribe(socket.id, wanted()));
    socket.until("live").await;
}

#[actix::test]
async fn another_epoch_and_a_position_ahead_are_reset() {
    let (_test, node, company) = node().await;
    node.emit(company, EventName::CompanyUpdated, 1).await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), Some(("other", 1)), true);
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"]);
    assert_eq!(answer[0]["reason"], "epoch");
    let epoch = answer[1]["epoch"].as_str().unwrap().to_owned();
    socket.subscribe(Channel::Company(company), Some((&epoch, 99)), true);
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"]);
    assert_eq!(answer[0]["reason"], "ahead");
}

#[actix::test]
async fn an_operator_gets_the_sequence_without_the_finance_data() {
    let (_test, node, company) = node().await;
    let (mut finance, mut operator) = (node.socket(), node.socket());
    finance.subscribe(Channel::Company(company), None, true);
    operator.subscribe(Channel::Company(company), None, false);
    assert!(finance.until("live").await[0]["data"].get("openPayments").is_some());
    assert!(operator.until("live").await[0]["data"].get("openPayments").is_none());
    node.emit(company, EventName::PaymentUpdated, 1).await;
    node.emit(company, EventName::SubscriptionUpdated, 2).await;
    let (seen, hidden) = (finance.events(2).await, operator.events(2).await);
    assert_eq!(seqs(&seen), seqs(&hidden));
    assert_eq!(seen[0]["data"], json!({"n": 1}));
    assert_eq!(hidden[0]["data"], Value::Null);
    assert!(hidden[0].get("data").is_some(), "the field is there");
    assert_eq!(seen[1], hidden[1]);
}

#[actix::test]
async fn what_another_node_commits_is_found_by_the_head_check() {
    let (test, node, company) = node().await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, true);
    socket.until("live").await;
    let (other, _unheard) = test.second_node();
    let scope = CompanyScope::of_job(&JobScope::of_this_process(), company);
    for n in 1..=3 {
        let mut tx = other.company_tx(&scope).await.unwrap();
        let channel = Channel::Company(company);
        tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, n, &json!({})).unwrap());
        tx.commit().await.unwrap();
    }
    assert_eq!(seqs(&socket.events(3).await), [1, 2, 3]);
}

#[actix::test]
async fn a_new_history_of_the_channel_resets_its_readers_and_gives_them_the_state() {
    let (test, node, company) = node().await;
    let mut socket = node.socket();
    socket.subscribe(Channel::Company(company), None, true);
    socket.until("live").await;
    let owner = test.owner().await;
    owner.execute("UPDATE channel_heads SET epoch = 'new', seq = 7", &[]).await.unwrap();
    let answer = socket.until("live").await;
    assert_eq!(kinds(&answer), ["reset", "snapshot", "live"]);
    assert_eq!((&answer[0]["reason"], &answer[1]["epoch"]), (&json!("epoch"), &json!("new")));
    assert_eq!(node.hub.heads(socket.id), [(Channel::Company(company).stored(), "new".into(), 7)]);
}

#[actix::test]
async fn a_reader_that_never_acknowledges_is_reset_and_the_others_go_on() {
    let (_test, node, company) = node().await;
    let channel = Channel::Company(company);
    let (mut healthy, mut stalled) = (node.socket(), node.socket());
    healthy.subscribe(channel, None, true);
    stalled.subscribe(channel, None, true);
    healthy.until("live").await;
    stalled.until("live").await;
    let padding = "x".repeat(4_000);
    let scope = CompanyScope::of_job(&JobScope::of_this_process(), company);
    for n in 1..=100 {
        let mut tx = node.db.company_tx(&scope).await.unwrap();
        let data = json!({"padding": padding});
        tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, n, &data).unwrap());
        tx.commit().await.unwrap();
        assert_eq!(seqs(&healthy.events(1).await), [n]);
        assert!(healthy.inbox.acknowledge(u64::try_from(n).unwrap() + 2));
    }
    assert!(stalled.inbox.queued_bytes() < 300, "bounded, and nothing waits for it");
    assert!(node.hub.heads(stalled.id).is_empty());
    // It comes back: acknowledges, learns of the reset and starts anew.
    let mut got = Vec::new();
    while !got.iter().any(|envelope: &Value| envelope["type"] == "reset") {
        while let Some(Out::Text(text)) = stalled.inbox.take() {
            let frame: Value = serde_json::from_str(&text).unwrap();
            got.extend(frame.as_array().cloned().unwrap_or_else(|| vec![frame]));
        }
        assert!(stalled.inbox.acknowledge(u64::try_from(got.len()).unwrap() + 2));
    }
    let held = seqs(&got);
    assert_eq!(held, (1..=i64::try_from(held.len()).unwrap()).collect::<Vec<_>>());
    assert_eq!(got.last().unwrap()["reason"], "lagged");
    stalled.subscribe(channel, None, true);
    assert_eq!(stalled.until("live").await[0]["seq"], 100);
}

#[actix::test]
async fn a_revoked_session_is_noticed_without_a_subscription() {
    let (_test, mut node, _company) = node().await;
    let mut socket = node.socket();
    let watching = node.notice().await;
    assert!(matches!(watching, Notice::Watching { person, .. } if person == socket.user));
    socket.subscribe(Channel::User(socket.user), None, true);
    socket.until("live").await;
    assert!(node.hub.unsubscribe(socket.id, Channel::User(socket.user)));
    let mut tx = node.db.tx().await.unwrap();
    let revoked = NewEvent::new(Channel::User(socket.user), EventName::SessionRevoked, "s", &());
    tx.emit(revoked.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(node.notice().await, Notice::Person(socket.user));
    let other = node.socket();
    let watching = node.notice().await;
    assert!(matches!(watching, Notice::Watching { person, .. } if person == other.user));
    assert!(socket.inbox.take().is_none(), "it no longer reads the channel");
}
