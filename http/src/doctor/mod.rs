//! `bipe doctor`: examines a running installation with the settings of `bipe serve`, from outside of its process. Called
//! by `cli.rs`.
//!
//! Invariant: it changes nothing. It starts no database, migrates nothing, sends no mail and stores no event; its
//! questions are few and each has a time limit.

pub(crate) mod bus;
pub(crate) mod database;
mod disk;
pub(crate) mod guide;
mod mail;
mod provider;
mod public;
pub(crate) mod report;
mod work;

use std::time::Duration;

use bipe_core::clock::Clock;
use bipe_core::config::Config;
use clap::Args;
use report::Check;
pub use report::Report;
use tokio::time::timeout;

/// For all questions to the database together.
pub(crate) const DATABASE_TIMEOUT: Duration = Duration::from_secs(30);

/// The flags of `bipe doctor` and of `bipe upgrade check`.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Prints the answer as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub config: Config,
}

/// Everything that the settings tell how to reach. The parts wait for nothing of each other.
pub async fn examine(config: &Config) -> Report {
    let clock = Clock::system();
    let mut checks = Vec::new();
    let (asked, bus, provider, public, mail) = tokio::join!(
        timeout(DATABASE_TIMEOUT, inside(config, &mut checks)),
        bus::examine(config, &clock),
        provider::examine(config, &clock),
        public::examine(config, &clock),
        mail::examine(config),
    );
    if asked.is_err() {
        checks.push(Check::finding(
            "database.answers",
            format!(
                "the database has not answered everything within {} s",
                DATABASE_TIMEOUT.as_secs()
            ),
            "look for what it waits for, or what keeps it busy",
            guide::WAITING,
        ));
    }
    checks.extend(bus);
    checks.extend(provider);
    checks.extend(public);
    checks.extend([mail, disk::examine(&config.data_dir, config.database_url.is_none())]);
    Report::of(checks)
}

/// The database, and the work that it holds.
async fn inside(config: &Config, checks: &mut Vec<Check>) {
    let Some(reached) = database::examine(config, checks).await else {
        checks.push(Check::skipped("jobs.due", "the database was not reached"));
        return;
    };
    if reached.status.is_some() {
        checks.extend(work::examine(&reached, config.is_production()).await);
    }
    reached.close().await;
}
