//! PgBouncer between the nodes and their database, in session mode, with the lines that operators are given
//! (`docs/operations.md`). Stopped and killed by its process id, and started again at the same address.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bipe_swarm::Outcome;
use rustix::process::Signal;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::postgres::{self, LOGIN};
use crate::process::{self, Process};

const START: Duration = Duration::from_secs(20);
/// From SIGTERM, which ends its sessions.
const STOP: Duration = Duration::from_secs(10);

/// How it is started, each time anew.
struct Plan {
    program: PathBuf,
    folder: PathBuf,
    settings: PathBuf,
    address: SocketAddr,
}

pub struct Pgbouncer {
    plan: Plan,
    process: Process,
}

impl Pgbouncer {
    /// In front of the PostgreSQL at that port of this machine.
    pub async fn start(program: &Path, folder: &Path, port: u16) -> Outcome<Self> {
        let address = process::free_address(Ipv4Addr::LOCALHOST)?;
        let (settings, users) = (folder.join("pgbouncer.ini"), folder.join("pgbouncer-users.txt"));
        std::fs::write(&users, format!("\"{LOGIN}\" \"\"\n"))?;
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={port}\n[pgbouncer]\nlisten_addr = {}\nlisten_port = {}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\n{SETTINGS}",
            address.ip(),
            address.port(),
            users.display()
        );
        std::fs::write(&settings, text)?;
        let (program, folder) = (program.to_owned(), folder.to_owned());
        let plan = Plan { program, folder, settings, address };
        let process = launch(&plan).await?;
        Ok(Self { plan, process })
    }

    /// What a node is told to connect to.
    pub fn url(&self) -> String {
        postgres::url(&[self.plan.address.port()])
    }

    /// Its sessions go on, nobody else is served, and it ends when the last session has ended.
    pub fn retire(&mut self) -> Outcome<()> {
        self.process.signal(Signal::INT)
    }

    /// It ends its sessions and itself.
    pub async fn stop(&mut self) -> Outcome<()> {
        self.process.stop(STOP).await.map(drop)
    }

    pub async fn kill(&mut self) -> Outcome<()> {
        self.process.kill().await
    }

    /// At the same address as before, after it has ended; answers when it takes connections.
    pub async fn restart(&mut self) -> Outcome<()> {
        self.process = launch(&self.plan).await?;
        Ok(())
    }
}

/// Room for the pools of three nodes.
const SETTINGS: &str = "pool_mode = session\ndefault_pool_size = 80\nmax_client_conn = 2000\n\
     query_wait_timeout = 5\nserver_connect_timeout = 3\nserver_login_retry = 1\ntcp_user_timeout = 10000\n";

async fn launch(plan: &Plan) -> Outcome<Process> {
    let mut command = Command::new(&plan.program);
    command.arg(&plan.settings);
    // Like PostgreSQL it refuses root.
    if let Some((user, group)) = postgres::runs_as()? {
        command.uid(user).gid(group);
    }
    let mut process = Process::start(command, "pgbouncer", &plan.folder)?;
    let address = plan.address;
    process.until(START, async || TcpStream::connect(address).await.is_ok()).await?;
    Ok(process)
}
