//! One `bipe serve` of several: the same database, secret and bus as the others, an address of its own.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::server::program;
use rustix::process::Signal;

use crate::metrics::Metrics;
use crate::process::{self, Process};

/// Seconds from a node's first 503 to its drain: `deploy/haproxy.cfg` notices within two.
const DRAIN_DELAY: u8 = 3;
/// Drain delay, spread and stragglers.
pub const STOP: Duration = Duration::from_secs(60);

/// What all nodes share.
#[derive(Clone)]
pub struct Shared {
    pub folder: PathBuf,
    pub database_url: String,
    pub nats_url: Option<String>,
    pub secret: String,
    /// Of the proxy; its host is the installation's name on the bus.
    pub public_url: String,
    /// Of the provider.
    pub stripe: String,
}

pub struct Node {
    pub number: u8,
    pub address: SocketAddr,
    shared: Shared,
    process: Process,
}

impl Node {
    /// Node `number`, from 1, on the loopback address that ends in 10 + number; answers when it is ready.
    pub async fn start(bipe: &Path, number: u8, shared: &Shared) -> Outcome<Self> {
        let address = process::free_address(Ipv4Addr::new(127, 0, 0, 10 + number))?;
        Self::start_at(bipe, (number, address), shared).await
    }

    /// The same at an address that others know already.
    pub async fn start_at(
        bipe: &Path,
        (number, address): (u8, SocketAddr),
        shared: &Shared,
    ) -> Outcome<Self> {
        let process = launch(bipe, number, address, shared)?;
        let mut node = Self { number, address, shared: shared.clone(), process };
        node.until_ready().await?;
        Ok(node)
    }

    /// The same address again, after its process has ended; it may be another build.
    pub async fn restart(&mut self, bipe: &Path) -> Outcome<()> {
        self.process = launch(bipe, self.number, self.address, &self.shared)?;
        self.until_ready().await
    }

    async fn until_ready(&mut self) -> Outcome<()> {
        let address = self.address;
        self.process.until(process::START, async || is_ready(address).await).await
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.process.log).unwrap_or_default()
    }

    pub async fn metrics(&self) -> Outcome<Metrics> {
        Metrics::of(&self.url()).await
    }

    pub fn signal(&mut self, signal: Signal) -> Outcome<()> {
        self.process.signal(signal)
    }

    pub async fn kill(&mut self) -> Outcome<()> {
        self.process.kill().await
    }

    /// SIGTERM, and its own clean end.
    pub async fn stop(&mut self) -> Outcome<()> {
        let status = self.process.stop(STOP).await?;
        let node = self.number;
        if status.success() {
            Ok(())
        } else {
            Err(format!("node {node} ended with {status}").into())
        }
    }
}

/// What `/health/ready` says.
pub async fn is_ready(address: SocketAddr) -> bool {
    answers(address, "/health/ready").await
}

/// Whether a read is answered well.
pub async fn answers(address: SocketAddr, path: &str) -> bool {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(2)).build();
    let Ok(client) = client else { return false };
    let answer = client.get(format!("http://{address}{path}")).send().await;
    answer.is_ok_and(|answer| answer.status().is_success())
}

fn launch(bipe: &Path, number: u8, address: SocketAddr, shared: &Shared) -> Outcome<Process> {
    let mut command = program(bipe)?;
    command
        .args(["serve", "--rate-limits", "relaxed", "--bind", &address.to_string()])
        .arg("--data-dir")
        .arg(shared.folder.join(format!("node-{number}")))
        .env("DATABASE_URL", &shared.database_url)
        .env("BIPE_SECRET", &shared.secret)
        .env("BIPE_PUBLIC_URL", &shared.public_url)
        .env("BIPE_TRUSTED_PROXIES", "127.0.0.0/8")
        .env("BIPE_DRAIN_DELAY", DRAIN_DELAY.to_string())
        .env("STRIPE_SECRET_KEY", "sk_test_sandbox")
        .env("STRIPE_WEBHOOK_SECRET", crate::sandbox::WEBHOOK_SECRET)
        .env("STRIPE_API_BASE", &shared.stripe);
    if let Some(url) = &shared.nats_url {
        command.env("NATS_URL", url);
    }
    Process::start(command, &format!("node-{number}"), &shared.folder)
}
