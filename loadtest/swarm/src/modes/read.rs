//! The authenticated read of a subscription: Bipe, the same statements by `pgbench`, and on fastify with pg the same
//! read and a plainer one, without session and transaction. Each takes the server's core in turn; PostgreSQL and the
//! generator share the other one. Where there is no pgbench, tokio-postgres asks in its place, under a name of its own.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::Instant;

use super::{number, percentile};
use crate::Outcome;
use crate::account::Account;
use crate::http;
use crate::machine::{self, Cores};
use crate::payments::database::Database;
use crate::payments::replay;
use crate::payments::script::{Script, Statement};
use crate::peer;
use crate::server::Server;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Connections that ask one after the other
    #[arg(long, default_value_t = 16)]
    pub connections: usize,
    /// Seconds of each of the three
    #[arg(long, default_value_t = 6)]
    pub seconds: u64,
}

const TABLES: &str = "FROM subscriptions";

pub async fn measure(
    settings: &Settings,
    server: &Server,
    account: &Account,
    cores: Cores,
) -> Outcome<Value> {
    let database = Database::of(server).await?;
    account.subscribe().await?;
    let path = format!("/api/subscriptions/company/{}", account.company);
    let request = http::get(server.address()?, &path, account.token());
    let time = Duration::from_secs(settings.seconds);
    database.show_values().await?;
    // Whatever is prepared or cached at the first call is not the read that is measured.
    http::load(server.address()?, &request, settings.connections, Duration::from_secs(1)).await?;
    let statements = record(server, account, &database, &request).await?;
    let busy = machine::busy(server.pid()?)?;
    let ours = http::load(server.address()?, &request, settings.connections, time).await?;
    let busy = machine::busy(server.pid()?)? - busy;
    let limit = pgbench(settings, &statements, account, &database, cores).await?;
    let replayed = match limit {
        Some(_) => None,
        None => Some(replayed(settings, &statements, account, &database, cores)?),
    };
    let fastify = fastify(settings, &statements, account, &database, cores).await?;
    let rate =
        |times: &[u32]| Outcome::Ok(number(u64::try_from(times.len())?) / time.as_secs_f64());
    let (ours_rate, theirs_rate) = (rate(&ours)?, rate(&fastify.same)?);
    let plain_rate = rate(&fastify.plain)?;
    Ok(json!({
        "readsPerSecond": ours_rate,
        "pgbenchPerSecond": limit,
        "tokioPostgresPerSecond": replayed,
        "fastifyPerSecond": theirs_rate,
        "plainFastifyPerSecond": plain_rate,
        "serverBusy": busy / time.as_secs_f64(),
        "fastifyBusy": fastify.busy / time.as_secs_f64(),
        "statements": statements.len(),
        "ofPgbench": limit.map(|limit| ours_rate / limit),
        "ofTokioPostgres": replayed.map(|replayed| ours_rate / replayed),
        "ofFastify": ours_rate / theirs_rate,
        "ofPlainFastify": ours_rate / plain_rate,
        "p50Ms": percentile(&ours, 500),
        "p99Ms": percentile(&ours, 990),
        "fastifyP99Ms": percentile(&fastify.same, 990),
    }))
}

/// The statements of one read, in their order, each once.
async fn record(
    server: &Server,
    account: &Account,
    database: &Database,
    request: &str,
) -> Outcome<Vec<Statement>> {
    let from = database.start_log().await?;
    http::load(server.address()?, request, 1, Duration::from_millis(50)).await?;
    let log = database.stop_log(from).await?;
    let script = Script::of(&log, &account.company)?;
    let of_read = script.statements_beside(TABLES);
    let mut seen = BTreeSet::new();
    let read: Vec<Statement> =
        of_read.into_iter().filter(|statement| seen.insert(statement.sql.clone())).collect();
    if read.is_empty() {
        return Err("the log holds no read of a subscription".into());
    }
    Ok(read)
}

fn values(statement: &Statement) -> impl Iterator<Item = &str> {
    statement.values.iter().flatten().map(|value| value.as_deref().unwrap_or_default())
}

/// Its transactions a second; none where there is no pgbench.
async fn pgbench(
    settings: &Settings,
    statements: &[Statement],
    account: &Account,
    database: &Database,
    cores: Cores,
) -> Outcome<Option<f64>> {
    let mut script = tempfile()?;
    let mut command = Command::new("pgbench");
    for (at, statement) in statements.iter().enumerate() {
        let mut sql = statement.sql.replace('\n', " ");
        for (n, value) in values(statement).enumerate().collect::<Vec<_>>().into_iter().rev() {
            sql = sql.replace(&format!("${}", n + 1), &format!(":v{at}x{n}"));
            command.arg("-D").arg(format!("v{at}x{n}={value}"));
        }
        writeln!(script.1, "{sql};")?;
    }
    let (socket, port) = database.place();
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &settings.connections.to_string()]);
    command.args(["-T", &settings.seconds.to_string(), "-h", socket, "-p", port]);
    command.args(["-U", "bipe_owner", "-f"]).arg(&script.0).arg("bipe");
    let options = format!("-c role=bipe_app -c bipe.company_id={}", account.company);
    command.env("PGOPTIONS", options).stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    machine::pin(None, &[cores.server])?;
    let started = command.spawn();
    machine::pin(None, &[cores.generator])?;
    let Ok(child) = started else { return Ok(None) };
    let output = child.wait_with_output().await?;
    std::fs::remove_file(&script.0)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("tps = "));
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    let tps = line.and_then(|line| line.split(' ').next()).ok_or_else(said)?;
    Ok(Some(tps.parse()?))
}

/// What pgbench would do, by a thread of its own on the server's core.
fn replayed(
    settings: &Settings,
    statements: &[Statement],
    account: &Account,
    database: &Database,
    cores: Cores,
) -> Outcome<f64> {
    let all = || {
        machine::pin(None, &[cores.server])?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut clients = Vec::new();
            for _ in 0..settings.connections {
                let client = database.worker().await?;
                let scope = "SELECT set_config('bipe.company_id', $1, false)";
                client.execute(scope, &[&account.company]).await?;
                clients.push(client);
            }
            let time = Duration::from_secs(settings.seconds);
            let until = Instant::now() + time;
            let asking = clients.iter().map(|client| async move {
                let (mut prepared, mut reads) = (HashMap::new(), 0);
                while Instant::now() < until {
                    replay::each(client, &mut prepared, statements).await?;
                    reads += 1;
                }
                Outcome::Ok(reads)
            });
            let reads = futures_util::future::try_join_all(asking).await?;
            Outcome::Ok(number(reads.iter().sum()) / time.as_secs_f64())
        })
    };
    let ended = std::thread::scope(|scope| scope.spawn(all).join());
    ended.map_err(|_| "the thread of tokio-postgres broke off")?
}

fn tempfile() -> Outcome<(std::path::PathBuf, std::fs::File)> {
    let path = super::log_path("pgbench").with_extension("sql");
    let file = std::fs::File::create(&path)?;
    Ok((path, file))
}

/// What fastify's answers took, in microseconds.
struct Fastify {
    same: Vec<u32>,
    plain: Vec<u32>,
    /// Seconds of a processor during the same read.
    busy: f64,
}

async fn fastify(
    settings: &Settings,
    statements: &[Statement],
    account: &Account,
    database: &Database,
    cores: Cores,
) -> Outcome<Fastify> {
    let (mut child, url) = peer::rest(statements, account, database, cores)?;
    let outcome = async {
        let token = reqwest::get(format!("{url}/token")).await?.text().await?;
        let address = url.trim_start_matches("http://").parse()?;
        let request = |kind: &str| {
            let path = format!("/{kind}/subscriptions/company/{}", account.company);
            http::get(address, &path, &token)
        };
        let (warm, time) = (Duration::from_secs(1), Duration::from_secs(settings.seconds));
        let (same, plain) = (request("api"), request("plain"));
        http::load(address, &same, settings.connections, warm).await?;
        let before = machine::busy(child.id())?;
        let same = http::load(address, &same, settings.connections, time).await?;
        let busy = machine::busy(child.id())? - before;
        http::load(address, &plain, settings.connections, warm).await?;
        let plain = http::load(address, &plain, settings.connections, time).await?;
        Ok(Fastify { same, plain, busy })
    };
    let found = outcome.await;
    child.kill()?;
    child.wait()?;
    found
}
