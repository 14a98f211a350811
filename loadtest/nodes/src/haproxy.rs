//! HAProxy in front of the nodes, with the configuration that operators are given (`deploy/haproxy.cfg`).

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use bipe_swarm::Outcome;
use tokio::process::Command;

use crate::node;
use crate::process::{self, Process};
use crate::programs::Program;
use crate::setting::Setting;

const START: Duration = Duration::from_secs(20);

pub struct Haproxy {
    pub address: SocketAddr,
    _process: Process,
}

impl Haproxy {
    /// At an address that was free, in front of one to three nodes; answers when it reaches a ready one.
    pub async fn start(
        setting: &Setting,
        folder: &Path,
        address: SocketAddr,
        nodes: &[SocketAddr],
    ) -> Outcome<Self> {
        let mut command = Command::new(setting.programs.path(Program::Haproxy)?);
        command
            .args(["-db", "-f"])
            .arg(setting.root.join("deploy/haproxy.cfg"))
            .env("BIPE_PROXY_BIND", address.to_string())
            .env("BIPE_PROXY_CERTIFICATE", "");
        // It wants two at least; the same one twice is one.
        for number in 0..nodes.len().max(2) {
            let node = nodes.get(number).or(nodes.first()).ok_or("no node")?;
            command.env(format!("BIPE_NODE_{}", number + 1), node.to_string());
        }
        let mut process = Process::start(command, "haproxy", folder)?;
        process.until(START, async || node::is_ready(address).await).await?;
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
