//! Broken frames by the thousand, each on a socket of its own, beside sockets that read properly: whether each gets the
//! close code that it deserves, the others miss nothing, and the server's memory stays where it was
//! (docs/security.md, "What was attacked").

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bipe_simulator::chance::Chance;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::broken_frame::Case;
use super::judged;
use crate::Outcome;
use crate::account::Account;
use crate::report::Times;
use crate::server::Server;
use crate::socket;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Frames, each on a socket of its own
    #[arg(long, env = "BIPE_FRAMES", default_value_t = 20_000)]
    pub frames: u64,
    /// Decides which frames; the same number repeats a run
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// Sockets that read properly meanwhile
    #[arg(long, default_value_t = 20)]
    pub others: usize,
}

const AT_ONCE: usize = 32;
/// These come first and are not measured: allocators and pools fill up.
const WARM_UP: u64 = 2_000;
/// Commits a second that the others must see.
const COMMITS: u64 = 5;
/// What may remain of all frames, in kilobytes.
const GROWTH: u64 = 16 * 1024;
const TIMEOUT: Duration = Duration::from_secs(20);
/// At most so many failures are told.
const TOLD: usize = 20;

pub async fn measure(settings: &Settings, server: &Server, account: &Account) -> Outcome<Value> {
    let (times, address) = (Arc::new(Times::default()), server.address()?);
    for _ in 0..settings.others {
        let ticket = account.ticket().await?;
        socket::open(&server.url, &ticket, &account.company, times.clone()).await?;
    }
    let commits = tokio::spawn(commit(account.clone(), times.clone()));
    let mut broken = send(address, settings.seed, 0..WARM_UP).await;
    let before = server.memory()?;
    let began = tokio::time::Instant::now();
    broken.extend(send(address, settings.seed, WARM_UP..WARM_UP + settings.frames).await);
    let seconds = began.elapsed().as_secs_f64();
    let after = server.memory()?;
    commits.abort();
    commits.await.ok();
    // The last commit is on its way.
    let tally = settle(&times, settings.others).await;
    let failures = broken.len();
    broken.truncate(TOLD);
    if after > before + GROWTH {
        broken.push(format!("memory grew from {before} to {after} kB"));
    }
    if tally.gaps > 0 || tally.failed > 0 || tally.frames < tally.counted * settings.others {
        broken.push(format!("the others: {tally:?}"));
    }
    let found = json!({
        "frames": settings.frames, "seed": settings.seed, "wrong": failures, "seconds": seconds,
        "memory_kb": {"before": before, "after": after},
        "others": {"sockets": settings.others, "commits": tally.counted, "events": tally.frames, "gaps": tally.gaps},
    });
    println!("figures: frames={} wrong={failures}", settings.frames);
    judged(found, &broken)
}

async fn commit(account: Account, times: Arc<Times>) {
    let mut tick =
        tokio::time::interval(Duration::from_secs(1) / u32::try_from(COMMITS).unwrap_or(1));
    // The company is called by 0 already: that would be no change.
    for n in 1.. {
        let at = tick.tick().await;
        times.schedule(n, at);
        // Not cut short by the end of the run: what is counted is committed.
        let (account, times) = (account.clone(), times.clone());
        tokio::spawn(async move {
            let name = json!({"companyName": format!("Empresa {n}")});
            let is_good = account.rename(n, &name).await.is_ok();
            times.answered(at, true, is_good);
        });
    }
}

async fn settle(times: &Times, others: usize) -> crate::report::Tally {
    let until = tokio::time::Instant::now() + TIMEOUT;
    loop {
        let tally = times.tally();
        if tally.frames >= tally.counted * others || tokio::time::Instant::now() >= until {
            return tally;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// One sentence for each case that did not end as it should.
async fn send(address: SocketAddr, seed: u64, cases: std::ops::Range<u64>) -> Vec<String> {
    let tries = futures_util::stream::iter(cases).map(|n| async move {
        let case = Case::of(&mut Chance::of(seed << 32 ^ n));
        let outcome = tokio::time::timeout(TIMEOUT, play(address, n, &case)).await;
        let seen = match outcome {
            Ok(Ok(code)) => code,
            Ok(Err(error)) => return Some(format!("{n}, {}: {error}", case.what)),
            Err(_late) => return Some(format!("{n}, {}: no end", case.what)),
        };
        let is_right = case.codes.contains(&seen);
        (!is_right).then(|| format!("{n}, {}: {seen} instead of {:?}", case.what, case.codes))
    });
    tries.buffer_unordered(AT_ONCE).filter_map(|failure| async { failure }).collect().await
}

/// The code with which the server closes, after everything of the case was sent.
async fn play(address: SocketAddr, n: u64, case: &Case) -> Outcome<u16> {
    let mut stream = connect(address, n).await?;
    let hello = format!(
        "GET /api/live HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: rt.v1\r\n\r\n"
    );
    stream.write_all(hello.as_bytes()).await?;
    let (mut reading, mut writing) = stream.split();
    let step = if case.in_slices { 1 } else { case.bytes.len().max(1) };
    let write = async {
        for slice in case.bytes.chunks(step) {
            // The verdict may come before the end of it.
            if writing.write_all(slice).await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await;
    };
    let read = async {
        let mut seen = Vec::new();
        loop {
            if let Some(code) = close_code(&seen)? {
                return Ok(code);
            }
            if reading.read_buf(&mut seen).await? == 0 {
                return Err(format!(
                    "an end without a close frame: {:?}",
                    String::from_utf8_lossy(&seen)
                )
                .into());
            }
        }
    };
    tokio::select! {
        code = read => code,
        () = write => Err("the writer never ends".into()),
    }
}

/// Several addresses, so that no run uses up the ports of one.
async fn connect(address: SocketAddr, n: u64) -> Outcome<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    let last = u8::try_from(n % 200)? + 2;
    socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Of what the server sent so far: its answer, then frames without a mask, none longer than 125 bytes before a hello.
fn close_code(seen: &[u8]) -> Outcome<Option<u16>> {
    let Some(end) = memchr::memmem::find(seen, b"\r\n\r\n") else { return Ok(None) };
    if !seen.starts_with(b"HTTP/1.1 101 ") {
        return Err(String::from_utf8_lossy(seen).into_owned().into());
    }
    let mut rest = seen.get(end + 4..).unwrap_or_default();
    while let [first, length, frame @ ..] = rest {
        let Some(payload) = frame.get(..usize::from(*length)) else { return Ok(None) };
        if let (0x88, [high, low, ..]) = (*first, payload) {
            return Ok(Some(u16::from_be_bytes([*high, *low])));
        }
        rest = frame.get(usize::from(*length)..).unwrap_or_default();
    }
    Ok(None)
}
