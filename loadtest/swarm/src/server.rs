//! The server under test: a process of its own with a data directory. Both are gone afterwards, however it went.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::Outcome;
use crate::machine::{self, Cores};

/// The servers that this process has started.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// How often one that is dropped is looked at, and for how long in all: half a minute.
const LOOK: Duration = Duration::from_millis(50);
const MOST_LOOKS: u32 = 600;

pub struct Server {
    pub url: String,
    child: Child,
    data: PathBuf,
}

/// A build, by its path from anywhere.
pub fn built(path: &Path) -> Outcome<PathBuf> {
    let made = "`make build` makes target/release/bipe, `make server` target/debug/bipe";
    Ok(path.canonicalize().map_err(|error| format!("{}: {error}; {made}", path.display()))?)
}

/// The program without the environment, and outside of the checkout for want of a `.env`: either may name a database
/// that must not be filled.
pub fn program(bipe: &Path) -> Outcome<Command> {
    let mut command = Command::new(built(bipe)?);
    let elsewhere = std::env::temp_dir();
    command.env_clear().env("PATH", "/usr/bin:/bin").env("TMPDIR", &elsewhere);
    command.env("RUST_LOG", "warn").current_dir(elsewhere);
    Ok(command)
}

impl Server {
    /// Ready when it says where it listens.
    pub async fn start(bipe: &Path) -> Outcome<Self> {
        Self::begin(program(bipe)?).await
    }

    /// On a database that is there.
    pub async fn start_on(bipe: &Path, database_url: &str) -> Outcome<Self> {
        let mut command = program(bipe)?;
        command.env("DATABASE_URL", database_url);
        Self::begin(command).await
    }

    /// With its traces sent to a collector.
    pub async fn start_traced(bipe: &Path, collector: &str) -> Outcome<Self> {
        let mut command = program(bipe)?;
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
        Self::begin(command).await
    }

    async fn begin(mut command: Command) -> Outcome<Self> {
        let n = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("bipe-swarm-{}-{n}", std::process::id());
        let data = std::env::temp_dir().join(name);
        command
            .args(["serve", "--bind", "127.0.0.1:0", "--rate-limits", "relaxed", "--data-dir"])
            .arg(&data)
            .stdout(Stdio::piped());
        let mut server = Self { url: String::new(), child: command.spawn()?, data };
        let stdout = server.child.stdout.take().ok_or("no output")?;
        let mut lines = BufReader::new(stdout).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some(at) = line.find("http://") {
                server.url = line.get(at..).unwrap_or_default().trim().to_owned();
                if line.starts_with("listening on") {
                    // Whatever it prints later must not fill the pipe.
                    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
                    return Ok(server);
                }
            }
        }
        Err("the server ended before it listened".into())
    }

    /// On a core of its own; its PostgreSQL runs beside the generator.
    pub async fn start_pinned(bipe: &Path, cores: Cores) -> Outcome<Self> {
        machine::pin(None, &[cores.server])?;
        let started = Self::start(bipe).await;
        machine::pin(None, &[cores.generator])?;
        let server = started?;
        machine::pin_family(server.pid()?, &[cores.server])?;
        machine::pin_family(server.postmaster()?, &[cores.generator])?;
        Ok(server)
    }

    /// The server, its PostgreSQL and the generator go where they like.
    pub fn unpin(&self, cores: Cores) -> Outcome<()> {
        let both = [cores.server, cores.generator];
        for process in [self.pid()?, self.postmaster()?, std::process::id()] {
            machine::pin_family(process, &both)?;
        }
        Ok(())
    }

    /// The generator shares the server's core; its PostgreSQL has the other one.
    pub fn leave_postgres_alone(&self, cores: Cores) -> Outcome<()> {
        machine::pin_family(std::process::id(), &[cores.server])?;
        machine::pin_family(self.postmaster()?, &[cores.generator])
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    fn postmaster(&self) -> Outcome<u32> {
        let lock = std::fs::read_to_string(self.postgres()?.join("data/postmaster.pid"))?;
        Ok(lock.lines().next().ok_or("no PostgreSQL")?.trim().parse()?)
    }

    pub fn pid(&self) -> Outcome<u32> {
        Ok(self.child.id().ok_or("the server has ended")?)
    }

    pub fn address(&self) -> Outcome<std::net::SocketAddr> {
        Ok(self.url.trim_start_matches("http://").parse()?)
    }

    /// Where its PostgreSQL lives: in its data directory, or at the place that `postgres.path` in there names.
    pub fn postgres(&self) -> Outcome<PathBuf> {
        match std::fs::read_to_string(self.data.join("postgres.path")) {
            Ok(elsewhere) => Ok(elsewhere.trim().into()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(self.data.join("postgres")),
            Err(error) => Err(error.into()),
        }
    }

    /// Fills its database by `bipe seed` with these flags.
    pub async fn seed(&self, bipe: &Path, flags: &[(&str, u32)]) -> Outcome<()> {
        let mut seed = program(bipe)?;
        seed.args(["seed", "--data-dir"]).arg(&self.data);
        for (flag, value) in flags {
            seed.arg(flag).arg(value.to_string());
        }
        let status = seed.stdout(Stdio::null()).status().await?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`bipe seed` ended with {status}").into())
        }
    }

    /// Kilobytes resident.
    pub fn memory(&self) -> Outcome<u64> {
        let pid = self.pid()?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
        Ok(line.split_whitespace().nth(1).ok_or("no VmRSS")?.parse()?)
    }

    /// Stops the process without ending it; its PostgreSQL goes on.
    pub fn freeze(&self) -> Outcome<Frozen> {
        let frozen = Frozen(self.pid()?);
        signal("-STOP", frozen.0)?;
        Ok(frozen)
    }

    /// As an operator would: SIGTERM, then its own clean end.
    pub async fn stop(mut self) -> Outcome<()> {
        if let Some(pid) = self.child.id() {
            signal("-TERM", pid)?;
        }
        let status = self.child.wait().await?;
        std::fs::remove_dir_all(&self.data)?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the server ended with {status}").into())
        }
    }
}

/// One that nobody has stopped, after an error or a signal: it ends as cleanly, with its PostgreSQL.
impl Drop for Server {
    #[expect(clippy::disallowed_methods, reason = "nothing can be awaited while it is dropped")]
    fn drop(&mut self) {
        let Some(pid) = self.child.id() else { return };
        signal("-TERM", pid).ok();
        for _ in 0..MOST_LOOKS {
            if !matches!(self.child.try_wait(), Ok(None)) {
                std::fs::remove_dir_all(&self.data).ok();
                return;
            }
            std::thread::sleep(LOOK);
        }
        eprintln!("the server does not end: process {pid}, data in {}", self.data.display());
    }
}

/// A server that stands still. It goes on when this is dropped, also after an error.
pub struct Frozen(u32);

impl Drop for Frozen {
    fn drop(&mut self) {
        let _ = signal("-CONT", self.0);
    }
}

fn signal(name: &str, pid: u32) -> Outcome<()> {
    let status = std::process::Command::new("kill").args([name, &pid.to_string()]).status()?;
    if status.success() { Ok(()) } else { Err(format!("kill {name} {pid}: {status}").into()) }
}
