//! The authenticated read of a subscription: Bipe, the same transaction by `pgbench`, and on fastify with pg the same
//! read and a plainer one, without session and transaction. PostgreSQL has a core of its own. Whoever asks it takes the
//! other one in turn: pgbench, or a server together with the generator of its requests. Where there is no pgbench,
//! tokio-postgres asks in its place, under a name of its own.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::Instant;

use super::{Temporary, number};
use crate::Outcome;
use crate::account::Account;
use crate::http;
use crate::machine::{self, Cores};
use crate::payments::database::Database;
use crate::payments::replay::together;
use crate::payments::script::{Script, Statement};
use crate::peer;
use crate::report::percentile_ms;
use crate::server::Server;

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    /// Connections that ask one after the other
    #[arg(long, default_value_t = 16)]
    pub connections: usize,
    /// Seconds of a turn; each has four
    #[arg(long, default_value_t = 2)]
    pub seconds: u64,
}

/// Short ones, one after the other: the speed of a core changes within seconds.
const TURNS: usize = 4;
const TABLES: &str = "FROM subscriptions";

pub async fn measure(
    settings: &Settings,
    server: &Server,
    account: &Account,
    cores: Cores,
) -> Outcome<Value> {
    let database = Database::of(server).await?;
    account.subscribe().await?;
    database.show_values().await?;
    let mut ours = Load::of(server.pid()?, server.address()?, "api", account, account.token());
    // Whatever is prepared or cached at the first call is not the read that is measured.
    ours.warm(settings).await?;
    let statements = record(server, account, &database, &ours.request).await?;
    let (running, url) = peer::rest(&statements, account, &database, cores)?;
    let token = reqwest::get(format!("{url}/token")).await?.text().await?;
    let address = url.trim_start_matches("http://").parse()?;
    let of = |kind| Load::of(running.pid(), address, kind, account, &token);
    let (mut fastify, mut plain) = (of("api"), of("plain"));
    fastify.warm(settings).await?;
    plain.warm(settings).await?;
    let (mut pgbenched, mut replayed) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        ours.turn(settings).await?;
        match pgbench(settings, &statements, account, &database).await? {
            Some(rate) => pgbenched.push(rate),
            None => replayed.push(replay(settings, &statements, account, &database)?),
        }
        fastify.turn(settings).await?;
        plain.turn(settings).await?;
    }
    let limits = (mean(&pgbenched), mean(&replayed));
    found(settings, (ours, fastify, plain), limits, statements.len())
}

fn found(
    settings: &Settings,
    (mut ours, mut fastify, plain): (Load, Load, Load),
    (pgbench, replayed): (Option<f64>, Option<f64>),
    statements: usize,
) -> Outcome<Value> {
    let time = number(settings.seconds) * number(u64::try_from(TURNS)?);
    let rate = |load: &Load| Outcome::Ok(number(u64::try_from(load.times.len())?) / time);
    let (reads, theirs, of_plain) = (rate(&ours)?, rate(&fastify)?, rate(&plain)?);
    ours.times.sort_unstable();
    fastify.times.sort_unstable();
    Ok(json!({
        "readsPerSecond": reads,
        "pgbenchPerSecond": pgbench,
        "tokioPostgresPerSecond": replayed,
        "fastifyPerSecond": theirs,
        "plainFastifyPerSecond": of_plain,
        "serverBusy": ours.busy / time,
        "fastifyBusy": fastify.busy / time,
        "statements": statements,
        "ofPgbench": pgbench.map(|limit| reads / limit),
        "ofTokioPostgres": replayed.map(|replayed| reads / replayed),
        "ofFastify": reads / theirs,
        "ofPlainFastify": reads / of_plain,
        "p50Ms": percentile_ms(&ours.times, 500),
        "p99Ms": percentile_ms(&ours.times, 990),
        "fastifyP99Ms": percentile_ms(&fastify.times, 990),
    }))
}

/// None of nothing.
fn mean(rates: &[f64]) -> Option<f64> {
    let count = u64::try_from(rates.len()).ok().filter(|count| *count > 0)?;
    Some(rates.iter().sum::<f64>() / number(count))
}

/// The same request to one server, over all its turns.
struct Load {
    process: u32,
    address: SocketAddr,
    request: String,
    /// Microseconds of every answer.
    times: Vec<u32>,
    /// Seconds of a processor.
    busy: f64,
}

impl Load {
    fn of(process: u32, address: SocketAddr, kind: &str, account: &Account, token: &str) -> Self {
        let path = format!("/{kind}/subscriptions/company/{}", account.company);
        let request = http::get_request(address, &path, token);
        Self { process, address, request, times: Vec::new(), busy: 0.0 }
    }

    async fn warm(&self, settings: &Settings) -> Outcome<()> {
        let time = Duration::from_secs(1);
        http::load(self.address, &self.request, settings.connections, time).await?;
        Ok(())
    }

    async fn turn(&mut self, settings: &Settings) -> Outcome<()> {
        let (before, time) = (machine::busy(self.process)?, Duration::from_secs(settings.seconds));
        let times = http::load(self.address, &self.request, settings.connections, time).await?;
        self.times.extend(times);
        self.busy += machine::busy(self.process)? - before;
        Ok(())
    }
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
    let script = Script::of(&log, &account.company);
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

/// How its transaction begins, as the server begins it.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const END: &str = "ROLLBACK";

fn scope(account: &Account) -> String {
    format!("SET LOCAL bipe.company_id = '{}'", account.company)
}

/// Its transactions a second; none where there is no pgbench.
async fn pgbench(
    settings: &Settings,
    statements: &[Statement],
    account: &Account,
    database: &Database,
) -> Outcome<Option<f64>> {
    let script = Temporary::of("pgbench");
    let mut text = File::create(script.path())?;
    let mut command = Command::new("pgbench");
    // Before version 16 pgbench cannot prepare in a pipeline: the beginning, outside of it, makes it prepare everything.
    writeln!(text, "{BEGIN};\n\\startpipeline\n{};", scope(account))?;
    for (at, statement) in statements.iter().enumerate() {
        let mut sql = statement.sql.replace('\n', " ");
        for (n, value) in values(statement).enumerate().collect::<Vec<_>>().into_iter().rev() {
            sql = sql.replace(&format!("${}", n + 1), &format!(":v{at}x{n}"));
            command.arg("-D").arg(format!("v{at}x{n}={value}"));
        }
        writeln!(text, "{sql};")?;
    }
    writeln!(text, "{END};\n\\endpipeline")?;
    let (socket, port) = database.place();
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &settings.connections.to_string()]);
    command.args(["-T", &settings.seconds.to_string(), "-h", socket, "-p", port]);
    command.args(["-U", "bipe_owner", "-f"]).arg(script.path()).arg("bipe");
    // A connection of the server has its plans; here each would plan everything five times in each turn.
    let options = "-c role=bipe_app -c plan_cache_mode=force_generic_plan";
    command.env("PGOPTIONS", options).stdin(Stdio::null()).stdout(Stdio::piped());
    let spawned = command.stderr(Stdio::piped()).spawn();
    let ended = match spawned {
        Ok(child) => Some(child.wait_with_output().await?),
        Err(_missing) => None,
    };
    ended.as_ref().map(transactions_per_second).transpose()
}

/// What pgbench printed. It goes on without a client that failed, and says so at its end.
pub fn transactions_per_second(output: &Output) -> Outcome<f64> {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("tps = "));
    match line.and_then(|line| line.split(' ').next()) {
        Some(rate) if output.status.success() => Ok(rate.parse()?),
        _ => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}

/// What pgbench would do, by a thread of its own.
fn replay(
    settings: &Settings,
    statements: &[Statement],
    account: &Account,
    database: &Database,
) -> Outcome<f64> {
    let plain = |sql: String| Statement { sql, values: None };
    let mut whole = vec![plain(format!("{BEGIN}; {}", scope(account)))];
    whole.extend_from_slice(statements);
    whole.push(plain(END.to_owned()));
    let all = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut clients = Vec::new();
            for _ in 0..settings.connections {
                clients.push(database.worker().await?);
            }
            let time = Duration::from_secs(settings.seconds);
            let until = Instant::now() + time;
            let asking = clients.iter().map(|client| async {
                let (mut prepared, mut reads) = (HashMap::new(), 0);
                while Instant::now() < until {
                    together(client, &mut prepared, &whole).await?;
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
