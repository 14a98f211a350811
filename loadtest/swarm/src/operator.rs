//! `bipe-swarm operator`: what an operator waits for. How long a node takes from its start until it is ready on a database
//! that is there, `/metrics` takes beside many sockets, and a backup of years of thousands of companies takes with its
//! proof. And how large the binary is, which is nearly all of the image.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Outcome;
use crate::account;
use crate::admin::{self, History};
use crate::crowd::{self, Reads};
use crate::herd::speech::Speech;
use crate::herd::{Herd, Place};
use crate::page::Lines;
use crate::payments::database::Database;
use crate::server::{self, Server};

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    #[command(flatten)]
    history: History,
    /// Sockets beside which `/metrics` is asked
    #[arg(long, default_value_t = 10_000)]
    sockets: u32,
    /// Starts of a node, and requests of `/metrics`
    #[arg(long, default_value_t = 20)]
    timed: usize,
}

/// People who share the sockets.
const PEOPLE: usize = 200;
const READY: Duration = Duration::from_secs(1);
/// How often a starting node is asked.
const LOOK: Duration = Duration::from_millis(5);
const METRICS: Duration = Duration::from_millis(20);
const BACKUP_AND_PROOF: Duration = Duration::from_secs(180);
const BINARY_BYTES: u64 = 80_000_000;

impl Settings {
    /// Files that the sockets need open.
    pub fn descriptors(&self) -> u64 {
        self.sockets.into()
    }
}

pub async fn run(settings: &Settings, server: &Server, bipe: &Path) -> Outcome<Lines> {
    let mut lines = Lines::new("`make bench-operator`");
    lines.say(admin::fill(&settings.history, server, bipe).await?);
    let bytes = std::fs::metadata(bipe)?.len();
    lines.say(format!("binary                     {:.1} MB (goal 80 MB)", megabytes(bytes)?));
    lines.goal(bytes <= BINARY_BYTES, "the binary is larger than 80 MB".into());
    let database = Database::of(server).await?.url();
    let times = starts(bipe, &database, settings.timed).await?;
    admin::report(&mut lines, "start until ready", &times, (950, READY));
    let times = metrics(server, settings).await?;
    admin::report(&mut lines, "/metrics", &times, (950, METRICS));
    backup(&mut lines, server, bipe).await?;
    Ok(lines)
}

/// A node after the other, on the database of the first one.
async fn starts(bipe: &Path, database: &str, count: usize) -> Outcome<Vec<Duration>> {
    let mut times = Vec::new();
    for _ in 0..count {
        let begun = Instant::now();
        let node = Server::start_on(bipe, database).await?;
        let ready = format!("{}/health/ready", node.url);
        while !reqwest::get(&ready).await?.status().is_success() {
            sleep(LOOK).await;
        }
        times.push(begun.elapsed());
        node.stop().await?;
    }
    times.sort_unstable();
    Ok(times)
}

/// One request after the other, beside sockets that are told nothing.
async fn metrics(server: &Server, settings: &Settings) -> Outcome<Vec<Duration>> {
    let accounts = account::open(&server.url, PEOPLE).await?;
    let herd = Herd::start(Place {
        address: server.address()?,
        path: "/api/live",
        speech: Speech::Bipe,
        log: None,
        comes_back: false,
    })?;
    let sockets = usize::try_from(settings.sockets)?;
    crowd::enter(&herd, crowd::of(&accounts, sockets, Reads::Everything).await?).await?;
    let client = reqwest::Client::new();
    let mut times = Vec::new();
    for n in 0..=settings.timed {
        let begun = Instant::now();
        let answer = client.get(format!("{}/metrics", server.url)).send().await?;
        let text = answer.error_for_status()?.text().await?;
        // The first one opens the connection.
        if n > 0 {
            times.push(begun.elapsed());
        }
        let open = text.lines().find_map(|line| line.strip_prefix("bipe_live_sockets "));
        if open.and_then(|count| count.parse::<u32>().ok()) != Some(settings.sockets) {
            return Err(format!("{open:?} sockets are open").into());
        }
    }
    herd.stop().await?;
    times.sort_unstable();
    Ok(times)
}

async fn backup(lines: &mut Lines, server: &Server, bipe: &Path) -> Outcome<()> {
    let file = server.data().join("bench.tar");
    let file = file.to_str().ok_or("the folder of the data is no text")?;
    let taken = command(bipe, server, &["backup", "--to", file]).await?;
    let bytes = std::fs::metadata(file)?.len();
    let proved = command(bipe, server, &["backup", "verify", "--from", file]).await?;
    let (took, size) = (taken + proved, megabytes(bytes)?);
    let goal = BACKUP_AND_PROOF.as_secs();
    let [taken, proved] = [taken, proved].map(|time| time.as_secs_f64());
    lines.say(format!(
        "backup of {size:.0} MB           taken in {taken:.1} s, proved in {proved:.1} s (goal {goal} s for both)"
    ));
    lines.goal(took <= BACKUP_AND_PROOF, format!("backup and proof take longer than {goal} s"));
    Ok(())
}

/// Runs `bipe` with the server's settings; answers how long it took.
async fn command(bipe: &Path, server: &Server, words: &[&str]) -> Outcome<Duration> {
    let begun = Instant::now();
    let mut command = server::program(bipe)?;
    command.args(words).arg("--data-dir").arg(server.data());
    let status = command.stdout(Stdio::null()).status().await?;
    if status.success() {
        Ok(begun.elapsed())
    } else {
        Err(format!("`bipe {}` ended with {status}", words.join(" ")).into())
    }
}

fn megabytes(bytes: u64) -> Outcome<f64> {
    Ok(f64::from(u32::try_from(bytes / 1_000)?) / 1_000.0)
}
