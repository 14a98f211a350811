//! A server of somebody else on this machine: it answers every call alike and remembers what was asked.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::must;

/// Stops when it is dropped.
pub struct HttpPeer {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
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
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = asked.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(exchange(stream, answer.clone(), heard.clone()));
            }
        });
        Self { address, asked, task }
    }

    /// The same with a JSON body.
    pub async fn saying(json: &str) -> Self {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
        Self::answering(format!("{head}\r\nContent-Length: {}\r\n\r\n{json}", json.len())).await
    }

    /// The first line of each call.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

impl Drop for HttpPeer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn exchange(mut stream: TcpStream, answer: Arc<[u8]>, heard: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read_buf(&mut head).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
    let line = String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned();
    heard.lock().push(line);
    if answer.is_empty() {
        std::future::pending::<()>().await;
    }
    // Whoever has read enough hangs up.
    let _gone = stream.write_all(&answer).await;
}
