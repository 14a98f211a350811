//! Logins of a PostgreSQL that is not ours: what it hears before TLS is proven, and what a restricted login may do.

mod pooler;
mod roles;
mod tls;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bipe_core::db::access::Login;
use bipe_core::embedded_postgres::{EmbeddedPostgres, EmbeddedSettings, IfRunning};
use bipe_core::secret::Secret;
use bipe_core::testing::{lay_cluster, packages};
use tokio_postgres::{Client, Config, NoTls};

/// Passwords by SCRAM over the network, with TLS from everywhere and without it from loopback.
const ACCESS: &str = "local all all peer map=bipe\n\
     hostssl all all 0.0.0.0/0 scram-sha-256\n\
     host all all 127.0.0.1/32 scram-sha-256\n";

/// A server of one test on a port of loopback, made from nothing and gone with the test.
struct Postgres {
    dir: PathBuf,
    /// The folder of its programs.
    bin: PathBuf,
    child: Child,
    port: u16,
    /// A superuser, over the socket.
    owner: Config,
}

impl Postgres {
    /// With a certificate and its key, both in PEM form, it speaks TLS.
    async fn start(name: &str, certificate: Option<(&str, &str)>) -> Self {
        let dir = std::env::temp_dir().join(format!("bipe-{}-{name}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        let bin = lay_cluster(&dir).await;
        let (data_dir, binaries) = (dir.clone(), Some(bin.clone()));
        let settings = EmbeddedSettings { data_dir, binaries, package_dir: packages() };
        let made = EmbeddedPostgres::start(settings, IfRunning::Fail).await.unwrap();
        let owner = made.owner_config();
        made.stop().await;
        let home = dir.join("postgres");
        fs::write(home.join("network.conf"), ACCESS).unwrap();
        for (file, text) in certificate.iter().flat_map(|(cert, key)| [("crt", cert), ("key", key)])
        {
            give_to_server(&home, &home.join(format!("server.{file}")), text);
        }
        // The port is free when it is asked for; whoever takes it meanwhile costs another try.
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut child = spawn(&bin, &home, port, certificate.is_some());
            if answers(&mut child, &owner, port).await {
                let postgres = Self { dir, bin, child, port, owner: at(&owner, port) };
                // The embedded server's own.
                let admin = postgres.superuser("postgres").await;
                admin.batch_execute("DROP DATABASE bipe").await.unwrap();
                return postgres;
            }
        }
        panic!("a server on a port of its own");
    }

    async fn superuser(&self, database: &str) -> Client {
        let mut config = self.owner.clone();
        connect(config.dbname(database)).await.unwrap()
    }

    /// From this machine, without TLS.
    fn local(&self, user: &str, database: &str) -> Login {
        login(&format!("postgres://{user}@127.0.0.1:{}/{database}", self.port), None).unwrap()
    }
}

impl Postgres {
    fn data(&self) -> PathBuf {
        self.dir.join("postgres/data")
    }

    fn stop(&mut self) {
        // Fast shutdown: whoever is connected is sent away.
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.child.wait().unwrap();
    }

    /// On the same port.
    async fn go_on(&mut self) {
        self.child = spawn(&self.bin, &self.dir.join("postgres"), self.port, false);
        assert!(answers(&mut self.child, &self.owner, self.port).await, "a port that stayed free");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.dir));
    }
}

fn login(url: &str, ca: Option<&Path>) -> Result<Login, String> {
    Login::of_url("DATABASE_URL", &Secret::new(url), ca)
}

fn give_to_server(home: &Path, file: &Path, text: &str) {
    fs::write(file, text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    let server = fs::metadata(home.join("data")).unwrap();
    chown(file, Some(server.uid()), Some(server.gid())).unwrap();
}

fn spawn(bin: &Path, home: &Path, port: u16, tls: bool) -> Child {
    let server = fs::metadata(home.join("data")).unwrap();
    let mut command = Command::new(bin.join("postgres"));
    let file = |name: &str| home.join(name).display().to_string();
    command.arg("-D").arg(home.join("data")).arg("-k").arg(home.join("socket"));
    command.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]);
    command.arg("-c").arg(format!("hba_file={}", file("network.conf")));
    command.arg("-c").arg(format!("ident_file={}", file("pg_ident.conf")));
    if tls {
        command.arg("-c").arg("ssl=on");
        command.arg("-c").arg(format!("ssl_cert_file={}", file("server.crt")));
        command.arg("-c").arg(format!("ssl_key_file={}", file("server.key")));
    }
    command.current_dir("/").env_clear().stdout(Stdio::null()).stderr(Stdio::null());
    if server.uid() != fs::metadata("/proc/self").unwrap().uid() {
        command.uid(server.uid()).gid(server.gid());
    }
    command.spawn().unwrap()
}

/// False when it ended by itself.
async fn answers(child: &mut Child, owner: &Config, port: u16) -> bool {
    let config = at(owner, port);
    let asked = async {
        while connect(&config).await.is_err() {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        true
    };
    tokio::time::timeout(Duration::from_secs(60), asked).await.expect("an answer in a minute")
}

/// The same server on another port, which also names its socket.
fn at(owner: &Config, port: u16) -> Config {
    let mut config = Config::new();
    for host in owner.get_hosts() {
        if let tokio_postgres::config::Host::Unix(dir) = host {
            config.host_path(dir);
        }
    }
    config.port(port).user(owner.get_user().unwrap()).dbname("postgres");
    config
}

async fn connect(config: &Config) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
