//! Black-box drivers: people at a real server, its provider and its database, each a process of its own, while
//! something disturbs them or time goes by. Each prints what it did as figures, and fails when a promise is broken.

mod faults;
mod histories;
mod installation;
mod judge;
mod kills;
mod payer;
mod round;
mod sign_ins;
mod soak;

use std::path::PathBuf;

use bipe_swarm::Outcome;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Driver {
    /// The server is killed again and again while people buy, change and cancel
    Kills(Settings),
    /// The provider loses, refuses, delays and repeats while people buy, change and cancel
    Faults(Settings),
    /// Server and database are killed while people change the same companies, and the log of all is judged
    Histories(Settings),
    /// More people sign in than the cores can hash passwords for, while somebody reads
    #[command(name = "sign_ins")]
    SignIns(sign_ins::Settings),
    /// People buy, change and look at a calm pace for long, and the server may not grow
    Soak(soak::Settings),
}

/// What every trial is given.
#[derive(clap::Args, Clone, Debug)]
pub struct Subject {
    /// The server
    #[arg(long, default_value = "target/debug/bipe")]
    pub bipe: PathBuf,
    /// Decides what is left to chance
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(clap::Args, Clone, Debug)]
pub struct Settings {
    #[command(flatten)]
    pub subject: Subject,
    /// Kills, or orders of faults
    #[arg(long, env = "BIPE_DISTURBANCES", default_value_t = 20)]
    pub disturbances: u32,
    /// People who pay at the same time
    #[arg(long, env = "BIPE_PAYERS", default_value_t = round::PAYERS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=50))]
    pub payers: u64,
}

impl Driver {
    /// # Errors
    /// What is broken, or what prevented the trial.
    pub async fn run(&self) -> Outcome<()> {
        match self {
            Self::Kills(settings) => kills::run(settings).await,
            Self::Faults(settings) => faults::run(settings).await,
            Self::Histories(settings) => histories::run(settings).await,
            Self::SignIns(settings) => sign_ins::run(settings).await,
            Self::Soak(settings) => soak::run(settings).await,
        }
    }
}

/// For the runner, which reads this line and no other.
pub fn figures(counts: &[(&str, u64)]) {
    let words: Vec<String> = counts.iter().map(|(name, count)| format!("{name}={count}")).collect();
    println!("figures: {}", words.join(" "));
}
