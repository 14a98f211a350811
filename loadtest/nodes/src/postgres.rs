//! A PostgreSQL server of a test, and the pair of a primary and its streaming standby. Every server is one process
//! family by its pid: killed, frozen and stopped as a machine would be. Called by the tests of failover.
//!
//! Settings stand on the command line, so that a data folder can be copied or rewound between the two.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bipe_swarm::Outcome;
use bipe_swarm::machine::family;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};
use tokio_postgres::{Client, Config, NoTls};

pub const LOGIN: &str = "bipe";
pub const DATABASE: &str = "bipe";
/// Of `initdb`; it also replicates.
const SUPERUSER: &str = "postgres";
/// The standby's name, for `synchronous_standby_names`, and its replication slot.
const STANDBY: &str = "standby";
const READY: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(5);
/// A kill of processes loses no page that the kernel has, so nothing needs to reach the disk.
const SETTINGS: [&str; 13] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "synchronous_commit=on",
    "wal_level=replica",
    "wal_log_hints=on",
    "max_wal_senders=10",
    "max_replication_slots=10",
    "hot_standby=on",
    "max_connections=200",
    "shared_buffers=64MB",
    "wal_receiver_status_interval=1",
    "wal_retrieve_retry_interval=100",
];

/// How a server is asked to end.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// Sessions are ended, and the standby gets everything.
    Fast,
    /// As if the power were cut.
    Immediate,
}

pub struct Postgres {
    programs: PathBuf,
    data: PathBuf,
    pub port: u16,
    child: Option<Child>,
}

impl Postgres {
    /// A new cluster below `home` that runs, with the login and the database of Bipe.
    pub async fn create(programs: &Path, home: &Path, name: &str) -> Outcome<Self> {
        let mut server = Self::place(programs, home, name)?;
        let data = server.data.display().to_string();
        server.run(
            "initdb",
            &["-D", &data, "-U", SUPERUSER, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-N"],
        )?;
        server.start().await?;
        let admin = server.client("postgres").await?;
        for sql in [
            format!("CREATE ROLE {LOGIN} LOGIN CREATEROLE"),
            format!("CREATE DATABASE {DATABASE} OWNER {LOGIN}"),
        ] {
            admin.batch_execute(&sql).await?;
        }
        Ok(server)
    }

    /// A copy of the primary that runs and follows it.
    async fn standby_of(primary: &Self, home: &Path, name: &str) -> Outcome<Self> {
        let mut server = Self::place(&primary.programs, home, name)?;
        primary.make_slot().await?;
        server.copy(primary, true)?;
        server.start().await?;
        Ok(server)
    }

    /// Puts a backup in the place of a stopped server's data. It recovers to the end of its log, which begins a new
    /// timeline.
    pub async fn restore(&mut self, backup: &Path) -> Outcome<()> {
        fs::remove_dir_all(&self.data)?;
        let copied = Command::new("cp").arg("-a").arg(backup).arg(&self.data).status()?;
        if !copied.success() {
            return Err("the backup cannot be copied".into());
        }
        let settings = self.data.join("postgresql.auto.conf");
        let text = fs::read_to_string(&settings)?;
        fs::write(&settings, format!("{text}restore_command = 'false'\n"))?;
        fs::write(self.data.join("recovery.signal"), "")?;
        self.start().await?;
        let client = self.client("postgres").await?;
        until(&client, "SELECT NOT pg_is_in_recovery()", &[], "the end of recovery").await
    }

    /// A backup of a server that goes on, in a folder.
    pub fn back_up(&self, home: &Path) -> Outcome<PathBuf> {
        let backup = Self::place(&self.programs, home, "backup")?;
        backup.copy(self, false)?;
        Ok(backup.data.clone())
    }

    fn place(programs: &Path, home: &Path, name: &str) -> Outcome<Self> {
        let data = home.join(name);
        fs::create_dir_all(&data)?;
        fs::set_permissions(home, fs::Permissions::from_mode(0o755))?;
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;
        if let Some((user, group)) = runs_as()? {
            chown(&data, Some(user), Some(group))?;
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        Ok(Self { programs: programs.to_path_buf(), data, port, child: None })
    }

    fn copy(&self, from: &Self, follows: bool) -> Outcome<()> {
        let (data, source) = (self.data.display().to_string(), from.conninfo());
        let mut words = vec!["-D", &data, "-d", &source, "-X", "stream", "-c", "fast", "-N"];
        if follows {
            words.extend(["-R", "-S", STANDBY]);
        }
        self.run("pg_basebackup", &words)
    }

    fn conninfo(&self) -> String {
        format!(
            "host=127.0.0.1 port={} user={SUPERUSER} dbname=postgres application_name={STANDBY}",
            self.port
        )
    }

    fn log(&self) -> PathBuf {
        self.data.with_extension("log")
    }

    /// One of PostgreSQL's programs, to its end.
    fn run(&self, program: &str, words: &[&str]) -> Outcome<()> {
        let output = self.command(program)?.args(words).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
    }

    /// PostgreSQL refuses root; nothing of our environment may mislead it.
    fn command(&self, program: &str) -> Outcome<Command> {
        let mut command = Command::new(self.programs.join(program));
        command
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(Stdio::null());
        if let Some((user, group)) = runs_as()? {
            command.uid(user).gid(group);
        }
        Ok(command)
    }

    /// Starts it and waits until it answers.
    pub async fn start(&mut self) -> Outcome<()> {
        let log = File::options().create(true).append(true).open(self.log())?;
        let mut command = self.command("postgres")?;
        command.arg("-D").arg(&self.data).arg("-p").arg(self.port.to_string());
        for setting in SETTINGS {
            command.arg("-c").arg(setting);
        }
        self.child = Some(command.stdout(Stdio::null()).stderr(log).spawn()?);
        let until = Instant::now() + READY;
        while self.client("postgres").await.is_err() {
            let child = self.child.as_mut().ok_or("PostgreSQL does not run")?;
            if child.try_wait()?.is_some() || Instant::now() > until {
                let said = fs::read_to_string(self.log())?;
                return Err(format!("PostgreSQL does not start: {said}").into());
            }
            sleep(MOMENT).await;
        }
        Ok(())
    }

    /// A superuser's connection, straight to this server.
    pub async fn client(&self, database: &str) -> Outcome<Client> {
        let mut config = Config::new();
        config.host("127.0.0.1").port(self.port).user(SUPERUSER).dbname(database);
        config.connect_timeout(Duration::from_secs(2));
        let connecting = tokio::time::timeout(Duration::from_secs(5), config.connect(NoTls));
        let (client, connection) = connecting.await??;
        tokio::spawn(connection);
        Ok(client)
    }

    fn pid(&self) -> Outcome<u32> {
        Ok(self.child.as_ref().ok_or("PostgreSQL does not run")?.id())
    }

    /// The postmaster first: it starts nobody any more while the others get the signal.
    fn signal_family(&self, signal: Signal) -> Outcome<()> {
        for process in family(self.pid()?)? {
            let pid = i32::try_from(process).ok().and_then(Pid::from_raw).ok_or("no pid")?;
            // It may have ended meanwhile.
            kill_process(pid, signal).ok();
        }
        Ok(())
    }

    /// The machine is gone: every process of the server at once.
    pub fn kill(&mut self) -> Outcome<()> {
        self.signal_family(Signal::STOP)?;
        self.signal_family(Signal::KILL)?;
        self.ended()
    }

    /// The machine hangs: its sockets stay and nobody answers.
    pub fn freeze(&self) -> Outcome<()> {
        self.signal_family(Signal::STOP)
    }

    pub fn thaw(&self) -> Outcome<()> {
        self.signal_family(Signal::CONT)
    }

    /// Waits for the end of all its processes.
    pub async fn stop(&mut self, how: Stop) -> Outcome<()> {
        let signal = match how {
            Stop::Fast => Signal::INT,
            Stop::Immediate => Signal::QUIT,
        };
        let pid = i32::try_from(self.pid()?).ok().and_then(Pid::from_raw).ok_or("no pid")?;
        kill_process(pid, signal)?;
        let until = Instant::now() + READY;
        while self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None))) {
            if Instant::now() > until {
                return Err("PostgreSQL does not stop".into());
            }
            sleep(MOMENT).await;
        }
        self.child = None;
        Ok(())
    }

    fn ended(&mut self) -> Outcome<()> {
        if let Some(mut child) = self.child.take() {
            child.wait()?;
        }
        Ok(())
    }

    /// Makes a standby the primary; returns when it takes writes.
    pub async fn promote(&self) -> Outcome<()> {
        let client = self.client("postgres").await?;
        let promoted: bool =
            client.query_one("SELECT pg_promote(true, 30)", &[]).await?.try_get(0)?;
        if promoted { Ok(()) } else { Err("the standby was not promoted".into()) }
    }

    /// From now on commits wait for the standby.
    pub async fn make_synchronous(&self) -> Outcome<()> {
        let client = self.client("postgres").await?;
        client
            .batch_execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'"))
            .await?;
        client.batch_execute("SELECT pg_reload_conf()").await?;
        let state = "SELECT (SELECT setting FROM pg_settings WHERE name = 'synchronous_standby_names') = $1 \
             AND EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')";
        until(&client, state, &[&STANDBY], "the standby to become synchronous").await
    }

    /// Waits until the standby has everything that was committed until now.
    pub async fn until_caught_up(&self) -> Outcome<()> {
        let client = self.client("postgres").await?;
        let now: String =
            client.query_one("SELECT pg_current_wal_lsn()::text", &[]).await?.try_get(0)?;
        let has = "SELECT EXISTS (SELECT FROM pg_stat_replication \
             WHERE application_name = 'standby' AND replay_lsn >= $1::text::pg_lsn)";
        until(&client, has, &[&now], "the standby to catch up").await
    }

    async fn make_slot(&self) -> Outcome<()> {
        // The function takes a name, the comparison a text.
        let make = "SELECT pg_create_physical_replication_slot($1::text::name, true) \
             WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1::text)";
        self.client("postgres").await?.execute(make, &[&STANDBY]).await?;
        Ok(())
    }

    /// A stopped primary becomes the standby of the one that replaced it.
    pub async fn rejoin(&mut self, primary: &Self) -> Outcome<()> {
        primary.make_slot().await?;
        // A promoted server names its new timeline in its control file only after a checkpoint; pg_rewind reads that.
        primary.client("postgres").await?.batch_execute("CHECKPOINT").await?;
        let (data, source) = (self.data.display().to_string(), primary.conninfo());
        self.run("pg_rewind", &["-D", &data, "--source-server", &source, "-R", "-N"])?;
        let settings = self.data.join("postgresql.auto.conf");
        let text = fs::read_to_string(&settings)?;
        fs::write(&settings, format!("{text}primary_slot_name = '{STANDBY}'\n"))?;
        self.start().await
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.child.is_some()
            && let Err(error) = self.kill()
        {
            eprintln!("PostgreSQL on port {} stays: {error}", self.port);
        }
    }
}

async fn until(
    client: &Client,
    sql: &str,
    params: &[&(dyn tokio_postgres::types::ToSql + Sync)],
    what: &str,
) -> Outcome<()> {
    let until = Instant::now() + READY;
    while !client.query_one(sql, params).await?.try_get::<_, bool>(0)? {
        if Instant::now() > until {
            return Err(format!("waited in vain for {what}").into());
        }
        sleep(MOMENT).await;
    }
    Ok(())
}

/// User and group of servers that refuse root, where we are root; none where we are somebody else.
pub fn runs_as() -> Outcome<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd")?;
    let named = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    Ok(Some(named("postgres").or_else(|| named("nobody")).ok_or("no user for PostgreSQL")?))
}

/// A primary and its standby, which change places.
pub struct Pair {
    pub primary: Postgres,
    pub standby: Postgres,
}

impl Pair {
    pub async fn create(programs: &Path, home: &Path) -> Outcome<Self> {
        let primary = Postgres::create(programs, home, "first").await?;
        let standby = Postgres::standby_of(&primary, home, "second").await?;
        Ok(Self { primary, standby })
    }

    /// Both hosts; whoever connects takes the one that may be written.
    pub fn url(&self) -> String {
        url(&[self.primary.port, self.standby.port])
    }

    /// The standby is the primary from now on.
    pub async fn promote(&mut self) -> Outcome<()> {
        self.standby.promote().await?;
        std::mem::swap(&mut self.primary, &mut self.standby);
        Ok(())
    }
}

/// What a node is told to connect to.
pub fn url(ports: &[u16]) -> String {
    let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    format!("postgres://{LOGIN}@{}/{DATABASE}?target_session_attrs=read-write", hosts.join(","))
}
