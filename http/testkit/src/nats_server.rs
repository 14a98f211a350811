//! A real NATS server for one test.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::time::{sleep, timeout};

/// The server that `.ci/python` installs. None outside CI, on a machine without Python.
#[expect(clippy::disallowed_methods, reason = "tests have no Config")]
fn binary() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/python/bin/nats-server");
    if path.is_file() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "run .ci/python: no {}", path.display());
    eprintln!("skipped: no NATS server, see .ci/python");
    None
}

/// Free when it is asked for: where somebody takes it meanwhile, the server does not start.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

pub struct NatsServer {
    process: Child,
    arguments: Vec<String>,
    pub port: u16,
}

impl NatsServer {
    /// Takes everybody, without TLS.
    pub async fn start() -> Option<Self> {
        Self::start_with(&[]).await
    }

    pub async fn start_with(arguments: &[&str]) -> Option<Self> {
        let binary = binary()?;
        let port = free_port();
        let own =
            ["--addr".to_owned(), "127.0.0.1".to_owned(), "--port".to_owned(), port.to_string()];
        let arguments: Vec<_> =
            own.into_iter().chain(arguments.iter().map(|text| (*text).to_owned())).collect();
        let mut server = Self { process: spawn(&binary, &arguments), arguments, port };
        server.until_it_listens().await;
        assert!(server.process.try_wait().unwrap().is_none(), "the server runs");
        Some(server)
    }

    async fn until_it_listens(&self) {
        let listening = async {
            while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(20), listening).await.expect("a server in time");
    }

    pub fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn restart(&mut self) {
        self.process = spawn(&binary().unwrap(), &self.arguments);
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn spawn(binary: &Path, arguments: &[String]) -> Child {
    let mut command = Command::new(binary);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}
