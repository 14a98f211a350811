//! One live socket: says hello, counts and acknowledges, checks that no sequence number is missing.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::Outcome;
use crate::report::Times;

const ACKNOWLEDGE_AFTER: u64 = 16;

/// A live socket that answers pings and acknowledges what it has received.
pub struct Connection {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    received: u64,
    acknowledged: u64,
}

struct Reader {
    connection: Connection,
    times: Arc<Times>,
    held: HashMap<String, i64>,
    live: usize,
}

/// Opens a socket and asks for the channels.
pub async fn connect(url: &str, ticket: &str, channels: &[String]) -> Outcome<Connection> {
    let wanted: Vec<Value> = channels.iter().map(|channel| json!({"channel": channel})).collect();
    resume(url, ticket, &wanted).await
}

/// The same from the positions that the client holds.
pub async fn resume(url: &str, ticket: &str, wanted: &[Value]) -> Outcome<Connection> {
    let url = format!("{}/api/live", url.replacen("http", "ws", 1));
    let mut request = url.into_client_request()?;
    request.headers_mut().insert("sec-websocket-protocol", "rt.v1".parse()?);
    let (socket, _) = connect_async(request).await?;
    let mut connection = Connection { socket, received: 0, acknowledged: 0 };
    let hello = json!({"type": "hello", "id": 1, "ticket": ticket, "subscriptions": wanted});
    connection.send(&hello).await?;
    Ok(connection)
}

/// Opens a socket and reads three channels; returns when all of them are live.
pub async fn open(url: &str, ticket: &str, company: &str, times: Arc<Times>) -> Outcome<()> {
    let channels = [format!("company/{company}"), "user".into(), "plans".into()];
    let connection = connect(url, ticket, &channels).await?;
    let mut reader = Reader { connection, times, held: HashMap::new(), live: 0 };
    while reader.live < channels.len() {
        reader.step().await?;
    }
    tokio::spawn(async move { while let Ok(()) = reader.step().await {} });
    Ok(())
}

impl Connection {
    /// The next text, as `arrived` sees it before anything is parsed, and its envelopes.
    pub async fn next(&mut self, arrived: impl FnOnce(&str)) -> Outcome<Vec<Value>> {
        let message = self.socket.next().await.ok_or("the socket ended")??;
        let text = match message {
            Message::Text(text) => text,
            Message::Close(why) => return Err(format!("the server closed: {why:?}").into()),
            _ => return Ok(Vec::new()),
        };
        arrived(&text);
        let envelopes = match serde_json::from_str(&text)? {
            Value::Array(envelopes) => envelopes,
            envelope => vec![envelope],
        };
        for envelope in &envelopes {
            match envelope.get("type").and_then(Value::as_str).unwrap_or_default() {
                "snapshot" | "event" | "live" | "reset" => self.received += 1,
                "ping" => self.send(&json!({"type": "pong", "n": envelope.get("n")})).await?,
                _ => {}
            }
        }
        if self.received >= self.acknowledged + ACKNOWLEDGE_AFTER {
            self.acknowledged = self.received;
            self.send(&json!({"type": "ack", "frames": self.received})).await?;
        }
        Ok(envelopes)
    }

    pub async fn send(&mut self, frame: &Value) -> Outcome<()> {
        Ok(self.socket.send(Message::text(frame.to_string())).await?)
    }
}

impl Reader {
    async fn step(&mut self) -> Outcome<()> {
        let times = &self.times;
        let arrived = |text: &str| {
            for (at, mark) in text.match_indices("\"cause\":\"swarm-") {
                let rest = text.get(at + mark.len()..).unwrap_or_default();
                let number = rest.split('-').next().unwrap_or_default();
                number.parse().map(|n| times.arrived(n)).ok();
            }
        };
        for envelope in self.connection.next(arrived).await? {
            self.take(&envelope);
        }
        Ok(())
    }

    fn take(&mut self, envelope: &Value) {
        let seq = envelope.get("seq").and_then(Value::as_i64).unwrap_or_default();
        let channel = envelope.get("channel").and_then(Value::as_str).unwrap_or_default();
        match envelope.get("type").and_then(Value::as_str).unwrap_or_default() {
            "snapshot" => {
                self.held.insert(channel.to_owned(), seq);
            }
            "event" => match self.held.get_mut(channel) {
                Some(held) if seq == *held + 1 => *held = seq,
                _ => self.times.gap(),
            },
            "live" => self.live += 1,
            "reset" => self.times.gap(),
            _ => {}
        }
    }
}
