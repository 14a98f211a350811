//! One request again and again on a few connections that stay open, with next to no work in between.

use std::net::SocketAddr;
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::Outcome;

/// A request as it is sent.
pub fn get_request(address: SocketAddr, path: &str, token: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n")
}

/// Microseconds of every answer within the time, sorted.
pub async fn load(
    address: SocketAddr,
    request: &str,
    connections: usize,
    time: Duration,
) -> Outcome<Vec<u32>> {
    let until = Instant::now() + time;
    let asking = (0..connections).map(|_| {
        let request = request.to_owned();
        tokio::spawn(async move {
            let (mut wire, mut times) = (Wire::open(address).await?, Vec::new());
            while Instant::now() < until {
                let begun = Instant::now();
                wire.ask(request.as_bytes()).await?;
                times.push(u32::try_from(begun.elapsed().as_micros())?);
            }
            Outcome::Ok(times)
        })
    });
    let mut times = Vec::new();
    for asked in asking.collect::<Vec<_>>() {
        times.append(&mut asked.await??);
    }
    times.sort_unstable();
    Ok(times)
}

struct Wire {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Wire {
    async fn open(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, answer: Vec::new() })
    }

    /// The whole answer; anything else than 200 ends the run.
    async fn ask(&mut self, request: &[u8]) -> Outcome<()> {
        self.stream.write_all(request).await?;
        self.answer.clear();
        loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err("the server hung up".into());
            }
            let Some(end) = memmem::find(&self.answer, b"\r\n\r\n") else { continue };
            if !self.answer.starts_with(b"HTTP/1.1 200") {
                return Err(String::from_utf8_lossy(&self.answer).into_owned().into());
            }
            let head = self.answer.get(..end).unwrap_or_default().to_ascii_lowercase();
            let name = b"content-length:";
            let at = memmem::find(&head, name).ok_or("an answer without a length")?;
            let value = head.get(at + name.len()..).unwrap_or_default();
            let value =
                String::from_utf8_lossy(value.split(|b| *b == b'\r').next().unwrap_or_default());
            if self.answer.len() >= end + 4 + value.trim().parse::<usize>()? {
                return Ok(());
            }
        }
    }
}
