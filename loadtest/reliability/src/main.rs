//! `bipe-reliability`: runs each row of the suite, one after another, and fails when a promise is broken, when a test
//! tried less than its floor, or when the whole takes longer than it may. `make reliability` calls it, and
//! docs/reliability.md shows what it found.
//!
//! A row calls tests that stand elsewhere, or one of the black-box drivers here (`drive NAME`). What a row did is known
//! from the lines `figures: NAME=COUNT` that its calls print, and from nothing else.

mod built;
mod call;
mod driver;
mod figures;
mod outcome;
mod report;
mod row;
mod run;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Every row of the reliability suite, with its figures and their floors")]
struct Flags {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The rows, one after another
    Run(run::Settings),
    /// One black-box driver, against a server of its own
    #[command(subcommand)]
    Drive(driver::Driver),
}

fn main() -> ExitCode {
    let flags = Flags::parse();
    bipe_swarm::exit_code(bipe_swarm::until_told_to_stop(async {
        match &flags.what {
            What::Run(settings) => run::run(settings).await,
            What::Drive(driver) => driver.run().await.map(|()| ExitCode::SUCCESS),
        }
    }))
}
