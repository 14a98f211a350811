//! Connections that are slow on purpose, beside people who ask at a steady rate: when the server lets go of each kind,
//! and whether the others notice (docs/security.md, "Connections").
//!
//! A slow peer sees late or never that the other end is gone, so `/proc/net/tcp` is asked for the server's end.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::{judged, number};
use crate::Outcome;
use crate::account::Account;
use crate::report::percentile_ms;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Connections of each kind
    #[arg(long, default_value_t = 100)]
    pub each: usize,
    /// Requests a second of everybody else
    #[arg(long, default_value_t = 50)]
    pub rate: u64,
    /// Seconds that are measured before anybody is slow
    #[arg(long, default_value_t = 20)]
    pub calm: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    FirstHead,
    SecondHead,
    Body,
    ChunkedBody,
    Reader,
}

/// The sweep of every second, and the wait for a core.
const SLACK: f64 = 2.0;
/// A refused body's connection is kept for a moment, so that the refusal is not lost.
const LINGER: f64 = 2.0;
/// What follows a refused body of unknown length counts as a head that drips.
const HEAD: f64 = 5.0;
const GIVE_UP: Duration = Duration::from_secs(90);
/// Larger than all buffers between the two ends.
const LARGE: &str = "/api/docs/swagger-ui-bundle.js";
/// Answers may be this many times as late as without the slow ones.
const MAX_SLOWDOWN: f64 = 2.0;

impl Kind {
    const ALL: [Self; 5] =
        [Self::FirstHead, Self::SecondHead, Self::Body, Self::ChunkedBody, Self::Reader];

    fn name(self) -> &'static str {
        match self {
            Self::FirstHead => "first head",
            Self::SecondHead => "second head",
            Self::Body => "body, 1 B/s",
            Self::ChunkedBody => "chunked body, 1 B/s",
            Self::Reader => "reader, 10 B/s",
        }
    }

    /// Seconds until the server's end must be gone.
    fn limit(self) -> f64 {
        SLACK
            + match self {
                Self::FirstHead => 5.0,
                Self::SecondHead => 25.0,
                Self::Body => 10.0 + LINGER,
                Self::ChunkedBody => 10.0 + HEAD,
                Self::Reader => 60.0,
            }
    }

    /// What is sent at once, and what then comes byte by byte.
    fn words(self) -> (String, &'static str) {
        let post = "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
        match self {
            Self::FirstHead => (String::new(), "GET /health HTTP/1.1\r\nx-slow: "),
            Self::SecondHead => (
                "GET /health HTTP/1.1\r\nhost: x\r\n\r\n".into(),
                "GET /health HTTP/1.1\r\nx-slow: ",
            ),
            Self::Body => (format!("{post}content-length: 9000\r\n\r\n"), ""),
            Self::ChunkedBody => {
                (format!("{post}transfer-encoding: chunked\r\n\r\n"), "1\r\n \r\n1\r\n \r\n")
            }
            Self::Reader => (format!("GET {LARGE} HTTP/1.1\r\nhost: x\r\n\r\n"), ""),
        }
    }
}

pub async fn measure(
    settings: &Settings,
    address: SocketAddr,
    account: &Account,
) -> Outcome<Value> {
    let calm = ask(account, settings.rate, Duration::from_secs(settings.calm)).await?;
    let slow = open(address, settings.each).await?;
    let watching = tokio::spawn(watch(address, slow.ports.clone()));
    let longest = Duration::from_secs_f64(Kind::Reader.limit());
    let beside = ask(account, settings.rate, longest).await?;
    let gone = watching.await??;
    drop(slow.peers);
    let (mut broken, mut kinds) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let mut seconds: Vec<f64> =
            gone.iter().filter(|(own, _)| *own == kind).map(|(_, seconds)| *seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let last = seconds.last().copied().unwrap_or(f64::INFINITY);
        if seconds.len() < settings.each || last > kind.limit() {
            broken.push(format!(
                "{}: {} gone, the last after {last:.1} s",
                kind.name(),
                seconds.len()
            ));
        }
        let middle = seconds.get(seconds.len() / 2);
        kinds.push(
            json!({"kind": kind.name(), "gone": seconds.len(), "p50_s": middle, "last_s": last}),
        );
    }
    let (before, during) = (percentile_ms(&calm, 990), percentile_ms(&beside, 990));
    if during > MAX_SLOWDOWN * before {
        broken.push(format!("p99 of the others {during} ms, {before} ms without slow ones"));
    }
    let found = json!({
        "connections_of_each_kind": settings.each, "kinds": kinds, "others_per_second": settings.rate,
        "p50_ms": {"calm": percentile_ms(&calm, 500), "beside": percentile_ms(&beside, 500)},
        "p99_ms": {"calm": before, "beside": during, "ratio": during / before},
        "answers": number(u64::try_from(calm.len() + beside.len())?),
    });
    judged(found, &broken)
}

/// Asks at the rate; microseconds from the scheduled instant to the answer, sorted.
async fn ask(account: &Account, rate: u64, time: Duration) -> Outcome<Vec<u32>> {
    let began = Instant::now();
    let mut asked = JoinSet::new();
    for n in 0..rate * time.as_secs() {
        let due = began + Duration::from_secs(n) / u32::try_from(rate)?;
        sleep_until(due).await;
        let account = account.clone();
        asked.spawn(async move {
            account.get(&format!("/api/companies/{}", account.company)).await?;
            Outcome::Ok(u32::try_from(due.elapsed().as_micros())?)
        });
    }
    let mut times = Vec::new();
    while let Some(answered) = asked.join_next().await {
        times.push(answered??);
    }
    times.sort_unstable();
    Ok(times)
}

struct Slow {
    /// By the port of the slow end: what it does, since when.
    ports: HashMap<u16, (Kind, Instant)>,
    /// Each goes on until it is dropped.
    peers: JoinSet<()>,
}

async fn open(address: SocketAddr, each: usize) -> Outcome<Slow> {
    let mut slow = Slow { ports: HashMap::new(), peers: JoinSet::new() };
    for kind in Kind::ALL {
        for _ in 0..each {
            let mut stream = connect(address, kind == Kind::Reader)?;
            let (first, drip) = kind.words();
            stream.write_all(first.as_bytes()).await?;
            if kind == Kind::SecondHead {
                // The whole first answer: what follows is awaited from here on.
                let mut answer = Vec::new();
                while !answer.ends_with(b"}") {
                    if stream.read_buf(&mut answer).await? == 0 {
                        return Err("the server hung up in its first answer".into());
                    }
                }
            }
            slow.ports.insert(stream.local_addr()?.port(), (kind, Instant::now()));
            let drip = drip.bytes().chain(std::iter::repeat(b' '));
            slow.peers.spawn(go_on(stream, kind, drip));
        }
    }
    Ok(slow)
}

/// A reader leaves no room for what it does not read.
fn connect(address: SocketAddr, reads_slowly: bool) -> Outcome<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    if reads_slowly {
        socket.set_recv_buffer_size(2 * 1024)?;
    }
    socket.connect(&address.into())?;
    socket.set_nonblocking(true)?;
    Ok(TcpStream::from_std(socket.into())?)
}

/// A byte a second, or ten bytes read a second, whatever the server thinks of it.
async fn go_on(mut stream: TcpStream, kind: Kind, mut drip: impl Iterator<Item = u8>) {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    loop {
        tick.tick().await;
        if kind == Kind::Reader {
            stream.try_read(&mut [0; 10]).ok();
        } else if let Some(byte) = drip.next() {
            stream.write_all(&[byte]).await.ok();
        }
    }
}

/// The seconds after which the server's end of each was gone.
async fn watch(
    address: SocketAddr,
    mut open: HashMap<u16, (Kind, Instant)>,
) -> Outcome<Vec<(Kind, f64)>> {
    let (began, mut gone) = (Instant::now(), Vec::new());
    let mut tick = tokio::time::interval(Duration::from_millis(250));
    while !open.is_empty() && began.elapsed() < GIVE_UP {
        tick.tick().await;
        let there = tokio::task::spawn_blocking(move || peers_of(address.port())).await??;
        open.retain(|port, (kind, since)| {
            let is_there = there.contains(port);
            if !is_there {
                gone.push((*kind, since.elapsed().as_secs_f64()));
            }
            is_there
        });
    }
    Ok(gone)
}

/// The far ports of the established connections at a port of this machine.
fn peers_of(port: u16) -> Outcome<HashSet<u16>> {
    const ESTABLISHED: &str = "01";
    let own = format!(":{port:04X}");
    let table = std::fs::read_to_string("/proc/net/tcp")?;
    let mut peers = HashSet::new();
    for line in table.lines().skip(1) {
        let mut fields = line.split_whitespace().skip(1);
        let (Some(here), Some(there), Some(state)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        if here.ends_with(&own) && state == ESTABLISHED {
            let port = there.rsplit(':').next().unwrap_or_default();
            peers.insert(u16::from_str_radix(port, 16)?);
        }
    }
    Ok(peers)
}
