//! Two nodes on one database with a real NATS server between them, and what happens to events while that server is
//! frozen, dead or speaks for somebody else.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use async_nats::Client;
use bipe_actors::bus::message::{self, Outgoing};
use bipe_actors::bus::{Bus, NatsSettings};
use bipe_core::db::Opened;
use bipe_core::event::{Channel, Event, EventName, OperatorData};
use bipe_core::id::CompanyId;
use bipe_core::secret::{KeyRing, Secret};
use bipe_core::testing::TestDb;
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};

use crate::node::{Node, Socket, kinds, seqs};

/// What the bus may be late by while it is disturbed, with a busy machine's share.
const DISTURBED: Duration = Duration::from_secs(4);

/// Shorter than the pause between two beats.
const QUIET: Duration = Duration::from_millis(100);

/// The server that `.ci/python nats` installs. None outside CI, on a machine without Python.
#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
fn binary() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.tools/nats/bin/nats-server");
    if path.is_file() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "run .ci/python nats: no {}", path.display());
    eprintln!("skipped: no NATS server, see .ci/python");
    None
}

struct NatsServer {
    process: Child,
    port: u16,
}

impl NatsServer {
    async fn start() -> Option<Self> {
        // Free when it is asked for: where somebody takes it meanwhile, the clients' first answer does not come.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { process: spawn(&binary()?, port), port };
        server.client().await;
        assert!(server.process.try_wait().unwrap().is_none(), "the server runs");
        Some(server)
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn restart(&mut self) {
        self.process = spawn(&binary().unwrap(), self.port);
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    async fn client(&self) -> Client {
        let connecting = async {
            loop {
                match async_nats::connect(self.url()).await {
                    Ok(client) => return client,
                    Err(_) => sleep(Duration::from_millis(20)).await,
                }
            }
        };
        timeout(Duration::from_secs(20), connecting).await.expect("a server in time")
    }

    async fn node(&self, opened: Opened) -> Node {
        let Opened { db, committed, .. } = opened;
        let settings = NatsSettings {
            url: Secret::new(self.url()),
            credentials: None,
            authorities: None,
            installation: "test".into(),
            node: db.clock().uuid(),
            keys: keys("secret"),
            clock: db.clock().clone(),
            runtime: db.runtime().clone(),
        };
        let bus = Bus::connect(committed, settings).await.unwrap();
        Node::with_bus(db, bus)
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn spawn(binary: &Path, port: u16) -> Child {
    let port = port.to_string();
    let mut command = Command::new(binary);
    command.args(["--addr", "127.0.0.1", "--port", &port]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn keys(secret: &str) -> KeyRing {
    KeyRing::derive(&Secret::from(secret), "bus-v1")
}

/// Two nodes of one database, and a reader of the company at the second one.
async fn two_nodes(server: &NatsServer) -> (TestDb, Node, Node, CompanyId, Socket) {
    let mut test = TestDb::new().await;
    let company = CompanyId::new(test.db.clock());
    let writer = server.node(test.opened()).await;
    let other = server.node(test.second_node()).await;
    writer.emit(company, EventName::CompanyUpdated, 1).await;
    let mut reader = other.socket();
    reader.subscribe(Channel::Company(company), None, true);
    assert_eq!(kinds(&reader.until("live").await), ["snapshot", "live"]);
    (test, writer, other, company, reader)
}

/// Whether events were read from the database since the last call.
fn read_events(node: &Node) -> bool {
    node.db.take_statements().iter().any(|sql| sql.contains("FROM events"))
}

/// Until an event of the writer reaches the reader without a read of the database.
async fn until_pushed(writer: &Node, other: &Node, company: CompanyId, reader: &mut Socket) {
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

#[actix::test]
async fn what_others_say_on_the_bus_reaches_nobody() {
    let Some(server) = NatsServer::start().await else { return };
    let (test, writer, other, company, mut reader) = two_nodes(&server).await;
    until_pushed(&writer, &other, company, &mut reader).await;
    let head = other.hub.heads(reader.id).pop().unwrap();
    let (epoch, seq) = (head.1.clone(), head.2 + 1);
    let forged = Event {
        channel: Channel::Company(company),
        epoch: epoch.as_str().into(),
        seq,
        name: EventName::CompanyUpdated,
        key: "forged".into(),
        data: "{}".into(),
        operator_data: OperatorData::Same,
        cause: None,
        at: test.db.clock().now(),
    };
    let client = server.client().await;
    let mut all = client.subscribe("bipe.test.ev").await.unwrap();
    for (secret, number) in [("other", 1), ("other", u64::MAX)] {
        let parts = message::pack(vec![forged.clone()]).unwrap().pop().unwrap();
        let (node, now) = (test.db.clock().uuid(), test.db.clock().now());
        let bytes = message::seal(&keys(secret), (node, number), now, Outgoing::Parts(parts));
        client.publish("bipe.test.ev", bytes.unwrap().into()).await.unwrap();
    }
    client.publish("bipe.test.ev", vec![0; 3].into()).await.unwrap();
    client.flush().await.unwrap();
    // A real one follows, and is the next.
    writer.emit(company, EventName::CompanyUpdated, 7).await;
    let events = reader.events(1).await;
    assert_eq!((events[0]["seq"].as_i64(), &events[0]["key"]), (Some(seq), &"7".into()));

    // Everything that was said is said once more, the real event too.
    let mut said = Vec::new();
    while let Ok(Some(message)) = timeout(QUIET, all.next()).await {
        said.push(message.payload);
        if said.len() > 50 {
            break;
        }
    }
    assert!(said.len() > 3);
    for payload in said {
        client.publish("bipe.test.ev", payload).await.unwrap();
    }
    client.flush().await.unwrap();
    writer.emit(company, EventName::CompanyUpdated, 8).await;
    assert_eq!(seqs(&reader.events(1).await), [seq + 1]);
}
