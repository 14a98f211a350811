//! `bipe-swarm traces`: payments a second with traces and without, in turns, each on a server and a database of its
//! own. The collector is a sink in this process.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::turns::Turns;
use crate::Outcome;
use crate::page::Lines;
use crate::server::Server;

const SHARE: f64 = 0.95;

pub async fn run(turns: &Turns, bipe: &Path) -> Outcome<Lines> {
    let collector = Collector::start().await?;
    let (mut without, mut with) = (0.0_f64, 0.0_f64);
    for _ in turns.rounds() {
        without = without.max(turns.rate(Server::start(bipe).await?).await?);
        let traced = Server::start_traced(bipe, &collector.url).await?;
        with = with.max(turns.rate(traced).await?);
    }
    let bytes = collector.bytes.load(Ordering::Relaxed);
    if bytes == 0 {
        return Err("no span reached the collector".into());
    }
    let share = with / without;
    let mut lines = Lines::new("`make bench-traces`");
    lines.say(format!("payments without traces {without:.1}/s, {} at once", turns.at_once));
    lines.say(format!("payments with traces    {with:.1}/s, all recorded"));
    lines.say(format!("share                   {share:.3} (goal {SHARE})"));
    lines.goal(share >= SHARE, "traces cost more than 5 % of the payments a second".into());
    Ok(lines)
}

/// Takes every document and keeps none.
struct Collector {
    url: String,
    bytes: Arc<AtomicUsize>,
}

impl Collector {
    async fn start() -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let bytes = Arc::<AtomicUsize>::default();
        let taken = bytes.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(take_all(stream, taken.clone()));
            }
        });
        Ok(Self { url, bytes })
    }
}

async fn take_all(mut stream: TcpStream, taken: Arc<AtomicUsize>) {
    let mut waiting = Vec::new();
    while let Ok(1..) = stream.read_buf(&mut waiting).await {
        while let Some(length) = length(&waiting) {
            waiting.drain(..length);
            taken.fetch_add(length, Ordering::Relaxed);
            let answer = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
            if answer.is_err() {
                return;
            }
        }
    }
}

/// Of the first request with its body; none while it has not arrived as a whole.
pub fn length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(bytes.get(..head)?).to_ascii_lowercase();
    let body = text.lines().find_map(|line| line.strip_prefix("content-length:"))?;
    let whole = head + body.trim().parse::<usize>().ok()?;
    (bytes.len() >= whole).then_some(whole)
}
