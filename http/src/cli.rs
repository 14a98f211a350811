//! The command line; `Command` lists the commands. Called by `main.rs`. Reads the settings, runs one command and prints
//! its outcome.
//!
//! Invariant: exit status 0 is success. `doctor` and `upgrade` exit with 1 for findings and with 2 for an error.

use std::io::{ErrorKind, Read, Write, stderr, stdout};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::config::{Config, DEMO_ADMIN_EMAIL, DEMO_ADMIN_PASSWORD, sources};
use bipe_core::embedded_postgres::IfRunning;
use bipe_sandbox::ProcessSettings;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use futures_util::future;
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

use crate::boot::{self, BootError, DatabaseServer, Running};
use crate::stop_signals::StopSignals;
use crate::telemetry::{list, metric, traces};
use crate::{
    Shutdown, alerts, backup, doctor, listen, openapi, seed, service_manager, settings, telemetry,
    upgrade,
};

#[derive(Parser)]
#[command(
    name = "bipe",
    version,
    about = "Subscriptions and payments, live, for parcel distribution points"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Starts everything and serves until SIGTERM
    Serve(Box<Config>),
    /// Brings the database to the newest schema
    Migrate(Box<Config>),
    /// Platform administrators
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Fills the database with a demo or for load tests; never in production
    Seed(Box<seed::Settings>),
    /// Prints the OpenAPI document
    Openapi,
    /// Prints the list of metrics, which is docs/metrics.md
    Metrics,
    /// Serves the payment sandbox as a process of its own
    Sandbox(ProcessSettings),
    /// Checks the settings
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Takes a backup of the database beside the running server
    Backup(Box<backup::Settings>),
    /// Restores a backup into a new database
    Restore(Box<backup::RestoreSettings>),
    /// Lists what waits for a person
    Alerts(Box<alerts::Settings>),
    /// Examines a running installation: its database, addresses, clocks, mail and work; exit status 1 for findings
    Doctor(Box<doctor::Settings>),
    /// What this binary would do to an installation that another one serves
    Upgrade {
        #[command(subcommand)]
        command: UpgradeCommand,
    },
    /// Asks a server whether it is ready; exit status 0 for yes
    Healthcheck {
        #[arg(long, env = "BIPE_BIND", default_value = "127.0.0.1:8080", value_parser = sources::bind_address)]
        bind: SocketAddr,
    },
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Adds a platform administrator: BIPE_ADMIN_EMAIL and BIPE_ADMIN_PASSWORD
    Create(Box<Config>),
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Names every problem at once; a value of a wrong form comes first and alone
    Check(Box<Config>),
}

#[derive(Subcommand)]
enum UpgradeCommand {
    /// Looks whether this binary may take over, and how far back one may go; exit status 1 for findings, 2 where it
    /// could not look
    Check(Box<doctor::Settings>),
    /// Prints what docs/operations.md says of this binary's migrations
    Table,
}

/// An error is shown as it is.
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Runs the command of this process.
pub fn run() -> ExitCode {
    let outcome = read_command_line().and_then(|command| match command {
        Command::Serve(config) => done(serve(*config)),
        Command::Migrate(config) => done(migrate(&config)),
        Command::Admin { command: AdminCommand::Create(config) } => done(create_admin(&config)),
        Command::Seed(settings) => done(seed(&settings)),
        Command::Openapi => done(print_openapi()),
        Command::Metrics => done(print_whole(&metric::page(&list::PARTS))),
        Command::Sandbox(settings) => done(serve_sandbox(settings)),
        Command::Config { command: ConfigCommand::Check(config) } => done(check_aloud(&config)),
        Command::Backup(settings) => back_up(&settings),
        Command::Restore(settings) => done(restore(&settings)),
        Command::Alerts(settings) => done(alerts(&settings)),
        Command::Doctor(settings) => examine(&settings),
        Command::Upgrade { command: UpgradeCommand::Check(settings) } => check_upgrade(&settings),
        Command::Upgrade { command: UpgradeCommand::Table } => done(print_upgrade_table()),
        Command::Healthcheck { bind } => done(healthcheck(bind)),
    });
    outcome.unwrap_or_else(|message| {
        say(stderr(), &message.to_string());
        // Of these 1 says that there are findings.
        let finds = |word| word == "doctor" || word == "upgrade";
        let finds = std::env::args_os().nth(1).is_some_and(finds);
        if finds { ExitCode::from(2) } else { ExitCode::FAILURE }
    })
}

/// For a command that succeeds or fails, and knows nothing between.
fn done(outcome: Outcome) -> Result<ExitCode, Box<dyn std::error::Error>> {
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Ends the process where the command line or a setting cannot be read, and where help was asked for.
fn read_command_line() -> Result<Command, Box<dyn std::error::Error>> {
    settings::load_env_file()?;
    let mut command = sources::apply(Cli::command(), sources::folder().as_deref())?;
    let read = Cli::from_arg_matches(&command.clone().get_matches());
    Ok(read.map_err(|error| error.format(&mut command))?.command)
}

fn check(config: &Config) -> Outcome {
    let problems = settings::problems(config);
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}

/// Beside the problems it names what works and should be set all the same.
fn check_aloud(config: &Config) -> Outcome {
    config.warnings().iter().for_each(|warning| say(stderr(), &format!("warning: {warning}")));
    check(config)
}

fn serve_sandbox(settings: ProcessSettings) -> Outcome {
    telemetry::start_plain_log();
    let listener = listener_at(settings.bind, "BIPE_SANDBOX_BIND")?;
    Ok(actix_web::rt::System::new().block_on(bipe_sandbox::serve(settings, listener))?)
}

/// The runtime for database and provider work, apart from the web workers.
fn work_runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(2).thread_name("work").enable_all().build()
}

/// Runs the work to its end. What it left behind holds nothing up: a read or a write that a signal cut off, a name that
/// was given up and that the system still looks up.
fn work<T>(work: impl Future<Output = T>) -> std::io::Result<T> {
    let runtime = work_runtime()?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(Duration::from_secs(2));
    Ok(done)
}

fn serve(config: Config) -> Outcome {
    check(&config)?;
    telemetry::start_log(&config)?;
    let work = work_runtime()?;
    let node = Clock::system().uuid().to_string();
    let traces = traces::start(&config.traces, &node, work.handle())?;
    let system = actix_web::rt::System::new();
    let outcome = system.block_on(serve_until_signal(config, &work));
    if let Some(traces) = traces {
        work.block_on(traces.end());
    }
    work.shutdown_timeout(Duration::from_secs(2));
    outcome
}

async fn serve_until_signal(mut config: Config, work: &Runtime) -> Outcome {
    let listener = listener_at(config.bind, "BIPE_BIND")?;
    let address = listener.local_addr()?;
    // Port 0 has become a real one, which links and the sandbox name.
    config.bind = address;
    let mut stop = StopSignals::listen()?;
    let Some(running) = stop.or_end(Running::start(config, work.handle())).await else {
        return Ok(());
    };
    let running = running?;
    let app = running.app.clone();
    let server = listen(app.clone(), listener)?;
    let handle = server.handle();
    say(stdout(), &format!("listening on http://{address}"));
    if running.has_demo_admin {
        say(stdout(), &format!("demo admin: {DEMO_ADMIN_EMAIL} {DEMO_ADMIN_PASSWORD}"));
    }
    if !app.config.is_production() && app.config.smtp_url.is_none() {
        say(stdout(), &format!("mailbox: {}/dev/mailbox", app.config.public_url()));
    }
    let serving = actix_web::rt::spawn(server);
    service_manager::ready();
    let alive = actix_web::rt::spawn(service_manager::stay_alive(app.live.pulse()));
    stop.next().await;
    service_manager::stopping();
    app.shutdown.send_replace(Shutdown::Announced);
    app.nodes.tell_state();
    let noticed = actix_web::rt::time::sleep(app.config.drain_delay());
    // A second signal does not wait for the proxy.
    future::select(pin!(noticed), pin!(stop.next())).await;
    app.shutdown.send_replace(Shutdown::Draining);
    app.live.drain().await;
    alive.abort();
    handle.stop(true).await;
    serving.await??;
    running.stop(work.handle()).await;
    Ok(())
}

/// The address is that of the setting, which an error names.
fn listener_at(address: SocketAddr, setting: &str) -> Result<TcpListener, String> {
    TcpListener::bind(address).map_err(|error| {
        let way_out = match error.kind() {
            ErrorKind::AddrInUse => "; stop what listens there, or set it to another address",
            _ => "",
        };
        format!("{setting}: cannot listen on {address}: {error}{way_out}")
    })
}

/// To whoever reads it: a command does not end because nobody does, or because the disk of the output is full.
fn say(mut to: impl Write, line: &str) {
    writeln!(to, "{line}").ok();
}

fn migrate(config: &Config) -> Outcome {
    // Without it a database of its own would start. The other settings of production are of no use here.
    if config.is_production() && config.database_url.is_none() {
        return Err("production needs DATABASE_URL".into());
    }
    let applied = work(async {
        let database = DatabaseServer::open(config, IfRunning::Join).await?;
        let applied = bipe_core::db::start::migrate(&database.logins).await;
        database.close().await;
        applied.map_err(BootError::from)
    })??;
    print_whole(&format!("{applied} migrations applied\n"))
}

fn create_admin(config: &Config) -> Outcome {
    check(config)?;
    let given = config.admin_email.as_deref().zip(config.admin_password.as_ref());
    let (email, password) = given.ok_or("set BIPE_ADMIN_EMAIL and BIPE_ADMIN_PASSWORD")?;
    work(async {
        let database = DatabaseServer::open(config, IfRunning::Join).await?;
        let created = boot::create_admin(config, &database, email, password).await;
        database.close().await;
        created
    })??;
    print_whole(&format!("{email} is a platform administrator\n"))
}

fn seed(settings: &seed::Settings) -> Outcome {
    check(&settings.config)?;
    telemetry::start_plain_log();
    let work = work_runtime()?;
    let system = actix_web::rt::System::new();
    print_whole(&system.block_on(seed::run(settings, work.handle()))?)
}

fn alerts(settings: &alerts::Settings) -> Outcome {
    let told = match &settings.command {
        Some(alerts::Command::Close(settings)) => {
            check(&settings.config)?;
            work(alerts::close(settings))??
        }
        None => {
            check(&settings.config)?;
            work(alerts::list(&settings.config))??
        }
    };
    print_whole(&told)
}

fn examine(settings: &doctor::Settings) -> Result<ExitCode, Box<dyn std::error::Error>> {
    check_aloud(&settings.config)?;
    let found = work(doctor::examine(&settings.config))?;
    let text = if settings.json { pretty(&found)? } else { found.text() };
    report(&text, found.findings)
}

fn check_upgrade(settings: &doctor::Settings) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let answer = work(upgrade::check(&settings.config))??;
    let text = if settings.json { pretty(&answer)? } else { answer.text() };
    report(&text, answer.report.findings)
}

fn pretty(found: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(found)? + "\n")
}

/// Status 0 without a finding, 1 with one.
fn report(text: &str, findings: usize) -> Result<ExitCode, Box<dyn std::error::Error>> {
    print_whole(text)?;
    Ok(if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn back_up(settings: &backup::Settings) -> Result<ExitCode, Box<dyn std::error::Error>> {
    match (&settings.command, &settings.to) {
        (Some(backup::Command::Verify(settings)), _) => verify(settings),
        (Some(backup::Command::Signature(settings)), _) => {
            let keys = backup::keys(&settings.config, &Clock::system())?;
            let text = backup::read_result(&settings.from).map_err(backup::Failure::from)?;
            let result = backup::check_signature(&text, &keys).map_err(backup::Failure::from)?;
            done(print_whole(&(result + "\n")))
        }
        (None, to) => {
            check(&settings.config)?;
            let to = to.as_deref().ok_or("--to is missing")?;
            let told = work(backup::run(to, &settings.config))??;
            // Standard output may be the backup itself.
            say(stderr(), &told);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A backup that cannot be restored is a finding.
fn verify(settings: &backup::VerifySettings) -> Result<ExitCode, Box<dyn std::error::Error>> {
    check(&settings.config)?;
    let verified = work(backup::verify(settings))??;
    let text = if settings.json {
        verified.signed(&backup::keys(&settings.config, &Clock::system())?)? + "\n"
    } else {
        verified.text()
    };
    report(&text, verified.report.findings)
}

fn restore(settings: &backup::RestoreSettings) -> Outcome {
    check(&settings.config)?;
    let told = work(backup::restore(settings))??;
    print_whole(&(told + "\n"))
}

/// A reader such as `head` may take the beginning alone.
fn print_whole(text: &str) -> Outcome {
    match stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

fn print_openapi() -> Outcome {
    print_whole(&openapi::served::contract()?.text)
}

fn print_upgrade_table() -> Outcome {
    print_whole(&bipe_core::db::upgrade::page()?)
}

fn healthcheck(bind: SocketAddr) -> Outcome {
    let patience = Duration::from_secs(3);
    let at = |ip: IpAddr| TcpStream::connect_timeout(&SocketAddr::new(ip, bind.port()), patience);
    // A server that listens on every address is asked on this machine's own.
    let connect = || match bind.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => at(Ipv4Addr::LOCALHOST.into()),
        // It takes IPv4 as well, and a container may have no `::1`.
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => {
            at(Ipv6Addr::LOCALHOST.into()).or_else(|_none| at(Ipv4Addr::LOCALHOST.into()))
        }
        _ => TcpStream::connect_timeout(&bind, patience),
    };
    let ask = || -> std::io::Result<String> {
        let mut stream = connect()?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        stream.write_all(b"GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
        let mut answer = String::new();
        stream.take(1024).read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask().map_err(|error| format!("{bind}: {error}"))?;
    let status = answer.lines().next().unwrap_or_default();
    if status.contains(" 200 ") { Ok(()) } else { Err(format!("not ready: {status}").into()) }
}
