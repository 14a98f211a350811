//! A client of rt.v1 for the tests of live: a real WebSocket that counts, answers pings and, if asked, acknowledges.

use std::time::Duration;

use bipe_core::id::CompanyId;
use bipe_testkit::Person;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::app::TestApp;

/// Nothing is measured by it: a busy machine may take long.
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Client {
    pub socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    received: Vec<Value>,
    /// Data envelopes so far.
    pub count: u64,
    pub acknowledges: bool,
    pub answers_pings: bool,
}

impl TestApp {
    pub async fn ticket(&self, person: &Person) -> String {
        self.app.auth.live_ticket(self.session(person).await).await.unwrap()
    }

    /// A socket that has not said hello.
    pub async fn connect(&self) -> Client {
        Client::connect(&self.address.to_string()).await
    }

    /// A socket of the person that reads these channels; each is live.
    pub async fn live(&self, person: &Person, channels: &[Value]) -> Client {
        let mut client = self.connect().await;
        let ticket = self.ticket(person).await;
        client
            .send(json!({"type": "hello", "id": 1, "ticket": ticket, "subscriptions": channels}))
            .await;
        client.until("welcome").await;
        client
    }

    /// A commit on the company's channel through the real command.
    pub async fn rename(&self, person: &Person, company: CompanyId, name: &str) {
        let path = format!("/api/companies/{company}");
        let answer = self.put_as(person, &path, &json!({"companyName": name})).await;
        answer.data(200);
    }
}

impl Client {
    /// A socket at a server's host and port.
    pub async fn connect(address: &str) -> Self {
        let mut request = format!("ws://{address}/api/live").into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", "rt.v1".parse().unwrap());
        let (socket, answer) = connect_async(request).await.unwrap();
        assert_eq!(answer.headers()["sec-websocket-protocol"], "rt.v1");
        Self { socket, received: Vec::new(), count: 0, acknowledges: true, answers_pings: true }
    }

    pub async fn send(&mut self, frame: Value) {
        self.socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// The next envelopes until one of the type.
    pub async fn until(&mut self, kind: &str) -> Vec<Value> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(at) = self.received.iter().position(|envelope| envelope["type"] == kind) {
                return self.received.drain(..=at).collect();
            }
            assert!(Instant::now() < deadline, "no {kind} among {:?}", self.received);
            match self.next().await {
                Message::Text(text) => self.take(&text).await,
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?} instead of {kind}, after {:?}", self.received),
            }
        }
    }

    /// The next event of that name, whatever comes before it.
    pub async fn event(&mut self, name: &str) -> Value {
        loop {
            let event = self.until("event").await.pop().unwrap();
            if event["name"] == name {
                return event;
            }
        }
    }

    async fn take(&mut self, text: &str) {
        let frame: Value = serde_json::from_str(text).unwrap();
        let envelopes = frame.as_array().cloned().unwrap_or_else(|| vec![frame]);
        let data = |e: &&Value| {
            matches!(e["type"].as_str(), Some("snapshot" | "event" | "reset" | "live"))
        };
        let answers = self.answers_pings;
        for ping in envelopes.iter().filter(|envelope| answers && envelope["type"] == "ping") {
            self.send(json!({"type": "pong", "n": ping["n"]})).await;
        }
        let newly = envelopes.iter().filter(data).count();
        self.count += u64::try_from(newly).unwrap();
        self.received.extend(envelopes);
        if newly > 0 && self.acknowledges {
            let count = self.count;
            self.send(json!({"type": "ack", "frames": count})).await;
        }
    }

    /// The close code with which the server ends the socket.
    pub async fn closed(&mut self) -> u16 {
        loop {
            match self.next().await {
                Message::Close(Some(frame)) => return frame.code.into(),
                Message::Close(None) => panic!("closed without a code"),
                _ => {}
            }
        }
    }

    pub async fn next(&mut self) -> Message {
        let next = tokio::time::timeout(TIMEOUT, self.socket.next()).await;
        let next = next.unwrap_or_else(|_| panic!("silence after {:?}", self.received));
        next.expect("an end without a close frame").expect("an end without a close frame")
    }
}
