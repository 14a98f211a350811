//! A node with one worker and its sockets, for the tests of the fan-out.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bipe_actors::bus::{Bus, Nodes};
use bipe_actors::envelope::Since;
use bipe_actors::live::Live;
use bipe_actors::messages::SocketId;
use bipe_actors::sources::{SnapshotData, Sources};
use bipe_actors::worker::hub::{Hub, HubNotice, SubscribeRequest};
use bipe_actors::worker::inbox::{Inbox, SocketOutput};
use bipe_core::db::Db;
use bipe_core::event::{Audience, Channel, EventName, NewEvent};
use bipe_core::id::{CompanyId, UserId};
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_core::testing::TestDb;
use serde_json::{Value, json};

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A node with one worker.
pub struct Node {
    pub db: Db,
    pub nodes: Nodes,
    pub hub: Rc<Hub>,
    notices: tokio::sync::mpsc::UnboundedReceiver<HubNotice>,
    pub snapshots: Arc<AtomicUsize>,
    arbiter: actix::Arbiter,
}

impl Node {
    pub fn start(
        db: Db,
        committed: tokio::sync::mpsc::Receiver<Vec<bipe_core::event::Event>>,
    ) -> Self {
        let bus = Bus::local(committed, db.clock().clone());
        Self::with_bus(db, bus)
    }

    pub fn with_bus(db: Db, bus: Bus) -> Self {
        let snapshots = Arc::new(AtomicUsize::new(0));
        let counted = snapshots.clone();
        let snapshot = Box::new(move |channel: Channel| -> futures_util::future::BoxFuture<_> {
            counted.fetch_add(1, Ordering::Relaxed);
            let full = json!({"of": channel.stored(), "openPayments": [1]}).to_string();
            let restricted = Some(json!({"of": channel.stored()}).to_string());
            Box::pin(async move { Ok(SnapshotData { full, restricted }) })
        });
        let arbiter = actix::Arbiter::new();
        let sources = Sources::new(db.clone(), JobScope::of_test(), snapshot, Box::new(|_, _| {}));
        let nodes = bus.nodes().clone();
        let live = Live::start(&arbiter.handle(), bus, sources);
        let (hub, deliveries) = Hub::new(live);
        let (heard, notices) = tokio::sync::mpsc::unbounded_channel();
        actix::spawn(hub.clone().run(deliveries, move |notice| _ = heard.send(notice)));
        Self { db, nodes, hub, notices, snapshots, arbiter }
    }

    pub fn socket(&self) -> Socket {
        let clock = self.db.clock();
        let (inbox, user) = (Rc::new(Inbox::default()), UserId::new(clock));
        let id = self.hub.add_socket(user, inbox.clone());
        Socket { id, user, inbox, hub: self.hub.clone(), received: Vec::new() }
    }

    /// The next notice; the hub gives them beside what it sends to sockets, in no order with it.
    pub async fn notice(&mut self) -> HubNotice {
        let next = tokio::time::timeout(TIMEOUT, self.notices.recv());
        next.await.expect("a notice in time").expect("the hub runs")
    }

    /// Commits one event of the company.
    pub async fn emit(&self, company: CompanyId, name: EventName, n: i64) {
        let scope = CompanyScope::of_job(&JobScope::of_test(), company);
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

pub struct Socket {
    pub id: SocketId,
    pub user: UserId,
    pub inbox: Rc<Inbox>,
    pub hub: Rc<Hub>,
    pub received: Vec<Value>,
}

impl Socket {
    pub fn subscribe(&self, channel: Channel, since: Option<(&str, i64)>, audience: Audience) {
        let since = since.map(|(epoch, seq)| Since { epoch: epoch.into(), seq });
        let wanted = SubscribeRequest { channel, since, audience, request: 1 };
        assert!(self.hub.subscribe(self.id, wanted));
    }

    /// The next envelopes until one of the type has come.
    pub async fn until(&mut self, kind: &str) -> Vec<Value> {
        loop {
            if let Some(at) = self.received.iter().position(|envelope| envelope["type"] == kind) {
                return self.received.drain(..=at).collect();
            }
            let ready = std::future::poll_fn(|cx| self.inbox.poll_ready(cx));
            tokio::time::timeout(TIMEOUT, ready)
                .await
                .unwrap_or_else(|_| panic!("no {kind}, only {:?}", self.received));
            while let Some(SocketOutput::Text(text)) = self.inbox.take() {
                let frame: Value = serde_json::from_str(&text).unwrap();
                match frame {
                    Value::Array(envelopes) => self.received.extend(envelopes),
                    envelope => self.received.push(envelope),
                }
            }
        }
    }

    /// The next `count` events.
    pub async fn events(&mut self, count: usize) -> Vec<Value> {
        let mut events = Vec::new();
        while events.len() < count {
            events.extend(self.until("event").await);
        }
        events
    }
}

pub async fn node() -> (TestDb, Node, CompanyId) {
    let mut test = TestDb::new().await;
    let committed = test.take_committed();
    let node = Node::start(test.db.clone(), committed);
    let company = CompanyId::new(test.db.clock());
    (test, node, company)
}
