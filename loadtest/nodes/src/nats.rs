//! NATS servers: one, or two that are routed to each other, disturbed by their process ids.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bipe_swarm::Outcome;
use rustix::process::Signal;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::process::{self, Process};
use crate::route::Route;

const START: Duration = Duration::from_secs(20);
/// Clients that leave slowly or read slowly are noticed within a test.
const CONFIGURATION: &str = "lame_duck_grace_period: \"1s\"\nwrite_deadline: \"1s\"\n\
     max_pending: 8MB\nmax_payload: 1MB\n";

/// How a server is started, each time anew.
struct Plan {
    binary: PathBuf,
    folder: PathBuf,
    name: String,
    address: SocketAddr,
    monitor: SocketAddr,
    arguments: Vec<String>,
}

/// Messages and bytes that came in.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    pub messages: f64,
    pub bytes: f64,
}

impl Traffic {
    /// A second, since an earlier look.
    pub fn since(self, before: Self, seconds: f64) -> Self {
        let Self { messages, bytes } = self;
        Self {
            messages: (messages - before.messages) / seconds,
            bytes: (bytes - before.bytes) / seconds,
        }
    }
}

pub struct Nats {
    plan: Plan,
    process: Process,
}

impl Nats {
    /// A server, with further arguments of `nats-server`.
    pub async fn start(
        binary: &Path,
        folder: &Path,
        name: &str,
        arguments: &[&str],
    ) -> Outcome<Self> {
        let file = folder.join(format!("{name}.conf"));
        std::fs::write(&file, CONFIGURATION)?;
        let file = file.display().to_string();
        let arguments = [&["-c", &file], arguments].concat().into_iter().map(str::to_owned);
        let plan = Plan {
            binary: binary.to_owned(),
            folder: folder.to_owned(),
            name: name.to_owned(),
            address: process::free_address(Ipv4Addr::LOCALHOST)?,
            monitor: process::free_address(Ipv4Addr::LOCALHOST)?,
            arguments: arguments.collect(),
        };
        let process = launch(&plan).await?;
        Ok(Self { plan, process })
    }

    /// Two servers of one cluster; all that they say to each other goes over the route.
    pub async fn start_pair(binary: &Path, folder: &Path) -> Outcome<(Vec<Self>, Route)> {
        let free = || process::free_address(Ipv4Addr::LOCALHOST);
        let [one, two] = [free()?, free()?].map(|address| format!("nats://{address}"));
        let cluster = ["--cluster_name", "bipe", "--no_advertise", "--cluster"];
        let first =
            Self::start(binary, folder, "nats-1", &[&cluster[..], &[&one]].concat()).await?;
        let route = Route::start(one.trim_start_matches("nats://").parse()?).await?;
        let over = format!("nats://{}", route.address);
        let arguments = [&cluster[..], &[&two, "--routes", &over]].concat();
        let second = Self::start(binary, folder, "nats-2", &arguments).await?;
        Ok((vec![first, second], route))
    }

    pub fn url(&self) -> String {
        format!("nats://{}", self.plan.address)
    }

    /// For a client that shows a user and a password.
    pub fn url_as(&self, user: &str) -> String {
        format!("nats://{user}@{}", self.plan.address)
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.process.log).unwrap_or_default()
    }

    pub fn freeze(&mut self) -> Outcome<()> {
        self.process.signal(Signal::STOP)
    }

    pub fn thaw(&mut self) -> Outcome<()> {
        self.process.signal(Signal::CONT)
    }

    pub async fn kill(&mut self) -> Outcome<()> {
        self.process.kill().await
    }

    /// At the same address as before, after it has ended.
    pub async fn restart(&mut self) -> Outcome<()> {
        self.process = launch(&self.plan).await?;
        Ok(())
    }

    /// The server sends its clients away one by one, and ends.
    pub async fn leave_as_lame_duck(&mut self, within: Duration) -> Outcome<()> {
        self.process.signal(Signal::USR2)?;
        self.process.ended(within).await.map(drop)
    }

    /// What clients have said to it so far.
    pub async fn traffic(&self) -> Outcome<Traffic> {
        let answer = reqwest::get(format!("http://{}/varz", self.plan.monitor)).await?;
        let answer: Value = answer.json().await?;
        let number = |name| answer.get(name).and_then(Value::as_f64).ok_or("no number");
        Ok(Traffic { messages: number("in_msgs")?, bytes: number("in_bytes")? })
    }

    /// A client of the test's own.
    pub async fn client(&self) -> Outcome<async_nats::Client> {
        Ok(async_nats::connect(self.url()).await?)
    }
}

async fn launch(plan: &Plan) -> Outcome<Process> {
    let mut command = Command::new(&plan.binary);
    let (host, port) = (plan.address.ip().to_string(), plan.address.port().to_string());
    command.args(["--addr", &host, "--port", &port]);
    command.args(["--http_port", &plan.monitor.port().to_string()]).args(&plan.arguments);
    let mut process = Process::start(command, &plan.name, &plan.folder)?;
    let address = plan.address;
    process.until(START, async || TcpStream::connect(address).await.is_ok()).await?;
    Ok(process)
}
