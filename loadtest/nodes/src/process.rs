//! A child with its log in a file; signalled by its id, and killed when it is dropped.

use std::fs::File;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bipe_swarm::Outcome;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

/// Until a server answers: a debug build beside four busy loops needs long.
pub const START: Duration = Duration::from_secs(90);
/// Between two looks at something that will happen.
const LOOK: Duration = Duration::from_millis(20);
/// The lines of a log that an error shows.
const TAIL: usize = 12;

pub struct Process {
    child: Child,
    pid: Pid,
    name: String,
    pub log: PathBuf,
}

impl Process {
    /// Starts it; what it prints goes to the end of `folder/name.log`.
    pub fn start(mut command: Command, name: &str, folder: &Path) -> Outcome<Self> {
        let log = folder.join(format!("{name}.log"));
        let output = File::options().create(true).append(true).open(&log)?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        // A `.env` of the checkout may name what must not be used.
        command.current_dir(folder).kill_on_drop(true);
        let child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
        let raw = i32::try_from(child.id().ok_or("it has ended")?)?;
        let pid = Pid::from_raw(raw).ok_or("no process")?;
        Ok(Self { child, pid, name: name.to_owned(), log })
    }

    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Signals a process that runs; one that ended was reaped, and its id may be another's.
    pub fn signal(&mut self, signal: Signal) -> Outcome<()> {
        if !self.is_running() {
            return Err(format!("{} has ended\n{}", self.name, self.tail()).into());
        }
        Ok(kill_process(self.pid, signal)?)
    }

    /// As an operator stops it.
    pub async fn stop(&mut self, within: Duration) -> Outcome<ExitStatus> {
        self.signal(Signal::TERM)?;
        self.ended(within).await
    }

    pub async fn ended(&mut self, within: Duration) -> Outcome<ExitStatus> {
        let ended = timeout(within, self.child.wait()).await;
        let status = ended.map_err(|_late| format!("{} does not end", self.name))?;
        Ok(status?)
    }

    /// Without a chance to put anything in order.
    pub async fn kill(&mut self) -> Outcome<()> {
        Ok(self.child.kill().await?)
    }

    /// The end of its log.
    pub fn tail(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines.get(lines.len().saturating_sub(TAIL)..).unwrap_or_default().join("\n")
    }

    /// Until `is_so` answers true; an error when the process ends before.
    pub async fn until(&mut self, within: Duration, is_so: impl AsyncFn() -> bool) -> Outcome<()> {
        let late = Instant::now() + within;
        while !is_so().await {
            if !self.is_running() {
                return Err(format!("{} ended\n{}", self.name, self.tail()).into());
            }
            if Instant::now() > late {
                return Err(format!("{} is late\n{}", self.name, self.tail()).into());
            }
            sleep(LOOK).await;
        }
        Ok(())
    }
}

/// An address where nobody listens now.
pub fn free_address(host: impl Into<IpAddr>) -> Outcome<SocketAddr> {
    Ok(TcpListener::bind((host.into(), 0))?.local_addr()?)
}

/// Until `is_so` answers true.
pub async fn until(what: &str, within: Duration, is_so: impl AsyncFn() -> bool) -> Outcome<()> {
    let late = Instant::now() + within;
    while !is_so().await {
        if Instant::now() > late {
            return Err(format!("{what}: not within {} s", within.as_secs()).into());
        }
        sleep(LOOK).await;
    }
    Ok(())
}
