//! `bipe alerts`: what waits for a person, and how that person closes what is settled. Called by `cli.rs`.
//!
//! Invariant: it starts no database and migrates nothing; `close` closes every alert that it is given, or none.

use std::collections::BTreeSet;
use std::fmt::Write;

use bipe_core::alert::{self, OpenAlert};
use bipe_core::config::Config;
use bipe_core::db::OpenedDb;
use clap::{Args, Subcommand};
use uuid::Uuid;

use crate::doctor::database;

/// The flags of `bipe alerts`.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub config: Config,
}

#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Closes alerts that a person has settled: all of them, or none where one is not open
    Close(Box<CloseSettings>),
}

#[derive(Args, Clone, Debug)]
pub struct CloseSettings {
    /// As `bipe alerts` lists them
    #[arg(required = true, value_name = "ID", num_args = 1..=1000)]
    pub ids: Vec<Uuid>,
    #[command(flatten)]
    pub config: Config,
}

/// The open alerts, the oldest first.
///
/// # Errors
/// One sentence that says why the database does not tell.
pub async fn list(config: &Config) -> Result<String, String> {
    on_database(config, async |OpenedDb { db, proof, .. }| {
        let tx = db.platform_tx(proof).await?;
        let alerts = alert::open(&tx).await?;
        tx.rollback().await?;
        Ok(text(&alerts))
    })
    .await
}

/// Closes these alerts.
///
/// # Errors
/// The ids that name no open alert, or why the database does not answer; nothing is closed then.
pub async fn close(settings: &CloseSettings) -> Result<String, String> {
    let wanted: BTreeSet<Uuid> = settings.ids.iter().copied().collect();
    let ids: Vec<Uuid> = wanted.iter().copied().collect();
    let closed = on_database(&settings.config, async |OpenedDb { db, proof, .. }| {
        let tx = db.platform_tx(proof).await?;
        let closed = alert::close_each(&tx, &ids).await?;
        if closed.len() == ids.len() {
            tx.commit().await?;
        } else {
            tx.rollback().await?;
        }
        Ok(closed)
    })
    .await?;
    let closed = BTreeSet::from_iter(closed);
    let unknown: Vec<String> = wanted.difference(&closed).map(Uuid::to_string).collect();
    if !unknown.is_empty() {
        return Err(format!("nothing was closed: no open alert has the id {}", unknown.join(", ")));
    }
    Ok(format!("closed: {}\n", ids.len()))
}

/// Opens the database as `bipe doctor` does, and closes it whatever comes of the work.
async fn on_database<T>(
    config: &Config,
    work: impl AsyncFnOnce(&OpenedDb) -> bipe_core::Result<T>,
) -> Result<T, String> {
    let (opened, server) = database::open(config).await?;
    let outcome = work(&opened).await;
    opened.db.close();
    server.close().await;
    outcome.map_err(|error| format!("{error}: `bipe doctor` says what the database lacks"))
}

fn text(alerts: &[OpenAlert]) -> String {
    if alerts.is_empty() {
        return "no alert is open\n".to_owned();
    }
    let mut text = String::new();
    for OpenAlert { id, at, kind, company_id, subject, detail } in alerts {
        let company = company_id.map(|id| format!(" of company {id}")).unwrap_or_default();
        let _ = writeln!(text, "{id}  {at:.0}  {kind}\n  {subject}{company}\n  {detail}");
    }
    text
}
