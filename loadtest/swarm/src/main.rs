//! `bipe-swarm`: sockets and commands by the thousand against a release server that it starts itself, on a
//! database of its own. Without a subcommand: what a command takes until its answer (the commit) and until each
//! frame that it causes is at its socket. The subcommands measure one thing each.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bipe_swarm::payments::turns::Turns;
use bipe_swarm::payments::{builds, traces};
use bipe_swarm::server::Server;
use bipe_swarm::{Outcome, admin, bench, live, machine, operator, page, payments, single};
use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Flags {
    /// The release build of the server
    #[arg(long, default_value = "target/release/bipe", global = true)]
    bipe: PathBuf,
    /// Page whose section the benchmark replaces by its results
    #[arg(long, global = true)]
    page: Option<PathBuf>,
    #[command(flatten)]
    live: live::Settings,
    #[command(subcommand)]
    other: Option<Other>,
}

/// Something else than live.
#[derive(Subcommand)]
enum Other {
    /// Payments all the way, and their SQL alone
    Payments(payments::Settings),
    /// Payments with traces and without
    Traces(Turns),
    /// Payments of this build and of another one
    Builds(builds::Settings),
    /// The platform admin's API over years of thousands of companies
    Admin(admin::Settings),
    /// What an operator waits for: starts, /metrics beside many sockets, a backup and its proof
    Operator(operator::Settings),
    /// Everything beside others, in rounds
    Bench(bench::Settings),
    /// The lines of another benchmark, from standard input to the section of that heading
    Section { heading: String },
    /// One thing about sockets, on two cores: the server's and the generator's
    #[command(flatten)]
    Single(single::Mode),
}

fn main() -> ExitCode {
    bipe_swarm::exit_code(run(&Flags::parse()).map(|()| ExitCode::SUCCESS))
}

fn run(flags: &Flags) -> Outcome<()> {
    match &flags.other {
        Some(Other::Single(mode)) => return single::run(mode, &flags.bipe),
        Some(Other::Bench(settings)) => {
            return bench::run(settings, &flags.bipe, flags.page.as_deref());
        }
        Some(Other::Section { heading }) => return section(flags.page.as_deref(), heading),
        Some(Other::Operator(settings)) => {
            machine::raise_descriptors(settings.descriptors())?;
        }
        _ => {}
    }
    bipe_swarm::until_told_to_stop(async {
        let in_turns = match &flags.other {
            Some(Other::Traces(turns)) => Some(traces::run(turns, &flags.bipe).await?),
            Some(Other::Builds(settings)) => Some(builds::run(settings, &flags.bipe).await?),
            _ => None,
        };
        if let Some(lines) = in_turns {
            return lines.end(flags.page.as_deref());
        }
        let server = Server::start(&flags.bipe).await?;
        let measured = match &flags.other {
            Some(Other::Payments(settings)) => payments::run(settings, &server).await,
            Some(Other::Admin(settings)) => admin::run(settings, &server, &flags.bipe).await,
            Some(Other::Operator(settings)) => operator::run(settings, &server, &flags.bipe).await,
            _ => live::run(&flags.live, &server).await,
        };
        server.stop().await?;
        measured?.end(flags.page.as_deref())
    })
}

/// Writes what another program has printed; nothing when it printed nothing.
fn section(page: Option<&Path>, heading: &str) -> Outcome<()> {
    let lines = std::io::stdin().lines().collect::<Result<Vec<String>, _>>()?;
    match page {
        Some(page) if !lines.is_empty() => page::write(page, heading, &page::fenced(&lines)),
        _ => Ok(()),
    }
}
