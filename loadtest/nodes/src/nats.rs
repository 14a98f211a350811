//! NATS servers: one, or a cluster of two, disturbed by their process ids.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bipe_swarm::Outcome;
use rustix::process::Signal;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::process::{self, Process};

const START: Duration = Duration::from_secs(20);

/// How a server is started, each time anew.
#[derive(Clone)]
struct Plan {
    binary: PathBuf,
    folder: PathBuf,
    name: String,
    address: SocketAddr,
    arguments: Vec<String>,
}

pub struct Nats {
    plan: Plan,
    process: Process,
}

impl Nats {
    /// A server by itself.
    pub async fn start(binary: &Path, folder: &Path, name: &str) -> Outcome<Self> {
        Self::start_with(binary, folder, name, Vec::new()).await
    }

    /// With further arguments of `nats-server`.
    pub async fn start_with(
        binary: &Path,
        folder: &Path,
        name: &str,
        arguments: Vec<String>,
    ) -> Outcome<Self> {
        let address = process::free_address(Ipv4Addr::LOCALHOST)?;
        let (binary, folder) = (binary.to_owned(), folder.to_owned());
        let plan = Plan { binary, folder, name: name.to_owned(), address, arguments };
        let process = launch(&plan).await?;
        Ok(Self { plan, process })
    }

    pub fn url(&self) -> String {
        format!("nats://{}", self.plan.address)
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

    /// At the same address as before.
    pub async fn restart(&mut self) -> Outcome<()> {
        self.process = launch(&self.plan).await?;
        Ok(())
    }

    /// The server tells its clients to leave, and ends by itself.
    pub fn enter_lame_duck_mode(&mut self) -> Outcome<()> {
        self.process.signal(Signal::USR2)
    }

    /// A client of the test's own.
    pub async fn client(&self) -> Outcome<async_nats::Client> {
        Ok(async_nats::connect(self.url()).await?)
    }
}

async fn launch(plan: &Plan) -> Outcome<Process> {
    let mut command = Command::new(&plan.binary);
    let (host, port) = (plan.address.ip().to_string(), plan.address.port().to_string());
    command.args(["--addr", &host, "--port", &port]).args(&plan.arguments);
    let mut process = Process::start(command, &plan.name, &plan.folder)?;
    let address = plan.address;
    process.until(START, async || TcpStream::connect(address).await.is_ok()).await?;
    Ok(process)
}
