//! A server of somebody else on this machine: it answers every call alike and remembers what was asked.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::must;

#[derive(Default)]
struct Heard {
    /// First line and body of each call.
    calls: Mutex<Vec<(String, Vec<u8>)>>,
    next_call: Notify,
}

/// Stops when it is dropped.
pub struct HttpPeer {
    pub address: SocketAddr,
    heard: Arc<Heard>,
    task: JoinHandle<()>,
}

impl HttpPeer {
    /// Answers with these bytes, headers and all; with none it says nothing and hangs up never.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer: Vec<u8> = answer.into();
        let answer: Arc<[u8]> = answer.into();
        let listener = must("a port", TcpListener::bind("127.0.0.1:0").await);
        let address = must("its address", listener.local_addr());
        let heard = Arc::<Heard>::default();
        let hearing = heard.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(exchange(stream, answer.clone(), hearing.clone()));
            }
        });
        Self { address, heard, task }
    }

    /// Answers 200 with a JSON body.
    pub async fn with_json(json: &str) -> Self {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
        Self::answering(format!("{head}\r\nContent-Length: {}\r\n\r\n{json}", json.len())).await
    }

    /// The first line of each call.
    pub fn request_lines(&self) -> Vec<String> {
        self.heard.calls.lock().iter().map(|(line, _)| line.clone()).collect()
    }

    /// The bodies of the calls so far.
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        self.heard.calls.lock().iter().map(|(_, body)| body.clone()).collect()
    }

    /// Resolves with the next call, or at once after one that nobody has waited for.
    pub async fn next_call(&self) {
        self.heard.next_call.notified().await;
    }
}

impl Drop for HttpPeer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn exchange(mut stream: TcpStream, answer: Arc<[u8]>, heard: Arc<Heard>) {
    let mut call = Vec::new();
    let (line, body) = loop {
        match stream.read_buf(&mut call).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if let Some(whole) = read(&call) {
            break whole;
        }
    };
    heard.calls.lock().push((line, body));
    heard.next_call.notify_one();
    if answer.is_empty() {
        std::future::pending::<()>().await;
    }
    // Whoever has read enough hangs up.
    let _gone = stream.write_all(&answer).await;
}

/// First line and body of a whole call.
fn read(call: &[u8]) -> Option<(String, Vec<u8>)> {
    let end = call.windows(4).position(|end| end == b"\r\n\r\n")?;
    let (head, body) = call.split_at_checked(end + 4)?;
    let head = String::from_utf8_lossy(head);
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let is_whole = body.len() >= length.unwrap_or(0);
    is_whole.then(|| (head.lines().next().unwrap_or_default().to_owned(), body.to_vec()))
}
