//! A peer that stops reading freezes its context, heartbeat and all (actix-web issue 2441). It is got rid of
//! from outside, in bounded time, and nobody else notices. The times are a fraction of the real ones; that those
//! add up to at most 45 s is a test of the sweeper. A busy machine may take several times as long here.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use bipe_core::event::{Channel, EventName, NewEvent};
use bipe_core::id::CompanyId;
use bipe_core::scope::{CompanyScope, JobScope};
use bipe_http::live::sweeper::Timing;
use bipe_testkit::{Person, seqs};
use serde_json::json;
use socket2::{Domain, Socket, Type};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use crate::app::{TestApp, spawn_app_timed};

/// How many times its limit a loaded machine may need.
const TIMEOUT_FACTOR: u32 = 10;

const TRIES: u32 = 10;

const SHORT: Timing = Timing {
    sweep: Duration::from_millis(100),
    hello: Duration::from_secs(10),
    heartbeat: Duration::from_millis(2_000),
    pong: Duration::from_millis(3_000),
    progress: Duration::from_millis(3_000),
    grace: Duration::from_millis(200),
};

/// A WebSocket by hand, with a tiny receive buffer, that never reads after its handshake.
struct Stalled(TcpStream);

impl Stalled {
    async fn connect(app: &TestApp, person: &Person, company: CompanyId) -> Self {
        let ticket = app.ticket(person).await;
        let address = app.address;
        let stalled = tokio::task::spawn_blocking(move || Self::handshake(address)).await.unwrap();
        let channel = format!("company/{company}");
        let hello = json!({"type": "hello", "id": 1, "ticket": ticket, "subscriptions": [{"channel": channel}]});
        stalled.send(&hello.to_string());
        stalled
    }

    fn handshake(address: SocketAddr) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_recv_buffer_size(2 * 1024).unwrap();
        socket.connect(&address.into()).unwrap();
        let mut stream: TcpStream = socket.into();
        write!(
            stream,
            "GET /api/live HTTP/1.1\r\nhost: {address}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             sec-websocket-protocol: rt.v1\r\n\r\n"
        )
        .unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        Self(stream)
    }

    /// One masked text frame of at most 65,535 bytes; the mask is zero. Errors when the server is gone.
    fn try_send(&self, text: &str) -> std::io::Result<()> {
        let length = u16::try_from(text.len()).unwrap().to_be_bytes();
        let frame = [&[0x81, 0x80 | 126], &length[..], &[0; 4], text.as_bytes()].concat();
        (&self.0).write_all(&frame)
    }

    fn send(&self, text: &str) {
        self.try_send(text).unwrap();
    }

    /// The inode of the server's end, which runs in this very process.
    fn inode_of_the_server_end(&self) -> String {
        let (server, client) = (self.0.peer_addr().unwrap(), self.0.local_addr().unwrap());
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let ends = format!(":{:04X}", server.port());
        let remote = format!(":{:04X}", client.port());
        let line = table.lines().find(|line| {
            let mut fields = line.split_whitespace().skip(1);
            fields.next().is_some_and(|f| f.ends_with(&ends))
                && fields.next().is_some_and(|f| f.ends_with(&remote))
        });
        line.unwrap().split_whitespace().nth(9).unwrap().to_owned()
    }

    /// Reads what is left until the server's end is gone.
    fn was_reset(mut self) -> bool {
        self.0.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut rest = [0; 4096];
        loop {
            match self.0.read(&mut rest) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(error) => return error.kind() == ErrorKind::ConnectionReset,
            }
        }
    }
}

fn holds(inode: &str) -> bool {
    let link = format!("socket:[{inode}]");
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    descriptors
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .any(|target| target.to_string_lossy() == link)
}

async fn emit(app: &TestApp, company: CompanyId, data: &serde_json::Value) {
    let scope = CompanyScope::of_job(&JobScope::of_test(), company);
    let mut tx = app.database.db.company_tx(&scope).await.unwrap();
    let channel = Channel::Company(company);
    tx.emit(NewEvent::new(channel, EventName::CompanyUpdated, "k", data).unwrap());
    tx.commit().await.unwrap();
}

/// A server with a company, and a reader who always answers: what it reads waits in `healthy`.
struct Scene {
    app: TestApp,
    ana: Person,
    company: CompanyId,
    healthy: UnboundedReceiver<Vec<i64>>,
    seq: i64,
}

impl Scene {
    async fn open() -> Self {
        let app = spawn_app_timed(SHORT).await;
        let ana = app.person("ana@example.com").await;
        let company = app.company(&ana, "Alfa").await;
        let wanted = [json!({"channel": format!("company/{company}")})];
        let mut healthy = app.live(&ana, &wanted).await;
        let seq = healthy.until("live").await.pop().unwrap()["seq"].as_i64().unwrap();
        let (tell, healthy_seqs) = unbounded_channel();
        actix_web::rt::spawn(async move {
            while tell.send(seqs(&healthy.until("event").await)).is_ok() {}
        });
        Self { app, ana, company, healthy: healthy_seqs, seq }
    }

    /// Commits one event, which the healthy reader must get.
    async fn emit(&mut self) {
        emit(&self.app, self.company, &json!({"padding": "x".repeat(4_000)})).await;
        self.seq += 1;
        assert_eq!(self.healthy.recv().await, Some(vec![self.seq]), "the other reader goes on");
    }

    /// Commits until the descriptor of a reader that reads nothing is free: how long that took, and whether the
    /// connection was reset. `acknowledges`: it claims to have read what it has not.
    async fn reclaim(&mut self, acknowledges: bool) -> (Duration, bool) {
        let stalled = Stalled::connect(&self.app, &self.ana, self.company).await;
        let inode = stalled.inode_of_the_server_end();
        assert!(holds(&inode), "the server has it open");
        let (began, mut sent) = (Instant::now(), 0);
        while holds(&inode) {
            let took = began.elapsed();
            assert!(took < SHORT.longest_stall() * TIMEOUT_FACTOR, "still there after {took:?}");
            self.emit().await;
            sent += 1;
            if acknowledges && sent > 2 {
                let ack = json!({"type": "ack", "frames": sent - 2});
                // It cannot know the number of a ping that it does not read.
                let mut claims: Vec<_> = (1..9).map(|n| json!({"type": "pong", "n": n})).collect();
                claims.push(ack);
                stalled.try_send(&json!(claims).to_string()).ok();
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        let took = began.elapsed();
        let reset = tokio::task::spawn_blocking(move || stalled.was_reset()).await.unwrap();
        self.emit().await;
        (took, reset)
    }
}

#[actix_web::test]
async fn a_reader_that_stops_reading_is_reclaimed_while_the_others_go_on() {
    let (took, _) = Scene::open().await.reclaim(false).await;
    assert!(took >= SHORT.progress, "{took:?}");
}

/// The claims keep the window open until the context freezes. On a busy machine events share frames, so a claim may
/// be one of more frames than were sent: that offence ends the connection properly, and another one is tried.
#[actix_web::test]
async fn a_frozen_context_is_reset_from_outside() {
    let mut scene = Scene::open().await;
    for _ in 0..TRIES {
        let (took, reset) = scene.reclaim(true).await;
        if reset {
            assert!(took >= SHORT.pong, "{took:?}");
            return;
        }
    }
    panic!("no context froze in {TRIES} tries");
}
