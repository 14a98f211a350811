//! The parts of the generators: people, sockets by the thousand, commands, what is told of them, the page of results.
//! `bipe-swarm` measures one server with them, `bipe-nodes` several.

use std::error::Error;
use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};

pub mod account;
pub mod admin;
pub mod bench;
pub mod crowd;
pub mod herd;
pub mod http;
pub mod live;
pub mod machine;
pub mod modes;
pub mod operator;
pub mod page;
pub mod payments;
pub mod peer;
pub mod picture;
pub mod report;
pub mod server;
pub mod single;
pub mod socket;
pub mod table;
pub mod target;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// For an option of which there must be some: a run of nothing meets every goal that is a limit.
pub(crate) fn some() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..)
}

/// What a program ends with. An error is told in words: what `main` returns would be written as Rust writes a value.
pub fn exit_code(outcome: Outcome<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        eprintln!("{}", in_words(&*error));
        ExitCode::FAILURE
    })
}

/// The error and what caused it.
pub fn in_words(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words += &format!(": {error}");
        cause = error.source();
    }
    words
}

/// Does the work on a runtime of its own. SIGINT and SIGTERM drop it, and with it every process that it has started.
pub fn until_told_to_stop<T>(work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let (mut interrupt, mut terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        tokio::select! {
            done = work => done,
            _ = interrupt.recv() => Err("interrupted".into()),
            _ = terminate.recv() => Err("told to stop".into()),
        }
    })
}
