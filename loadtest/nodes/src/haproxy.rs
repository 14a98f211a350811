//! HAProxy in front of the nodes: a node that is not ready gets nothing new.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use bipe_swarm::Outcome;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::process::{self, Process};
use crate::programs::{Program, Programs};

const START: Duration = Duration::from_secs(20);

pub struct Haproxy {
    pub address: SocketAddr,
    _process: Process,
}

impl Haproxy {
    /// At an address that was free, in front of nodes that need not run yet.
    pub async fn start(
        programs: &Programs,
        folder: &Path,
        address: SocketAddr,
        nodes: &[SocketAddr],
    ) -> Outcome<Self> {
        let file = folder.join("haproxy.cfg");
        std::fs::write(&file, configuration(address, nodes)?)?;
        let mut command = Command::new(programs.path(Program::Haproxy)?);
        command.arg("-db").arg("-f").arg(&file);
        let mut process = Process::start(command, "haproxy", folder)?;
        process.until(START, async || TcpStream::connect(address).await.is_ok()).await?;
        Ok(Self { address, _process: process })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Where a proxy may listen.
pub fn address() -> Outcome<SocketAddr> {
    process::free_address(Ipv4Addr::LOCALHOST)
}

fn configuration(address: SocketAddr, nodes: &[SocketAddr]) -> Outcome<String> {
    let mut text = format!(
        "defaults\n  mode http\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s\n  \
         timeout tunnel 1h\n  option forwardfor\n  option redispatch 1\n  retries 3\n  \
         retry-on conn-failure empty-response\n\
         frontend web\n  bind {address}\n  default_backend nodes\n\
         backend nodes\n  balance leastconn\n  option httpchk GET /health/ready\n  \
         default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions\n"
    );
    for (number, node) in nodes.iter().enumerate() {
        writeln!(text, "  server node{} {node}", number + 1)?;
    }
    Ok(text)
}
