//! What Bipe is compared with, started as a process of its own on the server's core.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::Outcome;
use crate::account::Account;
use crate::herd::speech::Speech;
use crate::machine::{self, Cores};
use crate::payments::database::Database;
use crate::payments::script::{self, Statement};
use crate::target::{Publish, Target};

const NODE: &str = "loadtest/peers/node";
/// The packages that bring Bun, best first; a processor without AVX2 needs the last one.
const BUN: [&str; 3] = ["bun-linux-x64", "bun-linux-aarch64", "bun-linux-x64-baseline"];

pub const LIMIT: &str = "limit";
/// The same with several events in a write.
pub const BATCHED_LIMIT: &str = "limit --batch";
/// Both of bare actix (`loadtest/peers`).
pub const BARE_ACTORS: &str = "actix-web-actors";
pub const BARE_WS: &str = "actix-ws";
pub const BUN_PEER: &str = "bun";
pub const SOCKET_IO: &str = "socket.io";
pub const WS: &str = "ws";
/// Everybody that broadcasts, the physical limits first.
pub const ALL: [&str; 7] = [LIMIT, BATCHED_LIMIT, BARE_ACTORS, BARE_WS, BUN_PEER, WS, SOCKET_IO];

/// A process that is ended when this is dropped, also after an error.
pub struct Running(Child);

impl Running {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// One of [`ALL`].
pub fn start(name: &str, cores: Cores) -> Outcome<(Running, Target)> {
    let (running, url) = spawn(command(name)?, cores)?;
    let target = Target {
        address: url.trim_start_matches("http://").parse()?,
        path: if name == SOCKET_IO { "/socket.io/?EIO=4&transport=websocket" } else { "/" },
        speech: if name == SOCKET_IO { Speech::SocketIo } else { Speech::Plain },
        publish: Publish::Post { client: reqwest::Client::new(), url: format!("{url}/publish") },
        pid: running.pid(),
        published: Arc::new(AtomicU64::new(0)),
    };
    Ok((running, target))
}

fn command(name: &str) -> Outcome<Command> {
    let script = |program: PathBuf, script: &str| {
        let mut command = Command::new(program);
        command.arg(Path::new(NODE).join(script));
        command
    };
    Ok(match name {
        LIMIT => Command::new(beside("bipe-limit")?),
        BATCHED_LIMIT => {
            let mut command = Command::new(beside("bipe-limit")?);
            command.arg("--batch");
            command
        }
        BARE_ACTORS => Command::new(beside("bare-actors")?),
        BARE_WS => Command::new(beside("bare-ws")?),
        BUN_PEER => script(bun()?, "bun.mjs"),
        WS => script("node".into(), "ws.mjs"),
        SOCKET_IO => script("node".into(), "socketio.mjs"),
        other => return Err(format!("nobody is called {other}").into()),
    })
}

/// Built together with this program.
fn beside(name: &str) -> Outcome<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{} is not built; run `make bench`", path.display()).into())
}

pub fn bun() -> Outcome<PathBuf> {
    let places = BUN.map(|package| Path::new(NODE).join("node_modules/@oven").join(package));
    let runs = |bun: &PathBuf| {
        let output = Command::new(bun).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    let found = places.into_iter().map(|place| place.join("bin/bun")).find(runs);
    Ok(found.ok_or("no Bun; run `make bench`, which installs it")?)
}

/// fastify and pg, with the statements of a read.
pub fn rest(
    read: &[Statement],
    account: &Account,
    database: &Database,
    cores: Cores,
) -> Outcome<(Running, String)> {
    let (socket, port) = database.place();
    let mut command = Command::new("node");
    command.arg(Path::new(NODE).join("rest.mjs"));
    command.env("STATEMENTS", script::json(read).to_string());
    command.env("COMPANY", &account.company).env("PERSON", account.person());
    command.env("SOCKET", socket).env("PORT", port);
    spawn(command, cores)
}

/// Runs on the server's core; answers where it listens.
pub fn spawn(mut command: Command, cores: Cores) -> Outcome<(Running, String)> {
    command.env("NODE_ENV", "production").stdout(Stdio::piped());
    let spawned = machine::on_core(cores.server, || command.spawn())?;
    let mut running = Running(spawned.map_err(|error| format!("{command:?}: {error}"))?);
    let stdout = running.0.stdout.take().ok_or("no output")?;
    for line in BufReader::new(stdout).lines() {
        if let Some((_, url)) = line?.split_once("listening on ") {
            return Ok((running, url.trim().to_owned()));
        }
    }
    Err(format!("{command:?} ended before it listened").into())
}
